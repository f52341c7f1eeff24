package catalog

// This file writes entries as bytes and reads them back one at a time, when they are looked up: a session reads a few
// hundred of 100,000 entries.

import (
	"encoding/binary"
	"encoding/json"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"almanac/catalog/search"
)

// A store holds the entries of a segment: as they came, or their bytes and those looked up so far.
type store struct {
	live    []Entry // nil for one that has their bytes
	data    []byte
	blocks  [][]byte // in the place of data: it is in several pieces
	starts  []uint64 // in step: where they begin
	offsets []uint64 // entry i is offsets[i] to offsets[i+1] of the data
	read    []atomic.Pointer[Entry]
	attach  func(e *Entry)
}

// entry is entry i, whose id is given; it belongs to the store.
func (s *store) entry(i int, id string) *Entry {
	if s.live != nil {
		return &s.live[i]
	}
	if e := s.read[i].Load(); e != nil {
		return e
	}
	s.read[i].CompareAndSwap(nil, s.peek(i, id))
	return s.read[i].Load()
}

// peek is entry without keeping it in memory.
func (s *store) peek(i int, id string) *Entry {
	if s.live != nil {
		return &s.live[i]
	}
	if e := s.read[i].Load(); e != nil {
		return e
	}
	r := entryReader{b: s.bytes(i)}
	e := r.entry()
	e.ID = id
	if s.attach != nil {
		s.attach(&e)
	}
	return &e
}

// bytes are those of entry i of a store that has them.
func (s *store) bytes(i int) []byte {
	from, to := s.offsets[i], s.offsets[i+1]
	if s.blocks == nil {
		return s.data[from:to]
	}
	b, ok := slices.BinarySearch(s.starts, from)
	if !ok {
		b--
	}
	return s.blocks[b][from-s.starts[b] : to-s.starts[b]]
}

// sections are the arrays of n entries as bytes, entry i being that of at. The entries are written one after the other,
// so that there is no need to have the bytes of all of them in memory.
func (s *store) sections(n int, at func(i int) (*store, int)) []search.Section {
	var buf []byte
	bytesOf := func(i int) []byte {
		st, k := at(i)
		if st.live == nil {
			return st.bytes(k)
		}
		buf = appendEntry(buf[:0], &st.live[k])
		return buf
	}
	offsets := sync.OnceValue(func() []uint64 {
		all := make([]uint64, 1, n+1)
		for i := range n {
			all = append(all, all[i]+uint64(len(bytesOf(i))))
		}
		return all
	})
	return []search.Section{
		search.Array("entry.offsets", &s.offsets).From(func() int { return len(search.BytesOf(offsets())) },
			func(yield func([]byte) bool) { yield(search.BytesOf(offsets())) }),
		search.Array("entry.bytes", &s.data).From(func() int { return int(offsets()[n]) },
			func(yield func([]byte) bool) {
				for i := 0; i < n && yield(bytesOf(i)); i++ {
				}
			}),
	}
}

// opened is what a store of n entries needs once its sections have been loaded; false if they cannot be those.
func (s *store) opened(n int, attach func(e *Entry)) bool {
	if len(s.offsets) != n+1 || !slices.IsSorted(s.offsets) || s.offsets[n] != uint64(len(s.data)) {
		return false
	}
	s.read, s.attach = make([]atomic.Pointer[Entry], n), attach
	return true
}

// appendEntry adds an entry without its id and its functions.
func appendEntry(b []byte, e *Entry) []byte {
	b = appendText(b, e.Title)
	b = appendText(b, e.Description)
	b = appendList(b, e.Namespace)
	b = appendText(b, string(e.Operation))
	b = appendList(b, e.Entities)
	b = appendList(b, e.Tags)
	b = appendList(b, e.Aliases)
	b = appendSchema(b, e.Input)
	b = appendSchema(b, e.Output)
	b = appendFlag(b, e.Mutates)
	b = appendText(b, string(e.Risk))
	b = appendList(b, e.Examples)
	b = binary.AppendVarint(b, int64(e.Timeout))
	b = appendText(b, e.Source)
	b = binary.AppendUvarint(b, uint64(len(e.Inject)))
	for _, injection := range e.Inject {
		b = appendText(appendText(b, injection.Field), injection.From)
		b = appendFlag(appendFlag(b, injection.Number), injection.Optional)
	}
	b = appendList(b, e.Needs)
	b = binary.AppendUvarint(b, uint64(len(e.Uses)))
	for _, use := range e.Uses {
		b = appendText(appendText(appendText(b, use.ID), use.Source), use.Fingerprint)
	}
	b = appendFlag(appendText(appendText(b, e.Lua), e.Target), e.Paged)
	b = appendEffects(b, e.Effects)
	b = appendFlag(appendText(appendText(appendText(b, e.Category), e.Version), e.Guide), e.Strict)
	b = appendText(b, e.Recipe)
	b = appendList(b, e.Products)
	b = binary.AppendUvarint(b, uint64(len(e.Supplies)))
	for _, s := range e.Supplies {
		b = appendText(appendText(appendText(b, s.ID), s.Argument), s.Field)
	}
	b = appendConduct(b, e)
	return appendCompensation(b, e.Compensate)
}

// AppendStored adds all of an entry that an image has, with its id.
func AppendStored(b []byte, e *Entry) []byte { return appendEntry(appendText(b, e.ID), e) }

// appendEffects writes an empty text where there are none. Their values are what JSON can hold.
func appendEffects(b []byte, effects []Effect) []byte {
	if len(effects) == 0 {
		return appendText(b, "")
	}
	raw, _ := json.Marshal(effects)
	return appendText(b, string(raw))
}

// appendCompensation writes an empty id where there is none. Args are what JSON can hold: Validate says so.
func appendCompensation(b []byte, c *Compensation) []byte {
	if c == nil {
		return appendText(b, "")
	}
	args, _ := json.Marshal(c.Args)
	return append(appendText(b, c.ID), args...)
}

func appendText(b []byte, text string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(text))), text...)
}

func appendList(b []byte, list []string) []byte {
	b = binary.AppendUvarint(b, uint64(len(list)))
	for _, text := range list {
		b = appendText(b, text)
	}
	return b
}

// appendSchema writes the length of the text plus one, so that a nil schema is a zero.
func appendSchema(b []byte, s *Schema) []byte {
	if s == nil {
		return append(b, 0)
	}
	return append(binary.AppendUvarint(b, uint64(len(s.text))+1), s.text...)
}

func appendFlag(b []byte, set bool) []byte {
	if set {
		return append(b, 1)
	}
	return append(b, 0)
}

// An entryReader reads what appendEntry wrote. Texts and schemas stay where they are. Other bytes give an entry without
// meaning.
type entryReader struct {
	b []byte
}

func (r *entryReader) entry() Entry {
	e := Entry{
		Title: r.text(), Description: r.text(), Namespace: r.list(), Operation: Operation(r.text()), Entities: r.list(),
		Tags: r.list(), Aliases: r.list(), Input: r.schema(), Output: r.schema(), Mutates: r.flag(), Risk: Risk(r.text()),
		Examples: r.list(), Timeout: time.Duration(r.signed()), Source: r.text(),
	}
	if n := r.count(); n > 0 {
		e.Inject = make([]Injection, n)
		for i := range e.Inject {
			e.Inject[i] = Injection{Field: r.text(), From: r.text(), Number: r.flag(), Optional: r.flag()}
		}
	}
	e.Needs = r.list()
	if n := r.count(); n > 0 {
		e.Uses = make([]Use, n)
		for i := range e.Uses {
			e.Uses[i] = Use{r.text(), r.text(), r.text()}
		}
	}
	e.Lua, e.Target, e.Paged = r.text(), r.text(), r.flag()
	e.Effects = readEffects(r.text())
	e.Category, e.Version, e.Guide, e.Strict = r.text(), r.text(), r.text(), r.flag()
	e.Recipe = r.text()
	e.Products = r.list()
	if n := r.count(); n > 0 {
		e.Supplies = make([]Supply, n)
		for i := range e.Supplies {
			e.Supplies[i] = Supply{r.text(), r.text(), r.text()}
		}
	}
	r.conduct(&e)
	if id := r.text(); id != "" {
		e.Compensate = &Compensation{ID: id}
		args, _ := ParseJSON(r.b)
		e.Compensate.Args, _ = args.(map[string]any)
	}
	return e
}

func readEffects(raw string) (effects []Effect) {
	if raw == "" {
		return nil
	}
	dec := json.NewDecoder(strings.NewReader(raw))
	dec.UseNumber()
	if dec.Decode(&effects) != nil {
		return nil
	}
	for i := range effects {
		effects[i].Value = PlainNumbers(effects[i].Value)
	}
	return effects
}

func (r *entryReader) number() int {
	n, size := binary.Uvarint(r.b)
	r.b = r.b[max(0, size):]
	return int(n)
}

// count is a number of things, each of which takes a byte at least.
func (r *entryReader) count() int {
	if n := r.number(); n >= 0 && n <= len(r.b) {
		return n
	}
	return 0
}

func (r *entryReader) signed() int64 {
	n, size := binary.Varint(r.b)
	r.b = r.b[max(0, size):]
	return n
}

func (r *entryReader) flag() bool { return r.number() == 1 }

// bytes are the next n, as many as there are.
func (r *entryReader) bytes(n int) []byte {
	n = min(max(0, n), len(r.b))
	b := r.b[:n:n]
	r.b = r.b[n:]
	return b
}

func (r *entryReader) text() string { return search.StringOf(r.bytes(r.number())) }

func (r *entryReader) list() []string {
	n := r.count()
	if n == 0 {
		return nil
	}
	list := make([]string, n)
	for i := range list {
		list[i] = r.text()
	}
	return list
}

func (r *entryReader) schema() *Schema {
	n := r.number()
	if n == 0 {
		return nil
	}
	return &Schema{text: r.bytes(n - 1)}
}
