package repl

// This file is the text of a question to the person and the reading of typed answers.

import (
	"fmt"
	"strings"

	"almanac/catalog"
	"almanac/catalog/text"
	"almanac/catalog/text/cells"
	"almanac/repl/show"
	"almanac/session"
)

// AskLines shows what a person is asked: the action, that it changes data, its risk, the whole arguments, what the call
// would change, who asks, and the keys. The arguments are never cut: what is approved is what was shown.
func AskLines(e Event, width int, o RenderOptions) []show.Line {
	r, m := e.Ask.Request, o.Marks()
	lines := []show.Line{AskTitle(r, m)}
	if text := FirstSentence(r.Entry); text != "" {
		lines = append(lines, show.Dim.Line("  "+cells.Clip(text, max(width-2, 0), m.Cut)))
	}
	for _, l := range show.Lines(show.Code, "  ", show.ArgsText(r.Entry, r.Args, max(width-4, 0))) {
		lines = append(lines, show.WrapLine(l, width)...)
	}
	var more []show.Line
	if filled := AskFilled(r); filled != "" {
		more = show.Lines(show.Dim, "  ", filled)
	}
	for _, l := range append(more, ForeseenLines(r.Preview)...) {
		lines = append(lines, show.WrapLine(l, width)...)
	}
	lines = append(lines, show.Dim.Line("  "+askedBy(e, m)))
	return append(lines, AskKeys(m))
}

// AskFilled tells which arguments the host fills in; empty when there are none.
func AskFilled(r session.Request) string {
	if len(r.Injected) == 0 {
		return ""
	}
	return "filled in by the host: " + show.ArgsText(r.Entry, r.Injected, 0)
}

// ForeseenLines shows what a call would change, as its action foresees it; none when there is nothing to show. The
// lines of a diff have the roles of what is added and removed.
func ForeseenLines(text string) []show.Line {
	text = strings.TrimRight(text, "\n")
	if text == "" {
		return nil
	}
	var lines []show.Line
	for _, l := range show.Lines(show.Dim, "  ", text) {
		role := show.Dim
		switch body := strings.TrimPrefix(l.String(), "  "); {
		case strings.HasPrefix(body, "+"):
			role = show.OK
		case strings.HasPrefix(body, "-"):
			role = show.Mutates
		}
		lines = append(lines, role.Line(l.String()))
	}
	return lines
}

// AskTitle is the first line of a question: `approve? billing.refund.issue   MUTATES · risk high`.
func AskTitle(r session.Request, m show.Marks) show.Line {
	id, risk, mutates := "?", catalog.High, true
	if r.Entry != nil {
		id, risk, mutates = r.Entry.ID, catalog.RiskOf(r.Entry), r.Entry.Mutates
	}
	note := "reads"
	if mutates {
		note = "MUTATES"
	}
	return show.Line{
		show.Text.Span("approve? "), show.ID.Span(text.SanitizeLine(id)),
		show.Mutates.Span(fmt.Sprintf("   %s %s risk %s", note, m.Dot, text.SanitizeLine(string(risk)))),
	}
}

// AskKeys is the last line of a question.
func AskKeys(m show.Marks) show.Line {
	sep := show.Dim.Span(" " + m.Dot + " ")
	return show.Line{
		show.Key.Span("y"), show.Text.Span(" once"), sep,
		show.Key.Span("a"), show.Text.Span(" this action this session"), sep,
		show.Key.Span("e"), show.Text.Span(" edit"), sep,
		show.Key.Span("n"), show.Text.Span(" deny"), sep,
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
		rows = append(rows, []string{text.SanitizeLine(f.Name), text.SanitizeLine(f.Type), need, text.SanitizeLine(f.Description)})
	}
	if len(rows) > 0 {
		for _, l := range show.Lines(show.Text, "  ", Columns(rows)) {
			lines = append(lines, show.Text.Line(cells.Clip(l.String(), width, o.Marks().Cut)))
		}
	}
	for _, example := range e.Examples {
		lines = append(lines, show.Lines(show.Code, "  ", example)...)
	}
	return lines
}

func askedBy(e Event, m show.Marks) string {
	r := e.Ask.Request
	who := "by the model"
	if r.Author == session.User {
		who = "by your script"
	}
	asked := "asked " + who
	if e.Cell > 0 {
		asked += fmt.Sprintf(" in [%d]", e.Cell)
	}
	if r.N > 0 {
		asked += fmt.Sprintf(", call %d", r.N)
	}
	if r.Line > 0 {
		asked += fmt.Sprintf(", line %d", r.Line)
	}
	if r.Reason != "" {
		asked += " " + m.Dot + " " + text.SanitizeLine(r.Reason)
	}
	return asked
}

// FirstSentence is what a list says of an entry, safe to show; empty for nil.
func FirstSentence(e *catalog.Entry) string {
	if e == nil {
		return ""
	}
	text := text.SanitizeLine(e.Description)
	if i := strings.Index(text, ". "); i >= 0 {
		text = text[:i+1]
	}
	return text
}

// An Answer is what a person typed to a question.
type Answer int

// The answers. The zero Answer is none: ask again.
const (
	Again Answer = iota
	Yes
	Always
	No
	Edit
	Details
)

// ParseAnswer reads a typed answer. Only a clear word counts; an empty line is none. Words after "n" are the reason
// to tell: "n wrong customer".
func ParseAnswer(text string) (a Answer, reason string) {
	word, rest := cutSpace(strings.TrimSpace(text))
	switch strings.ToLower(strings.TrimRight(word, ",:;")) {
	case "n", "no", "deny":
		return No, strings.TrimSpace(rest)
	}
	if rest != "" {
		return Again, ""
	}
	switch strings.ToLower(word) {
	case "y", "yes":
		return Yes, ""
	case "a", "always":
		return Always, ""
	case "e", "edit":
		return Edit, ""
	case "?":
		return Details, ""
	}
	return Again, ""
}
