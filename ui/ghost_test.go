package ui

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"almanac/repl/input"
)

// The rest of the last input of the mode that began as this one is faint behind the cursor, and Right takes it.
func TestGhost(t *testing.T) {
	for _, c := range []struct {
		keys  []string
		shown string // the row of the input
		want  string // the input after Right
	}{
		{[]string{"crm"}, "lua ❯ crm.note.list{}", "crm.note.list{}"},
		{[]string{"crm.c"}, "lua ❯ crm.customer.get{}", "crm.customer.get{}"},
		{[]string{"for"}, "lua ❯ for i = 1, 2 do…", "for i = 1, 2 do\n  print(i)\nend"},
		{[]string{"c"}, "lua ❯ c", "c"},
		{[]string{"crm", "left"}, "lua ❯ crm", "crm"},
		{[]string{"wh"}, "lua ❯ wh", "wh"},
		{[]string{"shift+tab", "wh"}, "ask ❯ what is new", "what is new"},
		{[]string{"crm.note.list{}"}, "lua ❯ crm.note.list{}", "crm.note.list{}"},
		{[]string{"lo"}, "lua ❯ " + strings.Repeat("long ", 6) + "lo…", strings.Repeat("long ", 30)},
	} {
		s := newScreen(t, 40, 24)
		s.theme = newTheme(true, false)
		s.history.Add("crm.customer.get{}", input.LuaMode)
		s.history.Add("for i = 1, 2 do\n  print(i)\nend", input.LuaMode)
		s.history.Add(strings.Repeat("long ", 30), input.LuaMode)
		s.history.Add("crm.note.list{}", input.LuaMode)
		s.history.Add("what is new", input.AskMode)
		s.keys(c.keys...)
		rows := strings.Split(ansi.Strip(s.View().Content), "\n")
		if got := strings.TrimRight(rows[1], " "); got != c.shown {
			t.Errorf("%q shows %q, want %q", c.keys, got, c.shown)
		}
		before := s.edit.text
		if s.keys("right"); s.edit.text != c.want {
			t.Errorf("%q, Right: %q, want %q", c.keys, s.edit.text, c.want)
		}
		for _, off := range []func(){func() { s.ghost.off = true }, func() { s.ghost.off, s.theme.color = false, false }} {
			off()
			s.edit.set(before)
			if s.ghostText() != "" {
				t.Errorf("%q: a ghost where it is off or has no colour", c.keys)
			}
		}
	}
	// What was sent is no input of the next one's past until then, and Enter runs what was typed alone.
	s := newScreen(t, 40, 24)
	s.theme = newTheme(true, false)
	s.history.Add("x = 1 + 1", input.LuaMode)
	s.keys("x = 1", "enter")
	if s.work == nil || s.work.line != "x = 1" {
		t.Errorf("ran %+v", s.work)
	}
}
