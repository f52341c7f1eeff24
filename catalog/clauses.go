package catalog

// This file ranks the parts of a query. A request for several things is one for each of them: an entry that answers a
// part as well as any other does gets a bonus, even if the rest of the query is about something else.

import (
	"math"
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
)

// thenWords begin a part, as sentences do.
const thenWords = "then afterwards additionally"

// clauses are the parts of a query, none when it is one piece.
func (l *lexicon) clauses(query string) []string {
	query = query[:min(len(query), maxText)]
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

// addClauses adds to the entries' scores what they are worth for the parts of a query. The best entry of a part is that
// of the whole catalog, so that a score does not depend on the view.
func (c *Catalog) addClauses(query string, s *scratch) {
	if c.off(Clauses) {
		return
	}
	parts := c.lexicon.clauses(query)
	if len(parts) == 0 {
		return
	}
	if s.part == nil {
		s.part = make([]int32, len(s.score))
	}
	var found []clauseHit
	for _, part := range parts {
		found = c.clauseHits(part, s, found)
	}
	// An entry gets its best part only.
	for _, hit := range found {
		s.best[hit.doc] = max(s.best[hit.doc], hit.points)
	}
	for _, hit := range found {
		s.score[hit.doc] += s.best[hit.doc]
		s.best[hit.doc] = 0
	}
}

// clausePoints is what addClauses adds to one entry.
func (c *Catalog) clausePoints(query string, doc int) int32 {
	s := c.scratch.Get().(*scratch)
	defer c.scratch.Put(s)
	clear(s.score)
	c.addClauses(query, s)
	return s.score[doc]
}

// A clauseHit is what an entry is worth for a part of a query.
type clauseHit struct{ doc, points int32 }

// clauseHits appends the entries that are more than half as good for a part as the best one.
func (c *Catalog) clauseHits(part string, s *scratch, found []clauseHit) []clauseHit {
	q := c.parse(part)
	clear(s.part)
	c.accumulate(&q, &scratch{score: s.part, best: s.best})
	top, floor := int32(0), int32(1)
	for doc, score := range s.part {
		if score < floor {
			continue
		}
		if score = c.withIntent(&q, score, doc); score > top {
			top = score
			floor = max(1, int32(int64(top)*128/(128+intentGain)))
		}
	}
	if top == 0 {
		return found
	}
	floor = max(1, int32(int64(top/2)*128/(128+intentGain)))
	full := int64(math.Round(unit * clauseGain))
	for doc, score := range s.part {
		if score < floor {
			continue
		}
		if score = c.withIntent(&q, score, doc); score > top/2 {
			found = append(found, clauseHit{int32(doc), int32((2*int64(score) - int64(top)) * full / int64(top))})
		}
	}
	return found
}
