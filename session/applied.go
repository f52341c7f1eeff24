package session

// This file applies effects: what the calls of a run would like changed in the session beyond their data. They are
// applied after a run that ended well, in the order of the script, all that are to be applied or none, and before the
// globals are fetched: so the history, resumes and replays have what they made of the state.

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"almanac/catalog"
	"almanac/catalog/pattern"
	"almanac/catalog/unknown"
	"almanac/session/effect"
	"almanac/session/kernel"
	"almanac/session/trace"
	"almanac/session/vm"
)

// SetApplyEffects opts in to applying the effects of runs whose kinds one of the patterns matches, from the next run
// on; nil applies none. See effect.Allowed.
func (s *Session) SetApplyEffects(kinds []pattern.Pattern) {
	s.world.mu.Lock()
	defer s.world.mu.Unlock()
	s.world.options.ApplyEffects = slices.Clone(kinds)
}

// ApplyEffects are the patterns of the kinds whose effects are applied.
func (s *Session) ApplyEffects() []pattern.Pattern {
	s.world.mu.Lock()
	defer s.world.mu.Unlock()
	return slices.Clone(s.world.options.ApplyEffects)
}

// ApplyRecorded applies effects that an earlier run recorded, as a run of the person's in the cell: it is in the log,
// the history and the trace like any other. Operations on the state need no opt-in, since the person asked for them;
// directives do. What says in words whose effects they are.
func (s *Session) ApplyRecorded(ctx context.Context, cell int, what string,
	effects []catalog.Effect) (*Outcome, error) {
	return s.apply(ctx, cell, what, effects, "")
}

// apply is ApplyRecorded, where answers names the question that the effects answer.
func (s *Session) apply(ctx context.Context, cell int, what string, effects []catalog.Effect, answers string) (
	*Outcome, error) {
	allowed := s.applicable(true)
	if !slices.ContainsFunc(effects, func(e catalog.Effect) bool { return effect.Allowed(allowed, e.Kind) }) {
		kinds := []string{}
		for _, e := range effects {
			if effect.Known(e.Kind) && !slices.Contains(kinds, e.Kind) {
				kinds = append(kinds, e.Kind)
			}
		}
		if len(kinds) == 0 {
			return nil, errors.New("effects: none of a kind that can be applied")
		}
		said := strings.Join(kinds, " ")
		return nil, fmt.Errorf("effects: %s: not allowed here: /effects allow %s first", said, said)
	}
	return s.Run(ctx, Script{
		Source: "-- " + what, Name: what, Author: User, Cell: cell, Apply: slices.Clone(effects),
		answers: answers,
	})
}

// State is the state as data, without secrets; nil while there is none. Like Look it does not wait.
func (s *Session) State(ctx context.Context) (map[string]any, error) {
	w := s.world
	select {
	case w.turn <- struct{}{}:
	default:
		return nil, ErrBusy
	}
	defer func() { <-w.turn }()
	if w.machine == nil {
		return nil, nil
	}
	state, err := w.machine.State(ctx)
	return leaves(w, state.Data), err
}

// readsState tells whether the name state means the state in the run, also while there is none.
func (r *run) readsState() bool {
	if r.player != nil {
		return r.player.State
	}
	return r.script.Apply != nil || len(r.session.ApplyEffects()) > 0
}

// applyEffects applies the effects of a run that ended well to its machine, or tells in out of a preview which it would
// apply. The error is that the machine was lost.
func (r *run) applyEffects(ctx context.Context, m *kernel.Kernel, reply *vm.Reply, out *Outcome) *kernel.Lost {
	chosen, rejected := r.chooseEffects(out)
	switch {
	case len(rejected) > 0:
		out.RejectedEffects = rejected
		return nil
	case !slices.ContainsFunc(chosen, func(e catalog.Effect) bool { return effect.IsState(e.Kind) }):
		if out.Applied = chosen; r.mode == trace.ModePreview {
			out.Applied, out.WouldApply = nil, chosen
		}
		return nil
	}
	ctx = context.WithoutCancel(ctx)
	state, err := m.State(ctx)
	if err == nil && state.Taken {
		err = errors.New("a script has a variable named state; remove it with state = nil")
	}
	var next map[string]any
	if err == nil {
		next, rejected = effect.Apply(state.Data, chosen)
	}
	if len(rejected) == 0 && err == nil && r.mode == trace.ModePreview {
		out.WouldApply = chosen
		return nil
	}
	if len(rejected) == 0 && err == nil {
		var d vm.Diff
		if reply.Globals, d, err = m.SetState(ctx, next); err == nil {
			reply.Changed = joined(reply.Changed, d)
			out.Applied, out.Globals = chosen, reply.Changed
			_, out.State, _ = trace.Pack(next)
			return nil
		}
	}
	var lost *kernel.Lost
	if errors.As(err, &lost) {
		return lost
	}
	if err != nil {
		rejected = []catalog.RejectedEffect{{Effect: chosen[0], Reason: err.Error()}}
	}
	out.RejectedEffects = rejected
	return nil
}

// chooseEffects picks the effects of the run that are to be applied; rejected says which of them cannot be.
func (r *run) chooseEffects(out *Outcome) (chosen []catalog.Effect, rejected []catalog.RejectedEffect) {
	mine := r.mode == trace.ModeRun || r.mode == trace.ModeFresh || r.mode == trace.ModePreview && r.before == ""
	if out.Err != nil || !mine || r.script.Times > 1 || r.script.Listed {
		return nil, nil
	}
	if r.player != nil {
		return r.player.Applied, nil
	}
	effects := r.script.Apply
	if effects == nil && len(out.Effects) > 0 {
		effects, _ = r.standing()
	}
	allow := "--apply-effects"
	if r.session.Commands() {
		allow = "/effects allow"
	}
	chosen, rejected = effect.Choose(r.session.applicable(r.script.Apply != nil), effects, allow)
	if len(chosen) == 0 {
		return nil, nil
	}
	compensated := trace.Compensated(out.Calls)
	for _, c := range out.Calls {
		if r.script.Apply == nil && !compensated[c.N] {
			rejected = append(rejected, c.EffectsRejected...)
		}
	}
	for i, e := range chosen {
		chosen[i].Value = unknown.Plain(e.Value) // of a preview
	}
	rejected = append(rejected, r.withoutState(chosen)...)
	return chosen, append(rejected, r.session.world.checkDirectives(chosen)...)
}

// withoutState rejects the operations on the state where the run keeps none.
func (r *run) withoutState(chosen []catalog.Effect) (rejected []catalog.RejectedEffect) {
	why := "a fresh run keeps no state: run it without fresh"
	switch {
	case !r.script.Fresh:
		return nil
	case r.session.world.options.Isolated:
		why = "this client keeps no state: set persistent = true"
	}
	for _, e := range chosen {
		if effect.IsState(e.Kind) {
			rejected = append(rejected, catalog.RejectedEffect{Effect: e, Reason: e.Kind + ": " + why})
		}
	}
	return rejected
}

// applicable are patterns of the kinds that may be applied: for effects that the person asked to have applied, the
// operations on the state in any case.
func (s *Session) applicable(asked bool) []pattern.Pattern {
	kinds := s.ApplyEffects()
	for _, kind := range effect.Kinds() {
		if asked && effect.IsState(kind) {
			kinds = append(kinds, pattern.Exact(kind))
		}
	}
	return kinds
}

// joined is how globals differ after two changes.
func joined(first, then vm.Diff) vm.Diff {
	var n news
	n.take(User, first)
	n.take(User, then)
	return n.told().Globals
}

// Bounds of what the record of an outcome has of the values of effects, in bytes.
const (
	recordedApplied  = 64 << 10 // of all that were applied
	recordedRejected = 200      // of each that was rejected
)

// recordApplied adds to the record of an outcome which effects were applied, so that a replay can do the same.
func (r *run) recordApplied(record *trace.Record, out *Outcome) {
	o := record.Ended
	for _, rejected := range out.RejectedEffects {
		rejected.Effect.Value, _ = sample(rejected.Effect.Value, recordedRejected)
		o.RejectedEffects = append(o.RejectedEffects, rejected)
	}
	o.State = out.State
	s := sampler{left: recordedApplied}
	var all []any
	for _, e := range out.Applied {
		all = append(all, map[string]any{"kind": e.Kind, "target": e.Target, "value": e.Value})
		o.AppliedPart = o.AppliedPart || !trace.Exact(e.Value)
		if e.Value != nil {
			var whole bool
			if e.Value, whole = s.shorten(e.Value); !whole {
				o.AppliedPart = true
			}
		}
		o.Applied = append(o.Applied, e)
	}
	if o.AppliedPart && r.session.world.options.Record != nil {
		o.AppliedWhole = record.Keep(all)
	}
}

// AppliedBy reads the effects that a recorded run applied. Whole returns the value with a digest; nil where there are
// none.
func AppliedBy(o *trace.Outcome, whole func(digest string) ([]byte, error)) ([]catalog.Effect, error) {
	if o == nil {
		return nil, nil
	}
	if !o.AppliedPart {
		return o.Applied, nil
	}
	missing := errors.New("the log has only a part of the effects that were applied")
	if o.AppliedWhole == "" || whole == nil {
		return nil, missing
	}
	packed, err := whole(o.AppliedWhole)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", missing, err)
	}
	data, err := trace.Unpack(packed)
	if err != nil {
		return nil, err
	}
	effects, _ := catalog.ReadEffects(data) // as recordApplied wrote them
	return effects, nil
}
