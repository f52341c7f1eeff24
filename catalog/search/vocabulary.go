package search

// This file numbers words while documents are scanned. Most words have been seen before, so it is made for looking up;
// and it is flat, so that the garbage collector need not walk a hundred thousand small strings.

import (
	"hash/maphash"
	"math/bits"

	"almanac/catalog/search/spelling"
)

// A vocabulary numbers words as they come, from zero on. The zero value is empty.
type vocabulary struct {
	seed  maphash.Seed
	words spelling.List
	text  []byte // that of words, with room for more
	// slots are a power of two, at least half of them free. A word is in the first free one from its hash on.
	slots []slot
}

// A slot has the hash of a word and its number plus one, which is zero in a free slot.
type slot struct{ hash, word uint32 }

// leastSlots is how many slots a vocabulary begins with.
const leastSlots = 1 << 6

// number is the number of a word, which is copied if it is new.
func (v *vocabulary) number(word string) uint32 {
	if 2*v.words.Len() >= len(v.slots) {
		v.grow()
	}
	hash := uint32(maphash.String(v.seed, word))
	for i := v.place(hash); ; i = (i + 1) & (len(v.slots) - 1) {
		switch s := &v.slots[i]; {
		case s.word == 0:
			v.text = append(v.text, word...)
			v.words.Text = StringOf(v.text)
			v.words.Offsets = append(v.words.Offsets, uint32(len(v.text)))
			*s = slot{hash, uint32(v.words.Len())}
			return s.word - 1
		case s.hash == hash && v.words.At(int(s.word-1)) == word:
			return s.word - 1
		}
	}
}

// room makes room for so many words of a new vocabulary, and for their letters.
func (v *vocabulary) room(words, letters int) {
	v.seed, v.words.Offsets, v.text = maphash.MakeSeed(), make([]uint32, 1, words+1), make([]byte, 0, letters)
	v.slots = make([]slot, max(leastSlots, 1<<bits.Len(uint(2*words))))
}

// place is the slot from which on a word of that hash is looked for.
func (v *vocabulary) place(hash uint32) int { return int(hash) & (len(v.slots) - 1) }

// grow doubles the slots. Words keep their hashes.
func (v *vocabulary) grow() {
	if v.slots == nil {
		v.room(0, 0)
		return
	}
	old := v.slots
	v.slots = make([]slot, 2*len(old))
	for _, s := range old {
		if s.word == 0 {
			continue
		}
		i := v.place(s.hash)
		for v.slots[i].word != 0 {
			i = (i + 1) & (len(v.slots) - 1)
		}
		v.slots[i] = s
	}
}

// at is the word of a number.
func (v *vocabulary) at(n uint32) string { return v.words.At(int(n)) }

// list are all words, by their numbers. None can be added afterwards.
func (v *vocabulary) list() spelling.List {
	v.slots = nil
	if v.words.Offsets == nil {
		return spelling.NewList(nil)
	}
	return v.words
}
