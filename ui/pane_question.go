package ui

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"almanac/repl/event"
	"almanac/repl/show"
)

// This file is the pane of a question: the script that asks, or all that is known. No key of it answers, and it goes
// with its question.

// A questionPane shows a question from its first line to its last.
type questionPane struct {
	m     *model
	asked *asking
	// script shows the script alone.
	script bool
	list   cursorList
	page   int
	count  int
}

func (p *questionPane) head() (title, note string) {
	q := p.asked.question
	if p.script && q.Batch != nil {
		return "List and script of " + q.ID, q.RiskText(p.m.render().Marks())
	}
	if p.script {
		return "Script calling " + q.ID, q.RiskText(p.m.render().Marks())
	}
	return "Question about " + q.ID, q.RiskText(p.m.render().Marks())
}

// lines is all there is, broken for width columns.
func (p *questionPane) lines(width int) []string {
	q, m := p.asked.question, p.m.render().Marks()
	script := q.ScriptLines(m)
	body := q.Body(width, false)
	if q.Batch != nil {
		body, _ = q.Batch.Lines(width, m, false, true)
	}
	switch {
	case p.script && q.Batch != nil:
		return p.m.styled(show.Wrap(append(append(body, nil), script...), width))
	case p.script:
		return p.m.styled(show.Wrap(script, width))
	}
	all := append([]show.Line{q.Title(m)}, q.WarningLines()...)
	all = append(append(all, body...), nil)
	all = append(append(all, event.AskDetails(q, width, p.m.render())...), nil)
	return p.m.styled(show.Wrap(append(all, script...), width))
}

func (p *questionPane) rows(width, height int) []string {
	rows := p.lines(width)
	p.count, p.page = len(rows), height
	p.list.at = min(p.list.at, max(len(rows)-height, 0))
	return rows[p.list.at:min(p.list.at+height, len(rows))]
}

func (p *questionPane) key(name, _ string) tea.Cmd {
	if p.script && name == "v" || !p.script && name == "ctrl+o" { // the key that opened it
		p.m.panes = p.m.panes[:len(p.m.panes)-1]
		return nil
	}
	p.list.move(name, max(p.count-p.page+1, 1), p.page)
	return nil
}

func (p *questionPane) hints() []string { return []string{"Up Down PgUp PgDn scroll"} }
func (p *questionPane) escape() bool    { return false }
func (p *questionPane) typing() bool    { return false }

// closeAnswered closes the panes of questions that are gone.
func (m *model) closeAnswered() {
	m.panes = slices.DeleteFunc(m.panes, func(p pane) bool {
		q, ok := p.(*questionPane)
		return ok && !slices.Contains(m.asks, q.asked)
	})
}
