package catalog

import "sync"

// A memo keeps what was last worked out of entries for people and models to read. Reading a schema for it costs ten
// times what ranking the entry does, and scripts make set upon set of the same hits. Safe for concurrent use.
type memo struct {
	mu     sync.Mutex
	lines  map[int]string
	facets map[int][facetKinds][]string
}

// keptMemo is how many entries a memo holds, of each thing it keeps, before it starts anew.
const keptMemo = 4096

// lineOf is the full line of an entry.
func (c *Catalog) lineOf(doc int) string {
	c.memo.mu.Lock()
	line, ok := c.memo.lines[doc]
	c.memo.mu.Unlock()
	if ok {
		return line
	}
	s := signatureOf(c.entry(doc))
	line = s.line(fullLine)
	c.memo.mu.Lock()
	defer c.memo.mu.Unlock()
	if c.memo.lines == nil || len(c.memo.lines) >= keptMemo {
		c.memo.lines = map[int]string{}
	}
	c.memo.lines[doc] = line
	return line
}

// facetsOf are an entry's names of each kind, each once. They are shared and must not be changed.
func (c *Catalog) facetsOf(doc int) [facetKinds][]string {
	c.memo.mu.Lock()
	names, ok := c.memo.facets[doc]
	c.memo.mu.Unlock()
	if ok {
		return names
	}
	names = facetNames(c.entry(doc))
	for i := range names {
		names[i] = sortedSet(names[i])
	}
	c.memo.mu.Lock()
	defer c.memo.mu.Unlock()
	if c.memo.facets == nil || len(c.memo.facets) >= keptMemo {
		c.memo.facets = map[int][facetKinds][]string{}
	}
	c.memo.facets[doc] = names
	return names
}
