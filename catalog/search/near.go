package search

// The feature Near: documents near to the query in meaning that share no word with it. They become hits, and what
// vectors give them is their score.
//
// Whether a document joins depends on nothing but itself and the query, so that what is hidden changes nothing. Large
// indexes are left out: there words find enough, and looking at every document takes too long.

const (
	// mostSearched is how many documents an index has at most for it.
	mostSearched = 4096
	// leastNear is the cosine from which on a document joins.
	leastNear = documentScale * queryScale * 35 / 100
	// mostApart is the distance of signs beyond which a cosine hardly is as large.
	mostApart = 61
)

func addNear(ix *Index, q *query, t *tally) {
	if ix.docs > mostSearched || !ix.on(Vectors) || *q.meaning() == [vectorDims]int32{} {
		return
	}
	own, signs := signOf(q.meaning()), ix.signsOf()
	for doc, points := range t.points {
		if points == 0 && own.distance(signs[doc]) <= mostApart && ix.cosine(q.meaning(), doc) >= leastNear {
			t.points[doc] = 1
		}
	}
	t.note(because("(near)", "none of the query's words, but near to it in meaning"))
}
