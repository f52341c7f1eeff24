package session

// This file orders the calls and effects of a run as the script wrote them, as if concurrent calls had run one by one.

import (
	"slices"

	"almanac/catalog"
	"almanac/session/trace"
)

// A placed call has a position among the calls of its run.
type placed struct {
	// at is compared element by element. A call inside a composed action comes after that action's.
	at      []int64
	effects []catalog.Effect
	was     *trace.Call // in the log that answered it; nil where it was made
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

// ordered are the calls of the run and their effects. Those of a composed action stand after those of the calls that it
// made: they are of its result.
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
	for _, c := range trace.AfterInner(r.calls) {
		effects = append(effects, r.placed[c.N].effects...)
	}
	return r.calls, effects
}

// standing are the effects of the run that may be applied, and of which action each is: compensated calls have none.
func (r *run) standing() (effects []catalog.Effect, of []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	compensated := trace.Compensated(r.calls)
	for _, c := range trace.AfterInner(r.calls) {
		if compensated[c.N] {
			continue
		}
		for _, e := range r.placed[c.N].effects {
			effects, of = append(effects, e), append(of, c.ID)
		}
	}
	return effects, of
}
