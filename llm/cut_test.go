package llm

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// hearing answers every prompt but those with "fail".
type hearing struct{}

func (hearing) Complete(_ context.Context, r Request, hear func(Piece)) (Response, error) {
	last := r.Messages[len(r.Messages)-1].Text
	if strings.Contains(last, "fail") {
		return Response{}, errors.New("no")
	}
	hear(Piece{Text: "heard " + last})
	return Response{Text: fmt.Sprintf("%d messages", len(r.Messages))}, nil
}

// TestCut cuts conversations before each of their prompts: what is left is what was there before it was sent, and what
// Keep was told restores to the same, also after more was said.
func TestCut(t *testing.T) {
	for _, cell := range []int{1, 2, 4, 5, 6} {
		var kept []Message
		now := 0
		before := map[int][]Message{}
		c := NewConversation(Options{
			Target: Target{Provider: hearing{}}, Retries: -1, Cell: func() int { return now },
			Keep: func(m Message) { kept = append(kept, m) },
		})
		say := func(text string) {
			now++
			before[now] = c.Messages()
			_, _ = c.Send(t.Context(), text)
		}
		say("one")
		say("again")
		say("fail")
		say("again")
		say("five")
		if _, err := c.Compact(t.Context(), ""); err != nil {
			t.Fatal(err)
		}
		say("six")
		want := []string{"", "one", "again", "", "again", "five", "six"}[cell]
		if prompt, err := c.Cut(cell); err != nil || prompt != want {
			t.Fatalf("cut %d: %q, %v", cell, prompt, err)
		}
		if diff := cmp.Diff(before[cell], c.Messages(), cmp.Transformer("none", func(ms []Message) string {
			return fmt.Sprint(ms)
		})); diff != "" {
			t.Errorf("cut %d (-before +after)\n%s", cell, diff)
		}
		say("on")
		other := NewConversation(Options{Target: Target{Provider: hearing{}}})
		if err := other.Restore(kept); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(c.Messages(), other.Messages()); diff != "" {
			t.Errorf("cut %d (-history +restored)\n%s", cell, diff)
		}
		if diff := cmp.Diff(c.sent(), other.sent()); diff != "" {
			t.Errorf("cut %d, sent (-history +restored)\n%s", cell, diff)
		}
	}
}

// TestCutNothing: a cell without a prompt in the conversation changes nothing.
func TestCutNothing(t *testing.T) {
	c := NewConversation(Options{Target: Target{Provider: hearing{}}, Cell: func() int { return 0 }})
	if _, err := c.Send(t.Context(), "one"); err != nil {
		t.Fatal(err)
	}
	for _, cell := range []int{0, 1, -1} {
		if _, err := c.Cut(cell); err == nil {
			t.Errorf("cell %d was cut", cell)
		}
	}
	if len(c.Messages()) != 2 {
		t.Errorf("%v", c.Messages())
	}
}
