package catalog

// This file finds the nearest name to one that is not known.

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// nearest is the name closest to want, or "" when none is close: at most a third of its letters differ, or one
// begins the other. Ties go to the first in order.
func nearest(want string, names []string) string {
	best, least := "", closeness(want)+1
	folded := fold(want)
	for _, name := range names {
		d := EditDistance(folded, fold(name), least)
		if d < least {
			best, least = name, d
		}
	}
	if best != "" || len(folded) < 3 {
		return best
	}
	for _, name := range names {
		if f := fold(name); len(f) > 2 && (strings.HasPrefix(f, folded) || strings.HasPrefix(folded, f)) {
			return name
		}
	}
	for _, name := range names {
		if strings.HasSuffix(fold(name), "_"+folded) {
			return name
		}
	}
	return ""
}

// closeness is how many edits still count as near for a word of this length.
func closeness(word string) int {
	return max(1, min(4, utf8.RuneCountInString(word)/3))
}

// EditDistance is the number of edits (insert, remove, replace, swap of neighbours) between a and b, in characters, or
// limit when it is that or more.
func EditDistance(a, b string, limit int) int {
	if a == b {
		return 0
	}
	if diff := len(a) - len(b); diff >= 4*limit || -diff >= 4*limit {
		return limit
	}
	x, y := []rune(a), []rune(b)
	if diff := len(x) - len(y); diff >= limit || -diff >= limit {
		return limit
	}
	rows := make([]int, 3*(len(y)+1))
	before, prev, cur := rows[:len(y)+1], rows[len(y)+1:2*len(y)+2], rows[2*len(y)+2:]
	for j := range prev {
		prev[j] = j
	}
	for i := 1; i <= len(x); i++ {
		cur[0] = i
		least := i
		for j := 1; j <= len(y); j++ {
			cost := 1
			if x[i-1] == y[j-1] {
				cost = 0
			}
			d := min(prev[j]+1, cur[j-1]+1, prev[j-1]+cost)
			if i > 1 && j > 1 && x[i-1] == y[j-2] && x[i-2] == y[j-1] {
				d = min(d, before[j-2]+1)
			}
			cur[j] = d
			least = min(least, d)
		}
		if least >= limit {
			return limit
		}
		before, prev, cur = prev, cur, before
	}
	return min(prev[len(y)], limit)
}

// named are the visible entries whose name or alias this is, however it is written, in the order of their ids; of an id
// the last segment will do.
func (v *View) named(id string) []int {
	var docs []int
	for _, key := range sortedSet([]string{fold(id), fold(lastSegment(id))}) {
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

// nearIDs lists up to n visible ids for one that is not: those a few edits away, nearest first, then those whose name
// or alias it is, then those that a search for its words finds, in its own namespace before elsewhere.
func (v *View) nearIDs(id string, n int) []string {
	limit := closeness(id) + 1
	type candidate struct {
		id   string
		edit int
	}
	var near []candidate
	v.visible.each(func(doc int) {
		name := v.cat.id(doc)
		if d := EditDistance(id, name, limit); d < limit {
			near = append(near, candidate{name, d})
		}
	})
	slices.SortStableFunc(near, func(a, b candidate) int { return a.edit - b.edit })
	var ids []string
	for _, c := range near {
		if len(ids) < n {
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
