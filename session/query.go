package session

import (
	"context"
	"fmt"
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
	a := &Answer{Outcome: out}
	if out.Err == nil && len(out.Values) > 0 {
		a.Plan, a.Text = r.answer(out.Values)
	}
	return a, nil
}

// answer reads what a query script returned: the catalog's own things are shown as lists of lines, all else as it
// is written in Lua.
func (r *run) answer(values []vm.Value) (catalog.Plan, string) {
	var plan catalog.Plan
	var texts []string
	view, shown := r.session.View(), r.session.Budget().Shown
	for _, v := range values {
		steps, text, ok := r.readCatalogValue(view, v.Data, shown)
		if !ok {
			text = v.Repr
			if s, isText := v.Data.(string); isText {
				text = s
			}
		}
		plan.Steps = append(plan.Steps, steps...)
		texts = append(texts, text)
	}
	return plan, strings.Join(texts, "\n")
}

func (r *run) readCatalogValue(view *catalog.View, data any, shown int) (steps []catalog.Step, text string, ok bool) {
	if list, isList := data.([]any); isList {
		set, err := r.listed(list)
		if err != nil || len(list) == 0 {
			return nil, "", false
		}
		return []catalog.Step{set.Pick(catalog.PickOptions{})}, view.FormatSet(set, shown), true
	}
	m, isMap := data.(map[string]any)
	if !isMap {
		return nil, "", false
	}
	if i, found := handle(m, "plan", len(r.plans)); found {
		return r.plans[i].Steps, view.FormatPlan(r.plans[i]), true
	}
	if i, found := handle(m, "step", len(r.steps)); found {
		one := catalog.Plan{Steps: r.steps[i : i+1]}
		return one.Steps, view.FormatPlan(one), true
	}
	if i, found := handle(m, "set", len(r.sets)); found {
		set := r.sets[i]
		return []catalog.Step{set.Pick(catalog.PickOptions{SearchOptions: catalog.SearchOptions{Limit: shown}})}, view.FormatSet(set, shown), true
	}
	return nil, "", false
}

// handle reads the index that a host-made table carries under name; handles count from 1.
func handle(m map[string]any, name string, n int) (int, bool) {
	i, ok := m[name].(int64)
	if f, isFloat := m[name].(float64); isFloat {
		i, ok = int64(f), true
	}
	if !ok || i < 1 || i > int64(n) {
		return 0, false
	}
	return int(i) - 1, true
}

// Describe returns the specs of ids and remembers that they were described, so that the model may call them. The
// error is a *catalog.UnknownError when an id is not visible; then none counts as described.
func (s *Session) Describe(ctx context.Context, ids []string, d catalog.Detail) ([]catalog.Spec, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if most := s.Budget().Described; len(ids) > most {
		return nil, fmt.Errorf("describe: %d ids: at most %d at once", len(ids), most)
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
	if err := w.record(trace.Record{Kind: trace.KindDescribe, IDs: ids}); err != nil {
		return nil, err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, id := range ids {
		w.described[id] = true
	}
	return specs, nil
}
