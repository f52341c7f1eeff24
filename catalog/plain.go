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
	return map[string]any{
		"kind": "plan", "steps": steps, "links": links, "given": plainList(p.Given), "open": plainList(p.Open),
		"problems": plainList(p.Problems), "reordered": p.Reordered, "ids": plainList(p.IDs()),
	}
}

// PlainStep is a step of a plan as plain data.
func (v *View) PlainStep(s Step) map[string]any {
	return map[string]any{
		"kind": "step", "query": s.Query, "needs": s.Needs, "gives": s.Gives, "note": s.Note, "hits": v.PlainHits(s.Hits),
	}
}

// PlainSet is a set as plain data.
func (v *View) PlainSet(s Set) map[string]any {
	return map[string]any{
		"kind": "set", "query": s.Label(), "total": int64(s.Total()), "notes": plainList(s.Notes()),
		"hits": v.PlainHits(s.Hits()),
	}
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

func plainList(words []string) []any {
	list := make([]any, len(words))
	for i, word := range words {
		list[i] = word
	}
	return list
}
