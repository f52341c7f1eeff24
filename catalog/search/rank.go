package search

import "slices"

// This file ranks. A query becomes a list of words, each with a weight w and, beside its own term, alternates at a
// discount. With N the sum of w idf^1.2 over the known words,
//
//	score = sum over words of best over term and alternates of (discount w idf^1.2 / N) x saturation
//	      + 0.2 idf/N for a pair of neighbouring words in the name, 0.3 idf/N in the description
//	      + 0.15 x (idf mass of the name's words that were matched / idf mass of the name)
//	      + 0.1 x the same of the description's first sentence
//	      + 0.3 for a document of a namespace that the query names, 0.8 before a colon, 0.2 before "API"; namespaces.go
//	      + 0.3 for a document of a path that was used just before, 0.1 for one of a path below it; see context.go
//	      + 0.6 for a document that the query calls by its title, alias, sentence or id, 0.2 by its name; see calls.go
//	      + 0.2 for the document that answers a part of the query best, and less for others; see clauses.go
//
// and, as shares of that, 15 % more for the intent that the query asks for, 5 % less for another, 12 % less for a
// document that removes something if the query has no verb of change (intents.go); and up to half more for words of
// similar meaning (vectors.go).
//
// "list refunds", for instance, gives billing.refund.list 1.0 for its two words, 0.7 for being called that, 0.3 for the
// pair and the shares of name and sentence, and 15 % for finding things.
//
// Weights are rounded to integers before anything is added, so the order of adding does not matter.

const (
	// scale is the sum of all word weights; a full impact of every word scores scale x impactRange.
	scale = 1 << 15
	// unit is a score of 1: an impact of impactRange stands for 2.2, where BM25 with k1 1.2 ends.
	unit = scale * impactRange * 10 / 22
	// maxScore is an upper bound of a document's score, in units.
	maxScore = 16
)

// A Request is a query, and on whose behalf it is made.
type Request struct {
	Text string
	// Visible are the documents that the caller may see. Scores do not depend on them, except that a word of hidden
	// documents only is treated as unknown.
	Visible Bits
	// Recent are the paths of documents used just before; nil raises nothing.
	Recent []Recent
}

// A Hit is a document and its score.
type Hit struct {
	Doc   int32
	Score float64
}

// A Ranking is the score of every document for a request, hidden ones too. It holds memory until Close is called.
type Ranking struct {
	index  *Index
	query  query
	lifts  []*lift
	memory *memory
}

// memory is the working memory of one search.
type memory struct {
	points []int32
	best   []int32
	near   candidates
}

// Rank scores all documents.
func (ix *Index) Rank(r Request) *Ranking {
	k, _ := ix.rank(r, -1)
	return k
}

// rank is Rank that also returns the reasons for one document's points, without those of the lifts; watched is -1 for
// none.
func (ix *Index) rank(r Request, watched int) (*Ranking, []Contribution) {
	rd := &reader{index: ix, request: r, forms: map[[2]string]*wordForm{}}
	k := &Ranking{index: ix, query: rd.parse(r.Text), memory: ix.pool.Get().(*memory)}
	clear(k.memory.points)
	t := tally{points: k.memory.points, best: k.memory.best, near: &k.memory.near, watched: int32(watched)}
	t.addAll(ix, &k.query, false)
	k.lifts = ix.lifts(&k.query, false)
	return k, t.noted
}

// Close releases the memory of the ranking, which must not be used afterwards.
func (k *Ranking) Close() { k.index.pool.Put(k.memory) }

// Matches returns the matching documents among some.
func (k *Ranking) Matches(among Bits) Bits {
	matches := slices.Clone(among)
	among.Each(func(doc int) {
		if k.memory.points[doc] <= 0 {
			matches.Clear(doc)
		}
	})
	return matches
}
