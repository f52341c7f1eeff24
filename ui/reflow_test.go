package ui

import (
	"testing"
)

func TestReflows(t *testing.T) {
	for _, c := range []struct {
		env  map[string]string
		want bool
	}{
		{map[string]string{"TERM": "xterm-256color"}, true},
		{map[string]string{"TERM": "xterm", "XTERM_VERSION": "XTerm(379)"}, false},
		{map[string]string{"TERM": "screen-256color", "TMUX": "/tmp/s", "XTERM_VERSION": "XTerm(379)"}, true},
		{map[string]string{"TERM": "linux"}, false},
	} {
		if got := reflows(func(name string) string { return c.env[name] }); got != c.want {
			t.Errorf("%v: %v", c.env, got)
		}
	}
}
