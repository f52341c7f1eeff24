package catalog

// This file writes a built catalog as one piece of bytes and opens it again without building anything. An image is
//
//	magic    what it is and in which form
//	sum      CRC-32C of all that follows
//	sections their number, then name, offset and length of each; numbers are 64 bits, as the machine has them
//	the bytes of the sections, each from a multiple of 8 on
//
// Numbers are stored as the machine has them, and the magic has one that tells: an image from a machine that writes its
// numbers the other way round is refused like a damaged one.

import (
	"almanac/catalog/search/spelling"
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"sync/atomic"
	"unsafe"
)

// imageForm counts the changes of the layout.
const imageForm = 1

// ErrImage says that bytes are no image of a catalog, or a damaged one.
var ErrImage = errors.New("no image of a catalog, or a damaged one")

const (
	magicSize   = 16
	headSize    = magicSize + 16 // with the sum and the number of sections
	sectionName = 24
	sectionSize = sectionName + 16
	alignment   = 8
)

func imageMagic() []byte {
	b := append([]byte("almanac\n"), 0, 0, 0, 0, 0, 0, 0, 0)
	binary.NativeEndian.PutUint64(b[8:], imageForm)
	return b
}

// A section is one array of a catalog, as bytes. load takes the bytes over and fails where their number cannot be.
type section struct {
	name  string
	bytes func() []byte
	load  func([]byte) error
}

// array is the section of a slice of numbers.
func array[T ~uint8 | ~int32 | ~uint32 | ~uint64 | ~float64](name string, at *[]T) section {
	size := int(unsafe.Sizeof(*new(T)))
	return section{name,
		func() []byte { return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(*at))), len(*at)*size) },
		func(b []byte) error {
			if len(b)%size != 0 {
				return ErrImage
			}
			*at = unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/size)
			return nil
		},
	}
}

// textSection is the section of a string.
func textSection(name string, at *string) section {
	return section{name,
		func() []byte { return unsafe.Slice(unsafe.StringData(*at), len(*at)) },
		func(b []byte) error {
			*at = stringOf(b)
			return nil
		},
	}
}

// stringOf is b as a string, in the same memory: b is never written to again.
func stringOf(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

func columnSections(name string, c *spelling.List) []section {
	return []section{array(name+".offsets", &c.Offsets), textSection(name+".text", &c.Text)}
}

func spellerSections(name string, s *spelling.Index) []section {
	return []section{
		array(name+".near.letters", &s.Letters), array(name+".near.places", &s.Places), array(name+".near.starts", &s.Starts),
	}
}

// sections are all arrays of a catalog. A new array is one more line here; imageForm need not change for it.
func (c *Catalog) sections() []section {
	ix := c.index
	all := []section{
		array("entry.offsets", &c.stored.offsets),
		array("entry.bytes", &c.stored.data),
		array("word.table", &ix.words.table),
		array("intents", &ix.intents),
		array("idf", &ix.idf),
		array("about", &ix.about),
		array("called.sums", &ix.called.sums),
		array("called.codes", &ix.called.codes),
		array("posting.offsets", &ix.offsets),
		array("posting.docs", &ix.posted),
		array("posting.impacts", &ix.impacts),
		array("name.offsets", &ix.names.offsets),
		array("name.docs", &ix.names.docs),
		array("name.shares", &ix.names.shares),
		array("lead.offsets", &ix.leads.offsets),
		array("lead.docs", &ix.leads.docs),
		array("lead.shares", &ix.leads.shares),
		array("pair.offsets", &ix.pairOffsets),
		array("pairs", &ix.pairs),
		array("product.sums", &c.products.sums),
		array("product.namespaces", &c.products.namespaces),
		array("mutating", (*[]uint64)(&c.exact.mutating)),
		array("unknown.output", (*[]uint64)(&c.exact.unknownOutput)),
	}
	all = append(all, columnSections("id", &c.ids)...)
	all = append(all, spellerSections("id", &c.nearID)...)
	all = append(all, columnSections("word", &ix.words.List)...)
	all = append(all, spellerSections("word", &ix.nearStem)...)
	all = append(all, columnSections("written", &ix.written.words)...)
	all = append(all, spellerSections("written", &ix.written.near)...)
	all = append(all, array("written.terms", &ix.written.terms))
	for k := range c.exact.kinds {
		p := &c.exact.kinds[k]
		name := fmt.Sprintf("exact%d", k)
		all = append(all, columnSections(name, &p.names)...)
		if kind(k).spelled() {
			all = append(all, spellerSections(name, &p.near)...)
		}
		all = append(all, array(name+".docs.offsets", &p.offsets), array(name+".docs", &p.docs))
	}
	return all
}

// WriteImage writes the catalog to w, without the functions of its entries, and remark beside it: what Open gives back.
// The same entries give the same bytes on machines of one kind. A catalog that was opened cannot be written again.
func (c *Catalog) WriteImage(w io.Writer, remark []byte) error {
	if c.entries == nil && c.Len() > 0 {
		return errors.New("catalog: it comes from an image")
	}
	whole := *c.imaged()
	sections := append(whole.sections(), array("remark", &remark))
	head := make([]byte, headSize+len(sections)*sectionSize)
	copy(head, imageMagic())
	binary.NativeEndian.PutUint64(head[magicSize+8:], uint64(len(sections)))
	at := len(head)
	for i, s := range sections {
		b := head[headSize+i*sectionSize:]
		copy(b, s.name)
		at += -at & (alignment - 1)
		binary.NativeEndian.PutUint64(b[sectionName:], uint64(at))
		binary.NativeEndian.PutUint64(b[sectionName+8:], uint64(len(s.bytes())))
		at += len(s.bytes())
	}
	pieces := [][]byte{head[magicSize+8:]}
	at = len(head)
	for _, s := range sections {
		gap := -at & (alignment - 1)
		pieces = append(pieces, make([]byte, gap), s.bytes())
		at += gap + len(s.bytes())
	}
	sum := uint32(0)
	for _, piece := range pieces {
		sum = crc32.Update(sum, crc32.MakeTable(crc32.Castagnoli), piece)
	}
	binary.NativeEndian.PutUint64(head[magicSize:], uint64(sum))
	for _, piece := range append([][]byte{head[:magicSize+8]}, pieces...) {
		if _, err := w.Write(piece); err != nil {
			return err
		}
	}
	return nil
}

// imaged is the catalog with its entries as bytes.
func (c *Catalog) imaged() *Catalog {
	whole := &Catalog{ids: c.ids, nearID: c.nearID, products: c.products, index: c.index, exact: c.exact}
	whole.stored.offsets = make([]uint64, 1, len(c.entries)+1)
	for i := range c.entries {
		whole.stored.data = appendEntry(whole.stored.data, &c.entries[i])
		whole.stored.offsets = append(whole.stored.offsets, uint64(len(whole.stored.data)))
	}
	return whole
}

// OpenOptions say how an image is opened. The zero value is ready to use.
type OpenOptions struct {
	// Without switches levers of ranking off.
	Without []Lever
	// Attach gives an entry its functions, Action and Preview, when it is asked for; nil leaves all without. It must
	// change nothing else, and be safe for concurrent use.
	Attach func(e *Entry)
}

// Open opens what WriteImage wrote, and returns its remark. It ranks as the catalog did that was written. Entries are
// read when they are asked for. image is taken over and must not be changed afterwards. The error is ErrImage, or wraps
// it, for anything that is not an image of this form, whole.
func Open(image []byte, o OpenOptions) (c *Catalog, remark []byte, err error) {
	if len(image) < headSize || !bytes.Equal(image[:magicSize], imageMagic()) {
		return nil, nil, ErrImage
	}
	sum := binary.NativeEndian.Uint64(image[magicSize:])
	if uint64(crc32.Checksum(image[magicSize+8:], crc32.MakeTable(crc32.Castagnoli))) != sum {
		return nil, nil, ErrImage
	}
	if uintptr(unsafe.Pointer(unsafe.SliceData(image)))%alignment != 0 {
		aligned := make([]uint64, len(image)/alignment+1)
		moved := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(aligned))), len(image))
		copy(moved, image)
		image = moved
	}
	found, err := imageSections(image)
	if err != nil {
		return nil, nil, err
	}
	c = newCatalog(o.Without)
	c.index = &index{}
	c.stored.attach = o.Attach
	for _, s := range append(c.sections(), array("remark", &remark)) {
		b, ok := found[s.name]
		if !ok {
			return nil, nil, fmt.Errorf("section %s: %w", s.name, ErrImage)
		}
		if err := s.load(b); err != nil {
			return nil, nil, fmt.Errorf("section %s: %w", s.name, err)
		}
	}
	c.index.docs = c.ids.Len()
	if len(c.stored.offsets) != c.index.docs+1 || len(c.index.about) != c.index.docs*vectorDims {
		return nil, nil, ErrImage
	}
	c.stored.read = make([]atomic.Pointer[Entry], c.index.docs)
	return c, remark, nil
}

// imageSections are the bytes of each section by name.
func imageSections(image []byte) (map[string][]byte, error) {
	n := binary.NativeEndian.Uint64(image[magicSize+8:])
	if n > uint64(len(image)-headSize)/sectionSize {
		return nil, ErrImage
	}
	found := make(map[string][]byte, n)
	for i := range int(n) {
		b := image[headSize+i*sectionSize:]
		at, size := binary.NativeEndian.Uint64(b[sectionName:]), binary.NativeEndian.Uint64(b[sectionName+8:])
		if at%alignment != 0 || at > uint64(len(image)) || size > uint64(len(image))-at {
			return nil, ErrImage
		}
		found[string(bytes.TrimRight(b[:sectionName], "\x00"))] = image[at : at+size : at+size]
	}
	return found, nil
}

// Version changes when the same entries would give another image: it is a sum over the form, the shipped words, and the
// image of a few entries that have something of everything.
func Version() string {
	h := sha256.New()
	h.Write([]byte(wordsText))
	h.Write([]byte(vectorsText))
	c, _ := New(samples(), Options{})
	if err := c.WriteImage(h, nil); err != nil {
		panic(err) // a hash takes everything
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}

// samples are entries that show how texts and schemas are indexed.
func samples() []Entry {
	return []Entry{
		{
			ID: "billing.invoice.list_unpaid", Title: "Unpaid invoices", Description: "Lists the unpaid invoices of a customer, oldest first; café №5, HTTPServer2.",
			Entities: []string{"Invoice", "customers"}, Tags: []string{"past-due", "money"}, Aliases: []string{"overdue bills", "getDebts"},
			Input:  MustSchema(`{"type":"object","properties":{"customerId":{"type":"string","description":"Who owes the money"},"ids":{"type":"array","items":{"type":"integer"}},"when":{"$ref":"#/$defs/day"}},"required":["customerId"],"$defs":{"day":{"type":"string","description":"a calendar day"}}}`),
			Output: MustSchema(`{"type":"array","items":{"type":"object","title":"invoice","properties":{"id":{"type":"integer"},"customer":{"type":"object","properties":{"id":{"type":"integer"},"account_id":{"type":"string"}}},"lines":{"type":"array","items":{"title":"line item","type":"object","properties":{"amountCents":{"type":"integer"}}}}}}}`),
		},
		{ID: "crm.customer.delete", Description: "Removing a customer is not undone.", Operation: Delete, Mutates: true, Risk: High, Input: MustSchema(`{"anyOf":[{"properties":{"id":{}}},{"properties":{"name":{}}}]}`)},
		{ID: "ops.sendMailToAll", Description: "Sends an e-mail; computed statistics are updated and converted.", Mutates: true, Output: MustSchema(`{"allOf":[{"properties":{"sent_at":{}}}]}`)},
		{ID: "search-everything", Namespace: []string{"Find"}, Description: "各国の検索 über alles", Operation: Read},
	}
}
