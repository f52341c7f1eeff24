package ui

import (
	"fmt"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"almanac/catalog/text"
	"almanac/repl/event"
)

// This file copies text and says by which way it went. A terminal that is only told (OSC 52) answers nothing, so that
// the notice never says more than is known.

// maxToldBytes is how much text a terminal is told to copy: many take up to 100,000 bytes of base64 and drop what is
// longer without a word.
const maxToldBytes = 74_000

// copyText copies text beside the loop and leaves a notice.
func (m *model) copyText(text string) tea.Cmd {
	shell := m.shell
	return func() tea.Msg {
		e := event.Event{Kind: event.Copied, Text: text}
		e.Tool, e.Err = shell.CopyOut(text)
		return paneMsg(func() tea.Cmd { return m.copied(e) })
	}
}

// copied tells below the input what became of a text that was to be copied. What no program took the terminal gets; what
// that does not take is printed.
func (m *model) copied(e event.Event) tea.Cmd {
	switch {
	case e.Err == nil:
		m.notice = text.SanitizeLine(event.CopyText(e))
		return nil
	case len(e.Text) <= maxToldBytes && m.takesTold:
		m.notice = fmt.Sprintf("%d B sent to the terminal (OSC 52); not confirmed", len(e.Text))
		return func() tea.Msg { return tellMsg(ansi.SetSystemClipboard(e.Text)) }
	}
	if len(e.Text) > maxToldBytes {
		e.Err = fmt.Errorf("%w; and %d B are too much for a terminal", e.Err, len(e.Text))
	}
	m.notice = "could not copy: text printed below"
	if m.overlay() != nil {
		m.notice = "could not copy: text printed in the transcript"
	}
	m.scroll.Append(m.lines(e)...)
	return nil
}

// takesTold tells whether OSC 52 may mean something to the terminal.
func takesTold(term string) bool {
	return term != "" && term != "dumb" && term != "linux"
}
