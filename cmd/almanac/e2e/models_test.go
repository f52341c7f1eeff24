//go:build unix

package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"almanac/llm/openai/openaitest"
)

// This file holds the change from one model to another, and the offer of a server on this machine.

// TestModelsSwitch walks from one provider to another and back, and into a fallback.
func TestModelsSwitch(t *testing.T) {
	quota := openaitest.Reply{Status: 402, Body: `{"error":{"message":"insufficient_quota"}}`}
	first := openaitest.New(openaitest.Reply{Text: "From the first."}, openaitest.Reply{Text: "First again."}, quota)
	second := openaitest.New(openaitest.Reply{Text: "From the second."}, openaitest.Reply{Text: "Second instead."})
	t.Cleanup(first.Close)
	t.Cleanup(second.Close)
	config := filepath.Join(t.TempDir(), "config.toml")
	text := fmt.Sprintf("fallback = [\"small\"]\n[models.big]\nmodel = \"scripted\"\nbase_url = %q\n"+
		"key_command = [\"sh\", \"-c\", \"echo sk-of-the-first\"]\ncontext_window = 64000\n"+
		"[models.small]\nmodel = \"scripted\"\nbase_url = %q\ncontext_window = 8000\n", first.URL(), second.URL())
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	x := start(t, setup{env: []string{"ALMANAC_CONFIG=" + config}, first: `ask ❯`})
	x.line("hello")
	x.want("From the first")
	x.line("/model sm")
	x.want("did you mean small", "usage: /model")
	x.keys("C-u")
	x.text("/model sma")
	x.keys("Tab")
	x.want(`/model small`)
	x.keys("Enter")
	x.want("1 turn, ~", `· small ·`)
	x.line("and you?")
	x.want("From the second")
	x.line("/model big")
	x.want("up to its", `· big ·`)
	x.line("you again?")
	x.want("First again")
	x.line("once more")
	x.want("warning: big failed", "trying small", "Second instead", "small answers for the rest of the session",
		`· small ·`)
	if got := first.Requests()[0].Header.Get("Authorization"); got != "Bearer sk-of-the-first" {
		t.Errorf("the first had the key %q", got)
	}
	for _, r := range second.Requests() {
		if r.Header.Get("Authorization") != "" {
			t.Error("the second had a key")
		}
	}
	if n := len(second.Requests()[1].Messages); n != 8 { // the system's, three answered prompts, and the last
		t.Errorf("the second heard %d messages", n)
	}
	if strings.Contains(x.scrollback(), "sk-of") {
		t.Error("the key is on the screen")
	}
}

// TestModelsLocal shows that a server on this machine is contacted after a yes and nothing else.
func TestModelsLocal(t *testing.T) {
	server := openaitest.New(openaitest.Reply{Text: "I am local."})
	t.Cleanup(server.Close)
	port := strings.TrimSuffix(server.URL()[strings.LastIndexByte(server.URL(), ':')+1:], "/v1")
	x := start(t, setup{args: []string{"--local-ports", "Ollama=9,Here=" + port}})
	x.line("?who are you")
	x.want("Look for a model server", port)
	x.line("yellow")
	x.want(`^nil`)
	x.line("y")
	x.want(`y +\[3\]`, `^nil`)
	if server.Listed() != 0 {
		t.Error("contacted without a yes")
	}
	x.line("?who are you")
	x.want(`who are you +\[4\]`)
	time.Sleep(time.Second) // as a person who reads
	x.line("y")
	x.want(`1 +scripted`)
	time.Sleep(time.Second)
	x.line("1")
	x.want("I am local", "to keep it, write model", `· scripted ·`)
}
