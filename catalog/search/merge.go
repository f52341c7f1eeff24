package search

// This file joins the parts of an index: the words of all workers are renumbered in sorted order, and every posting is
// put in its place.

import (
	"cmp"
	"math"
	"slices"
	"sync"

	"almanac/catalog/search/spelling"
)

// mergeWords numbers the words of all vocabularies in sorted order. numbers maps, for each vocabulary, its words to
// their new numbers.
func mergeWords(vocabularies []*vocabulary) (words []string, numbers [][]uint32) {
	for _, v := range vocabularies {
		words = append(words, v.words...)
	}
	slices.Sort(words)
	words = slices.Compact(words)
	place := make(map[string]uint32, len(words))
	for i, word := range words {
		place[word] = uint32(i)
	}
	for _, v := range vocabularies {
		own := make([]uint32, len(v.words))
		for i, word := range v.words {
			own[i] = place[word]
		}
		numbers = append(numbers, own)
	}
	return words, numbers
}

// renumbering maps each worker's words to their new numbers.
func renumbering(workers []*worker, of func(*worker) *vocabulary) (words []string, numbers map[*worker][]uint32) {
	vocabularies := make([]*vocabulary, len(workers))
	for i, w := range workers {
		vocabularies[i] = of(w)
	}
	words, lists := mergeWords(vocabularies)
	numbers = make(map[*worker][]uint32, len(workers))
	for i, w := range workers {
		numbers[w] = lists[i]
	}
	return words, numbers
}

// mergeKeys joins the keys of one kind from all parts.
func mergeKeys(k int, spelled bool, workers []*worker, parts []part) Keys {
	words, numbers := renumbering(workers, func(w *worker) *vocabulary { return &w.keys[k] })
	p := Keys{Names: spelling.NewList(words), offsets: make([]uint32, len(words)+1)}
	if spelled {
		p.near = spelling.NewIndex(&p.Names)
	}
	total := 0
	for i := range parts {
		number := numbers[parts[i].worker]
		for j, found := range parts[i].keys[k] {
			key := number[found.key]
			parts[i].keys[k][j].key = key
			p.offsets[key+1]++
		}
		total += len(parts[i].keys[k])
	}
	sum(p.offsets)
	p.docs = make([]uint32, total)
	at := slices.Clone(p.offsets)
	for i := range parts {
		for _, found := range parts[i].keys[k] {
			p.docs[at[found.key]] = found.doc
			at[found.key]++
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
func (ix *Index) merge(workers []*worker, parts []part) {
	words, numbers := renumbering(workers, func(w *worker) *vocabulary { return &w.stems })
	n := len(words)
	docs := ix.docs
	ix.words, ix.intents, ix.about = newDictionary(words), make([]Intent, 0, docs), make([]uint8, 0, docs*vectorDims)
	ix.offsets, ix.names.offsets, ix.leads.offsets = make([]uint32, n+1), make([]uint32, n+1), make([]uint32, n+1)
	total, postings := int64(0), 0
	for i := range parts {
		p := &parts[i]
		number := numbers[p.worker]
		for j, coded := range p.stems {
			t := number[coded>>placeBits]
			at := place(coded & (1<<placeBits - 1))
			p.stems[j] = t<<placeBits | uint32(at)
			ix.offsets[t+1]++
			if at&inName != 0 {
				ix.names.offsets[t+1]++
			}
			if at&inLead != 0 {
				ix.leads.offsets[t+1]++
			}
		}
		postings += len(p.stems)
		for _, l := range p.lengths {
			total += int64(l)
		}
		ix.intents = append(ix.intents, p.intents...)
		ix.about = append(ix.about, p.about...)
	}
	ix.idf = make([]float64, n)
	for t := range n {
		ix.idf[t] = inverseFrequency(docs, int(ix.offsets[t+1]))
	}
	sum(ix.offsets)
	average := float64(max(total, 1)) / float64(max(docs, 1))
	ix.posted, ix.impacts = make([]uint32, postings), make([]uint8, postings)
	var wait sync.WaitGroup
	wait.Go(func() { ix.mergePairs(numbers, parts) })
	wait.Go(func() { ix.phrases = mergePhrases(parts) })
	wait.Go(func() { ix.nearStem = spelling.NewIndex(&ix.words.List) })
	wait.Go(func() { ix.written = mergeWritten(workers, numbers) })
	wait.Go(func() { ix.names.fill(ix.idf, docs, parts, inName) })
	wait.Go(func() { ix.leads.fill(ix.idf, docs, parts, inLead) })
	at := slices.Clone(ix.offsets)
	for i := range parts {
		ix.place(&parts[i], at, average)
	}
	wait.Wait()
}

// place copies the postings of a part to their places; at has the next free place of each term.
func (ix *Index) place(p *part, at []uint32, average float64) {
	j := 0
	for i, end := range p.ends {
		doc := uint32(p.from + i)
		norm := lengthNorm(p.lengths[i], average)
		for ; j < int(end); j++ {
			t := p.stems[j] >> placeBits
			ix.posted[at[t]] = doc
			ix.impacts[at[t]] = impact(p.counts[j], norm, place(p.stems[j]&(1<<placeBits-1)))
			at[t]++
		}
	}
}

// fill copies the stems that occur in one place to their places. The offsets are still counts.
func (s *shared) fill(idf []float64, docs int, parts []part, where place) {
	sum(s.offsets)
	s.docs, s.shares = make([]uint32, s.offsets[len(s.offsets)-1]), make([]uint32, docs)
	at := slices.Clone(s.offsets)
	for i := range parts {
		p, j := &parts[i], 0
		for k, end := range p.ends {
			doc := uint32(p.from + k)
			mass := 0.0
			for ; j < int(end); j++ {
				if place(p.stems[j])&where != 0 {
					t := p.stems[j] >> placeBits
					s.docs[at[t]] = doc
					at[t]++
					mass += idf[t]
				}
			}
			if mass > 0 {
				s.shares[doc] = uint32(math.Round(65536 / math.Max(mass, 1e-3)))
			}
		}
	}
}

// mergePairs sorts the pairs under each lower term, and joins the places of one document.
func (ix *Index) mergePairs(numbers map[*worker][]uint32, parts []part) {
	n := ix.words.Len()
	ix.pairOffsets = make([]uint32, n+1)
	total := 0
	for i := range parts {
		number := numbers[parts[i].worker]
		for j := range parts[i].pairs {
			p := &parts[i].pairs[j]
			a, b := number[p.a], number[p.b]
			p.a, p.b = min(a, b), max(a, b)
			ix.pairOffsets[p.a+1]++
		}
		total += len(parts[i].pairs)
	}
	sum(ix.pairOffsets)
	placed := make([]pair, total)
	at := slices.Clone(ix.pairOffsets)
	for i := range parts {
		for _, p := range parts[i].pairs {
			placed[at[p.a]] = pair(p.b)<<32 | pair(p.doc)
			at[p.a]++
		}
	}
	size := 0
	for t := range n {
		group := placed[ix.pairOffsets[t]:ix.pairOffsets[t+1]]
		slices.SortFunc(group, cmp.Compare[pair])
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

// mergeWritten joins the words of all workers as they were written.
func mergeWritten(workers []*worker, numbers map[*worker][]uint32) written {
	type form struct {
		word string
		term uint32
	}
	var forms []form
	for _, w := range workers {
		for word, t := range w.raw {
			if t >= 0 && spellable(word) {
				forms = append(forms, form{word, numbers[w][t]})
			}
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
