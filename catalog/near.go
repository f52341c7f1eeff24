package catalog

// This file finds the nearest name to one that is not known.

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"
)

// Nearest is the name closest to want, or "" when none is close: at most a third of its letters differ, or one
// begins the other. Ties go to the first in order.
func Nearest(want string, names []string) string {
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

// nearest is the visible name of m closest to key, as Nearest has it, or "". join is what parts the words of such names.
func (v *View) nearest(key string, m *postings, join string) string {
	best, least := -1, closeness(key)+1
	m.near.each(key, least-1, func(i int) int {
		d := EditDistance(key, m.names.at(i), least+1)
		if (d < least || d == least && best >= 0 && i < best) && v.visible.any(m.at(i)) {
			best, least = i, d
		}
		return min(least, closeness(key))
	})
	if best >= 0 {
		return m.names.at(best)
	}
	if len(key) < 3 {
		return ""
	}
	for n := 3; n < min(len(key), maxID); n++ {
		if i, ok := m.names.search(key[:n]); ok && v.visible.any(m.at(i)) {
			return key[:n]
		}
	}
	at, _ := m.names.search(key)
	for i := at; i < m.names.len() && strings.HasPrefix(m.names.at(i), key); i++ {
		if v.visible.any(m.at(i)) {
			return m.names.at(i)
		}
	}
	return v.endingIn(join+key, m)
}

// endingIn is the first visible name of m that ends in something, or "".
func (v *View) endingIn(end string, m *postings) string {
	for at := 0; ; at++ {
		n := strings.Index(m.names.text[at:], end)
		if n < 0 {
			return ""
		}
		at += n
		// The name that ends where this does, if one does.
		i, ok := slices.BinarySearch(m.names.offsets, uint32(at+len(end)))
		if ok && i > 0 && strings.HasSuffix(m.names.at(i-1), end) && v.visible.any(m.at(i-1)) {
			return m.names.at(i - 1)
		}
	}
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
	var rows [3 * (maxLetters + 1)]int
	if len(a) <= maxLetters && len(b) <= maxLetters && isASCII(a) && isASCII(b) {
		return edits([]byte(a), []byte(b), rows[:], limit)
	}
	x, y := []rune(a), []rune(b)
	return edits(x, y, make([]int, 3*(len(y)+1)), limit)
}

func isASCII(text string) bool {
	for i := range len(text) {
		if text[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// edits is EditDistance of letters; rows has room for three rows of a table. Of a row only the cells are worked out that
// can be below the limit.
func edits[T byte | rune](x, y []T, rows []int, limit int) int {
	if diff := len(x) - len(y); diff >= limit || -diff >= limit {
		return limit
	}
	n := len(y) + 1
	before, prev, cur := rows[:n], rows[n:2*n], rows[2*n:3*n]
	for j := range prev {
		prev[j] = j
	}
	for i := 1; i <= len(x); i++ {
		from, to := max(1, i-limit+1), min(len(y), i+limit-1)
		cur[from-1] = limit
		if from == 1 {
			cur[0] = i
		}
		least := cur[from-1]
		for j := from; j <= to; j++ {
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
		if to+1 < n {
			cur[to+1] = limit
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
	limit := closeness(id) + 1
	type candidate struct {
		id   string
		edit int
	}
	var near []candidate
	v.cat.nearID.each(id, limit-1, func(doc int) int {
		name := v.cat.id(doc)
		if d := EditDistance(id, name, limit); d < limit && v.visible.has(doc) {
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
