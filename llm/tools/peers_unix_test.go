//go:build unix

package tools_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"almanac/catalog"
	"almanac/llm"
	"almanac/llm/openai"
	"almanac/llm/tools"
	"almanac/session"
)

// A llama is a running llama-server with a small model; see make peers-model.
type llama struct {
	url     string
	process *os.Process
}

func startLlama(t *testing.T, dir string) llama {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_, port, _ := net.SplitHostPort(l.Addr().String())
	l.Close()
	c := exec.Command(filepath.Join(dir, "llama-server"), "--model", filepath.Join(dir, "model.gguf"),
		"--host", "127.0.0.1", "--port", port, "--ctx-size", "4096", "--parallel", "1", "--n-predict", "64", "--temp", "0",
		"--jinja", "--chat-template-file", filepath.Join(dir, "template.jinja"))
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = c.Process.Kill()
		_ = c.Wait()
	})
	for range 600 {
		if conn, err := net.Dial("tcp", "127.0.0.1:"+port); err == nil {
			conn.Close()
			return llama{url: "http://127.0.0.1:" + port, process: c.Process}
		}
		time.Sleep(100 * time.Millisecond)
	}
	t.Fatal("llama-server does not listen")
	return llama{}
}

// A talk is a conversation with the model and what was heard of it.
type talk struct {
	*llm.Conversation
	deltas  int
	answers []string // of the tools
	heard   func()   // told of each delta
}

// talk begins a conversation. With the whole prompt it is the program's own; without, there is only the tool that runs
// scripts, in few words: a model so small follows no more.
func (l llama) talk(t *testing.T, view *catalog.View, api string, whole bool) *talk {
	s := newSession(t, view, session.Options{})
	briefing := tools.NewBriefing(s, tools.Options{})
	k := &talk{heard: func() {}}
	prompt, all := briefing.System, briefing.Tools
	if !whole {
		prompt, all = nil, func() []llm.Tool {
			for _, tool := range tools.New(s, tools.Options{}) {
				if tool.Name == "lua_tools_execute" {
					tool.Description = "Run Lua"
					tool.Schema = []byte(`{"type":"object","properties":{"script":{"type":"string"}},"required":["script"]}`)
					return []llm.Tool{tool}
				}
			}
			return nil
		}
	}
	k.Conversation = llm.NewConversation(llm.Options{
		Target: llm.Target{Provider: openai.New(openai.Options{BaseURL: l.url, API: api}), Model: "small", Window: 100_000},
		System: prompt, Tools: all, MaxTurns: 3,
		Observe: func(e llm.Event) {
			switch e.Kind {
			case llm.Delta:
				k.deltas++
				k.heard()
			case llm.ToolEnded:
				k.answers = append(k.answers, e.Text)
			}
		},
	})
	return k
}

// ran tells whether the prompt led to a run with the result. What the model says then is its own affair.
func (k *talk) ran(t *testing.T, prompt, result string) bool {
	t.Helper()
	k.answers = nil
	_, err := k.Send(t.Context(), prompt)
	var limit *llm.TurnLimitError
	var e *llm.Error
	if err != nil && !errors.As(err, &limit) && !(errors.As(err, &e) && strings.Contains(e.Message, "empty answer")) {
		t.Errorf("%s: %v", prompt, err)
	}
	return len(k.answers) > 0 && strings.HasPrefix(k.answers[0], result)
}

// repeat asks for a call in the words that a model so small can follow.
func repeat(script string) string {
	return `Repeat this:
<tool_call>
{"name": "lua_tools_execute", "arguments": {"script": "` + script + `"}}
</tool_call>`
}

func kindOf(err error) llm.ErrorKind {
	var e *llm.Error
	errors.As(err, &e)
	if e == nil {
		return ""
	}
	return e.Kind
}

// TestPeersModel holds conversations with a server and a model that nobody here wrote.
func TestPeersModel(t *testing.T) {
	dir := os.Getenv("ALMANAC_LLAMA")
	if dir == "" {
		t.Skip("ALMANAC_LLAMA is not set: make peers-model")
	}
	view := open(t)
	l := startLlama(t, dir) // it still loads the model; the first prompt waits for that
	for _, api := range []string{openai.ChatAPI, openai.ResponsesAPI} {
		t.Run(api, func(t *testing.T) {
			k := l.talk(t, view, api, false)
			if !k.ran(t, repeat("return 6 * 7"), "42") {
				t.Errorf("tool answers %q", k.answers)
			}
			k.ran(t, "Say hello.", "")
			if u := k.Usage(); k.deltas < 3 || u.Estimated > 0 || u.Input < 500 || u.Output == 0 || u.Cached == 0 {
				t.Errorf("%d pieces of text, usage %+v", k.deltas, u)
			}
			for _, m := range k.Messages() {
				t.Logf("%s: %s%s", m.Role, m.Text, calls(m))
			}
		})
	}
	t.Run("busy", func(t *testing.T) {
		var both sync.WaitGroup
		for range 2 {
			k := l.talk(t, view, "", false)
			both.Go(func() { k.ran(t, "Say hello.", "") })
		}
		both.Wait()
	})
	t.Run("too long", func(t *testing.T) {
		_, err := l.talk(t, view, "", false).Send(t.Context(), strings.Repeat("word ", 6000))
		if kindOf(err) != llm.TooLong {
			t.Errorf("error %v", err)
		}
	})
	t.Run("stopped", func(t *testing.T) {
		k := l.talk(t, view, "", false)
		ctx, cancel := context.WithCancel(t.Context())
		k.heard = func() {
			_ = l.process.Signal(syscall.SIGSTOP)
			cancel()
		}
		if _, err := k.Send(ctx, "Tell me of the sea."); !errors.Is(err, context.Canceled) {
			t.Errorf("error %v", err)
		}
		_ = l.process.Signal(syscall.SIGCONT)
		k.heard = func() {}
		k.ran(t, "Say hello.", "")
		if n := len(k.Messages()); n < 4 {
			t.Errorf("%d messages after the stop", n)
		}
	})
	t.Run("examples", func(t *testing.T) { testExamples(t, l, view) })
	t.Run("killed", func(t *testing.T) {
		k := l.talk(t, view, "", false)
		k.heard = func() { _ = l.process.Kill() }
		if _, err := k.Send(t.Context(), "Tell me of the sea."); kindOf(err) != llm.Broken {
			t.Errorf("error %v", err)
		}
		if _, err := k.Send(t.Context(), "And now?"); kindOf(err) != llm.Unreachable {
			t.Errorf("error %v", err)
		}
	})
}

func calls(m llm.Message) (all string) {
	for _, c := range m.Calls {
		all += fmt.Sprintf(" %s%s", c.Name, c.Args)
	}
	return all
}

// testExamples reports what the model gets right by itself, without a judgement.
func testExamples(t *testing.T, l llama, view *catalog.View) {
	for _, whole := range []bool{false, true} {
		tried, copied, followed, unasked := 0, 0, 0, 0
		questions := []string{"How many customers are there?", "Which invoices are unpaid?", "What is 17 * 23? Use Lua."}
		for i, question := range questions {
			if whole && i > 0 && os.Getenv("ALMANAC_LLAMA_ALL") == "" {
				continue // minutes each
			}
			tried++
			k := l.talk(t, view, "", whole)
			for n := range 2 {
				if k.ran(t, repeat(fmt.Sprintf("return %d", 10*i+n)), fmt.Sprint(10*i+n)) {
					copied++
				}
			}
			if k.ran(t, fmt.Sprintf("Return %d.", 10*i+7), fmt.Sprint(10*i+7)) {
				followed++
			}
			k = l.talk(t, view, "", whole)
			if k.ran(t, question, ""); len(k.answers) > 0 {
				unasked++
			}
		}
		t.Logf("MODEL whole prompt %v: copied a call %d of %d, wrote the next of its kind %d of %d, ran a script for a question "+
			"%d of %d", whole, copied, 2*tried, followed, tried, unasked, tried)
	}
}
