package session

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"almanac/catalog"
	"almanac/session/trace"
	"almanac/session/vm"
)

// Query runs a query script in a fresh machine that has the catalog's primitives and no actions. A script that fails
// is an Answer whose Outcome has Err set.
func (s *Session) Query(ctx context.Context, script Script) (*Answer, error) {
	r, err := s.newRun(script, trace.ModeQuery)
	if err != nil {
		return nil, err
	}
	out, err := r.do(ctx)
	if err != nil {
		return nil, err
	}
	a := &Answer{Outcome: out, Plan: leaves(s.world, catalog.Plan{Steps: r.answered})}
	ids := a.Plan.IDs()
	for _, step := range a.Plan.Steps {
		for _, supplier := range step.Suppliers {
			ids = append(ids, supplier.ID)
		}
	}
	s.world.mu.Lock()
	for _, id := range ids {
		s.world.found[id] = true
	}
	if len(ids) > 0 {
		s.world.lastFound = ids
	}
	s.world.mu.Unlock()
	texts := make([]string, 0, len(out.Values))
	for _, v := range out.Values {
		text, isText := v.Data.(string)
		if !isText {
			text = v.Repr
		}
		texts = append(texts, text)
	}
	a.Text = strings.Join(texts, "\n")
	return a, nil
}

// readCatalogValues finds the catalog's own things among the values that the script returned: they are shown as lists
// of lines, and kept for the answer. A run shows what the catalog gave it so; that a list of ids is an answer holds in
// a query alone.
func (r *run) readCatalogValues(values []vm.Value) {
	for i := range values {
		if path := values[i].Action; path != "" {
			if _, total := childrenOf(r.session.View(), path); total > 0 {
				values[i].Repr = vm.NamespaceText(path, total)
			}
			continue
		}
		if read, ok := r.readCatalogValue(values[i].Data); ok {
			r.answered = append(r.answered, read.steps...)
			values[i].Repr, values[i].Prose = read.text, true
			if !r.bounded() {
				values[i].Catalog = read.plain
			}
		}
	}
}

// A catalogValue is a value of the catalog's: as steps of an answer, as text, and as plain data, nil where the
// value's own data will do.
type catalogValue struct {
	steps []catalog.Step
	text  string
	plain any
}

func (r *run) readCatalogValue(data any) (read catalogValue, ok bool) {
	view := r.session.View()
	if explained, isText := data.(string); isText {
		return catalogValue{text: explained}, slices.Contains(r.explained, explained)
	}
	if list, isList := data.([]any); isList {
		if text, specs, described := readSpecs(list); described {
			return catalogValue{text: text, plain: specs}, true
		}
		if several, made := r.readSeveral(list); made {
			return several, true
		}
		if r.mode != trace.ModeQuery {
			return catalogValue{}, false // rows of an action may well have an id that is an action's
		}
		set, err := r.listed(list)
		if err != nil || len(list) == 0 {
			return catalogValue{}, false
		}
		step, text := r.shownSet(set, 0)
		return catalogValue{[]catalog.Step{step}, text, view.PlainHits(set.Hits())}, true
	}
	m, isMap := data.(map[string]any)
	if !isMap {
		return catalogValue{}, false
	}
	if i, found := r.held(m, "plan", len(r.plans)); found {
		shown := r.shownPlan(r.plans[i])
		steps := slices.Clone(shown.Steps)
		for i := range steps {
			steps[i].Suppliers = shown.SuppliersOf(i)
		}
		return catalogValue{steps, view.FormatPlan(shown), view.Plain(shown)}, true
	}
	if i, found := r.held(m, "step", len(r.steps)); found {
		one := r.shownPlan(catalog.Plan{Steps: r.steps[i : i+1]})
		return catalogValue{one.Steps, view.FormatPlan(one), view.PlainStep(one.Steps[0])}, true
	}
	if i, found := r.held(m, "facets", len(r.counted)); found {
		counts := without(m, "facets", "text")
		counts["kind"] = "facets"
		return catalogValue{text: r.counted[i].Text(), plain: counts}, true
	}
	if line, isHit := m["line"].(string); isHit && r.mode == trace.ModeQuery {
		if set, err := r.listed([]any{m}); err == nil {
			step, _ := r.shownSet(set, 0)
			return catalogValue{steps: []catalog.Step{step}, text: line}, true
		}
	}
	if i, found := r.held(m, "set", len(r.sets)); found {
		set := r.sets[i]
		r.returned = append(r.returned, set)
		step, text := r.shownSet(set, r.budget().Shown)
		return catalogValue{[]catalog.Step{step}, text, view.PlainSet(set)}, true
	}
	return catalogValue{}, false
}

// shownSet is a set as a step of the answer and as text. A person's step has up to limit hits; zero stands for that of
// a pick. That of the model has those of the text.
func (r *run) shownSet(set catalog.Set, limit int) (catalog.Step, string) {
	step := set.Pick(catalog.PickOptions{SearchOptions: catalog.SearchOptions{Limit: limit}})
	listed := r.setText(set)
	if r.bounded() {
		step.Hits = listed.Hits
	}
	step.Suppliers, step.Like = listed.Suppliers, listed.Like
	return step, listed.Text
}

// readSeveral reads a list of what the catalog gave: each of it is an answer of its own.
func (r *run) readSeveral(list []any) (several catalogValue, ok bool) {
	var parts []string
	plain := make([]any, 0, len(list))
	for _, item := range list {
		if m, _ := item.(map[string]any); m["id"] != nil {
			return catalogValue{}, false // a hit, or a row
		}
		one, ok := r.readCatalogValue(item)
		if _, isText := item.(string); !ok || isText {
			return catalogValue{}, false
		}
		several.steps, parts, plain = append(several.steps, one.steps...), append(parts, one.text), append(plain, one.plain)
	}
	several.text, several.plain = strings.Join(parts, "\n\n"), plain
	return several, len(parts) > 0
}

// specs are what a script of the model's had described, each once.
func (r *run) specs() []catalog.Spec {
	var specs []catalog.Spec
	for _, spec := range r.reading.specs {
		if r.bounded() && !slices.ContainsFunc(specs, func(s catalog.Spec) bool { return s.ID == spec.ID }) {
			specs = append(specs, spec)
		}
	}
	return specs
}

// readSpecs is what catalog.describe returned as one text, and as a list.
func readSpecs(list []any) (text string, specs []any, ok bool) {
	var parts []string
	for _, item := range list {
		m, _ := item.(map[string]any)
		text, isText := m["text"].(string)
		if m["spec"] != true || !isText || m["id"] == nil || len(m) > 3 {
			return "", nil, false
		}
		parts, specs = append(parts, text), append(specs, without(m, "spec"))
	}
	return strings.Join(parts, "\n\n"), specs, len(parts) > 0
}

// without is a table without some of its fields.
func without(m map[string]any, names ...string) map[string]any {
	m = maps.Clone(m)
	for _, name := range names {
		delete(m, name)
	}
	return m
}

// Describe returns the specs of ids and remembers that they were described, so that the model may call them. The
// error is a *catalog.UnknownError when an id is not visible; then none counts as described.
func (s *Session) Describe(ctx context.Context, ids []string, d catalog.Detail) ([]catalog.Spec, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if most := s.Budget(Model).Described; len(ids) > most {
		return nil, fmt.Errorf("describe: %d ids: at most %d at once: take the fewest the task needs", len(ids), most)
	}
	view := s.View()
	specs := make([]catalog.Spec, 0, len(ids))
	for _, id := range ids {
		spec, err := view.Describe(id, d)
		if err != nil {
			return nil, err
		}
		specs = append(specs, spec)
	}
	w := s.world
	for _, spec := range specs {
		s.Recall([]string{spec.ID})
	}
	if !slices.ContainsFunc(specs, func(spec catalog.Spec) bool { return !w.isDescribed(spec.ID) }) {
		return specs, nil // on record already
	}
	if err := w.record(trace.Record{Kind: trace.KindDescribe, IDs: ids}); err != nil {
		return nil, err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, spec := range specs {
		w.described[spec.ID] = true
	}
	return specs, nil
}
