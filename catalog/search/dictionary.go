package search

import "almanac/catalog/search/spelling"

// This file numbers stems.

// A dictionary numbers stems in their order.
type dictionary struct {
	spelling.List
	// table finds a stem: at the hash or the next places after it, its number plus one. Its length is a power of two.
	table []uint32
}

// newDictionary is that of sorted words.
func newDictionary(words []string) dictionary {
	size := 4
	for size < 2*len(words) {
		size *= 2
	}
	d := dictionary{List: spelling.NewList(words), table: make([]uint32, size)}
	for i, word := range words {
		at := hash(word) & uint32(size-1)
		for d.table[at] != 0 {
			at = (at + 1) & uint32(size-1)
		}
		d.table[at] = uint32(i + 1)
	}
	return d
}

// term is the number of a stem, or -1.
func (d *dictionary) term(stem string) int32 {
	mask := uint32(len(d.table) - 1)
	for at := hash(stem) & mask; d.table[at] != 0; at = (at + 1) & mask {
		if n := d.table[at] - 1; d.At(int(n)) == stem {
			return int32(n)
		}
	}
	return -1
}

// hash is FNV-1a, with its high bits mixed into the low ones.
func hash(s string) uint32 {
	h := uint32(2166136261)
	for i := 0; i < len(s); i++ {
		h = (h ^ uint32(s[i])) * 16777619
	}
	return h ^ h>>15
}
