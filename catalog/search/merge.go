package search

// This file joins the parts of an index: the words of all segments are renumbered in sorted order, and every posting is
// put in its place.

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"sync"

	"almanac/catalog/search/spelling"
)

// A piece is a part in the index that is being joined.
type piece struct {
	*part
	words int      // its vocabulary, among those of all segments
	docs  []uint32 // the numbers that its documents have in the index
}

// number is the number in the index of a document of the part.
func (p *piece) number(doc uint32) uint32 { return p.docs[doc] }

// A joining is an index in the making.
type joining struct {
	words  []*words // the vocabularies of all segments
	pieces []piece
	order  []at // the documents, in the order of the index
}

// An at is a document: a piece, and its number there.
type at struct{ piece, doc uint32 }

// Join makes the index of all documents of the segments: the same that Build makes of them. numbers has for each
// segment the numbers of its documents in the index, which together are those from zero on, each once; nil where there
// is one segment that keeps its numbers.
func Join(segments []*Segment, numbers [][]uint32, o Options) *Index {
	ix := empty(o)
	j := &joining{}
	for i, s := range segments {
		var own []uint32
		if numbers != nil {
			own = numbers[i]
		} else {
			for doc := range s.docs {
				own = append(own, uint32(doc))
			}
		}
		first := len(j.words)
		for w := range s.words {
			j.words = append(j.words, &s.words[w])
		}
		for k := range s.parts {
			p := &s.parts[k]
			j.pieces = append(j.pieces, piece{p, first + int(p.words), own[p.from:][:len(p.ends)]})
		}
		ix.docs += s.docs
	}
	j.order = make([]at, ix.docs)
	for i := range j.pieces {
		for k, doc := range j.pieces[i].docs {
			j.order[doc] = at{uint32(i), uint32(k)}
		}
	}
	var wait sync.WaitGroup
	wait.Go(func() { ix.merge(j) })
	for kind := range ix.keys {
		wait.Go(func() { ix.keys[kind] = j.mergeKeys(kind, o.Kinds[kind]) })
	}
	wait.Wait()
	ix.namedPaths, ix.options.Progress = ix.newNamedPaths(), nil
	return ix
}

// renumbered numbers the words of all vocabularies in sorted order. numbers maps, for each vocabulary, its words to
// their new numbers.
func (j *joining) renumbered(of func(*words) *spelling.List) (words []string, numbers [][]uint32) {
	var all vocabulary
	most, letters := 0, 0
	for _, w := range j.words {
		most, letters = most+of(w).Len(), letters+len(of(w).Text)
	}
	all.room(most, letters)
	for _, w := range j.words {
		list := of(w)
		own := make([]uint32, list.Len())
		for i := range own {
			own[i] = all.number(list.At(i))
		}
		numbers = append(numbers, own)
	}
	type numbered struct {
		word   string
		number uint32
	}
	sorted := make([]numbered, all.words.Len())
	for i := range sorted {
		sorted[i] = numbered{all.words.At(i), uint32(i)}
	}
	slices.SortFunc(sorted, func(a, b numbered) int { return strings.Compare(a.word, b.word) })
	words = make([]string, len(sorted))
	place := make([]uint32, len(sorted))
	for i, n := range sorted {
		words[i], place[n.number] = n.word, uint32(i)
	}
	for _, own := range numbers {
		for i, n := range own {
			own[i] = place[n]
		}
	}
	return words, numbers
}

// mergeKeys joins the keys of one kind from all parts.
func (j *joining) mergeKeys(kind int, spelled bool) Keys {
	words, numbers := j.renumbered(func(w *words) *spelling.List { return &w.keys[kind] })
	p := Keys{Names: spelling.NewList(words), offsets: make([]uint32, len(words)+1)}
	if spelled {
		p.near = spelling.NewIndex(&p.Names)
	}
	for i := range j.pieces {
		number := numbers[j.pieces[i].words]
		for _, found := range j.pieces[i].keys[kind] {
			p.offsets[number[found.key]+1]++
		}
	}
	sum(p.offsets)
	p.docs = make([]uint32, p.offsets[len(words)])
	at := slices.Clone(p.offsets)
	for i := range j.pieces {
		piece := &j.pieces[i]
		number := numbers[piece.words]
		for _, found := range piece.keys[kind] {
			key := number[found.key]
			p.docs[at[key]] = piece.number(found.doc)
			at[key]++
		}
	}
	for i := range words {
		if docs := p.At(i); !slices.IsSorted(docs) {
			slices.Sort(docs) // of segments that have them in another order, or between those of others
		}
	}
	return p
}

// sum turns counts, which begin with a zero, into offsets.
func sum(counts []uint32) {
	for i := 1; i < len(counts); i++ {
		counts[i] += counts[i-1]
	}
}

// merge joins the postings of all parts.
func (ix *Index) merge(j *joining) {
	words, numbers := j.renumbered(func(w *words) *spelling.List { return &w.stems })
	n := len(words)
	docs := ix.docs
	ix.words, ix.intents, ix.about = newDictionary(words), make([]Intent, docs), make([]uint8, docs*vectorDims)
	ix.offsets, ix.names.offsets, ix.leads.offsets = make([]uint32, n+1), make([]uint32, n+1), make([]uint32, n+1)
	total, postings := int64(0), 0
	for i := range j.pieces {
		p := &j.pieces[i]
		number := numbers[p.words]
		for _, coded := range p.stems {
			t := number[coded>>placeBits]
			ix.offsets[t+1]++
			if place(coded)&inName != 0 {
				ix.names.offsets[t+1]++
			}
			if place(coded)&inLead != 0 {
				ix.leads.offsets[t+1]++
			}
		}
		postings += len(p.stems)
		for k, doc := range p.docs {
			total += int64(p.lengths[k])
			ix.intents[doc] = p.intents[k]
			copy(ix.about[int(doc)*vectorDims:][:vectorDims], p.about[k*vectorDims:])
		}
	}
	ix.idf = make([]float64, n)
	for t := range n {
		ix.idf[t] = inverseFrequency(docs, int(ix.offsets[t+1]))
	}
	sum(ix.offsets)
	average := float64(max(total, 1)) / float64(max(docs, 1))
	ix.posted, ix.impacts = make([]uint32, postings), make([]uint8, postings)
	var wait sync.WaitGroup
	wait.Go(func() { ix.mergePairs(numbers, j) })
	wait.Go(func() { ix.phrases = j.mergePhrases() })
	wait.Go(func() { ix.nearStem = spelling.NewIndex(&ix.words.List) })
	wait.Go(func() { ix.written = j.mergeWritten(numbers) })
	wait.Go(func() { ix.names.fill(ix.idf, j, numbers, inName) })
	wait.Go(func() { ix.leads.fill(ix.idf, j, numbers, inLead) })
	ix.place(j, numbers, average)
	wait.Wait()
}

// stemsOf are the stems of document i of a part, each with its places, and where they begin.
func (p *part) stemsOf(i uint32) (stems []uint32, from uint32) {
	if i > 0 {
		from = p.ends[i-1]
	}
	return p.stems[from:p.ends[i]], from
}

// place copies the postings of all documents to their places.
func (ix *Index) place(j *joining, numbers [][]uint32, average float64) {
	next := slices.Clone(ix.offsets)
	for doc, at := range j.order {
		p := &j.pieces[at.piece]
		number, norm := numbers[p.words], lengthNorm(p.lengths[at.doc], average)
		stems, from := p.stemsOf(at.doc)
		for i, coded := range stems {
			t := number[coded>>placeBits]
			ix.posted[next[t]] = uint32(doc)
			ix.impacts[next[t]] = impact(p.counts[int(from)+i], norm, place(coded&(1<<placeBits-1)))
			next[t]++
		}
	}
}

// fill copies the stems that occur in one place to their places. The offsets are still counts.
func (s *shared) fill(idf []float64, j *joining, numbers [][]uint32, where place) {
	sum(s.offsets)
	s.docs, s.shares = make([]uint32, s.offsets[len(s.offsets)-1]), make([]uint32, len(j.order))
	next := slices.Clone(s.offsets)
	for doc, at := range j.order {
		p := &j.pieces[at.piece]
		number := numbers[p.words]
		stems, _ := p.stemsOf(at.doc)
		mass := 0.0
		for _, coded := range stems {
			if place(coded)&where != 0 {
				t := number[coded>>placeBits]
				s.docs[next[t]] = uint32(doc)
				next[t]++
				mass += idf[t]
			}
		}
		if mass > 0 {
			s.shares[doc] = uint32(math.Round(65536 / math.Max(mass, 1e-3)))
		}
	}
}

// mergePairs sorts the pairs under each lower term, and joins the places of one document.
func (ix *Index) mergePairs(numbers [][]uint32, j *joining) {
	n := ix.words.Len()
	ix.pairOffsets = make([]uint32, n+1)
	for i := range j.pieces {
		number := numbers[j.pieces[i].words]
		for _, p := range j.pieces[i].pairs {
			ix.pairOffsets[min(number[p.a], number[p.b])+1]++
		}
	}
	sum(ix.pairOffsets)
	placed := make([]pair, ix.pairOffsets[n])
	next := slices.Clone(ix.pairOffsets)
	for i := range j.pieces {
		piece := &j.pieces[i]
		number := numbers[piece.words]
		for _, p := range piece.pairs {
			a, b := number[p.a], number[p.b]
			doc := piece.number(p.doc>>2)<<2 | p.doc&3
			placed[next[min(a, b)]] = pair(max(a, b))<<32 | pair(doc)
			next[min(a, b)]++
		}
	}
	size := 0
	for t := range n {
		group := placed[ix.pairOffsets[t]:ix.pairOffsets[t+1]]
		slices.Sort(group)
		start := size
		ix.pairOffsets[t] = uint32(start)
		for _, p := range group {
			if last := size - 1; last >= start && placed[last]>>2 == p>>2 {
				placed[last] |= p
				continue
			}
			placed[size] = p
			size++
		}
	}
	ix.pairOffsets[n] = uint32(size)
	ix.pairs = slices.Clone(placed[:size])
}

// mergeWritten joins the words of all parts as they were written.
func (j *joining) mergeWritten(numbers [][]uint32) written {
	type form struct {
		word string
		term uint32
	}
	var forms []form
	for v, w := range j.words {
		for i, term := range w.terms {
			forms = append(forms, form{w.written.At(i), numbers[v][term]})
		}
	}
	slices.SortFunc(forms, func(a, b form) int { return cmp.Compare(a.word, b.word) })
	forms = slices.Compact(forms)
	var all written
	words := make([]string, len(forms))
	for i, f := range forms {
		words[i] = f.word
		all.terms = append(all.terms, f.term)
	}
	all.words = spelling.NewList(words)
	all.near = spelling.NewIndex(&all.words)
	return all
}
