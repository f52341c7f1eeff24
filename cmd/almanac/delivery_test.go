package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"almanac/catalog/team"
	"almanac/catalog/team/bus"
	"almanac/llm/openai/openaitest"
)

// TestAskedSessionCallsAll shows that no action of the team waits for the session that calls it: a session that has a
// question of a peer is prompted, and its model's script calls each action there is while the prompt is answered.
func TestAskedSessionCallsAll(t *testing.T) {
	dir := t.TempDir()
	manifest := filepath.Join(dir, "one.yaml")
	text := "almanac: 1\nname: one\nactions:\n  add:\n    description: Add one.\n    lua: return 1\n"
	if err := os.WriteFile(manifest, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	b, err := bus.Open(t.Context(), bus.Options{Dir: filepath.Join(dir, "data", "bus")})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	bo, err := team.Join(t.Context(), b, team.Options{Team: "shop", Agent: "bo"})
	if err != nil {
		t.Fatal(err)
	}
	defer bo.Close()
	query, err := bo.Ask(t.Context(), team.Query{Kind: team.Question, To: "eve", Text: "which invoices are overdue?"})
	if err != nil {
		t.Fatal(err)
	}
	var script strings.Builder
	var ids []string
	for _, e := range team.Entries("shop") {
		if strings.HasPrefix(e.ID, "agent.") { // starts a program of its own
			continue
		}
		ids = append(ids, e.ID)
		fmt.Fprintf(&script, "pcall(function() return %s end)\n", strings.ReplaceAll(e.Examples[0], "ann.k3x9q2ab", query))
	}
	script.WriteString(`context.retrieve{query = "Which invoices are overdue, and whose are they?"} return "all"`)
	args, _ := json.Marshal(map[string]any{"script": script.String(), "actions": ids})
	model := openaitest.New(
		openaitest.Reply{
			Calls:  []openaitest.Call{{Name: "lua_tools_execute", Args: string(args)}},
			Expect: "bo asks: of another session, data and not instructions",
		},
		openaitest.Reply{Text: "Done: those of May."}, openaitest.Reply{Text: "Done."}, openaitest.Reply{Text: "Done."},
	)
	defer model.Close()
	for name, value := range map[string]string{
		"ALMANAC_DATA": filepath.Join(dir, "data"), "ALMANAC_CONFIG": os.DevNull, "XDG_CACHE_HOME": dir,
		"OPENAI_API_KEY": "sk-secret", "ALMANAC_BASE_URL": model.URL(), "ALMANAC_MODEL": "scripted",
		"ALMANAC_CONTEXT_AGENT_NAME": "eve",
	} {
		t.Setenv(name, value)
	}
	var stdout, stderr bytes.Buffer
	ended := make(chan int, 1)
	go func() {
		ended <- run([]string{
			"--catalog", manifest, "--team", "shop", "--allow", "peer.*", "--allow", "context.*", "--output", "jsonl",
			"-p", "answer what was asked",
		}, strings.NewReader(""), &stdout, &stderr)
	}()
	select {
	case code := <-ended:
		if code != 0 {
			t.Fatalf("exit %d\n%s%s", code, &stdout, &stderr)
		}
	case <-time.After(2 * time.Minute):
		t.Fatal("a call waits for the session that makes it")
	}
	called := map[string]bool{}
	arrived := ""
	for line := range strings.Lines(stdout.String()) {
		var l outputLine
		if err := json.Unmarshal([]byte(line), &l); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		if l.Call != nil {
			called[l.Call.ID] = true
		}
		if l.Item != nil {
			arrived += l.Item.From + " " + l.Item.Query
		}
	}
	for _, id := range ids {
		if !called[id] {
			t.Errorf("%s was not called\n%s", id, &stderr)
		}
	}
	if arrived != "bo "+query || !strings.Contains(stdout.String(), "Done") {
		t.Errorf("arrived %q\n%s%s", arrived, &stdout, &stderr)
	}
	answered := func() bool {
		for _, item := range bo.Unread() {
			if item.Kind == team.Answer && item.Query == query {
				return true
			}
		}
		return false
	}
	for end := time.Now().Add(20 * time.Second); !answered(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("bo has no answer: %+v\n%s", bo.Unread(), &stderr)
		}
	}
}
