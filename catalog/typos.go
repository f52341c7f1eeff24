package catalog

// This file reads typing errors. A word of a query that no visible entry says, and that is no English word known here, is
// searched as the word nearest to it that entries do say.

import (
	"almanac/catalog/search/spelling"
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	// typoWeight is what the word counts that was taken for a misspelt one.
	typoWeight = 0.9
	// maxTypo is the longest word that is looked at, and maxTypos how many words of a query are.
	maxTypo  = 24
	maxTypos = 5
)

// written are the words of entries as they are written there, in order, with their terms.
type written struct {
	words spelling.List
	terms []uint32
	near  spelling.Index
}

// spellable reports whether a word of an entry may be what a misspelt word was meant to be.
func spellable(word string) bool {
	return len(word) >= shortTypo && len(word) <= maxTypo && !strings.ContainsFunc(word, notLetter)
}

func notLetter(r rune) bool { return r < 'a' || r > 'z' }

// mended is the form of the word that a misspelt word was meant to be, or nil where it is not taken for misspelt: it is
// known, or short for something known, or names something, or nothing is near.
func (r *reader) mended(word string, f *wordForm) *wordForm {
	if r.typos >= maxTypos || !spellable(word) || f.stem == "" || r.view.knows(f.term) {
		return nil
	}
	l := &r.cat.lexicon
	if l.request[word] || (l.vectors.row(f.stem) >= 0 || len(derived(f.stem)) > 0) && isEnglish(word, f.stem) || !r.mayBeTypo(word) {
		return nil
	}
	for _, a := range r.alternatesOf(f) {
		if a.why != beginsIt && r.view.knows(a.term) {
			return nil
		}
	}
	r.typos++
	i := r.view.nearestWritten(word)
	if i < 0 {
		return nil
	}
	form := *r.form(r.cat.index.written.words.At(i), "")
	form.typed, form.meant = word, r.cat.index.written.words.At(i)
	return &form
}

// nearestWritten is the place of the written word that a misspelt one is the likeliest slip for, or -1: of equally likely
// ones that which most entries have.
func (v *View) nearestWritten(word string) int {
	ix := v.cat.index
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
			if v.visible.any(docs) {
				best, least, bestDocs = i, cost, len(docs)
				limit = min(limit, editsOf(cost))
			}
		}
		return limit
	})
	return best
}

// mayBeTypo reports whether a word of the query is not known to be right as it stands.
func (r *reader) mayBeTypo(word string) bool {
	if r.plain == nil {
		r.plain = plainWords(r.query)
	}
	return r.plain[word]
}

// plainWords are the words of a query that are neither names nor parts of ids, addresses or code: words of letters that
// begin small, or begin a sentence, or stand in a query that has no small words. Words in quotes are names.
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

// typoNotes say which words were taken for misspelt ones.
func (v *View) typoNotes(q *parsedQuery) []string {
	var notes []string
	for i := range q.words {
		if w := &q.words[i]; w.typed != "" {
			notes = append(notes, fmt.Sprintf("no action says %q: searched %q", w.typed, v.writtenAs(w.term, w.meant)))
		}
	}
	return notes
}

// writtenAs is how a visible entry writes a term: the word given, in the view of everything.
func (v *View) writtenAs(term int32, word string) string {
	if v.count < v.cat.Len() {
		return v.firstWritten(term)
	}
	return word
}

// firstWritten is a term as the first visible entry that has it writes it.
func (v *View) firstWritten(t int32) (word string) {
	st := v.cat.index.words.At(int(t))
	docs, _ := v.cat.index.postings(t)
	at := slices.IndexFunc(docs, func(doc uint32) bool { return v.visible.has(int(doc)) })
	if at < 0 {
		return ""
	}
	e := v.cat.entry(int(docs[at]))
	eachField(e, shapeOf(e), func(_ field, text string) {
		spelling.EachWord(text, func(w []byte, _ bool) {
			if word == "" && stem(string(w)) == st {
				word = string(w)
			}
		})
	})
	return word
}

// nearTerms are up to n visible terms that are near to a stem, nearest first, then in order.
func (v *View) nearTerms(st string, n int) []int32 {
	type candidate struct {
		term  int32
		edits int
	}
	ix := v.cat.index
	limit := spelling.MostEdits(st) + 1
	var near []candidate
	ix.nearStem.Near(st, limit-1, func(t int) int {
		if d := spelling.Distance(st, ix.words.At(t), limit); d < limit && v.knows(int32(t)) {
			near = append(near, candidate{int32(t), d})
		}
		return limit - 1
	})
	slices.SortFunc(near, func(a, b candidate) int { return cmp.Or(a.edits-b.edits, int(a.term-b.term)) })
	var terms []int32
	for _, c := range near[:min(len(near), n)] {
		terms = append(terms, c.term)
	}
	return terms
}
