package ui

import (
	"fmt"

	tea "charm.land/bubbletea/v2"

	"almanac/repl"
)

// This file copies text and says by which way it went. A terminal that is only told (OSC 52) answers nothing, so that
// the notice never says more than is known.

// copyText copies text beside the loop and leaves a notice.
func (m *model) copyText(text string) tea.Cmd {
	shell := m.shell
	return func() tea.Msg {
		via, err := shell.CopyOut(text)
		return paneMsg(func() tea.Cmd {
			if err == nil {
				m.notice = repl.SanitizeLine(fmt.Sprintf("copied %d B via %s", len(text), via))
				return nil
			}
			m.notice = fmt.Sprintf("%d B sent to the terminal (OSC 52), which may refuse them", len(text))
			return tea.SetClipboard(text)
		})
	}
}
