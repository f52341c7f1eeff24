package catalog

import (
	"sync"

	"almanac/catalog/spec"
)

// A cache keeps the signatures and names of entries shown lately. Reading a schema costs ten times as much as ranking
// its entry, and scripts build one set after another from the same hits. Safe for concurrent use.
type cache struct {
	mu         sync.Mutex
	signatures map[int]*spec.Signature
	facets     *nameTable
}

// keptEntries is how many entries a cache holds of each kind before it is emptied.
const keptEntries = 4096

// signatureOf is what the lines of an entry are made of. It is shared and must not be changed.
func (c *Catalog) signatureOf(doc int) *spec.Signature {
	c.cache.mu.Lock()
	s, ok := c.cache.signatures[doc]
	c.cache.mu.Unlock()
	if ok {
		return s
	}
	s = spec.NewSignature(c.entry(doc).written())
	c.cache.mu.Lock()
	defer c.cache.mu.Unlock()
	if c.cache.signatures == nil || len(c.cache.signatures) >= keptEntries {
		c.cache.signatures = map[int]*spec.Signature{}
	}
	c.cache.signatures[doc] = s
	return s
}

// A nameTable numbers the names in entries, so that facets count integers instead of strings. Safe for concurrent use.
type nameTable struct {
	mu      sync.Mutex
	names   []string
	numbers map[string]int32
	entries map[int][facetKinds][]int32
}

// facetNames is the current table. A table that has grown large is replaced by a new one; whoever still holds the old
// one may go on using it.
func (m *cache) facetNames() *nameTable {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.facets == nil || m.facets.len() >= keptEntries {
		m.facets = &nameTable{numbers: map[string]int32{}, entries: map[int][facetKinds][]int32{}}
	}
	return m.facets
}

func (t *nameTable) len() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.entries)
}

// of returns the numbers of an entry's names by kind, without duplicates. They are shared and must not be changed.
func (t *nameTable) of(c *Catalog, doc int) [facetKinds][]int32 {
	t.mu.Lock()
	numbers, ok := t.entries[doc]
	t.mu.Unlock()
	if ok {
		return numbers
	}
	names := facetNames(c.entry(doc))
	t.mu.Lock()
	defer t.mu.Unlock()
	for i, list := range names {
		for _, name := range sortedSet(list) {
			number, known := t.numbers[name]
			if !known {
				number = int32(len(t.names))
				t.numbers[name] = number
				t.names = append(t.names, name)
			}
			numbers[i] = append(numbers[i], number)
		}
	}
	t.entries[doc] = numbers
	return numbers
}

// all returns the names seen so far, by number.
func (t *nameTable) all() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.names
}
