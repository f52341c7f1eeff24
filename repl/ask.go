package repl

// This file is the text of a question to the person and the reading of typed answers.

import (
	"fmt"
	"strings"

	"almanac/catalog"
	"almanac/session"
)

// AskLines shows what a person is asked: the action, that it changes data, its risk, the whole arguments, what the call
// would change, who asks, and the keys. The arguments are never cut: what is approved is what was shown.
func AskLines(e Event, width int, o RenderOptions) []Line {
	r, m := e.Ask.Request, o.Marks()
	lines := []Line{AskTitle(r, m)}
	if text := FirstSentence(r.Entry); text != "" {
		lines = append(lines, Line{{RoleDim, "  " + cutText(text, max(width-2, 0), m.Cut)}})
	}
	for _, l := range textLines(RoleCode, "  ", ArgsText(r.Entry, r.Args, max(width-4, 0))) {
		lines = append(lines, wrapLine(l, width)...)
	}
	var more []Line
	if filled := AskFilled(r); filled != "" {
		more = textLines(RoleDim, "  ", filled)
	}
	for _, l := range append(more, ForeseenLines(r.Preview)...) {
		lines = append(lines, wrapLine(l, width)...)
	}
	lines = append(lines, Line{{RoleDim, "  " + askedBy(e, m)}})
	return append(lines, AskKeys(m))
}

// AskFilled tells which arguments the host fills in; empty when there are none.
func AskFilled(r session.Request) string {
	if len(r.Injected) == 0 {
		return ""
	}
	return "filled in by the host: " + ArgsText(r.Entry, r.Injected, 0)
}

// ForeseenLines shows what a call would change, as its action foresees it; none when there is nothing to show. The
// lines of a diff have the roles of what is added and removed.
func ForeseenLines(text string) []Line {
	text = strings.TrimRight(text, "\n")
	if text == "" {
		return nil
	}
	var lines []Line
	for _, l := range textLines(RoleDim, "  ", text) {
		role := RoleDim
		switch body := strings.TrimPrefix(l.String(), "  "); {
		case strings.HasPrefix(body, "+"):
			role = RoleOK
		case strings.HasPrefix(body, "-"):
			role = RoleMutates
		}
		lines = append(lines, Line{{role, l.String()}})
	}
	return lines
}

// AskTitle is the first line of a question: `approve? billing.refund.issue   MUTATES · risk high`.
func AskTitle(r session.Request, m Marks) Line {
	id, risk, mutates := "?", catalog.High, true
	if r.Entry != nil {
		id, risk, mutates = r.Entry.ID, catalog.RiskOf(r.Entry), r.Entry.Mutates
	}
	note := "reads"
	if mutates {
		note = "MUTATES"
	}
	return Line{
		{RoleText, "approve? "}, {RoleID, SanitizeLine(id)},
		{RoleMutates, fmt.Sprintf("   %s %s risk %s", note, m.Dot, SanitizeLine(string(risk)))},
	}
}

// AskKeys is the last line of a question.
func AskKeys(m Marks) Line {
	sep := Span{RoleDim, " " + m.Dot + " "}
	return Line{
		{RoleKey, "y"}, {RoleText, " once"}, sep,
		{RoleKey, "a"}, {RoleText, " this action this session"}, sep,
		{RoleKey, "e"}, {RoleText, " edit"}, sep,
		{RoleKey, "n"}, {RoleText, " deny"}, sep,
		{RoleKey, "?"}, {RoleText, " details"},
	}
}

// AskDetails is what "?" adds to a question: the action's description, fields and examples.
func AskDetails(r session.Request, width int, o RenderOptions) []Line {
	if r.Entry == nil {
		return nil
	}
	e := r.Entry
	var lines []Line
	if e.Description != "" {
		lines = append(lines, textLines(RoleText, "  ", e.Description)...)
	}
	var rows [][]string
	for _, f := range e.Input.Fields() {
		need := ""
		if f.Required {
			need = "required"
		}
		rows = append(rows, []string{SanitizeLine(f.Name), SanitizeLine(f.Type), need, SanitizeLine(f.Description)})
	}
	if len(rows) > 0 {
		for _, l := range textLines(RoleText, "  ", Columns(rows)) {
			lines = append(lines, Line{{RoleText, cutText(l.String(), width, o.Marks().Cut)}})
		}
	}
	for _, example := range e.Examples {
		lines = append(lines, textLines(RoleCode, "  ", example)...)
	}
	return lines
}

func askedBy(e Event, m Marks) string {
	r := e.Ask.Request
	who := "by the model"
	if r.Author == session.User {
		who = "by your script"
	}
	text := "asked " + who
	if e.Cell > 0 {
		text += fmt.Sprintf(" in [%d]", e.Cell)
	}
	if r.N > 0 {
		text += fmt.Sprintf(", call %d", r.N)
	}
	if r.Line > 0 {
		text += fmt.Sprintf(", line %d", r.Line)
	}
	if r.Reason != "" {
		text += " " + m.Dot + " " + SanitizeLine(r.Reason)
	}
	return text
}

// FirstSentence is what a list says of an entry, safe to show; empty for nil.
func FirstSentence(e *catalog.Entry) string {
	if e == nil {
		return ""
	}
	text := SanitizeLine(e.Description)
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
