package catalog

// This file ranks the parts of a query. A request for several things is one for each of them: an entry that answers a
// part as well as any other does gets a bonus, even if the rest of the query is about something else.

import (
	"almanac/catalog/search/spelling"
	"math"
	"slices"
	"strings"
)

const (
	// clauseGain is what the best entry for a part of a query gets, in units; one half as good gets nothing. 0.15
	// and 0.3 give nearly the same on the development sets.
	clauseGain = 0.2
	// leastClause is how many words a part has at least; maxClauses is how many parts are looked at: a query of
	// more is a document.
	leastClause = 3
	maxClauses  = 12

	// Of entries that score less than 1/nearShare of the best one for the whole query, none gains by a part, nor of
	// those behind about maxNear others; nearStep is how finely these are told apart, in bits.
	nearShare = 5
	maxNear   = 1000
	nearStep  = 16
)

// thenWords begin a part, as sentences do.
const thenWords = "then afterwards additionally"

// clauses are the parts of a query, none when it is one piece.
func (l *lexicon) clauses(query string) []string {
	query = query[:min(len(query), spelling.MaxText)]
	var parts []string
	start, words, before := 0, 0, ""
	cut := func(end int) {
		if words >= leastClause {
			parts = append(parts, query[start:end])
		}
		start, words = end, 0
	}
	for at := 0; at < len(query); {
		n := strings.IndexAny(query[at:], " \t\r\n")
		if n < 0 {
			n = len(query) - at
		}
		if n == 0 {
			if query[at] == '\n' {
				cut(at)
			}
			at++
			continue
		}
		word := query[at : at+n]
		plain := strings.ToLower(strings.Trim(word, ".,;:!?()\"'"))
		if l.then[plain] || plain == "also" && before == "and" || plain == "that" && before == "after" {
			cut(at)
		}
		words++
		at += n
		before = plain
		if strings.IndexByte(".?!;", word[len(word)-1]) >= 0 {
			cut(at)
		}
	}
	cut(len(query))
	if len(parts) < 2 || len(parts) > maxClauses {
		return nil
	}
	return parts
}

// candidates are the entries that may gain by a part of a query: those that are not far behind the best for all of it.
// Which they are does not depend on the view.
type candidates struct {
	slots []uint16 // entry → its place among docs, counted from 1; nil until a query had parts, all zero between queries
	docs  []int32
	part  []int32 // their scores for the part at hand
	best  []int32 // what the word at hand adds
	gain  []int32 // the most that a part gave
	// counts are how many entries have a score of so many steps.
	counts [maxScore << 6]int
}

// pick takes the entries whose score is at least 1/nearShare of the best, but about maxNear of the best ones where there
// are more.
func (n *candidates) pick(scores []int32) {
	if n.slots == nil {
		n.slots = make([]uint16, len(scores))
	}
	n.docs = n.docs[:0]
	clear(n.counts[:])
	top, floor, count := int32(0), int32(1), 0
	for doc, score := range scores {
		if score < floor {
			continue
		}
		n.docs = append(n.docs, int32(doc))
		n.counts[min(len(n.counts)-1, int(score>>nearStep))]++
		count++
		if score > top {
			top = score
			floor = max(floor, top/nearShare)
		}
		if count > maxNear {
			floor, count = n.raise(floor)
		}
	}
	n.docs = slices.DeleteFunc(n.docs, func(doc int32) bool { return scores[doc] < floor })
	for i, doc := range n.docs {
		n.slots[doc] = uint16(i + 1)
	}
	size := len(n.docs) + 1
	n.part, n.best, n.gain = sized(n.part, size), sized(n.best, size), sized(n.gain, size)
	clear(n.best)
	clear(n.gain)
}

// raise is the floor, or a higher one, that at most half of maxNear entries so far reach, and how many do.
func (n *candidates) raise(floor int32) (int32, int) {
	count := 0
	for at := len(n.counts) - 1; at > int(floor>>nearStep); at-- {
		if count += n.counts[at]; count > maxNear/2 {
			return int32(at+1) << nearStep, count - n.counts[at]
		}
	}
	return max(floor, (floor>>nearStep+1)<<nearStep), count
}

func sized(list []int32, n int) []int32 { return slices.Grow(list[:0], n)[:n] }

// addClauses adds to the entries' scores what they are worth for the parts of a query.
func (c *Catalog) addClauses(r *reader, query string, s *scratch) {
	if c.off(Clauses) {
		return
	}
	parts := c.lexicon.clauses(query)
	if len(parts) == 0 {
		return
	}
	n := &s.near
	n.pick(s.score)
	for _, part := range parts {
		q := r.parse(part)
		c.rankPart(&q, n)
		n.takeGains(c, &q)
	}
	for i, doc := range n.docs {
		s.score[doc] += n.gain[i+1]
		n.slots[doc] = 0
	}
}

// takeGains gives each candidate what it is worth for the part at hand, if that is the most so far.
func (n *candidates) takeGains(c *Catalog, q *parsedQuery) {
	top := int32(0)
	for i, doc := range n.docs {
		n.part[i+1] = c.withIntent(q, n.part[i+1], int(doc))
		top = max(top, n.part[i+1])
	}
	if top == 0 {
		return
	}
	full := int64(math.Round(unit * clauseGain))
	for i, score := range n.part[1:] {
		if score > top/2 {
			n.gain[i+1] = max(n.gain[i+1], int32((2*int64(score)-int64(top))*full/int64(top)))
		}
	}
}

// clausePoints is what addClauses adds to one entry.
func (v *View) clausePoints(query string, doc int) int32 {
	c := v.cat
	s := c.scratch.Get().(*scratch)
	defer c.scratch.Put(s)
	clear(s.score)
	r := v.reader(query)
	q := r.parse(query)
	c.accumulate(&q, s)
	before := s.score[doc]
	c.addClauses(r, query, s)
	return s.score[doc] - before
}

// rankPart scores the candidates for a part of a query, as accumulate does but without the words that are common.
func (c *Catalog) rankPart(q *parsedQuery, n *candidates) {
	clear(n.part)
	for i := range q.words {
		c.rankPartWord(&q.words[i], n)
	}
	for _, p := range q.pairs {
		docs := c.index.pairDocs(p[0], p[1])
		name, text := c.pairPoints(q, len(docs))
		for _, d := range docs {
			if at := n.slots[d.doc()]; at != 0 {
				if d.is(pairInName) {
					n.part[at] += name
				}
				if d.is(pairInText) {
					n.part[at] += text
				}
			}
		}
	}
	c.index.called.each(q.phrase, func(doc uint32, points int32) {
		if at := n.slots[doc]; at != 0 {
			n.part[at] += points
		}
	})
	c.eachShared(q, func(part *shared, term int32, points int64) {
		for _, doc := range part.of(term) {
			if at := n.slots[doc]; at != 0 {
				n.part[at] += int32(points * int64(part.shares[doc]) >> 16)
			}
		}
	})
}

func (c *Catalog) rankPartWord(w *queryWord, n *candidates) {
	take := func(term, points int32) {
		docs, impacts := c.index.postings(term)
		if c.index.common(docs) {
			return
		}
		impacts = impacts[:len(docs)]
		for i, doc := range docs {
			if at := n.slots[doc]; at != 0 {
				n.best[at] = max(n.best[at], points*int32(impacts[i]))
			}
		}
	}
	if w.term >= 0 {
		take(w.term, w.points)
	}
	for _, a := range w.alternates {
		take(a.term, a.points)
	}
	for i, points := range n.best {
		n.part[i] += points
		n.best[i] = 0
	}
}
