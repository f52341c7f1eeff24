package event

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"almanac/repl/show"
	"almanac/session/trace"
)

// Calls of one action in a row are one line, a composed action stands before what it did, and nothing is lost.
func TestCallFold(t *testing.T) {
	call := func(id string, depth int, v trace.Verdict) Event {
		return Event{
			Kind: Called, Cell: 1, Call: &trace.Call{ID: id, Depth: depth, Verdict: v, Took: time.Second, Composed: id == "all"},
		}
	}
	refused := func(id, reason string) Event {
		e := call(id, 0, trace.Denied)
		e.Call.Rule, e.Call.Error = trace.Refused, id+": you denied this"+reason
		return e
	}
	end := Event{Kind: Ended}
	tests := []struct {
		name   string
		events []Event
		want   string
	}{
		{"row", []Event{call("a", 0, trace.OK), call("a", 0, trace.OK), call("a", 0, trace.OK), end}, "a x3 3s; end"},
		{"failure",
			[]Event{call("a", 0, trace.OK), call("a", 0, trace.Failed), call("a", 0, trace.OK), end}, "a 1s; a 1s; a 1s; end"},
		{"a list that was denied", []Event{refused("a", ""), refused("a", ""), refused("b", ""), refused("b", ": late"), end},
			"a x2 2s; b 1s; b 1s; end"},
		{"denied by the policy", []Event{call("a", 0, trace.Denied), call("a", 0, trace.Denied), end}, "a 1s; a 1s; end"},
		{"others",
			[]Event{call("a", 0, trace.OK), call("b", 0, trace.OK), call("b", 0, trace.OK), end}, "a 1s; b x2 2s; end"},
		{"composed", []Event{call("in", 1, trace.OK), call("deep", 2, trace.OK), call("out", 1, trace.OK),
			call("all", 0, trace.OK), end},
			"all 1s; .in 1s; .out 1s; ..deep 1s; end"},
		{"twice",
			[]Event{call("in", 1, trace.OK), call("all", 0, trace.OK), call("in", 1, trace.OK), call("all", 0, trace.OK), end},
			"all 1s; .in 1s; all 1s; .in 1s; end"},
		{"cut off", []Event{call("a", 0, trace.OK), call("in", 1, trace.OK), end}, "a 1s; .in 1s; end"},
	}
	for _, test := range tests {
		var f CallFold
		var got []string
		for _, e := range test.events {
			for _, e := range f.Push(e) {
				if e.Kind == Ended {
					got = append(got, "end")
					continue
				}
				text := strings.Repeat(".", e.Call.Depth) + e.Call.ID
				if e.Times > 1 {
					text += fmt.Sprintf(" x%d", e.Times)
				}
				got = append(got, text+" "+e.Call.Took.String())
			}
		}
		if all := strings.Join(got, "; "); all != test.want {
			t.Errorf("%s: %s, want %s", test.name, all, test.want)
		}
		if len(f.Waiting()) > 0 {
			t.Errorf("%s: something waits", test.name)
		}
	}
}

// Calls that were denied together are one line without their arguments, which the question had.
func TestDeniedTogether(t *testing.T) {
	e := call(trace.Denied, trace.Call{Args: map[string]any{"id": "inv_1"}, Rule: trace.Refused,
		Error: "billing.refund.issue: you denied this: wrong customer"})
	e.Times = 3
	want := `  ✗ billing.refund.issue ×3  you denied this: wrong customer  84 ms  [3.1]`
	if got := linesText(Lines(e, 80, RenderOptions{})); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// What was switched off in a list is no failure.
func TestSwitchedOff(t *testing.T) {
	e := call(trace.Denied, trace.Call{Args: map[string]any{"id": "inv_1"}, Rule: trace.SwitchedOff})
	want := "  · billing.refund.issue  you switched this off  [3.1]\n    { id = \"inv_1\" }"
	if got := linesText(Lines(e, 80, RenderOptions{})); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// Verbose, each call is told with what it was given and what it gave back, and a script of the model's is whole.
func TestVerbose(t *testing.T) {
	o := RenderOptions{Verbose: true}
	e := call(trace.OK, trace.Call{
		Args: map[string]any{"id": "inv_1"}, Brief: "1 row", Result: []any{map[string]any{"id": "ref_1"}},
	})
	want := `  ✓ billing.refund.issue R  1 row  84 ms  [3.1]
    { id = "inv_1" }
    { { id = "ref_1" } }`
	if got := linesText(Lines(e, 80, o)); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	script := Event{Kind: Wrote, Tool: "execute", Cell: 3, Text: strings.Repeat("f()\n", 20)}
	if got := len(Lines(script, 80, o)); got != 21 {
		t.Errorf("a script of 20 lines has %d", got)
	}
	f := CallFold{Whole: true}
	if out := append(f.Push(e), f.Push(e)...); len(out) != 2 {
		t.Errorf("%d of 2 calls", len(out))
	}
}

func linesText(lines []show.Line) string {
	text := make([]string, len(lines))
	for i, l := range lines {
		text[i] = l.String()
	}
	return strings.Join(text, "\n")
}
