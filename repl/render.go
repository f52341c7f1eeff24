package repl

// This file turns events into lines of text with roles. A role says what a piece of text is; which colour that means,
// if any, is for the screen to decide. Everything that comes from outside is sanitized here.

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"almanac/session"
	"almanac/session/trace"
	"almanac/session/vm"
)

// A Role says what a piece of text is.
type Role int

// The roles.
const (
	RoleText     Role = iota // anything without a role of its own
	RolePrompt               // "lua ❯ "
	RoleCode                 // Lua source
	RoleOutput               // what a script printed
	RoleErrout               // what a script printed to stderr or logged
	RoleResult               // a value
	RoleHeader               // the head of a table
	RoleModel                // what the model says
	RoleID                   // an action's id
	RoleDim                  // less important: numbers of cells, times, marks
	RoleOK                   // a success
	RoleNotice               // a message of the shell
	RoleWarning              // a warning
	RoleError                // a failure
	RoleHint                 // what to do about it
	RoleMutates              // that something changes data
	RoleKey                  // a key to press
	RoleHeading              // a heading of Markdown
	RoleStrong               // words with weight
	RoleEmphasis             // words set apart
	RoleCodeSpan             // code inside of words
	RoleLink                 // an address
	RoleKeyword              // a keyword of Lua
	RoleString               // a string of Lua
	RoleNumber               // a number of Lua
)

// A Span is a piece of a line with one role. Its text has no newline and nothing a terminal would obey.
type Span struct {
	Role Role
	Text string
}

// A Line is one line of text.
type Line []Span

// String returns the line's text without roles.
func (l Line) String() string {
	var b strings.Builder
	for _, s := range l {
		b.WriteString(s.Text)
	}
	return b.String()
}

// Width is how many terminal cells the line takes.
func (l Line) Width() int {
	return textWidth(l.String())
}

// RenderOptions say how events become text. The zero value is what a terminal with UTF-8 wants.
type RenderOptions struct {
	// ASCII uses no characters beyond ASCII for marks and frames; data keeps its own.
	ASCII bool
	// MaxRows is how many rows of a table, or lines of another value, are shown; zero means 20, negative all.
	MaxRows int
	// Verbose shows each call with its arguments and the beginning of its result, and scripts of the model's whole.
	Verbose bool
	// NoEcho leaves out Began events: the terminal has echoed the input already.
	NoEcho bool
	// NoChanges leaves out which globals a run changed.
	NoChanges bool
	// ArgOrder tells the order in which an action declares its arguments: Shell.ArgOrder. They are sorted where it is
	// nil, or knows none.
	ArgOrder func(id string) []string
	// model is set for a value that the model's script returned.
	model bool
}

// args writes the arguments of a call in the order in which its action declares them.
func (o RenderOptions) args(c *trace.Call, width int) string {
	var first []string
	if o.ArgOrder != nil {
		first = o.ArgOrder(c.ID)
	}
	return argsText(c.Args, width, first)
}

func (o RenderOptions) rows() int {
	if o.MaxRows == 0 {
		return 20
	}
	return o.MaxRows
}

// Marks are the few characters that stand for something.
type Marks struct {
	Prompt, More, OK, Fail, Dot, Cut, Quote, Times, Rule string
}

// Marks returns the marks to use.
func (o RenderOptions) Marks() Marks {
	if o.ASCII {
		return Marks{Prompt: ">", More: "..", OK: "ok", Fail: "FAIL", Dot: "-", Cut: "...", Quote: "|", Times: "x", Rule: "-"}
	}
	return Marks{Prompt: "❯", More: "..", OK: "✓", Fail: "✗", Dot: "·", Cut: "…", Quote: "┊", Times: "×", Rule: "─"}
}

// Lines returns e as text. width is the width of the screen in cells: tables are fitted to it, other lines are left
// to the screen to wrap; 0 means no limit. Printed and Spoke events are taken for whole lines: a screen that shows
// them as they come puts a LineBuffer in front.
func Lines(e Event, width int, o RenderOptions) []Line {
	m := o.Marks()
	switch e.Kind {
	case Began:
		if o.NoEcho {
			return nil
		}
		return echoLines(e, width, m)
	case Printed:
		role := RoleOutput
		if e.Stream != vm.Stdout {
			role = RoleErrout
		}
		return textLines(role, "", strings.TrimSuffix(e.Text, "\n"))
	case Called:
		if e.Call != nil {
			return wrapLines(callLines(e, width, o), width)
		}
	case Wrote:
		return wroteLines(e, width, o)
	case Spoke:
		return textLines(RoleModel, "  ", strings.TrimSuffix(e.Text, "\n"))
	case Ran:
		if e.Outcome != nil {
			return ranLines(e, width, o)
		}
	case Said:
		return wrapLines(saidLines(e, o), width)
	case Asked:
		if e.Ask != nil {
			return AskLines(e, width, o)
		}
	case Ended:
		return wrapLines(endedLines(e, m), width)
	case Listed:
		return listedLines(e, width, m)
	case Found:
		return wrapLines(hitLines(e, width, m), width)
	case Drafted:
		if e.Text == "" {
			return saidLines(Event{Text: "there is no screen to edit on"}, o)
		}
		return textLines(RoleCode, "", e.Text)
	case Copied:
		var lines []Line
		for _, said := range CopyEvents(e) {
			lines = append(lines, Lines(said, width, o)...)
		}
		return lines
	case Opened:
		lines := saidLines(Event{Text: e.Text}, o)
		if !e.Cut {
			return wrapLines(lines, width)
		}
		for _, l := range lines {
			l[0].Text = cutText(l[0].Text, width, m.Cut)
		}
		return lines
	}
	return nil
}

// textLines splits sanitized text into lines of one role.
func textLines(role Role, prefix, text string) []Line {
	parts := strings.Split(expandTabs(Sanitize(text)), "\n")
	lines := make([]Line, len(parts))
	for i, p := range parts {
		lines[i] = Line{{role, prefix + p}}
	}
	return lines
}

// expandTabs puts blanks for tabs: how wide a tab is depends on where the screen puts it.
func expandTabs(s string) string {
	return strings.ReplaceAll(s, "\t", "    ")
}

// PromptText is what stands before input in mode m.
func PromptText(m Mode, o RenderOptions) string {
	return m.String() + " " + o.Marks().Prompt + " "
}

func echoLines(e Event, width int, m Marks) []Line {
	lines := textLines(RoleCode, "", e.Text)
	if Parse(e.Text, e.Mode).Form == Lua {
		lines = LuaLines(expandTabs(Sanitize(e.Text)))
	}
	prompt := e.Mode.String() + " " + m.Prompt + " "
	further := strings.Repeat(" ", textWidth(prompt))
	note := ""
	if e.Cell > 0 {
		note = fmt.Sprintf("[%d]", e.Cell)
	}
	var out []Line
	for i, l := range lines {
		p, room := prompt, width-textWidth(note)-2
		if i > 0 {
			p, room = further[:len(further)-len(m.More)-1]+m.More+" ", width
		}
		out = append(out, wrapCode(Line{{RolePrompt, p}}, l, Line{{RolePrompt, further}}, room)...)
	}
	if note != "" {
		out[0] = append(out[0], rightNote(out[0], note, width)...)
	}
	return out
}

// rightNote puts a note at the right end of a line where there is room, else right behind it.
func rightNote(l Line, note string, width int) Line {
	gap := width - l.Width() - textWidth(note)
	if gap < 2 {
		gap = 2
	}
	return Line{{RoleDim, strings.Repeat(" ", gap) + note}}
}

// saidLines shows a message of the shell. A failure begins with "error:" so that it is known without colour.
func saidLines(e Event, o RenderOptions) []Line {
	text := strings.TrimRight(e.Text, "\n")
	if o.ASCII {
		text = strings.NewReplacer("…", "...", "·", "-", "×", "x").Replace(text)
	}
	switch e.Level {
	case Notice:
		return textLines(RoleNotice, "", text)
	case Warning:
		return textLines(RoleWarning, "", "warning: "+text)
	case Failure:
		return textLines(RoleError, "", "error: "+text)
	}
	return textLines(RoleText, "", text)
}

// slow is from what time on the end of a cell says how long it took.
const slow = 2 * time.Second

// endedLines shows the failure of a cell that no Ran event has shown.
func endedLines(e Event, m Marks) []Line {
	var script *vm.Error
	var lines []Line
	switch {
	case e.Err == nil || errors.As(e.Err, &script):
	case errors.Is(e.Err, context.Canceled):
		lines = []Line{{{RoleWarning, "interrupted"}}}
	default:
		text := e.Err.Error()
		if !strings.HasPrefix(text, "usage: ") {
			text = "error: " + text
		}
		lines = textLines(RoleError, "", text)
		var hinted interface{ Hint() string }
		if errors.As(e.Err, &hinted) && hinted.Hint() != "" {
			lines = append(lines, textLines(RoleHint, "", "  hint: "+hinted.Hint())...)
		}
	}
	if e.Elapsed >= slow && e.Cell > 0 {
		lines = append(lines, Line{{RoleDim, fmt.Sprintf("  [%d] took %s", e.Cell, tookText(e.Elapsed))}})
	}
	return lines
}

// ranLines shows values, what a preview would have called, and the error of a script.
func ranLines(e Event, width int, o RenderOptions) []Line {
	out := e.Outcome
	if e.Full {
		o.MaxRows = -1
	}
	var lines []Line
	values := out.Values
	if out.DryRun {
		lines = plannedLines(out, width, o)
	}
	if len(lines) > 0 {
		values = slices.DeleteFunc(slices.Clone(values), func(v vm.Value) bool { return v.Type == "nil" })
	}
	if len(lines) > 0 && len(values) > 0 && out.Err == nil {
		lines = append(lines, Line{{RoleWarning, "placeholders stand for what these calls would return:"}})
	}
	if out.Err == nil && e.Author == session.Model && !e.Full {
		lines = append(lines, modelValueLines(values, e.Cell, width, o)...)
	} else if out.Err == nil {
		ref := cellRef(e.Cell)
		if e.Call != nil {
			ref = callRef(e.Cell, e.Call.N)
		}
		for _, v := range values {
			lines = append(lines, valueLines(v, ref, width, o)...)
		}
	}
	lines = append(lines, changedLine(e, width, o)...)
	if out.Dropped > 0 {
		lines = append(lines, Line{{RoleWarning, fmt.Sprintf("%s %s of output dropped: the limit of a run", o.Marks().Cut, bytesText(out.Dropped))}})
	}
	if out.Err != nil {
		folded := !o.Verbose && strings.Count(strings.TrimRight(e.Text, " \t\n"), "\n") > foldedLines
		if e.Author == session.Model && folded && out.Err.Kind != vm.Interrupt {
			lines = append(lines, quotedLua(e.Text, 0, width, o.Marks())...)
		}
		lines = append(lines, ErrorLines(out.Err, width)...)
	}
	if out.Lost != "" {
		lines = append(lines, textLines(RoleWarning, "", "warning: "+out.Lost)...)
	}
	if out.Unkept != "" {
		lines = append(lines, textLines(RoleWarning, "", "warning: "+out.Unkept)...)
	}
	if out.DryRun {
		lines = append(lines, previewEnd(out)...)
	}
	return lines
}

// changedLine tells which globals the run set or removed, and who did.
func changedLine(e Event, width int, o RenderOptions) []Line {
	d := e.Outcome.Globals
	var parts []string
	if names := ownNames(slices.Concat(d.Added, d.Changed)); len(names) > 0 {
		parts = append(parts, "set "+strings.Join(names, ", "))
	}
	if names := ownNames(d.Removed); len(names) > 0 {
		parts = append(parts, "removed "+strings.Join(names, ", "))
	}
	if len(parts) == 0 || e.Full || o.NoChanges {
		return nil
	}
	m := o.Marks()
	text := fmt.Sprintf("  %s %s %s", m.Dot, orText(string(e.Author), string(session.User)), strings.Join(parts, "; "))
	return []Line{{{RoleDim, cutText(SanitizeLine(text), width, m.Cut)}}}
}

// modelValueLines shows the beginning of what the model's script returned: the model reads it itself, the person
// wants to know that there is something.
func modelValueLines(values []vm.Value, cell, width int, o RenderOptions) []Line {
	o.model = true
	if !o.Verbose {
		o.MaxRows = 3
	}
	var lines []Line
	for _, v := range values {
		if v.Repr == "" || v.Repr == "nil" {
			continue
		}
		for _, l := range valueLines(v, cellRef(cell), max(width-2, 0), o) {
			lines = append(lines, Line{{RoleDim, "  " + l.String()}})
		}
	}
	return lines
}

// plannedLines are the calls that a preview would have made.
func plannedLines(out *session.Outcome, width int, o RenderOptions) []Line {
	var lines []Line
	for _, c := range out.Calls {
		if c.Verdict != trace.Planned {
			continue
		}
		head := Line{{RoleMutates, "  " + strings.Repeat("  ", c.Depth) + "would call "}, {RoleID, SanitizeLine(c.ID) + " "}}
		room := 0
		if width > 0 {
			room = max(width-head.Width(), 1)
		}
		args := textLines(RoleCode, "", o.args(&c, room))
		lines = append(lines, append(head, args[0]...))
		for _, l := range args[1:] {
			lines = append(lines, append(Line{{RoleCode, "  "}}, l...))
		}
		for _, l := range ForeseenLines(c.Preview) {
			lines = append(lines, append(Line{{RoleDim, "  "}}, l...))
		}
	}
	return lines
}

// previewEnd says what a preview could not see, and what it came to.
func previewEnd(out *session.Outcome) []Line {
	var lines []Line
	if len(out.Missing) > 0 {
		names := strings.Join(out.Missing, ", ")
		lines = append(lines, Line{{RoleWarning, SanitizeLine("not copied into the preview: " + names)}})
	}
	planned := 0
	for _, c := range out.Calls {
		if c.Verdict == trace.Planned && !c.Composed {
			planned++
		}
	}
	end := "preview: nothing was changed"
	switch {
	case planned > 0:
		end += fmt.Sprintf("; it would make %s that %s something", plural(planned, "call"), verb(planned, "changes", "change"))
	case out.Err == nil:
		end += ", and nothing would be"
	}
	return append(lines, Line{{RoleNotice, end}})
}

func verb(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

// ErrorLines shows a script's error: place and message, the source line with a caret, and the hint. An interrupt is
// no more than its word. A width above 0 is that of the screen.
func ErrorLines(err *vm.Error, width int) []Line {
	if err.Kind == vm.Interrupt {
		return []Line{{{RoleWarning, "interrupted"}}}
	}
	head := "error: "
	if err.Line > 0 {
		head = fmt.Sprintf("error: line %d: ", err.Line)
		if err.Column > 0 {
			head = fmt.Sprintf("error: line %d:%d: ", err.Line, err.Column)
		}
	}
	lines := wrapLines(textLines(RoleError, "", head+err.Message), width)
	if err.Excerpt != "" {
		lines = append(lines, excerptLines(err, width)...)
	}
	if err.Hint != "" {
		for _, l := range textLines(RoleHint, "", err.Hint) {
			lines = append(lines, wrapLine(append(Line{{RoleHint, "  hint: "}}, l...), width)...)
		}
	}
	for i, t := range err.Traceback {
		if i == 8 {
			lines = append(lines, Line{{RoleDim, fmt.Sprintf("  … %d more", len(err.Traceback)-i)}})
			break
		}
		if len(err.Traceback) > 1 {
			lines = append(lines, Line{{RoleDim, "  in " + SanitizeLine(t)}})
		}
	}
	return lines
}

// excerptLines are the source line of an error and a caret under the place. Of a line that is wider than the screen the
// part around the place is shown, or its beginning where the place is not known.
func excerptLines(err *vm.Error, width int) []Line {
	gutter := "  | "
	if err.Line > 0 {
		gutter = fmt.Sprintf("%5d | ", err.Line)
	}
	source := strings.TrimRight(err.Excerpt, "\n")
	clean := func(s string) string { return expandTabs(sanitizeSource(s)) }
	if err.Column <= 0 || err.Column > len(source)+1 {
		text := clean(source)
		if width >= minWrap {
			text = cutText(text, width-len(gutter), "...")
		}
		return []Line{{{RoleDim, gutter}, {RoleCode, text}}}
	}
	at := err.Column - 1
	for at > 0 && at < len(source) && !utf8.RuneStart(source[at]) {
		at--
	}
	before, after := clean(source[:at]), clean(source[at:])
	if room := width - len(gutter); width >= minWrap && textWidth(before)+textWidth(after) > room {
		const cut = "..."
		if lead := room * 2 / 3; textWidth(before) > lead {
			before = cut + textTail(before, max(lead-len(cut), 0))
		}
		after = cutText(after, max(room-textWidth(before), len(cut)), cut)
	}
	return []Line{
		{{RoleDim, gutter}, {RoleCode, before + after}},
		{{RoleDim, strings.Repeat(" ", len(gutter)-2) + "| "}, {RoleError, strings.Repeat(" ", textWidth(before)) + "^"}},
	}
}
