package session

// This file bounds how many actions of the catalog a model reads in one answer. Sets stay in the parent; an action's id
// or line reaches a script or an answer only through run.read, which counts each action once. A script cannot print,
// join, raise or keep what it never got. What earlier runs kept in globals is searched for in the outcome (screen.go).

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"almanac/catalog"
	"almanac/session/vm"
)

// reading is what a run has read of the catalog; the run's mu guards it.
type reading struct {
	ids map[string]bool
	// asked are the ids that the script wants described, also those that there are not, and specs what it was told.
	asked map[string]bool
	specs []catalog.Spec
	// withheld tells that there was more to read.
	withheld bool
}

// bounded tells whether the run reads a part of the catalog only: a person may read all of it.
func (r *run) bounded() bool { return r.script.Author != User }

// read reports whether the script may have the id of a visible action, and counts it.
func (r *run) read(id string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.has(id) {
		if r.bounded() && len(r.reading.ids) >= r.budget().Shown {
			r.reading.withheld = true
			return false
		}
		if r.reading.ids == nil {
			r.reading.ids = map[string]bool{}
		}
		r.reading.ids[id] = true
		r.session.world.noteRead(id)
	}
	return true
}

// has tells whether the script has read the id or had it described. mu is held.
func (r *run) has(id string) bool { return r.reading.ids[id] || r.reading.asked[id] }

// readable counts the hits, from the first on, that the script may read.
func (r *run) readable(hits []catalog.Hit) int {
	if !r.bounded() {
		return len(hits)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	room := r.budget().Shown - len(r.reading.ids)
	for i, h := range hits {
		if r.has(h.ID) {
			continue
		}
		if room--; room < 0 {
			r.reading.withheld = true
			return i
		}
	}
	return len(hits)
}

// near is what an unknown id is told, as far as the script may read the ids in it.
func (r *run) near(unknown *catalog.UnknownError) string {
	known := *unknown
	known.Near = slices.DeleteFunc(slices.Clone(unknown.Near), func(id string) bool { return !r.read(id) })
	return known.Hint()
}

// enough is the error of asking for an action beyond those that the run may read.
func (r *run) enough(name string) error {
	return &vm.HostError{
		Code:    CodeBudget,
		Message: fmt.Sprintf("%s: the run has read %d actions, the limit for one answer", name, r.budget().Shown),
		Hint:    "narrow the search, or use another query",
	}
}

// firstHits are the hits of a set that an answer lists at most.
func (r *run) firstHits(set catalog.Set) []catalog.Hit {
	hits := set.Hits()
	return hits[:min(len(hits), r.budget().Shown)]
}

// hitsBehind are the hits that a list in a script stands for: of a set, a step or a plan.
func (r *run) hitsBehind(a *arguments) ([]catalog.Hit, error) {
	m, _ := a.at(0).(map[string]any)
	var hits []catalog.Hit
	if i, found := r.held(m, "plan", len(r.plans)); found {
		for _, id := range r.plans[i].IDs() {
			hits = append(hits, catalog.Hit{ID: id})
		}
	} else if i, found := r.held(m, "step", len(r.steps)); found {
		hits = r.steps[i].Hits
	} else if i, found := r.held(m, "set", len(r.sets)); found {
		return r.firstHits(r.sets[i]), nil
	} else {
		return nil, errors.New("expired with its run: search again")
	}
	return hits[:min(len(hits), r.budget().Shown)], nil
}

// count answers how many hits of a list the script can read.
func (r *run) count(a *arguments) (any, error) {
	hits, err := r.hitsBehind(a)
	return int64(r.readable(hits)), err
}

// hit answers one hit of a list, or nil where the script cannot read it.
func (r *run) hit(a *arguments) (any, error) {
	hits, err := r.hitsBehind(a)
	at, isWhole := whole(a.at(1))
	if err != nil || !isWhole || at < 1 || at > int64(len(hits)) || !r.read(hits[at-1].ID) {
		return nil, err
	}
	return r.session.View().PlainHit(hits[at-1]), nil
}

// setText is a set as text, and what is in it: a script of the model's reads no more than that.
func (r *run) setText(set catalog.Set) catalog.Listing {
	listed := r.session.SearchView().List(set, catalog.ListOptions{Most: r.budget().Shown, Admit: r.read})
	if !r.bounded() {
		for _, h := range r.firstHits(set) {
			r.read(h.ID)
		}
	}
	return listed
}

// shownPlan is a plan with the hits that may be read, the best of each step first.
func (r *run) shownPlan(p catalog.Plan) catalog.Plan {
	if !r.bounded() {
		return p
	}
	shown := make([][]catalog.Hit, len(p.Steps))
	for place, more := 0, true; more; place++ {
		more = false
		for i, step := range p.Steps {
			if place < len(step.Hits) {
				more = true
				if r.read(step.Hits[place].ID) {
					shown[i] = append(shown[i], step.Hits[place])
				}
			}
		}
	}
	p.Steps = slices.Clone(p.Steps)
	for i := range p.Steps {
		step := &p.Steps[i]
		if missing := len(step.Hits) - len(shown[i]); missing > 0 {
			step.Note = strings.TrimPrefix(fmt.Sprintf("%s; %d more not shown", step.Note, missing), "; ")
		}
		step.Hits = shown[i]
	}
	p.Suppliers = slices.DeleteFunc(slices.Clone(p.Suppliers), func(s catalog.Supplier) bool { return !r.read(s.ID) })
	r.mu.Lock()
	defer r.mu.Unlock()
	p.Links = slices.DeleteFunc(slices.Clone(p.Links), func(l catalog.Link) bool { return l.From > 0 && !r.has(l.ID) })
	return p
}

// mayDescribe counts ids that a script of the model's wants described, also those that there are not.
func (r *run) mayDescribe(ids []string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.reading.asked == nil {
		r.reading.asked = map[string]bool{}
	}
	for _, id := range ids {
		r.reading.asked[id] = true
	}
	budget := r.budget()
	n, both := len(r.reading.asked), len(r.reading.asked)
	for id := range r.selected {
		if !r.reading.asked[id] {
			both++
		}
	}
	err := &vm.HostError{
		Fatal: true, Kind: vm.Limit, Limit: "described", Code: CodeBudget, Hint: "take the fewest the task needs",
	}
	switch {
	case n > budget.Described:
		err.Message = fmt.Sprintf("catalog.describe: the script describes more than %d actions", budget.Described)
	case both > budget.Selected:
		err.Message = fmt.Sprintf("catalog.describe: together with actions the script describes more than %d actions",
			budget.Selected)
	default:
		return nil
	}
	return err
}

// noteRead remembers that scripts have had the id, and may have kept it.
func (w *world) noteRead(id string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.read[id] = true
}
