package event

// This file draws a question to the person as lines and reads typed answers.

import (
	"cmp"

	"almanac/catalog/text"
	"almanac/catalog/text/cells"
	"almanac/repl/show"
	"almanac/session"
)

// AskLines draws a question as lines: what is asked, then the keys.
func AskLines(e Event, width int, o RenderOptions) []show.Line {
	m := o.Marks()
	r := e.Ask.Request
	r.Cell = cmp.Or(r.Cell, e.Cell)
	q := show.QuestionOf(r, m)
	lines := []show.Line{q.Title(m)}
	if width > 0 && lines[0].Width() > width {
		lines = append(show.WrapLine(q.Title(m)[:2], width), show.Mutates.Line("  "+q.RiskText(m)))
	}
	for _, l := range append(q.WarningLines(), q.Body(max(width-4, 0), false)...) {
		lines = append(lines, show.WrapLine(append(show.Text.Line("  "), l...), width)...)
	}
	return append(lines, show.WrapLine(askKeys(q, m), width)...)
}

// askKeys are the answers to a question, with what each does.
func askKeys(q show.Question, m show.Marks) show.Line {
	sep := show.Dim.Span(" " + m.Dot + " ")
	if q.Over != nil {
		return show.Line{
			show.Key.Span("y"), show.Text.Span(" go on"), sep,
			show.Key.Span("n"), show.Text.Span(" end the run"), sep,
			show.Key.Span("v"), show.Text.Span(" script"),
		}
	}
	return show.Line{
		show.Key.Span("y"), show.Text.Span(" once"), sep,
		show.Key.Span("a"), show.Text.Span(" for this session"), sep,
		show.Key.Span("e"), show.Text.Span(" edit"), sep,
		show.Key.Span("n"), show.Text.Span(" deny"), sep,
		show.Key.Span("v"), show.Text.Span(" script"), sep,
		show.Key.Span("?"), show.Text.Span(" details"),
	}
}

// AskDetails is what "?" adds to a question: the action's description, fields and examples.
func AskDetails(r session.Request, width int, o RenderOptions) []show.Line {
	if r.Entry == nil {
		return nil
	}
	e := r.Entry
	var lines []show.Line
	if e.Description != "" {
		lines = append(lines, show.Lines(show.Text, "  ", e.Description)...)
	}
	var rows [][]string
	for _, f := range e.Input.Fields() {
		need := ""
		if f.Required {
			need = "required"
		}
		rows = append(rows,
			[]string{text.SanitizeLine(f.Name), text.SanitizeLine(f.Type), need, text.SanitizeLine(f.Description)})
	}
	if len(rows) > 0 {
		for _, l := range show.Lines(show.Text, "  ", show.Columns(rows)) {
			lines = append(lines, show.Text.Line(cells.Clip(l.String(), width, o.Marks().Cut)))
		}
	}
	for _, example := range e.Examples {
		lines = append(lines, show.Lines(show.Code, "  ", example)...)
	}
	return lines
}
