package catalog

// This file writes entries as bytes and reads them back one at a time, when they are looked up: a session reads a few
// hundred of 100,000 entries.

import (
	"encoding/binary"
	"encoding/json"
	"strings"
	"sync/atomic"
	"time"

	"almanac/catalog/search"
)

// Entries are numbered in the order of their ids. A catalog built by New holds them all; one opened by Open holds their
// bytes, and the entries looked up so far.
type stored struct {
	data    []byte
	offsets []uint64 // entry i is data[offsets[i]:offsets[i+1]]
	read    []atomic.Pointer[Entry]
	attach  func(e *Entry)
}

// id is the id of entry doc.
func (c *Catalog) id(doc int) string { return c.ids.At(doc) }

// entry is entry doc; it belongs to the catalog.
func (c *Catalog) entry(doc int) *Entry {
	if c.entries != nil {
		return &c.entries[doc]
	}
	if e := c.stored.read[doc].Load(); e != nil {
		return e
	}
	c.stored.read[doc].CompareAndSwap(nil, c.peek(doc))
	return c.stored.read[doc].Load()
}

// peek is entry doc without keeping it in memory.
func (c *Catalog) peek(doc int) *Entry {
	if c.entries != nil {
		return &c.entries[doc]
	}
	s := &c.stored
	if e := s.read[doc].Load(); e != nil {
		return e
	}
	r := entryReader{b: s.data[s.offsets[doc]:s.offsets[doc+1]]}
	e := r.entry()
	e.ID = c.id(doc)
	if s.attach != nil {
		s.attach(&e)
	}
	return &e
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
	b = appendFlag(appendText(appendText(b, e.Category), e.Version), e.Strict)
	b = appendConduct(b, e)
	return appendCompensation(b, e.Compensate)
}

// sizeHint is at least the size of what appendEntry adds for most entries.
func sizeHint(e *Entry) int {
	const heads = 48
	size := heads + len(e.Title) + len(e.Description) + len(e.Source) + len(e.Lua) + len(e.Target) +
		len(e.Category) + len(e.Version)
	for _, list := range [][]string{e.Namespace, e.Entities, e.Tags, e.Aliases, e.Examples} {
		for _, text := range list {
			size += len(text) + 2
		}
	}
	for _, s := range []*Schema{e.Input, e.Output} {
		if s != nil {
			size += len(s.text)
		}
	}
	return size
}

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

// An entryReader reads what appendEntry wrote. Texts and schemas stay where they are.
type entryReader struct {
	b []byte
}

func (r *entryReader) entry() Entry {
	e := Entry{
		Title: r.text(), Description: r.text(), Namespace: r.list(), Operation: Operation(r.text()), Entities: r.list(),
		Tags: r.list(), Aliases: r.list(), Input: r.schema(), Output: r.schema(), Mutates: r.flag(), Risk: Risk(r.text()),
		Examples: r.list(), Timeout: time.Duration(r.signed()), Source: r.text(),
	}
	if n := r.number(); n > 0 {
		e.Inject = make([]Injection, n)
		for i := range e.Inject {
			e.Inject[i] = Injection{Field: r.text(), From: r.text(), Number: r.flag(), Optional: r.flag()}
		}
	}
	e.Needs = r.list()
	if n := r.number(); n > 0 {
		e.Uses = make([]Use, n)
		for i := range e.Uses {
			e.Uses[i] = Use{r.text(), r.text(), r.text()}
		}
	}
	e.Lua, e.Target, e.Paged = r.text(), r.text(), r.flag()
	e.Effects = readEffects(r.text())
	e.Category, e.Version, e.Strict = r.text(), r.text(), r.flag()
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
	r.b = r.b[size:]
	return int(n)
}

func (r *entryReader) signed() int64 {
	n, size := binary.Varint(r.b)
	r.b = r.b[size:]
	return n
}

func (r *entryReader) flag() bool { return r.number() == 1 }

func (r *entryReader) bytes(n int) []byte {
	b := r.b[:n:n]
	r.b = r.b[n:]
	return b
}

func (r *entryReader) text() string { return search.StringOf(r.bytes(r.number())) }

func (r *entryReader) list() []string {
	n := r.number()
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
