package search

// The feature Vectors: how near a document is to a query in meaning, by the angle between the sums of their words'
// vectors in vectors.bin, which search/lexicon/vectors builds. No model runs, and everything is in integers, so that
// every machine gives the same order.

import (
	_ "embed"
	"fmt"
	"math"
	"strings"
)

//go:embed vectors.bin
var vectorsText string

const (
	vectorDims = 128
	// vectorGain is what a document in the direction of the query gains, in points; one at a right angle gains nothing. In
	// a large index it gains at most half of what it has, so that few have to be looked at.
	vectorGain = unit * 30 / 100
	// maxVectorWords is how many words of a field count.
	maxVectorWords = 60

	documentScale = 1 << 8 // what the length of a document's vector is stored as; numbers beyond a byte are cut
	queryScale    = 1 << 12
)

// A vectorTable looks up the vectors of stems in place: opening it costs nothing.
type vectorTable struct {
	ends, letters, rows string
	count               int
}

// rowSize is a length and a direction.
const rowSize = 1 + vectorDims

// newVectorTable reads the head of a table; see write in search/lexicon/vectors for the form. It panics on malformed
// text, which is part of the program.
func newVectorTable(text string) vectorTable {
	head, rest, _ := strings.Cut(text, "\n")
	var t vectorTable
	var dims, letters int
	_, err := fmt.Sscan(head, &t.count, &dims, &letters)
	if err != nil || dims != vectorDims || len(rest) != t.count*(4+rowSize)+letters {
		panic(fmt.Sprintf("vectors.bin: head %q, %d bytes: %v", head, len(rest), err))
	}
	t.ends, rest = rest[:4*t.count], rest[4*t.count:]
	t.letters, t.rows = rest[:letters], rest[letters:]
	return t
}

// end is where the letters of stem i end.
func (t *vectorTable) end(i int) int {
	if i < 0 {
		return 0
	}
	b := t.ends[4*i : 4*i+4]
	return int(b[0]) | int(b[1])<<8 | int(b[2])<<16 | int(b[3])<<24
}

// row is the number of a stem's vector, or -1.
func (t *vectorTable) row(stem string) int32 {
	low, high := 0, t.count
	for low < high {
		mid := int(uint(low+high) >> 1)
		if t.letters[t.end(mid-1):t.end(mid)] < stem {
			low = mid + 1
		} else {
			high = mid
		}
	}
	if low < t.count && t.letters[t.end(low-1):t.end(low)] == stem {
		return int32(low)
	}
	return -1
}

// add adds weight times a vector to sum.
func (t *vectorTable) add(sum *[vectorDims]int32, row, weight int32) {
	b := t.rows[int(row)*rowSize : int(row)*rowSize+rowSize]
	k := weight * int32(b[0])
	for d := range sum {
		sum[d] += k * int32(int8(b[1+d]))
	}
}

// unitVector is sum with the length scale, rounded.
func unitVector(sum *[vectorDims]int32, scale float64) (unit [vectorDims]int32) {
	square := int64(0)
	for _, x := range sum {
		square += int64(x) * int64(x)
	}
	if square == 0 {
		return unit
	}
	length := math.Sqrt(float64(square))
	for d, x := range sum {
		unit[d] = int32(math.Round(float64(x) * scale / length))
	}
	return unit
}

// queryVector is the direction of a query.
func (t *vectorTable) queryVector(words []queryWord) [vectorDims]int32 {
	var sum [vectorDims]int32
	for i := range words {
		if row := t.row(words[i].stem); row >= 0 {
			t.add(&sum, row, int32(math.Round(64*words[i].weight)))
		}
	}
	return unitVector(&sum, queryScale)
}

// meaning is the direction of the query, computed once; all zero if no word has a vector.
func (q *query) meaning() *[vectorDims]int32 {
	if q.direction == nil {
		direction := q.reader.index.lexicon.vectors.queryVector(q.words)
		q.direction = &direction
	}
	return q.direction
}

// cosine is that of a document and a direction, in 1/(documentScale x queryScale).
func (ix *Index) cosine(direction *[vectorDims]int32, doc int) int32 {
	// Four independent sums run in parallel on the processor.
	var sums [4]int32
	about := (*[vectorDims]uint8)(ix.about[doc*vectorDims:])
	for d := 0; d < vectorDims; d += 4 {
		sums[0] += direction[d] * int32(int8(about[d]))
		sums[1] += direction[d+1] * int32(int8(about[d+1]))
		sums[2] += direction[d+2] * int32(int8(about[d+2]))
		sums[3] += direction[d+3] * int32(int8(about[d+3]))
	}
	return sums[0] + sums[1] + sums[2] + sums[3]
}

func liftVectors(ix *Index, q *query) *lift {
	direction := q.meaning()
	if *direction == [vectorDims]int32{} {
		return nil
	}
	large := ix.docs > mostSearched
	own, signs, most := signOf(direction), ix.signsOf(), mostMeaning()
	bound := func(doc int) int32 { return most[own.distance(signs[doc])] }
	l := &lift{
		apply: func(points int32, doc int) int32 {
			gain := int64(max(0, ix.cosine(direction, doc))) * vectorGain / (documentScale * queryScale)
			gain = min(gain, int64(bound(doc)))
			if large {
				gain = min(gain, int64(points)/2)
			}
			return points + int32(gain)
		},
		bound: bound, most: 3, of: 2, plus: int64(most[0]),
		why: func(int32, int) (string, string) {
			return "(meaning)", "its words mean much the same as those of the query"
		},
	}
	if !large {
		l.most = math.MaxInt32 // only plus limits it
	}
	return l
}
