package kept

import (
	"iter"
	"math/rand/v2"
)

// This file cuts values into parts. A part ends where a hash of the 64 bytes before says so, so that values which agree
// for a stretch have parts in common, wherever the stretch stands in each.

// The sizes of a part: at least, on average some partBits to the power of two more, at most. The last may be smaller.
const (
	minPart  = 2 << 10
	partBits = 13
	maxPart  = 32 << 10
)

// window is how many bytes the hash depends on: each shifts those before it out by a bit.
const window = 64

// parts cuts data; joined, the parts are data.
func parts(data []byte) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		var gear [256]uint64 // what a byte adds to the hash: any fixed numbers without a pattern
		random := rand.NewPCG(1, 2)
		for i := range gear {
			gear[i] = random.Uint64()
		}
		for len(data) > 0 {
			n := cut(data, &gear)
			if !yield(data[:n]) {
				return
			}
			data = data[n:]
		}
	}
}

// cut is the length of the first part of data.
func cut(data []byte, gear *[256]uint64) int {
	most := min(len(data), maxPart)
	var hash uint64
	for i := minPart - window; i < most; i++ {
		hash = hash<<1 + gear[data[i]]
		if i >= minPart-1 && hash>>(64-partBits) == 0 {
			return i + 1
		}
	}
	return most
}
