package search

// This file scans documents for an index, on all processors. They are split into parts; a worker takes the next
// unprocessed part and numbers words as it meets them. Join renumbers the words of all workers in sorted order and puts
// every posting in its place, so that the result does not depend on which worker did what.

import (
	"math"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"almanac/catalog/search/spelling"
)

// partSize is how many documents a part of Scan has.
const partSize = 1024

// A worker indexes parts of the documents, one after the other.
type worker struct {
	index  *Index
	number uint32
	stems  vocabulary
	keys   []keyNumbers // by kind
	raw    vocabulary   // words as written
	stemOf []int32      // in step with raw: the stem, -1 for a stop word
	// known are the stems of texts whose words' places do not matter: names and texts of arguments repeat.
	known map[string][]int32
	terms []int32 // room for those of texts
	rows  []int32 // stem → its vector, -1 when it has none

	// Of the document at hand:
	weight    []int32 // stem → weighted count
	places    []place // stem → where it stands
	seen      []uint32
	document  Document
	documents uint32    // how many there have been, with it
	heads     [][]int32 // the stems of each text that may name it: of names, titles and first sentences
	phrase    phrase    // reused
	meanings  [][]int32 // the vectors of each field's words

	compass compass
	split   spelling.Splitter

	work part // reused from part to part
}

// keyNumbers are the numbers of keys, each with the last document that had it.
type keyNumbers struct {
	vocabulary
	last []uint32
}

// fresh is the number of a key, and whether the document has not had it yet. Documents count from one.
func (k *keyNumbers) fresh(name string, document uint32) (n uint32, fresh bool) {
	n = k.number(name)
	if int(n) == len(k.last) {
		k.last = append(k.last, 0)
	}
	fresh = k.last[n] != document
	k.last[n] = document
	return n, fresh
}

// A part is what one worker found in a range of documents, which it numbers from zero. Word numbers are those of a
// vocabulary of its segment.
type part struct {
	words, from uint32 // the vocabulary, and the number of the first document in the segment
	// Of document i: stems up to ends[i], each with its number << placeBits | its places.
	stems   []uint32
	counts  []uint16
	ends    []uint32
	lengths []int32
	intents []Intent
	about   []uint8
	pairs   []docPair
	named   []naming
	keys    [][]posting // by kind
}

// A docPair is a pair of neighbouring stems, order free, and where it occurs: the document << 2 | where.
type docPair struct {
	a, b, doc uint32
}

// A posting says that a document has a key.
type posting struct {
	key, doc uint32
}

// Build indexes the documents numbered 0 to docs-1.
func Build(docs int, o Options) *Index { return Join([]*Segment{Scan(docs, o)}, nil, o) }

// Scan makes a segment of the documents numbered 0 to docs-1.
func Scan(docs int, o Options) *Segment {
	parts := (docs + partSize - 1) / partSize
	s := NewScanner(o)
	var next, done atomic.Int64
	var wait sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), parts) {
		wait.Go(func() {
			for i := int(next.Add(1)) - 1; i < parts; i = int(next.Add(1)) - 1 {
				first := i * partSize
				s.Scan(i, min(partSize, docs-first), func(doc int, d *Document) { o.Document(first+doc, d) })
				if o.Progress != nil {
					o.Progress(int(done.Add(1)), parts+mergedParts(parts))
				}
			}
		})
	}
	wait.Wait()
	return s.Segment()
}

// A Scanner makes a segment of documents that come a part at a time, the parts in any order. Safe for concurrent use.
type Scanner struct {
	index *Index
	mu    sync.Mutex
	all   []*worker
	idle  []*worker
	parts []part
}

// NewScanner needs Fields and Kinds of the options.
func NewScanner(o Options) *Scanner { return &Scanner{index: empty(o)} }

// Scan scans the documents of part i, numbered 0 to docs-1 there, of which document fills in each; see
// Options.Document. The parts are numbered from zero on, and each is scanned once.
func (s *Scanner) Scan(i, docs int, document func(doc int, d *Document)) {
	w := s.worker()
	found := w.part(docs, document)
	s.mu.Lock()
	defer s.mu.Unlock()
	if i >= len(s.parts) {
		s.parts = append(s.parts, make([]part, i+1-len(s.parts))...)
	}
	s.parts[i] = found
	s.idle = append(s.idle, w)
}

// worker is one that does nothing now.
func (s *Scanner) worker() *worker {
	s.mu.Lock()
	defer s.mu.Unlock()
	if last := len(s.idle) - 1; last >= 0 {
		w := s.idle[last]
		s.idle = s.idle[:last]
		return w
	}
	kinds := len(s.index.options.Kinds)
	w := &worker{
		index: s.index, number: uint32(len(s.all)),
		known: map[string][]int32{}, keys: make([]keyNumbers, kinds),
		meanings: make([][]int32, len(s.index.options.Fields)), work: part{keys: make([][]posting, kinds)},
		compass: compass{table: &s.index.lexicon.vectors},
	}
	s.all = append(s.all, w)
	return w
}

// Segment is the segment of all parts, in their order. Nothing can be scanned afterwards.
func (s *Scanner) Segment() *Segment {
	all := &Segment{parts: s.parts, words: make([]words, len(s.all))}
	for i := range all.parts {
		all.parts[i].from = uint32(all.docs)
		all.docs += len(all.parts[i].ends)
	}
	var wait sync.WaitGroup
	for i, w := range s.all {
		wait.Go(func() { all.words[i] = w.words() })
	}
	wait.Wait()
	s.all, s.idle, s.parts = nil, nil, nil
	return all
}

// mergedParts is how many parts joining n parts takes as long as.
func mergedParts(n int) int { return n / 3 }

// part scans documents numbered 0 to docs-1.
func (w *worker) part(docs int, document func(doc int, d *Document)) part {
	p := &w.work
	for k := range p.keys {
		p.keys[k] = p.keys[k][:0]
	}
	*p = part{
		words: w.number, stems: p.stems[:0], counts: p.counts[:0], ends: p.ends[:0],
		lengths: p.lengths[:0], intents: p.intents[:0], about: p.about[:0], pairs: p.pairs[:0], named: p.named[:0],
		keys: p.keys,
	}
	for doc := range docs {
		d := &w.document
		*d = Document{Texts: d.Texts[:0], Keys: d.Keys[:0], Scratch: d.Scratch}
		document(doc, d)
		w.documents++
		w.addWords(p, uint32(doc))
		p.intents = append(p.intents, w.intent())
		w.addPhrases(p, uint32(doc))
		for _, key := range d.Keys {
			if key.Name == "" {
				continue
			}
			if n, fresh := w.keys[key.Kind].fresh(key.Name, w.documents); fresh {
				p.keys[key.Kind] = append(p.keys[key.Kind], posting{n, uint32(doc)})
			}
		}
	}
	done := *p
	done.stems, done.counts, done.ends = slices.Clone(p.stems), slices.Clone(p.counts), slices.Clone(p.ends)
	done.lengths, done.intents, done.pairs = slices.Clone(p.lengths), slices.Clone(p.intents), slices.Clone(p.pairs)
	done.named, done.about, done.keys = slices.Clone(p.named), slices.Clone(p.about), make([][]posting, len(p.keys))
	for k := range p.keys {
		done.keys[k] = slices.Clone(p.keys[k])
	}
	return done
}

// term is the number of a word's stem, or -1 for a stop word.
func (w *worker) term(word []byte) int32 {
	n := w.raw.number(StringOf(word))
	if int(n) == len(w.stemOf) {
		w.stemOf = append(w.stemOf, w.stemTerm(w.raw.at(n)))
	}
	return w.stemOf[n]
}

func (w *worker) stemTerm(written string) int32 {
	st := stem(written)
	if st == "" {
		return -1
	}
	t := int32(w.stems.number(st))
	if int(t) == len(w.weight) {
		w.weight, w.places = append(w.weight, 0), append(w.places, 0)
		w.rows = append(w.rows, w.index.lexicon.vectors.row(st))
	}
	return t
}

// mostKnown is how many texts a worker remembers the stems of.
const mostKnown = 1 << 12

// read is the stems of a text, without stop words. The slice is cut from a larger one.
func (w *worker) read(text string) []int32 {
	const chunk = 1 << 12
	start := len(w.terms)
	w.split.EachWord(text, func(word []byte, _ bool) {
		if t := w.term(word); t >= 0 {
			if len(w.terms) == cap(w.terms) {
				w.terms = append(make([]int32, 0, max(chunk, 2*(len(w.terms)-start))), w.terms[start:]...)
				start = 0
			}
			w.terms = append(w.terms, t)
		}
	})
	return w.terms[start:len(w.terms):len(w.terms)]
}

// termsOf is read for a text that may come again.
func (w *worker) termsOf(text string) []int32 {
	terms, ok := w.known[text]
	if ok {
		return terms
	}
	terms = w.read(text)
	if len(w.known) >= mostKnown {
		clear(w.known)
	}
	w.known[text] = terms
	return terms
}

// knownTerms is termsOf for a text of a document.
func (w *worker) knownTerms(t Text) []int32 {
	switch {
	case t.Known == nil:
		return w.termsOf(t.Text)
	case !t.Known.read:
		*t.Known = Known{w.read(t.Text), true}
	}
	return t.Known.terms
}

// addWords counts the words of one document.
func (w *worker) addWords(p *part, doc uint32) {
	fields := w.index.options.Fields
	length := int32(0)
	for len(w.heads) < len(w.document.Texts) {
		w.heads = append(w.heads, nil)
	}
	for i, t := range w.document.Texts {
		f, text, head := t.Field, t.Text, w.heads[i][:0]
		last, weight := int32(-1), int32(fields[f].Weight)
		where, at := uint32(0), place(0)
		count := func(t int32) {
			if w.weight[t] == 0 {
				w.seen = append(w.seen, uint32(t))
			}
			w.weight[t] += weight
			length += weight
			w.places[t] |= at
			if where != 0 && last >= 0 && last != t {
				p.pairs = append(p.pairs, docPair{uint32(last), uint32(t), doc<<2 | where})
			}
			last = t
			if row := w.rows[t]; row >= 0 {
				w.meanings[f] = append(w.meanings[f], row)
			}
		}
		take := func(word []byte, _ bool) {
			if t := w.term(word); t >= 0 {
				count(t)
				head = append(head, t)
			}
		}
		switch fields[f].Role {
		case Other:
			for _, t := range w.knownTerms(t) {
				count(t)
			}
			continue
		case Name:
			where, at = pairInName, inName
			if n := len(w.document.Path); n > 0 && i == 0 { // files.list has "files" beside "list"
				if above := w.termsOf(w.document.Path[n-1]); len(above) > 0 {
					last = above[len(above)-1]
				}
			}
		case Title:
			where = pairInName
		case Body:
			where, at = pairInText, inText|inLead
			lead := leadOf(text)
			w.split.EachWord(lead, take)
			w.heads[i] = head
			text, at = text[len(lead):], inText
		}
		w.split.EachWord(text, take)
		if fields[f].Role != Body {
			w.heads[i] = head
		}
	}
	direction := w.compass.direction(fields, w.meanings)
	p.about = append(p.about, direction[:]...)
	for f := range w.meanings {
		w.meanings[f] = w.meanings[f][:0]
	}
	for _, t := range w.seen {
		p.stems = append(p.stems, t<<placeBits|uint32(w.places[t]))
		p.counts = append(p.counts, uint16(min(w.weight[t], math.MaxUint16)))
		w.weight[t], w.places[t] = 0, 0
	}
	w.seen = w.seen[:0]
	p.ends = append(p.ends, uint32(len(p.stems)))
	p.lengths = append(p.lengths, length)
}
