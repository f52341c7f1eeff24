package llm

import (
	"context"
	"encoding/json"
	"errors"
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
		{Role: ToolRole, CallID: name, Text: strings.Repeat("word ", n)},
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
		if got := test.start + trim(ms[test.start:], test.budget); got != test.want {
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

// summing is a provider that answers with words and sums up when asked, or fails to.
type summing struct {
	t        *testing.T
	answer   string
	fails    bool
	requests []Request
	asked    []string // the instructions of summaries
}

func (s *summing) Complete(_ context.Context, r Request, hear func(Piece)) (Response, error) {
	checkOrder(s.t, r.Messages)
	s.requests = append(s.requests, r)
	last := r.Messages[len(r.Messages)-1]
	if at := strings.Index(last.Text, summaryPrompt); at >= 0 {
		s.asked = append(s.asked, strings.TrimSpace(last.Text[at+len(summaryPrompt):]))
		if s.fails {
			return Response{}, &Error{Kind: ServerFault, Message: "no"}
		}
		return Response{Text: fmt.Sprintf("They asked %d times.", len(s.asked))}, nil
	}
	if last.Role == User && strings.Contains(last.Text, "look") {
		id := fmt.Sprint(len(s.requests))
		return Response{Calls: []ToolCall{call(id, "look", `{"n":`+id+`}`)}}, nil
	}
	hear(Piece{Text: s.answer})
	return Response{Text: s.answer}, nil
}

// TestLongConversationStaysInBudget holds a conversation of many turns in a small window, with a model that sums up and
// with one that cannot.
func TestLongConversationStaysInBudget(t *testing.T) {
	for _, fails := range []bool{false, true} {
		p := &summing{t: t, answer: strings.Repeat("word ", 100), fails: fails}
		var kept []Message
		var trimmed, compacted int
		options := Options{
			Target: Target{Provider: p, Window: 1000}, System: func() Prompt { return Prompt{Text: "sys"} },
			Keep: func(m Message) { kept = append(kept, m) },
			Observe: func(e Event) {
				switch e.Kind {
				case Trimmed:
					trimmed++
				case Compacted:
					compacted++
					if e.Turns == 0 || e.Tokens[0] <= e.Tokens[1] {
						t.Errorf("summed up %d turns, %d tokens became %d", e.Turns, e.Tokens[0], e.Tokens[1])
					}
				}
			},
		}
		c := NewConversation(options)
		for i := range 30 {
			if _, err := c.Send(t.Context(), fmt.Sprintf("question %d", i)); err != nil {
				t.Fatal(err)
			}
			if size := c.Context(); size.Used > size.Window || size.Used == 0 || !size.Estimated {
				t.Fatalf("send %d: %+v", i, size)
			}
		}
		last := p.requests[len(p.requests)-1]
		if text := last.Messages[len(last.Messages)-1].Text; !strings.HasSuffix(text, "question 29") {
			t.Errorf("last request: %q", text)
		}
		dropped, summed := strings.Contains(last.System, droppedNote), strings.HasPrefix(last.Messages[0].Text, summaryMark)
		if dropped != fails || summed == fails {
			t.Errorf("fails %v: last request: %q %q", fails, last.System, transcript(last.Messages))
		}
		if n := turns(c.Messages()); n != 30 {
			t.Errorf("%d turns kept", n)
		}
		often, never := compacted, trimmed
		if fails {
			often, never = trimmed, compacted
		}
		if never > 0 || often == 0 || often > 15 {
			t.Errorf("fails %v: trimmed %d times, summed up %d times", fails, trimmed, compacted)
		}
		again := NewConversation(options)
		if err := again.Restore(kept); err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(transcript(c.Messages()), transcript(again.Messages())); d != "" {
			t.Errorf("fails %v: restored: %s", fails, d)
		}
		if !fails {
			if d := cmp.Diff(transcript(strict(c.sent())), transcript(strict(again.sent()))); d != "" {
				t.Errorf("sent after it was restored: %s", d)
			}
		}
	}
}

// TestEarlierAnswersBecomeShort reads long answers of a tool turn after turn: the earlier ones are sent short, the one
// that was asked for last whole, and nothing is summed up as long as that suffices.
func TestEarlierAnswersBecomeShort(t *testing.T) {
	p := &summing{t: t, answer: "seen"}
	look := Tool{Name: "look", Run: func(_ context.Context, args json.RawMessage) (Answer, error) {
		return Answer{Text: string(args) + strings.Repeat("xxx ", 290), Short: "[short " + string(args) + "]"}, nil
	}}
	c := NewConversation(Options{Target: Target{Provider: p, Window: 1200}, Tools: func() []Tool { return []Tool{look} }})
	for range 6 {
		if _, err := c.Send(t.Context(), "look"); err != nil {
			t.Fatal(err)
		}
	}
	var seen []string
	for _, m := range p.requests[len(p.requests)-1].Messages {
		if m.Role == ToolRole {
			seen = append(seen, cut(m.Text, 12))
		}
	}
	want := []string{`[short {"n":`, `[short {"n":`, `[short {"n":`, `[short {"n":`, `{"n":9}xxx x`, `{"n":11}xxx `}
	if d := cmp.Diff(want, seen); d != "" || len(p.asked) > 0 {
		t.Errorf("%d summaries; answers sent: %s", len(p.asked), d)
	}
	for _, m := range c.Messages() {
		if m.Role == ToolRole && len(m.Text) < 1100 {
			t.Errorf("the history lost an answer: %q", m.Text)
		}
	}
}

func cut(s string, n int) string { return s[:min(n, len(s))] }

func TestCompact(t *testing.T) {
	p := &summing{t: t, answer: "yes"}
	var kept []Message
	c := NewConversation(Options{Target: Target{Provider: p}, Keep: func(m Message) { kept = append(kept, m) }})
	if _, err := c.Compact(t.Context(), ""); !errors.Is(err, errShort) {
		t.Errorf("an empty conversation: %v", err)
	}
	for range 3 {
		if _, err := c.Send(t.Context(), "is it?"); err != nil {
			t.Fatal(err)
		}
	}
	if text, err := c.Compact(t.Context(), " keep the ids "); err != nil || text != "They asked 1 times." {
		t.Errorf("%q, %v", text, err)
	}
	if d := cmp.Diff([]string{"The person asks: keep the ids"}, p.asked); d != "" {
		t.Error(d)
	}
	if _, err := c.Send(t.Context(), "and now?"); err != nil {
		t.Fatal(err)
	}
	want := []string{"user: " + summaryMark + "They asked 1 times.\n\nand now?"}
	if d := cmp.Diff(want, transcript(p.requests[len(p.requests)-1].Messages)); d != "" {
		t.Error(d)
	}
	p.fails = true
	before := transcript(c.Messages())
	if _, err := c.Compact(t.Context(), ""); err == nil {
		t.Error("a summary that failed has no error")
	}
	if d := cmp.Diff(before, transcript(c.Messages())); d != "" {
		t.Error(d)
	}
	if last := kept[len(kept)-3]; last.Role != Summary {
		t.Errorf("kept: %v", transcript(kept))
	}
}
