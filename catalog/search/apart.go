package search

// This file takes apart what a query writes as one word: "listinvoices" is "list invoices" if no visible document has
// the former and one has the latter, or is under a path or product of that name.

import (
	"slices"
	"strings"

	"almanac/catalog/search/spelling"
)

const (
	// leastPart and mostPart bound the letters of a part; with mostPart the work grows with the length of a word.
	leastPart, mostPart = 2, 16
	// maxApart is the most words of a query that are looked at.
	maxApart = 5
)

// takeApart puts the parts of words that no visible document has in their places.
func (r *reader) takeApart(raw []rawWord) []rawWord {
	for i := 0; i < len(raw); i++ {
		word := raw[i]
		if word.quoted || word.whole != "" {
			continue
		}
		if parts := r.partsOf(word.text); len(parts) > 0 && len(raw)+len(parts) <= maxQueryWords {
			var all []rawWord
			for _, part := range parts {
				all = append(all, rawWord{text: part, whole: word.text})
			}
			raw = slices.Replace(raw, i, i+1, all...)
		}
	}
	return raw
}

// partsOf is what takeApart puts in the place of a word, none where it stays. It caches what it finds.
func (r *reader) partsOf(word string) []string {
	if len(word) < 2*leastPart || strings.ContainsFunc(word, notLetter) {
		return nil
	}
	if parts, ok := r.parts[word]; ok {
		return parts
	}
	st := stem(word)
	if len(r.parts) >= maxApart || st == "" || r.knows(r.index.words.term(st)) {
		return nil
	}
	if r.parts == nil {
		r.parts = map[string][]string{}
	}
	if r.parts[word] = r.joined(word); r.parts[word] == nil {
		r.parts[word] = r.index.apart(word, r.request.Visible)
	}
	return r.parts[word]
}

// apart is the fewest words that a word is made of, each beside the next in a visible document, stop words aside. Nil
// where there are none.
func (ix *Index) apart(word string, visible Bits) []string {
	// A way leads to a place in the word: from where, over how many parts, and with which term last.
	type way struct {
		from, parts int
		term        int32
	}
	ways := make([]way, len(word)+1)
	for i := range word {
		if i > 0 && ways[i].parts == 0 {
			continue
		}
		for j := i + leastPart; j <= min(len(word), i+mostPart); j++ {
			if ways[j].parts > 0 && ways[j].parts <= ways[i].parts+1 {
				continue
			}
			last := ways[i].term
			if st := stem(word[i:j]); st != "" {
				term := ix.words.term(st)
				if term < 0 || i > 0 && !ix.sideBySide(last, term, visible) {
					continue
				}
				last = term
			} else if i == 0 || j == len(word) {
				continue
			}
			ways[j] = way{i, ways[i].parts + 1, last}
		}
	}
	if ways[len(word)].parts < 2 {
		return nil
	}
	var parts []string
	for at := len(word); at > 0; at = ways[at].from {
		parts = append(parts, word[ways[at].from:at])
	}
	slices.Reverse(parts)
	return parts
}

// sideBySide reports whether two terms are neighbours in the name or description of a visible document.
func (ix *Index) sideBySide(a, b int32, visible Bits) bool {
	return slices.ContainsFunc(ix.pairDocs(a, b), func(p pair) bool { return visible.Has(int(p.doc())) })
}

// joined is the words of a visible path or product that a query writes as one: "googledrive".
func (r *reader) joined(word string) []string {
	ix := r.index
	for _, n := range ix.namedPaths.of(joinedSum([]string{word})) {
		name, docs := ix.nameOf(n), ix.documentsOf(n)
		if !r.request.Visible.Any(docs) {
			continue
		}
		words := strings.Split(name, "_")
		if !isProduct(n) {
			words = wordsOf(ix.options.Path(int(docs[0]))[strings.Count(name, ".")])
		}
		for n := range words {
			if strings.Join(words[:n+1], "") == word {
				return words[:n+1]
			}
		}
	}
	return nil
}

// isNameWithoutJoints reports whether a word is in the name of a visible path or product without its joints
// ("open_weather").
func (r *reader) isNameWithoutJoints(word string) bool {
	joints := strings.NewReplacer("_", "", "-", "")
	return r.anyName(func(name string) bool {
		return strings.ContainsAny(name, "_-") && strings.Contains(joints.Replace(name), word)
	})
}

// isInName reports whether a word is one of those of a visible path or product.
func (r *reader) isInName(word string) bool {
	return r.anyName(func(name string) bool {
		return slices.Contains(strings.FieldsFunc(name, func(r rune) bool { return strings.ContainsRune("._-", r) }), word)
	})
}

// anyName reports whether a name of a visible path or product is as wanted.
func (r *reader) anyName(is func(name string) bool) bool {
	for _, kind := range []int{r.index.options.PathKind, r.index.options.ProductKind} {
		names := &r.index.keys[kind]
		for i := range names.Names.Len() {
			if is(names.Names.At(i)) && r.request.Visible.Any(names.At(i)) {
				return true
			}
		}
	}
	return false
}

// knowsParts reports whether a name in several words ("OptionsPro") has no unknown one.
func (r *reader) knowsParts(name string) bool {
	words := wordsOf(name)
	return len(words) > 1 && !slices.ContainsFunc(words, func(word string) bool {
		st := stem(word)
		return st != "" && !r.knows(r.index.words.term(st))
	})
}

func wordsOf(text string) (words []string) {
	spelling.EachWord(text, func(word []byte, _ bool) { words = append(words, string(word)) })
	return words
}
