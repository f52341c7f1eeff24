package search

// This file has the signs of directions, by which most documents that are not near to a query are passed over without
// computing a cosine.

import (
	"math"
	"math/bits"
	"sync"
)

// A sign is the signs of a direction, a bit for each dimension. The fewer bits differ, the nearer two directions are.
type sign [vectorDims / 64]uint64

// signs are those of all documents.
type signs struct {
	once sync.Once
	list []sign
}

// signOf is the sign of a query's direction.
func signOf(direction *[vectorDims]int32) sign {
	var s sign
	for d, x := range direction {
		s[d/64] |= uint64(uint32(x)>>31) << (d % 64)
	}
	return s
}

// distance is in how many bits two signs differ.
func (s sign) distance(o sign) int {
	return bits.OnesCount64(s[0]^o[0]) + bits.OnesCount64(s[1]^o[1])
}

// signsOf are the signs of all documents, made when they are first needed.
func (ix *Index) signsOf() []sign {
	ix.signs.once.Do(func() {
		ix.signs.list = make([]sign, ix.docs)
		for i, b := range ix.about {
			ix.signs.list[i/vectorDims][i%vectorDims/64] |= uint64(b>>7) << (i % 64)
		}
	})
	return ix.signs.list
}

const (
	// signMargin is how many bits fewer may differ by chance: some two standard deviations.
	signMargin = 12
	// mostCosine is the largest that counts.
	mostCosine = 0.9
)

// mostMeaning is the most points that a document gets for its direction, by the distance of its sign from the query's.
func mostMeaning() (points [vectorDims + 1]int32) {
	for h := range points {
		angle := math.Pi * float64(max(0, h-signMargin)) / vectorDims
		points[h] = int32(math.Round(vectorGain * min(mostCosine, max(0, math.Cos(angle)))))
	}
	return points
}
