package session

// This file asks one question for a whole run. A script of the model's that may make mutations about which the policy
// asks is previewed first, in the same turn and on a copy of the globals; the person gets the list of what it came to,
// and the run that follows may make what is on it.

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"

	"almanac/catalog"
	"almanac/catalog/lua"
	"almanac/catalog/text"
	"almanac/catalog/unknown"
	"almanac/session/policy"
	"almanac/session/syntax"
	"almanac/session/trace"
	"almanac/session/vm"
)

// CodeNotListed is the code of a mutation that an approved list does not have.
const CodeNotListed = "not_listed"

// smallestBatch is how many mutations make a list. A single one is asked about when it comes.
const smallestBatch = 2

// A foreseen is a mutation of a preview about which the policy asks.
type foreseen struct {
	call     trace.Call
	entry    *catalog.Entry
	args     map[string]any
	injected map[string]any
}

// A list is what the person approved for a run. A nil one has nothing and closes nothing.
type list struct {
	// partial says that the preview did not see the whole run: when all is made that it saw, the list ends.
	partial bool
	mu      sync.Mutex // guards entries; calls of a run may be concurrent
	entries []*listed
}

// A listed is one mutation of a list.
type listed struct {
	foreseen
	off, made bool
	at        []int64 // where the script made it
	edited    map[string]any
}

// open tells that some of the arguments are known only when the call comes, which is asked about then.
func (l *listed) open() bool { return l != nil && unknown.In(l.args) }

func (l *listed) isOff() bool { return l != nil && l.off }

// leaveOut records a call that the person switched off.
func leaveOut(c *trace.Call) {
	c.Verdict, c.Rule, c.Error = trace.Denied, trace.SwitchedOff, c.ID+": you switched this off"
}

// take uses up the first entry that is this call, those that are known whole first; nil when there is none. at is the
// place of the call in the script: what is made has the order of the list, though some of it may be left out.
func (l *list) take(id string, args map[string]any, at []int64) *listed {
	if l == nil {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, open := range []bool{false, true} {
		for i, e := range l.entries {
			if !e.made && e.open() == open && e.entry.ID == id && agrees(e.args, args) && l.inOrder(i, at) {
				e.made, e.at = true, at
				return e
			}
		}
	}
	return nil
}

// inOrder tells whether the i-th entry may be the call at a place, after those that were made. The caller holds mu.
func (l *list) inOrder(i int, at []int64) bool {
	for j, e := range l.entries {
		if e.made && (j < i) != (slices.Compare(e.at, at) < 0) {
			return false
		}
	}
	return true
}

// closed tells that nothing may be made that the list does not have.
func (l *list) closed() bool {
	if l == nil {
		return false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return !l.partial || slices.ContainsFunc(l.entries, func(e *listed) bool { return !e.made })
}

// agrees tells whether a value is the planned one, as far as that was known.
func agrees(planned, real any) bool {
	switch p := planned.(type) {
	case unknown.Value:
		return true
	case map[string]any:
		r, ok := real.(map[string]any)
		return ok && len(p) == len(r) && !slices.ContainsFunc(slices.Collect(maps.Keys(p)), func(name string) bool {
			v, there := r[name]
			return !there || !agrees(p[name], v)
		})
	case []any:
		r, ok := real.([]any)
		return ok && slices.EqualFunc(p, r, agrees)
	}
	return reflect.DeepEqual(planned, real)
}

// approve previews the run where the person may have to be asked, and asks. A nil outcome lets the run begin.
func (r *run) approve(ctx context.Context) (*Outcome, error) {
	if !r.mayAsk() {
		return nil, nil
	}
	look, err := r.session.newRun(r.script, trace.ModePreview)
	if err != nil {
		return nil, err
	}
	look.before, look.number = r.id, r.number
	out, err := look.start(ctx)
	if err != nil {
		return nil, err
	}
	out.DryRun = true
	slices.SortStableFunc(look.foreseen, func(a, b foreseen) int {
		return slices.Compare(look.placed[a.call.N].at, look.placed[b.call.N].at)
	})
	switch fault := out.Err; {
	case fault != nil && fault.Kind == vm.Interrupt:
		return r.unbegun(out, *fault)
	case len(look.missing(fault == nil)) > 0, len(look.foreseen) < smallestBatch:
		return nil, nil // each is asked about when it comes
	case fault != nil && fault.Kind != vm.Runtime: // a limit, a denial: the run would end in the middle
		stopped := *fault
		stopped.Hint = strings.TrimPrefix(stopped.Hint+"; nothing was made: the preview of the run ended so", "; ")
		return r.unbegun(out, stopped)
	case fault != nil:
		return r.askAll(ctx, look, out, "the preview saw no further: "+fault.Error())
	}
	return r.askAll(ctx, look, out, "")
}

// mayAsk tells whether the run may come to a mutation about which the policy asks, and somebody can be asked. It errs
// on either side: what it misses is asked about when it comes.
func (r *run) mayAsk() bool {
	w := r.session.world
	p := r.session.Policy()
	if r.script.Author == User || r.script.Reads || r.script.Times > 1 || w.options.Approve == nil || !p.Asks() ||
		r.mode != trace.ModeRun && r.mode != trace.ModeFresh {
		return false
	}
	view, globals := r.session.View(), map[string]string{}
	if r.mode == trace.ModeRun {
		for _, g := range r.session.Globals() {
			globals[g.Name] = g.Type
		}
	}
	for _, path := range syntax.Names(r.script.Source).Paths {
		if root, _, _ := strings.Cut(path, "."); globals[root] != "" {
			return true // its function
		}
	}
	paths, dynamic := syntax.Mentions(r.script.Source)
	roots := view.Roots()
	return dynamic || slices.ContainsFunc(paths, func(path string) bool {
		if entry, ok := view.Lookup(path); ok {
			return p.Decide(policy.RequestOf(entry, nil)).Verdict == policy.AskFor
		}
		root, _, _ := strings.Cut(path, ".")
		kind := globals[root]
		return kind == "function" || kind == "action" || kind == "" && slices.Contains(roots, root)
	})
}

// foresee decides about a mutation of the preview before a run as the run would. One that the policy denies ends it.
func (r *run) foresee(entry *catalog.Entry, call catalog.Call, c *trace.Call) error {
	d := r.session.Policy().Decide(policy.RequestOf(entry, call.Args))
	switch d.Verdict {
	case policy.Allow:
	case policy.AskFor:
		r.mu.Lock()
		r.foreseen = append(r.foreseen, foreseen{call: *c, entry: entry, args: call.Args, injected: c.Injected})
		r.mu.Unlock()
	default:
		return r.refusal(CodeDenied, d, d.Why(), c)
	}
	r.mutated()
	return nil
}

// planned is the question's line about a mutation.
func (w *world) planned(f foreseen) Planned {
	args, _ := unknown.Plain(f.args).(map[string]any)
	shown, injected := leaves(w, args), leaves(w, f.injected)
	return Planned{
		Entry: f.entry, Args: shown, Injected: injected, Preview: f.call.Preview,
		Credentials: leaves(w, append(withheld(args, shown), withheld(f.injected, injected)...)),
		N:           f.call.N, Line: sourceLine(&f.call), Unknown: unknown.Paths(f.args),
	}
}

// askAll asks the person about all that the preview came to. A nil outcome lets the run begin with the list.
func (r *run) askAll(ctx context.Context, look *run, out *Outcome, partial string) (*Outcome, error) {
	calls := make([]trace.Call, len(look.foreseen))
	ask := make([]Planned, len(look.foreseen))
	for i, f := range look.foreseen {
		ask[i] = r.session.world.planned(f)
		calls[i] = r.recordable(f.call)
		calls[i].Verdict, calls[i].Rule = "", ""
	}
	var told string
	for why := partial; ; {
		answer, fault, err := r.question(ctx, look, ask, calls, why)
		if err != nil {
			return nil, err
		}
		if fault == nil {
			r.list, fault = look.approved(answer, partial != "", r.list)
		}
		if fault != nil {
			return r.unmade(out, calls, *fault)
		}
		told = leaves(r.session.world, answer).Told(ask)
		if why != partial || len(answer.Off) == 0 || len(answer.Off) == len(calls) {
			break
		}
		if why, err = r.without(ctx, out.Err); err != nil {
			return nil, err
		}
		if why == "" {
			break
		}
	}
	return nil, r.session.world.record(r.of(trace.Record{Kind: trace.KindNote, Text: told}))
}

// question puts the list of the preview look to the person. A fault is anything but a yes.
func (r *run) question(ctx context.Context, look *run, ask []Planned, calls []trace.Call, partial string) (
	Approval, *vm.Error, error) {
	w := r.session.world
	if err := w.record(r.of(trace.Record{Kind: trace.KindAsk, Batch: calls})); err != nil {
		return Approval{}, nil, err
	}
	first := ask[0]
	d := r.session.Policy().Decide(policy.RequestOf(look.foreseen[0].entry, look.foreseen[0].args))
	answer, err := w.options.Approve(ctx, Request{
		Batch: ask, Partial: leaves(w, partial), Chosen: leaves(w, r.list.chosen()),
		Entry: first.Entry, Args: first.Args, Injected: first.Injected, Credentials: first.Credentials,
		Preview: first.Preview, N: first.N, Line: first.Line,
		Author: r.script.Author, Cell: r.script.Cell, Reason: w.redactor.text(d.Why()), Source: leaves(w, r.script.Source),
	})
	what := text.Count(len(ask), "write")
	switch {
	case ctx.Err() != nil:
		return answer, &vm.Error{Kind: vm.Interrupt, Message: "not made: the question was not answered"}, nil
	case err != nil:
		return answer, &vm.Error{Kind: vm.Denied, Code: CodeNoApproval,
			Message: fmt.Sprintf("%s: denied: the question was not answered: %v", what, err)}, nil
	case answer.Verdict != Once:
		message := what + RefusedText
		if answer.Reason != "" {
			message += ": " + answer.Reason
		}
		return answer, &vm.Error{Kind: vm.Denied, Code: CodeRefused, Message: message}, nil
	}
	return answer, nil, nil
}

// without previews the run once more, without what was switched off, and says why it would then end early; empty when
// it does not, or ends as it did.
func (r *run) without(ctx context.Context, was *vm.Error) (string, error) {
	look, err := r.session.newRun(r.script, trace.ModePreview)
	if err != nil {
		return "", err
	}
	look.before, look.number, look.list = r.id, r.number, &list{}
	for _, e := range r.list.entries {
		look.list.entries = append(look.list.entries, &listed{foreseen: e.foreseen, off: e.off})
	}
	out, err := look.start(ctx)
	if err != nil || out.Err == nil || was != nil && was.Error() == out.Err.Error() {
		return "", err
	}
	return "without what you switched off the run ends early, " + out.Err.Error(), nil
}

// chosen is what the person changed of a list.
func (l *list) chosen() (a Approval) {
	if l == nil {
		return a
	}
	for i, e := range l.entries {
		if e.off {
			a.Off = append(a.Off, i)
		}
		if e.edited != nil {
			if a.Edited == nil {
				a.Edited = map[int]map[string]any{}
			}
			a.Edited[i] = e.edited
		}
	}
	return a
}

// approved is the list that an answer makes of the preview r; before is the one of the answer before, or nil.
func (r *run) approved(answer Approval, partial bool, before *list) (*list, *vm.Error) {
	w := r.session.world
	l := &list{partial: partial}
	for i, f := range r.foreseen {
		e := &listed{foreseen: f, off: slices.Contains(answer.Off, i)}
		if edited := answer.Edited[i]; edited != nil && !e.open() {
			shown, args := w.planned(f).Args, f.args
			if before != nil && before.entries[i].edited != nil { // which is what the question showed
				args = before.entries[i].edited
				shown = leaves(w, args)
			}
			args, err := r.checkArgs(f.entry, unshown(edited, shown, args), &f.call)
			var wrong *vm.HostError
			if errors.As(err, &wrong) {
				return nil, &vm.Error{Kind: vm.Denied, Code: wrong.Code, Message: wrong.Message, Hint: wrong.Hint}
			}
			e.edited = args
		}
		l.entries = append(l.entries, e)
	}
	return l, nil
}

// toldArgs is about how many bytes of the arguments of an edited call Told has.
const toldArgs = 120

// Told says what a yes to a list approved: "approved as a list: 3 of 5; switched off: 2; asked when applied: 5". The
// terminal and the log have it.
func (a Approval) Told(batch []Planned) string {
	var off, edited, later []string
	for i, p := range batch {
		n := strconv.Itoa(i + 1)
		switch args := a.Edited[i]; {
		case slices.Contains(a.Off, i):
			off = append(off, n)
		case len(p.Unknown) > 0:
			later = append(later, n)
		case args != nil:
			edited = append(edited, n+" to "+text.SanitizeLine(lua.Literal(args, lua.Options{Limit: toldArgs})))
		}
	}
	told := fmt.Sprintf("approved as a list: %d of %d", len(batch)-len(off)-len(later), len(batch))
	for _, part := range []struct {
		what    string
		numbers []string
	}{{"switched off", off}, {"edited", edited}, {"asked when applied", later}} {
		if part.numbers != nil {
			told += "; " + part.what + ": " + strings.Join(part.numbers, ", ")
		}
	}
	return told
}

// unmade is the outcome of a run that does not begin since its mutations were not approved.
func (r *run) unmade(preview *Outcome, calls []trace.Call, fault vm.Error) (*Outcome, error) {
	w, v := r.session.world, trace.Denied
	if fault.Kind == vm.Interrupt {
		v = trace.Interrupted
	}
	made := make([]trace.Call, len(calls))
	for i, c := range calls {
		c.N, c.Verdict = i+1, v
		if fault.Code == CodeRefused {
			c.Rule = trace.Refused
			_, why, _ := strings.Cut(fault.Message, RefusedText)
			c.Error = c.ID + RefusedText + why
		} else {
			c.Error = c.ID + ": " + fault.Message
		}
		made[i] = c
		if err := w.record(r.of(trace.Record{Kind: trace.KindCall, Call: &made[i]})); err != nil {
			return nil, err
		}
	}
	return r.unbegun(&Outcome{Calls: made, Elapsed: preview.Elapsed}, fault)
}

// unbegun ends a run that did not begin, with the error and the calls of its preview.
func (r *run) unbegun(preview *Outcome, fault vm.Error) (*Outcome, error) {
	w := r.session.world
	out := leaves(w, Outcome{
		Calls: preview.Calls, Err: &fault, Elapsed: preview.Elapsed, DryRun: preview.DryRun,
	})
	ended := r.ended(&out)
	ended.Ended.Unbegun = true
	err := w.record(ended)
	if w.options.Ran != nil {
		w.options.Ran(leaves(w, r.script), &out)
	}
	return &out, err
}

// notListed ends the run before a mutation that the person has not seen.
func (r *run) notListed(c *trace.Call) error {
	c.Verdict, c.Rule = trace.Denied, "not in the approved list"
	return denied(CodeNotListed,
		c.ID+": denied: it is not in the approved list, or not in this order; the run was stopped before it",
		"what the script reads or computes differs from its preview: look at what was made, then run the rest again")
}
