package ui

import (
	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"almanac/catalog/text"
)

// This file tells the terminal around the screen what happens: its title, its progress bar, its bell, and the shape of
// its cursor with vi keys. All of it is off unless it is asked for.

// Signals are what the terminal was told last. The zero signals are what it shows without the program.
type signals struct {
	title    string
	progress progress
	cursor   int // a shape as DECSCUSR counts them; 0 is the terminal's own
}

type progress int

const (
	noProgress progress = iota
	someProgress
	heldProgress // a question waits
)

// The shapes of the cursor in normal and in insert mode.
const (
	blockCursor = 2
	barCursor   = 6
)

// wanted is what the terminal should show now.
func (m *model) wanted() signals {
	var s signals
	if m.leaving {
		return s
	}
	if m.title {
		s.title = m.titleText()
	}
	if m.progress && m.work != nil {
		s.progress = someProgress
		if len(m.asks) > 0 {
			s.progress = heldProgress
		}
	}
	if m.vi.on && len(m.asks) == 0 && m.overlay() == nil && m.help == nil && m.search == nil {
		s.cursor = barCursor
		if m.vi.normal {
			s.cursor = blockCursor
		}
	}
	return s
}

// titleText has no times in it: a title that changes all the time is written all the time.
func (m *model) titleText() string {
	switch {
	case len(m.asks) > 0:
		return "almanac: approve " + text.SanitizeLine(m.asks[0].request.Entry.ID) + "?"
	case m.work != nil:
		return "almanac: running"
	}
	return "almanac"
}

// signal returns what tells the terminal what is wanted now and was not told before.
func (m *model) signal() string { return m.told.to(m.wanted(), &m.told) }

// quiet returns what takes all signals back.
func (m *model) quiet() string { return m.told.to(signals{}, &m.told) }

// to returns what changes s into t, and remembers t.
func (s signals) to(t signals, now *signals) string {
	out := ""
	if t.title != s.title {
		out += ansi.SetWindowTitle(t.title)
	}
	if t.progress != s.progress {
		switch t.progress {
		case someProgress:
			out += ansi.SetIndeterminateProgressBar
		case heldProgress:
			out += ansi.SetWarningProgressBar(100)
		default:
			out += ansi.ResetProgressBar
		}
	}
	if t.cursor != s.cursor {
		out += ansi.SetCursorStyle(t.cursor)
	}
	*now = t
	return out
}

// ring rings where that is asked for.
func (m *model) ring() tea.Cmd {
	if !m.bell {
		return nil
	}
	return func() tea.Msg { return tellMsg("\a") }
}
