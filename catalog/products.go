package catalog

// This file tells when a query names a namespace, such as that of a product: "send a message in slack", "stripe: create
// customer". It does where the words of its last segment stand after a preposition, before a colon, in capitals or at the
// beginning, and where they hardly stand in any other entry.

import (
	"almanac/catalog/search/spelling"
	"cmp"
	"slices"
	"strings"
)

const (
	// namedPoints is what the entries of a named namespace get: 0.3 units.
	namedPoints = unit * 3 / 10
	// namedDepth is how many segments such a namespace has at most, namedWords how many words its last segment has, and
	// leastNamed how many entries it has at least.
	namedDepth = 2
	namedWords = 3
	leastNamed = 4
)

// beforeNames are the words that a name may follow.
const beforeNames = "in with on via using from to into by through"

// products are the sums of the last segments of short namespaces, in order, and in step the numbers of these.
type products struct {
	sums       []uint64
	namespaces []uint32
}

// newProducts are those of the namespaces of a catalog that is being built.
func (c *Catalog) newProducts() products {
	type product struct {
		sum       uint64
		namespace uint32
	}
	var all []product
	m := c.exact.of(namespaceKind)
	for i := range m.names.Len() {
		depth := strings.Count(m.names.At(i), ".")
		path := c.entries[m.at(i)[0]].Namespace
		if depth >= min(namedDepth, len(path)) {
			continue
		}
		// As the entry writes it, since capitals part words.
		stems := phrase(Stems(path[depth]))
		slices.Sort(stems)
		stems = slices.Compact(stems)
		if n := len(stems); n > 0 && n <= namedWords {
			all = append(all, product{stems.hash(), uint32(i)})
		}
	}
	slices.SortFunc(all, func(a, b product) int {
		return cmp.Or(cmp.Compare(a.sum, b.sum), cmp.Compare(a.namespace, b.namespace))
	})
	var p products
	for _, one := range all {
		p.sums, p.namespaces = append(p.sums, one.sum), append(p.namespaces, one.namespace)
	}
	return p
}

// named are the numbers of the namespaces that a query names, given the stem of each of its words. One of several parts
// names none: the parts may be about different ones.
func (c *Catalog) named(query string, raw []rawWord, stems []string) []uint32 {
	var named []uint32
	var begins map[string]bool
	sums := make([]uint64, len(stems))
	for i, st := range stems {
		if st != "" {
			sums[i] = phrase{st}.hash()
		}
	}
	for i := range stems {
		if stems[i] == "" {
			continue
		}
		sum := uint64(0)
		for j := i; j < min(len(stems), i+namedWords); j++ {
			if stems[j] == "" || slices.Contains(stems[i:j], stems[j]) {
				continue
			}
			sum += sums[j]
			from, ok := slices.BinarySearch(c.products.sums, sum)
			if !ok {
				continue
			}
			if begins == nil {
				begins = c.lexicon.nameBegins(query)
			}
			to := from
			for to < len(c.products.sums) && c.products.sums[to] == sum {
				to++
			}
			if begins[raw[i].text] && c.distinct(stems[i:j+1], c.products.namespaces[from:to]) {
				named = append(named, c.products.namespaces[from:to]...)
			}
		}
	}
	if len(named) == 0 || len(c.lexicon.clauses(query)) > 0 {
		return nil
	}
	slices.Sort(named)
	return slices.Compact(named)
}

// distinct reports whether four of five entries that have the rarest stem of a name are in its namespaces.
func (c *Catalog) distinct(stems []string, namespaces []uint32) bool {
	least := c.Len()
	for _, st := range stems {
		if st == "" {
			continue
		}
		t := c.index.words.term(st)
		if t < 0 {
			return false
		}
		docs, _ := c.index.postings(t)
		least = min(least, len(docs))
	}
	total := 0
	for _, n := range namespaces {
		total += len(c.exact.of(namespaceKind).at(int(n)))
	}
	return total >= leastNamed && 5*total >= 4*least
}

// nameBegins are the words of a query that a name may begin with.
func (l *lexicon) nameBegins(query string) map[string]bool {
	begins := map[string]bool{}
	sentence, before := true, ""
	for i, field := range strings.Fields(query[:min(len(query), spelling.MaxText)]) {
		lower := strings.ToLower(field)
		if i == 0 || l.names[before] || strings.HasSuffix(field, ":") || !sentence && field != lower {
			spelling.EachWord(field, func(word []byte, _ bool) { begins[string(word)] = true })
		}
		before = lower
		sentence = strings.IndexByte(".?!", field[len(field)-1]) >= 0
	}
	return begins
}
