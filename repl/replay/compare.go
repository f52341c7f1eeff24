package replay

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"almanac/catalog/compare"
	"almanac/catalog/lua"
	"almanac/catalog/text"
	"almanac/repl/transcript"
	"almanac/session"
	"almanac/session/trace"
)

// A Difference is one thing of a script that came to something else.
type Difference struct {
	// What says of what: "value", "printed", "calls".
	What string `json:"what"`
	// Lines are a short diff: "- " was, "+ " is.
	Lines []string `json:"lines"`
}

// mostLines is how many lines of each side a Difference has, clipped to lineBytes.
const (
	mostLines = 8
	lineBytes = 400
)

// differences compares a run of the log with that of the replay.
func differences(was, is transcript.Run, live bool) []Difference {
	var all []Difference
	add := func(what, want, got string) {
		if lines := compare.Lines(want, got, mostLines); lines != nil {
			all = append(all, Difference{what, clipped(lines)})
		}
	}
	add("value", was.Ended.Repr, is.Ended.Repr)
	if a, b := was.Ended.ReprSum, is.Ended.ReprSum; was.Ended.Repr == is.Ended.Repr && a != "" && b != "" && a != b {
		all = append(all, Difference{"value", []string{"+ differs behind the part that the log has"}})
	}
	add("printed", was.Stdout, is.Stdout)
	add("stderr", was.Stderr, is.Stderr)
	// Logs of old do not have the hints of failed calls.
	if was.Script != nil || !strings.HasPrefix(was.Ended.Error, is.Ended.Error+" (") {
		add("error", was.Ended.Error, is.Ended.Error)
	}
	add("calls", callLines(was.Calls), callLines(is.Calls))
	add("globals", changed(was), changed(is))
	add("effects", appliedLines(was), appliedLines(is))
	if was.Ended.State != is.Ended.State && appliedLines(was) == appliedLines(is) {
		all = append(all, Difference{"effects", []string{"+ the state that they left differs"}})
	}
	if live {
		all = append(all, results(was.Calls, is.Calls)...)
	}
	return all
}

// changed says what a run set.
func changed(r transcript.Run) string {
	line := strings.Join(slices.Sorted(slices.Values(r.Ended.Changed)), ", ")
	if r.Ended.PutBack {
		line += "(put back)"
	}
	return line
}

// appliedLines has a line for each effect that was applied after a run.
func appliedLines(r transcript.Run) string {
	var b strings.Builder
	for _, e := range r.Ended.Applied {
		fmt.Fprintf(&b, "%s applied\n", e.Title())
	}
	return b.String()
}

// callLines has a line for each call, in the order they began: the id, the arguments, how it ended.
func callLines(calls []trace.Call) string {
	var b strings.Builder
	for _, c := range inOrder(calls) {
		fmt.Fprintf(&b, "%s%s ", c.ID, lua.Literal(c.Args, lua.Options{Tight: true}))
		if c.Code == session.CodeNotRecorded {
			b.WriteString("not in the log\n")
			continue
		}
		b.WriteString(c.Words())
		if c.Times > 1 {
			fmt.Fprintf(&b, ", %s", text.Count(c.Times, "time"))
		}
		if c.Error != "" {
			fmt.Fprintf(&b, ": %s", text.OneLine(c.Error))
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func inOrder(calls []trace.Call) []trace.Call {
	return slices.SortedStableFunc(slices.Values(calls), func(a, b trace.Call) int { return cmp.Compare(a.N, b.N) })
}

// results says what calls that were made in both runs returned.
func results(was, is []trace.Call) []Difference {
	var all []Difference
	is = inOrder(is)
	for _, c := range inOrder(was) {
		i := slices.IndexFunc(is, func(d trace.Call) bool { return d.ID == c.ID && compare.Same(d.Args, c.Args) })
		if i < 0 {
			continue
		}
		d := is[i]
		is = slices.Delete(slices.Clone(is), i, i+1)
		var lines []string
		for _, at := range compare.Values("result", c.Result, d.Result) {
			lines = append(lines, "- "+c.ID+" "+at.Path+": "+at.Want, "+ "+c.ID+" "+at.Path+": "+at.Got)
		}
		if lines == nil && c.Whole != d.Whole {
			lines = []string{"+ " + c.ID + " result differs behind the part that is shown, " + c.Part}
		}
		if lines != nil {
			all = append(all, Difference{"results", clipped(lines)})
		}
	}
	return all
}

func clipped(lines []string) []string {
	for i, l := range lines {
		lines[i] = text.ClipBytes(text.SanitizeLine(l), lineBytes)
	}
	return lines
}
