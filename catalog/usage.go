package catalog

// This file raises the scores of actions that were called before.

import (
	"cmp"
	"slices"

	"almanac/catalog/search"
)

// WithUsage is the same view whose searches rank actions higher that were called before: calls are successful calls by
// id, and n of them raise a score by
//
//	min(16, 2 x floor(log2(n)) + 2) / 128
//
// which is 1.6 % for one call and 12.5 % from 128 calls on. An entry is not found by usage alone, and nothing hidden is
// revealed: unknown and hidden ids are ignored. Nil counts switch it off, as in a new view. The same counts give the
// same answers. Views narrowed from it keep the counts.
func (v *View) WithUsage(calls map[string]int) *View {
	n := &View{cat: v.cat, visible: v.visible, count: v.count, actor: v.actor, tenant: v.tenant, parent: v.parent,
		rules: v.rules, loading: v.loading, recent: v.recent}
	for id, count := range calls {
		if doc := v.cat.find(id); doc >= 0 && count > 0 {
			n.usage = append(n.usage, search.Used{Doc: int32(doc), Times: count})
		}
	}
	slices.SortFunc(n.usage, func(a, b search.Used) int { return cmp.Compare(a.Doc, b.Doc) })
	return n
}

// request is a search request for what the view sees.
func (v *View) request(text string) search.Request {
	return search.Request{Text: text, Visible: v.visible, Used: v.usage, Recent: v.recent}
}
