package catalog

// This file reads queries: which terms of the catalog the words of one stand for, and what each is worth.

import (
	"almanac/catalog/search/spelling"
	"math"
	"slices"
	"strings"
	"unicode/utf8"
)

// A queryWord is one distinct stem of a query.
type queryWord struct {
	*wordForm
	weight     float64
	points     int32       // the integer weight of its own term
	alternates []alternate // those of its form that are worth their postings
}

// beginsIt is why a term stands for a word that it begins.
const beginsIt = "begins it"

// An alternate is a term that stands for a query word at a discount.
type alternate struct {
	term     int32
	discount float64
	power    float64 // its idf to the power, with the idf capped at the word's
	points   int32   // its integer weight in the query
	why      string
}

// A parsedQuery is what ranking needs of a query.
type parsedQuery struct {
	words []queryWord
	pairs [][2]int32
	mass  float64
	// named are the numbers of the namespaces that the query names.
	named []uint32
	// phrase are the stems that say what is asked for.
	phrase phrase
	// gains are what each intent adds to a score, in 1/128.
	gains [intentCount]int32
	// direction is what the query is about; directed is false where that is not known or not asked for.
	direction [vectorDims]int32
	directed  bool
}

// rawWord is a word of the query as it stands there.
type rawWord struct {
	text   string
	quoted bool
}

// A wordForm is what a catalog has for a stem, whatever the query.
type wordForm struct {
	stem       string
	term       int32   // -1 when the catalog has it not
	power      float64 // idf to the power, 0 without a term
	alternates []alternate
	expanded   bool // alternates are known
	// typed is the word of the query and meant the one that it was taken for, where this is not its own form.
	typed, meant string
}

// A reader reads a query and its parts. It keeps what it finds out about a word.
type reader struct {
	cat   *Catalog
	view  *View // of what is known
	query string
	plain map[string]bool // the words of the query that may be misspelt; nil until one is asked for
	typos int             // how many words were looked at for it
	// forms are those of words, and of two words joined.
	forms map[[2]string]*wordForm
}

func (v *View) reader(query string) *reader {
	return &reader{cat: v.cat, view: v, query: query, forms: map[[2]string]*wordForm{}}
}

// form is that of a word, or of two joined. Its stem is "" for one that is too common.
func (r *reader) form(a, b string) *wordForm {
	f, ok := r.forms[[2]string{a, b}]
	if !ok {
		f = &wordForm{stem: stem(a + b), term: -1}
		if f.stem != "" {
			f.term = r.cat.index.words.term(f.stem)
		}
		if f.term >= 0 {
			f.power = math.Pow(r.cat.index.idf[f.term], idfPower)
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

// alternatesOf are the alternates of a form.
func (r *reader) alternatesOf(f *wordForm) []alternate {
	if !f.expanded {
		f.alternates, f.expanded = r.cat.alternates(f), true
	}
	return f.alternates
}

// parse reads a query.
func (v *View) parse(query string) parsedQuery { return v.reader(query).parse(query) }

func (r *reader) parse(query string) parsedQuery {
	c := r.cat
	raw := queryWords(query)
	q := parsedQuery{words: make([]queryWord, 0, len(raw))}
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
	stems := make([]string, len(raw))
	for i, word := range raw {
		f := r.form(word.text, "")
		stems[i] = f.stem
		if i+1 < len(raw) {
			if joined := r.form(word.text, raw[i+1].text); r.view.knows(joined.term) {
				add(joined, joinedWeight)
			}
		}
		if f.stem == "" {
			continue
		}
		weight := c.wordWeight(word)
		if f.typed != "" {
			weight *= typoWeight
		}
		add(f, weight)
		if !c.off(Calls) && !c.lexicon.request[word.text] && !c.lexicon.leads[word.text] {
			q.phrase = q.phrase.with(f.stem)
		}
		if f.term >= 0 && last >= 0 && f.term != last && !c.off(Pairs) {
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
	if query == r.query && !c.off(Namespaces) {
		q.named = c.named(query, raw, stems)
	}
	if !c.off(Intents) {
		q.gains = gainsFor(c.lexicon.queryIntents(query))
		if q.gains == [intentCount]int32{} && !c.lexicon.changes(raw) {
			q.gains[deleteIntent] = -bareLoss
		}
	}
	q.mass = max(q.mass, c.bound(&q)/maxScore, 1e-3)
	for i := range q.words {
		c.weigh(&q, &q.words[i])
	}
	return q
}

// wordWeight is what a word of a query counts, by itself.
func (c *Catalog) wordWeight(word rawWord) float64 {
	switch {
	case c.lexicon.request[word.text]:
		return requestWeight
	case word.quoted:
		return quotedWeight
	case word.text[0] >= '0' && word.text[0] <= '9':
		return numberWeight
	}
	return 1
}

// weigh sets the integer weights of a word and picks its alternates.
func (c *Catalog) weigh(q *parsedQuery, w *queryWord) {
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

// bound is the most that the words and pairs of a query can come to before the mass divides them. It keeps the sums
// of queries whose words the catalog hardly has within an int32.
func (c *Catalog) bound(q *parsedQuery) float64 {
	sum := 0.0
	for i := range q.words {
		w := &q.words[i]
		most := 0.0
		if w.term >= 0 {
			most = c.index.idf[w.term]
		} else {
			for _, a := range w.wordForm.alternates {
				most = max(most, c.index.idf[a.term])
			}
		}
		sum += w.weight * math.Pow(most, idfPower)
	}
	return sum + float64(len(q.pairs))*(namePair+textPair)*inverseFrequency(c.index.docs, 1)
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
					words = append(words, rawWord{string(word), quoted})
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

// alternates are the other terms that stand for a word, each with its best discount, without those that are too common.
func (c *Catalog) alternates(w *wordForm) []alternate {
	var found []alternate
	ix := c.index
	add := func(term int32, discount float64, why string) {
		at := slices.IndexFunc(found, func(a alternate) bool { return a.term == term })
		switch {
		case at < 0:
			found = append(found, alternate{term: term, discount: discount, why: why})
		case discount > found[at].discount:
			found[at].discount, found[at].why = discount, why
		}
	}
	if len(w.stem) >= 4 && !c.off(Prefixes) {
		c.eachPrefixRelative(w, func(term int32, why string) { add(term, prefixDiscount, why) })
	}
	if !c.off(Relations) {
		for _, st := range derived(w.stem) {
			if term := ix.words.term(st); term >= 0 {
				add(term, rootDiscount, "of the same root")
			}
		}
	}
	if !c.off(Verbs) {
		for _, verb := range c.lexicon.verbs[w.stem] {
			if term := ix.words.term(verb); term >= 0 && verb != w.stem {
				add(term, verbDiscount, "similar verb")
			}
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

// eachPrefixRelative calls f with the words of at least four letters that begin a word, and those that it begins.
func (c *Catalog) eachPrefixRelative(w *wordForm, f func(term int32, why string)) {
	ix := c.index
	count := 0
	for n := 4; n < len(w.stem); n++ {
		if term := ix.words.term(w.stem[:n]); term >= 0 {
			count++
			f(term, beginsIt)
		}
	}
	from, _ := ix.words.Search(w.stem)
	for t := from; t < ix.words.Len(); t++ {
		if !strings.HasPrefix(ix.words.At(t), w.stem) || count >= maxRelatives {
			return
		}
		if int32(t) != w.term {
			count++
			f(int32(t), "begins with it")
		}
	}
}
