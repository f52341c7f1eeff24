package catalog

// This file goes beyond the hits that a search shows. What searches without a limit are joined to or narrowed by sees all
// of their matches; what had to be left out, an answer says.

import (
	"fmt"
	"slices"
	"strings"
)

const (
	// reach is the most hits that a set made of a search has.
	reach = 1000
	// maxLabel is how long what a set is called may be, in bytes.
	maxLabel = 300
)

// A ranking is what a search ranks by, and among which entries.
type ranking struct {
	text    string // blank ranks nothing: entries are in the order of their ids
	allowed bitset
}

// scores are a ranking at work. Release must be called.
type scores struct {
	*ranking
	view    *View
	scoring *scoring // nil for a ranking without words
}

func (r *ranking) open(v *View) scores {
	if strings.TrimSpace(r.text) == "" {
		return scores{ranking: r, view: v}
	}
	return scores{r, v, v.score(r.text)}
}

func (x scores) release() {
	if x.scoring != nil {
		x.scoring.done()
	}
}

// best is the best limit matches among docs, and how many there are.
func (x scores) best(docs bitset, limit int) ([]scored, int) {
	if x.scoring == nil {
		hits := exactHits(docs)
		return hits[:min(len(hits), limit)], len(hits)
	}
	return x.view.cat.collectTop(&x.scoring.query, x.scoring.memory.score, docs, limit)
}

// matches are the allowed entries that match.
func (x scores) matches() bitset {
	docs := slices.Clone(x.allowed)
	if x.scoring != nil {
		x.allowed.each(func(doc int) {
			if x.scoring.memory.score[doc] <= 0 {
				docs.clear(doc)
			}
		})
	}
	return docs
}

// ranked is the set that a search gives; label is how it is called.
func (v *View) ranked(label, text string, allowed bitset, notes []string, o SearchOptions) Set {
	r := &ranking{text, allowed}
	s := Set{view: v, query: label, notes: notes, asked: o, chosen: o.Limit > 0, words: text}
	if s.chosen {
		return s.rank(r, o.Limit)
	}
	s.search = r
	return s.rank(r, defaultLimit)
}

// rank is s with the best limit hits of a ranking.
func (s Set) rank(r *ranking, limit int) Set {
	x := r.open(s.view)
	defer x.release()
	if x.scoring != nil {
		for _, note := range s.view.typoNotes(&x.scoring.query) {
			if !slices.Contains(s.notes, note) {
				s.notes = append(slices.Clip(s.notes), note)
			}
		}
	}
	return s.with(x.best(r.allowed, limit))
}

// reaching is s with up to n hits, where a search can give them.
func (s Set) reaching(n int) Set {
	if s.search == nil || len(s.hits) >= min(n, s.total) {
		return s
	}
	return s.rank(s.search, n)
}

// searchWithin is the search of s among fewer entries.
func (s Set) searchWithin(o SearchOptions) Set {
	allowed, notes := s.view.filter(o)
	allowed.and(s.search.allowed)
	n := s.view.ranked(s.query, s.search.text, allowed, append(slices.Clip(s.notes), notes...), o)
	n.from, n.words = &s, s.words
	return n
}

// bestOfBoth are the best matches of a search within docs, and as many without.
func (s Set) bestOfBoth(docs bitset) []scored {
	x := s.search.open(s.view)
	defer x.release()
	within, without := slices.Clone(s.search.allowed), slices.Clone(s.search.allowed)
	within.and(docs)
	without.andNot(docs)
	hits, _ := x.best(within, reach)
	others, _ := x.best(without, reach)
	return append(hits, others...)
}

func (s Set) empty() bool { return s.total == 0 && len(s.hits) == 0 }

// cutNote says that a limit cut the set, so that what is made of it may miss matches.
func (s Set) cutNote() []string {
	if s.search != nil || len(s.hits) >= s.total {
		return nil
	}
	return []string{fmt.Sprintf("of %q only the best %d of %d matches were looked at", clip(oneLine(s.query), 60), len(s.hits), s.total)}
}

// seenBy is s as another view sees it. In another catalog a search is no more than the hits within reach.
func (s Set) seenBy(v *View) Set {
	if s.view == v {
		return s
	}
	if s.view.cat != v.cat {
		s = s.reaching(reach)
		s.notes = append(slices.Clip(s.notes), s.reached().cutNote()...)
		s.search = nil
	}
	var hits []scored
	for _, h := range s.hits {
		if doc := v.doc(s.view.cat.id(int(h.doc))); doc >= 0 {
			hits = append(hits, scored{int32(doc), h.score})
		}
	}
	total := len(hits)
	if s.search != nil {
		allowed := slices.Clone(s.search.allowed)
		allowed.and(v.visible)
		s.view, s.search = v, &ranking{s.search.text, allowed}
		return s.rank(s.search, defaultLimit)
	}
	s.view = v
	return s.with(hits, total)
}

// reached is s as its hits alone.
func (s Set) reached() Set {
	s.search = nil
	return s
}

// A side is one of two sets that are joined.
type side struct {
	docs   bitset
	scores scores
	listed map[int32]float64
}

func (s Set) side() side {
	if s.search != nil {
		x := s.search.open(s.view)
		return side{docs: x.matches(), scores: x}
	}
	d := side{docs: newBitset(s.view.cat.Len()), listed: make(map[int32]float64, len(s.hits))}
	for _, h := range s.hits {
		d.docs.set(int(h.doc))
		d.listed[h.doc] = h.score
	}
	return d
}

func (d *side) release() {
	if d.listed == nil {
		d.scores.release()
	}
}

// mark adds to docs the best that this side has among those of the join.
func (d *side) mark(docs, join bitset) {
	within := slices.Clone(d.docs)
	within.and(join)
	if d.listed != nil {
		docs.or(within)
		return
	}
	hits, _ := d.scores.best(within, reach)
	for _, h := range hits {
		docs.set(int(h.doc))
	}
}

// add adds the scores of this side to those of docs.
func (d *side) add(docs bitset, sums map[int32]float64) {
	if d.listed != nil {
		docs.each(func(doc int) { sums[int32(doc)] += d.listed[int32(doc)] })
		return
	}
	within := slices.Clone(docs)
	within.and(d.docs)
	hits, _ := d.scores.best(within, within.count())
	for _, h := range hits {
		sums[h.doc] += h.score
	}
}

// join makes one set of two: which entries, op says, and scores are added. The total is that of all of them; where a search
// has more than are within reach, the best of either side are ranked.
func (s Set) join(o Set, word string, op func(bitset, bitset)) Set {
	o = o.seenBy(s.view)
	a, b := s.side(), o.side()
	defer a.release()
	defer b.release()
	joined := slices.Clone(a.docs)
	op(joined, b.docs)
	docs := newBitset(s.view.cat.Len())
	a.mark(docs, joined)
	b.mark(docs, joined)
	sums := map[int32]float64{}
	a.add(docs, sums)
	b.add(docs, sums)
	hits := make([]scored, 0, len(sums))
	docs.each(func(doc int) { hits = append(hits, scored{int32(doc), sums[int32(doc)]}) })
	sortHits(hits)
	if a.listed == nil || b.listed == nil {
		hits = hits[:min(len(hits), reach)]
	}
	query := s.query
	if o.query != "" && o.query != query {
		query = joinWords(query, word, o.query)
	}
	notes := slices.Concat(s.notes, o.notes, s.cutNote(), o.cutNote())
	slices.Sort(notes)
	return Set{view: s.view, query: clip(query, maxLabel), hits: hits, total: joined.count(), notes: slices.Compact(notes)}
}

// shownDomains are the first six domains of the best 50 hits, in the order of their best ones, with the number of hits
// there.
func (s Set) shownDomains() []string {
	var names []string
	counts := map[string]int{}
	hits := s.reaching(50).hits
	for _, hit := range hits[:min(50, len(hits))] {
		root, _, _ := strings.Cut(s.view.cat.id(int(hit.doc)), ".")
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
