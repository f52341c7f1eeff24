package ui

import (
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"almanac/repl"
	"almanac/repl/show"
	"almanac/session/trace"
)

// This file holds /sessions: the sessions that are kept, found while one types, and what the chosen one was about. Logs
// are read beside the loop, one thing at a time.

type sessionsPane struct {
	m      *model
	filter trace.Filter
	found  []trace.Summary
	sought trace.Filter // what found answers
	looked bool         // something was found or not
	busy   bool
	list   cursorList
	page   int
	// lines are what the session of tells, as far as it was read.
	lines []show.Line
	of    string
}

func newSessionsPane(m *model, f trace.Filter) (*sessionsPane, tea.Cmd) {
	p := &sessionsPane{m: m, filter: f}
	return p, p.look()
}

// look brings what is shown up to what is typed and chosen, beside the loop.
func (p *sessionsPane) look() tea.Cmd {
	if p.busy {
		return nil // it looks again when it has ended
	}
	shell, filter := p.m.shell, p.filter
	if !p.looked || p.sought != filter {
		p.busy = true
		return func() tea.Msg {
			found := shell.Sessions(filter)
			return paneMsg(func() tea.Cmd {
				p.busy, p.looked, p.sought, p.found, p.list = false, true, filter, found, cursorList{}
				return p.look()
			})
		}
	}
	s, ok := p.choice()
	if !ok || s.ID == p.of {
		return nil
	}
	p.busy = true
	o := p.m.render()
	return func() tea.Msg {
		lines := shell.SessionLines(s, o)
		return paneMsg(func() tea.Cmd {
			p.busy, p.of, p.lines = false, s.ID, lines
			return p.look()
		})
	}
}

func (p *sessionsPane) choice() (trace.Summary, bool) {
	if p.list.at < len(p.found) {
		return p.found[p.list.at], true
	}
	return trace.Summary{}, false
}

func (p *sessionsPane) head() (title, note string) {
	note = grouped(len(p.found)) + " sessions"
	if len(p.found) == 1 {
		note = "1 session"
	}
	title = "Sessions "
	if p.filter.Interactive {
		title += "of the terminal "
	}
	return title + p.m.theme.glyphs.rule + " search: " + p.filter.Words, note
}

func (p *sessionsPane) rows(width, height int) []string {
	t := p.m.theme
	if len(p.found) == 0 {
		text := "searching" + t.glyphs.more
		if p.looked && !p.busy {
			text = "no sessions match"
		}
		return []string{t.dim.Render(text)}
	}
	p.page = min(len(p.found), max((height-1)/2, 1))
	var rows []string
	top, end := p.list.window(len(p.found), p.page)
	for i, s := range p.found[top:end] {
		mark := "  "
		if s.ID == p.m.status.Session {
			mark = "* "
		}
		text := mark + s.Start.Local().Format("2006-01-02 15:04") + "  " + repl.SessionTitle(s)
		right := "  " + grouped(s.Cells) + " cells"
		if s.Cells == 1 {
			right = "  1 cell"
		}
		rows = append(rows, t.chosen(i+top == p.list.at, t.sides(width-2, text, right), width))
	}
	rows = append(rows, t.dim.Render(strings.Repeat(t.glyphs.rule, width)))
	if s, ok := p.choice(); ok && s.ID == p.of {
		for _, l := range p.m.styled(p.lines) {
			rows = append(rows, ansi.Truncate(l, width, t.glyphs.more))
		}
	}
	return rows[:min(len(rows), height)]
}

func (p *sessionsPane) key(name, text string) tea.Cmd {
	switch name {
	case "enter", "kpenter":
		return p.resume()
	case "up", "down", "pgup", "pgdown", "ctrl+p", "ctrl+n":
		p.list.move(name, len(p.found), p.page)
	case "tab":
		p.filter.Interactive = !p.filter.Interactive
	default:
		if !typeInto(&p.filter.Words, name, text) {
			return nil
		}
	}
	return p.look()
}

// resume leaves this session for the chosen one.
func (p *sessionsPane) resume() tea.Cmd {
	s, ok := p.choice()
	switch {
	case !ok:
		return nil
	case s.ID == p.m.status.Session:
		p.m.notice = "this is the current session"
		return nil
	}
	p.m.panes = nil
	return p.m.submit("/resume " + s.ID)
}

func (p *sessionsPane) hints() []string {
	which := "Tab terminal only"
	if p.filter.Interactive {
		which = "Tab all"
	}
	return []string{"Enter resume", "Up Down", "type to search", which}
}
func (p *sessionsPane) typing() bool { return true }

func (p *sessionsPane) escape() bool { return false }
