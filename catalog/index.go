package catalog

// This file builds the inverted index that Search reads.
//
// A word's weight in an entry is fixed when the index is built: BM25F over the fields, folded into one byte. With
// W the field weights, tf a word's count in a field and L the weighted length of all fields,
//
//	x      = sum of W tf / (1 - b + b L / average L)
//	impact = 255 x / (k1 + x)
//
// Search then adds integers, so that the same catalog and query give the same order on every machine. Entries are
// numbered in the order of their ids, so that ties go by id.

import (
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
	bm25K1      = 1.2
	bm25B       = 0.6
	impactRange = 255
)

// An index maps stems to the entries that have them. It never changes once built.
type index struct {
	docs    int
	intents []intent         // document → what it does
	stems   map[string]int32 // stem → term
	sorted  []int32          // terms in the order of their stems
	words   []string         // term → stem
	idf     []float64        // term → inverse document frequency

	// Postings of term t are docs[offsets[t]:offsets[t+1]], in order, with their impacts.
	offsets []uint32
	posted  []uint32
	impacts []uint8

	// The same for the words of names alone. nameShare is 1/(idf mass of the name), in 1/65536.
	nameOffsets []uint32
	named       []uint32
	nameShare   []uint32

	// Pairs of neighbouring stems, order free: under the lower term, sorted by the higher term and document.
	pairOffsets []uint32
	pairs       []pair
}

// A pair says that two terms stand side by side in an entry.
type pair struct {
	high uint32
	doc  uint32 // document << 2 | where
}

const (
	pairInName = 1 << iota
	pairInText
)

// A builder collects the postings of one entry after the other.
type builder struct {
	lexicon *lexicon
	stems   map[string]int32
	raw     map[string]int32 // word as written → term, -1 for a stop word
	words   []string
	weight  []int32 // term → weighted count in the current entry
	place   []uint8 // term → 1 when in the current entry's name
	seen    []int32 // terms of the current entry

	terms   []int32
	docs    []uint32
	counts  []uint16
	isName  []bool
	lengths []int32
	intents []intent
	pairs   []docPair
}

type docPair struct {
	low uint32
	pair
}

func newBuilder(n int, l *lexicon) *builder {
	return &builder{
		lexicon: l,
		stems:   make(map[string]int32, 1024), raw: make(map[string]int32, 2048),
		lengths: make([]int32, 0, n),
	}
}

// term is the number of a word's stem, or -1 for a stop word.
func (b *builder) term(word []byte) int32 {
	if t, ok := b.raw[string(word)]; ok {
		return t
	}
	w := string(word)
	t := int32(-1)
	if st := stem(w); st != "" {
		var ok bool
		if t, ok = b.stems[st]; !ok {
			t = int32(len(b.words))
			b.stems[st] = t
			b.words = append(b.words, st)
			b.weight = append(b.weight, 0)
			b.place = append(b.place, 0)
		}
	}
	b.raw[w] = t
	return t
}

// add indexes one entry; they come in the order of their numbers.
func (b *builder) add(e *Entry, sh *shape) {
	doc := uint32(len(b.lengths))
	weights := fieldWeights()
	length := int32(0)
	eachField(e, sh, func(f field, text string) {
		last := int32(-1)
		eachWord(text, func(word []byte, _ bool) {
			t := b.term(word)
			if t < 0 {
				return
			}
			if b.weight[t] == 0 {
				b.seen = append(b.seen, t)
			}
			b.weight[t] += int32(weights[f])
			length += int32(weights[f])
			where := uint32(0)
			switch f {
			case nameField, titleField:
				where = pairInName
				if f == nameField {
					b.place[t] = 1
				}
			case descriptionField:
				where = pairInText
			}
			if where != 0 && last >= 0 && last != t {
				b.pairs = append(b.pairs, docPair{uint32(min(last, t)), pair{uint32(max(last, t)), doc<<2 | where}})
			}
			last = t
		})
	})
	for _, t := range b.seen {
		b.terms = append(b.terms, t)
		b.docs = append(b.docs, doc)
		b.counts = append(b.counts, uint16(min(b.weight[t], math.MaxUint16)))
		b.isName = append(b.isName, b.place[t] == 1)
		b.weight[t], b.place[t] = 0, 0
	}
	b.seen = b.seen[:0]
	b.lengths = append(b.lengths, length)
	b.intents = append(b.intents, b.lexicon.entryIntent(e))
}

// finish turns what was collected into an index.
func (b *builder) finish() *index {
	ix := &index{docs: len(b.lengths), stems: b.stems, words: b.words, intents: b.intents}
	n := len(b.words)
	ix.offsets = make([]uint32, n+1)
	ix.nameOffsets = make([]uint32, n+1)
	names := 0
	for i, t := range b.terms {
		ix.offsets[t+1]++
		if b.isName[i] {
			ix.nameOffsets[t+1]++
			names++
		}
	}
	ix.idf = make([]float64, n)
	for t := range n {
		ix.idf[t] = inverseFrequency(ix.docs, int(ix.offsets[t+1]))
		ix.offsets[t+1] += ix.offsets[t]
		ix.nameOffsets[t+1] += ix.nameOffsets[t]
	}
	total := int64(0)
	for _, l := range b.lengths {
		total += int64(l)
	}
	average := float64(max(total, 1)) / float64(max(len(b.lengths), 1))
	ix.posted = make([]uint32, len(b.terms))
	ix.impacts = make([]uint8, len(b.terms))
	ix.named = make([]uint32, names)
	at, nameAt := slices.Clone(ix.offsets), slices.Clone(ix.nameOffsets)
	mass := make([]float64, ix.docs)
	for i, t := range b.terms {
		doc := b.docs[i]
		ix.posted[at[t]] = doc
		ix.impacts[at[t]] = impact(b.counts[i], b.lengths[doc], average)
		at[t]++
		if b.isName[i] {
			ix.named[nameAt[t]] = doc
			nameAt[t]++
			mass[doc] += ix.idf[t]
		}
	}
	ix.nameShare = make([]uint32, ix.docs)
	for doc, m := range mass {
		if m > 0 {
			ix.nameShare[doc] = uint32(math.Round(65536 / math.Max(m, 1e-3)))
		}
	}
	ix.sorted = make([]int32, n)
	for t := range ix.sorted {
		ix.sorted[t] = int32(t)
	}
	slices.SortFunc(ix.sorted, func(x, y int32) int { return cmp.Compare(ix.words[x], ix.words[y]) })
	ix.finishPairs(b.pairs)
	return ix
}

// impact is the saturated weight of a word in an entry: 1 to impactRange.
func impact(count uint16, length int32, average float64) uint8 {
	x := float64(count) / 10 / (1 - bm25B + bm25B*float64(length)/average)
	return uint8(max(1, min(impactRange, math.Round(impactRange*x/(bm25K1+x)))))
}

func inverseFrequency(docs, df int) float64 {
	return math.Log(1 + (float64(docs)-float64(df)+0.5)/(float64(df)+0.5))
}

func (ix *index) finishPairs(all []docPair) {
	n := len(ix.words)
	ix.pairOffsets = make([]uint32, n+1)
	for _, p := range all {
		ix.pairOffsets[p.low+1]++
	}
	for t := range n {
		ix.pairOffsets[t+1] += ix.pairOffsets[t]
	}
	placed := make([]pair, len(all))
	at := slices.Clone(ix.pairOffsets)
	for _, p := range all {
		placed[at[p.low]] = p.pair
		at[p.low]++
	}
	// Sort under each lower term, and join the places of one entry.
	ix.pairs = placed[:0]
	for t := range n {
		group := placed[ix.pairOffsets[t]:ix.pairOffsets[t+1]]
		slices.SortFunc(group, func(x, y pair) int {
			if x.high != y.high {
				return cmp.Compare(x.high, y.high)
			}
			return cmp.Compare(x.doc, y.doc)
		})
		start := len(ix.pairs)
		ix.pairOffsets[t] = uint32(start)
		for _, p := range group {
			if last := len(ix.pairs) - 1; last >= start && ix.pairs[last].high == p.high && ix.pairs[last].doc>>2 == p.doc>>2 {
				ix.pairs[last].doc |= p.doc & 3
				continue
			}
			ix.pairs = append(ix.pairs, p)
		}
	}
	ix.pairOffsets[n] = uint32(len(ix.pairs))
	ix.pairs = slices.Clip(slices.Clone(ix.pairs))
}

// postings are the entries that have term t, and its impacts there.
func (ix *index) postings(t int32) ([]uint32, []uint8) {
	from, to := ix.offsets[t], ix.offsets[t+1]
	return ix.posted[from:to], ix.impacts[from:to]
}

// nameDocs are the entries that have term t in their name.
func (ix *index) nameDocs(t int32) []uint32 { return ix.named[ix.nameOffsets[t]:ix.nameOffsets[t+1]] }

// pairDocs are the entries where terms a and b stand side by side.
func (ix *index) pairDocs(a, b int32) []pair {
	low, high := uint32(min(a, b)), uint32(max(a, b))
	group := ix.pairs[ix.pairOffsets[low]:ix.pairOffsets[low+1]]
	from, _ := slices.BinarySearchFunc(group, high, func(p pair, h uint32) int { return cmp.Compare(p.high, h) })
	to, _ := slices.BinarySearchFunc(group, high+1, func(p pair, h uint32) int { return cmp.Compare(p.high, h) })
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
