package search

// This file selects the best documents by score.

import (
	"math"
	"math/bits"
)

// setMinimums sets minimums[i] to the points below which lifts[i:] cannot reach least; minimums has one more for the
// end. Rounded steps can add up to slightly more than the product, so each is one lower than computed.
func setMinimums(minimums []int32, lifts []*lift, least int32) {
	minimums[len(lifts)] = least
	d := int64(least)
	for i := len(lifts) - 1; i >= 0; i-- {
		l := lifts[i]
		before := d * l.of / l.most
		if l.plus > 0 {
			before = max(before, d-l.plus)
		}
		d = before
		minimums[i] = max(1, int32(d)-1)
	}
}

// Top is the best limit documents among some, best first, ties by number, and how many of them match.
func (k *Ranking) Top(among Bits, limit int) ([]Hit, int) {
	h := topHeap{limit: limit}
	scores := k.memory.points
	total := 0
	minimums := make([]int32, len(k.lifts)+1)
	setMinimums(minimums, k.lifts, 1) // points below 1 are no hits
	least := minimums[0]
	offer := func(points int32, doc int) {
		for i, l := range k.lifts {
			if l.bound != nil && points+l.bound(doc) < minimums[i+1] {
				return
			}
			if points = l.apply(points, doc); points < minimums[i+1] {
				return
			}
		}
		setMinimums(minimums, k.lifts, h.offer(points, int32(doc)))
		least = minimums[0]
	}
	for i, word := range among {
		if word == ^uint64(0) {
			for j, score := range scores[i<<6 : i<<6+64] {
				total += int(uint32(-score) >> 31)
				if score >= least {
					offer(score, i<<6+j)
				}
			}
			continue
		}
		for ; word != 0; word &= word - 1 {
			doc := i<<6 + bits.TrailingZeros64(word)
			total += int(uint32(-scores[doc]) >> 31)
			if scores[doc] >= least {
				offer(scores[doc], doc)
			}
		}
	}
	return h.sorted(), total
}

// A topHeap keeps the best documents; its root is the worst of them.
type topHeap struct {
	limit  int
	scores []int32
	docs   []int32
}

// worse orders by score, then by number: of two equal ones the later is worse.
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

// offer adds a document if it is good enough, and returns the score that the next one must reach. Documents come in the
// order of their numbers, so an equal score is not enough once the heap is full.
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

// sorted empties the heap and returns its hits, best first.
func (h *topHeap) sorted() []Hit {
	out := make([]Hit, len(h.docs))
	for i := len(out) - 1; i >= 0; i-- {
		out[i] = Hit{h.docs[0], float64(h.scores[0]) / unit}
		last := len(h.docs) - 1
		h.swap(0, last)
		h.scores, h.docs = h.scores[:last], h.docs[:last]
		h.down(0)
	}
	return out
}
