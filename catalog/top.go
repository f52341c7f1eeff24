package catalog

// This file picks the best entries out of their scores.

import (
	"math"
	"math/bits"
)

// withIntent is a score with what the entry's intent adds.
func (c *Catalog) withIntent(q *parsedQuery, score int32, doc int) int32 {
	return score + score*q.gains[c.index.intents[doc]]/128
}

// floors are a score below which neither intent nor direction lifts one to least, and one below which direction alone does
// not. A sum of rounded steps can end a little above the product, so they are one too low.
func (q *parsedQuery) floors(least int32) (both, direction int32) {
	d := int64(least)
	if q.directed {
		d = d * 1024 / (1024 + vectorMost)
	}
	return max(1, int32(d*128/(128+intentGain))-1), max(1, int32(d)-1)
}

// collectTop is the best limit of the allowed entries with a score above zero.
func (c *Catalog) collectTop(q *parsedQuery, scores []int32, allowed bitset, limit int) ([]scored, int) {
	h := topHeap{limit: limit}
	total := 0
	least, floor, lifted := int32(1), int32(1), int32(1) // scores below 1 are no hits
	offer := func(score int32, doc int) {
		if score = c.withIntent(q, score, doc); score < lifted {
			return
		}
		if score = c.withVector(q, score, doc); score >= least {
			least = h.offer(score, int32(doc))
			floor, lifted = q.floors(least)
		}
	}
	for i, word := range allowed {
		if word == ^uint64(0) {
			for j, score := range scores[i<<6 : i<<6+64] {
				total += int(uint32(-score) >> 31)
				if score >= floor {
					offer(score, i<<6+j)
				}
			}
			continue
		}
		for ; word != 0; word &= word - 1 {
			doc := i<<6 + bits.TrailingZeros64(word)
			total += int(uint32(-scores[doc]) >> 31)
			if scores[doc] >= floor {
				offer(scores[doc], doc)
			}
		}
	}
	return h.sorted(), total
}

// A topHeap keeps the best entries; its root is the worst of them.
type topHeap struct {
	limit  int
	scores []int32
	docs   []int32
}

// worse orders by score, then by id: of two equal ones the later is worse.
func (h *topHeap) worse(i, j int) bool {
	if h.scores[i] != h.scores[j] {
		return h.scores[i] < h.scores[j]
	}
	return h.docs[i] > h.docs[j]
}

func (h *topHeap) swap(i, j int) {
	h.scores[i], h.scores[j] = h.scores[j], h.scores[i]
	h.docs[i], h.docs[j] = h.docs[j], h.docs[i]
}

// offer takes an entry in where it is good enough and returns the least score that still is. Entries come in the
// order of their ids, so an equal score is not enough once the heap is full.
func (h *topHeap) offer(score, doc int32) int32 {
	if len(h.docs) < h.limit {
		h.scores, h.docs = append(h.scores, score), append(h.docs, doc)
		for i := len(h.docs) - 1; i > 0 && h.worse(i, (i-1)/2); i = (i - 1) / 2 {
			h.swap(i, (i-1)/2)
		}
		if len(h.docs) < h.limit {
			return 1
		}
		return h.scores[0] + 1
	}
	if h.limit == 0 {
		return math.MaxInt32
	}
	h.scores[0], h.docs[0] = score, doc
	h.down(0)
	return h.scores[0] + 1
}

func (h *topHeap) down(i int) {
	for {
		least := i
		for _, child := range []int{2*i + 1, 2*i + 2} {
			if child < len(h.docs) && h.worse(child, least) {
				least = child
			}
		}
		if least == i {
			return
		}
		h.swap(i, least)
		i = least
	}
}

// sorted empties the heap, best first.
func (h *topHeap) sorted() []scored {
	out := make([]scored, len(h.docs))
	for i := len(out) - 1; i >= 0; i-- {
		out[i] = scored{h.docs[0], float64(h.scores[0]) / unit}
		last := len(h.docs) - 1
		h.swap(0, last)
		h.scores, h.docs = h.scores[:last], h.docs[:last]
		h.down(0)
	}
	return out
}
