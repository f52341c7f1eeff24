package catalog

// This file ranks. A query becomes a list of words, each with a weight w and, beside its own term, alternates at a
// discount. With N the sum of w idf^1.2 over the words that the catalog has,
//
//	score = sum over words of best over term and alternates of (discount w idf^1.2 / N) x saturation
//	      + 0.2 idf/N for a pair of neighbouring words in the name, 0.3 idf/N in the description
//	      + 0.15 x (idf mass of the name's words that were matched / idf mass of the name)
//	      + 0.1 x the same of the description's first sentence
//	      + 0.2 for the entry that answers a part of the query best, and less for others; see clauses.go
//
// and 15 % more for an entry that does the kind of thing the query asks for, 5 % less for one that does another; see
// intent.go.
//
// Weights are rounded to integers before anything is added, so the order of adding does not matter.

import (
	"math"
	"slices"
	"strings"
	"unicode/utf8"
)

const (
	// scale is the sum of all word weights; a full impact of every word scores scale x impactRange.
	scale = 1 << 15
	// unit is a score of 1: an impact of impactRange stands for 2.2, where BM25 with k1 1.2 ends.
	unit = scale * impactRange * 10 / 22

	idfPower       = 1.2
	requestWeight  = 0.3
	numberWeight   = 0.5
	quotedWeight   = 0.3
	joinedWeight   = 0.5
	prefixDiscount = 0.3
	verbDiscount   = 0.2
	rootDiscount   = 0.4
	namePair       = 0.2
	textPair       = 0.3
	nameCoverage   = 0.15
	leadCoverage   = 0.1
	// intentGain is what the right intent adds, and intentLoss what another takes off, in 1/128 of the score.
	intentGain = 19
	intentLoss = 6

	// leastPoints is what an alternate must be able to add, as a share of scale: the words that most entries have are
	// not worth going through their postings for.
	leastPoints = scale / 150

	// commonShare and commonDocs: neither are those that more than one entry in 20 has, in a large catalog; see common.
	commonShare = 20
	commonDocs  = 2000

	maxQueryWords = 256
	// maxScore bounds the score of an entry, in units.
	maxScore     = 16
	maxRelatives = 48
)

// A queryWord is one distinct stem of a query.
type queryWord struct {
	*wordForm
	weight     float64
	points     int32       // the integer weight of its own term
	alternates []alternate // those of its form that are worth their postings
}

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
}

// A reader reads a query and its parts. It keeps what it finds out about a word.
type reader struct {
	cat *Catalog
	// forms are those of words, and of two words joined.
	forms map[[2]string]*wordForm
}

func (c *Catalog) reader() *reader { return &reader{cat: c, forms: map[[2]string]*wordForm{}} }

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
		r.forms[[2]string{a, b}] = f
	}
	return f
}

// parse reads a query.
func (c *Catalog) parse(query string) parsedQuery { return c.reader().parse(query) }

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
	for i, word := range raw {
		f := r.form(word.text, "")
		if i+1 < len(raw) {
			if joined := r.form(word.text, raw[i+1].text); joined.term >= 0 {
				add(joined, joinedWeight)
			}
		}
		if f.stem == "" {
			continue
		}
		add(f, c.wordWeight(word))
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
		if !w.expanded {
			w.wordForm.alternates, w.expanded = c.alternates(w.wordForm), true
		}
	}
	if !c.off(Intents) {
		q.gains = gainsFor(c.lexicon.queryIntents(query))
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
	query = plainText(query)
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
			eachWord(text, func(word []byte, _ bool) {
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
			f(term, "begins it")
		}
	}
	from, _ := ix.words.search(w.stem)
	for t := from; t < ix.words.len(); t++ {
		if !strings.HasPrefix(ix.words.at(t), w.stem) || count >= maxRelatives {
			return
		}
		if int32(t) != w.term {
			count++
			f(int32(t), "begins with it")
		}
	}
}

// scratch is the memory of one search.
type scratch struct {
	score []int32
	best  []int32 // what the word at hand added so far; all zero between words
	near  candidates
}

func newScratch(n int) *scratch { return &scratch{score: make([]int32, n), best: make([]int32, n)} }

// scored is an entry's number and score.
type scored struct {
	doc   int32
	score float64
}

// rank is the best limit entries of allowed for a query, best first, ties by id, and how many matched. What usage lists is
// raised.
func (c *Catalog) rank(query string, allowed bitset, usage []used, limit int) ([]scored, int) {
	x := c.score(query, usage)
	defer x.done()
	return c.collectTop(&x.query, x.memory.score, allowed, limit)
}

// A scoring is what every entry is worth for one query. It holds memory until done is called.
type scoring struct {
	cat    *Catalog
	query  parsedQuery
	memory *scratch
}

// score scores every entry for a query. What usage lists is raised.
func (c *Catalog) score(query string, usage []used) *scoring {
	r := c.reader()
	x := &scoring{cat: c, query: r.parse(query), memory: c.scratch.Get().(*scratch)}
	s := x.memory
	clear(s.score)
	c.accumulate(&x.query, s)
	c.addClauses(r, query, s)
	c.direct(&x.query)
	for _, u := range usage {
		s.score[u.doc] = u.raised(s.score[u.doc])
	}
	return x
}

func (x *scoring) done() { x.cat.scratch.Put(x.memory) }

// accumulate adds what words, pairs and names are worth.
func (c *Catalog) accumulate(q *parsedQuery, s *scratch) {
	for i := range q.words {
		c.addWord(&q.words[i], s)
	}
	c.addPairs(q, s)
	c.addCoverage(q, s)
}

// addWord adds the best of a word's own term and its alternates to every entry. What alternates, which few entries have,
// are worth waits in s.best.
func (c *Catalog) addWord(w *queryWord, s *scratch) {
	for _, a := range w.alternates {
		docs, impacts := c.index.postings(a.term)
		impacts = impacts[:len(docs)]
		for i, doc := range docs {
			s.best[doc] = max(s.best[doc], a.points*int32(impacts[i]))
		}
	}
	if w.term >= 0 {
		docs, impacts := c.index.postings(w.term)
		impacts = impacts[:len(docs)]
		if len(w.alternates) == 0 {
			for i, doc := range docs {
				s.score[doc] += w.points * int32(impacts[i])
			}
			return
		}
		for i, doc := range docs {
			add := w.points * int32(impacts[i])
			if best := s.best[doc]; best != 0 {
				add = max(add, best)
				s.best[doc] = 0
			}
			s.score[doc] += add
		}
	}
	for _, a := range w.alternates {
		docs, _ := c.index.postings(a.term)
		for _, doc := range docs {
			s.score[doc] += s.best[doc]
			s.best[doc] = 0
		}
	}
}

func (c *Catalog) addPairs(q *parsedQuery, s *scratch) {
	for _, p := range q.pairs {
		docs := c.index.pairDocs(p[0], p[1])
		if len(docs) == 0 {
			continue
		}
		name, text := c.pairPoints(q, len(docs))
		for _, d := range docs {
			if d.is(pairInName) {
				s.score[d.doc()] += name
			}
			if d.is(pairInText) {
				s.score[d.doc()] += text
			}
		}
	}
}

// pairPoints are what a pair that stands in df entries is worth in a name and in a description.
func (c *Catalog) pairPoints(q *parsedQuery, df int) (name, text int32) {
	idf := inverseFrequency(c.index.docs, df) / q.mass
	return int32(math.Round(unit * namePair * idf)), int32(math.Round(unit * textPair * idf))
}

// covered are the terms that count as matched in names, with the best discount of each, in the order of the terms.
func (q *parsedQuery) covered() []alternate {
	var terms []alternate
	for i := range q.words {
		w := &q.words[i]
		if w.term >= 0 {
			terms = append(terms, alternate{term: w.term, discount: 1})
		}
		terms = append(terms, w.alternates...)
	}
	slices.SortFunc(terms, func(a, b alternate) int {
		switch {
		case a.term != b.term:
			return int(a.term - b.term)
		case a.discount > b.discount:
			return -1
		case a.discount < b.discount:
			return 1
		}
		return 0
	})
	return slices.CompactFunc(terms, func(a, b alternate) bool { return a.term == b.term })
}

// addCoverage adds what the matched share of names and of first sentences is worth.
func (c *Catalog) addCoverage(q *parsedQuery, s *scratch) {
	c.eachShared(q, func(part *shared, term int32, points int64) {
		for _, doc := range part.of(term) {
			s.score[doc] += int32(points * int64(part.shares[doc]) >> 16)
		}
	})
}

// eachShared calls f with every matched term of names and of first sentences, and its points before the mass of the part
// divides them.
func (c *Catalog) eachShared(q *parsedQuery, f func(part *shared, term int32, points int64)) {
	covered := q.covered()
	points := func(a alternate, gain float64) int64 {
		return int64(math.Round(unit * gain * a.discount * c.index.idf[a.term]))
	}
	if !c.off(Coverage) {
		for _, a := range covered {
			f(&c.index.names, a.term, points(a, nameCoverage))
		}
	}
	if !c.off(Lead) {
		for _, a := range covered {
			if !c.index.common(c.index.leads.of(a.term)) {
				f(&c.index.leads, a.term, points(a, leadCoverage))
			}
		}
	}
}
