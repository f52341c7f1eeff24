package catalog

// This file has picks and plans: the few best hits for a step of a task, and the check that each step gets its inputs
// from the user or from an earlier step.

import (
	"fmt"
	"slices"
	"strings"

	"almanac/catalog/search"
	"almanac/catalog/search/spelling"
	"almanac/catalog/spec"
	"almanac/catalog/text"
)

const (
	defaultPick = 3
	maxSteps    = 20
)

// PickOptions say what a step needs; Limit 0 stands for 3.
type PickOptions struct {
	SearchOptions
}

// A Step is one step of a task: the candidate hits, best first, and what was asked for.
type Step struct {
	// Query is what the hits were searched for, in words.
	Query string
	// Needs are the input fields asked for and Gives the output fields, joined by ", "; may be empty.
	Needs, Gives string
	Hits         []Hit
	// Suppliers are the actions that an answer names because hits require an id that they find; nil for a step of a plan.
	Suppliers []Supplier
	// Like says of hits which other hit's line names them in an answer, see Listing; nil for a step of a plan.
	Like map[string]string
	// Note says how the step falls short of what was asked, and what the notes of its set say; may be empty.
	Note string

	needsInput, needsOutput []string
}

// Pick takes the few best hits that meet the needs. If none is known to return what is needed, it takes those with an
// unknown output, and notes it.
func (s Set) Pick(o PickOptions) Step {
	step := Step{
		Query: s.query, Needs: strings.Join(o.NeedsInput, ", "), Gives: strings.Join(o.NeedsOutput, ", "),
		needsInput: slices.Clone(o.NeedsInput), needsOutput: slices.Clone(o.NeedsOutput),
	}
	if s.view == nil {
		step.Note = "nothing to pick from"
		return step
	}
	limit := o.limit(defaultPick)
	o.Limit = 0
	kept := s.Filter(o.SearchOptions)
	if kept.Len() == 0 && len(o.NeedsOutput) > 0 {
		o.NeedsOutput = nil
		kept = s.Filter(o.SearchOptions).atLeast(mostHits).listed()
		kept.hits = slices.DeleteFunc(slices.Clone(kept.hits), func(h search.Hit) bool {
			return !s.view.cat.unknownOutput.Has(int(h.Doc))
		})
		if kept.Len() > 0 {
			step.Note = "none says that it returns " + step.Gives + "; these do not say what they return"
		}
	}
	step.Hits = kept.Top(limit).Hits()
	switch {
	case s.Len() == 0:
		step.Note = "nothing to pick from"
	case len(step.Hits) == 0:
		step.Note = fmt.Sprintf("none of %s meets the needs", text.Count(s.Len(), "hit"))
	}
	if notes := strings.Join(kept.notes, "; "); notes != "" {
		step.Note = joinWords(step.Note, ": ", notes)
	}
	return step
}

// A Link says where a step gets an input from.
type Link struct {
	// Step counts from 1, in the order of the plan.
	Step  int
	Input string
	// From is the earlier step that returns the input, 0 when the user must give it; ID and Field are the action
	// and the output field there.
	From      int
	ID, Field string
}

// A Plan is the steps of a task in an order that works, and where each input comes from.
type Plan struct {
	Steps []Step
	Links []Link
	// Given are the inputs that the user is said to give, Open those that neither a step nor the user gives; without
	// duplicates, in the order they are needed.
	Given, Open []string
	// Suppliers are actions that find ids among Open, for the best hit of a step.
	Suppliers []Supplier
	// Problems lists what is wrong with the plan, such as steps without hits; often nil.
	Problems []string
	// Reordered is set if the steps are in another order than they were given in.
	Reordered bool
}

// IDs are the ids of all hits, step by step, without duplicates.
func (p Plan) IDs() []string {
	var ids []string
	for _, step := range p.Steps {
		for _, hit := range step.Hits {
			if !slices.Contains(ids, hit.ID) {
				ids = append(ids, hit.ID)
			}
		}
	}
	return ids
}

// Plan orders and links steps. Hits that the view does not see are dropped. A step that needs another's output comes
// after it, unless the two may need each other. The user is taken to give the inputs that a step was picked for
// (NeedsInput) unless an earlier step returns them, and the inputs in given. It fails for no steps and for more than
// 20.
func (v *View) Plan(steps []Step, given ...string) (Plan, error) {
	switch {
	case len(steps) == 0:
		return Plan{}, fmt.Errorf("plan: no steps: give a list of catalog.pick results")
	case len(steps) > maxSteps:
		return Plan{}, fmt.Errorf("plan: %d steps: want at most %d", len(steps), maxSteps)
	}
	own := make([]Step, len(steps))
	for i, step := range steps {
		own[i] = step
		own[i].Hits = slices.DeleteFunc(slices.Clone(step.Hits), func(h Hit) bool { return v.doc(h.ID) < 0 })
	}
	var p Plan
	for i, at := range v.dataFlow(own).order() {
		p.Steps = append(p.Steps, own[at])
		p.Reordered = p.Reordered || at != i
	}
	flow := v.dataFlow(p.Steps)
	for i, step := range p.Steps {
		if len(step.Hits) == 0 {
			note := step.Note
			if note == "" {
				note = "no action"
			}
			p.Problems = append(p.Problems, fmt.Sprintf("step %d: %s", i+1, note))
			continue
		}
		for _, need := range v.needsOf(step) {
			link := flow.link(i, need)
			if sameField(need, given) {
				link = Link{Step: i + 1, Input: need}
			}
			p.Links = append(p.Links, link)
			switch {
			case link.From > 0:
			case sameField(need, given) || slices.Contains(step.needsInput, need):
				p.Given = appendNew(p.Given, need)
			default:
				p.Open = appendNew(p.Open, need)
			}
		}
	}
	p.Open = slices.DeleteFunc(p.Open, func(need string) bool { return sameField(need, p.Given) })
	p.Suppliers = v.planSuppliers(p)
	return p, nil
}

// planSuppliers are the actions that find the ids which nothing in a plan gives.
func (v *View) planSuppliers(p Plan) (all []Supplier) {
	for i, step := range p.Steps {
		var needs []need
		for _, link := range p.Links {
			if link.Step == i+1 && link.From == 0 && slices.Contains(p.Open, link.Input) {
				needs = append(needs, need{link.Input, link.Input})
			}
		}
		if e, ok := v.Lookup(step.best()); ok {
			all = append(all, v.suppliersOf(e, needs, step.Query)...)
		}
	}
	return firstSuppliers(all)
}

// SuppliersOf are the suppliers for step i, from 0: for its best hit, whose inputs the plan links.
func (p Plan) SuppliersOf(i int) (all []Supplier) {
	for _, one := range p.Suppliers {
		if one.For == p.Steps[i].best() {
			all = append(all, one)
		}
	}
	return all
}

// best is the id of the best hit, empty without any.
func (s Step) best() string {
	if len(s.Hits) == 0 {
		return ""
	}
	return s.Hits[0].ID
}

// sameField reports whether a field is one of names, however they are written.
func sameField(field string, names []string) bool {
	keys := needKeys(field)
	return slices.ContainsFunc(names, func(name string) bool {
		return slices.ContainsFunc(needKeys(name), func(key string) bool { return slices.Contains(keys, key) })
	})
}

func appendNew(names []string, name string) []string {
	if slices.Contains(names, name) {
		return names
	}
	return append(names, name)
}

// orderNeeds are the needs of a step that decide its place: those asked for, and the ids that its best hit requires.
// Other required inputs, such as "query" or "name", are too common to move a step.
func (v *View) orderNeeds(step Step) []string {
	needs := slices.Clone(step.needsInput)
	if len(step.Hits) == 0 {
		return needs
	}
	for _, need := range v.needsOf(step)[len(needs):] {
		if thing(need) != "" {
			needs = append(needs, need)
		}
	}
	return needs
}

// needsOf are the inputs a step asks for, and the others that its best hit requires.
func (v *View) needsOf(step Step) []string {
	needs := slices.Clone(step.needsInput)
	e, ok := v.Lookup(step.Hits[0].ID)
	if !ok {
		return needs
	}
	for _, n := range e.required() {
		own := inputNames(e, n.argument)
		if !slices.ContainsFunc(needs, func(have string) bool { return slices.Contains(own, spelling.Fold(have)) }) {
			needs = append(needs, n.name)
		}
	}
	return needs
}

// outputName is the entry's own name for the output that a key stands for.
func outputName(e *Entry, key string) string {
	props := e.Output.document().Fields()
	for _, p := range props {
		if spelling.Fold(p.Name) == key {
			return p.Name
		}
	}
	if strings.HasSuffix(key, "_id") {
		for _, p := range props {
			if spelling.Fold(p.Name) == "id" {
				return p.Name
			}
		}
	}
	return key
}

// stepLines are the lines of all hits of a plan, by step; the first hit of each is the last to be shortened.
func (v *View) stepLines(p Plan) [][]string {
	var signatures []*spec.Signature
	room := spec.Room{Best: 1, Tokens: answerTokens + stepTokens*max(0, len(p.Steps)-2)}
	for _, step := range p.Steps {
		room.Tokens -= text.Tokens(text.ClipRunes(step.Query, 100)) + 12 // where its inputs come from
		for i, hit := range step.Hits {
			if doc := v.doc(hit.ID); doc >= 0 {
				signatures = append(signatures, v.cat.signatureOf(doc).Asking(step.needsInput, step.needsOutput, needKeys))
				room.Place = append(room.Place, i)
			}
		}
	}
	room.Least = len(signatures)
	all := room.Fit(signatures)
	lines := make([][]string, len(p.Steps))
	for i, step := range p.Steps {
		for _, hit := range step.Hits {
			if _, ok := v.Lookup(hit.ID); ok {
				lines[i], all = append(lines[i], all[0]), all[1:]
			}
		}
	}
	return lines
}

// FormatPlan is the plan as text: the steps with their hits, where inputs come from, and what is open. Lines are
// shortened as in FormatSet; no hit is left out.
func (v *View) FormatPlan(p Plan) string {
	var b strings.Builder
	lines := v.stepLines(p)
	fmt.Fprintf(&b, "plan: %s, %s\n", text.Count(len(p.Steps), "step"), text.Count(len(p.IDs()), "action"))
	for i, step := range p.Steps {
		fmt.Fprintf(&b, "%d.", i+1)
		if step.Query != "" {
			b.WriteString(" " + text.LineRunes(step.Query, 100))
		}
		if step.Needs != "" {
			b.WriteString("; needs " + text.LineRunes(step.Needs, 100))
		}
		if step.Gives != "" {
			b.WriteString("; gives " + text.LineRunes(step.Gives, 100))
		}
		b.WriteByte('\n')
		for _, line := range lines[i] {
			b.WriteString("   " + line + "\n")
		}
		if step.Note != "" {
			b.WriteString("   note: " + text.OneLine(step.Note) + "\n")
		}
		for _, link := range p.Links {
			if link.Step == i+1 && link.From > 0 {
				fmt.Fprintf(&b, "   %s: from step %d, %s of %s\n", text.OneLine(link.Input), link.From, link.Field, link.ID)
			}
		}
		for _, one := range p.SuppliersOf(i) {
			b.WriteString("   " + one.String() + "\n")
		}
	}
	for _, inputs := range []struct {
		what  string
		names []string
	}{{"given", p.Given}, {"open", p.Open}} {
		var list []string
		for _, name := range inputs.names {
			at := slices.IndexFunc(p.Links, func(l Link) bool { return l.Input == name && l.From == 0 })
			list = append(list, fmt.Sprintf("%s (step %d)", text.OneLine(name), p.Links[at].Step))
		}
		if len(list) > 0 {
			b.WriteString(inputs.what + ": " + strings.Join(list, ", ") + "\n")
		}
	}
	if p.Reordered {
		b.WriteString("order: changed, so that each step gets what it needs\n")
	}
	for _, problem := range p.Problems {
		b.WriteString("problem: " + text.OneLine(problem) + "\n")
	}
	return strings.TrimSuffix(b.String(), "\n")
}
