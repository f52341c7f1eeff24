package ui

import (
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"almanac/catalog/text"
	"almanac/repl/event"
)

// This file holds F5: what the input would do. The preview runs as any other input does, and stays in the transcript.

type previewPane struct {
	m    *model
	from int
	page int
}

// A previewed is what the last preview came to.
type previewed struct {
	event event.Event // a Ran event
	err   error       // why there was none
}

func (p *previewPane) head() (title, note string) {
	if p.running() {
		note = "running" + p.m.theme.glyphs.more
	}
	return "Preview", note
}

func (p *previewPane) running() bool {
	return p.m.work != nil && strings.HasPrefix(p.m.work.line, "/preview")
}

func (p *previewPane) rows(width, height int) []string {
	last := p.m.previewed
	switch {
	case last == nil && p.running():
		return nil
	case last == nil:
		return []string{p.m.theme.dim.Render("no preview yet: type Lua, then " + p.m.keyOr("preview", "/preview"))}
	case last.err != nil:
		return []string{p.m.theme.bad.Render(ansi.Truncate(text.SanitizeLine(last.err.Error()),
			width, p.m.theme.glyphs.more))}
	}
	var lines []string
	for _, l := range p.m.styled(event.Lines(last.event, width, p.m.render())) {
		lines = append(lines, pieces(l, width)...)
	}
	p.page = height
	p.from = min(max(p.from, 0), max(len(lines)-height, 0))
	return lines[p.from:min(p.from+height, len(lines))]
}

func (p *previewPane) key(name, _ string) tea.Cmd {
	if name == "enter" || name == "kpenter" {
		p.m.closePanes()
		return nil
	}
	l := cursorList{at: p.from}
	l.move(name, 1<<20, p.page)
	p.from = l.at
	return nil
}

func (p *previewPane) hints() []string { return []string{"Up Down scroll"} }
func (p *previewPane) typing() bool    { return false }
func (p *previewPane) escape() bool    { return false }

// heed keeps what a preview came to for its pane.
func (m *model) heed(e event.Event) {
	switch {
	case e.Kind == event.Ran && e.Outcome != nil && e.Outcome.DryRun:
		m.previewed = &previewed{event: e}
	case e.Kind == event.Ended && e.Err != nil && m.work != nil && m.work.previewing && m.previewed == nil:
		m.previewed = &previewed{err: e.Err}
	}
}
