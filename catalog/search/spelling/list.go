package spelling

// This file holds sorted strings in flat memory, and finds those a few edits from another among a hundred thousand. A
// list is two large blocks instead of many small ones: the garbage collector need not walk them, and a cached index
// stores them unchanged.

import (
	"math/bits"
	"slices"
	"strings"
)

// A List holds strings in one piece of memory: number i is Text[Offsets[i]:Offsets[i+1]]. The zero value is empty.
type List struct {
	Offsets []uint32
	Text    string
}

// NewList joins words; together they must be shorter than 4 GiB.
func NewList(words []string) List {
	c := List{Offsets: make([]uint32, 1, len(words)+1)}
	size := 0
	for _, word := range words {
		size += len(word)
	}
	var b strings.Builder
	b.Grow(size)
	for _, word := range words {
		b.WriteString(word)
		c.Offsets = append(c.Offsets, uint32(b.Len()))
	}
	c.Text = b.String()
	return c
}

// Len is the number of strings.
func (c *List) Len() int { return max(0, len(c.Offsets)-1) }

// At is string i.
func (c *List) At(i int) string { return c.Text[c.Offsets[i]:c.Offsets[i+1]] }

// Sound reports whether all strings are within the text of a list that comes from elsewhere.
func (c *List) Sound() bool {
	return len(c.Offsets) > 0 && c.Offsets[0] == 0 && slices.IsSorted(c.Offsets) &&
		int(c.Offsets[len(c.Offsets)-1]) == len(c.Text)
}

// Search is the place of want in a sorted list, or where it would be.
func (c *List) Search(want string) (at int, found bool) {
	low, high := 0, c.Len()
	for low < high {
		middle := int(uint(low+high) >> 1)
		if c.At(middle) < want {
			low = middle + 1
		} else {
			high = middle
		}
	}
	return low, low < c.Len() && c.At(low) == want
}

// Names are kept by length, each with the set of its letters. An edit changes the length by at most one, and removes at
// most one letter from the set and adds at most one. So nearly all names are skipped at the cost of two instructions,
// and no near one is missed.

// maxLetters is the length from which names are kept together.
const maxLetters = 63

// An Index finds the names of a list that are near to another. The zero value finds none.
type Index struct {
	Letters []uint64 // the sets of letters: by length, then in the order of the names
	Places  []uint32 // in step: the numbers of the names
	Starts  []uint32 // names of n runes are from starts[n] up to starts[n+1]
}

// lettersOf is the set of a name's letters, and its length in runes, at most maxLetters. A letter has one bit for its
// first occurrence and one for its second; characters other than a to z share twelve bits.
func lettersOf(name string) (set uint64, length int) {
	for _, r := range name {
		length++
		if r < 'a' || r > 'z' {
			set |= 1 << (52 + r%12)
			continue
		}
		if once := uint64(1) << (r - 'a'); set&once == 0 {
			set |= once
		} else {
			set |= once << 26
		}
	}
	return set, min(length, maxLetters)
}

// NewIndex indexes a list, which must be sorted.
func NewIndex(names *List) Index {
	n := names.Len()
	s := Index{Letters: make([]uint64, n), Places: make([]uint32, n), Starts: make([]uint32, maxLetters+2)}
	for i := range n {
		_, length := lettersOf(names.At(i))
		s.Starts[length+1]++
	}
	for i := 1; i < len(s.Starts); i++ {
		s.Starts[i] += s.Starts[i-1]
	}
	at := slices.Clone(s.Starts)
	for i := range n {
		set, length := lettersOf(names.At(i))
		s.Letters[at[length]], s.Places[at[length]] = set, uint32(i)
		at[length]++
	}
	return s
}

// Near calls f with the numbers of all names within limit edits of name, and a few others. f returns the limit to use
// from then on, which must not be higher.
func (s *Index) Near(name string, limit int, f func(place int) int) {
	set, length := lettersOf(name)
	for n := max(0, length-limit); len(s.Starts) > 0 && n <= min(maxLetters, length+limit); n++ {
		from, to := s.Starts[n], s.Starts[n+1]
		places := s.Places[from:to]
		for i, other := range s.Letters[from:to] {
			if bits.OnesCount64(set&^other) <= limit && bits.OnesCount64(other&^set) <= limit {
				limit = f(int(places[i]))
			}
		}
	}
}
