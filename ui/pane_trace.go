package ui

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"almanac/catalog/text"
	"almanac/repl"
	"almanac/session/trace"
)

// This file holds F3: the calls of this session, newest first, and one of them in full.

type tracePane struct {
	m      *model
	list   cursorList
	filter string
	typed  bool
	whole  bool // the chosen call has the pane for itself
	from   int  // first row of it
	page   int
	// cached is what shown found last, for as long as nothing has happened.
	cached  []repl.Used
	version traceVersion
	// full is the call in full that was drawn last.
	full fullCall
}

// A fullCall is one call in full, as lines for a width.
type fullCall struct {
	number string
	width  int
	lines  []string
}

// A traceVersion changes whenever the list of calls may.
type traceVersion struct {
	cell, calls int
	busy        bool
	filter      string
	known       bool
}

// shown lists the calls that the filter takes; a frame asks for it more than once.
func (p *tracePane) shown() []repl.Used {
	s := p.m.status
	version := traceVersion{s.Cell, s.Calls, s.Busy, p.filter, true}
	if p.version == version {
		return p.cached
	}
	p.version = version
	var out []repl.Used
	words := strings.Fields(strings.ToLower(p.filter))
	for _, u := range p.m.shell.Calls() {
		if u.Matches(words) {
			out = append(out, u)
		}
	}
	p.cached = out
	return out
}

func (p *tracePane) head() (title, note string) {
	all := p.shown()
	title = "Trace"
	if p.whole && p.list.at < len(all) {
		u := all[p.list.at]
		return title + " " + p.m.theme.glyphs.rule + " " + u.Number() + " " + text.SanitizeLine(u.Call.ID), ""
	}
	if p.filter != "" || p.typed {
		title += " " + p.m.theme.glyphs.rule + " filter: " + p.filter
	}
	s := p.m.status
	note = "last run: " + text.Count(s.Calls, "call")
	if s.Mutations > 0 {
		note += ", " + text.Count(s.Mutations, "write")
	}
	return title, note
}

func (p *tracePane) rows(width, height int) []string {
	all := p.shown()
	if len(all) == 0 {
		return []string{p.m.theme.dim.Render("no calls")}
	}
	p.list.at = min(p.list.at, len(all)-1)
	if p.whole {
		return p.detail(all[p.list.at], width, height)
	}
	p.page = height
	top, end := p.list.window(len(all), height)
	var out []string
	for i, u := range all[top:end] {
		out = append(out, p.m.theme.chosen(i+top == p.list.at, p.row(u, width-2), width))
	}
	return out
}

// narrowTrace is the width below which a call is shown by the last part of its name.
const narrowTrace = 50

// row is one call: its outcome in words and as a sign, number, author, id, result and time.
func (p *tracePane) row(u repl.Used, width int) string {
	marks := p.m.render().Marks()
	sign := marks.OK
	if u.Call.Rule == trace.SwitchedOff {
		sign = marks.Dot
	} else if u.Call.Verdict != trace.OK && u.Call.Verdict != trace.Planned {
		sign = marks.Fail
	}
	author := u.Call.Author
	if author == "" {
		author = "you"
	}
	if width < narrowTrace {
		id := u.Call.ID
		if parts := strings.Split(id, "."); len(parts) > 1 {
			id = parts[len(parts)-1]
		}
		left := fmt.Sprintf("%s %s %s", sign, u.Number(), text.SanitizeLine(id))
		right := text.Took(u.Call.Took)
		if u.Call.Verdict != trace.OK {
			right = u.Call.Words()
		}
		return p.m.theme.sides(width, left, "  "+right)
	}
	left := fmt.Sprintf("%s %-7s %-5s %s", sign, u.Number(), author, text.SanitizeLine(u.Call.ID))
	right := text.Took(u.Call.Took)
	note := u.Call.Brief
	if u.Call.Verdict != trace.OK {
		note = u.Call.Words()
	}
	if note != "" {
		right = text.SanitizeLine(note) + "  " + right
	}
	return p.m.theme.sides(width, left, "  "+ansi.Truncate(right, width/2, p.m.theme.glyphs.more))
}

func (p *tracePane) detail(u repl.Used, width, height int) []string {
	if p.full.number != u.Number() || p.full.width != width {
		p.full = fullCall{number: u.Number(), width: width}
		for _, l := range p.m.styled(p.m.shell.InFull(u).Detail(width, p.m.render())) {
			p.full.lines = append(p.full.lines, pieces(l, width)...)
		}
	}
	lines := p.full.lines
	p.page = height
	p.from = min(max(p.from, 0), max(len(lines)-height, 0))
	return lines[p.from:min(p.from+height, len(lines))]
}

func (p *tracePane) key(name, text string) tea.Cmd {
	all := p.shown()
	if p.typed {
		switch name {
		case "enter", "kpenter":
			p.typed = false
		default:
			if typeInto(&p.filter, name, text) {
				p.list = cursorList{}
			} else {
				p.list.move(name, len(all), p.page)
			}
		}
		return nil
	}
	if p.whole {
		switch name {
		case "enter", "kpenter", "h", "left", "backspace":
			p.whole = false
		case "n", "right":
			p.list.move("down", len(all), 1)
			p.from = 0
		case "p":
			p.list.move("up", len(all), 1)
			p.from = 0
		case "c":
			if p.list.at < len(all) {
				return p.m.copyText(p.m.shell.InFull(all[p.list.at]).ResultText())
			}
		default:
			l := cursorList{at: p.from}
			l.move(name, 1<<20, p.page)
			p.from = l.at
		}
		return nil
	}
	switch {
	case p.list.move(name, len(all), p.page):
	case name == "/":
		p.typed = true
	case p.list.at >= len(all):
	case name == "enter", name == "kpenter", name == "l", name == "right":
		p.whole, p.from = true, 0
	case name == "i":
		c := all[p.list.at].Call
		p.m.takeText(p.m.shell.CallText(c.ID, c.Args), 0)
	}
	return nil
}

func (p *tracePane) hints() []string {
	if p.whole {
		return []string{"Up Down scroll", "n next", "p previous", "c copy result", "Enter list"}
	}
	return []string{"Enter details", "i insert the call", "/ filter"}
}
func (p *tracePane) typing() bool { return p.typed }

func (p *tracePane) escape() bool {
	if p.whole {
		p.whole = false
		return true
	}
	was := p.typed || p.filter != ""
	p.filter, p.typed = "", false
	return was
}
