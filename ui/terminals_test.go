package ui

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"almanac/repl/event"
)

func TestTerminals(t *testing.T) {
	for _, c := range []struct {
		env              map[string]string
		reflows, repeats bool
	}{
		{map[string]string{"TERM": "xterm-256color"}, true, false},
		{map[string]string{"TERM": "xterm-kitty"}, true, true},
		{map[string]string{"TERM": "xterm", "XTERM_VERSION": "XTerm(379)"}, false, true},
		{map[string]string{"TERM": "screen-256color", "TMUX": "/tmp/s", "XTERM_VERSION": "XTerm(379)"}, true, false},
		{map[string]string{"TERM": "alacritty"}, true, true},
		{map[string]string{"TERM": "linux"}, false, false},
		{map[string]string{"TERM": "screen.xterm-256color", "STY": "1.pts-0", "XTERM_VERSION": "XTerm(379)"}, false, false},
		{map[string]string{"TERM": "screen", "XTERM_VERSION": "XTerm(379)"}, false, false},
		{map[string]string{"TERM": "xterm-256color", "STY": "1.pts-0", "XTERM_VERSION": "XTerm(379)"}, false, false},
		{map[string]string{"TERM": "tmux-256color"}, true, false},
		{map[string]string{"TERM": "eterm-color", "XTERM_VERSION": "XTerm(379)"}, false, false},
		{map[string]string{"TERM": "dumb"}, true, false},
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

// In a terminal that repeats no letters, rules and frames are written whole, and in one that does they are not.
func TestRulesAreWhole(t *testing.T) {
	for _, c := range []struct {
		env   map[string]string
		short bool
	}{
		{map[string]string{"TERM": "screen", "STY": "1.pts-0", "XTERM_VERSION": "XTerm(379)"}, false},
		{map[string]string{"TERM": "tmux-256color", "TMUX": "/tmp/s", "XTERM_VERSION": "XTerm(379)"}, false},
		{map[string]string{"TERM": "xterm-256color"}, false},
		{map[string]string{"TERM": "xterm", "XTERM_VERSION": "XTerm(379)"}, true},
		{map[string]string{"TERM": "linux"}, false},
		{map[string]string{"TERM": "dumb"}, false},
	} {
		s := newScreen(t, 80, 24)
		d := drawn{repeats: repeats(func(name string) string { return c.env[name] })}
		out := d.change(s.model.picture(), nil, 0, false)
		s.keys("f()", "enter")
		s.ask()
		out += d.change(s.model.picture(), nil, 0, false)
		s.asks = nil
		s.emit(event.Event{Kind: event.Opened, Pane: event.CatalogPane})
		out += d.change(s.model.picture(), nil, 0, false)
		repeated := strings.Contains(out, ansi.RepeatPreviousCharacter(78))
		if whole := strings.Count(out, strings.Repeat("─", 79)); repeated != c.short || !c.short && whole < 2 {
			t.Errorf("%v: repeated %v, %d rules whole", c.env, repeated, whole)
		}
		if !strings.Contains(out, strings.Repeat("━", 20)) || !strings.Contains(out, "└"+strings.Repeat("─", 78)+"┘") {
			t.Errorf("%v: no frame or no box: %q", c.env, out)
		}
	}
}
