package session

// This file collects effects: what results carry beside their data, and what the bodies of composed actions add.

import (
	"fmt"
	"reflect"
	"slices"

	"almanac/catalog"
	"almanac/catalog/text"
	"almanac/catalog/unknown"
	"almanac/session/effect"
	"almanac/session/trace"
	"almanac/session/vm"
)

// effects keeps those of the call's result that are well formed, without secrets, and names the others in c.
func (r *run) effects(entry *catalog.Entry, data any, result catalog.Result, c *trace.Call) {
	declared, lacking := entry.Emitted(c.Args, data)
	if entry.SendsEffects && c.Verdict == trace.OK {
		declared, lacking = nil, nil
	}
	if len(result.Effects) == 0 && len(result.Rejected) == 0 && len(declared) == 0 && len(lacking) == 0 {
		return
	}
	all := slices.Concat(result.Effects, declared)
	rejected := slices.Concat(result.Rejected, lacking)
	var kept []catalog.Effect
	size := 0
	for i, e := range all {
		if i == effect.MaxPerCall {
			rejected = append(rejected, catalog.RejectedEffect{
				Reason: fmt.Sprintf("%s more: a call has at most %d", text.Count(len(all)-i, "effect"), i),
			})
			break
		}
		e, n, err := r.checked(e)
		if err == nil && size+n > effect.MaxState {
			err = fmt.Errorf("the effects of a call have at most %s", text.Bytes(effect.MaxState))
		}
		if err != nil {
			rejected = append(rejected, catalog.RejectedEffect{Effect: e, Reason: err.Error()})
			continue
		}
		size += n
		kept = append(kept, e)
	}
	for _, e := range kept {
		short, part := r.shortEffect(e)
		c.Effects, c.EffectsPart = append(c.Effects, short), c.EffectsPart || part
	}
	if n := len(rejected); n > effect.MaxPerCall {
		rejected = append(rejected[:effect.MaxPerCall],
			catalog.RejectedEffect{Reason: text.Count(n-effect.MaxPerCall, "more effect")})
	}
	red := r.session.world.redactor
	for _, e := range rejected {
		short, _ := r.shortEffect(e.Effect)
		c.EffectsRejected = append(c.EffectsRejected,
			catalog.RejectedEffect{Effect: short, Reason: cut(red.text(e.Reason), logText)})
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	p := r.placed[c.N]
	p.effects = kept
	r.placed[c.N] = p
}

// EffectStates are the effects of a run and what became of each, in the order in which they are applied.
func (out *Outcome) EffectStates() []trace.Effect {
	never, applied := "", out.Applied
	switch {
	case out.DryRun:
		never, applied = trace.OfPreview, out.WouldApply
	case out.Err != nil:
		never = trace.OfFailed
	}
	all := trace.EffectsOf(out.Calls, out.Effects, applied, out.RejectedEffects, never)
	if out.Fresh {
		OfFresh(all)
	}
	for i := range all {
		switch {
		case all[i].State != trace.EffectApplied:
		case out.DryRun:
			all[i].State = trace.EffectWould
		default:
			all[i].Run = out.Run
		}
	}
	return all
}

// OfFresh notes of the effects of a fresh run which can never be applied: operations on a state that it did not have.
func OfFresh(effects []trace.Effect) {
	for i, e := range effects {
		if effect.IsState(e.Kind) && (e.State == trace.EffectRecorded || e.State == trace.EffectRejected) {
			effects[i].Never = true
		}
	}
}

// TakenBack are effects as they are where the runs that gone tells of are undone, and the others not.
func TakenBack(effects []trace.Effect, gone func(run string) bool) []trace.Effect {
	effects = slices.Clone(effects)
	for i, e := range effects {
		switch {
		case e.Run == "" || !effect.GoesBack(e.Kind):
		case gone(e.Run):
			effects[i].State = trace.EffectBack
		default:
			effects[i].State = trace.EffectApplied
		}
	}
	return effects
}

// checked is the effect as plain data without secrets, and the size of its value.
func (r *run) checked(e catalog.Effect) (_ catalog.Effect, size int, err error) {
	red := r.session.world.redactor
	e.Kind, e.Target = red.text(e.Kind), red.text(e.Target)
	value, err := red.data(e.Value, effect.MaxValue)
	if err != nil {
		return e, 0, fmt.Errorf("%s: value: %w", cut(e.Kind, effect.MaxKind), err)
	}
	e.Value = unknown.Plain(value)
	if err := effect.Check(e); err != nil {
		return e, 0, err
	}
	size, err = effect.Size(e.Value)
	return e, size, err
}

// shortEffect is the effect for a record: without secrets by name, and of a long value only the beginning.
func (r *run) shortEffect(e catalog.Effect) (short catalog.Effect, part bool) {
	red := r.session.world.redactor
	e.Kind, e.Target = cut(red.text(e.Kind), 2*effect.MaxKind), cut(red.text(e.Target), 2*effect.MaxTarget)
	if e.Value != nil {
		value, err := red.data(e.Value, r.budget().Result)
		if err != nil {
			value = fmt.Sprintf("omitted: %v", err)
		}
		value = unknown.Plain(value)
		e.Value, _ = sample(red.args(map[string]any{"value": value})["value"], logText)
		part = !reflect.DeepEqual(e.Value, value)
	}
	return e, part
}

// emit adds an effect to the result of the composed action. Its arguments are kind, target, value and, of a worker, the
// place.
func (in *composition) emit(p *parallel, a *arguments) error {
	if in == nil {
		return &vm.HostError{
			Code: CodeBadArgument, Message: "effect: only the body of a composed action has a result to add it to",
			Hint: "an action written in Lua can: see docs/effects.md",
		}
	}
	at := a.place(3)
	if at == nil {
		p.asked++
		at = []int64{p.asked}
	}
	e := emitted{at, catalog.Effect{Kind: a.text(0, "a kind"), Target: a.text(1, "a target"), Value: a.at(2)}}
	if a.err != nil {
		return a.err
	}
	if len(in.emitted) >= effect.MaxPerCall { // it is only counted
		e.effect = catalog.Effect{}
	}
	in.emitted = append(in.emitted, e)
	return nil
}

// An emitted effect is one that a body added, with its place among those.
type emitted struct {
	at     []int64
	effect catalog.Effect
}

// effects are those that the body added, in the order of the script.
func (in *composition) effects() (all []catalog.Effect) {
	slices.SortStableFunc(in.emitted, func(a, b emitted) int { return slices.Compare(a.at, b.at) })
	for _, e := range in.emitted {
		all = append(all, e.effect)
	}
	return all
}
