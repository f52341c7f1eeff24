package llm

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
)

// TestFallback shows who is asked where a model fails, what is told, and who is next afterwards.
func TestFallback(t *testing.T) {
	fail := func(kind ErrorKind) step { return step{err: &Error{Kind: kind, Message: string(kind)}} }
	text := func(s string) step { return step{text: s} }
	for _, test := range []struct {
		name    string
		a, b, c []step
		answers []string // of the prompts; empty for an error
		told    []string
		next    string
	}{
		{"the next answers and stays", []step{fail(BadKey)}, []step{text("b"), text("b2")}, nil, []string{"b", "b2"},
			[]string{"a failed: key; trying b", "b stays, not a"}, "b"},
		{"after its retries", []step{fail(ServerFault), fail(ServerFault)}, []step{text("b")}, nil, []string{"b"},
			[]string{"retry 1", "a failed: server (after 1 retry); trying b", "b stays, not a"}, "b"},
		{"each once, and then back to the first", []step{fail(NoQuota), text("a")}, []step{fail(Unreachable)},
			[]step{fail(NoModel)}, []string{"", "a"},
			[]string{"a failed: quota; trying b", "b failed: unreachable; trying c"}, "a"},
		{"not for a refusal", []step{fail(BadRequest)}, []step{text("b")}, nil, []string{""}, nil, "a"},
		{"too long, and a larger window", []step{fail(TooLong)}, []step{text("b")}, []step{text("c")}, []string{"c"},
			[]string{"a failed: length; trying c", "c stays, not a"}, "c"},
		{"not when text has come", []step{{text: "Half", err: &Error{Kind: Broken, Message: "cut"}}}, nil, nil,
			[]string{"Half"}, nil, "a"},
		{"an unknown error", []step{{err: errors.New("odd")}}, []step{text("b")}, nil, []string{""}, nil, "a"},
		{"in the middle of a turn", []step{{calls: []ToolCall{call("1", "one", "{}")}}, fail(BadKey)},
			[]step{text("b")}, nil, []string{"b"}, []string{"a failed: key; trying b", "b stays, not a"}, "b"},
		{"and the second one later", []step{fail(BadKey)},
			[]step{{calls: []ToolCall{call("1", "one", "{}")}}, fail(NoQuota), text("b")},
			[]step{fail(NoModel)}, []string{"", "b"},
			[]string{"a failed: key; trying b", "b stays, not a", "b failed: quota; trying c"}, "b"},
	} {
		t.Run(test.name, func(t *testing.T) {
			var told []string
			targets := []Target{
				{Name: "a", Provider: &scripted{t: t, steps: test.a}, Window: 9000},
				{Name: "b", Provider: &scripted{t: t, steps: test.b}, Window: 9000},
				{Name: "c", Provider: &scripted{t: t, steps: test.c}, Window: 20_000},
			}
			c := NewConversation(Options{
				Target: targets[0], Fallback: targets, Retries: 1, RetryWait: 1,
				Tools: func() []Tool { return []Tool{echo("one")} },
				Observe: func(e Event) {
					switch e.Kind {
					case FallingBack:
						told = append(told, fmt.Sprintf("%s failed: %v; trying %s", e.Text, e.Err, e.Target))
					case Switched:
						told = append(told, fmt.Sprintf("%s stays, not %s", e.Target, e.Text))
					case Retrying:
						told = append(told, fmt.Sprintf("retry %d", e.Retry.N))
					}
				},
			})
			for _, want := range test.answers {
				answer, err := c.Send(t.Context(), "go")
				if answer != want || err == nil && want == "" {
					t.Errorf("answer %q, error %v, want %q", answer, err, want)
				}
			}
			if !slices.Equal(told, test.told) {
				t.Errorf("told %q, want %q", told, test.told)
			}
			if now := c.Target().String(); now != test.next {
				t.Errorf("next is %s, want %s", now, test.next)
			}
		})
	}
}

// TestFallbackInterrupted shows that a person who interrupts asks nobody else.
func TestFallbackInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	second := &scripted{t: t}
	c := NewConversation(Options{
		Target:   Target{Name: "a", Provider: &scripted{t: t, steps: []step{{err: &Error{Kind: ServerFault}}}}},
		Fallback: []Target{{Name: "b", Provider: second}},
		Observe:  func(Event) { cancel() },
	})
	if _, err := c.Send(ctx, "go"); !errors.Is(err, context.Canceled) || len(second.requests) > 0 {
		t.Errorf("error %v, %d requests", err, len(second.requests))
	}
}
