package catalog

// This file counts the domains, tags, operations and other names of a set's hits.

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"almanac/catalog/text"
)

// A FacetCount is a name and how many hits have it.
type FacetCount struct {
	Name  string `json:"name"`
	Count int    `json:"count"`
}

// Facets count the names in the hits of a set: most frequent first, ties by name, at most 20 of each kind.
type Facets struct {
	// Total is the number of hits counted, Mutating how many of them mutate. Of is how many there were before a limit; 0
	// if none applied.
	Total      int          `json:"total"`
	Of         int          `json:"of,omitempty"`
	Mutating   int          `json:"mutating"`
	Domains    []FacetCount `json:"domains"`
	Namespaces []FacetCount `json:"namespaces"`
	Tags       []FacetCount `json:"tags"`
	Categories []FacetCount `json:"categories,omitempty"`
	Entities   []FacetCount `json:"entities"`
	Operations []FacetCount `json:"operations"`
	Risks      []FacetCount `json:"risks"`
	Inputs     []FacetCount `json:"inputs"`
	Outputs    []FacetCount `json:"outputs"`
}

const maxFacets = 20

// Facets counts the hits of the set; for a search without a limit, the best 1,000. Domains are first segments of
// namespaces, Namespaces whole ones.
func (s Set) Facets() Facets {
	s = s.atLeast(mostHits)
	f := Facets{Total: s.Len()}
	if s.view == nil {
		return f
	}
	if f.Total < s.total {
		f.Of = s.total
	}
	table := s.view.cat.cache.facetNames()
	docs := make([][facetKinds][]int32, len(s.hits))
	for i, h := range s.hits {
		if s.view.cat.mutating.Has(int(h.Doc)) {
			f.Mutating++
		}
		docs[i] = table.of(s.view.cat, int(h.Doc))
	}
	names := table.all()
	counts := make([]int, len(names))
	for i, kind := range []*[]FacetCount{&f.Domains, &f.Namespaces, &f.Tags, &f.Categories, &f.Entities, &f.Operations,
		&f.Risks, &f.Inputs, &f.Outputs} {
		var counted []int32
		for _, numbers := range docs {
			for _, number := range numbers[i] {
				if counts[number]++; counts[number] == 1 {
					counted = append(counted, number)
				}
			}
		}
		*kind = commonest(counted, names, counts)
		for _, number := range counted {
			counts[number] = 0
		}
	}
	return f
}

// commonest are the first maxFacets of the counted names, best first.
func commonest(counted []int32, names []string, counts []int) []FacetCount {
	best := make([]FacetCount, 0, min(len(counted), maxFacets+1))
	order := func(a, b FacetCount) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Name, b.Name))
	}
	for _, number := range counted {
		c := FacetCount{names[number], counts[number]}
		if len(best) == maxFacets && order(c, best[maxFacets-1]) >= 0 {
			continue
		}
		at, _ := slices.BinarySearchFunc(best, c, order)
		best = slices.Insert(best, at, c)
		best = best[:min(len(best), maxFacets)]
	}
	return best
}

// facetKinds counts the kinds of names in Facets.
const facetKinds = 9

// facetNames are an entry's names of each kind, in the order of the kinds in Facets.
func facetNames(e *Entry) [facetKinds][]string {
	var names [facetKinds][]string
	path := ""
	for i, segment := range e.Namespace {
		path = join(path, segment)
		if i == 0 {
			names[0] = []string{path}
		}
	}
	names[1] = []string{path}
	names[2] = slices.Clone(e.Tags)
	if e.Category != "" {
		names[3] = []string{e.Category}
	}
	names[4] = slices.Clone(e.Entities)
	names[5] = []string{string(OperationOf(e))}
	names[6] = []string{string(RiskOf(e))}
	for _, p := range e.Input.document().Fields() {
		names[7] = append(names[7], p.Name)
	}
	for _, p := range e.Output.document().Fields() {
		names[8] = append(names[8], p.Name)
	}
	return names
}

// shownFacets is how many names of a kind Text lists.
const shownFacets = 8

// Text is the facets, one line per kind, most frequent names first.
func (f Facets) Text() string {
	of := ""
	if f.Of > 0 {
		of = fmt.Sprintf(" of %d found", f.Of)
	}
	lines := []string{fmt.Sprintf("%s%s, %d of them mutate", text.Count(f.Total, "action"), of, f.Mutating)}
	for _, kind := range []struct {
		name   string
		counts []FacetCount
	}{
		{"domains", f.Domains}, {"namespaces", f.Namespaces}, {"tags", f.Tags}, {"categories", f.Categories},
		{"entities", f.Entities}, {"operations", f.Operations},
		{"risks", f.Risks}, {"inputs", f.Inputs}, {"outputs", f.Outputs},
	} {
		var words []string
		for _, c := range kind.counts[:min(len(kind.counts), shownFacets)] {
			words = append(words, fmt.Sprintf("%s %d", text.LineRunes(c.Name, 40), c.Count))
		}
		switch {
		case len(kind.counts) == maxFacets:
			words = append(words, "…")
		case len(kind.counts) > shownFacets:
			words = append(words, fmt.Sprintf("and %d more", len(kind.counts)-shownFacets))
		}
		if len(words) > 0 {
			lines = append(lines, kind.name+": "+strings.Join(words, ", "))
		}
	}
	return strings.Join(lines, "\n")
}
