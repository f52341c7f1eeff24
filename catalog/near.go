package catalog

// This file finds the nearest name to one that is not known.

import (
	"almanac/catalog/search/spelling"
	"cmp"
	"slices"
	"strings"
)

// nearest is the visible name of m closest to key, as Nearest has it, or "". join is what parts the words of such names.
func (v *View) nearest(key string, m *postings, join string) string {
	best, least := -1, spelling.MostEdits(key)+1
	m.near.Near(key, least-1, func(i int) int {
		d := spelling.Distance(key, m.names.At(i), least+1)
		if (d < least || d == least && best >= 0 && i < best) && v.visible.any(m.at(i)) {
			best, least = i, d
		}
		return min(least, spelling.MostEdits(key))
	})
	if best >= 0 {
		return m.names.At(best)
	}
	if len(key) < 3 {
		return ""
	}
	for n := 3; n < min(len(key), maxID); n++ {
		if i, ok := m.names.Search(key[:n]); ok && v.visible.any(m.at(i)) {
			return key[:n]
		}
	}
	at, _ := m.names.Search(key)
	for i := at; i < m.names.Len() && strings.HasPrefix(m.names.At(i), key); i++ {
		if v.visible.any(m.at(i)) {
			return m.names.At(i)
		}
	}
	return v.endingIn(join+key, m)
}

// endingIn is the first visible name of m that ends in something, or "".
func (v *View) endingIn(end string, m *postings) string {
	for at := 0; ; at++ {
		n := strings.Index(m.names.Text[at:], end)
		if n < 0 {
			return ""
		}
		at += n
		// The name that ends where this does, if one does.
		i, ok := slices.BinarySearch(m.names.Offsets, uint32(at+len(end)))
		if ok && i > 0 && strings.HasSuffix(m.names.At(i-1), end) && v.visible.any(m.at(i-1)) {
			return m.names.At(i - 1)
		}
	}
}

// named are the visible entries whose name or alias this is, however it is written, in the order of their ids; of an id
// the last segment will do.
func (v *View) named(id string) []int {
	var docs []int
	for _, key := range sortedSet([]string{spelling.Fold(id), spelling.Fold(lastSegment(id))}) {
		for _, k := range []kind{nameKind, aliasKind} {
			for _, doc := range v.cat.exact.of(k).get(key) {
				if v.visible.has(int(doc)) {
					docs = append(docs, int(doc))
				}
			}
		}
	}
	slices.Sort(docs)
	return slices.Compact(docs)
}

// inOtherCase lists up to n visible ids that differ from one in nothing but small and capital letters.
func (v *View) inOtherCase(id string, n int) []string {
	var ids []string
	for doc := range v.cat.Len() {
		other := v.cat.id(doc)
		if len(ids) < n && len(other) == len(id) && v.visible.has(doc) && strings.EqualFold(other, id) {
			ids = append(ids, other)
		}
	}
	return ids
}

// nearIDs lists up to n visible ids for one that is not: the same in other letters, those a few edits away, nearest first, then those whose name
// or alias it is, then those that a search for its words finds, in its own namespace before elsewhere.
func (v *View) nearIDs(id string, n int) []string {
	limit := spelling.MostEdits(id) + 1
	type candidate struct {
		id   string
		edit int
	}
	var near []candidate
	v.cat.nearID.Near(id, limit-1, func(doc int) int {
		name := v.cat.id(doc)
		if d := spelling.Distance(id, name, limit); d < limit && v.visible.has(doc) {
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
