package catalog

import (
	"cmp"
	"slices"
)

// A Hit is one entry of a ranked answer. Scores of one catalog can be compared between queries; they have no unit.
type Hit struct {
	ID    string  `json:"id"`
	Score float64 `json:"score"`
}

// A Set is a ranked answer: ids and scores, never actions. It is immutable and safe for concurrent use. The zero Set
// is empty. Every set that comes from another sees no more than the view of the first.
type Set struct {
	view  *View
	query string
	hits  []scored // best first
	total int
	notes []string // names that were unknown
	// chosen tells that somebody said how many hits there shall be.
	chosen bool
	asked  SearchOptions
}

// Len is the number of hits.
func (s Set) Len() int { return len(s.hits) }

// Total is the number of entries that matched before any limit.
func (s Set) Total() int { return s.total }

// Query is what was asked for, in words.
func (s Set) Query() string { return s.query }

// Notes say which of the names asked for are unknown; often nil.
func (s Set) Notes() []string { return slices.Clone(s.notes) }

// Hits are the ids and scores, best first.
func (s Set) Hits() []Hit {
	hits := make([]Hit, 0, len(s.hits))
	for _, h := range s.hits {
		hits = append(hits, s.hit(h))
	}
	return hits
}

func (s Set) hit(h scored) Hit { return Hit{ID: s.view.cat.id(int(h.doc)), Score: h.score} }

// with is s with other hits.
func (s Set) with(hits []scored, total int) Set {
	s.hits, s.total = hits, total
	return s
}

// Filter keeps the hits that pass the options, in their order. A limit above zero keeps the first so many.
func (s Set) Filter(o SearchOptions) Set {
	if s.view == nil {
		return s
	}
	allowed, notes := s.view.filter(o)
	var kept []scored
	for _, h := range s.hits {
		if allowed.has(int(h.doc)) {
			kept = append(kept, h)
		}
	}
	s.notes = append(slices.Clip(s.notes), notes...)
	s.asked = o
	s.chosen = s.chosen || o.Limit > 0
	return s.with(kept[:min(len(kept), o.limit(len(kept)))], len(kept))
}

// Intersect keeps what both sets have; scores are added.
func (s Set) Intersect(o Set) Set {
	if s.view == nil || o.view == nil {
		return Set{view: s.view}
	}
	theirs := map[int32]float64{}
	for _, h := range o.hits {
		if doc := s.own(o, h); doc >= 0 {
			theirs[doc] = h.score
		}
	}
	var both []scored
	for _, h := range s.hits {
		if score, ok := theirs[h.doc]; ok {
			both = append(both, scored{h.doc, h.score + score})
		}
	}
	return s.joined(o, " and ", both)
}

// Union has what either set has; scores are added where both have an entry.
func (s Set) Union(o Set) Set {
	switch {
	case s.view == nil:
		return o
	case o.view == nil:
		return s
	}
	all := slices.Clone(s.hits)
	place := map[int32]int{}
	for i, h := range all {
		place[h.doc] = i
	}
	for _, h := range o.hits {
		doc := s.own(o, h)
		if doc < 0 {
			continue
		}
		if i, ok := place[doc]; ok {
			all[i].score += h.score
			continue
		}
		all = append(all, scored{doc, h.score})
	}
	return s.joined(o, " or ", all)
}

// own is the number that a hit of another set has in the view of s, or -1 where that does not see it.
func (s Set) own(o Set, h scored) int32 {
	if s.view.cat != o.view.cat {
		return int32(s.view.doc(o.view.cat.id(int(h.doc))))
	}
	if !s.view.visible.has(int(h.doc)) {
		return -1
	}
	return h.doc
}

func (s Set) joined(o Set, word string, hits []scored) Set {
	sortHits(hits)
	query := s.query
	if o.query != "" && o.query != query {
		query = joinWords(query, word, o.query)
	}
	notes := append(slices.Clip(s.notes), o.notes...)
	return Set{view: s.view, query: clip(query, 300), hits: hits, total: len(hits), notes: notes}
}

func joinWords(a, word, b string) string {
	if a == "" {
		return b
	}
	return a + word + b
}

// sortHits puts the best first, ties by id.
func sortHits(hits []scored) {
	slices.SortFunc(hits, func(a, b scored) int {
		if a.score != b.score {
			return cmp.Compare(b.score, a.score)
		}
		return cmp.Compare(a.doc, b.doc)
	})
}

// BoostOptions say which hits Boost raises.
type BoostOptions struct {
	SearchOptions
	// By is the factor; 0 stands for 1.5. Below 1 it lowers. Its range is 0.01 to 100.
	By float64
}

// Boost multiplies the scores of the hits that pass the options and ranks anew. Nothing is added or lost.
func (s Set) Boost(o BoostOptions) Set {
	if s.view == nil {
		return s
	}
	by := 1.5
	if o.By > 0 {
		by = max(0.01, min(100, o.By))
	}
	allowed, notes := s.view.filter(o.SearchOptions)
	hits := slices.Clone(s.hits)
	for i := range hits {
		if allowed.has(int(hits[i].doc)) {
			hits[i].score *= by
		}
	}
	sortHits(hits)
	s.notes = append(slices.Clip(s.notes), notes...)
	return s.with(hits, s.total)
}

// Top keeps the best n; the total stays what it was. Less than one keeps none.
func (s Set) Top(n int) Set {
	s.chosen = true
	return s.with(s.hits[:max(0, min(n, len(s.hits)))], s.total)
}
