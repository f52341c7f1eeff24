package catalog

// This file combines sets. A search without a limit takes part with all its matches, not only the hits it shows; what
// had to be left out is noted in the answer.

import (
	"almanac/catalog/search"
	"almanac/catalog/text"
	"fmt"
	"slices"
	"strings"
)

const (
	// mostHits is the largest number of hits in a set made by a search.
	mostHits = 1000
	// maxLabel is the longest label of a set, in bytes.
	maxLabel = 300
)

// A query is what a search ranks by, and among which entries.
type query struct {
	text    string // blank ranks nothing: entries are in the order of their ids
	allowed search.Bits
}

// An openQuery is a running query. Close must be called.
type openQuery struct {
	*query
	ranking *search.Ranking // nil for a query without words
}

func (q *query) open(v *View) openQuery {
	if strings.TrimSpace(q.text) == "" {
		return openQuery{query: q}
	}
	return openQuery{q, v.cat.index.Rank(v.request(q.text))}
}

func (x openQuery) close() {
	if x.ranking != nil {
		x.ranking.Close()
	}
}

// best is the best limit matches among docs, and how many there are.
func (x openQuery) best(docs search.Bits, limit int) ([]search.Hit, int) {
	if x.ranking == nil {
		hits := exactHits(docs)
		return hits[:min(len(hits), limit)], len(hits)
	}
	return x.ranking.Top(docs, limit)
}

// matches are the allowed entries that match.
func (x openQuery) matches() search.Bits {
	if x.ranking == nil {
		return slices.Clone(x.allowed)
	}
	return x.ranking.Matches(x.allowed)
}

// find searches and returns the set under a label.
func (v *View) find(label, text string, allowed search.Bits, notes []string, o SearchOptions) Set {
	q := &query{text, allowed}
	s := Set{view: v, query: label, notes: notes, asked: o, chosen: o.Limit > 0, words: text}
	if s.chosen {
		return s.best(q, o.Limit)
	}
	s.search = q
	return s.best(q, defaultLimit)
}

// best is s with the best limit hits of a query.
func (s Set) best(q *query, limit int) Set {
	x := q.open(s.view)
	defer x.close()
	if x.ranking != nil {
		for _, c := range x.ranking.Corrections() {
			note := fmt.Sprintf("no action has %q; searched %q", c.Typed, c.Meant)
			if !slices.Contains(s.notes, note) {
				s.notes = append(slices.Clip(s.notes), note)
			}
		}
		s.notes = s.view.missingNotes(x.ranking, s.notes)
	}
	return s.with(x.best(q.allowed, limit))
}

// missingNotes adds to notes which products of a query nothing is called by, once the catalog is whole.
func (v *View) missingNotes(r *search.Ranking, notes []string) []string {
	if v.loading != "" {
		return notes
	}
	for _, name := range r.Missing() {
		if note := "nothing here is called " + text.LineRunes(name, 40); !slices.Contains(notes, note) {
			notes = append(slices.Clip(notes), note)
		}
	}
	return notes
}

// atLeast is s with up to n hits, where a search can give them.
func (s Set) atLeast(n int) Set {
	if s.search == nil || len(s.hits) >= min(n, s.total) {
		return s
	}
	return s.best(s.search, n)
}

// searchWithin is the search of s among fewer entries.
func (s Set) searchWithin(o SearchOptions) Set {
	allowed, notes := s.view.filter(o)
	allowed.And(s.search.allowed)
	n := s.view.find(s.query, s.search.text, allowed, append(slices.Clip(s.notes), notes...), o)
	n.from, n.words = &s, s.words
	return n
}

// bestOfBoth are the best matches of a search within docs, and as many without.
func (s Set) bestOfBoth(docs search.Bits) []search.Hit {
	x := s.search.open(s.view)
	defer x.close()
	within, without := slices.Clone(s.search.allowed), slices.Clone(s.search.allowed)
	within.And(docs)
	without.AndNot(docs)
	hits, _ := x.best(within, mostHits)
	others, _ := x.best(without, mostHits)
	return append(hits, others...)
}

func (s Set) empty() bool { return s.total == 0 && len(s.hits) == 0 }

// cutNote says that a limit cut the set, so that what is made of it may miss matches.
func (s Set) cutNote() []string {
	if s.search != nil || len(s.hits) >= s.total {
		return nil
	}
	return []string{fmt.Sprintf("of %q only the best %d of %d matches were looked at", text.LineRunes(s.query, 60),
		len(s.hits), s.total)}
}

// seenBy is s as another view sees it. In another catalog a search shrinks to its hits.
func (s Set) seenBy(v *View) Set {
	if s.view == v {
		return s
	}
	if s.view.cat != v.cat {
		s = s.atLeast(mostHits)
		s.notes = append(slices.Clip(s.notes), s.listed().cutNote()...)
		s.search = nil
	}
	var hits []search.Hit
	for _, h := range s.hits {
		if doc := v.doc(s.view.cat.id(int(h.Doc))); doc >= 0 {
			hits = append(hits, search.Hit{Doc: int32(doc), Score: h.Score})
		}
	}
	total := len(hits)
	if s.search != nil {
		allowed := slices.Clone(s.search.allowed)
		allowed.And(v.visible)
		s.view, s.search = v, &query{s.search.text, allowed}
		return s.best(s.search, defaultLimit)
	}
	s.view = v
	return s.with(hits, total)
}

// listed is s without its search: its hits alone.
func (s Set) listed() Set {
	s.search = nil
	return s
}

// A side is one of two sets that are joined.
type side struct {
	docs   search.Bits
	query  openQuery
	listed map[int32]float64 // the scores of a set that is its hits; nil for a search
}

func (s Set) side() side {
	if s.search != nil {
		x := s.search.open(s.view)
		return side{docs: x.matches(), query: x}
	}
	d := side{docs: search.NewBits(s.view.cat.Len()), listed: make(map[int32]float64, len(s.hits))}
	for _, h := range s.hits {
		d.docs.Set(int(h.Doc))
		d.listed[h.Doc] = h.Score
	}
	return d
}

func (d *side) close() {
	if d.listed == nil {
		d.query.close()
	}
}

// mark adds to docs the best entries of this side within the join.
func (d *side) mark(docs, join search.Bits) {
	within := slices.Clone(d.docs)
	within.And(join)
	if d.listed != nil {
		docs.Or(within)
		return
	}
	hits, _ := d.query.best(within, mostHits)
	for _, h := range hits {
		docs.Set(int(h.Doc))
	}
}

// add adds the scores of this side to those of docs.
func (d *side) add(docs search.Bits, sums map[int32]float64) {
	if d.listed != nil {
		docs.Each(func(doc int) { sums[int32(doc)] += d.listed[int32(doc)] })
		return
	}
	within := slices.Clone(docs)
	within.And(d.docs)
	hits, _ := d.query.best(within, within.Count())
	for _, h := range hits {
		sums[h.Doc] += h.Score
	}
}

// join makes one set of two: op decides which entries it has, and scores are added. The total counts all of them; if
// there are more than mostHits, the best of either side are ranked.
func (s Set) join(o Set, word string, op func(search.Bits, search.Bits)) Set {
	o = o.seenBy(s.view)
	a, b := s.side(), o.side()
	defer a.close()
	defer b.close()
	joined := slices.Clone(a.docs)
	op(joined, b.docs)
	docs := search.NewBits(s.view.cat.Len())
	a.mark(docs, joined)
	b.mark(docs, joined)
	sums := map[int32]float64{}
	a.add(docs, sums)
	b.add(docs, sums)
	hits := make([]search.Hit, 0, len(sums))
	docs.Each(func(doc int) { hits = append(hits, search.Hit{Doc: int32(doc), Score: sums[int32(doc)]}) })
	sortHits(hits)
	if a.listed == nil || b.listed == nil {
		hits = hits[:min(len(hits), mostHits)]
	}
	query := s.query
	if o.query != "" && o.query != query {
		query = joinWords(query, word, o.query)
	}
	words := s.words
	if o.words != "" && o.words != words {
		words = joinWords(words, " ", o.words)
	}
	notes := slices.Concat(s.notes, o.notes, s.cutNote(), o.cutNote())
	slices.Sort(notes)
	return Set{view: s.view, query: text.ClipRunes(query, maxLabel), hits: hits, total: joined.Count(),
		notes: slices.Compact(notes), words: words}
}

// shownDomains are the first six domains of the best 50 hits, in the order of their best ones, with the number of hits
// there.
func (s Set) shownDomains() []string {
	var names []string
	counts := map[string]int{}
	hits := s.atLeast(50).hits
	for _, hit := range hits[:min(50, len(hits))] {
		root, _, _ := strings.Cut(s.view.cat.id(int(hit.Doc)), ".")
		if counts[root]++; counts[root] == 1 {
			names = append(names, root)
		}
	}
	names = names[:min(6, len(names))]
	for i, name := range names {
		names[i] = fmt.Sprintf("%s (%d)", name, counts[name])
	}
	return names
}
