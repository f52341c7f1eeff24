package catalog

// This file finds names that are a few edits from another among a hundred thousand. Names are kept by their length, and
// each has a set of the letters in it; an edit changes a length by one at most, and takes at most one letter out of the
// set and puts one in. So nearly all names are passed over at the cost of two instructions, and none that is near is
// missed.

import (
	"math/bits"
	"slices"
)

// maxLetters is the length from which on names are kept together.
const maxLetters = 63

// A speller finds the names of a column that are near to another. The zero value finds none.
type speller struct {
	letters []uint64 // by length, then in the order of the names
	places  []uint32 // in step: the numbers of the names
	starts  []uint32 // names of n runes are from starts[n] up to starts[n+1]
}

// lettersOf is the set of a name's letters, and its length in runes, maxLetters at most. A letter has a bit for the first
// time that it occurs and one for the second; what is no letter from a to z shares twelve.
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

// newSpeller is that of a column, which has to be sorted.
func newSpeller(names *column) speller {
	n := names.len()
	s := speller{letters: make([]uint64, n), places: make([]uint32, n), starts: make([]uint32, maxLetters+2)}
	for i := range n {
		_, length := lettersOf(names.at(i))
		s.starts[length+1]++
	}
	sum(s.starts)
	at := slices.Clone(s.starts)
	for i := range n {
		set, length := lettersOf(names.at(i))
		s.letters[at[length]], s.places[at[length]] = set, uint32(i)
		at[length]++
	}
	return s
}

// each calls f with the numbers of the names that may be at most limit edits from name, and of few others. f returns the
// limit from there on, which is not higher than before.
func (s *speller) each(name string, limit int, f func(place int) int) {
	set, length := lettersOf(name)
	for n := max(0, length-limit); len(s.starts) > 0 && n <= min(maxLetters, length+limit); n++ {
		from, to := s.starts[n], s.starts[n+1]
		places := s.places[from:to]
		for i, other := range s.letters[from:to] {
			if bits.OnesCount64(set&^other) <= limit && bits.OnesCount64(other&^set) <= limit {
				limit = f(int(places[i]))
			}
		}
	}
}
