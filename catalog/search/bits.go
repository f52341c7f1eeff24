package search

// This file has sets of document numbers.

import (
	"math/bits"
	"slices"
)

// Bits is a set of document numbers. Its length is fixed when it is made.
type Bits []uint64

// NewBits is an empty set for n documents.
func NewBits(n int) Bits { return make(Bits, (n+63)/64) }

// Set adds a document.
func (b Bits) Set(i int) { b[i>>6] |= 1 << (i & 63) }

// Clear takes a document out.
func (b Bits) Clear(i int) { b[i>>6] &^= 1 << (i & 63) }

// Has reports whether a document is in the set.
func (b Bits) Has(i int) bool { return b[i>>6]&(1<<(i&63)) != 0 }

// Fill adds the first n.
func (b Bits) Fill(n int) {
	for i := range b {
		b[i] = ^uint64(0)
	}
	if rest := n & 63; rest != 0 {
		b[len(b)-1] = 1<<rest - 1
	}
}

// SetAll adds documents.
func (b Bits) SetAll(docs []uint32) {
	for _, d := range docs {
		b[d>>6] |= 1 << (d & 63)
	}
}

// And keeps what both sets have.
func (b Bits) And(o Bits) {
	for i := range b {
		b[i] &= o[i]
	}
}

// Or adds what another set has.
func (b Bits) Or(o Bits) {
	for i := range b {
		b[i] |= o[i]
	}
}

// AndNot takes out what another set has.
func (b Bits) AndNot(o Bits) {
	for i := range b {
		b[i] &^= o[i]
	}
}

// Count is the number of documents in the set.
func (b Bits) Count() int {
	n := 0
	for _, w := range b {
		n += bits.OnesCount64(w)
	}
	return n
}

// Any reports whether one of docs is in the set.
func (b Bits) Any(docs []uint32) bool {
	return slices.ContainsFunc(docs, func(d uint32) bool { return b.Has(int(d)) })
}

// Each calls f with every member in order.
func (b Bits) Each(f func(doc int)) {
	for i, w := range b {
		for w != 0 {
			f(i<<6 + bits.TrailingZeros64(w))
			w &= w - 1
		}
	}
}
