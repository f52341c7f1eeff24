package llm

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

// TestReasoningStaysHere shows that reasoning is told and kept, bounded, and in no request.
func TestReasoningStaysHere(t *testing.T) {
	const thought = "They want a number. "
	p := &scripted{t: t, steps: []step{
		{think: strings.Repeat(thought, 2000), calls: []ToolCall{call("a", "one", "{}")}},
		{think: thought, err: &Error{Kind: Broken, Message: "cut"}},
		{think: thought, text: "It is 12."},
		{think: thought, text: "Half", err: errors.New("gone")},
		{think: thought, err: &Error{Kind: BadKey, Message: "no"}},
		{text: "Bye."},
	}}
	var told strings.Builder
	var kept []Message
	c := NewConversation(Options{
		Target: Target{Provider: p}, RetryWait: 1,
		Tools: func() []Tool { return []Tool{echo("one")} }, Keep: func(m Message) {
			kept = append(kept, m)
		},
		Observe: func(e Event) {
			if e.Kind == Thinking {
				told.WriteString(e.Text)
			}
		},
	})
	for i, prompt := range []string{"how many?", "and now?", "no key", "bye"} {
		if _, err := c.Send(t.Context(), prompt); (err != nil) != (i == 1 || i == 2) {
			t.Fatal(err)
		}
	}
	if want := strings.Repeat(thought, 2004); told.String() != want {
		t.Errorf("told %d bytes of reasoning, want %d", told.Len(), len(want))
	}
	thoughts := 0
	for _, m := range kept {
		if m.Reasoning != "" {
			thoughts++
		}
		if len(m.Reasoning) > maxReasoning {
			t.Errorf("%d bytes of reasoning kept", len(m.Reasoning))
		}
	}
	if thoughts != 4 {
		t.Errorf("%d messages with reasoning, want 4: %q", thoughts, transcript(kept))
	}
	for _, m := range whole(kept) {
		if m.Text == "" && len(m.Calls) == 0 {
			t.Error("a message without words is restored")
		}
	}
	for i, r := range p.requests {
		if sent := fmt.Sprintf("%+v", r); strings.Contains(sent, "They want") {
			t.Errorf("request %d has the reasoning: %s", i, sent)
		}
	}
}

// TestContextCounts shows that the length of the conversation is what the server counted, and an estimate only where it
// did not.
func TestContextCounts(t *testing.T) {
	p := &scripted{t: t, steps: []step{
		{text: "one", usage: Usage{Input: 4000, Output: 300, Reasoning: 250}},
		{calls: []ToolCall{call("a", "one", "{}")}, usage: Usage{Input: 4100, Output: 20}},
		{text: "done", usage: Usage{Input: 4200, Output: 10}},
		{text: "two"},
		{text: "three", usage: Usage{Input: 5000, Output: 1}},
	}}
	var running Context
	var c *Conversation
	c = NewConversation(Options{Target: Target{Provider: p, Window: 8000},
		Tools: func() []Tool { return []Tool{echo("one")} }, Observe: func(e Event) {
			if e.Kind == ToolEnded {
				running = c.Context()
			}
		}})
	if got := c.Context(); got != (Context{Window: 8000}) {
		t.Errorf("before: %+v", got)
	}
	for i, want := range []Context{{4050, 8000, false}, {4210, 8000, false}, {0, 8000, true}, {5001, 8000, false}} {
		if _, err := c.Send(t.Context(), "go"); err != nil {
			t.Fatal(err)
		}
		got := c.Context()
		if want.Used == 0 {
			want.Used = got.Used // an estimate
		}
		if got != want || got.Used == 0 {
			t.Errorf("prompt %d: %+v, want %+v", i, got, want)
		}
	}
	if running.Used <= 4120 || !running.Estimated {
		t.Errorf("while a tool's answer is not counted: %+v", running)
	}
	c.SetWindow(100)
	if got := c.Context(); got.Window != 100 {
		t.Errorf("window %d", got.Window)
	}
	c.Reset()
	if got := c.Context(); got.Used != 0 || got.Estimated {
		t.Errorf("after a reset: %+v", got)
	}
}
