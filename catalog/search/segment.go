package search

// This file has the segments that an index is joined of, and writes and reads them like an index.

import (
	"cmp"
	"fmt"
	"slices"

	"almanac/catalog/search/spelling"
)

// A Segment is what Scan found in some documents: as much of an index as does not depend on other documents. It never
// changes, and any number of indexes can be joined of it.
type Segment struct {
	docs  int
	words []words
	parts []part
}

// Words are the words of some parts, by their numbers there.
type words struct {
	stems spelling.List
	keys  []spelling.List // by kind
	// written are the words as documents have them, with the numbers of their stems.
	written spelling.List
	terms   []uint32
}

// words are those that a worker has met.
func (w *worker) words() words {
	all := words{stems: w.stems.list(), keys: make([]spelling.List, len(w.keys))}
	for kind := range w.keys {
		all.keys[kind] = w.keys[kind].list()
	}
	var numbers []int
	for i, t := range w.stemOf {
		if t >= 0 && spellable(w.raw.at(uint32(i))) {
			numbers = append(numbers, i)
		}
	}
	slices.SortFunc(numbers, func(a, b int) int { return cmp.Compare(w.raw.words.At(a), w.raw.words.At(b)) })
	written := make([]string, len(numbers))
	all.terms = make([]uint32, len(numbers))
	for i, n := range numbers {
		written[i], all.terms[i] = w.raw.words.At(n), uint32(w.stemOf[n])
	}
	all.written = spelling.NewList(written)
	return all
}

// shape are the numbers that say which sections a segment has: its documents, its vocabularies, and of each part the
// vocabulary and the first document.
func (s *Segment) shape() []uint32 {
	shape := []uint32{uint32(s.docs), uint32(len(s.words))}
	for i := range s.parts {
		shape = append(shape, s.parts[i].words, s.parts[i].from)
	}
	return shape
}

const shapeSection = "segment"

// Sections are all arrays of the segment.
func (s *Segment) Sections() []Section {
	shape := s.shape()
	all := []Section{Array(shapeSection, &shape)}
	for i := range s.words {
		w, name := &s.words[i], fmt.Sprintf("words%d", i)
		all = append(all, NamesSections(name, &w.stems, nil)...)
		all = append(all, NamesSections(name+".written", &w.written, nil)...)
		all = append(all, Array(name+".terms", &w.terms))
		for kind := range w.keys {
			all = append(all, NamesSections(fmt.Sprintf("%s.key%d", name, kind), &w.keys[kind], nil)...)
		}
	}
	for i := range s.parts {
		p, name := &s.parts[i], fmt.Sprintf("part%d.", i)
		all = append(all, Array(name+"stems", &p.stems), Array(name+"counts", &p.counts), Array(name+"ends", &p.ends),
			Array(name+"lengths", &p.lengths), Array(name+"intents", &p.intents), Array(name+"about", &p.about),
			records(name+"pairs", &p.pairs), records(name+"named", &p.named))
		for kind := range p.keys {
			all = append(all, records(fmt.Sprintf("%skey%d", name, kind), &p.keys[kind]))
		}
	}
	return all
}

// OpenSegment reads a segment of docs documents from an image. The options must be those that it was scanned with.
func OpenSegment(image *Image, docs int, o Options) (*Segment, error) {
	var shape []uint32
	if err := image.Load(Array(shapeSection, &shape)); err != nil {
		return nil, err
	}
	if len(shape) < 2 || len(shape)%2 != 0 || int(shape[0]) != docs || int(shape[1]) > len(image.sections) {
		return nil, ErrImage
	}
	s := &Segment{docs: docs, words: make([]words, shape[1]), parts: make([]part, len(shape)/2-1)}
	for i := range s.words {
		s.words[i].keys = make([]spelling.List, len(o.Kinds))
	}
	for i := range s.parts {
		s.parts[i] = part{words: shape[2+2*i], from: shape[3+2*i], keys: make([][]posting, len(o.Kinds))}
	}
	if err := image.Load(s.Sections()[1:]...); err != nil {
		return nil, err
	}
	if !s.sound() {
		return nil, ErrImage
	}
	return s, nil
}

// sound reports whether all numbers are within bounds, so that Join can trust them: the checksum of an image says only
// that it is as it was written.
func (s *Segment) sound() bool {
	for i := range s.words {
		w := &s.words[i]
		ok := w.stems.Sound() && w.written.Sound() && len(w.terms) == w.written.Len() && below(w.terms, w.stems.Len())
		for kind := range w.keys {
			ok = ok && w.keys[kind].Sound()
		}
		if !ok {
			return false
		}
	}
	next := 0
	for i := range s.parts {
		p := &s.parts[i]
		n := len(p.ends)
		if int(p.words) >= len(s.words) || int(p.from) != next || n > s.docs-next ||
			len(p.lengths) != n || len(p.intents) != n || len(p.about) != n*vectorDims || !p.sound(&s.words[p.words]) {
			return false
		}
		next += n
	}
	return next == s.docs
}

func (p *part) sound(w *words) bool {
	last, words, docs := uint32(0), uint32(w.stems.Len()), uint32(len(p.ends))
	for _, end := range p.ends {
		if end < last {
			return false
		}
		last = end
	}
	if int(last) != len(p.stems) || int(last) != len(p.counts) {
		return false
	}
	for _, coded := range p.stems {
		if coded>>placeBits >= words {
			return false
		}
	}
	for _, pair := range p.pairs {
		if pair.a >= words || pair.b >= words || pair.doc>>2 >= docs {
			return false
		}
	}
	for _, n := range p.named {
		if n.code>>1 >= docs {
			return false
		}
	}
	for _, intent := range p.intents {
		if intent >= intentCount {
			return false
		}
	}
	for kind, list := range p.keys {
		names := uint32(w.keys[kind].Len())
		for _, found := range list {
			if found.key >= names || found.doc >= docs {
				return false
			}
		}
	}
	return true
}

func below(numbers []uint32, limit int) bool {
	return !slices.ContainsFunc(numbers, func(n uint32) bool { return int(n) >= limit })
}
