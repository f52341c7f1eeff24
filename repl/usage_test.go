package repl

import (
	"testing"

	"almanac/repl/transcript"
	"almanac/session/policy"
	"almanac/session/trace"
)

// A browser counts the calls of earlier sessions with those of this one, and none twice: what was taken in from the
// session that this one goes on from is among the earlier ones.
func TestUsedCounts(t *testing.T) {
	call := func(cell int, id string) trace.Record {
		return trace.Record{Kind: trace.KindCall, Cell: cell, Run: "r", Call: &trace.Call{ID: id, Verdict: trace.OK}}
	}
	past := transcript.Past{Records: []trace.Record{{Kind: trace.KindRun, Cell: 1, Run: "r", Text: "x"},
		call(1, "a.b"), call(1, "a.b")}}
	asked := 0
	sh, _ := newShell(t, Options{Past: past, Usage: func() (map[string]int, error) {
		asked++
		return map[string]int{"a.b": 5, "a.c": 1}, nil
	}}, policy.Policy{})
	if got := sh.usedCounts()["a.b"]; got != 2 {
		t.Errorf("before the earlier sessions are known: %d", got)
	}
	if !sh.CountUsage() || sh.CountUsage() || asked != 1 {
		t.Errorf("asked %d times", asked)
	}
	if got := sh.usedCounts(); got["a.b"] != 5 || got["a.c"] != 1 {
		t.Errorf("after that: %v", got)
	}
}
