package ui

import (
	"fmt"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"almanac/catalog/text"
	"almanac/repl/event"
)

// This file copies text and reports how. A terminal does not confirm OSC 52, and the notice says so.

// maxOSC52 is the longest text to copy by OSC 52: many terminals accept 100,000 bytes of base64 and silently drop
// longer ones.
const maxOSC52 = 74_000

// copyText copies text beside the loop and leaves a notice.
func (m *model) copyText(text string) tea.Cmd {
	shell := m.shell
	return func() tea.Msg {
		e := event.Event{Kind: event.Copied, Text: text}
		e.Tool, e.Err = shell.CopyOut(text)
		return paneMsg(func() tea.Cmd { return m.copied(e) })
	}
}

// copied reports the outcome of a copy below the input. Text that no program took is sent to the terminal; if that
// cannot take it, the text is printed.
func (m *model) copied(e event.Event) tea.Cmd {
	switch {
	case e.Err == nil:
		m.notice = text.SanitizeLine(event.CopyText(e))
		return nil
	case len(e.Text) <= maxOSC52 && m.supportsOSC52:
		m.notice = fmt.Sprintf("%d B sent to the terminal (OSC 52); not confirmed", len(e.Text))
		return func() tea.Msg { return tellMsg(ansi.SetSystemClipboard(e.Text)) }
	}
	if len(e.Text) > maxOSC52 {
		e.Err = fmt.Errorf("%w; and %d B are too long for OSC 52", e.Err, len(e.Text))
	}
	m.notice = "could not copy: text printed below"
	if m.overlay() != nil {
		m.notice = "could not copy: text printed in the transcript"
	}
	m.scroll.append(m.lines(e)...)
	return nil
}

// supportsOSC52 reports whether the terminal may support OSC 52.
func supportsOSC52(term string) bool {
	return term != "" && term != "dumb" && term != "linux"
}
