package search

// This file computes the directions of documents. Two numbers are in one word, the second 32 bits above the first: sums
// and products of words are those of both numbers, since the last carries from one to the other are taken back at the
// end.

import "math"

const (
	pairedDims = vectorDims / 2
	// mostUnfolded is how many vectors a worker keeps as numbers: 512 bytes each, for the words that it has met first,
	// which are the most common ones.
	mostUnfolded = 1 << 11
)

type paired [pairedDims]int64

// unfold is the vector of a row with its length.
func (t *vectorTable) unfold(row int32) (p paired) {
	b := t.rows[int(row)*rowSize:][:rowSize]
	length := int64(b[0])
	for d := range p {
		p[d] = length*int64(int8(b[1+2*d])) + length*int64(int8(b[2+2*d]))<<32
	}
	return p
}

// both are the two numbers of a word.
func both(word int64) (first, second int32) {
	first = int32(word)
	return first, int32((word - int64(first)) >> 32)
}

// A compass computes the directions of documents, one after the other.
type compass struct {
	table    *vectorTable
	unfolded []paired
	places   []uint16 // row → its place in unfolded plus one, or zero
	rare     []paired // others, of the field at hand
	field    []*paired
}

// vector is that of a row, until the field ends.
func (c *compass) vector(row int32) *paired {
	if c.places == nil {
		c.places = make([]uint16, c.table.count)
	}
	if at := c.places[row]; at > 0 {
		return &c.unfolded[at-1]
	}
	if len(c.unfolded) == mostUnfolded {
		c.rare = append(c.rare, c.table.unfold(row))
		return &c.rare[len(c.rare)-1]
	}
	c.unfolded = append(c.unfolded, c.table.unfold(row))
	c.places[row] = uint16(len(c.unfolded))
	return &c.unfolded[len(c.unfolded)-1]
}

// direction is that of a document, given the rows of each field's words. A field counts by its weight and the square
// root of its length.
func (c *compass) direction(fields []Field, rows [][]int32) (direction [vectorDims]uint8) {
	var sum paired
	for f := range fields {
		weight := fields[f].Meaning
		list := rows[f][:min(len(rows[f]), maxVectorWords)]
		if weight == 0 || len(list) == 0 {
			continue
		}
		c.rare, c.field = c.rare[:0], c.field[:0]
		for _, row := range list {
			c.field = append(c.field, c.vector(row))
		}
		sum.add(int64(math.Round(float64(weight)/math.Sqrt(float64(len(list))))), c.field)
	}
	var all [vectorDims]int32
	for d, word := range sum {
		all[2*d], all[2*d+1] = both(word)
	}
	for d, x := range unitVector(&all, documentScale) {
		direction[d] = uint8(int8(max(-127, min(127, x))))
	}
	return direction
}

// add adds the sum of the vectors, each times as often. Eight numbers at a time stay in registers.
func (p *paired) add(times int64, vectors []*paired) {
	for d := 0; d < pairedDims; d += 8 {
		var a, b, c, e, f, g, h, i int64
		for _, v := range vectors {
			part := (*[8]int64)(v[d:])
			a, b, c, e = a+part[0], b+part[1], c+part[2], e+part[3]
			f, g, h, i = f+part[4], g+part[5], h+part[6], i+part[7]
		}
		part := (*[8]int64)(p[d:])
		part[0], part[1], part[2], part[3] = part[0]+times*a, part[1]+times*b, part[2]+times*c, part[3]+times*e
		part[4], part[5], part[6], part[7] = part[4]+times*f, part[5]+times*g, part[6]+times*h, part[7]+times*i
	}
}
