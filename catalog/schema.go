package catalog

// This file holds Schema: its text, its fields and the short names of its types.

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"github.com/google/jsonschema-go/jsonschema"

	"almanac/catalog/search"
	"almanac/catalog/spec"
	"almanac/catalog/tree"
)

// A Schema is a JSON Schema (drafts 7 and 2020-12). It keeps the text and parses it when first needed, so that a
// catalog of 100,000 entries costs no more than their text. Safe for concurrent use; a nil *Schema allows only an empty
// argument table.
type Schema struct {
	text json.RawMessage
	// props are the fields, where who wrote the text knew them; nil elsewhere.
	props []spec.Property

	once     sync.Once
	parsed   *jsonschema.Schema
	resolved *jsonschema.Resolved
	err      error
}

// load parses the schema once. Any $schema is accepted, whatever the library makes of the draft.
func (s *Schema) load() error {
	s.once.Do(func() {
		parsed := new(jsonschema.Schema)
		if s.err = json.Unmarshal(s.text, parsed); s.err != nil {
			return
		}
		parsed.Schema = ""
		if s.err = checkEnds(parsed); s.err != nil {
			return
		}
		if s.resolved, s.err = parsed.Resolve(&jsonschema.ResolveOptions{}); s.err == nil {
			s.parsed = parsed
		}
	})
	return s.err
}

// Usable fails if arguments can never be checked against the schema: it refers to another document, or to itself
// without end. It reads the whole schema, which ParseSchema leaves to the first Check.
func (s *Schema) Usable() error {
	if s == nil {
		return nil
	}
	return s.load()
}

// MendedSchema is the text as a schema without what cannot be checked, and lost says what that was; nil where there is
// too little left.
func MendedSchema(text []byte) (s *Schema, lost []string) {
	if !tree.Valid(text) {
		return nil, nil
	}
	whole, lost := spec.Document(text).Mended()
	if s, err := ParseSchema(whole); err == nil && s.Usable() == nil {
		return s, lost
	}
	return nil, lost
}

// A Field is one property of a schema.
type Field struct {
	Name string
	// Type is short: str, int, num, bool, list<str>, object, any; with "?" when null is allowed.
	Type        string
	Description string
	Required    bool
	// Default is meaningful when HasDefault is set; it may be nil then too.
	Default    any
	HasDefault bool
	// Enum lists the allowed values; nil when any will do.
	Enum []any
	// Schema is the field's own schema; shared, not to be changed. Nil when the schema cannot be parsed.
	Schema *jsonschema.Schema
}

// ParseSchema takes the text of a JSON Schema. An error names the line and column of broken JSON, or a JSON pointer to
// what is not a valid schema. The text is kept, not copied.
func ParseSchema(text []byte) (*Schema, error) {
	if !tree.Valid(text) {
		return nil, syntaxError(text)
	}
	text = bytes.TrimSpace(text)
	if err := spec.Document(text).Verify(); err != nil {
		return nil, fmt.Errorf("schema: %w", err)
	}
	return &Schema{text: text}, nil
}

// KnownSchema is ParseSchema for text that is known to be a JSON Schema. It checks nothing.
func KnownSchema(text []byte) *Schema { return &Schema{text: text} }

// MustSchema is ParseSchema for literals in source; it panics on an error.
func MustSchema(text string) *Schema {
	s, err := ParseSchema([]byte(text))
	if err != nil {
		panic(err)
	}
	return s
}

func syntaxError(text []byte) error {
	var v any
	err := json.Unmarshal(text, &v)
	var syntax *json.SyntaxError
	if !errors.As(err, &syntax) {
		return fmt.Errorf("schema: %w", err)
	}
	before := text[:min(int(syntax.Offset), len(text))]
	line := bytes.Count(before, []byte("\n")) + 1
	column := len(before) - bytes.LastIndexByte(before, '\n') - 1
	return fmt.Errorf("schema: line %d, column %d: %w", line, column, err)
}

// JSON is the text of the schema; it must not be changed. A nil schema gives that of an empty argument table.
func (s *Schema) JSON() json.RawMessage {
	if s == nil {
		return json.RawMessage(spec.EmptySchema)
	}
	return s.text
}

// Bare is the schema without what only tells about it: descriptions, titles and comments, at any depth.
func (s *Schema) Bare() *Schema { return KnownSchema(spec.Bare(s.JSON())) }

// Text is the text of the schema, as JSON gives it.
func (s *Schema) Text() string { return search.StringOf(s.JSON()) }

// MarshalJSON gives the schema's text.
func (s *Schema) MarshalJSON() ([]byte, error) { return s.JSON(), nil }

// document is the text of the schema for package spec, nil for a nil schema.
func (s *Schema) document() spec.Document {
	if s == nil {
		return nil
	}
	return spec.Document(s.text)
}

// closed is the schema for strict actions; nil is closed.
func (s *Schema) closed() *Schema {
	if s == nil {
		return nil
	}
	return KnownSchema(spec.Closed(s.text))
}

// Shape is what the schema says about its values. A nil schema says nothing.
func (s *Schema) Shape() spec.Shape { return s.document().Shape() }

// Unknown is what the action id will return, as far as the schema tells: an object with its fields, and an
// unknown.Value for whatever only a real run gives. Of a nil schema that is all.
func (s *Schema) Unknown(id string) any { return s.document().Unknown(id) }

// Fields lists the top-level properties, through $ref and allOf and the branches of a choice: required first, then
// document order. For the schema of a list these are the fields of its items. A nil schema has none.
func (s *Schema) Fields() []Field {
	d := s.document()
	props := d.Fields()
	fields := make([]Field, 0, len(props))
	for _, p := range props {
		fields = append(fields, s.field(d, p))
	}
	return fields
}

// Names are those of Fields, for far less.
func (s *Schema) Names() []string {
	props := s.document().Fields()
	names := make([]string, len(props))
	for i, p := range props {
		names[i] = p.Name
	}
	return names
}

func (s *Schema) field(d spec.Document, p spec.Property) Field {
	o, _ := d.Plain(p.Text)
	f := Field{Name: p.Name, Type: d.Label(p.Text), Description: o.Description, Required: p.Required}
	if o.Default != nil {
		f.Default, f.HasDefault = spec.Decode(o.Default), true
	}
	for _, value := range o.Enum {
		f.Enum = append(f.Enum, spec.Decode(value))
	}
	if sub := new(jsonschema.Schema); json.Unmarshal(p.Text, sub) == nil {
		f.Schema = sub
	}
	return f
}
