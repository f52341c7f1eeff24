package catalog

// This file finds the names nearest to an unknown one.

import (
	"cmp"
	"slices"
	"strings"

	"almanac/catalog/search/spelling"
)

// named are the visible entries with this name or alias, in any spelling style, in the order of their ids; the last
// segment of an id is enough.
func (v *View) named(id string) []int {
	var docs []int
	for _, key := range sortedSet([]string{spelling.Fold(id), spelling.Fold(lastSegment(id))}) {
		for _, k := range []int{nameKind, aliasKind} {
			for _, doc := range v.cat.index.Keys(k).Get(key) {
				if v.visible.Has(int(doc)) {
					docs = append(docs, int(doc))
				}
			}
		}
	}
	slices.Sort(docs)
	return slices.Compact(docs)
}

// byAlias is the one visible entry with the alias; nil where several have it, and for the id of a hidden entry.
func (v *View) byAlias(alias string) *Entry {
	if strings.ContainsAny(alias, " \t\n") || v.cat.find(alias) >= 0 {
		return nil
	}
	var only *Entry
	for _, doc := range v.cat.index.Keys(aliasKind).Get(spelling.Fold(alias)) {
		e := v.cat.entry(int(doc))
		switch {
		case !v.visible.Has(int(doc)) || !slices.Contains(e.Aliases, alias):
		case only != nil:
			return nil
		default:
			only = e
		}
	}
	return only
}

// inOtherCase lists up to n visible ids that differ from id only in case.
func (v *View) inOtherCase(id string, n int) []string {
	var ids []string
	for doc := range v.cat.Len() {
		other := v.cat.id(doc)
		if len(ids) < n && len(other) == len(id) && v.visible.Has(doc) && strings.EqualFold(other, id) {
			ids = append(ids, other)
		}
	}
	return ids
}

// nearIDs lists up to n visible ids near to an unknown one: those that differ only in case, those a few edits away,
// nearest first, then those with its name or an alias, then those that a search for its words finds, its own namespace
// first.
func (v *View) nearIDs(id string, n int) []string {
	limit := spelling.MostEdits(id) + 1
	type candidate struct {
		id   string
		edit int
	}
	var near []candidate
	v.cat.nearID.Near(id, limit-1, func(doc int) int {
		name := v.cat.id(doc)
		if d := spelling.Distance(id, name, limit); d < limit && v.visible.Has(doc) {
			near = append(near, candidate{name, d})
		}
		return limit - 1
	})
	slices.SortFunc(near, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(a.edit, b.edit), cmp.Compare(a.id, b.id))
	})
	ids := v.inOtherCase(id, n)
	for _, c := range near {
		if len(ids) < n && !slices.Contains(ids, c.id) {
			ids = append(ids, c.id)
		}
	}
	for _, doc := range v.named(id) {
		if name := v.cat.id(doc); len(ids) < n && !slices.Contains(ids, name) {
			ids = append(ids, name)
		}
	}
	places := []SearchOptions{{Limit: n}}
	if dot := strings.LastIndexByte(id, '.'); dot > 0 {
		places = []SearchOptions{{Limit: n, Domains: []string{id[:dot]}}, {Limit: n}}
	}
	for _, o := range places {
		found, err := v.Search(id, o)
		if err != nil {
			continue
		}
		for _, hit := range found.Hits() {
			if len(ids) < n && !slices.Contains(ids, hit.ID) {
				ids = append(ids, hit.ID)
			}
		}
	}
	return ids
}
