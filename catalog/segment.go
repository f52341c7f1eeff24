package catalog

// This file has segments: the entries of one source with their part of the index, of which a catalog is joined.

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"

	"almanac/catalog/search"
	"almanac/catalog/search/spelling"
)

// A Segment is some entries, in the order of their ids, with as much of their index as does not depend on others. It
// never changes. Joining segments costs a fraction of building a catalog.
type Segment struct {
	ids spelling.List
	// numbers are what store and index call the entries, in step with ids; empty where those are in their order, too.
	numbers []uint32
	store   *store
	inert   bool // no entry can be called
	index   *search.Segment
	// Marks of the entries; see Catalog.
	mutating, unknownOutput, compensated search.Bits
}

// number is what store and index call entry i.
func (s *Segment) number(i int) int {
	if len(s.numbers) == 0 {
		return i
	}
	return int(s.numbers[i])
}

// marks say of an entry which bits a segment has for it.
type marks struct{ mutates, unknownOutput, compensated bool }

func (e *Entry) marks() marks { return marks{e.Mutates, e.Output == nil, e.Compensate != nil} }

// named gives a new segment the ids of its entries, in order, and the marks of each.
func (s *Segment) named(ids []string, marksOf func(i int) marks) {
	s.ids = spelling.NewList(ids)
	n := len(ids)
	s.mutating, s.unknownOutput, s.compensated = search.NewBits(n), search.NewBits(n), search.NewBits(n)
	for i := range n {
		m := marksOf(i)
		if m.mutates {
			s.mutating.Set(i)
		}
		if m.unknownOutput {
			s.unknownOutput.Set(i)
		}
		if m.compensated {
			s.compensated.Set(i)
		}
	}
}

// NewSegment prepares entries; see New. It takes over the slice.
func NewSegment(entries []Entry, o Options) (*Segment, Report) {
	var report Report
	seen := make(map[string]bool, len(entries))
	s := &Segment{store: &store{live: entries[:0]}}
	for _, e := range entries {
		err := CheckID(e.ID)
		if err == nil && seen[e.ID] {
			err = errors.New("an entry with this id is already there")
		}
		if err != nil {
			report.Skipped = append(report.Skipped, Skip{ID: e.ID, Source: o.Source, Reason: err.Error()})
			continue
		}
		seen[e.ID] = true
		e.complete()
		s.store.live = append(s.store.live, e)
	}
	clear(entries[len(s.store.live):])
	live := s.store.live
	report.Loaded = len(live)
	sortEntries(live)
	ids := make([]string, len(live))
	for i := range live {
		ids[i] = live[i].ID
	}
	s.named(ids, func(i int) marks { return live[i].marks() })
	options := searchOptions(nil, len(live), func(i int) *Entry { return &live[i] })
	options.Progress = o.Progress
	s.index = search.Scan(len(live), options)
	return s, report
}

// complete fills in what follows from the rest.
func (e *Entry) complete() {
	if len(e.Namespace) == 0 {
		e.Namespace = parentPath(e.ID)
	}
	if e.Strict {
		e.Input = e.Input.closed()
	}
}

// Len is the number of entries.
func (s *Segment) Len() int { return s.ids.Len() }

// Callable reports whether some of the entries may have code to run.
func (s *Segment) Callable() bool { return !s.inert }

// ID is the id of entry i.
func (s *Segment) ID(i int) string { return s.ids.At(i) }

// Entry is entry i. It belongs to the segment and must not be changed.
func (s *Segment) Entry(i int) *Entry { return s.store.peek(s.number(i), s.ids.At(i)) }

// Entries are all entries, in the order of their ids. Their slices and schemas belong to the segment and must not be
// changed.
func (s *Segment) Entries() []Entry {
	entries := make([]Entry, s.Len())
	for i := range entries {
		entries[i] = *s.Entry(i)
	}
	return entries
}

// WriteImage writes the segment to w, as Catalog.WriteImage does.
func (s *Segment) WriteImage(w io.Writer, remark []byte) error {
	return search.WriteImage(w, append(s.index.Sections(), s.sections(&store{}, &remark)...))
}

func (s *Segment) sections(to *store, remark *[]byte) []search.Section {
	at := func(i int) (*store, int) { return s.store, i }
	return slices.Concat(search.NamesSections("id", &s.ids, nil), to.sections(s.Len(), at), []search.Section{
		search.Array("numbers", &s.numbers),
		search.Array("mutating", (*[]uint64)(&s.mutating)),
		search.Array("unknown.output", (*[]uint64)(&s.unknownOutput)),
		search.Array("compensated", (*[]uint64)(&s.compensated)),
		search.Array("remark", remark),
	})
}

// OpenSegment opens what Segment.WriteImage wrote, as Open does.
func OpenSegment(image []byte, o OpenOptions) (s *Segment, remark []byte, err error) {
	all, err := search.ReadImage(image)
	if err != nil {
		return nil, nil, err
	}
	s = &Segment{store: &store{}}
	if err := all.Load(s.sections(s.store, &remark)...); err != nil {
		return nil, nil, err
	}
	n, words := s.Len(), len(search.NewBits(s.Len()))
	if !s.ids.Sound() || !s.numbered() || len(s.mutating) != words || len(s.unknownOutput) != words ||
		len(s.compensated) != words || !s.store.opened(n, o.Attach) {
		return nil, nil, ErrImage
	}
	options := searchOptions(nil, n, nil)
	if s.index, err = search.OpenSegment(all, n, options); err != nil {
		return nil, nil, err
	}
	return s, remark, nil
}

// numbered reports whether numbers has each number once, if it has any.
func (s *Segment) numbered() bool {
	if len(s.numbers) == 0 {
		return true
	}
	seen := search.NewBits(s.Len())
	for _, n := range s.numbers {
		if int(n) >= s.Len() || seen.Has(int(n)) {
			return false
		}
		seen.Set(int(n))
	}
	return len(s.numbers) == s.Len()
}

// Join makes a catalog of segments: the same that New makes of their entries. It fails if two have an entry of the same
// id.
func Join(segments []*Segment, o Options) (*Catalog, error) {
	c := &Catalog{}
	size, ordered := 0, len(segments) == 1
	numbers := make([][]uint32, len(segments))
	for i, s := range segments {
		c.stores, numbers[i] = append(c.stores, s.store), make([]uint32, s.Len())
		size += s.Len()
		ordered = ordered && len(s.numbers) == 0
	}
	if !ordered {
		c.places = make([]place, 0, size)
	}
	c.mutating, c.unknownOutput = search.NewBits(size), search.NewBits(size)
	ids, next := make([]string, 0, size), make([]int, len(segments))
	for doc := range size {
		from := -1
		for i, s := range segments {
			if next[i] < s.Len() && (from < 0 || s.ID(next[i]) < segments[from].ID(next[from])) {
				from = i
			}
		}
		s, at := segments[from], next[from]
		next[from]++
		if doc > 0 && ids[doc-1] == s.ID(at) {
			return nil, fmt.Errorf("%s: two sources have an entry with this id", s.ID(at))
		}
		number := s.number(at)
		ids, numbers[from][number] = append(ids, s.ID(at)), uint32(doc)
		if c.places != nil {
			c.places = append(c.places, place{uint32(from), uint32(number)})
		}
		if s.mutating.Has(at) {
			c.mutating.Set(doc)
		}
		if s.unknownOutput.Has(at) {
			c.unknownOutput.Set(doc)
		}
		if s.compensated.Has(at) {
			c.compensated = append(c.compensated, doc)
		}
	}
	c.ids = spelling.NewList(ids)
	var wait sync.WaitGroup
	wait.Go(func() { c.nearID = spelling.NewIndex(&c.ids) })
	parts := make([]*search.Segment, len(segments))
	for i, s := range segments {
		parts[i] = s.index
	}
	c.index = search.Join(parts, numbers, searchOptions(o.Without, size, c.peek))
	wait.Wait()
	return c, nil
}
