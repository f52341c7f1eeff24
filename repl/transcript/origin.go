package transcript

// This file says where the value of a global comes from: which cell set it, from which globals and calls, and where
// those come from.

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"almanac/catalog/lua"
	"almanac/catalog/text"
	"almanac/session"
	"almanac/session/syntax"
	"almanac/session/trace"
)

// An Origin is where a global got its value, as far as the log tells.
type Origin struct {
	Name   string
	Author session.Author
	Cell   int
	Time   time.Time
	// Source is the statement that set it; the whole script where none names it.
	Source string
	// Calls are those that the value may come from, with the numbers that they have in the cell.
	Calls []trace.Call
	// From are the globals that it was made of.
	From []Origin
}

// The bounds of a chain: how many steps back it goes, and how many globals it names in all.
const (
	maxBack   = 6
	maxOrigin = 40
)

// OriginOf returns the origin of the global as of the end of the records; ok is false where no run since the last reset
// of Lua changed it, but for those that were undone.
func OriginOf(records []trace.Record, global string) (o Origin, ok bool) {
	cells, since := Cells(records)
	var runs []settingRun
	for _, c := range cells {
		if c.N <= since {
			continue
		}
		calls := 0
		for _, r := range c.Runs {
			first := calls + 1
			calls += len(r.Calls)
			if r.Mode == trace.ModeRun && r.Ended != nil && len(r.Ended.Changed) > 0 && !r.Undone {
				runs = append(runs, settingRun{Run: r, first: first, begun: records[r.at].Time})
			}
		}
	}
	slices.SortStableFunc(runs, func(a, b settingRun) int { return a.at - b.at })
	room := maxOrigin
	return origin(runs, global, maxBack, &room)
}

// A settingRun is a run that changed globals.
type settingRun struct {
	Run
	first int // the number of its first call in the cell
	begun time.Time
	// part tells that its source is what comes before a statement.
	part bool
}

// sets tells whether it set the global, or something in it.
func (r settingRun) sets(global string) bool {
	if r.part {
		_, named := syntax.SettingOf(r.Source, global)
		return named
	}
	return slices.Contains(r.Ended.Changed, global)
}

func origin(runs []settingRun, global string, back int, room *int) (o Origin, ok bool) {
	at := len(runs) - 1
	for at >= 0 && !runs[at].sets(global) {
		at--
	}
	if at < 0 || *room == 0 {
		return o, false
	}
	*room--
	r := runs[at]
	o = Origin{Name: global, Author: r.Author, Cell: r.Cell, Time: r.begun, Source: r.Source}
	set, named := syntax.SettingOf(r.Source, global)
	if named {
		o.Source = set.Text
	} else {
		set = syntax.Setting{Rests: 1, Last: strings.Count(r.Source, "\n") + 1, Reads: syntax.Names(r.Source).Reads}
	}
	for i, c := range r.Calls {
		line := c.Line - max(r.Line-1, 0)
		if c.Depth == 0 && (!named || set.Rests <= line && line <= set.Last) {
			c.N = r.first + i
			o.Calls = append(o.Calls, c)
		}
	}
	if back == 0 {
		return o, true
	}
	before := runs[:at]
	if named {
		r.Source, r.part = r.Source[:set.Start], true
		before = append(slices.Clip(before), r)
	}
	for _, name := range set.Reads {
		if from, ok := origin(before, name, back-1, room); ok {
			o.From = append(o.From, from)
		}
	}
	return o, true
}

// The bounds of what Lines writes of each step.
const (
	originSource = 3  // lines
	originCalls  = 5  // calls
	originArgs   = 60 // bytes of the arguments of a call
)

// String says who set the global, with what and from which calls, and the same of what it was made of, each step
// further in.
func (o Origin) String() string {
	var b strings.Builder
	o.write(&b, "", map[string]bool{})
	return strings.TrimRight(b.String(), "\n")
}

func (o Origin) write(b *strings.Builder, margin string, told map[string]bool) {
	place := fmt.Sprintf("%s in [%d]: %s", o.Name, o.Cell, o.Source)
	if told[place] {
		fmt.Fprintf(b, "%s%s: set in [%d], as above\n", margin, o.Name, o.Cell)
		return
	}
	told[place] = true
	fmt.Fprintf(b, "%s%s: set by %s in [%d] at %s\n", margin, o.Name, o.Author, o.Cell, o.Time.Local().Format("15:04"))
	margin += "  "
	lines := strings.Split(strings.TrimSpace(o.Source), "\n")
	for _, l := range lines[:min(len(lines), originSource)] {
		fmt.Fprintf(b, "%s%s\n", margin, text.SanitizeLine(l))
	}
	if more := len(lines) - originSource; more > 0 {
		fmt.Fprintf(b, "%s… %s more: /expand %d\n", margin, text.Count(more, "line"), o.Cell)
	}
	for _, c := range o.Calls[:min(len(o.Calls), originCalls)] {
		result := c.Brief
		if c.Verdict != trace.OK {
			result = c.Words()
		}
		args := lua.Literal(c.Args, lua.Options{Limit: originArgs, Tight: true})
		fmt.Fprintf(b, "%s%s%s -> %s  [%d.%d]\n", margin, text.SanitizeLine(c.ID), text.SanitizeLine(args),
			text.SanitizeLine(result), o.Cell, c.N)
	}
	if more := len(o.Calls) - originCalls; more > 0 {
		fmt.Fprintf(b, "%s… %s more: /trace\n", margin, text.Count(more, "call"))
	}
	for _, from := range o.From {
		from.write(b, margin, told)
	}
}
