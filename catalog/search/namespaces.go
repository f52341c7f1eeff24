package search

// The feature Namespaces: the query names a path of documents, such as a product: "send a message in slack", "stripe:
// create customer". The words of its last segment, or the first ones of another name of it, must stand after a
// preposition, before a colon, in capitals or at the beginning, and hardly occur in other documents. Who writes a name
// and a colon says where to look: that counts most.

import (
	"cmp"
	"slices"
	"strings"

	"almanac/catalog/search/spelling"
)

const (
	// namedPoints is added to the documents of a named namespace: 0.3 units. aheadPoints is, where the name stands before
	// a colon: 0.8 units. apiPoints is, where one of afterNames stands behind it: 0.2 units.
	namedPoints = unit * 3 / 10
	aheadPoints = unit * 8 / 10
	apiPoints   = unit * 2 / 10
	// namedDepth is the most segments of such a namespace, and namedWords the most words of its last segment.
	namedDepth = 2
	namedWords = 3
)

// beforeNames are the words that a name may follow.
const beforeNames = "in with on via using from to into by through"

// afterNames are the words that follow nothing but a name: "the bitly API".
const afterNames = "api apis tool"

// namedPaths are the sums of the last segments of short namespaces and of products, sorted, and in step which they are:
// twice the number of the key, plus one for a product. A name of several words also has the sum of these in one.
type namedPaths struct {
	sums       []uint64
	namespaces []uint32
}

// of are the paths whose name has the sum.
func (p namedPaths) of(sum uint64) []uint32 {
	from, _ := slices.BinarySearch(p.sums, sum)
	to := from
	for to < len(p.sums) && p.sums[to] == sum {
		to++
	}
	return p.namespaces[from:to]
}

// isProduct reports whether a named path is a product.
func isProduct(n uint32) bool { return n&1 != 0 }

// documentsOf are the documents of a named path.
func (ix *Index) documentsOf(n uint32) []uint32 { return ix.namesOf(n).At(int(n >> 1)) }

// nameOf is the key of a named path.
func (ix *Index) nameOf(n uint32) string { return ix.namesOf(n).Names.At(int(n >> 1)) }

// namesOf are the keys that a named path is one of.
func (ix *Index) namesOf(n uint32) *Keys {
	if isProduct(n) {
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

// A namedPath is a path that a query names, and the points that it is worth.
type namedPath struct {
	path    uint32
	points  int32
	certain bool // one of afterNames follows
}

// named are the paths that a query names, products last.
func (ix *Index) named(q *query) []namedPath {
	if q.named == nil {
		named := ix.findNamed(q)
		q.named = &named
	}
	return *q.named
}

// findNamed finds what named returns. A query of several parts names only paths that are certain: each part may be
// about another.
func (ix *Index) findNamed(q *query) []namedPath {
	raw, stems := q.raw, q.stems
	var named []namedPath
	var places map[string]namePlace
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
		sum, longest := uint64(0), []namedPath(nil) // of products that begin here, the one with the longest name
		for j := i; j < min(len(stems), i+namedWords); j++ {
			if stems[j] == "" || slices.Contains(stems[i:j], stems[j]) {
				continue
			}
			sum += sums[j]
			paths := ix.namedPaths.of(sum)
			if len(paths) == 0 {
				continue
			}
			if places == nil {
				places = ix.lexicon.namePlaces(q.text)
			}
			certain := j+1 < len(raw) && ix.lexicon.after[raw[j+1].text]
			if !certain && (places[raw[i].written()]&mayBegin == 0 || !ix.distinct(stems[i:j+1], paths)) {
				continue
			}
			points := int32(namedPoints)
			if certain {
				points = apiPoints
			} else if i == 0 && places[raw[j].written()]&beforeColon != 0 {
				points = aheadPoints
			}
			var products []namedPath
			for _, n := range paths {
				if isProduct(n) {
					products = append(products, namedPath{n, points, certain})
				} else {
					named = append(named, namedPath{n, points, certain})
				}
			}
			if len(products) > 0 {
				longest = products
			}
		}
		named = append(named, longest...)
	}
	if len(named) > 0 && len(ix.lexicon.clauses(q.text)) > 0 {
		named = slices.DeleteFunc(named, func(n namedPath) bool { return !n.certain })
	}
	slices.SortFunc(named, func(a, b namedPath) int {
		return cmp.Or(cmp.Compare(a.path&1, b.path&1), cmp.Compare(a.path, b.path), cmp.Compare(b.points, a.points))
	})
	return slices.CompactFunc(named, func(a, b namedPath) bool { return a.path == b.path })
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
	if len(namespaces) > 1 && slices.ContainsFunc(namespaces, isProduct) {
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
	return 5*total >= 4*least
}

// A namePlace is what the place of a word in a query says about names.
type namePlace uint8

const (
	mayBegin    namePlace = 1 << iota // a name may begin with it
	beforeColon                       // a colon follows
)

// namePlaces are the places of a query's words.
func (l *lexicon) namePlaces(query string) map[string]namePlace {
	places := map[string]namePlace{}
	sentence, before := true, ""
	for i, field := range strings.Fields(query[:min(len(query), spelling.MaxText)]) {
		lower, colon := strings.ToLower(field), strings.HasSuffix(field, ":")
		if i == 0 || l.names[before] || colon || !sentence && field != lower {
			place := mayBegin
			if colon {
				place |= beforeColon
			}
			spelling.EachWord(field, func(word []byte, _ bool) { places[string(word)] |= place })
		}
		before = lower
		sentence = strings.IndexByte(".?!", field[len(field)-1]) >= 0
	}
	return places
}

func addNamespaces(ix *Index, q *query, t *tally) {
	named := ix.named(q)
	var raised Bits // by a path or a product, where there are products: one raises no document again
	if slices.ContainsFunc(named, func(n namedPath) bool { return isProduct(n.path) }) {
		raised = NewBits(ix.docs)
	}
	for _, n := range named {
		name := ix.nameOf(n.path)
		if isProduct(n.path) {
			name = strings.ReplaceAll(name, "_", " ")
		}
		for _, doc := range ix.documentsOf(n.path) {
			if t.points[doc] > 0 && (!isProduct(n.path) || !raised.Has(int(doc))) {
				t.points[doc] += n.points
			}
		}
		if raised != nil {
			raised.SetAll(ix.documentsOf(n.path))
		}
		t.note(because("(namespace)", "the query names "+name))
	}
}
