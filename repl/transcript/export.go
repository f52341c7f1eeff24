package transcript

// This file writes a session out: as a script that runs again, as a text to read, and as its records.

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"almanac/catalog/text"
	"almanac/catalog/text/cells"
	"almanac/repl/input"
	"almanac/session"
	"almanac/session/syntax"
	"almanac/session/trace"
)

// A Format is a form that a session is written out in.
type Format string

// The formats, named as the ends of their files.
const (
	FormatMarkdown Format = ".md"
	FormatLua      Format = ".lua"
	FormatJSONL    Format = ".jsonl"
)

// ParseFormat reads the format off the end of a file name, or the name of a format itself.
func ParseFormat(name string) (Format, error) {
	if base := filepath.Base(name); strings.HasPrefix(base, ".") && strings.Count(base, ".") == 1 {
		return "", fmt.Errorf("%s: no file name: want a name ending in %s", name, "session"+base)
	}
	for _, f := range []Format{FormatMarkdown, FormatLua, FormatJSONL} {
		if strings.HasSuffix(name, string(f)) || name == string(f[1:]) {
			return f, nil
		}
	}
	return "", fmt.Errorf("%s: unknown format: want .md to read, .lua to run again, or .jsonl for programs", name)
}

// Write writes the session that records tell of.
func Write(w io.Writer, records []trace.Record, f Format) error {
	switch f {
	case FormatLua:
		return writeLua(w, records)
	case FormatMarkdown:
		return writeMarkdown(w, records)
	}
	return WriteLines(w, records)
}

// WriteLines writes each item as a line of JSON.
func WriteLines[T any](w io.Writer, items []T) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	for _, item := range items {
		if err := enc.Encode(item); err != nil {
			return err
		}
	}
	return nil
}

// StartText is when a session began, on the clock of the person.
func StartText(t time.Time) string { return t.Local().Format("2006-01-02 15:04") }

// titleOf says whose session it is: the id of the newest log, its name, and when it began.
func titleOf(records []trace.Record) (title, began string) {
	name := ""
	for _, r := range records {
		switch {
		case r.Kind == trace.KindSession && r.About != nil:
			title, began = r.About.ID, StartText(r.Time)
		case r.Kind == trace.KindName:
			name = r.Text
		}
	}
	if name != "" {
		title = name + " (" + title + ")"
	}
	return title, began
}

// writeLua writes the scripts since the last reset that succeeded, the person's and the model's, in order. Run by
// itself the file leaves the same globals, as far as the actions answer the same. What failed is told in a comment.
func writeLua(w io.Writer, records []trace.Record) error {
	past, since := Cells(records)
	title, began := titleOf(records)
	var b strings.Builder
	fmt.Fprintf(&b, "-- almanac session %s, %s\n-- Run it with: almanac run FILE.lua\n", text.SanitizeLine(title), began)
	var runs []Run
	prompts := map[int]string{}
	for _, c := range past {
		if c.N > since {
			runs = append(runs, c.Runs...)
			if c.Form == input.Words {
				prompts[c.N] = c.Source
			}
		}
	}
	slices.SortFunc(runs, func(a, b Run) int { return a.at - b.at })
	told := map[int]bool{}
	for i, r := range runs {
		if r.Mode != trace.ModeRun {
			continue
		}
		fmt.Fprintf(&b, "\n-- [%d] %s", r.Cell, r.Author)
		if prompt := prompts[r.Cell]; prompt != "" && !told[r.Cell] {
			told[r.Cell] = true
			fmt.Fprintf(&b, ", asked: %s", cells.Clip(text.SanitizeLine(prompt), 200, "…"))
		}
		if ids := r.Changed(); len(ids) > 0 {
			fmt.Fprintf(&b, "; changes data: %s", strings.Join(ids, ", "))
		}
		if !r.lasting() {
			fmt.Fprintf(&b, "; %s\n", leftOut(r))
			continue
		}
		fmt.Fprintf(&b, "\n%s\n", Replayable(r, runs[i+1:]))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// leftOut says why a script is not in the file, and what may be missing therefore.
func leftOut(r Run) string {
	if r.Ended == nil {
		return "left out: it did not finish"
	}
	if r.Undone && r.Ended.OK {
		return "left out: it was undone"
	}
	why := "left out: it failed: " + cells.Clip(text.SanitizeLine(firstLine(r.Ended.Error)), 120, "…")
	if len(r.Ended.Changed) > 0 {
		why += "; it had changed " + text.SanitizeLine(strings.Join(r.Ended.Changed, ", "))
	}
	return why
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return line
}

// Replayable makes a statement of a script, so that scripts can stand one after the other in a file. A value that it
// returns is kept in _ as the shell does, and in _7 where one of the scripts after it asks for that.
func Replayable(r Run, after []Run) string { return statement(r, r.keeps(after, true)) }

// standsAlone tells that a script neither has names of its own nor could be read as going on from what is before it.
func standsAlone(source string) bool {
	text := strings.TrimSpace(source)
	return text != "" && !mentions(source, "local") && !strings.Contains(source, "::") &&
		(text[0] == '_' || text[0] >= 'a' && text[0] <= 'z' || text[0] >= 'A' && text[0] <= 'Z')
}

// kept is a statement that evaluates an expression and keeps its first value where there is one.
func kept(expr, names string) string {
	if names == "" {
		return "do local _ = " + expr + "\nend"
	}
	condition := "value ~= nil"
	if mentions(expr, "io") {
		condition += " and value ~= io.stdout" // io.write alone is for what it prints
	}
	values := "value" + strings.Repeat(", value", strings.Count(names, ","))
	return fmt.Sprintf("do local value = %s\nif %s then %s = %s end end", expr, condition, names, values)
}

// returns tells whether a chunk has a return of its own, outside of the functions in it.
func returns(source string) bool {
	var open []bool // the blocks around: is it a function
	inside := 0
	for _, t := range syntax.Tokens(source) {
		switch t.Text {
		case "function", "if", "do", "repeat":
			open = append(open, t.Text == "function")
			if t.Text == "function" {
				inside++
			}
		case "end", "until":
			if n := len(open); n > 0 {
				if open[n-1] {
					inside--
				}
				open = open[:n-1]
			}
		case "return":
			if inside == 0 {
				return true
			}
		}
	}
	return false
}

// mentions tells whether a name or word stands in the source by itself.
func mentions(source, word string) bool {
	return regexp.MustCompile(`(^|[^A-Za-z0-9_])` + regexp.QuoteMeta(word) + `($|[^A-Za-z0-9_])`).MatchString(source)
}

// writeMarkdown writes the cells as a text to read.
func writeMarkdown(w io.Writer, records []trace.Record) error {
	cells, since := Cells(records)
	title, began := titleOf(records)
	var b strings.Builder
	fmt.Fprintf(&b, "# Session %s\n\nBegun %s, %s.\n", text.SanitizeLine(title), began, text.Count(len(cells), "cell"))
	arrived := itemsAfter(records)
	writeItems(&b, arrived[0])
	for _, c := range cells {
		if since > 0 && c.N == since+1 {
			b.WriteString("\n*Lua was reset here.*\n")
		}
		who := "you"
		if c.Form == input.Words {
			who = "you asked"
		}
		fmt.Fprintf(&b, "\n## [%d] %s\n\n", c.N, who)
		if c.Form == input.Words {
			b.WriteString(quoted(c.Source))
		}
		for _, r := range c.Runs {
			writeRun(&b, r)
		}
		if c.Answer != "" {
			fmt.Fprintf(&b, "\n%s\n", strings.TrimRight(text.Sanitize(c.Answer), "\n"))
		}
		writeItems(&b, arrived[c.N])
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func quoted(words string) string {
	return text.Quote(text.Sanitize(words)) + "\n"
}

func writeRun(b *strings.Builder, r Run) {
	if r.Author != session.User {
		fmt.Fprintf(b, "\nThe %s ran:\n\n", text.SanitizeLine(string(r.Author)))
	}
	if r.Mode == trace.ModePreview {
		b.WriteString("A preview; nothing was changed:\n\n")
	}
	if r.Mode == trace.ModeFresh {
		b.WriteString("In a fresh Lua state:\n\n")
	}
	b.WriteString(fenced("lua", r.Source))
	if len(r.Calls)+len(r.Begun) > 0 {
		b.WriteString("\n")
	}
	for i := 0; i < len(r.Calls); {
		c, times := r.Calls[i], 1
		for i+times < len(r.Calls) && (c.Verdict == trace.Denied || c.Verdict == trace.Interrupted) &&
			callText(r.Calls[i+times]) == callText(c) {
			times++
		}
		fmt.Fprintf(b, "- `%s`", c.ID)
		if times > 1 {
			fmt.Fprintf(b, " %d times", times)
		}
		b.WriteString(callText(c)[len(c.ID):] + "\n")
		i += times
	}
	for _, c := range r.Begun {
		fmt.Fprintf(b, "- %s\n", text.SanitizeLine(unended(c)))
	}
	for _, e := range r.effects() {
		fmt.Fprintf(b, "- effect %s\n", text.SanitizeLine(effectText(e)))
	}
	switch {
	case r.Ended == nil:
		b.WriteString("\nIt did not finish.\n")
		if printed := r.Stdout + r.Stderr; printed != "" {
			b.WriteString("\nIt had printed:\n\n" + fenced("", printed))
		}
	case !r.Ended.OK:
		b.WriteString("\nIt failed:\n\n" + fenced("", r.Ended.Error))
	case r.Stdout+r.Ended.Repr != "":
		text := r.Stdout
		if text != "" && !strings.HasSuffix(text, "\n") {
			text += "\n"
		}
		if r.Ended.Repr != "" && slices.ContainsFunc(r.Calls, func(c trace.Call) bool { return c.Verdict == trace.Planned }) {
			b.WriteString("\nPlaceholders stand for what the calls would return:\n")
		}
		b.WriteString("\n" + fenced("", text+r.Ended.Repr))
	}
}

// effectText says of an effect what became of it.
func effectText(e trace.Effect) string {
	words := e.Effect.Title() + " " + e.State
	if e.State == trace.EffectRecorded {
		words += ", not applied"
	}
	if e.Reason != "" {
		words += ": " + e.Reason
	}
	return words
}

// callText says of a call what became of it and why.
func callText(c trace.Call) string {
	line := c.ID + " " + c.Words()
	if back := c.TakesBack(); back != "" {
		line += ", " + back
	}
	if c.Brief != "" && c.Verdict != trace.Planned && c.Verdict != trace.Denied {
		line += ", " + text.SanitizeLine(c.Brief)
	}
	if c.Misfit != "" {
		line += ", misfit: " + text.SanitizeLine(c.Misfit)
	}
	if c.Error == askedAtEnd {
		line += ": " + askedAtEnd
	}
	if !c.Mutates {
		return line
	}
	what, why := "would change data", c.Rule
	if c.Verdict == trace.OK || c.Verdict == trace.Failed {
		what = "changes data"
	}
	if c.Rule == trace.Refused { // with the reason
		why = cmp.Or(strings.TrimPrefix(c.Error, c.ID+": "), c.Rule)
	}
	if c.Rule == trace.SwitchedOff {
		return line + ", " + what
	}
	return line + fmt.Sprintf(", %s (%s)", what, text.SanitizeLine(why))
}

// fenced is text as a block of code, in a fence longer than any that the text holds.
func fenced(kind, code string) string {
	fence := "```"
	for strings.Contains(code, fence) {
		fence += "`"
	}
	return fmt.Sprintf("%s%s\n%s\n%s\n", fence, kind, strings.TrimRight(text.Sanitize(code), "\n"), fence)
}
