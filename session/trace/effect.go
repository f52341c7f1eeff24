package trace

// This file tells what became of the effects that calls returned.

import (
	"maps"
	"slices"

	"almanac/catalog"
)

// What may become of an effect.
const (
	EffectRecorded = "recorded" // and not applied
	EffectApplied  = "applied"
	EffectWould    = "would be applied" // after the run of a preview
	EffectRejected = "rejected"         // it is not well formed, or the run's effects were not applied because of it
	EffectBack     = "taken back"       // it was applied, and the session is back before that
)

// Why effects that are recorded cannot be applied later.
const (
	OfFailed      = "its run did not end well"
	OfPreview     = "it is of a preview"
	ofCompensated = "its call was compensated"
)

// An Effect is one with what became of it, as a reader of records and of answers as data has it.
type Effect struct {
	catalog.Effect
	State string `json:"state"`
	// Reason is why it was rejected, or why a recorded one cannot be applied later.
	Reason string `json:"reason,omitempty"`
	// Action is the one whose result had the effect; empty for one of an earlier run that was applied on request.
	Action string `json:"action,omitempty"`
	// Part tells that the value is the beginning of the effect's.
	Part bool `json:"part,omitempty"`
	// Never tells that the effect cannot be applied later: it is malformed, or of a run without a state. Those that block
	// are why the others of the run were not.
	Never, Blocks bool `json:"-"`
	// Run is the id of the run that applied it.
	Run string `json:"-"`
}

// EffectsOf are the effects of a run and what became of each, in the order in which they are applied: that of calls, a
// composed action behind those that it made. Values are those of effects, as they come in that order, where it has any,
// and else what the calls have of them. Never is why those that were not applied cannot be later; empty where they can.
func EffectsOf(calls []Call, effects, applied []catalog.Effect, rejected []catalog.RejectedEffect,
	never string) []Effect {
	var all []Effect
	compensated := Compensated(calls)
	rejected = slices.Clone(rejected)
	take := func(is func(catalog.RejectedEffect) bool) (taken catalog.RejectedEffect, ok bool) {
		i := slices.IndexFunc(rejected, is)
		if i < 0 {
			return taken, false
		}
		taken = rejected[i]
		rejected = slices.Delete(rejected, i, i+1)
		return taken, true
	}
	for _, c := range AfterInner(calls) {
		for _, e := range c.Effects {
			f := Effect{Effect: e, State: EffectRecorded, Reason: never, Action: c.ID, Part: c.EffectsPart}
			if len(effects) > 0 {
				f.Effect, f.Part, effects = effects[0], false, effects[1:]
			}
			if compensated[c.N] {
				f.Reason = ofCompensated
			} else if len(applied) > 0 && sameEffect(e, applied[0]) {
				f.State, f.Reason, applied = EffectApplied, "", applied[1:]
			} else if was, ok := take(func(r catalog.RejectedEffect) bool { return sameEffect(e, r.Effect) }); ok {
				f.State, f.Reason, f.Blocks = EffectRejected, was.Reason, true
			}
			all = append(all, f)
		}
		for _, e := range c.EffectsRejected {
			_, blocks := take(func(r catalog.RejectedEffect) bool {
				return sameEffect(e.Effect, r.Effect) && e.Reason == r.Reason
			})
			all = append(all, Effect{Effect: e.Effect, State: EffectRejected, Reason: e.Reason, Action: c.ID,
				Never: true, Blocks: blocks})
		}
	}
	for _, e := range effects { // of no call
		all = append(all, Effect{Effect: e, State: EffectRecorded, Reason: never})
	}
	for _, e := range applied {
		all = append(all, Effect{Effect: e, State: EffectApplied})
	}
	for _, e := range rejected {
		all = append(all, Effect{Effect: e.Effect, State: EffectRejected, Reason: e.Reason, Blocks: true})
	}
	return all
}

// Compensated are the numbers of the calls that a with_compensation took back, of those that did so, and of what was
// called inside of both.
func Compensated(calls []Call) map[int]bool {
	back := map[int]bool{}
	for _, c := range calls {
		if c.Compensates != nil && c.Verdict == OK {
			back[c.N] = true
			for _, n := range c.Compensates {
				back[n] = true
			}
		}
	}
	if len(back) == 0 {
		return nil
	}
	for _, c := range slices.SortedFunc(slices.Values(calls), func(a, b Call) int { return a.N - b.N }) {
		if back[c.In] {
			back[c.N] = true
		}
	}
	return back
}

// AfterInner are the calls of a run with each composed action behind what it called; nil where none has effects.
func AfterInner(calls []Call) (ordered []Call) {
	if !slices.ContainsFunc(calls, func(c Call) bool { return len(c.Effects)+len(c.EffectsRejected) > 0 }) {
		return nil
	}
	under := map[int][]Call{} // by the number of the composed action that they are in
	for _, c := range calls {
		under[c.In] = append(under[c.In], c)
	}
	var add func(in int)
	add = func(in int) {
		inside := under[in]
		delete(under, in)
		for _, c := range inside {
			if c.Composed {
				add(c.N)
			}
			ordered = append(ordered, c)
		}
	}
	add(0)
	for _, in := range slices.Sorted(maps.Keys(under)) { // of a composed action that the log has not
		add(in)
	}
	return ordered
}

// sameEffect tells whether two effects that may be cut are the same one.
func sameEffect(a, b catalog.Effect) bool { return a.Kind == b.Kind && a.Target == b.Target }
