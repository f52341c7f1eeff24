package catalog

// This file writes schemas of objects for sources that know the fields, so that indexing need not read them again.

import (
	"slices"
	"strings"

	"almanac/catalog/search"
	"almanac/catalog/spec"
	"almanac/catalog/tree"
)

// mostPooled is how many schemas are shared.
const mostPooled = 1 << 12

// An ObjectWriter writes schemas of objects, one after the other; equal ones are mostly the same one. The zero value is
// ready to use. Not safe for concurrent use.
type ObjectWriter struct {
	pool           map[string]*Schema // by their text
	text, required []byte
	fields         []writtenField
	names          []string // reused
}

// A writtenField is a field of the object at hand: its name, if it is not text[named:] itself, and the place of its
// schema.
type writtenField struct {
	name            string
	named, from, to int
	required        bool
}

// Field adds a field. members are those of its schema, as JSON without braces, valid and without references.
func (w *ObjectWriter) Field(name, members string, required bool) {
	if len(w.fields) == 0 {
		w.begin()
	} else {
		w.text = append(w.text, ',')
	}
	f := writtenField{named: len(w.text) + 1, required: required}
	w.text = tree.Quote(w.text, name)
	if f.named+len(name)+1 != len(w.text) { // something is escaped
		f.name = strings.Clone(name)
	}
	f.from = len(w.text) + 1
	w.text = append(append(append(w.text, ":{"...), members...), '}')
	f.to = len(w.text)
	w.fields = append(w.fields, f)
	if !required {
		return
	}
	if len(w.required) > 0 {
		w.required = append(w.required, ',')
	}
	w.required = tree.Quote(w.required, name)
}

func (w *ObjectWriter) begin() {
	w.text, w.required = append(w.text[:0], `{"type":"object","properties":{`...), w.required[:0]
}

// Schema is the schema of the object with the fields that have been added; the next one begins.
func (w *ObjectWriter) Schema() *Schema {
	if len(w.fields) == 0 {
		w.begin()
	}
	w.text = append(w.text, '}')
	if len(w.required) > 0 {
		w.text = append(append(append(w.text, `,"required":[`...), w.required...), ']')
	}
	w.text = append(w.text, '}')
	s, ok := w.pool[string(w.text)]
	if !ok {
		s = w.written()
		if w.pool == nil || len(w.pool) >= mostPooled {
			w.pool = map[string]*Schema{}
		}
		w.pool[s.Text()] = s
	}
	w.fields = w.fields[:0]
	return s
}

// written is the schema of the text, with its fields as spec.Document.Fields has them.
func (w *ObjectWriter) written() *Schema {
	s := KnownSchema(slices.Clone(w.text))
	s.props = make([]spec.Property, 0, len(w.fields))
	for _, required := range [...]bool{true, false} {
		for _, f := range w.fields {
			if f.required != required {
				continue
			}
			name := f.name
			if name == "" {
				name = search.StringOf(s.text[f.named : f.from-2 : f.from-2])
			}
			s.props = append(s.props, spec.Property{Name: name, Text: s.text[f.from:f.to:f.to], Required: required})
		}
	}
	w.names = w.names[:0]
	for _, p := range s.props {
		w.names = append(w.names, p.Name)
	}
	slices.Sort(w.names)
	if len(slices.Compact(w.names)) < len(s.props) {
		s.props = nil // some come twice: what that means, spec knows
	}
	return s
}
