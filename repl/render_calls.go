package repl

// This file shows what a script does on its way: its calls, and the source where the model wrote it.

import (
	"fmt"
	"strings"

	"almanac/catalog"
	"almanac/session/trace"
)

func callLines(e Event, width int, o RenderOptions) []Line {
	c, m := e.Call, o.Marks()
	number := fmt.Sprintf("[%d.%d]", e.Cell, c.N)
	if e.Cell == 0 {
		number = ""
	}
	id := Span{RoleID, SanitizeLine(c.ID)}
	inside := strings.Repeat("  ", 1+c.Depth)
	switch c.Verdict {
	case trace.Planned:
		return nil // the preview lists them all at its end
	case trace.OK:
		l := Line{{RoleOK, inside + m.OK + " "}, id}
		switch {
		case c.Composed:
		case c.Mutates:
			l = append(l, Span{RoleMutates, " " + callTag(c) + " changed"})
		default:
			l = append(l, Span{RoleDim, " " + callTag(c)})
		}
		if e.Times > 1 {
			l = append(l, Span{RoleText, fmt.Sprintf(" %s%d", m.Times, e.Times)})
		}
		note := "  " + tookText(c.Took)
		if c.Brief != "" {
			note = "  " + SanitizeLine(c.Brief) + note
		}
		l = append(l, Span{RoleDim, note})
		lines := []Line{append(l, noteSpan(number)...)}
		if o.Verbose && e.Times <= 1 {
			lines = append(lines, exchangeLines(c, width, o)...)
		}
		return lines
	}
	text := strings.TrimPrefix(strings.TrimPrefix(c.Error, c.ID), ": ")
	if text == "" {
		text = string(c.Verdict)
	}
	parts := textLines(RoleError, "    ", text)
	first := Line{{RoleError, inside + m.Fail + " "}, id, {RoleError, "  " + strings.TrimSpace(parts[0].String())}, {RoleDim, "  " + tookText(c.Took)}}
	lines := append([]Line{append(first, noteSpan(number)...)}, parts[1:]...)
	if len(c.Args) > 0 {
		lines = append(lines, textLines(RoleCode, "    ", o.args(c, max(width-4, 0)))...)
	}
	return lines
}

// exchanged is how many lines of a result are shown with its call.
const exchanged = 12

// exchangeLines are what a call was given and the beginning of what it gave back.
func exchangeLines(c *trace.Call, width int, o RenderOptions) []Line {
	const margin = "    "
	m := o.Marks()
	var lines []Line
	if len(c.Args) > 0 {
		lines = textLines(RoleCode, margin, o.args(c, max(width-len(margin), 0)))
	}
	if c.Result == nil {
		return lines
	}
	result := textLines(RoleDim, margin, LuaText(c.Result, max(width-len(margin), 0)))
	over, note := len(result)-exchanged, ""
	if over > 1 {
		result, note = result[:exchanged:exchanged], fmt.Sprintf("%d more lines", over)
	}
	if c.Part != "" {
		note = "of " + c.Brief
	}
	if note != "" {
		result = append(result, Line{{RoleDim, margin + m.Cut + " " + SanitizeLine(note)}})
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

func noteSpan(number string) Line {
	if number == "" {
		return nil
	}
	return Line{{RoleDim, "  " + number}}
}

func wroteLines(e Event, width int, o RenderOptions) []Line {
	m := o.Marks()
	prefix := "  " + m.Quote + " "
	tool := e.Tool
	if i := strings.LastIndexByte(tool, '_'); i >= 0 {
		tool = tool[i+1:]
	}
	if tool == "describe" {
		text := "describe " + strings.ReplaceAll(e.Text, "\n", ", ")
		return wrapCode(Line{{RoleDim, prefix}}, Line{{RoleCode, SanitizeLine(text)}}, Line{{RoleDim, prefix}}, width)
	}
	lines := []Line{{{RoleDim, prefix + "-- " + SanitizeLine(tool)}}}
	source := strings.Split(strings.TrimRight(e.Text, " \t\n"), "\n")
	over := len(source) - foldedLines
	if over <= 1 || o.Verbose {
		return append(lines, quotedLua(e.Text, 0, width, m)...)
	}
	note := fmt.Sprintf("%s%s %d more lines", prefix, m.Cut, over)
	if e.Cell > 0 {
		note += fmt.Sprintf(" %s /expand %d", m.Dot, e.Cell)
	}
	return append(append(lines, quotedLua(e.Text, foldedLines, width, m)...), Line{{RoleDim, note}})
}

// foldedLines is how much of a script of the model's is shown before it is known how it ends. One that fails is shown
// whole then.
const foldedLines = 4

// quotedLua is the first lines of a script, all for 0, in the colours of its tokens behind a mark, broken at width.
func quotedLua(source string, first, width int, m Marks) []Line {
	var lines []Line
	mark := Line{{RoleDim, "  " + m.Quote + " "}}
	for i, l := range LuaLines(expandTabs(Sanitize(strings.TrimRight(source, " \t\n")))) {
		if first > 0 && i == first {
			break
		}
		lines = append(lines, wrapCode(mark, l, mark, width)...)
	}
	return lines
}
