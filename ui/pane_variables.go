package ui

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"almanac/catalog/text"
	"almanac/repl"
	"almanac/repl/show"
	"almanac/session/vm"
)

// This file holds F2: the variables of the session, as of the last run, with who set them.

type variablesPane struct {
	m      *model
	list   cursorList
	filter string
	typed  bool // the filter is being typed
	page   int
}

func (p *variablesPane) shown() []repl.Variable {
	var out []repl.Variable
	words := strings.Fields(strings.ToLower(p.filter))
	for _, v := range p.m.shell.Variables() {
		text := strings.ToLower(v.Name + " " + v.Type + " " + v.From())
		fits := true
		for _, w := range words {
			fits = fits && strings.Contains(text, w)
		}
		if fits {
			out = append(out, v)
		}
	}
	return out
}

func (p *variablesPane) head() (title, note string) {
	title = "Variables"
	if p.filter != "" || p.typed {
		title += " " + p.m.theme.glyphs.rule + " filter: " + p.filter
	}
	return title, fmt.Sprint(len(p.shown()))
}

func (p *variablesPane) rows(width, height int) []string {
	all := p.shown()
	p.page = height
	if len(all) == 0 {
		return []string{p.m.theme.dim.Render("no variables: x = 1 makes one")}
	}
	name, kind, from := 4, 4, 3
	for _, v := range all {
		name = max(name, ansi.StringWidth(v.Name))
		kind = max(kind, ansi.StringWidth(v.Kind()))
		from = max(from, ansi.StringWidth(v.From()))
	}
	name = min(name, width/3)
	cell := func(s string, w int) string {
		return pad(ansi.Truncate(text.SanitizeLine(s), w, p.m.theme.glyphs.more), w)
	}
	var out []string
	top, end := p.list.window(len(all), height)
	for i, v := range all[top:end] {
		line := cell(v.Name, name) + "  " + cell(v.Kind(), kind) + "  "
		if width >= 50 {
			line += cell(v.From(), from) + "  "
		}
		out = append(out, p.m.theme.chosen(i+top == p.list.at, line+text.SanitizeLine(v.Brief), width))
	}
	return out
}

func (p *variablesPane) key(name, text string) tea.Cmd {
	all := p.shown()
	if p.typed {
		switch name {
		case "enter", "kpenter":
			p.typed = false
		default:
			if !typeInto(&p.filter, name, text) {
				p.list.move(name, len(all), p.page)
			}
		}
		return nil
	}
	switch {
	case p.list.move(name, len(all), p.page):
	case name == "/":
		p.typed = true
	case p.list.at >= len(all):
	case name == "enter", name == "kpenter", name == "l", name == "right":
		tree, cmd := newValuePane(p.m, []vm.Step{{Name: all[p.list.at].Name}})
		p.m.push(tree)
		return cmd
	case name == "w":
		why, cmd := newOriginPane(p.m, all[p.list.at].Name)
		p.m.push(why)
		return cmd
	case name == "i":
		p.m.takeText(show.PathText([]vm.Step{{Name: all[p.list.at].Name}}), 0)
	}
	return nil
}

func (p *variablesPane) hints() []string {
	return []string{"Enter look inside", "w why", "i insert", "/ filter"}
}
func (p *variablesPane) typing() bool { return p.typed }

func (p *variablesPane) escape() bool {
	was := p.typed || p.filter != ""
	p.filter, p.typed = "", false
	return was
}
