package event

// This file shows a running script: its calls, and its source if the model wrote it.

import (
	"fmt"
	"strings"

	"almanac/catalog"
	"almanac/catalog/text"
	"almanac/repl/show"
	"almanac/session/trace"
)

func callLines(e Event, width int, o RenderOptions) []show.Line {
	c, m := e.Call, o.Marks()
	number := fmt.Sprintf("[%d.%d]", e.Cell, c.N)
	if e.Cell == 0 {
		number = ""
	}
	id := show.ID.Span(text.SanitizeLine(c.ID))
	inside := strings.Repeat("  ", 1+c.Depth)
	switch c.Verdict {
	case trace.Planned:
		return nil // the preview lists them all at its end
	case trace.OK:
		l := show.Line{show.OK.Span(inside + m.OK + " "), id}
		switch {
		case c.Replayed:
			l = append(l, show.Dim.Span(" from the log"))
		case c.Composed:
		case c.Mutates:
			l = append(l, show.Mutates.Span(" "+callTag(c)+" changed"))
		default:
			l = append(l, show.Dim.Span(" "+callTag(c)))
		}
		if e.Times > 1 {
			l = append(l, show.Text.Span(fmt.Sprintf(" %s%d", m.Times, e.Times)))
		}
		if back := c.TakesBack(); back != "" && e.Times <= 1 {
			l = append(l, show.Text.Span(", "+back))
		} else if back != "" {
			l = append(l, show.Text.Span(", takes back others"))
		}
		note := "  " + text.Took(c.Took)
		if c.Brief != "" {
			note = "  " + text.SanitizeLine(c.Brief) + note
		}
		l = append(l, show.Dim.Span(note))
		lines := []show.Line{append(l, noteSpan(number)...)}
		if o.Verbose && e.Times <= 1 {
			lines = append(lines, exchangeLines(c, width, o)...)
		}
		return lines
	}
	if c.Rule == trace.SwitchedOff {
		l := show.Line{show.Dim.Span(inside + m.Dot + " "), id, show.Dim.Span("  you switched this off")}
		lines := []show.Line{append(l, noteSpan(number)...)}
		return append(lines, show.Lines(show.Dim, "    ", o.Args(c, max(width-4, 0)))...)
	}
	cause := strings.TrimPrefix(strings.TrimPrefix(c.Error, c.ID), ": ")
	if cause == "" {
		cause = c.Verdict.Words()
	}
	parts := show.Lines(show.Error, "    ", cause)
	first := show.Line{show.Error.Span(inside + m.Fail + " "), id}
	if back := c.TakesBack(); back != "" {
		first = append(first, show.Text.Span(" "+back))
	}
	if e.Times > 1 {
		first = append(first, show.Text.Span(fmt.Sprintf(" %s%d", m.Times, e.Times)))
	}
	first = append(first, show.Error.Span("  "+strings.TrimSpace(parts[0].String())),
		show.Dim.Span("  "+text.Took(c.Took)))
	lines := append([]show.Line{append(first, noteSpan(number)...)}, parts[1:]...)
	if len(c.Args) > 0 && e.Times <= 1 {
		lines = append(lines, show.Lines(show.Code, "    ", o.Args(c, max(width-4, 0)))...)
	}
	return lines
}

// exchanged is how many lines of a result are shown with its call.
const exchanged = 12

// exchangeLines are what a call was given and the beginning of what it gave back.
func exchangeLines(c *trace.Call, width int, o RenderOptions) []show.Line {
	const margin = "    "
	m := o.Marks()
	var lines []show.Line
	if len(c.Args) > 0 {
		lines = show.Lines(show.Code, margin, o.Args(c, max(width-len(margin), 0)))
	}
	if c.Result == nil {
		return lines
	}
	result := show.Lines(show.Dim, margin, show.LuaText(c.Result, max(width-len(margin), 0)))
	over, note := len(result)-exchanged, ""
	if over > 1 {
		result, note = result[:exchanged:exchanged], fmt.Sprintf("%d more lines", over)
	}
	if c.Part != "" {
		note = "of " + c.Brief
	}
	if note != "" {
		result = append(result, show.Dim.Line(margin+m.Cut+" "+text.SanitizeLine(note)))
	}
	return append(lines, result...)
}

// callTag is the effect letter of a call: R, W or !.
func callTag(c *trace.Call) string {
	switch {
	case !c.Mutates:
		return "R"
	case c.Risk == catalog.High:
		return "!"
	}
	return "W"
}

func noteSpan(number string) show.Line {
	if number == "" {
		return nil
	}
	return show.Dim.Line("  " + number)
}

func wroteLines(e Event, width int, o RenderOptions) []show.Line {
	m := o.Marks()
	prefix := "  " + m.Quote + " "
	tool := e.Tool
	if i := strings.LastIndexByte(tool, '_'); i >= 0 {
		tool = tool[i+1:]
	}
	if tool == "describe" {
		ids := "describe " + strings.ReplaceAll(e.Text, "\n", ", ")
		return show.WrapCode(show.Dim.Line(prefix), show.Code.Line(text.SanitizeLine(ids)), show.Dim.Line(prefix), width)
	}
	lines := []show.Line{show.Dim.Line(prefix + "-- " + text.SanitizeLine(tool))}
	source := strings.Split(strings.TrimRight(e.Text, " \t\n"), "\n")
	over := len(source) - foldedLines
	if over <= 1 || o.Verbose || e.Full {
		return append(lines, QuotedLua(e.Text, 0, width, m)...)
	}
	note := fmt.Sprintf("%s%s %d more lines", prefix, m.Cut, over)
	if e.Cell > 0 {
		note += fmt.Sprintf(" %s /expand %d", m.Dot, e.Cell)
	}
	return append(append(lines, QuotedLua(e.Text, foldedLines, width, m)...), show.Dim.Line(note))
}

// foldedLines is how much of a script of the model's is shown before it is known how it ends. One that fails is shown
// whole then.
const foldedLines = 4

// QuotedLua is the first lines of a script, all for 0, in the colours of its tokens behind a mark, broken at width.
func QuotedLua(source string, first, width int, m show.Marks) []show.Line {
	var lines []show.Line
	mark := show.Dim.Line("  " + m.Quote + " ")
	for i, l := range show.LuaLines(show.ExpandTabs(text.Sanitize(strings.TrimRight(source, " \t\n")))) {
		if first > 0 && i == first {
			break
		}
		lines = append(lines, show.WrapCode(mark, l, mark, width)...)
	}
	return lines
}
