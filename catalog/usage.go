package catalog

// This file lets what was called before raise a score.

import (
	"cmp"
	"slices"

	"almanac/catalog/search"
)

// WithUsage is the same view with searches that raise what was called before: calls are successful calls by id, and n
// of them raise a score by
//
//	min(16, 2 x floor(log2(n)) + 2) / 128
//
// which is 1.6 % for one call and 12.5 % from 128 calls on. An entry is not found by usage alone, and nothing is
// revealed: ids that are unknown or hidden count for nothing. Nil counts switch it off again, which is how a view
// begins. The answers stay the same for the same counts. Views narrowed from it keep the counts.
func (v *View) WithUsage(calls map[string]int) *View {
	n := &View{cat: v.cat, visible: v.visible, count: v.count, actor: v.actor, tenant: v.tenant, parent: v.parent, rules: v.rules}
	for id, count := range calls {
		if doc := v.cat.find(id); doc >= 0 && count > 0 {
			n.usage = append(n.usage, search.Used{Doc: int32(doc), Times: count})
		}
	}
	slices.SortFunc(n.usage, func(a, b search.Used) int { return cmp.Compare(a.Doc, b.Doc) })
	return n
}

// request is a query of the view's.
func (v *View) request(text string) search.Request {
	return search.Request{Text: text, Visible: v.visible, Used: v.usage}
}
