package repl

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"almanac/llm"
	"almanac/llm/tools"
	"almanac/session/policy"
)

// TestLocal shows that local servers are contacted after y or yes alone, and what the inputs after a question do.
func TestLocal(t *testing.T) {
	const question = `no model is configured. Look for a model server on this machine (Ollama 11434)? Nothing has been
  contacted.
y or yes looks; anything else does not
`
	const list = `  1  qwen3:8b  32,768 tokens  localhost:11434
  2  tiny      -              localhost:11434
the number of a model chooses it; Enter alone leaves
`
	const again = "warning: want a number from 1 to 2, or Enter to leave\n"
	const refused = "error: no model: set one\n"
	for name, inputs := range map[string][][2]string{
		"no": {{"?hi", question}, {"n", refused}, {"?hi", refused}, {"1+1", "2\n"}},
		"words are no answer": {{"?hi", question}, {"yeah", "nil\n"}, {"?hi", question}, {"yes please", ""},
			{"?hi", question}, {"?ya", question}, {"y y", ""}},
		"yes, and a number": {{"?how many?", question}, {" YES ", list},
			{"3", again},
			{"1", "model qwen3:8b at localhost:11434 from the next prompt, context window 32,768 tokens\nfor this session; keep qwen3:8b\n  It is 12.\n"},
			{"?and now?", "  Still 12.\n"}, {"/local", "error: local: a model answers already: /model shows it\n"}},
		"yes, and none": {{"?how many?", question}, {"y", list}, {"none", again}, {"none", "nil\n"}, {"1", "1\n"}},
		"a word, and a number": {{"?how many?", question}, {"Y", list}, {"the first", again},
			{"1", "model qwen3:8b at localhost:11434 from the next prompt, context window 32,768 tokens\nfor this session; keep qwen3:8b\n  It is 12.\n"}},
		"Enter alone": {{"?how many?", question}, {"y", list}, {" ", "none chosen; /local asks again\n"}, {"1", "1\n"},
			{"", ""}},
		"a number like no other": {{"?how many?", question}, {"y", list}, {"01", again}, {"01", "1\n"}},
		"the command": {{"/local", question}, {"/local y", list},
			{"/local 2", "model tiny at localhost:11434 from the next prompt, context window 100,000 tokens\nfor this session; keep tiny\n"}},
		"the command first":            {{"/local y", question}, {"/model", "error: no model: set one\n"}, {"y", list}},
		"an answer without a question": {{"y", "nil\n"}, {"1", "1\n"}},
	} {
		t.Run(name, func(t *testing.T) {
			finds := 0
			p := &scripted{responses: []llm.Response{{Text: "It is 12."}, {Text: "Still 12."}}}
			sh, _ := withModel(t, policy.Policy{}, Options{NoModel: errors.New("no model: set one")})
			sh.options.Conversation = llm.NewConversation(sh.Feed().Conversation(sh.Session(), tools.Options{}, llm.Options{}))
			sh.SetMode(0)
			sh.options.Local = &Local{
				Places: "Ollama 11434",
				Find: func(context.Context) []llm.Target {
					finds++
					return []llm.Target{
						{Model: "qwen3:8b", Window: 32768, Server: "http://localhost:11434/v1", Provider: p},
						{Model: "tiny", Server: "http://localhost:11434/v1", Provider: p},
					}
				},
				Keep: func(t llm.Target) string { return "keep " + t.Model },
			}
			yes := false
			for _, in := range inputs {
				got := typed(t.Context(), sh, in[0], nil)
				if strings.TrimSpace(in[1]) != "" && got != in[1] {
					t.Errorf("%s: got\n%s\nwant\n%s", in[0], got, in[1])
				}
				yes = yes || in[1] == list
				if finds > 0 && !yes {
					t.Fatalf("%s: servers were contacted", in[0])
				}
			}
		})
	}
}

// TestLocalGrace shows that what was typed before the question does not answer it.
func TestLocalGrace(t *testing.T) {
	sh, _ := withModel(t, policy.Policy{}, Options{})
	sh.options.Conversation = nil
	sh.options.Local = &Local{Grace: time.Hour, Find: func(context.Context) []llm.Target {
		t.Error("servers were contacted")
		return nil
	}}
	got := typed(t.Context(), sh, "?hi", nil) + typed(t.Context(), sh, "y", nil) + typed(t.Context(), sh, "y", nil)
	if n := strings.Count(got, "typed before the question, and does not count"); n != 2 {
		t.Errorf("told %d times:\n%s", n, got)
	}
}
