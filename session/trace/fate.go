package trace

// This file tells what became of the effects that calls returned.

import (
	"maps"
	"slices"

	"almanac/catalog"
)

// What may become of an effect.
const (
	EffectRecorded = "recorded" // and nothing else
	EffectApplied  = "applied"
	EffectRejected = "rejected" // it is not well formed, or the run's effects were not applied because of it
)

// A Fate is an effect with what became of it, as a reader of records and of answers as data has it.
type Fate struct {
	catalog.Effect
	State  string `json:"state"`
	Reason string `json:"reason,omitempty"` // of a rejected one
	// Action is the one whose result had the effect; empty for one of an earlier run that was applied on request.
	Action string `json:"action,omitempty"`
}

// Fates are the effects of a run and what became of each, in the order in which they are applied: that of calls, a
// composed action behind those that it made. Values are those of effects, as they come in that order, where it has any,
// and else what the calls have of them.
func Fates(calls []Call, effects, applied []catalog.Effect, rejected []catalog.RejectedEffect) []Fate {
	var all []Fate
	for _, c := range afterInner(calls) {
		for _, e := range c.Effects {
			if len(effects) > 0 {
				e, effects = effects[0], effects[1:]
			}
			f := Fate{Effect: e, State: EffectRecorded, Action: c.ID}
			switch {
			case len(applied) > 0 && sameEffect(e, applied[0]):
				f.State, applied = EffectApplied, applied[1:]
			case len(rejected) > 0 && sameEffect(e, rejected[0].Effect):
				f.State, f.Reason, rejected = EffectRejected, rejected[0].Reason, rejected[1:]
			}
			all = append(all, f)
		}
		for _, e := range c.EffectsRejected {
			all = append(all, Fate{Effect: e.Effect, State: EffectRejected, Reason: e.Reason, Action: c.ID})
		}
	}
	for _, e := range applied {
		all = append(all, Fate{Effect: e, State: EffectApplied})
	}
	for _, e := range rejected {
		all = append(all, Fate{Effect: e.Effect, State: EffectRejected, Reason: e.Reason})
	}
	return all
}

// afterInner are the calls of a run with each composed action behind what it called; nil where none has effects.
func afterInner(calls []Call) (ordered []Call) {
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
