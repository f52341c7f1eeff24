package search

// The feature of the words themselves: the query's words, or their alternates, in documents.

import (
	"fmt"
	"slices"
)

func addWords(ix *Index, q *query, t *tally) {
	for i := range q.words {
		w := &q.words[i]
		if t.places == nil {
			ix.addWord(w, t)
		} else {
			ix.addWordToFew(w, t)
		}
		t.note(func(points int32) (string, string) { return w.stem, ix.whyWord(q, w, t.watched, points) })
	}
}

// addWord adds to every document the best of a word's own term and its alternates. The points of alternates, which few
// documents have, are held in t.best meanwhile.
func (ix *Index) addWord(w *queryWord, t *tally) {
	for _, a := range w.alternates {
		docs, impacts := ix.postings(a.term)
		impacts = impacts[:len(docs)]
		for i, doc := range docs {
			t.best[doc] = max(t.best[doc], a.points*int32(impacts[i]))
		}
	}
	if w.term >= 0 {
		docs, impacts := ix.postings(w.term)
		impacts = impacts[:len(docs)]
		if len(w.alternates) == 0 {
			for i, doc := range docs {
				t.points[doc] += w.points * int32(impacts[i])
			}
			return
		}
		for i, doc := range docs {
			add := w.points * int32(impacts[i])
			if best := t.best[doc]; best != 0 {
				add = max(add, best)
				t.best[doc] = 0
			}
			t.points[doc] += add
		}
	}
	for _, a := range w.alternates {
		docs, _ := ix.postings(a.term)
		for _, doc := range docs {
			t.points[doc] += t.best[doc]
			t.best[doc] = 0
		}
	}
}

// addWordToFew is addWord for a few candidates, without common words.
func (ix *Index) addWordToFew(w *queryWord, t *tally) {
	take := func(term, points int32) {
		docs, impacts := ix.postings(term)
		if ix.common(docs) {
			return
		}
		impacts = impacts[:len(docs)]
		for i, doc := range docs {
			if at := t.places[doc]; at != 0 {
				t.best[at] = max(t.best[at], points*int32(impacts[i]))
			}
		}
	}
	if w.term >= 0 {
		take(w.term, w.points)
	}
	for _, a := range w.alternates {
		take(a.term, a.points)
	}
	for i, points := range t.best {
		t.points[i] += points
		t.best[i] = 0
	}
}

// whyWord says by which term a word gave points to a document, and in which fields that occurs.
func (ix *Index) whyWord(q *query, w *queryWord, doc, points int32) string {
	why := ""
	best := int32(0)
	if w.term >= 0 {
		best = w.points * ix.impactIn(w.term, uint32(doc))
	}
	stems := []string{w.stem}
	if best == 0 {
		stems = stems[:0]
	}
	for _, a := range w.alternates {
		n := a.points * ix.impactIn(a.term, uint32(doc))
		if n > best {
			best, why = n, "through "+ix.words.At(int(a.term))+" ("+a.why+") "
		}
		if n > 0 && !slices.Contains(stems, w.stem) {
			stems = append(stems, ix.words.At(int(a.term)))
		}
	}
	if w.typed != "" {
		why = fmt.Sprintf("for %q, which no %s has, %s", w.typed, ix.options.Noun, why)
	}
	switch {
	case points > 0:
		return why + ix.fieldsWith(int(doc), stems)
	case !ix.knows(w.term, q.reader.request.Visible):
		return "not in the catalog"
	}
	return "not in this " + ix.options.Noun
}

// impactIn is the impact of a term in a document, 0 if it does not occur.
func (ix *Index) impactIn(term int32, doc uint32) int32 {
	docs, impacts := ix.postings(term)
	if at, ok := slices.BinarySearch(docs, doc); ok {
		return int32(impacts[at])
	}
	return 0
}
