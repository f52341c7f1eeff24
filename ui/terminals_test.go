package ui

import "testing"

func TestTerminals(t *testing.T) {
	for _, c := range []struct {
		env              map[string]string
		reflows, repeats bool
	}{
		{map[string]string{"TERM": "xterm-256color"}, true, false},
		{map[string]string{"TERM": "xterm-kitty"}, true, true},
		{map[string]string{"TERM": "xterm", "XTERM_VERSION": "XTerm(379)"}, false, true},
		{map[string]string{"TERM": "screen-256color", "TMUX": "/tmp/s", "XTERM_VERSION": "XTerm(379)"}, true, false},
		{map[string]string{"TERM": "linux"}, false, false},
	} {
		env := func(name string) string { return c.env[name] }
		if got := reflows(env); got != c.reflows {
			t.Errorf("%v: reflows %v", c.env, got)
		}
		if got := repeats(env); got != c.repeats {
			t.Errorf("%v: repeats %v", c.env, got)
		}
	}
}
