package search

// The feature Namespaces: the query names a path of documents, such as a product: "send a message in slack", "stripe:
// create customer". The words of its last segment, or the first ones of another name of it, must stand after a
// preposition, before a colon, in capitals or at the beginning, and hardly occur in other documents.

import (
	"cmp"
	"slices"
	"strings"

	"almanac/catalog/search/spelling"
)

const (
	// namedPoints is added to the documents of a named namespace: 0.3 units.
	namedPoints = unit * 3 / 10
	// namedDepth is the most segments of such a namespace, namedWords the most words of its last segment, and leastNamed
	// the least number of its documents.
	namedDepth = 2
	namedWords = 3
	leastNamed = 4
)

// beforeNames are the words that a name may follow.
const beforeNames = "in with on via using from to into by through"

// namedPaths are the sums of the last segments of short namespaces and of products, sorted, and in step which they are:
// twice the number of the key, plus one for a product. A name of several words also has the sum of these in one.
type namedPaths struct {
	sums       []uint64
	namespaces []uint32
}

// documentsOf are the documents of a named path.
func (ix *Index) documentsOf(n uint32) []uint32 { return ix.namesOf(n).At(int(n >> 1)) }

// namesOf are the keys that a named path is one of.
func (ix *Index) namesOf(n uint32) *Keys {
	if n&1 != 0 {
		return &ix.keys[ix.options.ProductKind]
	}
	return &ix.keys[ix.options.PathKind]
}

// joinedSum is the sum of words written as one. No stem has a space.
func joinedSum(words []string) uint64 { return phrase{" " + strings.Join(words, "")}.hash() }

// newNamedPaths collects the named paths of an index that is being built.
func (ix *Index) newNamedPaths() namedPaths {
	type product struct {
		sum       uint64
		namespace uint32
	}
	var all []product
	add := func(words []string, namespace uint32) {
		var stems phrase
		for _, word := range words {
			if st := stem(word); st != "" {
				stems = stems.with(st)
			}
		}
		if n := len(stems); n > 0 && n <= namedWords {
			all = append(all, product{stems.hash(), namespace})
		}
		if len(words) > 1 {
			all = append(all, product{joinedSum(words), namespace})
		}
	}
	if ix.options.ProductKind != ix.options.PathKind {
		products := &ix.keys[ix.options.ProductKind].Names
		for i := range products.Len() {
			words := strings.Split(products.At(i), "_")
			for n := range min(len(words), namedWords) {
				add(words[:n+1], uint32(i)<<1|1)
			}
		}
	}
	m := &ix.keys[ix.options.PathKind]
	for i := range m.Names.Len() {
		depth := strings.Count(m.Names.At(i), ".")
		if len(m.At(i)) == 0 {
			continue // an index of damaged segments
		}
		path := ix.options.Path(int(m.At(i)[0]))
		if depth >= min(namedDepth, len(path)) {
			continue
		}
		add(wordsOf(path[depth]), uint32(i)<<1) // as the document writes it, since capitals separate words
	}
	slices.SortFunc(all, func(a, b product) int {
		return cmp.Or(cmp.Compare(a.sum, b.sum), cmp.Compare(a.namespace, b.namespace))
	})
	var p namedPaths
	for _, one := range all {
		p.sums, p.namespaces = append(p.sums, one.sum), append(p.namespaces, one.namespace)
	}
	return p
}

// named are the numbers of the namespaces that a query names. A query of several parts names none: each part may be
// about another.
func (ix *Index) named(q *query) []uint32 {
	raw, stems := q.raw, q.stems
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
		sum, longest := uint64(0), []uint32(nil) // of products that begin here, the one with the longest name
		for j := i; j < min(len(stems), i+namedWords); j++ {
			if stems[j] == "" || slices.Contains(stems[i:j], stems[j]) {
				continue
			}
			sum += sums[j]
			from, ok := slices.BinarySearch(ix.namedPaths.sums, sum)
			if !ok {
				continue
			}
			if begins == nil {
				begins = ix.lexicon.nameBegins(q.text)
			}
			to := from
			for to < len(ix.namedPaths.sums) && ix.namedPaths.sums[to] == sum {
				to++
			}
			if begins[raw[i].written()] && ix.distinct(stems[i:j+1], ix.namedPaths.namespaces[from:to]) {
				paths, products := split(ix.namedPaths.namespaces[from:to])
				named = append(named, paths...)
				if len(products) > 0 {
					longest = products
				}
			}
		}
		named = append(named, longest...)
	}
	if len(named) == 0 || len(ix.lexicon.clauses(q.text)) > 0 {
		return nil
	}
	slices.Sort(named)
	return slices.Compact(named)
}

// split parts the namespaces from the products among named paths.
func split(named []uint32) (paths, products []uint32) {
	for _, n := range named {
		if n&1 != 0 {
			products = append(products, n)
		} else {
			paths = append(paths, n)
		}
	}
	return paths, products
}

// distinct reports whether four of five documents that have the rarest stem of a name are in its namespaces.
func (ix *Index) distinct(stems []string, namespaces []uint32) bool {
	least := ix.docs
	for _, st := range stems {
		if st == "" {
			continue
		}
		t := ix.words.term(st)
		if t < 0 {
			return false
		}
		docs, _ := ix.postings(t)
		least = min(least, len(docs))
	}
	total := 0
	if _, products := split(namespaces); len(products) > 0 && len(namespaces) > 1 {
		all := NewBits(ix.docs) // they may have documents in common
		for _, n := range namespaces {
			all.SetAll(ix.documentsOf(n))
		}
		total = all.Count()
	} else {
		for _, n := range namespaces {
			total += len(ix.documentsOf(n))
		}
	}
	return total >= leastNamed && 5*total >= 4*least
}

// nameBegins are the words of a query that may begin a name.
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

func addNamespaces(ix *Index, q *query, t *tally) {
	paths, products := split(ix.named(q))
	var raised Bits // by a path or a product, where there are products: one raises no document again
	if len(products) > 0 {
		raised = NewBits(ix.docs)
	}
	for i, n := range slices.Concat(paths, products) {
		name := ix.namesOf(n).Names.At(int(n >> 1))
		if i >= len(paths) {
			name = strings.ReplaceAll(name, "_", " ")
		}
		for _, doc := range ix.documentsOf(n) {
			if t.points[doc] > 0 && (i < len(paths) || !raised.Has(int(doc))) {
				t.points[doc] += namedPoints
			}
		}
		if raised != nil {
			raised.SetAll(ix.documentsOf(n))
		}
		t.note(because("(namespace)", "the query names "+name))
	}
}
