package session

// This file orders the calls and effects of a run as the script wrote them, as if concurrent calls had run one by one.

import (
	"fmt"
	"slices"

	"almanac/catalog"
	"almanac/session/trace"
)

// A placed call has a position among the calls of its run.
type placed struct {
	// at is compared element by element. A call inside a composed action comes after that action's.
	at      []int64
	effects []catalog.Effect
}

// begin numbers a call.
func (r *run) begin() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.begun++
	return r.begun
}

// place notes the position of call n among those of its machine, which runs the script or in.
func (r *run) place(n int, at []int64, in *composition) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if in != nil {
		at = slices.Concat(r.placed[in.n].at, []int64{0}, at)
	}
	if r.placed == nil {
		r.placed = map[int]placed{}
	}
	r.placed[n] = placed{at: at}
}

// at is the position of call n.
func (r *run) at(n int) []int64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.placed[n].at
}

// recordedEffects is how many effects of a call are kept.
const recordedEffects = 100

// keepEffects keeps the effects of call n, without secrets, and returns them as recorded.
func (r *run) keepEffects(n int, effects []catalog.Effect) []catalog.Effect {
	red := r.session.world.redactor
	var kept, recorded []catalog.Effect
	for i, e := range effects {
		if i == recordedEffects {
			more := catalog.Effect{Kind: fmt.Sprintf("%d more effects omitted", len(effects)-i)}
			kept, recorded = append(kept, more), append(recorded, more)
			break
		}
		value, err := red.data(e.Value, r.budget().Result)
		if err != nil {
			value = fmt.Sprintf("omitted: %v", err)
		}
		clean := catalog.Effect{Kind: cut(red.text(e.Kind), logText), Target: cut(red.text(e.Target), logText), Value: value}
		kept = append(kept, clean)
		if clean.Value != nil {
			short, _ := red.args(map[string]any{"value": value})["value"]
			clean.Value, _ = sample(short, logText)
		}
		recorded = append(recorded, clean)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	p := r.placed[n]
	p.effects = kept
	r.placed[n] = p
	return recorded
}

// ordered are the calls of the run and their effects.
func (r *run) ordered() ([]trace.Call, []catalog.Effect) {
	r.mu.Lock()
	defer r.mu.Unlock()
	slices.SortStableFunc(r.calls, func(a, b trace.Call) int {
		if c := slices.Compare(r.placed[a.N].at, r.placed[b.N].at); c != 0 {
			return c
		}
		return a.N - b.N
	})
	var effects []catalog.Effect
	for _, c := range r.calls {
		effects = append(effects, r.placed[c.N].effects...)
	}
	return r.calls, effects
}
