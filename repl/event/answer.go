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

// A ToolAnswer is what the model read of one call of a tool.
type ToolAnswer struct {
	Tool string
	// Text is the beginning of it, Total its length in bytes.
	Text  string
	Total int
}

const (
	keptAnswer  = 16 << 10 // of one answer
	keptAnswers = 256 << 10
	keptScripts = 256 << 10
)

// NewToolAnswer cuts what a tool answered to what is kept.
func NewToolAnswer(tool, answer string) ToolAnswer {
	return ToolAnswer{Tool: tool, Text: text.HeadBytes(answer, keptAnswer), Total: len(answer)}
}

// Event shows the answer, whole with full.
func (a ToolAnswer) Event(cell int, full bool) Event {
	return Event{Kind: Answered, Cell: cell, Author: session.Model, Tool: a.Tool, Text: a.Text, Total: a.Total, Full: full}
}

// answer keeps what the model reads of a tool's answer, and tells it where nothing has shown it, as with shown.
func (f *Feed) answer(e llm.Event, shown bool) {
	a := NewToolAnswer(e.Call.Name, e.Text)
	f.mu.Lock()
	cell := f.cell.N
	f.cell.went(a.Event(cell, true), keptAnswers)
	f.mu.Unlock()
	if !shown && strings.Contains(strings.TrimSpace(e.Text), "\n") {
		f.Emit(a.Event(cell, false))
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
