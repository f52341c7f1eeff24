package ui

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
)

func TestWipe(t *testing.T) {
	rule := strings.Repeat("─", 79)
	frame := rule + "\nrunning\n" + rule + "\nlua ❯ x\nstatus"
	for _, c := range []struct {
		name   string
		width  int
		cursor point
		want   string
	}{
		{"a wider window breaks nothing", 100, point{7, 3}, ""},
		{"a row narrower, each rule takes one row more", 60, point{7, 3}, "\r\x1b[5A\x1b[J\n\n\n\x1b[7C"},
		{"three rows each", 30, point{7, 3}, "\r\x1b[7A\x1b[J\n\n\n\x1b[7C"},
		{"nothing is above the cursor", 60, point{}, ""},
		{"exactly as wide as the rule", 79, point{7, 3}, ""},
	} {
		m := &model{width: 80}
		m.frame.view = tea.NewView(frame)
		if got := m.wipe(c.width, c.cursor); got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
	m := &model{width: 80}
	m.frame.view = tea.NewView(frame)
	m.frame.view.AltScreen = true
	if got := m.wipe(60, point{7, 3}); got != "" {
		t.Errorf("on the alternate screen: %q", got)
	}
}

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
