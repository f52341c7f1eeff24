package catalog

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"almanac/catalog/pattern"
	"almanac/catalog/search"
	"almanac/catalog/search/spelling"
)

// Options say how a catalog is built. The zero value is ready to use.
type Options struct {
	// Source names where the entries come from, for the Report; may be empty.
	Source string
	// Without switches ranking features off, to measure what each is worth.
	Without []search.Feature
	// Progress is told how many of the parts of the index have been built, from several goroutines. Nil tells nobody.
	Progress func(done, of int)
}

// A Skip is an entry that was left out, and why.
type Skip struct {
	ID, Source, Reason string
}

// A Report lists the entries given to New that were left out.
type Report struct {
	Loaded  int
	Skipped []Skip
}

// A Catalog holds all entries and their index. It is built once and never changes, so that it can be shared by any
// number of goroutines. Entries are in the order of their ids.
type Catalog struct {
	ids      spelling.List
	nearID   spelling.Index
	stores   []*store
	places   []place // where each entry is; nil where all are in the one store, in order
	index    *search.Index
	mutating search.Bits
	// unknownOutput marks the entries without an output schema.
	unknownOutput search.Bits
	// compensated are the entries with a compensation; unknown of a catalog that was opened.
	compensated []int
	cache       cache
}

// A place is an entry of a store.
type place struct{ store, entry uint32 }

// maxID is the longest id in bytes.
const maxID = 256

// New builds a catalog. Entries with a bad id, and all but the first of those with the same id, are left out and
// listed in the report in the order they came. The slices and schemas of the entries are shared and must not be
// changed afterwards.
func New(entries []Entry, o Options) (*Catalog, Report) {
	s, report := NewSegment(slices.Clone(entries), o)
	c, _ := Join([]*Segment{s}, o) // one segment has each id once
	return c, report
}

// sortEntries puts entries in the order of their ids, and moves each as few times as that takes.
func sortEntries(entries []Entry) {
	order := make([]int32, len(entries))
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortFunc(order, func(a, b int32) int { return cmp.Compare(entries[a].ID, entries[b].ID) })
	for i := range order {
		if order[i] < 0 {
			continue // in its place already
		}
		first, at := entries[i], i
		for from := order[at]; int(from) != i; from = order[at] {
			entries[at], order[at] = entries[from], -1
			at = int(from)
		}
		entries[at], order[at] = first, -1
	}
}

// Len is the number of entries.
func (c *Catalog) Len() int { return c.ids.Len() }

// id is the id of entry doc.
func (c *Catalog) id(doc int) string { return c.ids.At(doc) }

// at is where entry doc is.
func (c *Catalog) at(doc int) (*store, int) {
	if c.places == nil {
		return c.stores[0], doc
	}
	return c.stores[c.places[doc].store], int(c.places[doc].entry)
}

// entry is entry doc; it belongs to the catalog.
func (c *Catalog) entry(doc int) *Entry {
	s, i := c.at(doc)
	return s.entry(i, c.id(doc))
}

// peek is entry doc without keeping it in memory.
func (c *Catalog) peek(doc int) *Entry {
	s, i := c.at(doc)
	return s.peek(i, c.id(doc))
}

// Entries are all entries, in the order of their ids; those that come from an image are read from it. Their slices and
// schemas belong to the catalog and must not be changed.
func (c *Catalog) Entries() []Entry {
	entries := make([]Entry, c.Len())
	for doc := range entries {
		entries[doc] = *c.peek(doc)
	}
	return entries
}

// View sees everything in the catalog.
func (c *Catalog) View() *View {
	v := &View{cat: c, visible: search.NewBits(c.Len()), count: c.Len()}
	if c.Len() > 0 {
		v.visible.Fill(c.Len())
	}
	return v
}

// find is the number of the entry with this id, or -1.
func (c *Catalog) find(id string) int {
	i, ok := c.ids.Search(id)
	if !ok {
		return -1
	}
	return i
}

// CheckID says what is wrong with an id, or nil.
func CheckID(id string) error {
	switch {
	case id == "":
		return errors.New("the id is empty")
	case len(id) > maxID:
		return fmt.Errorf("the id is longer than %d bytes", maxID)
	case !utf8.ValidString(id):
		return errors.New("the id is not valid UTF-8")
	case strings.HasPrefix(id, "."), strings.HasSuffix(id, "."), strings.Contains(id, ".."):
		return errors.New("the id has an empty segment")
	}
	plain := true
	for i := range len(id) {
		plain = plain && id[i] > ' ' && id[i] < 0x7f
	}
	if plain && !strings.ContainsAny(id, pattern.Reserved) {
		return nil
	}
	for _, r := range id {
		if unicode.IsSpace(r) || !unicode.IsPrint(r) {
			return fmt.Errorf("the id has the character %q; use printable characters without spaces", r)
		}
		if strings.ContainsRune(pattern.Reserved, r) {
			return fmt.Errorf("the id has the character %q, which patterns of ids use", r)
		}
	}
	return nil
}

func parentPath(id string) []string {
	segments := strings.Split(id, ".")
	return segments[:len(segments)-1]
}

// nameOf is the part of an entry's id below its namespace.
func nameOf(e *Entry) string {
	prefix := strings.Join(e.Namespace, ".") + "."
	if len(prefix) > 1 && len(e.ID) > len(prefix) && strings.EqualFold(e.ID[:len(prefix)], prefix) {
		return e.ID[len(prefix):]
	}
	return lastSegment(e.ID)
}

func lastSegment(id string) string { return id[strings.LastIndexByte(id, '.')+1:] }
