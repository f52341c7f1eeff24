package catalog

import (
	"cmp"
	"slices"

	"almanac/catalog/search"
	"almanac/catalog/text"
)

// A Hit is one entry of a ranked answer. Scores of one catalog can be compared between queries; they have no unit.
type Hit struct {
	ID    string  `json:"id"`
	Score float64 `json:"score"`
}

// A Set is a ranked answer: ids and scores, never actions. It is immutable and safe for concurrent use. The zero Set is
// empty. A set derived from another sees no more than the view of the first.
type Set struct {
	view  *View
	query string
	hits  []search.Hit // best first
	total int
	notes []string // names that were unknown
	// chosen is set if a caller fixed the number of hits.
	chosen bool
	asked  SearchOptions
	// search is the query that ranked the hits, kept while nobody has limited them, so that later steps can reach all
	// matches. Nil for a set that is just its hits.
	search *query
	// words were searched for, and from is what was filtered; for the answer that finds nothing.
	words string
	from  *Set
}

// Len is the number of hits.
func (s Set) Len() int { return len(s.hits) }

// Total is the number of entries that matched before any limit.
func (s Set) Total() int { return s.total }

// Label is what was asked for, in words, cut to some 300 bytes.
func (s Set) Label() string { return text.ClipRunes(s.query, maxLabel) }

// Words are what was searched for; empty where nothing was.
func (s Set) Words() string { return s.words }

// Notes are remarks on the answer: names that are unknown, limits that cut what the set was made of, and that the
// catalog is still loading. Often nil.
func (s Set) Notes() []string {
	notes := slices.Clone(s.notes)
	if s.view != nil && s.view.loading != "" {
		notes = append(notes, s.view.loading)
	}
	return notes
}

// Hits are the ids and scores, best first.
func (s Set) Hits() []Hit {
	hits := make([]Hit, 0, len(s.hits))
	for _, h := range s.hits {
		hits = append(hits, s.hit(h))
	}
	return hits
}

func (s Set) hit(h search.Hit) Hit { return Hit{ID: s.view.cat.id(int(h.Doc)), Score: h.Score} }

// with is s with other hits.
func (s Set) with(hits []search.Hit, total int) Set {
	s.hits, s.total = hits, total
	return s
}

// Filter keeps the hits that pass the options, in their order, at most as many as a limit above zero. For a search
// without a limit all matches are filtered, as if the search itself had these options.
func (s Set) Filter(o SearchOptions) Set {
	narrows := o.words() != ""
	if s.view == nil || !narrows && o.Limit <= 0 {
		return s
	}
	if s.search != nil {
		return s.searchWithin(o)
	}
	allowed, notes := s.view.filter(o)
	var kept []search.Hit
	for _, h := range s.hits {
		if allowed.Has(int(h.Doc)) {
			kept = append(kept, h)
		}
	}
	from := s
	s.from = &from
	s.notes = append(slices.Clip(s.notes), notes...)
	total := s.total
	if narrows {
		s.notes = append(s.notes, s.cutNote()...)
		total = len(kept)
	}
	s.asked = o
	s.chosen = s.chosen || o.Limit > 0
	return s.with(kept[:min(len(kept), o.limit(len(kept)))], total)
}

// Intersect keeps what both sets have; scores are added.
func (s Set) Intersect(o Set) Set {
	if s.view == nil || o.view == nil {
		return Set{view: s.view}
	}
	return s.join(o, " and ", search.Bits.And)
}

// Union keeps what either set has; scores of entries in both are added.
func (s Set) Union(o Set) Set {
	switch {
	case s.view == nil, s.empty():
		if s.view != nil {
			o = o.seenBy(s.view)
		}
		o.notes = append(slices.Clip(s.notes), o.notes...)
		return o
	case o.view == nil, o.empty():
		s.notes = append(slices.Clip(s.notes), o.notes...)
		return s
	}
	return s.join(o, " or ", search.Bits.Or)
}

func joinWords(a, word, b string) string {
	if a == "" {
		return b
	}
	return a + word + b
}

// sortHits puts the best first, ties by id.
func sortHits(hits []search.Hit) {
	slices.SortFunc(hits, func(a, b search.Hit) int {
		if a.Score != b.Score {
			return cmp.Compare(b.Score, a.Score)
		}
		return cmp.Compare(a.Doc, b.Doc)
	})
}

// BoostOptions say which hits Boost raises; a Limit above zero is how many of the set are kept.
type BoostOptions struct {
	SearchOptions
	// By is the factor; 0 stands for 1.5. Below 1 it lowers. Its range is 0.01 to 100.
	By float64
}

// Boost multiplies the scores of the hits that pass the options and ranks again. Only a limit removes hits. For a
// search without a limit all matches are boosted.
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
	if s.search != nil {
		hits = s.bestOfBoth(allowed)
	}
	for i := range hits {
		if allowed.Has(int(hits[i].Doc)) {
			hits[i].Score *= by
		}
	}
	sortHits(hits)
	s.notes = append(slices.Clip(s.notes), notes...)
	most := mostHits
	if s.search == nil {
		most = len(hits)
	}
	if o.Limit > 0 {
		most, s.chosen = o.limit(most), true
	}
	s.search = nil
	return s.with(hits[:min(len(hits), most)], s.total)
}

// Top keeps the best n, at most 1,000 of a search; the total does not change. n below one keeps none.
func (s Set) Top(n int) Set {
	if s.search != nil && n > len(s.hits) {
		s = s.atLeast(min(n, mostHits))
	}
	s.chosen, s.search = true, nil
	return s.with(s.hits[:max(0, min(n, len(s.hits)))], s.total)
}
