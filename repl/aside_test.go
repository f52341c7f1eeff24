package repl

import (
	"testing"

	"almanac/repl/event"
	"almanac/session/policy"
)

// Commands that run something wait for their turn; those that only look do not.
func TestAside(t *testing.T) {
	sh, _ := newShell(t, Options{}, policy.Policy{})
	for _, c := range []struct {
		line string
		want bool
	}{
		{"/help", true},
		{"/status", true},
		{"/trace", true},
		{"/quit", true},
		{"/lua reset", false},
		{"/preview return 1", false},
		{"/new", false},
		{"/nothing", false},
		{"1 + 1", false},
	} {
		status, ok := sh.Aside(t.Context(), c.line)
		if ok != c.want || (status == Quit) != (c.line == "/quit") {
			t.Errorf("%s: %v, %v", c.line, status, ok)
		}
	}
	var said int
	for _, e := range sh.Feed().Take() {
		if e.Cell != 0 {
			t.Errorf("%+v belongs to a cell", e)
		}
		if e.Kind == event.Began {
			said++
		}
	}
	if said != 4 {
		t.Errorf("%d commands began, want 4", said)
	}
}
