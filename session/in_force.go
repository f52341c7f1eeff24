package session

// This file keeps what directives have set that goes back with the globals: the context, and the questions that wait.
// The points of the history have it, the world what is in force now.

import (
	"maps"
	"slices"

	"almanac/catalog"
	"almanac/session/effect"
)

// A Directive is an effect beyond the state that was carried out, with the action whose it is. An ask without a value
// was answered.
type Directive struct {
	Action string `json:"action,omitempty"`
	catalog.Effect
}

// directives are those among the effects that were applied; none of a replay, which carries out none.
func (r *run) directives(out *Outcome) (all []Directive) {
	if r.player != nil || len(out.Applied) == 0 {
		return nil
	}
	authors := r.authors()
	for i, e := range out.Applied {
		if !effect.IsState(e.Kind) && i < len(authors) {
			all = append(all, Directive{authors[i], e})
		}
	}
	if name := r.script.answers; name != "" {
		all = append(all, Directive{r.script.Name, catalog.Effect{Kind: effect.Ask, Target: name}})
	}
	return all
}

// authors are the ids of the actions whose effects of a known kind the run has, one for each in their order.
func (r *run) authors() (ids []string) {
	if r.script.Apply != nil {
		for range r.script.Apply {
			ids = append(ids, r.script.Name)
		}
		return ids
	}
	effects, of := r.standing()
	for i, e := range effects {
		if effect.Known(e.Kind) {
			ids = append(ids, of[i])
		}
	}
	return ids
}

// direct carries out directives of a run that has ended. One that fails now is named, and the others are carried out.
func (r *run) direct(directives []Directive, out *Outcome) {
	if len(directives) == 0 {
		return
	}
	w := r.session.world
	if r.script.Fresh { // no undo takes it back
		w.history.direct(directives, true)
	}
	w.takeInForce()
	for _, d := range directives {
		if err := r.carryOut(d); err != nil {
			out.RejectedEffects = append(out.RejectedEffects, catalog.RejectedEffect{Effect: d.Effect, Reason: err.Error()})
		}
	}
}

// lasting are the directives that leave something, without what only carrying them out needs.
func lasting(all []Directive) (kept []Directive) {
	for _, d := range all {
		switch d.Kind {
		case effect.Notify:
			continue
		case effect.ViewNarrow, effect.Schedule:
			d.Value = nil
		}
		kept = append(kept, d)
	}
	return kept
}

// after is what is in force after more directives.
func after(inForce, more []Directive) []Directive {
	for _, d := range more {
		if !effect.GoesBack(d.Kind) {
			continue
		}
		inForce = slices.DeleteFunc(slices.Clone(inForce), func(old Directive) bool {
			return old.Kind == d.Kind && old.Target == d.Target
		})
		if d.Value != nil {
			inForce = append(inForce, d)
		}
	}
	return inForce
}

// inForce is what is in force now; the caller holds mu.
func (h *history) inForce() []Directive { return after(h.points[h.at].InForce, h.pending.Directives) }

func (h *history) nowInForce() []Directive {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.inForce()
}

// direct takes in directives that belong to no step: they are in force at the point of now, or everywhere.
func (h *history) direct(directives []Directive, everywhere bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	with := func(p *point) *point {
		directed := *p // a moment or a caller may have it
		directed.InForce = after(p.InForce, directives)
		return &directed
	}
	if !everywhere {
		h.points[h.at] = with(h.points[h.at])
		h.changed()
		return
	}
	if len(h.pending.Directives) > 0 { // whose state is still being fetched
		h.pending.Directives = append(h.pending.Directives, directives...)
	}
	for i, p := range h.points {
		h.points[i] = with(p)
	}
	for i, p := range h.named {
		h.named[i] = with(p)
	}
	for i, m := range h.moments {
		h.moments[i].inForce = after(m.inForce, directives)
	}
	h.changed()
}

// takeInForce takes in what the history has in force now.
func (w *world) takeInForce() {
	all := w.history.nowInForce()
	var questions []Question
	for _, d := range all {
		if q, err := effect.QuestionOf(d.Effect); err == nil && d.Kind == effect.Ask {
			questions = append(questions, Question{Question: q, Action: d.Action, Name: d.Target})
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.directed.set, w.directed.questions = contextOf(all), questions
}

// contextDiff are the effects that make the context of then of that of now, for the log.
func contextDiff(now, then []Directive) (effects []catalog.Effect) {
	was, will := contextOf(now), contextOf(then)
	for name, value := range was {
		if will[name] == value { // texts, numbers and the like
			delete(will, name)
		} else if will[name] == nil {
			will[name] = nil // which removes it
		}
	}
	for _, name := range slices.Sorted(maps.Keys(will)) {
		effects = append(effects, catalog.Effect{Kind: effect.ContextSet, Target: name, Value: will[name]})
	}
	return effects
}

func contextOf(inForce []Directive) map[string]any {
	set := map[string]any{}
	for _, d := range inForce {
		if d.Kind == effect.ContextSet {
			set[d.Target] = d.Value
		}
	}
	return set
}
