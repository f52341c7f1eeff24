package llm

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
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

// TestSmallerWindow shows that a conversation that goes along to a model with a small window is summed up in parts that
// this one can read, and that nothing is left out; back at the first model it goes on from the summary.
func TestSmallerWindow(t *testing.T) {
	big := &summing{t: t, answer: strings.Repeat("word ", 100)}
	small := &summing{t: t, answer: "yes"}
	summed, trimmed := 0, 0
	var kept []Message
	c := NewConversation(Options{
		Target: Target{Name: "big", Provider: big, Window: 100_000}, Keep: func(m Message) { kept = append(kept, m) },
		Observe: func(e Event) {
			switch e.Kind {
			case Compacted:
				summed += e.Turns
			case Trimmed:
				trimmed++
			}
		},
	})
	for range 20 {
		if _, err := c.Send(t.Context(), "is it?"); err != nil {
			t.Fatal(err)
		}
	}
	c.Use(Target{Name: "small", Provider: small, Window: 1200})
	if size := c.Context(); size.Window != 1200 || size.Used < 2000 || c.Room() != 1050 {
		t.Errorf("before: %+v, room %d", size, c.Room())
	}
	if _, err := c.Send(t.Context(), "and now?"); err != nil {
		t.Fatal(err)
	}
	for i, r := range small.requests {
		if n := fixedTokens(r.System, r.Tools) + totalTokens(r.Messages); n > 1200 {
			t.Errorf("request %d has %d tokens", i, n)
		}
	}
	left := turns(c.sent())
	if rounds := len(small.asked); rounds < 2 || summed+left != 21 || left < 2 || trimmed != 0 || len(big.asked) != 0 {
		t.Errorf("%d summaries of %d turns, %d turns left, %d left out", rounds, summed, left, trimmed)
	}
	want := transcript(small.requests[len(small.requests)-1].Messages)
	if last := want[len(want)-1]; !strings.HasPrefix(want[0], "user: "+summaryMark) || last != "user: and now?" {
		t.Errorf("the last request: %q", want)
	}
	c.Use(Target{Name: "big", Provider: big, Window: 100_000})
	if _, err := c.Send(t.Context(), "back?"); err != nil {
		t.Fatal(err)
	}
	if sent := transcript(big.requests[20].Messages); len(sent) != len(want)+2 || sent[0] != want[0] {
		t.Errorf("back at the first: %q", sent)
	}
	again := NewConversation(Options{Target: Target{Name: "big", Provider: big}})
	if err := again.Restore(kept); err != nil {
		t.Fatal(err)
	}
	if _, err := again.Send(t.Context(), "once more?"); err != nil {
		t.Fatal(err)
	}
	if sent := transcript(big.requests[21].Messages); len(sent) != len(want)+4 || sent[0] != want[0] {
		t.Errorf("restored: %q", sent)
	}
}
