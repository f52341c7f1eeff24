package catalog

// This file ranks. A query becomes a list of words, each with a weight w and, beside its own term, alternates at a
// discount. With N the sum of w idf^1.2 over the words that the catalog has,
//
//	score = sum over words of best over term and alternates of (discount w idf^1.2 / N) x saturation
//	      + 0.2 idf/N for a pair of neighbouring words in the name, 0.3 idf/N in the description
//	      + 0.15 x (idf mass of the name's words that were matched / idf mass of the name)
//	      + 0.1 x the same of the description's first sentence
//	      + 0.6 for an entry that the query calls by its title, alias, sentence or id, 0.2 by its name; see called.go
//	      + 0.3 for an entry of a namespace that the query names; see products.go
//	      + 0.2 for the entry that answers a part of the query best, and less for others; see clauses.go
//
// and 15 % more for an entry that does the kind of thing the query asks for, 5 % less for one that does another, 12 % less for one that
// removes something where the query has no verb that changes anything; see intent.go.
//
// Weights are rounded to integers before anything is added, so the order of adding does not matter.

import (
	"math"
	"slices"
)

const (
	// scale is the sum of all word weights; a full impact of every word scores scale x impactRange.
	scale = 1 << 15
	// unit is a score of 1: an impact of impactRange stands for 2.2, where BM25 with k1 1.2 ends.
	unit = scale * impactRange * 10 / 22

	idfPower       = 1.2
	requestWeight  = 0.3
	numberWeight   = 0.5
	quotedWeight   = 0.3
	joinedWeight   = 0.5
	prefixDiscount = 0.3
	verbDiscount   = 0.2
	rootDiscount   = 0.4
	namePair       = 0.2
	textPair       = 0.3
	nameCoverage   = 0.15
	leadCoverage   = 0.1
	// intentGain is what the right intent adds, and intentLoss what another takes off, in 1/128 of the score.
	intentGain = 19
	intentLoss = 6
	// bareLoss is what an entry that removes something loses, in 1/128, where the query has no verb that changes anything.
	bareLoss = 16

	// leastPoints is what an alternate must be able to add, as a share of scale: the words that most entries have are
	// not worth going through their postings for.
	leastPoints = scale / 150

	// commonShare and commonDocs: neither are those that more than one entry in 20 has, in a large catalog; see common.
	commonShare = 20
	commonDocs  = 2000

	maxQueryWords = 256
	// maxScore bounds the score of an entry, in units.
	maxScore     = 16
	maxRelatives = 48
)

// scratch is the memory of one search.
type scratch struct {
	score []int32
	best  []int32 // what the word at hand added so far; all zero between words
	near  candidates
}

func newScratch(n int) *scratch { return &scratch{score: make([]int32, n), best: make([]int32, n)} }

// scored is an entry's number and score.
type scored struct {
	doc   int32
	score float64
}

// rank is the best limit visible entries for a query, best first, ties by id, and how many matched.
func (v *View) rank(query string, limit int) ([]scored, int) {
	x := v.score(query)
	defer x.done()
	return v.cat.collectTop(&x.query, x.memory.score, v.visible, limit)
}

// A scoring is what every entry is worth for one query. It holds memory until done is called.
type scoring struct {
	cat    *Catalog
	query  parsedQuery
	memory *scratch
}

// score scores every entry for a query, hidden ones too. What was used before is raised.
func (v *View) score(query string) *scoring {
	c, r := v.cat, v.reader(query)
	x := &scoring{cat: c, query: r.parse(query), memory: c.scratch.Get().(*scratch)}
	s := x.memory
	clear(s.score)
	c.accumulate(&x.query, s)
	c.addClauses(r, query, s)
	c.direct(&x.query)
	for _, u := range v.usage {
		s.score[u.doc] = u.raised(s.score[u.doc])
	}
	return x
}

func (x *scoring) done() { x.cat.scratch.Put(x.memory) }

// accumulate adds what words, pairs and names are worth.
func (c *Catalog) accumulate(q *parsedQuery, s *scratch) {
	for i := range q.words {
		c.addWord(&q.words[i], s)
	}
	c.addPairs(q, s)
	c.addCoverage(q, s)
	for _, n := range q.named {
		for _, doc := range c.exact.of(namespaceKind).at(int(n)) {
			if s.score[doc] > 0 {
				s.score[doc] += namedPoints
			}
		}
	}
	c.index.called.each(q.phrase, func(doc uint32, points int32) { s.score[doc] += points })
}

// addWord adds the best of a word's own term and its alternates to every entry. What alternates, which few entries have,
// are worth waits in s.best.
func (c *Catalog) addWord(w *queryWord, s *scratch) {
	for _, a := range w.alternates {
		docs, impacts := c.index.postings(a.term)
		impacts = impacts[:len(docs)]
		for i, doc := range docs {
			s.best[doc] = max(s.best[doc], a.points*int32(impacts[i]))
		}
	}
	if w.term >= 0 {
		docs, impacts := c.index.postings(w.term)
		impacts = impacts[:len(docs)]
		if len(w.alternates) == 0 {
			for i, doc := range docs {
				s.score[doc] += w.points * int32(impacts[i])
			}
			return
		}
		for i, doc := range docs {
			add := w.points * int32(impacts[i])
			if best := s.best[doc]; best != 0 {
				add = max(add, best)
				s.best[doc] = 0
			}
			s.score[doc] += add
		}
	}
	for _, a := range w.alternates {
		docs, _ := c.index.postings(a.term)
		for _, doc := range docs {
			s.score[doc] += s.best[doc]
			s.best[doc] = 0
		}
	}
}

func (c *Catalog) addPairs(q *parsedQuery, s *scratch) {
	for _, p := range q.pairs {
		docs := c.index.pairDocs(p[0], p[1])
		if len(docs) == 0 {
			continue
		}
		name, text := c.pairPoints(q, len(docs))
		for _, d := range docs {
			if d.is(pairInName) {
				s.score[d.doc()] += name
			}
			if d.is(pairInText) {
				s.score[d.doc()] += text
			}
		}
	}
}

// pairPoints are what a pair that stands in df entries is worth in a name and in a description.
func (c *Catalog) pairPoints(q *parsedQuery, df int) (name, text int32) {
	idf := inverseFrequency(c.index.docs, df) / q.mass
	return int32(math.Round(unit * namePair * idf)), int32(math.Round(unit * textPair * idf))
}

// covered are the terms that count as matched in names, with the best discount of each, in the order of the terms.
func (q *parsedQuery) covered() []alternate {
	var terms []alternate
	for i := range q.words {
		w := &q.words[i]
		if w.term >= 0 {
			own := alternate{term: w.term, discount: 1}
			if w.typed != "" {
				own.discount = typoWeight
			}
			terms = append(terms, own)
		}
		terms = append(terms, w.alternates...)
	}
	slices.SortFunc(terms, func(a, b alternate) int {
		switch {
		case a.term != b.term:
			return int(a.term - b.term)
		case a.discount > b.discount:
			return -1
		case a.discount < b.discount:
			return 1
		}
		return 0
	})
	return slices.CompactFunc(terms, func(a, b alternate) bool { return a.term == b.term })
}

// addCoverage adds what the matched share of names and of first sentences is worth.
func (c *Catalog) addCoverage(q *parsedQuery, s *scratch) {
	c.eachShared(q, func(part *shared, term int32, points int64) {
		for _, doc := range part.of(term) {
			s.score[doc] += int32(points * int64(part.shares[doc]) >> 16)
		}
	})
}

// eachShared calls f with every matched term of names and of first sentences, and its points before the mass of the part
// divides them.
func (c *Catalog) eachShared(q *parsedQuery, f func(part *shared, term int32, points int64)) {
	covered := q.covered()
	points := func(a alternate, gain float64) int64 {
		return int64(math.Round(unit * gain * a.discount * c.index.idf[a.term]))
	}
	if !c.off(Coverage) {
		for _, a := range covered {
			f(&c.index.names, a.term, points(a, nameCoverage))
		}
	}
	if !c.off(Lead) {
		for _, a := range covered {
			if !c.index.common(c.index.leads.of(a.term)) {
				f(&c.index.leads, a.term, points(a, leadCoverage))
			}
		}
	}
}
