package search

// The features Coverage and Lead: the share of a document's name, and of its description's first sentence, that the
// query covers.

import (
	"math"
	"slices"
)

const (
	nameCoverage = 0.15
	leadCoverage = 0.1
)

func addCoverage(ix *Index, q *query, t *tally) {
	for _, a := range q.covered() {
		ix.addShare(&ix.names, a, nameCoverage, t)
	}
	t.note(because("(name)", "share of its name that the query has"))
}

func addLead(ix *Index, q *query, t *tally) {
	for _, a := range q.covered() {
		if !ix.common(ix.leads.of(a.term)) {
			ix.addShare(&ix.leads, a, leadCoverage, t)
		}
	}
	t.note(because("(sentence)", "share of its first sentence that the query has"))
}

// addShare adds points for a matched term of a name or first sentence, by its share of that text.
func (ix *Index) addShare(part *shared, a alternate, gain float64, t *tally) {
	points := int64(math.Round(unit * gain * a.discount * ix.idf[a.term]))
	for _, doc := range part.of(a.term) {
		t.points[t.at(doc)] += int32(points * int64(part.shares[doc]) >> 16)
	}
}

// covered are the terms that count as matched in names, with the best discount of each, in the order of the terms.
func (q *query) covered() []alternate {
	if q.matched != nil {
		return q.matched
	}
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
	q.matched = slices.CompactFunc(terms, func(a, b alternate) bool { return a.term == b.term })
	return q.matched
}
