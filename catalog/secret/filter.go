package secret

// This file redacts everything that leaves the program: with its current secrets, and in text that arrives in pieces.

import (
	"slices"
	"strings"
	"sync"
)

// A Filter removes the current values. A program has one, made at its start, since credentials are looked up, learned
// and renewed while it runs. It is safe for concurrent use; a nil *Filter removes nothing.
type Filter struct {
	values func() []string

	mu     sync.Mutex
	last   []string // what values returned last
	known  []string // all that it ever returned: a former secret must not be shown either
	cutter Cutter
}

// NewFilter returns a Filter of what values returns, which is called for every text and must be quick. Values of fewer
// than Least bytes are ignored.
func NewFilter(values func() []string) *Filter { return &Filter{values: values} }

// Now returns a Cutter of the current values, for one text or a few.
func (f *Filter) Now() Cutter {
	if f == nil {
		return Cutter{}
	}
	values := f.values()
	f.mu.Lock()
	defer f.mu.Unlock()
	if slices.Equal(values, f.last) {
		return f.cutter
	}
	f.last = slices.Clone(values)
	before := len(f.known)
	for _, value := range values {
		if !slices.Contains(f.known, value) {
			f.known = append(f.known, value)
		}
	}
	if len(f.known) > before {
		f.cutter = New(f.known, Least)
	}
	return f.cutter
}

// Text returns the text without the values; see Cutter.Text.
func (f *Filter) Text(text string) string { return f.Now().Text(text) }

// Stream returns a Stream of the values.
func (f *Filter) Stream() *Stream { return &Stream{filter: f} }

// A Stream removes values from a text that comes in pieces, wherever it is split. It holds back an end that may be the
// beginning of a value, from heldBack bytes on, until the next piece decides. It must not be used concurrently. A nil
// *Stream removes nothing.
type Stream struct {
	filter *Filter
	// text is the end of the input from where a value may begin; the first shown bytes of it were already returned.
	text  string
	shown int
}

// heldBack is how many bytes must match the beginning of a value before they are held back. Fewer are shown, since most
// words begin like some value, but remembered, so that no more than this of a value is ever shown.
const heldBack = 4

// Write takes a piece and returns what may be shown now.
func (s *Stream) Write(piece string) string { return s.next(piece, false) }

// End returns what was held back. The Stream can be used again for another text.
func (s *Stream) End() string { return s.next("", true) }

func (s *Stream) next(piece string, last bool) string {
	if s == nil {
		return piece
	}
	text := s.text + piece
	p := s.filter.Now().patterns
	if p == nil {
		out := text[s.shown:]
		s.text, s.shown = "", 0
		return out
	}
	var b strings.Builder
	out := s.shown // text before it has been returned
	for i := 0; i < len(text); {
		if !p.may(text, i) {
			i++
			continue
		}
		m := p.find(text[i:])
		switch {
		case m.open && !last:
			if m.got < heldBack {
				b.WriteString(text[out:])
				out = len(text)
			} else if i > out {
				b.WriteString(text[out:i])
				out = i
			}
			s.text, s.shown = text[i:], max(out-i, 0)
			return b.String()
		case m.size > 0:
			b.WriteString(text[min(out, i):i] + Mark)
			i += m.size
			out = max(out, i)
		default:
			i++
		}
	}
	b.WriteString(text[min(out, len(text)):])
	s.text, s.shown = "", 0
	return b.String()
}
