package search

// The feature Calls: the query is exactly a name of the document. "Issue a refund" has exactly the words of
// billing.refund.issue, "list unpaid invoices of a customer" exactly those of a description's first sentence. Each such
// phrase is stored as an order-free sum over its words, so that the lookup costs next to nothing.

import (
	"cmp"
	"math"
	"slices"
)

const (
	// leastPhrase and mostPhrase bound the number of words in a phrase.
	leastPhrase = 2
	mostPhrase  = 12
	// phraseGain is added for a matching phrase, in units; a third of it for the name alone.
	phraseGain = 0.6
)

// phrases are the sums of the phrases of all documents, sorted, and in step the documents that have them: twice the
// document, plus one if the phrase is more than the name alone.
type phrases struct {
	sums  []uint64
	codes []uint32
}

// A phrase is the distinct stems of a text.
type phrase []string

func (p phrase) with(stem string) phrase {
	if slices.Contains(p, stem) {
		return p
	}
	return append(p, stem)
}

// sum is the same for the same stems in any order. ok is false for a phrase that is too short or too long.
func (p phrase) sum() (sum uint64, ok bool) {
	if len(p) < leastPhrase || len(p) > mostPhrase {
		return 0, false
	}
	return p.hash(), true
}

func (p phrase) hash() (sum uint64) {
	for _, stem := range p {
		h := uint64(14695981039346656037)
		for i := range len(stem) {
			h = (h ^ uint64(stem[i])) * 1099511628211
		}
		h ^= h >> 29
		h *= 0xbf58476d1ce4e5b9
		sum += h ^ h>>32
	}
	return sum
}

// A naming says that a document is called by a phrase; its code is that of phrases.
type naming struct {
	sum  uint64
	code uint32
}

// mergePhrases makes the phrases of all parts one.
func (j *joining) mergePhrases() phrases {
	size := 0
	for i := range j.pieces {
		size += len(j.pieces[i].named)
	}
	all := make([]naming, 0, size)
	for i := range j.pieces {
		p := &j.pieces[i]
		for _, n := range p.named {
			all = append(all, naming{n.sum, p.number(n.code>>1)<<1 | n.code&1})
		}
	}
	slices.SortFunc(all, func(a, b naming) int {
		if a.sum != b.sum {
			return cmp.Compare(a.sum, b.sum)
		}
		return cmp.Compare(a.code, b.code)
	})
	all = slices.Compact(all)
	c := phrases{sums: make([]uint64, len(all)), codes: make([]uint32, len(all))}
	for i, one := range all {
		c.sums[i], c.codes[i] = one.sum, one.code
	}
	return c
}

// addPhrases adds the phrases that name a document: its name with the last segment of its path and with all of them,
// its titles, its other names, and the first sentence of its body. Its name alone counts less, since it may be
// incomplete: billing.invoice.create_order_invoice does not create orders.
func (w *worker) addPhrases(p *part, doc uint32) {
	name, path := "", w.document.Path
	for i, t := range w.document.Texts {
		switch role := w.index.options.Fields[t.Field].Role; {
		case role == Name && name == "":
			name = t.Text
			w.addPhrase(p, doc, false, w.heads[i])
			if n := len(path); n > 0 {
				w.addPhrase(p, doc, true, w.heads[i], path[n-1])
				if n > 1 {
					w.addPhrase(p, doc, true, w.heads[i], path...)
				}
			}
		case role != Other:
			w.addPhrase(p, doc, true, w.heads[i])
		}
	}
}

func (w *worker) addPhrase(p *part, doc uint32, whole bool, head []int32, path ...string) {
	words := w.phrase[:0]
	add := func(terms []int32) {
		for _, t := range terms {
			if len(words) <= mostPhrase {
				words = words.with(w.stems.at(uint32(t)))
			}
		}
	}
	add(head)
	for _, segment := range path {
		add(w.termsOf(segment))
	}
	w.phrase = words
	if sum, ok := words.sum(); ok {
		code := doc << 1
		if whole {
			code++
		}
		p.named = append(p.named, naming{sum, code})
	}
}

// addCalls adds phraseGain to the documents that the query names, once for each; a third for the name alone.
func addCalls(ix *Index, q *query, t *tally) {
	var words phrase
	for i, word := range q.raw {
		if q.stems[i] != "" && !ix.lexicon.request[word.text] && !ix.lexicon.leads[word.text] {
			words = words.with(q.stems[i])
		}
	}
	sum, ok := words.sum()
	if !ok {
		return
	}
	c := &ix.phrases
	whole := int32(math.Round(unit * phraseGain))
	from, _ := slices.BinarySearch(c.sums, sum)
	for i := from; i < len(c.sums) && c.sums[i] == sum; i++ {
		doc := c.codes[i] >> 1
		switch {
		case c.codes[i]&1 != 0:
			t.points[t.at(doc)] += whole
		case i+1 == len(c.sums) || c.sums[i+1] != sum || c.codes[i+1]>>1 != doc:
			t.points[t.at(doc)] += whole / 3
		}
	}
	t.note(because("(called)", "the query is what it is called"))
}
