package search

// The feature Pairs: neighbouring words of the query that stand side by side in a document.

import "math"

const (
	namePair = 0.2
	textPair = 0.3
)

func addPairs(ix *Index, q *query, t *tally) {
	for _, p := range q.pairs {
		docs := ix.pairDocs(p[0], p[1])
		if len(docs) == 0 {
			continue
		}
		name, text := ix.pairPoints(q, len(docs))
		for _, side := range [...]struct {
			where  int
			points int32
			why    string
		}{{pairInName, name, "side by side in the name"}, {pairInText, text, "side by side in the description"}} {
			for _, d := range docs {
				if d.is(side.where) {
					t.points[t.at(d.doc())] += side.points
				}
			}
			t.note(func(points int32) (string, string) {
				return because(ix.words.At(int(p[0]))+" "+ix.words.At(int(p[1])), side.why)(points)
			})
		}
	}
}

// pairPoints are the points for a pair with document frequency df, in a name and in a description.
func (ix *Index) pairPoints(q *query, df int) (name, text int32) {
	idf := inverseFrequency(ix.docs, df) / q.mass
	return int32(math.Round(unit * namePair * idf)), int32(math.Round(unit * textPair * idf))
}
