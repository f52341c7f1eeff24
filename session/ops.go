// This file implements the catalog primitives. Sets stay in the run (sets.go); the script gets the first hits and a
// handle that is valid for its run.

package session

import (
	"context"
	"errors"
	"fmt"

	"almanac/catalog"
	"almanac/session/vm"
)

// op answers one primitive. An error is the script's to catch.
func (r *run) op(ctx context.Context, name string, args []any) (any, error) {
	if err := ctx.Err(); err != nil {
		return nil, interrupted()
	}
	answer, err := r.primitive(ctx, name, args)
	if err == nil {
		return answer, nil
	}
	if over := r.refuseOp(name); over != nil {
		return nil, over
	}
	var host *vm.HostError
	if errors.As(err, &host) {
		return nil, err
	}
	host = &vm.HostError{Code: CodeBadArgument, Message: fmt.Sprintf("%s: %v", name, err)}
	var bad *catalog.ArgError
	var unknown *catalog.UnknownError
	switch {
	case errors.As(err, &bad):
		host.Hint = bad.Hint
	case errors.As(err, &unknown):
		host.Code, host.Hint = CodeUnknown, r.near(unknown)
	}
	return nil, host
}

// maxHeld is how many sets, steps, plans and the like a run may make: they are kept until it ends.
const maxHeld = 2000

func (r *run) primitive(ctx context.Context, name string, args []any) (any, error) {
	view := r.session.View()
	a := &arguments{list: args}
	if held := len(r.sets) + len(r.steps) + len(r.plans) + len(r.counted) + len(r.explained); held >= maxHeld {
		return nil, limited("sets", fmt.Sprintf("%s: the run has reached %d sets, steps and plans", name, maxHeld))
	}
	switch name {
	case "catalog.search":
		return r.search(a)
	case "catalog.namespace":
		return r.named(view.Namespace, a)
	case "catalog.below":
		return r.below(view, a)
	case "catalog.tags":
		return r.named(view.Tags, a)
	case "catalog.entities":
		return r.named(view.Entities, a)
	case "catalog.inputs":
		return r.named(view.Inputs, a)
	case "catalog.outputs":
		return r.named(view.Outputs, a)
	case "catalog.text":
		return r.text(a)
	case "catalog.count":
		return r.count(a)
	case "catalog.hit":
		return r.hit(a)
	case "catalog.filter":
		return r.filter(a)
	case "catalog.intersect":
		return r.combine(catalog.Set.Intersect, a)
	case "catalog.union":
		return r.combine(catalog.Set.Union, a)
	case "catalog.boost":
		return r.boost(a)
	case "catalog.top":
		return r.top(a)
	case "catalog.facets":
		return r.facets(a)
	case "catalog.pick":
		return r.pick(a)
	case "catalog.plan":
		return r.plan(a)
	case "catalog.explain":
		return r.explain(view, a)
	case "catalog.get":
		return r.get(view, a)
	case "catalog.describe":
		return r.describe(ctx, a)
	}
	return nil, errors.New("no such primitive")
}

func (r *run) search(a *arguments) (any, error) {
	query, o := a.text(0, "what to search for"), r.searchOptions(a, 1)
	if a.err != nil {
		return nil, a.err
	}
	// What the answer says of the words shows them one by one.
	set, err := r.session.SearchView().Search(r.session.Redact(query), o)
	if err != nil {
		return nil, err
	}
	return r.give(set), nil
}

// below counts the actions below a path, and lists the next segments when asked to, those that the script may read.
func (r *run) below(view *catalog.View, a *arguments) (any, error) {
	path := a.text(0, "a path of names")
	if a.err != nil {
		return nil, a.err
	}
	names := []any{}
	children, total := childrenOf(view, path)
	for _, child := range children {
		if a.at(1) == true && (child.ID == "" || r.read(child.ID)) {
			names = append(names, child.Name)
		}
	}
	return map[string]any{"actions": total, "names": names}, nil
}

// childrenOf is what is directly below a namespace, and how many actions it has; nothing for an action.
func childrenOf(view *catalog.View, path string) (children []catalog.Child, total int64) {
	if _, action := view.Lookup(path); action || path == "" {
		return nil, 0
	}
	children = view.Children(path)
	for _, child := range children {
		total += int64(child.Count)
	}
	return children, total
}

// searchOptions reads the argument at i as filters that the view knows.
func (r *run) searchOptions(a *arguments, i int) catalog.SearchOptions {
	o, err := catalog.ParseSearchOptions(a.options(i))
	if err == nil {
		err = r.session.View().CheckOptions(o)
	}
	a.fail(err)
	return o
}

func (r *run) named(find func(...string) catalog.Set, a *arguments) (any, error) {
	names := a.names()
	if a.err != nil {
		return nil, a.err
	}
	return r.give(find(names...)), nil
}

func (r *run) filter(a *arguments) (any, error) {
	set, o := r.set(a, 0), r.searchOptions(a, 1)
	if a.err != nil {
		return nil, a.err
	}
	return r.give(set.Filter(o)), nil
}

func (r *run) combine(with func(catalog.Set, catalog.Set) catalog.Set, a *arguments) (any, error) {
	if len(a.list) < 2 {
		return nil, errors.New("want two sets")
	}
	set := r.set(a, 0)
	for i := 1; i < len(a.list); i++ {
		other := r.set(a, i)
		if a.err != nil {
			return nil, a.err
		}
		set = with(set, other)
	}
	return r.give(set), nil
}

func (r *run) boost(a *arguments) (any, error) {
	set := r.set(a, 0)
	o, err := catalog.ParseBoostOptions(a.options(1))
	if err == nil {
		err = r.session.View().CheckOptions(o.SearchOptions)
	}
	if a.fail(err); a.err != nil {
		return nil, a.err
	}
	return r.give(set.Boost(o)), nil
}

// text is a set, step or plan as an answer shows it. Most of those that a script makes are only a way to others, so it
// is written when asked for.
func (r *run) text(a *arguments) (any, error) {
	view := r.session.View()
	if m, ok := a.at(0).(map[string]any); ok {
		if at, found := r.held(m, "plan", len(r.plans)); found {
			return view.FormatPlan(r.shownPlan(r.plans[at])), nil
		}
		if at, found := r.held(m, "step", len(r.steps)); found {
			return view.FormatPlan(r.shownPlan(catalog.Plan{Steps: r.steps[at : at+1]})), nil
		}
	}
	set := r.set(a, 0)
	if a.err != nil {
		return nil, a.err
	}
	return r.setText(set).Text, nil
}

func (r *run) top(a *arguments) (any, error) {
	set := r.set(a, 0)
	n, err := catalog.ParseLimit("argument 2", a.at(1))
	if a.fail(err); a.err != nil {
		return nil, a.err
	}
	return r.give(set.Top(n)), nil
}

func (r *run) facets(a *arguments) (any, error) {
	set := r.set(a, 0)
	if a.err != nil {
		return nil, a.err
	}
	f := set.Facets()
	r.counted = append(r.counted, f)
	answer := map[string]any{
		"facets": r.handle(len(r.counted) - 1), "text": f.Text(), "total": int64(f.Total), "mutating": int64(f.Mutating),
		"domains": counts(f.Domains), "namespaces": counts(f.Namespaces), "tags": counts(f.Tags),
		"entities": counts(f.Entities), "operations": counts(f.Operations), "risks": counts(f.Risks),
		"inputs": counts(f.Inputs), "outputs": counts(f.Outputs),
	}
	if len(f.Categories) > 0 {
		answer["categories"] = counts(f.Categories)
	}
	if f.Of > 0 {
		answer["of"] = int64(f.Of)
	}
	return answer, nil
}

func counts(list []catalog.FacetCount) []any {
	items := make([]any, len(list))
	for i, c := range list {
		items[i] = map[string]any{"name": c.Name, "count": int64(c.Count)}
	}
	return items
}

func (r *run) pick(a *arguments) (any, error) {
	set, o := r.set(a, 0), r.searchOptions(a, 1)
	if a.err != nil {
		return nil, a.err
	}
	step := set.Pick(catalog.PickOptions{SearchOptions: o})
	r.steps = append(r.steps, step)
	return r.stepTable(step, len(r.steps)-1), nil
}

func (r *run) stepTable(step catalog.Step, i int) map[string]any {
	return r.listing(step.Hits, map[string]any{"step": r.handle(i), "needs_input": step.Needs, "needs_output": step.Gives})
}

func (r *run) plan(a *arguments) (any, error) {
	list, ok := a.at(0).([]any)
	if !ok || len(list) == 0 {
		return nil, errors.New("argument 1: want a list of steps made by catalog.pick")
	}
	steps := make([]catalog.Step, 0, len(list))
	for i, item := range list {
		m, _ := item.(map[string]any)
		if at, found := r.held(m, "step", len(r.steps)); found {
			steps = append(steps, r.steps[at])
			continue
		}
		set, err := r.readSet(item)
		if err != nil {
			return nil, fmt.Errorf("step %d: %w", i+1, err)
		}
		steps = append(steps, set.Pick(catalog.PickOptions{}))
	}
	given, err := catalog.ParsePlanOptions(a.options(1))
	if a.fail(err); a.err != nil {
		return nil, a.err
	}
	p, err := r.session.SearchView().Plan(steps, given...)
	if err != nil {
		return nil, err
	}
	r.plans = append(r.plans, p)
	tables := make([]any, 0, len(p.Steps))
	for _, step := range p.Steps {
		r.steps = append(r.steps, step)
		tables = append(tables, r.stepTable(step, len(r.steps)-1))
	}
	answer := map[string]any{"plan": r.handle(len(r.plans) - 1), "steps": tables, "open": texts(p.Open),
		"links": r.links(p)}
	if !r.bounded() {
		answer["ids"] = texts(p.IDs())
	}
	return answer, nil
}

// links says where each input of a plan comes from; a script of the model's gets the ids with the hits that it reads.
func (r *run) links(p catalog.Plan) []any {
	links := make([]any, 0, len(p.Links))
	for _, l := range p.Links {
		link := map[string]any{"step": int64(l.Step), "input": l.Input}
		if l.From > 0 {
			link["from"], link["field"] = int64(l.From), l.Field
		}
		if l.From > 0 && !r.bounded() {
			link["id"] = l.ID
		}
		links = append(links, link)
	}
	return links
}

func (r *run) explain(view *catalog.View, a *arguments) (any, error) {
	id, query := a.id(0), a.text(1, "the query")
	if a.err != nil {
		return nil, a.err
	}
	entry, err := view.Resolve(id)
	if err != nil {
		return nil, err
	}
	if !r.read(entry.ID) {
		return nil, r.enough("catalog.explain")
	}
	query, view = r.session.Redact(query), r.session.SearchView()
	why, err := view.Explain(entry.ID, query)
	if err != nil {
		return nil, err
	}
	for _, one := range view.NeededBy(entry.ID, query) {
		if r.read(one.ID) {
			why += "\n  " + one.String()
		}
	}
	r.explained = append(r.explained, why)
	return why, nil
}

func (r *run) get(view *catalog.View, a *arguments) (any, error) {
	id := a.id(0)
	if a.err != nil {
		return nil, a.err
	}
	hit, err := view.Get(id)
	if err != nil {
		return nil, err
	}
	if !r.read(hit.ID) {
		return nil, r.enough("catalog.get")
	}
	return map[string]any{"id": hit.ID, "line": view.Line(hit.ID)}, nil
}

func (r *run) describe(ctx context.Context, a *arguments) (any, error) {
	ids := a.names()
	if a.err != nil {
		return nil, a.err
	}
	if r.bounded() {
		if err := r.mayDescribe(ids); err != nil {
			return nil, err
		}
	}
	specs, err := r.session.Describe(ctx, ids, "")
	if err != nil {
		return nil, err
	}
	r.reading.specs = append(r.reading.specs, specs...)
	list := make([]any, 0, len(specs))
	for _, spec := range specs {
		list = append(list, map[string]any{"id": spec.ID, "text": spec.Text, "spec": true})
	}
	return list, nil
}
