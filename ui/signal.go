package ui

import (
	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"almanac/catalog/text"
)

// This file tells the terminal around the screen what happens: its title, its progress bar, its bell, and the shape of
// its cursor with vi keys, and calls a person who looks at another window to a question. But for that it is off unless
// it is asked for.

// Signals are what the terminal was told last. The zero signals are what it shows without the program.
type signals struct {
	title    string
	progress progress
	cursor   int // a shape as DECSCUSR counts them; 0 is the terminal's own
	// call is a title over that of the terminal, which comes back behind it; empty for none.
	call string
}

// A focus is what the terminal has told of the window: nothing, as most do until it changes, that it has the keyboard,
// or that another has it.
type focus int

const (
	unknownFocus focus = iota
	focused
	unfocused
)

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
	switch {
	case m.title:
		s.title = m.titleText()
	case m.calling && len(m.asks) > 0:
		s.call = m.titleText()
	}
	if m.progress && m.work != nil {
		s.progress = someProgress
		if len(m.asks) > 0 {
			s.progress = heldProgress
		}
	}
	if m.vi.on && len(m.asks) == 0 && m.overlay() == nil && m.help == nil && !m.listing() {
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
		return "almanac: approve " + m.asks[0].question.ID + "?"
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
	if t.call != s.call {
		if s.call == "" {
			out += pushTitle
		}
		if out += ansi.SetWindowTitle(t.call); t.call == "" {
			out += popTitle
		}
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

// The terminal keeps titles: what it shows is put away, and comes back.
const (
	pushTitle = "\x1b[22;2t"
	popTitle  = "\x1b[23;2t"
)

// longestNotice is how long a notification is, in characters.
const longestNotice = 100

// call calls the person to the question that came up: by the bell and a notification (OSC 9) where the window is known
// not to have the keyboard, by the bell alone where nothing is known and bell is set. A window that has it is never
// told.
func (m *model) call() tea.Cmd {
	out := ""
	if m.focus == unfocused && m.notify || m.focus != focused && m.bell {
		out = "\a"
	}
	if m.focus == unfocused && m.notify {
		m.calling = true
		out += m.passing("\x1b]9;" + text.LineRunes(m.titleText(), longestNotice) + "\a")
	}
	if out == "" {
		return nil
	}
	return func() tea.Msg { return tellMsg(out) }
}

// look takes in whether the window has the keyboard.
func (m *model) look(f focus) {
	m.focus = f
	if f == focused {
		m.calling = false
	}
}

// passing is how a sequence for the terminal itself is written: tmux hands it on where its option allow-passthrough is
// set, and screen shows its text.
func passing(getenv func(string) string) func(sequence string) string {
	switch {
	case getenv("TMUX") != "":
		return ansi.TmuxPassthrough
	case getenv("STY") != "":
		return func(string) string { return "" }
	}
	return func(s string) string { return s }
}
