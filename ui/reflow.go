package ui

import (
	"bytes"
	"os"
	"strings"
	"sync/atomic"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
)

// This file keeps a narrower window from leaving pieces of the live region in the scrollback. Terminals break rows that
// have become too wide, so the region takes more rows than the renderer knows of, and those above would stay.

// A tty is the terminal's file. It remembers what was written last, for that says where the cursor is.
type tty struct {
	*os.File
	last  atomic.Int32
	wrote atomic.Int64 // when, in Unix nanoseconds
}

// calmTime is how long nothing must have been written for the place of the cursor to be sure: terminals break their
// rows some time before they tell of their new size, and a frame written in between stands elsewhere.
const calmTime = 300 * time.Millisecond

// narrow is how wide the rows of the region are while the window is being resized, so that none is broken.
const narrow = 24

// What a tty can have written last.
const (
	wroteNothing int32 = iota // since it was wiped
	wroteFrame                // the cursor is where the frame wants it
	wroteAbove                // lines above the frame: the cursor is at its beginning
)

// Write writes p, which is a frame or lines above it, never a part of one.
func (t *tty) Write(p []byte) (int, error) {
	last := wroteFrame
	if bytes.HasSuffix(p, []byte(ansi.EraseLineRight+"\r\n")) {
		last = wroteAbove
	}
	t.last.Store(last)
	t.wrote.Store(time.Now().UnixNano())
	return t.File.Write(p)
}

// reflow is a filter of messages: it wipes the region before the renderer hears of a narrower window. It runs on the
// loop, between two frames.
func (m *model) reflow(t *tty) func(tea.Model, tea.Msg) tea.Msg {
	return func(_ tea.Model, msg tea.Msg) tea.Msg {
		size, ok := msg.(tea.WindowSizeMsg)
		last := t.last.Load()
		if !ok || last == wroteNothing || time.Since(time.Unix(0, t.wrote.Load())) < calmTime {
			return msg
		}
		at := point{}
		if c := m.frame.view.Cursor; c != nil && last == wroteFrame {
			at = point{c.X, c.Y}
		}
		if wipe := m.wipe(size.Width, at); wipe != "" {
			// An error comes back with the next frame.
			_, _ = t.File.WriteString(wipe)
			t.last.Store(wroteNothing)
		}
		return msg
	}
}

// wipe returns what erases the region, with the rows that a window of the given width has broken, and leaves the
// cursor at the place in it where it was. It is empty when no row above the cursor is broken.
func (m *model) wipe(width int, cursor point) string {
	v := m.frame.view
	if width < 1 || width >= m.width || v.AltScreen {
		return ""
	}
	rows := strings.Split(v.Content, "\n")
	x, y := cursor.x, cursor.y
	if y >= len(rows) {
		return ""
	}
	broken := x / width
	for _, row := range rows[:y] {
		broken += max(ansi.StringWidth(strings.TrimRight(ansi.Strip(row), " "))-1, 0) / width
	}
	if broken == 0 {
		return ""
	}
	wipe := "\r" + ansi.CursorUp(y+broken) + ansi.EraseScreenBelow + strings.Repeat("\n", y)
	if x > 0 {
		wipe += ansi.CursorForward(min(x, width-1))
	}
	return wipe
}

// resizing reports whether the window got another size a moment ago.
func (m *model) resizing() bool { return m.now().Before(m.sized.Add(holdAfterResize)) }

// resized reports whether the window has another size than the loop has heard of: what is printed now would be torn.
func (m *model) resized() bool {
	if m.measure == nil {
		return false
	}
	width, height, err := m.measure()
	return err == nil && (width != m.width || height != m.height)
}

// wide is how wide the rows of the region may be now.
func (m *model) wide() int {
	if m.resizing() {
		return min(m.width-1, narrow)
	}
	return m.width - 1
}

// reflows guesses whether the terminal breaks rows anew when its window becomes narrower. The few that do not cut them.
func reflows(getenv func(string) string) bool {
	if getenv("TMUX") != "" {
		return true
	}
	if getenv("XTERM_VERSION") != "" {
		return false
	}
	for _, name := range []string{"linux", "rxvt", "screen", "vt", "cygwin"} {
		if strings.HasPrefix(getenv("TERM"), name) {
			return false
		}
	}
	return true
}
