package repl

// This file shows what a log tells: the whole of it as a transcript, and the last cells of an earlier session above the
// first prompt of one that goes on from it.

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"almanac/session"
	"almanac/session/trace"
	"almanac/session/vm"
)

func transcriptCommand() command {
	return command{
		name: "transcript", group: groupMore, aside: true, run: transcript,
		brief: "all that was done in this session and in those that it goes on from",
		more:  "It is read from the log, where long values are cut at 4 KiB. Whole calls: /trace N.M. To a file: /export FILE.md.",
	}
}

func transcript(_ context.Context, sh *Shell, _ *Cell, _ string) error {
	lines, err := sh.Transcript(0, RenderOptions{ASCII: sh.options.ASCII})
	if err != nil {
		return err
	}
	text := make([]string, len(lines))
	for i, l := range lines {
		text[i] = l.String()
	}
	sh.feed.Emit(Event{Kind: Opened, Pane: TranscriptPane, Text: strings.Join(text, "\n")})
	return nil
}

// Transcript shows the records of this session and of those that it goes on from, at most width cells wide where words
// allow it; 0 means no limit. It reads the log: a screen asks beside its loop.
func (sh *Shell) Transcript(width int, o RenderOptions) ([]Line, error) {
	if sh.options.Log == nil {
		return nil, errNoLog
	}
	records, err := sh.options.Log()
	if err != nil {
		return nil, err
	}
	return TranscriptLines(records, width, o), nil
}

// TranscriptLines shows the records of a log, in their order, as a screen had shown what they tell of.
func TranscriptLines(records []trace.Record, width int, o RenderOptions) []Line {
	t := &transcribing{width: width, o: o, m: o.Marks(), asked: map[int]bool{}, calls: map[int]int{}, authors: map[string]session.Author{}}
	for _, r := range records {
		t.add(r)
	}
	t.push(t.fold.Flush()...)
	return t.lines
}

// A transcribing is a log on its way to lines.
type transcribing struct {
	width   int
	o       RenderOptions
	m       Marks
	lines   []Line
	fold    CallFold
	asked   map[int]bool              // cells that began with words
	calls   map[int]int               // calls of each cell so far
	authors map[string]session.Author // of each run
}

func (t *transcribing) push(events ...Event) {
	for _, e := range events {
		t.lines = append(t.lines, wrapLines(Lines(e, t.width, t.o), t.width)...)
	}
}

// note adds a line about the session.
func (t *transcribing) note(text string) {
	t.push(t.fold.Flush()...)
	t.lines = append(t.lines, wrapLines([]Line{{{RoleDim, t.m.Dot + " " + SanitizeLine(text)}}}, t.width)...)
}

func (t *transcribing) add(r trace.Record) {
	if r.Kind != trace.KindCall {
		t.push(t.fold.Flush()...)
	}
	switch r.Kind {
	case trace.KindSession:
		if r.About != nil {
			t.note(fmt.Sprintf("session %s, %s", r.About.ID, startText(r.Time)))
		}
	case trace.KindName:
		t.note("called " + r.Text)
	case trace.KindReset:
		t.note("Lua was reset")
	case trace.KindForget:
		t.note("the conversation was forgotten")
	case trace.KindNote:
		t.note(r.Text)
	case trace.KindPrompt:
		t.asked[r.Cell] = true
		t.push(Event{Kind: Began, Cell: r.Cell, Mode: AskMode, Text: r.Text})
	case trace.KindRun:
		t.run(r)
	case trace.KindCall:
		if r.Call != nil {
			call := *r.Call
			t.calls[r.Cell]++
			call.N = t.calls[r.Cell]
			t.push(t.fold.Push(Event{Kind: Called, Cell: r.Cell, Author: session.Author(call.Author), Call: &call})...)
		}
	case trace.KindOutcome:
		if r.Ended != nil {
			t.ended(*r.Ended, t.authors[r.Run])
		}
	case trace.KindAnswer:
		for _, l := range MarkdownLines(r.Text, max(t.width-2, 0), t.o) {
			t.lines = append(t.lines, append(Line{{RoleModel, "  "}}, l...))
		}
	}
}

// run shows a script: the person's as it was typed, the model's whole.
func (t *transcribing) run(r trace.Record) {
	author := session.Author(r.Author)
	t.authors[r.Run] = author
	if author == session.User {
		text, mode := r.Text, LuaMode
		switch {
		case r.Mode == trace.ModePreview:
			text = "/preview " + text
		case r.Mode == trace.ModeFresh:
			text = "/execute --fresh " + text
		}
		t.push(Event{Kind: Began, Cell: r.Cell, Mode: mode, Text: strings.Trim(text, "\n")})
		return
	}
	if r.Cell > 0 && !t.asked[r.Cell] {
		t.note(fmt.Sprintf("the model in [%d]", r.Cell))
	}
	t.lines = append(t.lines, quotedLua(r.Text, 0, t.width, t.m)...)
}

func (t *transcribing) ended(o trace.Outcome, author session.Author) {
	if o.Stdout != "" {
		t.push(Event{Kind: Printed, Stream: vm.Stdout, Text: o.Stdout})
	}
	if o.Stderr != "" {
		t.push(Event{Kind: Printed, Stream: vm.Stderr, Text: o.Stderr})
	}
	var lines []Line
	if o.Repr != "" {
		role, margin := RoleResult, ""
		if author == session.Model {
			role, margin = RoleDim, "  "
		}
		lines = textLines(role, margin, o.Repr)
	}
	if names := ownNames(o.Changed); len(names) > 0 {
		who := orText(string(author), "you")
		lines = append(lines, Line{{RoleDim, "  " + t.m.Dot + " " + who + " set " + SanitizeLine(strings.Join(names, ", "))}})
	}
	if !o.OK {
		lines = append(lines, textLines(RoleError, "", "error: "+o.Error)...)
	}
	t.lines = append(t.lines, wrapLines(lines, t.width)...)
}

// What is shown of each of the last cells of an earlier session: lines of its input, and of what came of it.
const (
	earlierCells  = 3
	earlierSource = 4
	earlierResult = 3
)

// EarlierLines are the last cells of the session that this one goes on from, dim, with the first lines of what each came
// to; none where it begins anew.
func (sh *Shell) EarlierLines(o RenderOptions) []Line {
	cells, _ := PastCells(sh.options.Past.Records)
	if len(cells) == 0 {
		return nil
	}
	m := o.Marks()
	var lines []Line
	if more := len(cells) - earlierCells; more > 0 {
		lines = append(lines, Line{{RoleDim, fmt.Sprintf("%s %d earlier; /transcript shows all", m.Cut, more)}})
	}
	for _, c := range cells[max(0, len(cells)-earlierCells):] {
		lines = append(lines, pastLines(c, earlierSource, earlierResult, m)...)
	}
	for i, l := range lines {
		lines[i] = Line{{RoleDim, l.String()}}
	}
	return lines
}

// pastLines are a cell as the log tells of it: at most source lines of its input and result lines of what it came to.
func pastLines(c PastCell, source, result int, m Marks) []Line {
	mode := LuaMode
	if c.Form == Words {
		mode = AskMode
	}
	text := strings.Trim(c.Source, "\n")
	if len(c.Runs) > 0 && c.Runs[0].Mode == trace.ModePreview {
		text = "/preview " + text
	}
	lines := atMost(echoLines(Event{Cell: c.N, Mode: mode, Text: text}, 0, m), source, m)
	switch answer := cellResult(c.Cell); {
	case c.Err != nil:
		lines = append(lines, Line{{RoleError, "  " + m.Fail + " " + SanitizeLine(firstLine(c.Err.Error()))}})
	case answer != "":
		lines = append(lines, atMost(textLines(RoleDim, "  ", answer), result, m)...)
	}
	return lines
}

// atMost cuts lines off behind the first n and says so; one more line is shown, not said.
func atMost(lines []Line, n int, m Marks) []Line {
	if over := len(lines) - n; over > 1 {
		return append(slices.Clip(lines[:n]), Line{{RoleDim, fmt.Sprintf("      %s %d more lines", m.Cut, over)}})
	}
	return lines
}
