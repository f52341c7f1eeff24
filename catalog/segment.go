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
	ids   spelling.List
	store store
	index *search.Segment
	// Marks of the entries; see Catalog.
	mutating, unknownOutput, compensated search.Bits
}

// NewSegment prepares entries; see New. It takes over the slice.
func NewSegment(entries []Entry, o Options) (*Segment, Report) {
	var report Report
	seen := make(map[string]bool, len(entries))
	s := &Segment{store: store{live: entries[:0]}}
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
		if len(e.Namespace) == 0 {
			e.Namespace = parentPath(e.ID)
		}
		if e.Strict {
			e.Input = e.Input.closed()
		}
		s.store.live = append(s.store.live, e)
	}
	clear(entries[len(s.store.live):])
	live := s.store.live
	report.Loaded = len(live)
	sortEntries(live)
	ids := make([]string, len(live))
	s.mutating, s.unknownOutput = search.NewBits(len(live)), search.NewBits(len(live))
	s.compensated = search.NewBits(len(live))
	for i := range live {
		ids[i] = live[i].ID
		if live[i].Mutates {
			s.mutating.Set(i)
		}
		if live[i].Output == nil {
			s.unknownOutput.Set(i)
		}
		if live[i].Compensate != nil {
			s.compensated.Set(i)
		}
	}
	s.ids = spelling.NewList(ids)
	options := searchOptions(nil, len(live), func(i int) *Entry { return &live[i] })
	options.Progress = o.Progress
	s.index = search.Scan(len(live), options)
	return s, report
}

// Len is the number of entries.
func (s *Segment) Len() int { return s.ids.Len() }

// ID is the id of entry i.
func (s *Segment) ID(i int) string { return s.ids.At(i) }

// Entry is entry i. It belongs to the segment and must not be changed.
func (s *Segment) Entry(i int) *Entry { return s.store.peek(i, s.ids.At(i)) }

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
	at := func(i int) (*store, int) { return &s.store, i }
	return slices.Concat(search.NamesSections("id", &s.ids, nil), to.sections(s.Len(), at), []search.Section{
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
	s = &Segment{}
	if err := all.Load(s.sections(&s.store, &remark)...); err != nil {
		return nil, nil, err
	}
	n, words := s.Len(), len(search.NewBits(s.Len()))
	if !s.ids.Sound() || len(s.mutating) != words || len(s.unknownOutput) != words || len(s.compensated) != words ||
		!s.store.opened(n, o.Attach) {
		return nil, nil, ErrImage
	}
	options := searchOptions(nil, n, func(i int) *Entry { return s.Entry(i) })
	if s.index, err = search.OpenSegment(all, n, options); err != nil {
		return nil, nil, err
	}
	return s, remark, nil
}

// Join makes a catalog of segments: the same that New makes of their entries. It fails if two have an entry of the same
// id.
func Join(segments []*Segment, o Options) (*Catalog, error) {
	c := &Catalog{}
	size := 0
	for _, s := range segments {
		c.stores = append(c.stores, &s.store)
		size += s.Len()
	}
	if len(segments) != 1 {
		c.places = make([]place, 0, size)
	}
	c.mutating, c.unknownOutput = search.NewBits(size), search.NewBits(size)
	ids, numbers := make([]string, 0, size), make([][]uint32, len(segments))
	for doc := range size {
		from := -1
		for i, s := range segments {
			if at := len(numbers[i]); at < s.Len() && (from < 0 || s.ID(at) < segments[from].ID(len(numbers[from]))) {
				from = i
			}
		}
		s, at := segments[from], len(numbers[from])
		if doc > 0 && ids[doc-1] == s.ID(at) {
			return nil, fmt.Errorf("%s: two sources have an entry with this id", s.ID(at))
		}
		ids, numbers[from] = append(ids, s.ID(at)), append(numbers[from], uint32(doc))
		if c.places != nil {
			c.places = append(c.places, place{uint32(from), uint32(at)})
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
