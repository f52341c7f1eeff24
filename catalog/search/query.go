package search

// This file parses queries: which terms of the index the words match, and what each is worth.

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"almanac/catalog/search/spelling"
)

const (
	// idfPower is how much more rare words count.
	idfPower      = 1.2
	requestWeight = 0.3
	numberWeight  = 0.5
	quotedWeight  = 0.3
	joinedWeight  = 0.5

	// leastPoints is what an alternate must be able to add, as a share of scale: it is not worth reading the postings of
	// words that most documents have.
	leastPoints = scale / 150

	maxQueryWords = 256
)

// A queryWord is one distinct stem of a query.
type queryWord struct {
	*wordForm
	weight     float64
	points     int32       // the integer weight of its own term
	alternates []alternate // those of its form that are worth their postings
}

// An alternate is another term that matches a query word, at a discount.
type alternate struct {
	term     int32
	discount float64
	power    float64 // its idf to the power, with the idf capped at the word's
	points   int32   // its integer weight in the query
	why      string
}

// A query is a parsed query, or a part of one.
type query struct {
	reader *reader
	text   string
	raw    []rawWord
	stems  []string // of raw, in step; "" for a word that is too common
	words  []queryWord
	pairs  [][2]int32 // neighbouring terms, none where the feature Pairs is off
	mass   float64
	// matched are the terms that count as matched in names, see covered; nil until needed.
	matched []alternate
	// named are the paths that the query names, see Index.named; nil until needed.
	named *[]namedPath
	// direction is what meaning returns; nil until needed.
	direction *[vectorDims]int32
}

// rawWord is a word of the query as written, or a part of what it writes as one word, its whole; see apart.go.
type rawWord struct {
	text   string
	quoted bool
	whole  string
}

// written is the word as the query has it.
func (w rawWord) written() string { return cmp.Or(w.whole, w.text) }

// A wordForm is what an index knows about a stem, independent of the query.
type wordForm struct {
	stem       string
	term       int32   // -1 when no document has it
	power      float64 // idf to the power, 0 without a term
	alternates []alternate
	expanded   bool // alternates are known
	// typed is the word of the query and meant its correction; empty if the word was taken as written.
	typed, meant string
}

// A reader parses a query and its parts. It caches what it finds out about a word.
type reader struct {
	index   *Index
	request Request
	plain   map[string]bool // the words of the query that may be misspelt; nil until needed
	typos   int             // how many words were looked at for it
	// forms are the forms of words, and of two words joined.
	forms map[[2]string]*wordForm
	parts map[string][]string // the parts of words that were taken apart; none for one that was not
}

func (r *reader) knows(term int32) bool { return r.index.knows(term, r.request.Visible) }

// form is the form of a word, or of two joined. Its stem is "" for a stop word.
func (r *reader) form(a, b string) *wordForm {
	f, ok := r.forms[[2]string{a, b}]
	if !ok {
		f = &wordForm{stem: stem(a + b), term: -1}
		if f.stem != "" {
			f.term = r.index.words.term(f.stem)
		}
		if f.term >= 0 {
			f.power = math.Pow(r.index.idf[f.term], idfPower)
		}
		if b == "" {
			if meant := r.mended(a, f); meant != nil {
				f = meant
			}
		}
		r.forms[[2]string{a, b}] = f
	}
	return f
}

// alternatesOf returns the alternates of a form, computed once.
func (r *reader) alternatesOf(f *wordForm) []alternate {
	if !f.expanded {
		f.alternates, f.expanded = r.index.alternates(f), true
	}
	return f.alternates
}

// parse reads a query or a part of one.
func (r *reader) parse(text string) query {
	ix := r.index
	raw := r.takeApart(queryWords(text))
	q := query{reader: r, text: text, raw: raw, words: make([]queryWord, 0, len(raw)), stems: make([]string, len(raw))}
	pairs := ix.on(Pairs)
	place := make(map[string]int, len(raw))
	counts := make([]float64, 0, len(raw))
	add := func(f *wordForm, weight float64) {
		i, ok := place[f.stem]
		if !ok {
			i = len(q.words)
			place[f.stem] = i
			q.words, counts = append(q.words, queryWord{wordForm: f}), append(counts, 0)
		}
		q.words[i].weight = max(q.words[i].weight, weight)
		counts[i]++
	}
	last := int32(-1)
	for i, word := range raw {
		f := r.form(word.text, "")
		q.stems[i] = f.stem
		if i+1 < len(raw) {
			if joined := r.form(word.text, raw[i+1].text); r.knows(joined.term) {
				add(joined, joinedWeight)
			}
		}
		if f.stem == "" {
			continue
		}
		weight := ix.lexicon.wordWeight(word)
		if f.typed != "" {
			weight *= typoWeight
		}
		add(f, weight)
		if f.term >= 0 && last >= 0 && f.term != last && pairs {
			pair := [2]int32{min(last, f.term), max(last, f.term)}
			if !slices.Contains(q.pairs, pair) {
				q.pairs = append(q.pairs, pair)
			}
		}
		last = f.term
	}
	for i := range q.words {
		w := &q.words[i]
		w.weight *= 1.5 * counts[i] / (0.5 + counts[i])
		q.mass += w.weight * w.power
		r.alternatesOf(w.wordForm)
	}
	q.mass = max(q.mass, ix.bound(&q)/maxScore, 1e-3)
	for i := range q.words {
		q.weigh(&q.words[i])
	}
	return q
}

// wordWeight is what a word of a query counts, regardless of the index.
func (l *lexicon) wordWeight(word rawWord) float64 {
	switch {
	case l.request[word.text]:
		return requestWeight
	case word.quoted:
		return quotedWeight
	case word.text[0] >= '0' && word.text[0] <= '9':
		return numberWeight
	}
	return 1
}

// weigh sets the integer weights of a word and picks its alternates.
func (q *query) weigh(w *queryWord) {
	points := func(discount, power float64) int32 {
		return int32(math.Round(scale * discount * w.weight * power / q.mass))
	}
	w.points = points(1, w.power)
	for _, a := range w.wordForm.alternates {
		a.points = points(a.discount, a.power)
		if a.points >= leastPoints {
			w.alternates = append(w.alternates, a)
		}
	}
}

// bound is an upper bound of the points for words and pairs, before they are divided by the mass. It keeps the sums
// within an int32 for queries with few known words.
func (ix *Index) bound(q *query) float64 {
	sum := 0.0
	for i := range q.words {
		w := &q.words[i]
		most := 0.0
		if w.term >= 0 {
			most = ix.idf[w.term]
		} else {
			for _, a := range w.wordForm.alternates {
				most = max(most, ix.idf[a.term])
			}
		}
		sum += w.weight * math.Pow(most, idfPower)
	}
	return sum + float64(len(q.pairs))*(namePair+textPair)*inverseFrequency(ix.docs, 1)
}

// queryWords cuts a query into words and marks those in quotes.
func queryWords(query string) []rawWord {
	var words []rawWord
	query = spelling.Plain(query)
	for query != "" && len(words) < maxQueryWords {
		open := strings.IndexAny(query, "\"\u201c")
		end := -1
		if open >= 0 {
			_, size := utf8.DecodeRuneInString(query[open:])
			if n := strings.IndexAny(query[open+size:], "\"\u201d"); n >= 0 {
				end = open + size + n
			}
		}
		plain := query
		if end >= 0 {
			plain = query[:open]
		}
		add := func(text string, quoted bool) {
			spelling.EachWord(text, func(word []byte, _ bool) {
				if len(words) < maxQueryWords {
					words = append(words, rawWord{text: string(word), quoted: quoted})
				}
			})
		}
		add(plain, false)
		if end < 0 {
			break
		}
		add(query[open:end], true)
		_, size := utf8.DecodeRuneInString(query[end:])
		query = query[end+size:]
	}
	return words
}

// alternates are the other terms that match a word, each with its best discount, without those that are too common.
func (ix *Index) alternates(w *wordForm) []alternate {
	var found []alternate
	add := func(term int32, discount float64, why string) {
		at := slices.IndexFunc(found, func(a alternate) bool { return a.term == term })
		switch {
		case at < 0:
			found = append(found, alternate{term: term, discount: discount, why: why})
		case discount > found[at].discount:
			found[at].discount, found[at].why = discount, why
		}
	}
	for _, f := range ix.features {
		if f.expand != nil {
			f.expand(ix, w, add)
		}
	}
	found = slices.DeleteFunc(found, func(a alternate) bool {
		docs, _ := ix.postings(a.term)
		return ix.common(docs)
	})
	for i := range found {
		idf := ix.idf[found[i].term]
		if w.term >= 0 {
			idf = min(idf, ix.idf[w.term])
		}
		found[i].power = math.Pow(idf, idfPower)
	}
	return found
}
