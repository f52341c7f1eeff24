package event

import (
	"fmt"
	"strings"

	"almanac/catalog/text"
	"almanac/catalog/text/cells"
	"almanac/llm"
	"almanac/repl/show"
	"almanac/session"
)

// This file is what the model reads of its tools' answers, which the person can read too.

const (
	keptAnswer  = 16 << 10 // of one answer
	keptAnswers = 256 << 10
	keptScripts = 256 << 10
)

// ToolAnswer is the Answered event of what a tool answered, cut to what is kept; full shows the whole of that.
func ToolAnswer(tool, answer string, cell int, full bool) Event {
	return Event{
		Kind: Answered, Cell: cell, Author: session.Model, Tool: tool,
		Text: text.HeadBytes(answer, keptAnswer), Total: len(answer), Full: full,
	}
}

// answer keeps what the model reads of a tool's answer, and tells it where nothing has shown it, as with shown.
func (f *Feed) answer(e llm.Event, shown bool) {
	f.mu.Lock()
	cell := f.cell.N
	f.cell.went(ToolAnswer(e.Call.Name, e.Text, cell, true), keptAnswers)
	f.mu.Unlock()
	if !shown && strings.Contains(strings.TrimSpace(e.Text), "\n") {
		f.Emit(ToolAnswer(e.Call.Name, e.Text, cell, false))
	}
}

// answeredLines shows what the model read, as one line with its beginning, or whole.
func answeredLines(e Event, width int, o RenderOptions) []show.Line {
	m := o.Marks()
	whole := text.Sanitize(strings.TrimRight(e.Text, "\n"))
	lines := strings.Count(whole, "\n") + 1
	told := fmt.Sprintf("  %s the model read %s", m.Dot, text.Count(lines, "line"))
	if e.Total > len(e.Text) {
		told = fmt.Sprintf("  %s the model read %s", m.Dot, text.Bytes(int64(e.Total)))
	}
	if e.Full || o.Verbose {
		out := []show.Line{show.Dim.Line(told + ":")}
		out = append(out, show.Lines(show.Dim, "    ", whole)...)
		if more := e.Total - len(e.Text); more > 0 {
			out = append(out, show.Dim.Line("    "+m.Cut+" "+text.Bytes(int64(more))+" more not kept"))
		}
		return show.Wrap(out, width)
	}
	rest := ""
	if e.Cell > 0 {
		rest = fmt.Sprintf(" %s /expand %d", m.Dot, e.Cell)
	}
	first, _, _ := strings.Cut(whole, "\n")
	told += ": " + first
	if width > 0 {
		told = cells.Clip(told, max(width-cells.Width(rest), 0), m.Cut)
	}
	return []show.Line{show.Dim.Line(told + rest)}
}
