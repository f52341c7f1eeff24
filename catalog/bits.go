package catalog

// This file has bit sets over document numbers.

import (
	"math/bits"
	"slices"
)

// A bitset holds document numbers. Its length is fixed when it is made.
type bitset []uint64

func newBitset(n int) bitset { return make(bitset, (n+63)/64) }

func (b bitset) set(i int)      { b[i>>6] |= 1 << (i & 63) }
func (b bitset) clear(i int)    { b[i>>6] &^= 1 << (i & 63) }
func (b bitset) has(i int) bool { return b[i>>6]&(1<<(i&63)) != 0 }

// fill sets the first n.
func (b bitset) fill(n int) {
	for i := range b {
		b[i] = ^uint64(0)
	}
	if rest := n & 63; rest != 0 {
		b[len(b)-1] = 1<<rest - 1
	}
}

func (b bitset) setAll(docs []uint32) {
	for _, d := range docs {
		b[d>>6] |= 1 << (d & 63)
	}
}

func (b bitset) and(o bitset) {
	for i := range b {
		b[i] &= o[i]
	}
}

func (b bitset) or(o bitset) {
	for i := range b {
		b[i] |= o[i]
	}
}

func (b bitset) andNot(o bitset) {
	for i := range b {
		b[i] &^= o[i]
	}
}

func (b bitset) count() int {
	n := 0
	for _, w := range b {
		n += bits.OnesCount64(w)
	}
	return n
}

// any reports whether one of docs is in the set.
func (b bitset) any(docs []uint32) bool {
	return slices.ContainsFunc(docs, func(d uint32) bool { return b.has(int(d)) })
}

// each calls f with every member in order.
func (b bitset) each(f func(doc int)) {
	for i, w := range b {
		for w != 0 {
			f(i<<6 + bits.TrailingZeros64(w))
			w &= w - 1
		}
	}
}

// sortedSet sorts words and drops repeats and "", in place.
func sortedSet(words []string) []string {
	slices.Sort(words)
	words = slices.Compact(words)
	if len(words) > 0 && words[0] == "" {
		words = words[1:]
	}
	return words
}
