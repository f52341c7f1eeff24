package search

// This file writes a built index, and the arrays that others keep beside it, as one block of bytes, and reads it again
// without rebuilding anything. An image is
//
//	magic    what it is and in which form
//	sections their number, then name, offset and length of each; numbers are 64 bits, as the machine has them
//	the bytes of the sections, each from a multiple of 8 on
//	sum      CRC-32C of all that is between magic and sum, at a multiple of 8
//
// Numbers are stored in the machine's byte order. The magic includes a number, so that an image from a machine with
// another byte order is refused like a damaged one.

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"iter"
	"unsafe"

	"almanac/catalog/search/spelling"
)

// imageForm counts the changes of the layout.
const imageForm = 3

// ErrImage means that the bytes are not an image, or a damaged one.
var ErrImage = errors.New("not an image of a catalog, or a damaged one")

const (
	magicSize   = 16
	headSize    = magicSize + 8 // with the number of sections
	checkSize   = 8
	sectionName = 24
	sectionSize = sectionName + 16
	alignment   = 8
)

func imageMagic() []byte {
	b := append([]byte("almanac\n"), 0, 0, 0, 0, 0, 0, 0, 0)
	binary.NativeEndian.PutUint64(b[8:], imageForm)
	return b
}

// A Section is one array of an image, as bytes. load takes the bytes over and fails if their number is impossible.
type Section struct {
	name   string
	size   func() int
	pieces iter.Seq[[]byte] // as many bytes together as size says
	load   func([]byte) error
}

// From is the section with what it writes taken from pieces, which have size bytes together. A piece is not used after
// the next has been asked for.
func (s Section) From(size func() int, pieces iter.Seq[[]byte]) Section {
	s.size, s.pieces = size, pieces
	return s
}

// section is one whose bytes are those of all.
func section(name string, all func() []byte, load func([]byte) error) Section {
	return Section{name, func() int { return len(all()) }, func(yield func([]byte) bool) { yield(all()) }, load}
}

// BytesOf are numbers, or records without pointers, as they lie in memory.
func BytesOf[T any](list []T) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(list))), len(list)*int(unsafe.Sizeof(*new(T))))
}

// Array is the section of a slice of numbers.
func Array[T ~uint8 | ~uint16 | ~int32 | ~uint32 | ~uint64 | ~float64](name string, at *[]T) Section {
	return records(name, at)
}

// records is the section of a slice of numbers, or of records without pointers.
func records[T any](name string, at *[]T) Section {
	size := int(unsafe.Sizeof(*new(T)))
	return section(name,
		func() []byte { return BytesOf(*at) },
		func(b []byte) error {
			if len(b)%size != 0 {
				return ErrImage
			}
			*at = unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/size)
			return nil
		},
	)
}

// textSection is the section of a string.
func textSection(name string, at *string) Section {
	return section(name,
		func() []byte { return unsafe.Slice(unsafe.StringData(*at), len(*at)) },
		func(b []byte) error {
			*at = StringOf(b)
			return nil
		},
	)
}

// StringOf is b as a string, in the same memory: b is never written to again.
func StringOf(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

// NamesSections are the sections of a list of names and, if near is not nil, of its index of near names.
func NamesSections(name string, l *spelling.List, near *spelling.Index) []Section {
	all := []Section{Array(name+".offsets", &l.Offsets), textSection(name+".text", &l.Text)}
	if near == nil {
		return all
	}
	return append(all, Array(name+".near.letters", &near.Letters), Array(name+".near.places", &near.Places),
		Array(name+".near.starts", &near.Starts))
}

// Sections are all arrays of the index. A new array is one more line here; imageForm need not change for it.
func (ix *Index) Sections() []Section {
	all := []Section{
		Array("word.table", &ix.words.table),
		Array("intents", &ix.intents),
		Array("idf", &ix.idf),
		Array("about", &ix.about),
		Array("phrase.sums", &ix.phrases.sums),
		Array("phrase.codes", &ix.phrases.codes),
		Array("posting.offsets", &ix.offsets),
		Array("posting.docs", &ix.posted),
		Array("posting.impacts", &ix.impacts),
		Array("name.offsets", &ix.names.offsets),
		Array("name.docs", &ix.names.docs),
		Array("name.shares", &ix.names.shares),
		Array("lead.offsets", &ix.leads.offsets),
		Array("lead.docs", &ix.leads.docs),
		Array("lead.shares", &ix.leads.shares),
		Array("pair.offsets", &ix.pairOffsets),
		Array("pairs", &ix.pairs),
		Array("path.sums", &ix.namedPaths.sums),
		Array("path.namespaces", &ix.namedPaths.namespaces),
		Array("written.terms", &ix.written.terms),
	}
	all = append(all, NamesSections("word", &ix.words.List, &ix.nearStem)...)
	all = append(all, NamesSections("written", &ix.written.words, &ix.written.near)...)
	for kind, spelled := range ix.options.Kinds {
		k := &ix.keys[kind]
		name := fmt.Sprintf("key%d", kind)
		near := &k.near
		if !spelled {
			near = nil
		}
		all = append(all, NamesSections(name, &k.Names, near)...)
		all = append(all, Array(name+".docs.offsets", &k.offsets), Array(name+".docs", &k.docs))
	}
	return all
}

// Open reads an index from an image, and others with it. The options must be those it was built with; docs returns the
// number of documents once the sections are loaded.
func Open(image []byte, o Options, others []Section, docs func() int) (*Index, error) {
	ix := empty(o)
	all, err := ReadImage(image)
	if err == nil {
		err = all.Load(append(ix.Sections(), others...)...)
	}
	if err != nil {
		return nil, err
	}
	ix.docs = docs()
	if len(ix.about) != ix.docs*vectorDims || len(ix.intents) != ix.docs {
		return nil, ErrImage
	}
	return ix, nil
}

// WriteImage writes sections to w. The same sections give the same image on machines of one kind.
func WriteImage(w io.Writer, sections []Section) error {
	head := make([]byte, headSize+len(sections)*sectionSize)
	copy(head, imageMagic())
	binary.NativeEndian.PutUint64(head[magicSize:], uint64(len(sections)))
	at := len(head)
	for i, s := range sections {
		b := head[headSize+i*sectionSize:]
		copy(b, s.name)
		at += gap(at)
		binary.NativeEndian.PutUint64(b[sectionName:], uint64(at))
		binary.NativeEndian.PutUint64(b[sectionName+8:], uint64(s.size()))
		at += s.size()
	}
	sum, at := uint32(0), magicSize
	var err error
	write := func(b []byte) bool {
		sum = crc32.Update(sum, crc32.MakeTable(crc32.Castagnoli), b)
		at += len(b)
		_, err = w.Write(b)
		return err == nil
	}
	if _, err := w.Write(head[:magicSize]); err != nil {
		return err
	}
	write(head[magicSize:])
	for _, s := range sections {
		if err == nil && write(make([]byte, gap(at))) {
			s.pieces(write)
		}
	}
	if err == nil && write(make([]byte, gap(at))) {
		_, err = w.Write(binary.NativeEndian.AppendUint64(nil, uint64(sum)))
	}
	return err
}

// gap is how many bytes are left out so that the next section begins where it has to.
func gap(at int) int { return -at & (alignment - 1) }

// An Image is the sections of a block of bytes.
type Image struct{ sections map[string][]byte }

// ReadImage finds the sections of an image. It takes over image, which must not be changed afterwards. The error is
// ErrImage for anything but a complete image of this form.
func ReadImage(image []byte) (*Image, error) {
	if len(image) < headSize+checkSize || !bytes.Equal(image[:magicSize], imageMagic()) {
		return nil, ErrImage
	}
	image, end := image[:len(image)-checkSize], image[len(image)-checkSize:]
	sum := binary.NativeEndian.Uint64(end)
	if uint64(crc32.Checksum(image[magicSize:], crc32.MakeTable(crc32.Castagnoli))) != sum {
		return nil, ErrImage
	}
	if uintptr(unsafe.Pointer(unsafe.SliceData(image)))%alignment != 0 {
		aligned := make([]uint64, len(image)/alignment+1)
		moved := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(aligned))), len(image))
		copy(moved, image)
		image = moved
	}
	found, err := imageSections(image)
	if err != nil {
		return nil, err
	}
	return &Image{found}, nil
}

// Load loads sections. The error is or wraps ErrImage.
func (m *Image) Load(sections ...Section) error {
	for _, s := range sections {
		b, ok := m.sections[s.name]
		if !ok {
			return fmt.Errorf("section %s: %w", s.name, ErrImage)
		}
		if err := s.load(b); err != nil {
			return fmt.Errorf("section %s: %w", s.name, err)
		}
	}
	return nil
}

// imageSections are the bytes of each section by name.
func imageSections(image []byte) (map[string][]byte, error) {
	n := binary.NativeEndian.Uint64(image[magicSize:])
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

// WriteData writes the shipped words that an image depends on, to be hashed.
func WriteData(w io.Writer) error {
	_, err := io.WriteString(w, wordsText+vectorsText)
	return err
}
