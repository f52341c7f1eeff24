package search

// The feature Prefixes: a word also matches its prefixes, and longer words that begin with it.

import "strings"

const (
	prefixDiscount = 0.3
	// leastPrefix is the least number of letters of such words, and maxRelatives how many of them count.
	leastPrefix  = 4
	maxRelatives = 48
)

// beginsIt is the reason for a term that is a prefix of the word.
const beginsIt = "begins it"

func expandPrefixes(ix *Index, w *wordForm, add func(term int32, discount float64, why string)) {
	if len(w.stem) < leastPrefix {
		return
	}
	count := 0
	for n := leastPrefix; n < len(w.stem); n++ {
		if term := ix.words.term(w.stem[:n]); term >= 0 {
			count++
			add(term, prefixDiscount, beginsIt)
		}
	}
	from, _ := ix.words.Search(w.stem)
	for t := from; t < ix.words.Len(); t++ {
		if !strings.HasPrefix(ix.words.At(t), w.stem) || count >= maxRelatives {
			return
		}
		if int32(t) != w.term {
			count++
			add(int32(t), prefixDiscount, "begins with it")
		}
	}
}
