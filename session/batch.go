package session

// This file asks one question for a whole run. A script of the model's that may make mutations about which the policy
// asks is previewed first, in the same turn and on a copy of the globals; the person gets the list of what it came to,
// and the run that follows may make what is on it.

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"almanac/catalog/lua"
	"almanac/catalog/text"
	"almanac/catalog/unknown"
	"almanac/session/syntax"
	"almanac/session/trace"
	"almanac/session/vm"
)

// smallestBatch is how many mutations make a list. A single one is asked about when it comes.
func (r *run) smallestBatch() int {
	if r.script.Listed {
		return 1
	}
	return 2
}

// approve previews the run where the person may have to be asked, and asks. A nil outcome lets the run begin.
func (r *run) approve(ctx context.Context) (*Outcome, error) {
	switch {
	case r.applies != nil:
		return r.begins()
	case r.script.Listed && r.session.world.options.Approve != nil && r.mode != trace.ModePreview:
	case !r.mayAsk():
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
	switch fault := out.Err; {
	case fault != nil && fault.Kind == vm.Interrupt:
		return r.unbegun(out, *fault)
	case len(look.missing(fault == nil)) > 0, len(asked(look.writes())) < r.smallestBatch():
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
	if r.script.Author == User || r.script.Times > 1 || w.options.Approve == nil || !p.Asks() ||
		r.player != nil || r.mode != trace.ModeRun && r.mode != trace.ModeFresh {
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
			return entry.Mutates && p.MayAsk(r.session.Requested(entry, nil))
		}
		root, _, _ := strings.Cut(path, ".")
		kind := globals[root]
		return kind == "function" || kind == "action" || kind == "" && slices.Contains(roots, root)
	})
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
	r.script.Tape = cmp.Or(r.script.Tape, out.Tape)
	writes := asked(look.writes())
	calls := make([]trace.Call, len(writes))
	ask := make([]Planned, len(writes))
	for i, f := range writes {
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
	unanswered := &vm.Error{Kind: vm.Interrupt, Message: "not made: the question was not answered"}
	select { // one question at a time
	case w.asking <- struct{}{}:
		defer func() { <-w.asking }()
	case <-ctx.Done():
		return Approval{}, unanswered, nil
	}
	if err := w.record(r.of(trace.Record{Kind: trace.KindAsk, Batch: calls})); err != nil {
		return Approval{}, nil, err
	}
	first := ask[0]
	d := r.session.Policy().Decide(r.session.Requested(first.Entry, asked(look.writes())[0].args))
	answer, err := w.options.Approve(ctx, Request{
		Batch: ask, Partial: leaves(w, partial), Chosen: leaves(w, r.list.chosen()),
		Entry: first.Entry, Args: first.Args, Injected: first.Injected, Credentials: first.Credentials,
		Preview: first.Preview, N: first.N, Line: first.Line,
		Author: r.script.Author, Cell: r.script.Cell, Reason: w.redactor.text(d.Why()), Source: leaves(w, r.script.Source),
	})
	what := text.Count(len(ask), "write")
	switch {
	case ctx.Err() != nil:
		return answer, unanswered, nil
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
	look.before, look.number, look.list = r.id, r.number, r.list.again()
	out, err := look.start(ctx)
	if err != nil || out.Err == nil || was != nil && was.Error() == out.Err.Error() {
		return "", err
	}
	return "without what you switched off the run ends early, " + out.Err.Error(), nil
}

// approved is the list that an answer makes of the preview r; before is the one of the answer before, or nil. It is
// exact where the preview saw the whole run and the person approved it as it stands.
func (r *run) approved(answer Approval, partial bool, before *list) (*list, *vm.Error) {
	w := r.session.world
	l := newList(approvedList, r.writes(), r.reads(), w.options.LooseReads...)
	l.partial, l.exact = partial, !partial && len(answer.Off)+len(answer.Edited) == 0
	for i, e := range l.asked() {
		e.off = slices.Contains(answer.Off, i)
		if edited := answer.Edited[i]; edited != nil && !e.open() {
			shown, args := w.planned(e.foreseen).Args, e.args
			if before != nil && before.asked()[i].edited != nil { // which is what the question showed
				args = before.asked()[i].edited
				shown = leaves(w, args)
			}
			args, err := r.checkArgs(e.entry, unshown(edited, shown, args), &e.call)
			var wrong *vm.HostError
			if errors.As(err, &wrong) {
				return nil, &vm.Error{Kind: vm.Denied, Code: wrong.Code, Message: wrong.Message, Hint: wrong.Hint}
			}
			e.edited = args
		}
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
