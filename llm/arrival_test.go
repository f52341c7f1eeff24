package llm

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A noting is a provider that keeps what it was asked, fails where it is told to, and calls a tool in its first
// completion.
type noting struct {
	asked []string
	fail  error
}

func (p *noting) Complete(_ context.Context, r Request, _ func(Piece)) (Response, error) {
	p.asked = append(p.asked, said(r.Messages))
	if p.fail != nil {
		return Response{}, p.fail
	}
	if len(p.asked) == 1 {
		return Response{Calls: []ToolCall{{ID: "a", Name: "run", Args: json.RawMessage(`{}`)}}}, nil
	}
	return Response{Text: "ok"}, nil
}

// said writes messages on a line.
func said(ms []Message) string {
	var parts []string
	for _, m := range ms {
		from := ""
		if m.From != "" {
			from = " from " + m.From
		}
		parts = append(parts, fmt.Sprintf("%s%s: %s", m.Role, from, strings.ReplaceAll(m.Text, "\n\n", " + ")))
	}
	return strings.Join(parts, " | ")
}

// TestArrived shows how what other sessions send reaches the model: before the next prompt, never within a turn, once
// if the server answers and again if it does not; and what of it comes back when a session is resumed.
func TestArrived(t *testing.T) {
	var waiting []Arrival
	var kept []Message
	cell := 0
	p := &noting{}
	c := NewConversation(Options{
		Target: Target{Provider: p}, Retries: -1, Keep: func(m Message) { kept = append(kept, m) },
		Cell: func() int { return cell },
		Arrived: func(context.Context) ([]Arrival, func()) {
			n := len(waiting)
			carried := false
			return waiting[:n:n], func() {
				if !carried {
					waiting, carried = waiting[n:], true
				}
			}
		},
		Tools: func() []Tool {
			return []Tool{{Name: "run", Run: func(context.Context, json.RawMessage) (Answer, error) {
				waiting = append(waiting, Arrival{"bo", "bo says hi"}) // while a turn runs
				return Answer{Text: "ran"}, nil
			}}}
		},
	})
	send := func(text string) {
		t.Helper()
		cell++
		if _, err := c.Send(t.Context(), text); err != nil && p.fail == nil {
			t.Fatal(err)
		}
	}
	waiting = []Arrival{{"ann", "ann asks q1"}, {"ann", "ann asks q2"}}
	send("one")
	p.fail = &Error{Kind: BadRequest, Message: "no"}
	send("two")
	p.fail = nil
	cell++
	if _, err := c.Retry(t.Context()); err != nil {
		t.Fatal(err)
	}
	want := []string{
		"user: ann asks q1 + ann asks q2 + one",
		"user: ann asks q1 + ann asks q2 + one | assistant:  | tool: ran",
		"user: ann asks q1 + ann asks q2 + one | assistant:  | tool: ran | assistant: ok | user: bo says hi + two",
		"user: ann asks q1 + ann asks q2 + one | assistant:  | tool: ran | assistant: ok | user: bo says hi + two",
	}
	if diff := cmp.Diff(want, p.asked); diff != "" {
		t.Errorf("asked (-want +got)\n%s", diff)
	}
	history := "user from ann: ann asks q1 | user from ann: ann asks q2 | user: one | assistant:  | tool: ran | assistant: ok | " +
		"user from bo: bo says hi | user: two | assistant: ok"
	if got := said(c.Messages()); got != history || len(waiting) != 0 || c.Turns() != 2 {
		t.Errorf("%d wait, %d turns, history %s\nwant %s", len(waiting), c.Turns(), got, history)
	}
	other := NewConversation(Options{Target: Target{Provider: p}})
	if err := other.Restore(kept); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(c.Messages(), other.Messages()); diff != "" {
		t.Errorf("restored (-was +is)\n%s", diff)
	}
	if parts := c.Usage().Parts; parts[PartPeers] == 0 {
		t.Errorf("nothing counted as of peers: %v", parts)
	}

	if prompt, err := c.Cut(3); prompt != "two" || err != nil {
		t.Errorf("cut %q, %v", prompt, err)
	}
	send("three")
	last := p.asked[len(p.asked)-1]
	if want := " | user: bo says hi + three"; !strings.HasSuffix(last, want) {
		t.Errorf("after the cut: %s, want %s at its end", last, want)
	}
	if err := other.Restore(kept); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(c.Messages(), other.Messages()); diff != "" {
		t.Errorf("restored after the cut (-was +is)\n%s", diff)
	}
}
