package event

// This file is the model's reasoning: how long it is while it goes on, and a Thought event when it is over.

import (
	"strconv"
	"time"

	"almanac/catalog/text"
	"almanac/llm"
	"almanac/repl/show"
	"almanac/session"
)

// What is kept of one reasoning text, and of those of a cell, in bytes.
const (
	keptThought  = 16 << 10
	keptThoughts = 64 << 10
)

// A thought is reasoning that still comes in.
type thought struct {
	text  []byte // the first keptThought bytes
	last  []byte // the last bytes, as many or twice as many as a screen shows
	bytes int
	since time.Time
}

// lastThought is how much of the end of a reasoning text Thinking returns at least, where there is as much.
const lastThought = 2 << 10

func (t *thought) add(piece string) {
	if t.bytes == 0 {
		t.since = time.Now()
	}
	t.bytes += len(piece)
	t.text = append(t.text, piece[:min(len(piece), keptThought-len(t.text))]...)
	if t.last = append(t.last, piece...); len(t.last) > 2*lastThought {
		t.last = append(t.last[:0:0], t.last[len(t.last)-lastThought:]...)
	}
}

// think takes in a piece of reasoning, or ends it with the first event of another kind.
func (f *Feed) think(e llm.Event) {
	if e.Kind != llm.Thinking {
		f.endThought()
		return
	}
	f.mu.Lock()
	f.thought.add(e.Text)
	f.mu.Unlock()
	f.Refresh()
}

// endThought makes a Thought event of the reasoning that came in, where any did.
func (f *Feed) endThought() {
	f.mu.Lock()
	t := f.thought
	f.thought = thought{}
	cell := f.cell.N
	if t.bytes > 0 {
		f.cell.went(Event{Kind: Thought, Text: string(t.text), Full: true}, keptThoughts)
	}
	f.mu.Unlock()
	if t.bytes > 0 {
		f.Emit(Event{
			Kind: Thought, Cell: cell, Author: session.Model,
			Text: string(t.text), Total: t.bytes, Elapsed: time.Since(t.since),
		})
	}
}

// Thinking tells how many bytes of reasoning have come in since the model last said or did something, and how the text
// ends; zero when it does not think.
func (f *Feed) Thinking() (bytes int, end string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.thought.bytes, string(f.thought.last)
}

// thoughtLines shows reasoning as one line that says how long it is, or whole.
func thoughtLines(e Event, width int, o RenderOptions) []show.Line {
	m := o.Marks()
	total := max(e.Total, len(e.Text))
	if e.Full || o.Verbose {
		lines := show.Wrap(show.Lines(show.Dim, "  ", e.Text), width)
		if more := total - len(e.Text); more > 0 {
			lines = append(lines, show.Dim.Line("  "+m.Cut+" "+text.Bytes(int64(more))+" more of reasoning not kept"))
		}
		return lines
	}
	told := "  " + m.Dot + " thought"
	if e.Elapsed >= slow {
		told += " for " + text.Took(e.Elapsed)
	}
	told += ", " + text.Bytes(int64(total))
	if e.Cell > 0 {
		told += " " + m.Dot + " /expand " + strconv.Itoa(e.Cell)
	}
	return []show.Line{show.Dim.Line(told)}
}
