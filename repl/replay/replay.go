// Package replay runs the scripts of a session's log again, in a session of its own, and tells where they come to
// something else. Nothing acts: the time, random numbers and the results of calls are those of the log.
//
//	Run      runs the records of a session and of those that it went on from
//	Report   what became of each script
//	Lines    a report to read
//
// Start at Run. Answering a call from the log is the session's part: session.Replay.
package replay

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"almanac/catalog"
	"almanac/catalog/secret"
	"almanac/repl/transcript"
	"almanac/session"
	"almanac/session/effect"
	"almanac/session/policy"
	"almanac/session/trace"
	"almanac/session/vm"
)

// Options say how a log is run again.
type Options struct {
	// View has the actions; those of the log that it lacks answer from the log all the same.
	View *catalog.View
	// Session is what the session of the replay is like: its limits, secrets and kernel. It asks and tells nobody.
	Session session.Options
	// Whole returns the value with a digest, of which a record has only a part; nil where there are none.
	Whole func(digest string) ([]byte, error)
	// State is the globals that were kept beside the log, as a run left them; those of the replay are compared with it.
	State session.State
	// Live makes reads for real; what they return is compared with the log.
	Live bool
}

// patience is how much longer than usual a script may take: the machine may be a slower one.
const patience = 6

// plenty is a budget that the log's own ends before.
const plenty = 1_000_000

// Run runs the scripts of records again, oldest first. The error says why that could not be done at all.
func Run(ctx context.Context, records []trace.Record, o Options) (*Report, error) {
	r := &replayer{options: o, states: map[string]session.State{}, wanted: wanted(records), of: map[string]string{}}
	r.report = Report{Scripts: []Result{}, Notices: []string{}}
	if len(o.State.Bytes) > 0 {
		r.wanted[o.State.Run] = true
	}
	runs := map[string]transcript.Run{}
	all := transcript.Runs(records)
	for _, run := range all {
		runs[run.ID] = run
	}
	view, gone, err := viewOf(o.View, all)
	if err != nil {
		return nil, err
	}
	for _, id := range gone {
		r.report.notice(id + " is not in the catalog any more; the log answers for it")
	}
	so := o.Session
	so.Saved, so.Record, so.Replay = r.saved, r.record, true
	so.Policy = policy.Policy{Mode: policy.Session}
	so.Budget.Calls, so.Budget.Mutations, so.Budget.Selected = plenty, plenty, plenty
	so.UserBudget.Calls, so.UserBudget.Mutations = plenty, plenty
	so.Limits.Time = patience * so.Limits.WithDefaults().Time
	so.UserLimits.Time = patience * max(so.UserLimits.Time, 10*time.Second)
	if r.session, err = session.New(view, so); err != nil {
		return nil, err
	}
	defer r.session.Close()
	for _, record := range records {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if err := r.step(ctx, record, runs); err != nil {
			return nil, err
		}
	}
	return &r.report, nil
}

// A replayer is a log on its way through a session.
type replayer struct {
	options Options
	session *session.Session
	report  Report
	// wanted are the runs to whose globals the log goes back.
	wanted map[string]bool
	// last is the run of the log that has left the globals of now; empty where there are none.
	last   string
	unsure unsure

	mu      sync.Mutex // guards what follows; calls are recorded as they end
	records []trace.Record
	states  map[string]session.State // by run of the log
	of      map[string]string        // the run of the log that a run of the replay is
	now     string                   // the run of the log that is run again
	newest  session.State
}

// wanted lists the runs whose globals come back later in the log.
func wanted(records []trace.Record) map[string]bool {
	ids := map[string]bool{}
	for _, r := range records {
		if r.Kind == trace.KindBack || r.Kind == trace.KindResume {
			ids[r.Run] = true
		}
	}
	return ids
}

func (r *replayer) record(record trace.Record) error {
	text, err := json.Marshal(record) // numbers are then those of a log
	if err != nil {
		return err
	}
	var read trace.Record
	if err := json.Unmarshal(text, &read); err != nil {
		return err
	}
	read.Whole = record.Whole
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.records = append(r.records, read); read.Kind == trace.KindRun {
		r.of[read.Run] = r.now
	}
	return nil
}

func (r *replayer) saved(s session.State) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.newest = s
	if id := r.of[s.Run]; r.wanted[id] {
		r.states[id] = s
	}
}

// step does what a record of the log tells of.
func (r *replayer) step(ctx context.Context, record trace.Record, runs map[string]transcript.Run) error {
	switch record.Kind {
	case trace.KindSession:
		if record.About != nil {
			r.report.Session = record.About.ID
		}
	case trace.KindReset:
		return r.reset(ctx)
	case trace.KindBack, trace.KindResume:
		if record.Run == r.last {
			return nil
		}
		if record.Run != "" {
			return r.goBack(ctx, record.Run, record.Text)
		}
		return r.reset(ctx)
	case trace.KindRun:
		run, known := runs[record.Run]
		if !known || record.Before != "" {
			return nil
		}
		if run.Mode == trace.ModeQuery {
			r.report.Queries++
			return nil
		}
		return r.run(ctx, run)
	}
	return nil
}

func (r *replayer) reset(ctx context.Context) error {
	r.last, r.unsure = "", unsure{}
	_, err := r.session.Reset(ctx)
	return err
}

// goBack gives the session the globals that a run of the log has left.
func (r *replayer) goBack(ctx context.Context, id, label string) error {
	r.mu.Lock()
	state, known := r.states[id]
	r.mu.Unlock()
	if !known {
		r.report.notice("Lua went back to " + label + ", whose globals the replay does not have: what follows may differ")
		return nil
	}
	r.last = id
	var unfit *session.StateError
	err := r.session.Resume(ctx, state, nil)
	if errors.As(err, &unfit) {
		r.report.notice(fmt.Sprintf("Lua did not go back to %s: %v: what follows may differ", label, err))
		return nil
	}
	return err
}

// run runs one script again and compares.
func (r *replayer) run(ctx context.Context, was transcript.Run) error {
	told := Result{
		ID: was.ID, Cell: was.Cell, Author: was.Author, Mode: was.Mode, Source: was.Source, Calls: len(was.Calls),
	}
	if told.Skipped = skipped(was); told.Skipped != "" {
		r.unsure.note(was, true)
		r.report.add(told)
		return nil
	}
	r.mu.Lock()
	r.records, r.now = nil, was.ID
	r.mu.Unlock()
	script, err := Script(was, r.options)
	if err != nil {
		told.Partly = append(told.Partly, err.Error())
	}
	// One that failed and left what it had set is left to do so again.
	r.session.SetTransactional(was.Ended.OK || was.Ended.PutBack || len(was.Ended.Changed) == 0)
	do := r.session.Run
	if was.Mode == trace.ModePreview {
		do = r.session.Preview
	}
	out, err := do(ctx, script)
	if err != nil {
		return err
	}
	if was.Mode == trace.ModeRun {
		r.last = was.ID
		if err := r.keep(ctx, was.ID); err != nil {
			return err
		}
		r.narrow(script.Replay.Applied)
	}
	r.mu.Lock()
	is := transcript.Runs(r.records)[0]
	r.mu.Unlock()
	if out.Err != nil && out.Err.Code == session.CodeNotWhole {
		told.Partly = append(told.Partly, out.Err.Message)
	} else {
		told.Differs = append(differences(was, is, r.options.Live), r.stateDiffers(was)...)
	}
	if why := cmp.Or(r.unsure.used(was.Source), untaped(was)); why != "" && told.Differs != nil {
		told.Partly, told.Differs = append(told.Partly, why), nil
	}
	r.unsure.note(was, len(told.Differs)+len(told.Partly) > 0)
	r.report.add(told)
	return nil
}

// narrow narrows the view where effects of a run have done so. Nothing widens it again.
func (r *replayer) narrow(applied []catalog.Effect) {
	for _, e := range applied {
		if e.Kind != effect.ViewNarrow {
			continue
		}
		if err := r.session.Redirect([]catalog.Effect{e}); err != nil {
			r.report.notice(fmt.Sprintf("%v: what follows may differ", err))
		}
	}
}

// untaped says what a script reads of which its log tells nothing; empty where there is no such thing.
func untaped(was transcript.Run) string {
	if vm.Tape(was.Ended.Tape).Full() {
		return "the log has only the first times that it read the clock"
	}
	for _, word := range []string{"os.", "random", "tostring", "print"} {
		if was.Script == nil && strings.Contains(was.Source, word) {
			return "its log, of an earlier version, has no times and random numbers"
		}
	}
	return ""
}

// keep waits for the globals of a run that the log goes back to.
func (r *replayer) keep(ctx context.Context, id string) error {
	if !r.wanted[id] {
		return nil
	}
	if _, err := r.session.Mark(ctx); err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, known := r.states[id]; !known && r.newest.Run != "" { // one that failed left those before
		r.states[id] = r.newest
	}
	return nil
}

// stateDiffers compares the globals that a run has left with those that were kept of it, unless what set some of them
// is known to differ. States of earlier versions have another form.
func (r *replayer) stateDiffers(was transcript.Run) []Difference {
	kept := r.options.State
	if len(r.unsure.of) > 0 || was.Script == nil {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	now, known := r.states[was.ID]
	if was.ID != kept.Run || !known || now.Prelude != kept.Prelude || bytes.Equal(now.Bytes, kept.Bytes) {
		return nil
	}
	return []Difference{{"globals", []string{"+ values that are not those kept with the log"}}}
}

// skipped says why a script is not run again; empty where it is.
func skipped(was transcript.Run) string {
	switch o := was.Ended; {
	case o == nil:
		return "was cut off"
	case o.Unbegun:
		return "did not begin: its writes were not approved"
	case o.Kind == string(vm.Interrupt):
		return "was interrupted"
	case o.Kind == string(vm.Lost):
		return "ended with the Lua process"
	case o.Limit == "time" || o.Limit == "memory":
		return "reached the " + o.Limit + " limit"
	}
	return ""
}

// Script is a run of the log as a script for a session, where its calls are answered by the log. The error says what of
// it the log does not have; the script can be run all the same.
func Script(was transcript.Run, o Options) (session.Script, error) {
	how := was.Script
	if how == nil {
		how = oldScript(was)
	}
	script := session.Script{
		Source: was.Source, Line: was.Line, Author: was.Author, Cell: was.Cell, Actions: was.Actions,
		Fresh: was.Mode == trace.ModeFresh,
		Name:  how.Name, Expr: how.Expr, Keep: how.Keep, Args: how.Args, Times: how.Times,
		Replay: &session.Replay{Calls: inOrder(was.Calls), Whole: o.Whole, Live: o.Live},
	}
	if was.Ended != nil {
		script.Tape = vm.Tape(was.Ended.Tape)
	}
	var err error
	script.Replay.State = how.State
	if script.Replay.Applied, err = session.AppliedBy(was.Ended, o.Whole); err != nil {
		return script, err
	}
	if strings.Contains(was.Source, secret.Mark) || slices.Contains(how.Args, secret.Mark) {
		return script, errors.New("a secret of the script is not in the log")
	}
	return script, nil
}

// oldScript is how a script was run in most cases, for logs that do not tell.
func oldScript(was transcript.Run) *trace.Script {
	how := &trace.Script{Name: "script"}
	if was.Author != session.User || was.Cell == 0 {
		return how
	}
	how.Name, how.Expr = fmt.Sprintf("cell %d", was.Cell), true
	switch was.Mode {
	case trace.ModeRun:
		how.Keep = []string{"_", fmt.Sprintf("_%d", was.Cell)}
	case trace.ModePreview:
		how.Name = "preview"
	}
	return how
}
