package ui

import (
	tea "charm.land/bubbletea/v2"

	"almanac/repl"
)

// This file tells the terminal around the screen what happens: its title, its progress bar, its bell, the shape of its
// cursor. All but the last are off unless they are asked for.

// bellText rings.
const bellText = "\a"

// signal sets what the terminal should show beside the frame.
func (m *model) signal(v *tea.View) {
	if m.leaving || m.width == 0 {
		return
	}
	if m.title {
		v.WindowTitle = m.titleText()
	}
	if m.progress && m.work != nil {
		v.ProgressBar = tea.NewProgressBar(tea.ProgressBarIndeterminate, 0)
		if len(m.asks) > 0 {
			v.ProgressBar = tea.NewProgressBar(tea.ProgressBarWarning, 100)
		}
	}
	if m.vi.on && !m.vi.normal && v.Cursor != nil {
		v.Cursor.Shape = tea.CursorBar
	}
}

// titleText has no times in it: a title that changes all the time is written all the time.
func (m *model) titleText() string {
	switch {
	case len(m.asks) > 0:
		return "almanac: approve " + repl.SanitizeLine(m.asks[0].request.Entry.ID) + "?"
	case m.work != nil:
		return "almanac: running"
	}
	return "almanac"
}

// ring rings where that is asked for.
func (m *model) ring() tea.Cmd {
	if !m.bell {
		return nil
	}
	return tea.Raw(bellText)
}
