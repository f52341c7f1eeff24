package event

// This file draws a question to the person as lines and reads typed answers.

import (
	"cmp"

	"almanac/catalog"
	"almanac/catalog/text"
	"almanac/catalog/text/cells"
	"almanac/repl/show"
)

// Question is what e asks.
func (e Event) Question(o RenderOptions) show.Question {
	r := e.Ask.Request
	r.Cell = cmp.Or(r.Cell, e.Cell)
	return show.QuestionOf(r, o.Marks())
}

// AskLines draws a question as lines: what is asked, then the keys.
func AskLines(e Event, width int, o RenderOptions) []show.Line {
	m := o.Marks()
	q := e.Question(o)
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
	if q.Inquiry != nil {
		line := show.Line{show.Key.Span("y"), show.Text.Span(" " + q.InquiryYes()), sep}
		if q.Inquiry.Form != nil {
			line = append(line, show.Key.Span("e"), show.Text.Span(" fill in"), sep)
		}
		return append(line, show.Key.Span("n"), show.Text.Span(" decline"), sep,
			show.Key.Span("v"), show.Text.Span(" script"))
	}
	if q.Batch != nil {
		yes, _ := q.Batch.Yes()
		return show.Line{
			show.Key.Span("y"), show.Text.Span(" " + yes), sep,
			show.Key.Span("n"), show.Text.Span(" deny all"), sep,
			show.Key.Span("off 2 5"), show.Text.Span(" leaves out"), sep,
			show.Key.Span("on 2"), sep,
			show.Key.Span("e 3"), show.Text.Span(" edit"), sep,
			show.Key.Span("v"), show.Text.Span(" whole list and script"), sep,
			show.Key.Span("?"), show.Text.Span(" details"),
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

// AskDetails is what "?" adds to a question: descriptions, fields and examples of its actions.
func AskDetails(q show.Question, width int, o RenderOptions) []show.Line {
	var lines []show.Line
	for _, e := range q.Entries() {
		if q.Batch != nil {
			lines = append(lines, show.ID.Line(text.SanitizeLine(e.ID)))
		}
		lines = append(lines, entryDetails(e, width, o)...)
	}
	return lines
}

func entryDetails(e *catalog.Entry, width int, o RenderOptions) []show.Line {
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
