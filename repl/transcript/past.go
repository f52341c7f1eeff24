package transcript

// This file reads cells back from a log, to resume a session or export one.

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"almanac/repl/event"
	"almanac/repl/input"
	"almanac/session"
	"almanac/session/trace"
	"almanac/session/vm"
)

// Past is an earlier session that this one goes on from. Its log is only read.
type Past struct {
	// Records are those of the earlier session and of all that it went on from, oldest first.
	Records []trace.Record
	// Restored is how many of Records the Lua state covers that the session has begun with.
	Restored int
}

// A Cell is a cell as the log tells of it.
type Cell struct {
	event.Cell
	// Runs are the scripts of the cell, whoever wrote them, in order.
	Runs []Run
}

// A Run is one script of a cell as the log tells of it.
type Run struct {
	ID     string
	Cell   int
	Author session.Author
	Mode   trace.Mode
	Source string
	// Line is which line of what was read the Source begins on; see trace.Record.
	Line int
	// Actions are the ids that it selected, Script how it was run; nil in logs of old.
	Actions []string
	Script  *trace.Script
	Calls   []trace.Call
	// Begun are the mutations that were begun and of whose end the log does not tell: they may or may not have happened.
	Begun []trace.Call
	// Stdout and Stderr are what it printed.
	Stdout, Stderr string
	// Ended is nil when the log ends, or the program ended, before the script did.
	Ended *trace.Outcome
	// Undone tells that the globals have gone back to before it.
	Undone bool
	// at is where in the log the run began.
	at int
}

// lasting tells whether the run left its globals to those after it.
func (r Run) lasting() bool {
	return r.Mode == trace.ModeRun && r.Ended != nil && r.Ended.OK && !r.Undone
}

// undone tells of which runs the globals have gone back to before them, by an undo, a rewind or a restore: those that
// did not lead to the globals as of the end of the records.
func undone(records []trace.Record) map[string]bool {
	before, now := map[string]string{}, "" // each run's one before it
	for _, r := range records {
		switch {
		case r.Kind == trace.KindReset:
			now = ""
		case r.Kind == trace.KindBack:
			now = r.Run
		case r.Kind == trace.KindOutcome && r.Mode == trace.ModeRun && r.Ended != nil && !r.Ended.PutBack:
			if _, known := before[r.Run]; !known {
				before[r.Run] = now
			}
			now = r.Run
		}
	}
	gone := map[string]bool{}
	for run := range before {
		gone[run] = true
	}
	for gone[now] {
		delete(gone, now)
		now = before[now]
	}
	return gone
}

// Changed lists the ids of the actions that changed data in the run, each once.
func (r Run) Changed() []string {
	var ids []string
	for _, c := range slices.Concat(r.Calls, r.Begun) {
		if c.Mutates && c.Verdict != trace.Denied && c.Verdict != trace.Rejected &&
			c.Verdict != trace.Interrupted && !slices.Contains(ids, c.ID) {
			ids = append(ids, c.ID)
		}
	}
	return ids
}

// Cells puts the numbered cells of a log together, oldest first, and tells the number of the last cell before the
// last reset of Lua. Records that belong to no cell are passed over.
func Cells(records []trace.Record) (cells []Cell, since int) {
	records = closeAsked(made(records))
	byNumber, byRun := map[int]int{}, map[string][2]int{}
	sinces := map[string]int{} // what since was, by run
	last := 0
	at := func(r trace.Record) *Cell {
		i, known := byNumber[r.Cell]
		if !known {
			i = len(cells)
			byNumber[r.Cell] = i
			cells = append(cells, Cell{Cell: event.Cell{N: r.Cell, Form: input.Lua, Author: session.User, Started: r.Time}})
			last = max(last, r.Cell)
		}
		return &cells[i]
	}
	for i, r := range records {
		switch r.Kind {
		case trace.KindReset:
			since = last
		case trace.KindOutcome:
			sinces[r.Run] = since
		case trace.KindBack:
			since = sinces[r.Run]
		}
		if r.Cell <= 0 {
			continue
		}
		c := at(r)
		c.Elapsed = r.Time.Sub(c.Started)
		switch r.Kind {
		case trace.KindPrompt:
			c.Form, c.Source = input.Words, r.Text
		case trace.KindAnswer:
			c.Answer = r.Text
		case trace.KindRun:
			byRun[r.Run] = [2]int{byNumber[r.Cell], len(c.Runs)}
			c.begin(r, i)
		case trace.KindCall:
			if r.Call != nil {
				call := *r.Call
				call.N = len(c.Calls) + 1
				c.Calls = append(c.Calls, call)
			}
		}
		if run, known := byRun[r.Run]; known {
			cells[run[0]].Runs[run[1]].add(r)
			if r.Kind == trace.KindOutcome && r.Ended != nil {
				past := cells[run[0]].Runs[run[1]]
				c.Outcome, c.Effects = pastOutcome(past), append(c.Effects, past.effects()...)
			}
		}
	}
	gone := undone(records)
	for i := range cells {
		c := &cells[i]
		for j := range c.Runs {
			c.Runs[j].Undone = gone[c.Runs[j].ID]
		}
		c.Effects = session.TakenBack(c.Effects, func(run string) bool { return gone[run] })
		c.Replay = c.Form == input.Lua && len(c.Runs) > 0 &&
			!slices.ContainsFunc(c.Runs, func(r Run) bool { return !r.lasting() })
		if n := len(c.Runs); n > 0 && c.Outcome == nil && c.Runs[n-1].Ended == nil && c.Runs[n-1].Mode == trace.ModeRun {
			c.Outcome = pastOutcome(c.Runs[n-1])
		}
		if c.Outcome != nil && c.Outcome.Err != nil && c.Form == input.Lua {
			c.Err = c.Outcome.Err
		}
	}
	return cells, since
}

// askedAtEnd is the error of a call whose question was open when the program ended.
const askedAtEnd = "ended while you were asked; not made"

// made leaves out the previews that precede runs: their reads come again, and the question has what was to be written.
func made(records []trace.Record) []trace.Record {
	before := func(r trace.Record) bool { return r.Before != "" }
	if !slices.ContainsFunc(records, before) {
		return records
	}
	return slices.DeleteFunc(slices.Clone(records), before)
}

// closeAsked makes an interrupted call of each question after which the log tells nothing: the program ended while the
// person was asked, so the call was not made.
func closeAsked(records []trace.Record) []trace.Record {
	open := map[nth]int{} // number zero is the question about a whole run
	for i, r := range records {
		if r.Kind == trace.KindNote || r.Call != nil {
			delete(open, nth{r.Run, 0})
		}
		switch {
		case r.Kind == trace.KindOutcome:
			maps.DeleteFunc(open, func(of nth, _ int) bool { return of.run == r.Run })
		case r.Kind == trace.KindAsk && r.Batch != nil:
			open[nth{r.Run, 0}] = i
		case r.Call == nil:
		case r.Kind == trace.KindAsk:
			open[nth{r.Run, r.Call.N}] = i
		case r.Kind == trace.KindBegin, r.Kind == trace.KindCall:
			delete(open, nth{r.Run, r.Call.N})
		}
	}
	if len(open) == 0 {
		return records
	}
	asked := map[int][]trace.Call{}
	for _, i := range open {
		if asked[i] = records[i].Batch; asked[i] == nil {
			asked[i] = []trace.Call{*records[i].Call}
		}
	}
	var closed []trace.Record
	for i, r := range records {
		if asked[i] == nil {
			closed = append(closed, r)
		}
		for _, call := range asked[i] {
			call.Verdict, call.Error = trace.Interrupted, askedAtEnd
			r.Kind, r.Call, r.Batch = trace.KindCall, &call, nil
			closed = append(closed, r)
		}
	}
	return closed
}

// add takes in what a record tells of the run.
func (r *Run) add(record trace.Record) {
	switch call := record.Call; record.Kind {
	case trace.KindOutput:
		if vm.Stream(record.Stream) == vm.Stdout {
			r.Stdout += record.Text
		} else {
			r.Stderr += record.Text
		}
	case trace.KindBegin:
		if call != nil {
			r.Begun = append(r.Begun, *call)
		}
	case trace.KindCall:
		if call != nil {
			r.Calls = append(r.Calls, *call)
			r.Begun = slices.DeleteFunc(r.Begun, func(c trace.Call) bool { return c.N == call.N })
		}
	case trace.KindOutcome:
		if r.Ended = record.Ended; r.Ended != nil { // logs of old have what was printed here
			r.Stdout, r.Stderr = r.Stdout+r.Ended.Stdout, r.Stderr+r.Ended.Stderr
		}
	}
}

// effects are those of the run, with what became of each; none of a preview.
func (r *Run) effects() []trace.Effect {
	if r.Ended == nil || r.Mode == trace.ModePreview {
		return nil
	}
	never := ""
	if !r.Ended.OK {
		never = trace.OfFailed
	}
	all := trace.EffectsOf(r.Calls, nil, r.Ended.Applied, r.Ended.RejectedEffects, never)
	if r.Mode == trace.ModeFresh {
		session.OfFresh(all)
	}
	for i, e := range all {
		if e.State == trace.EffectApplied {
			all[i].Run = r.ID
		}
	}
	return all
}

// unended says what is known of a mutation whose end is not in the log.
func unended(c trace.Call) string {
	text := c.ID + " may or may not have happened: it was started, but the log has no result"
	for _, args := range []map[string]any{c.Args, c.Injected} {
		for name, key := range args {
			if strings.EqualFold(strings.NewReplacer("_", "", "-", "").Replace(name), "idempotencykey") {
				text += fmt.Sprintf("; its idempotency key is %v", key)
			}
		}
	}
	return text
}

// runOf is the run that the record at a place of the log begins.
func runOf(r trace.Record, at int) Run {
	return Run{
		ID: r.Run, Cell: r.Cell, Author: session.Author(r.Author), Mode: r.Mode, Source: r.Text, Line: r.Line,
		Actions: r.IDs, Script: r.Script, at: at,
	}
}

// begin adds a script to the cell. A preview is no cell to run again.
func (c *Cell) begin(r trace.Record, at int) {
	author := session.Author(r.Author)
	c.Runs = append(c.Runs, runOf(r, at))
	if author == session.Model {
		c.Scripts = append(c.Scripts, r.Text)
	}
	if author != session.User {
		return
	}
	if c.Form == input.Words {
		return
	}
	if c.Source == "" {
		c.Source = r.Text
		return
	}
	c.Source += "\n" + strings.TrimLeft(r.Text, "\n") // a file that was loaded in parts
}

// pastOutcome is an outcome as far as the log keeps it. A run without one did not finish.
func pastOutcome(r Run) *session.Outcome {
	out := &session.Outcome{Stdout: r.Stdout, Stderr: r.Stderr}
	o := r.Ended
	if o == nil {
		out.Err = &vm.Error{Kind: vm.Runtime, Message: "it did not finish: the program ended"}
		return out
	}
	out.Elapsed = o.Took
	if o.Repr != "" {
		out.Values = []vm.Value{{Type: "table", Repr: o.Repr}}
	}
	if !o.OK {
		out.Err = &vm.Error{Kind: vm.Runtime, Message: o.Error}
	}
	return out
}

// Setters tell who gave the globals their values that came back with the Lua state.
func (p Past) Setters() map[string]event.Setter {
	return SettersOf(p.Records[:min(p.Restored, len(p.Records))])
}

// SettersOf tells who gave the globals their values as of the end of the records.
func SettersOf(records []trace.Record) map[string]event.Setter {
	by := map[string]event.Setter{}
	runs, gone := map[string]trace.Record{}, undone(records)
	for _, r := range records {
		switch r.Kind {
		case trace.KindRun:
			runs[r.Run] = r
		case trace.KindOutcome:
			run, known := runs[r.Run]
			if !known || run.Mode != trace.ModeRun || r.Ended == nil || gone[r.Run] {
				continue
			}
			for _, name := range r.Ended.Changed {
				by[name] = event.Setter{Author: session.Author(run.Author), Cell: run.Cell}
			}
		}
	}
	return by
}

// Pending are the scripts since the last reset whose globals did not come back, in order.
func (p Past) Pending() []Run {
	covered := map[string]bool{}
	for _, r := range p.Records[:min(p.Restored, len(p.Records))] {
		covered[r.Run] = true
	}
	cells, since := Cells(p.Records)
	var runs []Run
	for _, c := range cells {
		for _, r := range c.Runs {
			if c.N > since && r.lasting() && !covered[r.ID] {
				runs = append(runs, r)
			}
		}
	}
	slices.SortFunc(runs, func(a, b Run) int { return a.at - b.at })
	return runs
}

// Unended says of each mutation that was begun, and of whose end the log does not tell, what is known of it. It was
// said already of those before an earlier resume.
func (p Past) Unended() []string {
	var lines []string
	said := 0
	for i, r := range p.Records {
		if r.Kind == trace.KindResume {
			said = i
		}
	}
	cells, _ := Cells(p.Records)
	for _, c := range cells {
		for _, r := range c.Runs {
			for _, call := range r.Begun {
				if r.at >= said {
					lines = append(lines, unended(call))
				}
			}
		}
	}
	return lines
}
