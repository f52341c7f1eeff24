package search

// This file corrects typing errors. A word of a query that no visible document has, and that is not a known English
// word, is searched as the nearest word that documents have.

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"almanac/catalog/search/spelling"
)

const (
	// typoWeight is what a corrected word counts.
	typoWeight = 0.9
	// maxTypo is the longest word that is corrected, and maxTypos the most words of a query that are checked.
	maxTypo  = 24
	maxTypos = 5
)

// written are the words of documents as written, sorted, with their terms.
type written struct {
	words spelling.List
	terms []uint32
	near  spelling.Index
}

// spellable reports whether a word of a document may be a correction.
func spellable(word string) bool {
	return len(word) >= shortTypo && len(word) <= maxTypo && !strings.ContainsFunc(word, notLetter)
}

func notLetter(r rune) bool { return r < 'a' || r > 'z' }

// mended is the form of a misspelt word's correction, or nil if it does not count as misspelt: it is known, an
// abbreviation of something known, a name, or has no near word.
func (r *reader) mended(word string, f *wordForm) *wordForm {
	if r.typos >= maxTypos || !spellable(word) || f.stem == "" || r.knows(f.term) {
		return nil
	}
	l := &r.index.lexicon
	known := (l.vectors.row(f.stem) >= 0 || len(derived(f.stem)) > 0) && isEnglish(word, f.stem)
	if known || l.request[word] || !r.mayBeTypo(word) {
		return nil
	}
	for _, a := range r.alternatesOf(f) {
		if a.why != beginsIt && r.knows(a.term) {
			return nil
		}
	}
	r.typos++
	i := r.index.nearestWritten(word, r.request.Visible)
	if i < 0 {
		return nil
	}
	form := *r.form(r.index.written.words.At(i), "")
	form.typed, form.meant = word, r.index.written.words.At(i)
	return &form
}

// nearestWritten is the place of the likeliest correction of a misspelt word, or -1; among equally likely ones, the
// word in most documents.
func (ix *Index) nearestWritten(word string, visible Bits) int {
	limit := 1
	if len(word) >= longTypo {
		limit = 2
	}
	best, least, bestDocs := -1, noSlip, 0
	ix.written.near.Near(word, limit, func(i int) int {
		cost := slipCost(word, ix.written.words.At(i))
		if cost >= noSlip || cost > least {
			return limit
		}
		docs, _ := ix.postings(int32(ix.written.terms[i]))
		if cost < least || len(docs) > bestDocs || len(docs) == bestDocs && i < best {
			if visible.Any(docs) {
				best, least, bestDocs = i, cost, len(docs)
				limit = min(limit, editsOf(cost))
			}
		}
		return limit
	})
	return best
}

// mayBeTypo reports whether a word of the query may be misspelt.
func (r *reader) mayBeTypo(word string) bool {
	if r.plain == nil {
		r.plain = plainWords(r.request.Text)
	}
	return r.plain[word]
}

// plainWords are the words of a query that are neither names nor parts of ids, addresses or code: words of letters that
// begin in lower case, begin a sentence, or stand in a query without lower-case words. Quoted words are names.
func plainWords(query string) map[string]bool {
	fields := strings.Fields(query[:min(len(query), spelling.MaxText)])
	small := false
	for _, field := range fields {
		if r, _ := utf8.DecodeRuneInString(field); unicode.IsLower(r) && len(field) >= shortTypo {
			small = true
		}
	}
	plain := map[string]bool{}
	begins, quoted := true, false
	for _, field := range fields {
		word := strings.TrimSuffix(strings.TrimRight(strings.TrimLeft(field, `('`), `.,;:!?)'`), "'s")
		lower := strings.ToLower(word)
		quotes := strings.Count(field, `"`) + strings.Count(field, "\u201c") + strings.Count(field, "\u201d")
		before := quoted
		quoted = quoted != (quotes%2 == 1)
		if before || quotes > 0 {
			continue
		}
		if word == lower || !small || begins && word[1:] == lower[1:] {
			for part := range strings.SplitSeq(lower, "-") {
				plain[part] = true
			}
		}
		begins = strings.IndexByte(".?!", field[len(field)-1]) >= 0
	}
	return plain
}

// A Correction is a word of a query that no visible document has, misspelt or several in one, and what was searched in
// its place.
type Correction struct{ Typed, Meant string }

// Corrections are the words of the query that were searched as others.
func (k *Ranking) Corrections() []Correction {
	var all []Correction
	for _, word := range k.query.raw {
		if c := (Correction{word.whole, strings.Join(k.query.reader.parts[word.whole], " ")}); c.Typed != "" &&
			!slices.Contains(all, c) {
			all = append(all, c)
		}
	}
	for i := range k.query.words {
		w := &k.query.words[i]
		if w.typed == "" {
			continue
		}
		meant := w.meant
		if visible := k.query.reader.request.Visible; visible.Count() < k.index.docs {
			meant = k.index.firstWritten(w.term, visible)
		}
		all = append(all, Correction{w.typed, meant})
	}
	return all
}

// firstWritten is a term as written in the first visible document that has it.
func (ix *Index) firstWritten(t int32, visible Bits) (word string) {
	st := ix.words.At(int(t))
	docs, _ := ix.postings(t)
	at := slices.IndexFunc(docs, func(doc uint32) bool { return visible.Has(int(doc)) })
	if at < 0 {
		return ""
	}
	ix.eachText(int(docs[at]), func(_ int, text string) {
		spelling.EachWord(text, func(w []byte, _ bool) {
			if word == "" && stem(string(w)) == st {
				word = string(w)
			}
		})
	})
	return word
}

// A NearWord is a word as the first visible document writes it, and all its documents, including hidden ones.
type NearWord struct {
	Word string
	Docs []uint32
}

const (
	// mostNear is how many near words are listed for one, and mostNearAll for a whole query.
	mostNear    = 3
	mostNearAll = 9
)

// NearWords are words of visible documents close to those of the query that none of them has.
func (ix *Index) NearWords(query string, visible Bits) []NearWord {
	var near []int32
	for _, word := range queryWords(query) {
		st := stem(word.text)
		if len(st) >= 3 && len(near) < mostNearAll && !ix.knows(ix.words.term(st), visible) {
			near = append(near, ix.nearTerms(st, visible)...)
		}
	}
	slices.Sort(near)
	near = slices.Compact(near)
	words := make([]NearWord, 0, len(near))
	for _, t := range near {
		docs, _ := ix.postings(t)
		words = append(words, NearWord{ix.firstWritten(t, visible), docs})
	}
	return words
}

// nearTerms are up to mostNear visible terms that are near to a stem, nearest first, then in order.
func (ix *Index) nearTerms(st string, visible Bits) []int32 {
	type candidate struct {
		term  int32
		edits int
	}
	limit := spelling.MostEdits(st) + 1
	var near []candidate
	ix.nearStem.Near(st, limit-1, func(t int) int {
		if d := spelling.Distance(st, ix.words.At(t), limit); d < limit && ix.knows(int32(t), visible) {
			near = append(near, candidate{int32(t), d})
		}
		return limit - 1
	})
	slices.SortFunc(near, func(a, b candidate) int { return cmp.Or(a.edits-b.edits, int(a.term-b.term)) })
	var terms []int32
	for _, c := range near[:min(len(near), mostNear)] {
		terms = append(terms, c.term)
	}
	return terms
}
