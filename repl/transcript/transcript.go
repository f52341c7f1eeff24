package transcript

// This file shows what a log tells: the whole of it as a transcript, and the last cells of an earlier session above the
// first prompt of one that goes on from it.

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"almanac/catalog/text"
	"almanac/llm"
	"almanac/repl/event"
	"almanac/repl/input"
	"almanac/repl/show"
	"almanac/session"
	"almanac/session/trace"
	"almanac/session/vm"
)

// Lines shows the records of a log, in their order, as a screen had shown what they tell of.
func Lines(records []trace.Record, width int, o event.RenderOptions) []show.Line {
	records = closeAsked(made(records))
	t := &transcribing{
		width: width, o: o, m: o.Marks(), asked: map[int]bool{}, calls: map[int]int{}, authors: map[string]session.Author{},
		over: map[nth]bool{}, effects: map[string][]trace.Call{},
	}
	for _, r := range records {
		if r.Kind == trace.KindCall && r.Call != nil {
			t.over[nth{r.Run, r.Call.N}] = true
		}
	}
	for _, r := range records {
		t.add(r)
	}
	t.push(t.fold.Flush()...)
	return t.lines
}

// A transcribing is a log on its way to lines.
type transcribing struct {
	width   int
	o       event.RenderOptions
	m       show.Marks
	lines   []show.Line
	fold    event.CallFold
	asked   map[int]bool              // cells that began with words
	calls   map[int]int               // calls of each cell so far
	authors map[string]session.Author // of each run
	over    map[nth]bool              // the calls that ended
	effects map[string][]trace.Call   // those of each run that have effects
}

// nth is the n-th call of a run.
type nth struct {
	run string
	n   int
}

func (t *transcribing) push(events ...event.Event) {
	for _, e := range events {
		t.lines = append(t.lines, show.Wrap(event.Lines(e, t.width, t.o), t.width)...)
	}
}

// note adds a line about the session.
func (t *transcribing) note(said string) {
	t.push(t.fold.Flush()...)
	t.lines = append(t.lines, show.Wrap([]show.Line{show.Dim.Line(t.m.Dot + " " + text.SanitizeLine(said))}, t.width)...)
}

func (t *transcribing) add(r trace.Record) {
	if r.Kind != trace.KindCall {
		t.push(t.fold.Flush()...)
	}
	switch r.Kind {
	case trace.KindSession:
		if r.About != nil {
			t.note(fmt.Sprintf("session %s, %s", r.About.ID, StartText(r.Time)))
		}
	case trace.KindName:
		t.note("called " + r.Text)
	case trace.KindReset:
		t.note("Lua was reset")
	case trace.KindBack:
		t.note("Lua went back to " + r.Text)
	case trace.KindForget:
		t.note("new conversation")
	case trace.KindNote:
		t.note(r.Text)
	case trace.KindPrompt:
		t.asked[r.Cell] = true
		t.push(event.Event{Kind: event.Began, Cell: r.Cell, Mode: input.AskMode, Text: r.Text})
	case trace.KindRun:
		t.run(r)
	case trace.KindOutput:
		t.push(event.Event{Kind: event.Printed, Stream: vm.Stream(r.Stream), Text: r.Text})
	case trace.KindBegin:
		if r.Call != nil && !t.over[nth{r.Run, r.Call.N}] {
			t.push(event.Event{Kind: event.Said, Level: event.Warning, Text: unended(*r.Call)})
		}
	case trace.KindCall:
		if r.Call != nil {
			call := *r.Call
			if len(call.Effects)+len(call.EffectsRejected) > 0 {
				t.effects[r.Run] = append(t.effects[r.Run], call)
			}
			t.calls[r.Cell]++
			call.N = t.calls[r.Cell]
			t.push(t.fold.Push(event.Event{Kind: event.Called, Cell: r.Cell,
				Author: session.Author(call.Author), Call: &call})...)
		}
	case trace.KindOutcome:
		if r.Ended != nil {
			t.ended(*r.Ended, t.authors[r.Run])
			run := Run{Mode: r.Mode, Calls: t.effects[r.Run], Ended: r.Ended}
			t.lines = append(t.lines, show.Wrap(event.EffectLines(run.effects(), t.m), t.width)...)
		}
	case trace.KindMessage:
		var m llm.Message
		if json.Unmarshal(r.Message, &m) != nil {
			return
		}
		if m.Reasoning != "" {
			t.push(event.Event{Kind: event.Thought, Text: m.Reasoning, Full: true})
		}
		if m.Role == llm.ToolRole {
			t.push(event.ToolAnswer("", m.Text, 0, true))
		}
		if m.Role == llm.Cut {
			t.note(fmt.Sprintf("the conversation went back to before [%d]", m.Cell))
		}
		if m.Role == llm.Summary {
			t.push(event.Event{Kind: event.Said, Level: event.Notice, Text: "the model summed up what was said\n" + m.Text})
		}
	case trace.KindArrived:
		if item, ok := itemOf(r); ok {
			t.push(event.Event{Kind: event.Arrived, Item: &item, Full: true})
		}
	case trace.KindAnswer:
		for _, l := range show.MarkdownLines(r.Text, max(t.width-2, 0), t.o.Options) {
			t.lines = append(t.lines, append(show.Model.Line("  "), l...))
		}
	}
}

// run shows a script: the person's as it was typed, the model's whole.
func (t *transcribing) run(r trace.Record) {
	author := session.Author(r.Author)
	t.authors[r.Run] = author
	if author == session.User {
		text, mode := r.Text, input.LuaMode
		switch {
		case r.Mode == trace.ModePreview:
			text = "/preview " + text
		case r.Mode == trace.ModeFresh:
			text = "/execute --fresh " + text
		}
		t.push(event.Event{Kind: event.Began, Cell: r.Cell, Mode: mode, Text: strings.Trim(text, "\n")})
		return
	}
	if r.Cell > 0 && !t.asked[r.Cell] {
		t.note(fmt.Sprintf("the model in [%d]", r.Cell))
	}
	t.lines = append(t.lines, event.QuotedLua(r.Text, 0, t.width, t.m)...)
}

func (t *transcribing) ended(o trace.Outcome, author session.Author) {
	if o.Stdout != "" {
		t.push(event.Event{Kind: event.Printed, Stream: vm.Stdout, Text: o.Stdout})
	}
	if o.Stderr != "" {
		t.push(event.Event{Kind: event.Printed, Stream: vm.Stderr, Text: o.Stderr})
	}
	var lines []show.Line
	if o.Repr != "" {
		role, margin := show.Result, ""
		if author == session.Model {
			role, margin = show.Dim, "  "
		}
		lines = show.Lines(role, margin, o.Repr)
	}
	if !o.OK {
		lines = append(lines, show.Lines(show.Error, "", "error: "+o.Error)...)
	}
	if names := event.OwnNames(o.Changed); len(names) > 0 {
		who := cmp.Or(string(author), "you")
		lines = append(lines, show.Dim.Line("  "+t.m.Dot+" "+who+" set "+text.SanitizeLine(strings.Join(names, ", "))))
	} else if o.PutBack {
		lines = append(lines, show.Dim.Line("  "+t.m.Dot+" globals put back"))
	}
	t.lines = append(t.lines, show.Wrap(lines, t.width)...)
}

// What is shown of each of the last cells of an earlier session: lines of its input, and of what came of it.
const (
	earlierCells  = 3
	earlierSource = 4
	earlierResult = 3
)

// Lines are the last cells, dim, with the first lines of what each came to; none where there are no cells.
func (p Past) Lines(o event.RenderOptions) []show.Line {
	cells, _ := Cells(p.Records)
	if len(cells) == 0 {
		return nil
	}
	m := o.Marks()
	var lines []show.Line
	if more := len(cells) - earlierCells; more > 0 {
		lines = append(lines, show.Dim.Line(fmt.Sprintf("%s %d earlier; /transcript shows all", m.Cut, more)))
	}
	for _, c := range cells[max(0, len(cells)-earlierCells):] {
		lines = append(lines, c.Lines(earlierSource, earlierResult, m)...)
	}
	for i, l := range lines {
		lines[i] = show.Dim.Line(l.String())
	}
	return lines
}

// Lines are a cell as the log tells of it: at most source lines of its input and result lines of what it came to.
func (c Cell) Lines(source, result int, m show.Marks) []show.Line {
	mode := input.LuaMode
	if c.Form == input.Words {
		mode = input.AskMode
	}
	input := strings.Trim(c.Source, "\n")
	if len(c.Runs) > 0 && c.Runs[0].Mode == trace.ModePreview {
		input = "/preview " + input
	}
	lines := atMost(event.EchoLines(event.Event{Cell: c.N, Mode: mode, Text: input}, 0, m), source, m)
	for _, call := range c.Calls {
		if call.Error == askedAtEnd {
			lines = append(lines, show.Error.Line("  "+m.Fail+" "+text.SanitizeLine(call.ID+": "+call.Error)))
		}
	}
	switch answer := c.Result(); {
	case c.Err != nil:
		lines = append(lines, show.Error.Line("  "+m.Fail+" "+text.SanitizeLine(firstLine(c.Err.Error()))))
	case answer != "":
		lines = append(lines, atMost(show.Lines(show.Dim, "  ", answer), result, m)...)
	}
	return lines
}

// atMost cuts lines off behind the first n and says so; one more line is shown, not said.
func atMost(lines []show.Line, n int, m show.Marks) []show.Line {
	if over := len(lines) - n; over > 1 {
		return append(slices.Clip(lines[:n]), show.Dim.Line(fmt.Sprintf("      %s %d more lines", m.Cut, over)))
	}
	return lines
}
