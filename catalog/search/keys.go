package search

import (
	"slices"
	"strings"

	"almanac/catalog/search/spelling"
)

// This file has the keys, which find documents without ranking.

// maxKey is the longest key that is searched for a key that begins it.
const maxKey = 256

// Keys are the names of one kind under which documents can be found, with the documents of each.
type Keys struct {
	Names   spelling.List  // in order
	near    spelling.Index // none for a kind that is not spelled
	offsets []uint32
	docs    []uint32
}

// Get is the documents that have a name, in order.
func (p *Keys) Get(name string) []uint32 {
	if i, ok := p.Names.Search(name); ok {
		return p.At(i)
	}
	return nil
}

// At is the documents that have name i, in order.
func (p *Keys) At(i int) []uint32 { return p.docs[p.offsets[i]:p.offsets[i+1]] }

// Lookup is the documents under any of the keys, unsorted and with duplicates.
func (p *Keys) Lookup(keys []string) []uint32 {
	if len(keys) == 1 {
		return p.Get(keys[0])
	}
	var all []uint32
	for _, key := range keys {
		all = append(all, p.Get(key)...)
	}
	return all
}

// Nearest is the name of a visible document closest to key (see spelling.Nearest), or "". join separates the words of
// such names.
func (p *Keys) Nearest(key, join string, visible Bits) string {
	best, least := -1, spelling.MostEdits(key)+1
	p.near.Near(key, least-1, func(i int) int {
		d := spelling.Distance(key, p.Names.At(i), least+1)
		if (d < least || d == least && best >= 0 && i < best) && visible.Any(p.At(i)) {
			best, least = i, d
		}
		return min(least, spelling.MostEdits(key))
	})
	if best >= 0 {
		return p.Names.At(best)
	}
	if len(key) < 3 {
		return ""
	}
	for n := 3; n < min(len(key), maxKey); n++ {
		if i, ok := p.Names.Search(key[:n]); ok && visible.Any(p.At(i)) {
			return key[:n]
		}
	}
	at, _ := p.Names.Search(key)
	for i := at; i < p.Names.Len() && strings.HasPrefix(p.Names.At(i), key); i++ {
		if visible.Any(p.At(i)) {
			return p.Names.At(i)
		}
	}
	return p.endingIn(join+key, visible)
}

// endingIn is the first visible name that ends in end, or "".
func (p *Keys) endingIn(end string, visible Bits) string {
	for at := 0; ; at++ {
		n := strings.Index(p.Names.Text[at:], end)
		if n < 0 {
			return ""
		}
		at += n
		// Is there a name that ends here?
		i, ok := slices.BinarySearch(p.Names.Offsets, uint32(at+len(end)))
		if ok && i > 0 && strings.HasSuffix(p.Names.At(i-1), end) && visible.Any(p.At(i-1)) {
			return p.Names.At(i - 1)
		}
	}
}
