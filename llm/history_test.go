package llm

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// turnOf is a turn with a call and its answer, of about n tokens.
func turnOf(name string, n int) []Message {
	return []Message{
		{Role: User, Text: name},
		{Role: Assistant, Calls: []ToolCall{call(name, "t", "{}")}},
		{Role: ToolRole, CallID: name, Text: strings.Repeat("x", 4*n)},
		{Role: Assistant, Text: "answer " + name},
	}
}

func TestTrimDropsWholeTurns(t *testing.T) {
	var ms []Message
	for i := range 4 {
		ms = append(ms, turnOf(fmt.Sprint(i), 100)...)
	}
	for _, test := range []struct{ start, budget, want int }{
		{0, 1000, 0},
		{0, 400, 8}, // down to three quarters: two turns
		{8, 400, 8}, // and then nothing changes for a while
		{0, 150, 12},
		{0, 10, 12}, // the last turn stays whatever its size
		{12, 10, 12},
	} {
		if got := trim(ms, test.start, test.budget); got != test.want {
			t.Errorf("trim from %d to %d tokens: starts at %d, want %d", test.start, test.budget, got, test.want)
		}
	}
}

func TestShortenKeepsUnreadAnswers(t *testing.T) {
	ms := []Message{
		{Role: User, Text: "go"},
		{Role: Assistant, Calls: []ToolCall{call("a", "t", "{}")}},
		{Role: ToolRole, CallID: "a", Text: strings.Repeat("a", 4000)},
		{Role: Assistant, Calls: []ToolCall{call("b", "t", "{}")}},
		{Role: ToolRole, CallID: "b", Text: "short"},
		{Role: Assistant, Calls: []ToolCall{call("c", "t", "{}")}},
		{Role: ToolRole, CallID: "c", Text: strings.Repeat("c", 4000)},
	}
	short := shorten(ms, 500)
	checkOrder(t, short)
	want := []int{len(fmt.Sprintf(shortenNote, 4000)), 5, 4000}
	if d := cmp.Diff(want, []int{len(short[2].Text), len(short[4].Text), len(short[6].Text)}); d != "" {
		t.Error(d)
	}
	if len(ms[2].Text) != 4000 {
		t.Error("the history itself was changed")
	}
}

func TestLongConversationStaysInBudget(t *testing.T) {
	var steps []step
	for range 30 {
		steps = append(steps, step{text: strings.Repeat("word ", 100)})
	}
	p := &scripted{t: t, steps: steps}
	var trimmed int
	c := NewConversation(Options{Provider: p, Window: 1000,
		System: func() string { return "sys" }, Observe: func(e Event) {
			if e.Kind == Trimmed {
				trimmed++
			}
		}})
	for i := range 30 {
		if _, err := c.Send(t.Context(), fmt.Sprintf("question %d", i)); err != nil {
			t.Fatal(err)
		}
		if size := c.Context(); size.Used > size.Window || size.Used == 0 || !size.Estimated {
			t.Fatalf("send %d: %+v", i, size)
		}
	}
	last := p.requests[29]
	if !strings.Contains(last.System, droppedNote) || last.Messages[len(last.Messages)-1].Text != "question 29" {
		t.Errorf("last request: %q", transcript(last.Messages))
	}
	if len(c.Messages()) != 60 || trimmed == 0 || trimmed > 15 {
		t.Errorf("%d messages kept, trimmed %d times", len(c.Messages()), trimmed)
	}
}
