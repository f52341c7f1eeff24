package transcript

import (
	"fmt"
	"slices"
	"strings"

	"almanac/catalog/text"
	"almanac/session"
	"almanac/session/trace"
)

// This file tells what was made by scripts that the end of the program cut off.

// Runs lists the scripts in records, in order; other than Cells, those of no cell too.
func Runs(records []trace.Record) []Run {
	var runs []Run
	at := map[string]int{}
	for i, r := range closeAsked(made(records)) {
		if r.Kind == trace.KindRun {
			at[r.Run] = len(runs)
			runs = append(runs, runOf(r, i))
		}
		if i, known := at[r.Run]; known {
			runs[i].add(r)
		}
	}
	return runs
}

// RunsOf lists those of the author.
func RunsOf(records []trace.Record, author session.Author) []Run {
	return slices.DeleteFunc(Runs(records), func(r Run) bool { return r.Author != author })
}

// maxCutOff is how many ids a line about a script that was cut off names.
const maxCutOff = 6

// CutOff are the scripts of the last session that the end of the program cut off and that had written until then.
func (p Past) CutOff() []Run {
	records := p.Records
	for i, r := range slices.Backward(records) {
		if r.Kind == trace.KindSession {
			records = records[i:]
			break
		}
	}
	return slices.DeleteFunc(Runs(records), func(r Run) bool { return r.Ended != nil || r.Written() == "" })
}

// Written names what the run wrote before it was cut off; empty for nothing.
func (r Run) Written() string {
	var ids []string
	times, n := map[string]int{}, 0
	for _, c := range r.Calls {
		if !c.Wrote() {
			continue
		}
		n++
		if times[c.ID]++; times[c.ID] == 1 {
			ids = append(ids, c.ID)
		}
	}
	if n == 0 {
		return ""
	}
	for i, id := range ids {
		if times[id] > 1 {
			ids[i] = fmt.Sprintf("%s x%d", id, times[id])
		}
	}
	if more := len(ids) - maxCutOff; more > 0 {
		ids = append(ids[:maxCutOff], fmt.Sprintf("and %d more", more))
	}
	where := ""
	if r.Cell > 0 {
		where = fmt.Sprintf("[%d] ", r.Cell)
	}
	return fmt.Sprintf("%swas cut off after %s, not undone: %s", where, text.Count(n, "write"), strings.Join(ids, ", "))
}
