package catalog

// This file builds the inverted index that Search reads.
//
// A word's weight in an entry is fixed when the index is built: BM25F over the fields, folded into one byte. With
// W the field weights, tf a word's count in a field and L the weighted length of all fields,
//
//	x      = sum of W tf / (1 - b + b L / average L)
//	impact = 186 x / (k1 + x), less 25 where the name has it and less 25 where the description does
//
// Search then adds integers, so that the same catalog and query give the same order on every machine. Entries are
// numbered in the order of their ids, so that ties go by id.

import (
	"almanac/catalog/search/spelling"
	"cmp"
	"math"
	"slices"
)

// A field is where in an entry a word stands.
type field int

const (
	nameField field = iota // the id below the namespace, and aliases
	titleField
	namespaceField
	tagField // tags and entities
	descriptionField
	inputField
	inputTextField
	outputField
	fieldCount
)

// fieldWeights are in tenths.
func fieldWeights() [fieldCount]int {
	return [fieldCount]int{20, 10, 10, 10, 10, 7, 5, 4}
}

func (f field) String() string {
	return [...]string{"name", "title", "namespace", "tags", "description", "input names", "input texts", "output names"}[f]
}

const (
	bm25K1      = 0.6
	bm25B       = 0.6
	impactRange = 255
	// fullImpact is the impact of a word without end; a word of weight 1 has that of k1 1.2 with the whole range.
	fullImpact = impactRange * (1 + bm25K1) / 2.2
	placeCut   = impactRange / 10.0
)

// An index maps stems to the entries that have them. It never changes once built.
type index struct {
	words   dictionary // stem ↔ term
	docs    int        // the number of entries
	intents []intent   // document → what it does
	idf     []float64  // term → inverse document frequency
	about   []uint8    // document → its direction, vectorDims signed bytes; see vectors.go

	// Postings of term t are docs[offsets[t]:offsets[t+1]], in order, with their impacts.
	offsets []uint32
	posted  []uint32
	impacts []uint8

	nearStem spelling.Index
	written  written // the words as entries have them, to tell typing errors by

	called called // what entries are called by

	names shared // the words of names alone
	leads shared // the words of the first sentences of descriptions

	// Pairs of neighbouring stems, order free: under the lower term, sorted by the higher term and document.
	pairOffsets []uint32
	pairs       []pair
}

// A shared part of entries, such as their names: term t is in that of docs[offsets[t]:offsets[t+1]], in order. Shares are
// 1/(idf mass of the part) of each document, in 1/65536.
type shared struct{ offsets, docs, shares []uint32 }

// of are the entries whose part has term t.
func (s *shared) of(t int32) []uint32 { return s.docs[s.offsets[t]:s.offsets[t+1]] }

// A place is where in an entry a stem stands; a stem may have several.
type place uint8

const (
	inName    place = 1 << iota
	inText          // in the description
	inLead          // in its first sentence
	placeBits = iota
)

// leadOf is the first sentence of a description, or its first line.
func leadOf(text string) string {
	for i := range len(text) {
		if text[i] == '\n' || text[i] == '.' && i+1 < len(text) && text[i+1] == ' ' {
			return text[:i]
		}
	}
	return text
}

// A pair says that two terms stand side by side in an entry: the higher term << 32 | document << 2 | where.
type pair uint64

const (
	pairInName = 1 << iota
	pairInText
)

func (p pair) high() uint32      { return uint32(p >> 32) }
func (p pair) doc() uint32       { return uint32(p) >> 2 }
func (p pair) is(where int) bool { return int(p)&where != 0 }

// lengthNorm is what the counts of an entry of this length are divided by.
func lengthNorm(length int32, average float64) float64 {
	return 1 - bm25B + bm25B*float64(length)/average
}

// impact is the saturated weight of a word in an entry: 1 to impactRange. A word in the name or in the description is
// often in both, and once it is in one of them the other says little: each takes placeCut off.
func impact(count uint16, norm float64, at place) uint8 {
	x := float64(count) / 10 / norm
	y := fullImpact * x / (bm25K1 + x)
	if at&inName != 0 {
		y -= placeCut
	}
	if at&inText != 0 {
		y -= placeCut
	}
	return uint8(max(1, min(impactRange, math.Round(y))))
}

func inverseFrequency(docs, df int) float64 {
	return math.Log(1 + (float64(docs)-float64(df)+0.5)/(float64(df)+0.5))
}

// postings are the entries that have term t, and its impacts there.
func (ix *index) postings(t int32) ([]uint32, []uint8) {
	from, to := ix.offsets[t], ix.offsets[t+1]
	n := to - from
	return ix.posted[from:][:n], ix.impacts[from:][:n]
}

// common reports whether these are too many entries for what a word of theirs can add.
func (ix *index) common(docs []uint32) bool { return len(docs) > max(commonDocs, ix.docs/commonShare) }

// pairDocs are the entries where terms a and b stand side by side.
func (ix *index) pairDocs(a, b int32) []pair {
	low, high := uint32(min(a, b)), uint32(max(a, b))
	group := ix.pairs[ix.pairOffsets[low]:ix.pairOffsets[low+1]]
	from, _ := slices.BinarySearchFunc(group, high, func(p pair, h uint32) int { return cmp.Compare(p.high(), h) })
	to, _ := slices.BinarySearchFunc(group, high+1, func(p pair, h uint32) int { return cmp.Compare(p.high(), h) })
	return group[from:to]
}

// eachField calls f with every text of an entry.
func eachField(e *Entry, sh *shape, f func(field, string)) {
	f(nameField, nameOf(e))
	for _, alias := range e.Aliases {
		f(nameField, alias)
	}
	f(titleField, e.Title)
	for _, segment := range e.Namespace {
		f(namespaceField, segment)
	}
	for _, tag := range e.Tags {
		f(tagField, tag)
	}
	for _, entity := range e.Entities {
		f(tagField, entity)
	}
	f(descriptionField, e.Description)
	for i, p := range sh.inputs {
		f(inputField, p.name)
		if text := sh.inputOutlines[i].description; text != "" {
			f(inputTextField, text)
		}
	}
	for _, p := range sh.outputs {
		f(outputField, p.name)
	}
}
