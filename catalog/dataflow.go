package catalog

// This file links the steps of a plan: which step supplies which input, and so in which order they run.

import (
	"cmp"
	"slices"
	"strings"

	"almanac/catalog/search/spelling"
)

// A dataFlow holds what the hits of each step return and require.
type dataFlow struct {
	view   *View
	steps  []Step
	givers [][]giver // by step, by hit
}

func (v *View) dataFlow(steps []Step) *dataFlow {
	s := &dataFlow{view: v, steps: steps, givers: make([][]giver, len(steps))}
	for i, step := range steps {
		for _, hit := range step.Hits {
			if e, ok := v.Lookup(hit.ID); ok {
				s.givers[i] = append(s.givers[i], giverOf(e))
			}
		}
	}
	return s
}

// requiredKeys are the names of an entry's required inputs.
func requiredKeys(e *Entry) []string {
	var keys []string
	for _, p := range e.Input.document().Fields() {
		if !p.Required {
			continue
		}
		keys = append(keys, inputNames(e, p.Name)...)
	}
	return keys
}

// inputNames are the names of an input of an entry: its own, and for an "id" those of the ids of the entry's subjects.
func inputNames(e *Entry, name string) []string {
	names := []string{spelling.Fold(name)}
	if isIDWord(names[0]) {
		for _, subject := range subjects(e, "") {
			names = append(names, subject+"_"+names[0])
		}
	}
	return names
}

// best is the hit of a step that supplies a need of the step to best, the name of the output, and how well it does: 0
// for not at all. What a source says that an entry supplies to the best hit of the step to goes first. A read about the
// entity that the need belongs to comes before other reads, reads before mutations, and the step's best hit before its
// alternatives; alternatives do not supply plain words such as "reason". Where no field of a result says that it is
// the need, an entry that finds such things by its name does, in a result of unknown form. An entry that takes the need
// as an input does not supply it.
func (s *dataFlow) best(step, to int, need string) (from *Entry, key string, worth int) {
	if from, key = s.declared(step, to, need); from != nil {
		return from, key, declaredWorth
	}
	keys := needKeys(need)
	among := func(names []string) bool {
		return slices.ContainsFunc(names, func(name string) bool {
			return slices.ContainsFunc(needKeys(name), func(key string) bool { return slices.Contains(keys, key) })
		})
	}
	if among(s.steps[step].needsInput) {
		return nil, "", 0
	}
	for i, g := range s.givers[step] {
		if slices.ContainsFunc(keys, func(k string) bool { return slices.Contains(g.requires, k) }) {
			continue
		}
		at := slices.IndexFunc(keys, func(k string) bool { return slices.Contains(g.gives, k) })
		if at < 0 && worth == 0 && g.finds(thing(need), nil) > 1 {
			from, key, worth = g.entry, "", 1
		}
		if at < 0 || i > 0 && !ofThing(keys[at]) {
			continue
		}
		w := 2
		if !g.entry.Mutates {
			w += 4
		}
		if g.about(keys[at]) || among(s.steps[step].needsOutput) {
			w += 2
		}
		if i == 0 {
			w++
		}
		if w > worth {
			from, key, worth = g.entry, keys[at], w
		}
	}
	return from, key, worth
}

// orderNeeds are the needs of step i that decide its place: those of View.orderNeeds, and those that a source says that
// another step supplies.
func (s *dataFlow) orderNeeds(i int, step Step) []string {
	needs := s.view.orderNeeds(step)
	if len(step.Hits) == 0 {
		return needs
	}
	for _, need := range s.view.needsOf(step) {
		for j := range s.steps {
			if from, _ := s.declared(j, i, need); j != i && from != nil {
				needs = appendNew(needs, need)
			}
		}
	}
	return needs
}

// declaredWorth is above all that best makes of names.
const declaredWorth = 100

// declared is the hit of a step whose source says that it supplies a need of the step to's best hit, and the field.
func (s *dataFlow) declared(step, to int, need string) (from *Entry, field string) {
	if len(s.givers[to]) == 0 {
		return nil, ""
	}
	for _, g := range s.givers[step] {
		if field, ok := g.declares(s.givers[to][0].entry, need); ok {
			return g.entry, field
		}
	}
	return nil, ""
}

func thingSuffixes() []string { return []string{"_ids", "_id", "_list"} }

// ofThing reports whether a field holds an entity, its id, or a list of either.
func ofThing(key string) bool {
	return slices.ContainsFunc(thingSuffixes(), func(suffix string) bool { return strings.HasSuffix(key, suffix) })
}

// about reports whether the entry is about the entity that a field belongs to: "customer" for customer_id.
func (g *giver) about(key string) bool {
	for _, suffix := range thingSuffixes() {
		thing, cut := strings.CutSuffix(key, suffix)
		if !cut {
			continue
		}
		n := len(g.entry.Namespace)
		return slices.Contains(subjects(g.entry, ""), thing) ||
			n > 0 && spelling.Singular(spelling.Fold(g.entry.Namespace[n-1])) == thing
	}
	return false
}

// order sorts the steps so that each comes after its best suppliers. The next step is the first, in the order given,
// whose needs are met by earlier steps or by no other step at all. If all remaining steps wait for one another, it is
// the first that an earlier step supplies in part, else the first in the order given.
func (s *dataFlow) order() []int {
	placed := make([]bool, len(s.steps))
	waits := make([][][]int, len(s.steps)) // by step and need, what each step is worth
	for i, step := range s.steps {
		for _, need := range s.orderNeeds(i, step) {
			worths := make([]int, len(s.steps))
			for j := range s.steps {
				if j != i {
					_, _, worths[j] = s.best(j, i, need)
				}
			}
			waits[i] = append(waits[i], worths)
		}
	}
	// met reports whether the steps placed so far supply each need of a step: as its best supplier, or atAll.
	met := func(i int, atAll bool) bool {
		return !slices.ContainsFunc(waits[i], func(worths []int) bool {
			have, most := 0, slices.Max(worths)
			for j, worth := range worths {
				if placed[j] {
					have = max(have, worth)
				}
			}
			return have < most && (!atAll || have == 0)
		})
	}
	order := make([]int, 0, len(s.steps))
	for len(order) < len(s.steps) {
		next := -1
		for _, atAll := range []bool{false, true} {
			for i := range s.steps {
				if next < 0 && !placed[i] && met(i, atAll) {
					next = i
				}
			}
		}
		if next < 0 {
			next = slices.Index(placed, false)
		}
		placed[next] = true
		order = append(order, next)
	}
	return order
}

// link says where the step gets an input from: the earlier step that supplies it best; the latest among equals.
func (s *dataFlow) link(step int, need string) Link {
	link, most := Link{Step: step + 1, Input: need}, 0
	for i := step - 1; i >= 0; i-- {
		if from, key, worth := s.best(i, step, need); worth > most {
			most = worth
			if worth < declaredWorth && key != "" {
				key = outputName(from, key)
			}
			link.From, link.ID, link.Field = i+1, from.ID, cmp.Or(key, "the result")
		}
	}
	return link
}
