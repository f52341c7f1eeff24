package catalog

// This file holds Schema: its text, its fields and the short names of its types.

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/google/jsonschema-go/jsonschema"
)

// A Schema is a JSON Schema (drafts 7 and 2020-12). It keeps the text and parses it when first needed, so that a
// catalog of 100,000 entries costs their text and no more. Safe for concurrent use; a nil *Schema allows nothing
// but an empty argument table.
type Schema struct {
	text json.RawMessage

	once     sync.Once
	parsed   *jsonschema.Schema
	resolved *jsonschema.Resolved
	err      error
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

const emptySchema = `{"type":"object","properties":{},"additionalProperties":false}`

// ParseSchema takes the text of a JSON Schema. An error names the line and column of broken JSON, or the place of
// what is no schema as a JSON pointer. The text is kept, not copied.
func ParseSchema(text []byte) (*Schema, error) {
	if !json.Valid(text) {
		return nil, syntaxError(text)
	}
	text = bytes.TrimSpace(text)
	if err := document(text).verify(text, "#", 0); err != nil {
		return nil, fmt.Errorf("schema: %w", err)
	}
	return &Schema{text: text}, nil
}

// MustSchema is ParseSchema for literals in source; it panics where that fails.
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
		return json.RawMessage(emptySchema)
	}
	return s.text
}

// MarshalJSON gives the schema's text.
func (s *Schema) MarshalJSON() ([]byte, error) { return s.JSON(), nil }

// outline opens the schema and steps through the wrappers around it.
func (s *Schema) outline() (document, outline) {
	if s == nil {
		return nil, outline{}
	}
	o, _ := document(s.text).plain(s.text)
	return document(s.text), o
}

// fields is Fields without the values: names, text and marks.
func (s *Schema) fields() (document, []property) {
	d, o := s.outline()
	if s == nil {
		return nil, nil
	}
	return d, d.fields(o)
}

// Fields lists the top-level properties, through $ref and allOf and the branches of a choice: required first, then
// document order. For the schema of a list these are the fields of its items. A nil schema has none.
func (s *Schema) Fields() []Field {
	d, props := s.fields()
	fields := make([]Field, 0, len(props))
	for _, p := range props {
		fields = append(fields, s.field(d, p))
	}
	return fields
}

func (s *Schema) field(d document, p property) Field {
	o, _ := d.plain(p.text)
	f := Field{Name: p.name, Type: d.label(p.text, 0), Description: o.description, Required: p.required}
	if o.dflt != nil {
		f.Default, f.HasDefault = decode(o.dflt), true
	}
	for _, value := range o.enum {
		f.Enum = append(f.Enum, decode(value))
	}
	if sub := new(jsonschema.Schema); json.Unmarshal(p.text, sub) == nil {
		f.Schema = sub
	}
	return f
}

// TypeLabel is the short name of the schema's type: "list<invoice>", "object", "int". A list of titled objects, and
// a titled object, go by the title in lower case. A nil schema is "any".
func (s *Schema) TypeLabel() string {
	if s == nil {
		return "any"
	}
	return document(s.text).label(s.text, 0)
}

// label is the short type name of a part of the document.
func (d document) label(part []byte, depth int) string {
	o, nullable := d.plain(part)
	name := d.bareLabel(o, depth)
	if nullable && name != "null" && name != "any" {
		name += "?"
	}
	return name
}

func (d document) bareLabel(o outline, depth int) string {
	if o.list() {
		if o.items == nil || depth > 3 {
			return "list"
		}
		return "list<" + d.label(o.items, depth+1) + ">"
	}
	if len(o.anyOf) > 1 && len(o.props) == 0 {
		return d.choiceLabel(o.anyOf, depth)
	}
	if len(o.props) > 0 || o.is("object") || len(o.allOf) > 0 {
		if title := titleWord(o.title); title != "" {
			return title
		}
		return "object"
	}
	var names []string
	for _, kind := range o.types {
		if kind != "null" {
			names = append(names, shortType(kind))
		}
	}
	switch {
	case len(names) > 0:
		return strings.Join(names, "|")
	case o.is("null"):
		return "null"
	case len(o.enum) > 0:
		return valueType(o.enum[0])
	case o.constant != nil:
		return valueType(o.constant)
	}
	return "any"
}

func (d document) choiceLabel(branches []json.RawMessage, depth int) string {
	var names []string
	for _, branch := range branches {
		name := "any"
		if depth < 3 {
			name = strings.TrimSuffix(d.label(branch, depth+1), "?")
		}
		if name == "any" || len(names) == 3 {
			return "any"
		}
		if name != "null" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return strings.Join(names, "|")
}

func shortType(kind string) string {
	switch kind {
	case "string":
		return "str"
	case "integer":
		return "int"
	case "number":
		return "num"
	case "boolean":
		return "bool"
	case "array":
		return "list"
	}
	return kind
}

func valueType(raw []byte) string {
	switch raw[0] {
	case '"':
		return "str"
	case 't', 'f':
		return "bool"
	case '{':
		return "object"
	case '[':
		return "list"
	case 'n':
		return "null"
	}
	if bytes.ContainsAny(raw, ".eE") {
		return "num"
	}
	return "int"
}

// titleWord is a schema title as a type name, or "" when it is no short word.
func titleWord(title string) string {
	title = strings.ToLower(strings.TrimSpace(title))
	if title == "" || len(title) > 32 {
		return ""
	}
	for _, r := range title {
		if !(r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '_' || r == ' ' || r == '-') {
			return ""
		}
	}
	return strings.ReplaceAll(title, " ", "_")
}
