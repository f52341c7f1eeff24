package catalog

// This file turns plans, steps and sets into plain data, for formats that machines read: lower-case names, and empty
// lists instead of nothing.

// Plain is the plan as plain data, with the lines of its hits.
func (v *View) Plain(p Plan) map[string]any {
	steps := make([]any, 0, len(p.Steps))
	for _, step := range p.Steps {
		steps = append(steps, v.PlainStep(step))
	}
	links := make([]any, 0, len(p.Links))
	for _, l := range p.Links {
		link := map[string]any{"step": int64(l.Step), "input": l.Input}
		if l.From > 0 {
			link["from"], link["id"], link["field"] = int64(l.From), l.ID, l.Field
		}
		links = append(links, link)
	}
	suppliers := make([]any, 0, len(p.Suppliers))
	for _, one := range p.Suppliers {
		suppliers = append(suppliers, v.PlainSupplier(one))
	}
	return map[string]any{
		"kind": "plan", "steps": steps, "links": links, "suppliers": suppliers, "given": plainList(p.Given),
		"open":     plainList(p.Open),
		"problems": plainList(p.Problems), "reordered": p.Reordered, "ids": plainList(p.IDs()),
	}
}

// PlainStep is a step of a plan as plain data.
func (v *View) PlainStep(s Step) map[string]any {
	return map[string]any{
		"kind": "step", "query": s.Query, "needs": s.Needs, "gives": s.Gives, "note": s.Note, "hits": v.PlainHits(s.Hits),
	}
}

// PlainSet is a set as plain data, with all its hits.
func (v *View) PlainSet(s Set) map[string]any {
	plain := map[string]any{
		"kind": "set", "query": s.Label(), "total": int64(s.Total()), "notes": plainList(s.Notes()),
		"hits": v.PlainHits(s.Hits()),
	}
	for _, group := range v.Alike(s.Hits(), s.words) {
		for _, h := range group[1:] {
			for _, hit := range plain["hits"].([]any) {
				if hit := hit.(map[string]any); hit["id"] == h.ID {
					hit["like"] = group[0].ID
				}
			}
		}
	}
	var suppliers []any
	for _, one := range v.Suppliers(s) {
		suppliers = append(suppliers, v.PlainSupplier(one))
	}
	if len(suppliers) > 0 {
		plain["suppliers"] = suppliers
	}
	return plain
}

// PlainHits are hits as plain data, in their order.
func (v *View) PlainHits(hits []Hit) []any {
	list := make([]any, 0, len(hits))
	for _, h := range hits {
		list = append(list, v.PlainHit(h))
	}
	return list
}

// PlainHit is a hit with its line.
func (v *View) PlainHit(h Hit) map[string]any {
	return map[string]any{"id": h.ID, "score": h.Score, "line": v.Line(h.ID)}
}

// PlainSupplier is a supplier with its line.
func (v *View) PlainSupplier(s Supplier) map[string]any {
	plain := map[string]any{"id": s.ID, "line": v.Line(s.ID), "for": s.For, "argument": s.Argument}
	if s.Field != "" {
		plain["field"] = s.Field
	}
	return plain
}

func plainList(words []string) []any {
	list := make([]any, len(words))
	for i, word := range words {
		list[i] = word
	}
	return list
}
