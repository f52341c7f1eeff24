package search

// The feature Clauses: the parts of a query. A request for several things is split: a document that answers one part as
// well as any other document gets a bonus, even if the rest of the query is about something else.

import (
	"math"
	"slices"
	"strings"

	"almanac/catalog/search/spelling"
)

const (
	// clauseGain is the bonus for the best document of a part, in units; a document half as good gets nothing. 0.15 and
	// 0.3 give nearly the same on the development sets.
	clauseGain = 0.2
	// leastClause is the least number of words in a part; maxClauses is the largest number of parts: a longer query is a
	// document.
	leastClause = 3
	maxClauses  = 12

	// Only documents that score at least 1/nearShare of the best for the whole query, and are among about the maxNear
	// best, can gain by a part; nearStep is the resolution of this cut, in bits.
	nearShare = 5
	maxNear   = 1000
	nearStep  = 16
)

// thenWords start a new part, like a new sentence.
const thenWords = "then afterwards additionally"

// clauses are the parts of a query; none if it has only one.
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

// candidates are the documents that may gain by a part of a query: those not far behind the best for the whole query.
// They do not depend on the view.
type candidates struct {
	// document → its place among docs, counted from 1; nil until a query had parts, all zero between queries
	places []uint16
	docs   []int32
	part   []int32 // their scores for the part at hand
	best   []int32 // what the word at hand adds
	gain   []int32 // the most that a part gave
	// counts are how many documents have a score of so many steps.
	counts [maxScore << 6]int
}

// pick takes the documents whose score is at least 1/nearShare of the best, but no more than about maxNear.
func (n *candidates) pick(scores []int32) {
	if n.places == nil {
		n.places = make([]uint16, len(scores))
	}
	n.docs = n.docs[:0]
	clear(n.counts[:])
	top, least, count := int32(0), int32(1), 0
	for doc, score := range scores {
		if score < least {
			continue
		}
		n.docs = append(n.docs, int32(doc))
		n.counts[min(len(n.counts)-1, int(score>>nearStep))]++
		count++
		if score > top {
			top = score
			least = max(least, top/nearShare)
		}
		if count > maxNear {
			least, count = n.raise(least)
		}
	}
	n.docs = slices.DeleteFunc(n.docs, func(doc int32) bool { return scores[doc] < least })
	for i, doc := range n.docs {
		n.places[doc] = uint16(i + 1)
	}
	size := len(n.docs) + 1
	n.part, n.best, n.gain = sized(n.part, size), sized(n.best, size), sized(n.gain, size)
	clear(n.best)
	clear(n.gain)
}

// raise returns a minimum score, at least least, that at most half of maxNear documents reach so far, and how many do.
func (n *candidates) raise(least int32) (int32, int) {
	count := 0
	for at := len(n.counts) - 1; at > int(least>>nearStep); at-- {
		if count += n.counts[at]; count > maxNear/2 {
			return int32(at+1) << nearStep, count - n.counts[at]
		}
	}
	return max(least, (least>>nearStep+1)<<nearStep), count
}

func sized(list []int32, n int) []int32 { return slices.Grow(list[:0], n)[:n] }

func addClauses(ix *Index, q *query, t *tally) {
	parts := ix.lexicon.clauses(q.text)
	if len(parts) == 0 {
		return
	}
	n := t.near
	n.pick(t.points)
	few := tally{points: n.part, best: n.best, places: n.places, watched: -1}
	for _, part := range parts {
		p := q.reader.parse(part)
		clear(n.part)
		few.addAll(ix, &p, true)
		n.takeGains(ix.lifts(&p, true))
	}
	for i, doc := range n.docs {
		t.points[doc] += n.gain[i+1]
		n.places[doc] = 0
	}
	t.note(because("(part)", "a part of the query is about it"))
}

// takeGains raises each candidate's gain to that of the current part, if it is higher.
func (n *candidates) takeGains(lifts []*lift) {
	top := int32(0)
	for i, doc := range n.docs {
		for _, l := range lifts {
			n.part[i+1] = l.apply(n.part[i+1], int(doc))
		}
		top = max(top, n.part[i+1])
	}
	if top == 0 {
		return
	}
	full := int64(math.Round(unit * clauseGain))
	for i, points := range n.part[1:] {
		if points > top/2 {
			n.gain[i+1] = max(n.gain[i+1], int32((2*int64(points)-int64(top))*full/int64(top)))
		}
	}
}
