package ui

import (
	"strings"
	"testing"
	"time"
	"unicode"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"almanac/repl/event"
)

// FuzzScreen presses keys, pastes, prints and resizes: whatever comes, the frame stays inside the window, its cursor
// inside the frame, and nothing in it or in the transcript would be obeyed by a terminal.
func FuzzScreen(f *testing.F) {
	names := []string{"enter", "esc", "tab", "up", "down", "left", "right", "backspace",
		"delete", "home", "end", "f1", "f2",
		"f3", "f4", "f6", "pgup", "pgdown", "ctrl+r", "ctrl+u", "ctrl+k", "ctrl+y", "ctrl+w", "ctrl+j",
		"ctrl+l", "shift+tab", "alt+b"}
	f.Add("x = {\x1b[31m語\u202e}\r\n/quit", []byte{0, 7, 40, 41, 42, 43, 44, 45})
	f.Add("a\tb\u0301\u200b", []byte{42, 18, 42, 0, 43, 11, 42, 1, 44})
	f.Fuzz(func(t *testing.T, text string, acts []byte) {
		s := newScreen(t, 80, 24)
		for i, a := range acts[:min(len(acts), 64)] {
			switch n := int(a) % (len(names) + 6); n {
			case len(names):
				s.send(tea.PasteMsg{Content: text})
			case len(names) + 1:
				for _, r := range text[:min(len(text), 20)] {
					s.send(tea.KeyPressMsg{Code: r, Text: string(r)})
				}
			case len(names) + 2:
				s.feed.Emit(event.Event{Kind: event.Printed, Text: text})
				s.pass(time.Second)
			case len(names) + 3:
				s.feed.Emit(event.Event{Kind: event.Spoke, Text: text})
				s.pass(time.Second)
			case len(names) + 4:
				s.feed.Emit(event.Event{Kind: event.Said, Level: event.Failure, Text: text})
				s.pass(time.Second)
			case len(names) + 5:
				s.send(tea.WindowSizeMsg{Width: 20 + i*7%150, Height: 1 + i*5%50})
				s.pass(time.Second)
			default:
				s.keys(names[n])
			}
			s.sound(t)
		}
		for _, line := range s.printed {
			harmless(t, line)
		}
	})
}

// sound checks the frame.
func (s *screen) sound(t *testing.T) {
	t.Helper()
	v := s.View()
	rows := strings.Split(strings.TrimSuffix(v.Content, ansi.ResetStyle), "\n")
	if len(rows) > max(s.height, 3) {
		t.Errorf("%d rows in a window of %d", len(rows), s.height)
	}
	for _, row := range rows {
		harmless(t, row)
		if w := ansi.StringWidth(row); w > s.width {
			t.Errorf("a row of %d columns in a window of %d: %q", w, s.width, row)
		}
	}
	if c := v.Cursor; c != nil && (c.Y < 0 || c.Y >= len(rows) || c.X < 0) {
		t.Errorf("the cursor is at %d,%d of %d rows", c.X, c.Y, len(rows))
	}
}

// harmless checks that a terminal would show all of a line that has no styles.
func harmless(t *testing.T, line string) {
	t.Helper()
	for _, r := range line {
		if unicode.IsControl(r) && r != '\t' || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069 {
			t.Errorf("%U in %q", r, line)
		}
	}
}
