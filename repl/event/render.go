package event

// This file turns events into lines of text with roles. A role says what a piece of text is; which colour that means,
// if any, is for the screen to decide. Everything that comes from outside is sanitized here.

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"almanac/catalog/text"
	"almanac/catalog/text/cells"
	"almanac/repl/input"
	"almanac/repl/show"
	"almanac/session"
	"almanac/session/trace"
	"almanac/session/vm"
)

// RenderOptions say how events become text. The zero value is what a terminal with UTF-8 wants.
type RenderOptions struct {
	show.Options
	// Verbose shows each call with its arguments and the beginning of its result, and scripts of the model's whole.
	Verbose bool
	// NoEcho leaves out Began events: the terminal has echoed the input already.
	NoEcho bool
	// NoChanges leaves out which globals a run changed.
	NoChanges bool
	// ArgOrder tells the order in which an action declares its arguments: Shell.ArgOrder. They are sorted where it is
	// nil, or knows none.
	ArgOrder func(id string) []string
}

// Args writes the arguments of a call in the order in which its action declares them.
func (o RenderOptions) Args(c *trace.Call, width int) string {
	var first []string
	if o.ArgOrder != nil {
		first = o.ArgOrder(c.ID)
	}
	return show.ArgsInOrder(c.Args, width, first)
}

// Lines returns e as text. width is the width of the screen in cells: tables are fitted to it, other lines are left
// to the screen to wrap; 0 means no limit. Printed and Spoke events are taken for whole lines: a screen that shows
// them as they come puts a LineBuffer in front.
func Lines(e Event, width int, o RenderOptions) []show.Line {
	m := o.Marks()
	switch e.Kind {
	case Began:
		if o.NoEcho {
			return nil
		}
		return EchoLines(e, width, m)
	case Printed:
		return printedLines(e, width, m)
	case Called:
		if e.Call != nil {
			return show.Wrap(callLines(e, width, o), width)
		}
	case Wrote:
		return wroteLines(e, width, o)
	case Spoke:
		return show.Lines(show.Model, "  ", strings.TrimSuffix(e.Text, "\n"))
	case Retrying:
		return show.Wrap(saidLines(Event{Text: e.Text, Level: Notice}, o), width)
	case Answered:
		return answeredLines(e, width, o)
	case Arrived:
		if e.Item != nil {
			return arrivedLines(e, width, o)
		}
	case Thought:
		return thoughtLines(e, width, o)
	case Ran:
		if e.Outcome != nil {
			return ranLines(e, width, o)
		}
	case Said:
		return fitted(saidLines(e, o), e.Cut, width, m)
	case Asked:
		if e.Ask != nil {
			return AskLines(e, width, o)
		}
	case Ended:
		return show.Wrap(endedLines(e, m), width)
	case Listed:
		return listedLines(e, width, m)
	case Found:
		return show.Wrap(hitLines(e, width, m), width)
	case Recalled:
		return append(saidLines(Event{Text: "its prompt was:", Level: Notice}, o), show.Lines(show.Code, "  ", e.Text)...)
	case Drafted:
		if e.Text == "" {
			return saidLines(Event{Text: "no screen to edit on"}, o)
		}
		return show.Lines(show.Code, "", e.Text)
	case Copied:
		var lines []show.Line
		for _, said := range CopyEvents(e) {
			lines = append(lines, Lines(said, width, o)...)
		}
		return lines
	case Opened:
		if e.Pane == PagerPane {
			return InsideLines(e, width, o)
		}
		return fitted(saidLines(Event{Text: e.Text}, o), e.Cut, width, m)
	}
	return nil
}

// printedLines shows what a script printed. What the model prints may look like a line of the program's own: every row
// of it has a margin.
func printedLines(e Event, width int, m show.Marks) []show.Line {
	role := show.Output
	if e.Stream != vm.Stdout {
		role = show.Errout
	}
	lines := show.Lines(role, "", strings.TrimSuffix(e.Text, "\n"))
	if e.Author != session.Model {
		return lines
	}
	var out []show.Line
	margin := show.Line{show.Dim.Span(m.Quote + " ")}
	for _, l := range lines {
		out = append(out, show.WrapCode(margin, l, margin, width)...)
	}
	return out
}

// fitted breaks lines of one span at the width, or cuts them.
func fitted(lines []show.Line, cut bool, width int, m show.Marks) []show.Line {
	if !cut {
		return show.Wrap(lines, width)
	}
	for _, l := range lines {
		if len(l) > 0 {
			l[0].Text = cells.Clip(l[0].Text, width, m.Cut)
		}
	}
	return lines
}

// InsideLines shows what a pager shows.
func InsideLines(e Event, width int, o RenderOptions) []show.Line {
	var lines []show.Line
	for _, inner := range e.Inside {
		lines = append(lines, Lines(inner, width, o)...)
	}
	return lines
}

// PromptText is what stands before input in mode m.
func PromptText(m input.Mode, o RenderOptions) string {
	return m.String() + " " + o.Marks().Prompt + " "
}

func EchoLines(e Event, width int, m show.Marks) []show.Line {
	lines := show.Lines(show.Code, "", e.Text)
	if input.Parse(e.Text, e.Mode).Form == input.Lua {
		lines = show.LuaLines(show.ExpandTabs(text.Sanitize(e.Text)))
	}
	prompt := e.Mode.String() + " " + m.Prompt + " "
	further := strings.Repeat(" ", cells.Width(prompt))
	note := ""
	if e.Cell > 0 {
		note = fmt.Sprintf("[%d]", e.Cell)
	}
	var out []show.Line
	for i, l := range lines {
		p, room := prompt, width-cells.Width(note)-2
		if i > 0 {
			p, room = further[:len(further)-len(m.More)-1]+m.More+" ", width
		}
		out = append(out, show.WrapCode(show.Prompt.Line(p), l, show.Prompt.Line(further), room)...)
	}
	if note != "" {
		out[0] = append(out[0], rightNote(out[0], note, width)...)
	}
	return out
}

// rightNote puts a note at the right end of a line where there is room, else right behind it.
func rightNote(l show.Line, note string, width int) show.Line {
	gap := width - l.Width() - cells.Width(note)
	if gap < 2 {
		gap = 2
	}
	return show.Dim.Line(strings.Repeat(" ", gap) + note)
}

// saidLines shows a message of the shell. A failure begins with "error:" so that it is known without colour.
func saidLines(e Event, o RenderOptions) []show.Line {
	text := strings.TrimRight(e.Text, "\n")
	if o.ASCII {
		text = strings.NewReplacer("…", "...", "·", "-", "×", "x").Replace(text)
	}
	switch e.Level {
	case Notice:
		return show.Lines(show.Notice, "", text)
	case Warning:
		return show.Lines(show.Warning, "", "warning: "+text)
	case Failure:
		return show.Lines(show.Error, "", "error: "+text)
	}
	return show.Lines(show.Text, "", text)
}

// slow is from what time on the end of a cell says how long it took.
const slow = 2 * time.Second

// endedLines shows the failure of a cell that no Ran event has shown.
func endedLines(e Event, m show.Marks) []show.Line {
	var script *vm.Error
	var lines []show.Line
	switch {
	case e.Err == nil || errors.As(e.Err, &script):
	case errors.Is(e.Err, context.Canceled):
		lines = []show.Line{show.Warning.Line("interrupted")}
	default:
		text := e.Err.Error()
		if !strings.HasPrefix(text, "usage: ") {
			text = "error: " + text
		}
		lines = show.Lines(show.Error, "", text)
		var hinted interface{ Hint() string }
		if errors.As(e.Err, &hinted) && hinted.Hint() != "" {
			lines = append(lines, show.Lines(show.Hint, "", "  hint: "+hinted.Hint())...)
		}
	}
	if e.Elapsed >= slow && e.Cell > 0 {
		lines = append(lines, show.Dim.Line(fmt.Sprintf("  [%d] took %s", e.Cell, text.Took(e.Elapsed))))
	}
	return lines
}

// ranLines shows values, what a preview would have called, and the error of a script.
func ranLines(e Event, width int, o RenderOptions) []show.Line {
	out := e.Outcome
	if e.Full {
		o.MaxRows = -1
	}
	var lines []show.Line
	values := out.Values
	if out.DryRun {
		lines = plannedLines(out, width, o)
	}
	if len(lines) > 0 {
		values = slices.DeleteFunc(slices.Clone(values), func(v vm.Value) bool { return v.Type == "nil" })
	}
	if len(lines) > 0 && len(values) > 0 && out.Err == nil {
		lines = append(lines, show.Warning.Line("placeholders stand for what these calls would return:"))
	}
	if out.Err == nil && e.Author == session.Model && !e.Full {
		lines = append(lines, modelValueLines(values, e.Cell, width, o)...)
	} else if out.Err == nil {
		rest := cellRest(e.Cell, o.Marks())
		if e.Call != nil {
			rest = CallRest(e.Cell, e.Call.N)
		}
		for _, v := range values {
			lines = append(lines, show.ValueLines(v, rest, width, o.Options)...)
		}
	}
	if out.Dropped > 0 {
		lines = append(lines, show.Warning.Line(fmt.Sprintf("%s %s of output dropped: the limit of a run",
			o.Marks().Cut, text.Bytes(out.Dropped))))
	}
	if out.Err != nil {
		folded := !o.Verbose && strings.Count(strings.TrimRight(e.Text, " \t\n"), "\n") > foldedLines
		if e.Author == session.Model && folded && out.Err.Kind != vm.Interrupt {
			lines = append(lines, QuotedLua(e.Text, 0, width, o.Marks())...)
		}
		lines = append(lines, show.ErrorLines(afterCalls(out), width)...)
	}
	lines = append(lines, changedLine(e, width, o)...)
	if !e.Full {
		lines = append(lines, show.Wrap(EffectLines(out.EffectStates(), o.Marks()), width)...)
	}
	if out.Lost != "" {
		lines = append(lines, show.Lines(show.Warning, "", "warning: "+out.Lost)...)
	}
	if out.Unsaved != "" {
		lines = append(lines, show.Lines(show.Warning, "", "warning: "+out.Unsaved)...)
	}
	lines = append(lines, notReachedLine(out)...)
	if out.DryRun {
		lines = append(lines, previewEnd(out)...)
	}
	return lines
}

// afterCalls is the error of a run below its calls: where one of them failed with it, that line has the message.
func afterCalls(out *session.Outcome) *vm.Error {
	failed := func(c trace.Call) bool {
		return c.ID == out.Err.Call && c.Verdict != trace.OK && c.Error == out.Err.Message
	}
	i := slices.IndexFunc(out.Calls, failed)
	if i < 0 {
		return out.Err
	}
	err := *out.Err
	err.Message = err.Call + " failed"
	if out.Calls[i].Verdict == trace.Denied {
		err.Message = err.Call + " was denied"
	}
	return &err
}

// changedLine tells which globals the run set or removed, and who did, or that they were put back.
func changedLine(e Event, width int, o RenderOptions) []show.Line {
	d, author := e.Outcome.Globals, cmp.Or(e.Author, session.User)
	var parts []string
	whose := func(names []string) string {
		for i, name := range names {
			if was, changed := e.Before[name]; changed {
				names[i] = fmt.Sprintf("%s (%s)", name, was.owner())
			}
		}
		return strings.Join(names, ", ")
	}
	if names := OwnNames(slices.Concat(d.Added, d.Changed)); len(names) > 0 {
		parts = append(parts, "set "+whose(names))
	}
	if names := OwnNames(d.Removed); len(names) > 0 {
		parts = append(parts, "removed "+whose(names))
	}
	if len(parts) > 0 {
		parts[0] = fmt.Sprintf("%s %s", author, parts[0])
	}
	if back := e.Outcome.PutBack; e.Outcome.RolledBack {
		names := strings.Join(OwnNames(slices.Concat(back.Added, back.Changed, back.Removed)), ", ")
		parts = append(parts, strings.TrimSuffix("globals put back: "+names, ": "))
	}
	var lines []show.Line
	m := o.Marks()
	if len(parts) > 0 && !e.Full && !o.NoChanges {
		told := fmt.Sprintf("  %s %s", m.Dot, strings.Join(parts, "; "))
		lines = append(lines, show.Dim.Line(cells.Clip(text.SanitizeLine(told), width, m.Cut)))
	}
	if why := e.Outcome.NotPutBack; why != "" && !e.Full {
		lines = append(lines, show.Lines(show.Warning, "", "warning: globals not put back: "+text.SanitizeLine(why))...)
	}
	return lines
}

// modelValueLines shows the beginning of what the model's script returned: the model reads it itself, the person
// wants to know that there is something.
func modelValueLines(values []vm.Value, cell, width int, o RenderOptions) []show.Line {
	rest := ""
	if cell > 0 {
		rest = fmt.Sprintf("/expand %d", cell)
	}
	if !o.Verbose {
		o.MaxRows = 3
	}
	var lines []show.Line
	for _, v := range values {
		if v.Repr == "" || v.Repr == "nil" {
			continue
		}
		for _, l := range show.ValueLines(v, rest, max(width-2, 0), o.Options) {
			lines = append(lines, show.Dim.Line("  "+l.String()))
		}
	}
	return lines
}

// plannedLines are the calls that a preview would have made.
func plannedLines(out *session.Outcome, width int, o RenderOptions) []show.Line {
	var lines []show.Line
	for _, c := range out.Calls {
		if c.Verdict != trace.Planned {
			continue
		}
		head := show.Line{show.Mutates.Span("  " + strings.Repeat("  ", c.Depth) + "would call "),
			show.ID.Span(text.SanitizeLine(c.ID) + " ")}
		room := 0
		if width > 0 {
			room = max(width-head.Width(), 1)
		}
		args := show.Lines(show.Code, "", o.Args(&c, room))
		lines = append(lines, append(head, args[0]...))
		for _, l := range args[1:] {
			lines = append(lines, append(show.Code.Line("  "), l...))
		}
		for _, l := range show.ForeseenLines(c.Preview) {
			lines = append(lines, append(show.Dim.Line("    "), l...))
		}
	}
	return lines
}

// previewEnd says what could not be copied into the preview, which plan it ended in, and how that is applied.
func previewEnd(out *session.Outcome) []show.Line {
	var lines []show.Line
	if len(out.Missing) > 0 {
		names := strings.Join(out.Missing, ", ")
		lines = append(lines, show.Warning.Line(text.SanitizeLine("not copied into the preview: "+names)))
	}
	end := "preview: nothing was changed"
	if out.Err != nil {
		planned := 0
		for _, c := range out.Calls {
			if c.Verdict == trace.Planned && c.Mutates && !c.Composed {
				planned++
			}
		}
		if planned > 0 {
			end += "; it stopped after " + text.Count(planned, "write")
		}
	}
	lines = append(lines, show.Notice.Line(end))
	if out.Plan > 0 {
		plan := fmt.Sprintf("plan %d: %s; /apply %d runs it", out.Plan, out.PlanText, out.Plan)
		lines = append(lines, show.Notice.Line(text.SanitizeLine(plan)))
	}
	return lines
}

// notReachedLine warns of what an applied plan has and the script did not come to.
func notReachedLine(out *session.Outcome) []show.Line {
	if len(out.NotReached) == 0 {
		return nil
	}
	told := fmt.Sprintf("plan %d: not reached, and not made: %s", out.Plan, strings.Join(out.NotReached, ", "))
	return []show.Line{show.Warning.Line(text.SanitizeLine(told))}
}

// cellRest says where a cell is shown whole; empty for none.
func cellRest(cell int, m show.Marks) string {
	if cell == 0 {
		return ""
	}
	return fmt.Sprintf("/expand %d %s /view %d", cell, m.Dot, cell)
}

// CallRest says where what a call returned is shown whole; empty where its cell has no number.
func CallRest(cell, call int) string {
	if cell == 0 {
		return ""
	}
	return fmt.Sprintf("/expand %d.%d", cell, call)
}
