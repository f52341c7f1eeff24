package search

// This file holds the inverted index that Rank reads, and what documents look like.
//
// A word's weight in a document is fixed when the index is built: BM25F over the fields, folded into one byte. With
// W the field weights, tf a word's count in a field and L the weighted length of all fields,
//
//	x      = sum of W tf / (1 - b + b L / average L)
//	impact = 186 x / (k1 + x), less 25 where the name has it and less 25 where the description does
//
// Rank then adds integers. Ties go by the number of the document.

import (
	"cmp"
	"math"
	"slices"
	"sync"

	"almanac/catalog/search/spelling"
)

// A Text is one text of a document, in one of the fields of Options.
type Text struct {
	Field int
	Text  string
	// Known is what the index remembers of a text that comes again, kept for it with Document.Scratch. Nil for others, and
	// for fields with a role.
	Known *Known
}

// Known is what an index remembers of a text. The zero value is for a text that it has not seen.
type Known struct {
	terms []int32
	read  bool
}

// A Key is a name under which a document can be found, of one of the kinds in Options.
type Key struct {
	Kind int
	Name string
}

// A Document is what is indexed of one document. A key may stand there twice; "" is ignored.
type Document struct {
	Texts []Text
	Keys  []Key
	// Path is the segments of the path that it stands under; see Options.PathKind.
	Path []string
	// Intent is what the document does, used if neither its body nor its name begins with a verb.
	Intent Intent
	// Scratch is for Options.Document alone: what it left for the next documents, which no other goroutine gets.
	Scratch any
}

// A Role is the part that a field plays in ranking, beside its weight.
type Role uint8

// The roles. The first text with the role Name is the document's name below its path, others are alternative names.
const (
	Other Role = iota
	Name
	Title
	Body
)

// A Field is a kind of text in documents.
type Field struct {
	Name string // for explanations
	Role Role
	// Weight is what a word counts there, in tenths, and Meaning what it counts for the document's vector, in 1/256.
	Weight, Meaning int
}

// Options describe the documents, and where they come from.
type Options struct {
	// Noun is the word for a document in explanations.
	Noun   string
	Fields []Field
	// Kinds are the kinds of keys; true if an unknown name is answered with the nearest one.
	Kinds []bool
	// PathKind is the kind whose keys are the dotted paths that documents stand under, and Path is the Path of a document.
	PathKind int
	Path     func(doc int) []string
	// ProductKind is the kind whose keys are other names of what documents stand under, words joined by "_"; that of
	// PathKind for none.
	ProductKind int
	// Document fills d with a document; d is empty, with slices to append to. It must be safe for concurrent use, and give
	// the same document as long as the index lives.
	Document func(doc int, d *Document)
	// Without switches ranking features off.
	Without []Feature
	// Progress is told how many of the parts of the index have been built, from several goroutines. Nil tells nobody.
	Progress func(done, of int)
}

const (
	bm25K1      = 0.6
	bm25B       = 0.6
	impactRange = 255
	// fullImpact is the impact of a word without end; a word of weight 1 has that of k1 1.2 with the whole range.
	fullImpact = impactRange * (1 + bm25K1) / 2.2
	placeCut   = impactRange / 10.0

	// commonShare and commonDocs: a word is too common if, in a large index, more than one document in 20 has it; see
	// common.
	commonShare = 20
	commonDocs  = 2000
)

// An Index maps stems to the documents that have them. It never changes once built.
type Index struct {
	options  Options
	features []feature // those that are on
	lexicon  lexicon
	pool     sync.Pool // *memory

	words   dictionary // stem ↔ term
	docs    int        // the number of documents
	intents []Intent   // document → what it does
	idf     []float64  // term → inverse document frequency
	about   []uint8    // document → its direction, vectorDims signed bytes; see vectors.go
	signs   signs      // made from about when first needed

	// Postings of term t are docs[offsets[t]:offsets[t+1]], in order, with their impacts.
	offsets []uint32
	posted  []uint32
	impacts []uint8

	nearStem spelling.Index
	written  written // the words as documents have them, to tell typing errors by

	phrases phrases // what documents are called by

	names shared // the words of names alone
	leads shared // the words of the first sentences of descriptions

	// Pairs of neighbouring stems, order free: under the lower term, sorted by the higher term and document.
	pairOffsets []uint32
	pairs       []pair

	keys       []Keys // by kind
	namedPaths namedPaths
}

// empty is an index without documents.
func empty(o Options) *Index {
	ix := &Index{options: o, lexicon: newLexicon(), keys: make([]Keys, len(o.Kinds))}
	ix.features = slices.DeleteFunc(registry(), func(f feature) bool { return slices.Contains(o.Without, f.name) })
	ix.pool.New = func() any { return &memory{points: make([]int32, ix.docs), best: make([]int32, ix.docs)} }
	return ix
}

// Keys are the keys of a kind.
func (ix *Index) Keys(kind int) *Keys { return &ix.keys[kind] }

// knows reports whether a visible document has a term; a term of hidden documents only must look like an unknown one.
func (ix *Index) knows(t int32, visible Bits) bool {
	if t < 0 {
		return false
	}
	docs, _ := ix.postings(t)
	return visible.Any(docs)
}

// eachText calls f with every text of a document.
func (ix *Index) eachText(doc int, f func(field int, text string)) {
	var d Document
	ix.options.Document(doc, &d)
	for _, t := range d.Texts {
		f(t.Field, t.Text)
	}
}

// A shared is one text of all documents, such as their names: term t occurs in that of docs[offsets[t]:offsets[t+1]],
// in order. Shares are 1/(idf mass of the text) of each document, in 1/65536.
type shared struct{ offsets, docs, shares []uint32 }

// of returns the documents whose text has term t.
func (s *shared) of(t int32) []uint32 { return s.docs[s.offsets[t]:s.offsets[t+1]] }

// A place is where in a document a stem occurs; a stem may have several.
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

// A pair records that two terms stand side by side in a document: the higher term << 32 | document << 2 | where.
type pair uint64

const (
	pairInName = 1 << iota
	pairInText
)

func (p pair) high() uint32      { return uint32(p >> 32) }
func (p pair) doc() uint32       { return uint32(p) >> 2 }
func (p pair) is(where int) bool { return int(p)&where != 0 }

// lengthNorm is what the counts of a document of this length are divided by.
func lengthNorm(length int32, average float64) float64 {
	return 1 - bm25B + bm25B*float64(length)/average
}

// impact is the saturated weight of a word in a document: 1 to impactRange. A word in the name is often in the
// description too, and the second occurrence says little: each takes placeCut off.
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

// postings are the documents that have term t, and its impacts there.
func (ix *Index) postings(t int32) ([]uint32, []uint8) {
	from, to := ix.offsets[t], ix.offsets[t+1]
	n := to - from
	return ix.posted[from:][:n], ix.impacts[from:][:n]
}

// common reports whether a word with these documents is too common to be worth scoring.
func (ix *Index) common(docs []uint32) bool { return len(docs) > max(commonDocs, ix.docs/commonShare) }

// pairDocs are the documents where terms a and b stand side by side.
func (ix *Index) pairDocs(a, b int32) []pair {
	low, high := uint32(min(a, b)), uint32(max(a, b))
	group := ix.pairs[ix.pairOffsets[low]:ix.pairOffsets[low+1]]
	from, _ := slices.BinarySearchFunc(group, high, func(p pair, h uint32) int { return cmp.Compare(p.high(), h) })
	to, _ := slices.BinarySearchFunc(group, high+1, func(p pair, h uint32) int { return cmp.Compare(p.high(), h) })
	return group[from:to]
}
