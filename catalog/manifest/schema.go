package manifest

// This file expands short forms into schemas: FIELD -> {type, description, required} for inputs, names for outputs.

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"almanac/catalog"
	"almanac/catalog/text"
	"almanac/catalog/tree"
)

// openSchema accepts any table.
func openSchema() *catalog.Schema { return catalog.MustSchema(`{"type":"object"}`) }

// A field is the short form of one input field.
type field struct {
	schema   string // its members, as JSON
	required bool
}

// field reads a field, and remembers it for what others may have too.
func (d *decoder) field(raw json.RawMessage) (field, error) {
	f, ok := d.fields[string(raw)]
	if ok {
		return f, nil
	}
	f, err := d.member.read(raw)
	if err == nil {
		if len(d.fields) >= mostKept {
			clear(d.fields)
		}
		d.fields[string(raw)] = f
	}
	return f, err
}

// fieldMembers are the members of a field, reused for the next.
type fieldMembers struct {
	names  []string
	values []json.RawMessage
}

// read reads {type, description, required}; other members are ignored.
func (m *fieldMembers) read(raw json.RawMessage) (f field, err error) {
	if m.names, m.values, err = tree.AppendMembers(m.names[:0], m.values[:0], raw); err != nil {
		return f, err
	}
	kind, description := "", []byte(nil)
	for i, name := range m.names {
		value := m.values[i]
		if string(value) == "null" {
			continue
		}
		switch strings.ToLower(name) {
		case "type":
			if kind = tree.Unquote(value); value[0] != '"' {
				err = errors.New("want text")
			}
		case "description":
			description = value
			if len(value) > maxDescription {
				description = tree.Quote(nil, text.HeadBytes(tree.Unquote(value), maxDescription))
			}
			if len(description) <= len(`""`) {
				description = nil
			}
			if value[0] != '"' {
				err = errors.New("want text")
			}
		case "required":
			f.required = string(value) == "true"
			if !f.required && string(value) != "false" {
				err = errors.New("want true or false")
			}
		}
		if err != nil {
			return f, err
		}
	}
	f.schema = jsonTypes(kind)
	if description != nil {
		if f.schema != "" {
			f.schema += ","
		}
		f.schema += `"description":` + string(description)
	}
	return f, nil
}

// inputSchema reads either form. Nothing, null and an empty object mean no arguments. raw is known to be JSON.
func (d *decoder) inputSchema(raw json.RawMessage) (*catalog.Schema, error) {
	if raw = bytes.TrimSpace(raw); len(raw) == 0 || string(raw) == "null" || string(raw) == "{}" {
		return nil, nil
	}
	if raw[0] != '{' {
		return nil, fmt.Errorf("want an object, got %s", text.HeadBytes(string(raw), 40))
	}
	var err error
	if d.names, d.values, err = tree.AppendMembers(d.names[:0], d.values[:0], raw); err != nil {
		return nil, err
	}
	if isSchema(d.names, d.values) {
		return d.wholeSchema(raw)
	}
	d.found = d.found[:0]
	for i, name := range d.names {
		f, err := d.field(d.values[i])
		if err != nil {
			return nil, fmt.Errorf("field %s: want {type, description, required}", text.HeadBytes(name, 60))
		}
		d.found = append(d.found, f)
	}
	for i, name := range d.names {
		d.objects.Field(name, d.found[i].schema, d.found[i].required)
	}
	return d.objects.Schema(), nil
}

func (d *decoder) wholeSchema(raw json.RawMessage) (*catalog.Schema, error) {
	if s, ok := d.schemas[string(raw)]; ok {
		return s, nil
	}
	s, err := catalog.ParseSchema(slices.Clone(raw))
	// ParseSchema accepts broken references; checking all schemas for them would double the time to read.
	if err == nil && bytes.Contains(raw, []byte(`$ref`)) {
		if err = s.Usable(); err != nil {
			return nil, fmt.Errorf("schema: %w", err)
		}
	}
	if err == nil {
		d.keep(s)
	}
	return s, err
}

// mostKept is how many schemas are shared.
const mostKept = 1 << 12

// keep has the schema used again for the same text.
func (d *decoder) keep(s *catalog.Schema) {
	if len(d.schemas) >= mostKept {
		clear(d.schemas)
	}
	d.schemas[s.Text()] = s
}

// isSchema tells a JSON Schema from the short form, in which every value is an object and there are no keywords, but a
// field may be called "type" or "properties".
func isSchema(names []string, values []json.RawMessage) bool {
	for i, name := range names {
		first := values[i][0]
		switch name {
		case "$schema", "$ref":
			return first == '"'
		case "type":
			if first == '"' || first == '[' {
				return true
			}
		case "properties":
			if inner, under, err := tree.Members(values[i]); err == nil &&
				!slices.ContainsFunc(under, func(v json.RawMessage) bool {
					return v[0] == '"'
				}) && len(inner) > 0 {
				return true
			}
		case "allOf", "anyOf", "oneOf":
			if first == '[' {
				return true
			}
		}
	}
	return false
}

// jsonTypes is the "type" member for a type as manifests write it: "str", "Integer", "List[str]", "string|null"; "" if
// any value is allowed.
func jsonTypes(written string) string {
	var kinds []string
	for _, word := range strings.Split(strings.ToLower(written), "|") {
		word, _, _ = strings.Cut(strings.TrimSpace(word), "[")
		word, _, _ = strings.Cut(word, " ")
		kind := ""
		switch word {
		case "str", "string", "date", "datetime", "date-time", "time", "uuid", "enum", "char", "text", "file", "url", "uri",
			"email":
			kind = "string"
		case "int", "integer", "long", "int32", "int64", "short":
			kind = "integer"
		case "num", "number", "float", "double", "decimal":
			kind = "number"
		case "bool", "boolean":
			kind = "boolean"
		case "list", "array", "arraylist", "tuple", "set":
			kind = "array"
		case "dict", "object", "map", "hashmap", "json":
			kind = "object"
		case "null", "none":
			kind = "null"
		default:
			return ""
		}
		if kind = `"` + kind + `"`; !slices.Contains(kinds, kind) {
			kinds = append(kinds, kind)
		}
	}
	if len(kinds) == 1 {
		return `"type":` + kinds[0]
	}
	return `"type":[` + strings.Join(kinds, ",") + `]`
}

// outputSchema is an object with the fields; nil if nothing is known.
func (d *decoder) outputSchema(fields []string) *catalog.Schema {
	if len(fields) == 0 {
		return nil
	}
	for _, name := range fields {
		d.objects.Field(name, "", false)
	}
	return d.objects.Schema()
}
