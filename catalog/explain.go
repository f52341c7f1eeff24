package catalog

// This file explains a score.

import (
	"almanac/catalog/search/spelling"
	"fmt"
	"slices"
	"strings"
)

// Explain says in a few lines why a visible entry ranks where it does for a query: its place, and what each word adds.
// It fails with an *UnknownError.
func (v *View) Explain(id, query string) (string, error) {
	e, err := v.Resolve(id)
	if err != nil {
		return "", err
	}
	c := v.cat
	doc := c.find(e.ID)
	q := v.parse(query)
	c.direct(&q)
	var lines []string
	total := int32(0)
	for i := range q.words {
		w := &q.words[i]
		points, why := c.wordPoints(w, uint32(doc))
		total += points
		if w.typed != "" {
			why = fmt.Sprintf("for %q, which no action says, %s", w.typed, why)
		}
		switch {
		case points > 0:
			lines = append(lines, fmt.Sprintf("  %-16s %.3f  %s%s", w.stem, float64(points)/unit, why, fieldsWith(e, c.matched(w, uint32(doc)))))
		case !v.knows(w.term):
			lines = append(lines, fmt.Sprintf("  %-16s 0      not in the catalog", w.stem))
		default:
			lines = append(lines, fmt.Sprintf("  %-16s 0      not in this action", w.stem))
		}
	}
	for _, p := range q.pairs {
		docs := c.index.pairDocs(p[0], p[1])
		at, ok := slices.BinarySearchFunc(docs, uint32(doc), func(x pair, d uint32) int { return int(x.doc()) - int(d) })
		if !ok {
			continue
		}
		name, text := c.pairPoints(&q, len(docs))
		words := c.index.words.At(int(p[0])) + " " + c.index.words.At(int(p[1]))
		if docs[at].is(pairInName) {
			total += name
			lines = append(lines, fmt.Sprintf("  %-16s %.3f  side by side in the name", words, float64(name)/unit))
		}
		if docs[at].is(pairInText) {
			total += text
			lines = append(lines, fmt.Sprintf("  %-16s %.3f  side by side in the description", words, float64(text)/unit))
		}
	}
	inName, inLead := int32(0), int32(0)
	c.eachShared(&q, func(part *shared, term int32, points int64) {
		if _, ok := slices.BinarySearch(part.of(term), uint32(doc)); !ok {
			return
		}
		more := int32(points * int64(part.shares[doc]) >> 16)
		if part == &c.index.names {
			inName += more
		} else {
			inLead += more
		}
	})
	if inName > 0 {
		lines = append(lines, fmt.Sprintf("  %-16s %.3f  share of its name that the query has", "(name)", float64(inName)/unit))
	}
	if inLead > 0 {
		lines = append(lines, fmt.Sprintf("  %-16s %.3f  share of its first sentence that the query has", "(sentence)", float64(inLead)/unit))
	}
	total += inName + inLead
	for _, n := range q.named {
		if _, in := slices.BinarySearch(c.exact.of(namespaceKind).at(int(n)), uint32(doc)); in && total > 0 {
			total += namedPoints
			lines = append(lines, fmt.Sprintf("  %-16s %.3f  the query names %s", "(namespace)", float64(namedPoints)/unit, c.exact.of(namespaceKind).names.At(int(n))))
		}
	}
	c.index.called.each(q.phrase, func(called uint32, points int32) {
		if int(called) == doc {
			total += points
			lines = append(lines, fmt.Sprintf("  %-16s %.3f  the query is what it is called", "(called)", float64(points)/unit))
		}
	})
	if points := v.clausePoints(query, doc); points > 0 {
		total += points
		lines = append(lines, fmt.Sprintf("  %-16s %.3f  a part of the query is about it", "(part)", float64(points)/unit))
	}
	if u := v.usageOf(int32(doc)); u.calls > 0 && total > 0 {
		lines = append(lines, fmt.Sprintf("  %-16s %.3f  %s before", "(usage)", float64(u.raised(total)-total)/unit, count(u.calls, "good call")))
		total = u.raised(total)
	}
	if with := c.withIntent(&q, total, doc); with != total {
		why := "the query asks for %s, and it does that"
		if with < total {
			why = "the query asks for something else than %s"
		}
		lines = append(lines, fmt.Sprintf("  %-16s %+.3f  "+why, "(kind)", float64(with-total)/unit, c.index.intents[doc]))
		total = with
	}
	if lifted := c.withVector(&q, total, doc); lifted > total {
		lines = append(lines, fmt.Sprintf("  %-16s %.3f  its words mean much the same as those of the query", "(meaning)", float64(lifted-total)/unit))
		total = lifted
	}
	head := fmt.Sprintf("%s: score %.3f for %q, %s", e.ID, float64(total)/unit, clip(oneLine(query), 100), v.placeOf(int32(doc), query))
	return strings.Join(append([]string{head}, lines...), "\n"), nil
}

// placeOf says where an entry stands among the visible ones.
func (v *View) placeOf(doc int32, query string) string {
	hits, total := v.rank(query, maxLimit)
	for i, h := range hits {
		if h.doc == doc {
			return fmt.Sprintf("place %d of %d", i+1, total)
		}
	}
	if total > len(hits) {
		return fmt.Sprintf("not among the first %d of %d", len(hits), total)
	}
	return fmt.Sprintf("not among the %d that match", total)
}

// impactIn is the impact of a term in an entry, 0 when it has it not.
func (ix *index) impactIn(term int32, doc uint32) int32 {
	docs, impacts := ix.postings(term)
	if at, ok := slices.BinarySearch(docs, doc); ok {
		return int32(impacts[at])
	}
	return 0
}

// wordPoints is what a word adds to an entry, and through which alternate.
func (c *Catalog) wordPoints(w *queryWord, doc uint32) (int32, string) {
	best, why := int32(0), ""
	if w.term >= 0 {
		best = w.points * c.index.impactIn(w.term, doc)
	}
	for _, a := range w.alternates {
		if n := a.points * c.index.impactIn(a.term, doc); n > best {
			best, why = n, "through "+c.index.words.At(int(a.term))+" ("+a.why+") "
		}
	}
	return best, why
}

// matched are the terms of a word that an entry has.
func (c *Catalog) matched(w *queryWord, doc uint32) []string {
	var stems []string
	if w.term >= 0 && c.index.impactIn(w.term, doc) > 0 {
		return append(stems, w.stem)
	}
	for _, a := range w.alternates {
		if c.index.impactIn(a.term, doc) > 0 {
			stems = append(stems, c.index.words.At(int(a.term)))
		}
	}
	return stems
}

// fieldsWith names the fields of an entry that have one of the stems.
func fieldsWith(e *Entry, stems []string) string {
	var found [fieldCount]bool
	eachField(e, shapeOf(e), func(f field, text string) {
		spelling.EachWord(text, func(word []byte, _ bool) {
			if slices.Contains(stems, stem(string(word))) {
				found[f] = true
			}
		})
	})
	var names []string
	for f, yes := range found {
		if yes {
			names = append(names, field(f).String())
		}
	}
	if len(names) == 0 {
		return ""
	}
	return "in " + strings.Join(names, ", ")
}
