package catalog

// This file makes a segment while its entries are read, so that a large source is never in memory as entries.

import (
	"cmp"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"almanac/catalog/search"
)

// A Builder makes a segment of entries that come some at a time. They are indexed on all processors while others are
// read, and kept as bytes. Not safe for concurrent use.
type Builder struct {
	room    int
	attach  func(*Entry)
	called  bool // some can be called
	scanner *search.Scanner
	idle    chan []byte // one for each batch that may be indexed at a time, with room for its bytes
	wait    sync.WaitGroup
	blocks  []*block // in the order in which they came
}

// A block is a batch of entries that has been indexed.
type block struct {
	kept  chan struct{} // closed when what follows is there
	ids   []string
	marks []marks
	data  []byte
	ends  []int // entry i is that of data up to ends[i]
}

// NewBuilder has room for about size entries from the start; there may be more. attach gives them their functions
// again; see OpenOptions.Attach.
func NewBuilder(size int, attach func(*Entry)) *Builder {
	b := &Builder{room: size, attach: attach, scanner: search.NewScanner(searchOptions(nil, size, nil)),
		idle: make(chan []byte, runtime.GOMAXPROCS(0))}
	for range cap(b.idle) {
		b.idle <- nil
	}
	return b
}

// Add takes over entries. Their ids pass CheckID, and none has come before. It waits while as many batches as there are
// processors are being indexed.
func (b *Builder) Add(entries []Entry) {
	if len(entries) == 0 {
		return
	}
	buf := <-b.idle
	b.called = b.called || slices.ContainsFunc(entries, func(e Entry) bool { return e.Callable() })
	made, number := &block{kept: make(chan struct{})}, len(b.blocks)
	b.blocks = append(b.blocks, made)
	b.wait.Go(func() {
		made.ends = make([]int, len(entries))
		buf = buf[:0]
		for i := range entries {
			e := &entries[i]
			e.complete()
			made.ids, made.marks = append(made.ids, e.ID), append(made.marks, e.marks())
			buf = appendEntry(buf, e)
			made.ends[i] = len(buf)
		}
		made.data = slices.Clone(buf)
		close(made.kept)
		b.scanner.Scan(number, len(entries), func(i int, d *search.Document) { document(&entries[i], b.room, d) })
		b.idle <- buf
	})
}

// Entries are those that have come.
func (b *Builder) Entries() (entries []Entry) {
	for _, made := range b.blocks {
		<-made.kept
		from := 0
		for i, end := range made.ends {
			r := entryReader{b: made.data[from:end]}
			e := r.entry()
			e.ID, from = made.ids[i], end
			if b.attach != nil {
				b.attach(&e)
			}
			entries = append(entries, e)
		}
	}
	return entries
}

// Segment is the segment of all that has come. Nothing can be added afterwards.
func (b *Builder) Segment() *Segment {
	b.wait.Wait()
	s := &Segment{store: &store{offsets: []uint64{0}, attach: b.attach}, inert: !b.called}
	var ids []string
	var all []marks
	for _, made := range b.blocks {
		start := s.store.offsets[len(ids)]
		s.store.blocks, s.store.starts = append(s.store.blocks, made.data), append(s.store.starts, start)
		for _, end := range made.ends {
			s.store.offsets = append(s.store.offsets, start+uint64(end))
		}
		ids, all = append(ids, made.ids...), append(all, made.marks...)
	}
	b.blocks = nil
	var wait sync.WaitGroup
	wait.Go(func() { s.index = b.scanner.Segment() })
	s.store.read = make([]atomic.Pointer[Entry], len(ids))
	s.numbers = make([]uint32, len(ids))
	for i := range s.numbers {
		s.numbers[i] = uint32(i)
	}
	slices.SortFunc(s.numbers, func(a, b uint32) int { return cmp.Compare(ids[a], ids[b]) })
	sorted := make([]string, len(ids))
	for i, n := range s.numbers {
		sorted[i] = ids[n]
	}
	s.named(sorted, func(i int) marks { return all[s.numbers[i]] })
	wait.Wait()
	return s
}
