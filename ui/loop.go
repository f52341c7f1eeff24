package ui

import (
	"os"
	"strings"

	tea "charm.land/bubbletea/v2"
)

// This file joins the model, Bubble Tea and the display. Bubble Tea reads keys and sizes, runs commands and lends the
// terminal to an editor; what it would write goes nowhere.

// A loop is the model as Bubble Tea runs it.
type loop struct {
	*model
	display *display
	back    func() // takes the shell's signals again after the terminal was lent
}

// repaintMsg asks for everything to be written anew.
type repaintMsg struct{}

// A tellMsg is a sequence for the terminal that shows nothing.
type tellMsg string

func repaint() tea.Msg { return repaintMsg{} }

// Update gives msg to the model, and the display what the model shows now.
func (l *loop) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	if size, ok := msg.(tea.WindowSizeMsg); ok {
		size.Width, size.Height = windowSize(size.Width, size.Height, os.Getenv)
		msg = size
	}
	_, cmd := l.model.Update(msg)
	switch msg := msg.(type) {
	case tellMsg:
		l.display.Tell(string(msg))
	case repaintMsg:
		l.display.repaint()
	case editedMsg, resumedMsg:
		l.back()
		l.display.resume()
	}
	if signal := l.signal(); signal != "" {
		l.display.Tell(signal)
	}
	if l.width > 0 {
		lines := l.chunk
		l.chunk = nil
		l.display.show(l.picture(), lines)
	}
	return l, cmd
}

// View is empty: the display draws.
func (l *loop) View() tea.View { return tea.View{} }

// picture is what the terminal is to show now.
func (m *model) picture() picture {
	v := m.View()
	p := picture{alt: v.AltScreen, width: m.width, height: m.height}
	if v.Content != "" {
		p.rows = strings.Split(v.Content, "\n")
	}
	if v.Cursor != nil {
		p.cursor = &point{v.Cursor.X, v.Cursor.Y}
	}
	p.busy = m.work != nil || m.scroll.pending()
	return p
}

// A silent is the terminal for Bubble Tea: it has a size and modes, and what is written to it goes nowhere.
type silent struct{ file *os.File }

func (s silent) Fd() uintptr                 { return s.file.Fd() }
func (s silent) Read(p []byte) (int, error)  { return s.file.Read(p) }
func (s silent) Write(p []byte) (int, error) { return len(p), nil }
func (s silent) Close() error                { return nil }
