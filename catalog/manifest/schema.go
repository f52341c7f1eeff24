package manifest

// This file makes schemas of the short forms: FIELD -> {type, description, required} for inputs, names for outputs.

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"almanac/catalog"
)

// openSchema takes any table.
func openSchema() *catalog.Schema { return catalog.MustSchema(`{"type":"object"}`) }

// A fieldForm is the short form of one input field.
type fieldForm struct {
	Type        string `json:"type"`
	Description string `json:"description"`
	Required    bool   `json:"required"`
}

// inputSchema reads either form. Nothing, null and an empty object take no arguments.
func inputSchema(raw json.RawMessage) (*catalog.Schema, error) {
	if raw = bytes.TrimSpace(raw); len(raw) == 0 || string(raw) == "null" || string(raw) == "{}" {
		return nil, nil
	}
	if raw[0] != '{' {
		return nil, fmt.Errorf("want an object, got %s", cut(string(raw), 40))
	}
	names, values, err := members(raw)
	if err != nil {
		return nil, err
	}
	if isSchema(names, values) {
		return catalog.ParseSchema(slices.Clone(raw))
	}
	var props, required bytes.Buffer
	for i, name := range names {
		var f fieldForm
		if err := json.Unmarshal(values[i], &f); err != nil {
			return nil, fmt.Errorf("field %s: want {type, description, required}", cut(name, 60))
		}
		if i > 0 {
			props.WriteByte(',')
		}
		key := quote(name)
		props.Write(key)
		props.WriteString(":{")
		kind := jsonTypes(f.Type)
		props.WriteString(kind)
		if f.Description != "" {
			if kind != "" {
				props.WriteByte(',')
			}
			props.WriteString(`"description":`)
			props.Write(quote(cut(f.Description, maxDescription)))
		}
		props.WriteByte('}')
		if f.Required {
			if required.Len() > 0 {
				required.WriteByte(',')
			}
			required.Write(key)
		}
	}
	text := `{"type":"object","properties":{` + props.String() + `}`
	if required.Len() > 0 {
		text += `,"required":[` + required.String() + `]`
	}
	return catalog.ParseSchema([]byte(text + "}"))
}

// isSchema tells a JSON Schema from the short form, in which every value is an object without keywords above it: a
// field may be called "type" or "properties" there.
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
			if inner, under, err := members(values[i]); err == nil && !slices.ContainsFunc(under, func(v json.RawMessage) bool {
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

// members are the names and values of an object in the order they stand; of a repeated name the first counts.
func members(raw json.RawMessage) (names []string, values []json.RawMessage, err error) {
	dec := json.NewDecoder(bytes.NewReader(raw))
	if open, err := dec.Token(); err != nil || open != json.Delim('{') {
		return nil, nil, errors.New("want an object")
	}
	for dec.More() {
		token, err := dec.Token()
		if err != nil {
			return nil, nil, err
		}
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			return nil, nil, err
		}
		if name, _ := token.(string); !slices.Contains(names, name) {
			names, values = append(names, name), append(values, value)
		}
	}
	return names, values, nil
}

// jsonTypes is the "type" member for a type as manifests write it: "str", "Integer", "List[str]", "string|null"; ""
// when any value will do.
func jsonTypes(written string) string {
	var kinds []string
	for _, word := range strings.Split(strings.ToLower(written), "|") {
		word, _, _ = strings.Cut(strings.TrimSpace(word), "[")
		word, _, _ = strings.Cut(word, " ")
		kind := ""
		switch word {
		case "str", "string", "date", "datetime", "date-time", "time", "uuid", "enum", "char", "text", "file", "url", "uri", "email":
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

// outputSchema is an object with the fields; nil when nothing is known.
func outputSchema(fields []string) *catalog.Schema {
	if len(fields) == 0 {
		return nil
	}
	var b bytes.Buffer
	b.WriteString(`{"type":"object","properties":{`)
	for i, name := range fields {
		if i > 0 {
			b.WriteByte(',')
		}
		b.Write(quote(name))
		b.WriteString(":{}")
	}
	b.WriteString("}}")
	schema, err := catalog.ParseSchema(b.Bytes())
	if err != nil {
		return nil
	}
	return schema
}

// quote is text as a JSON string.
func quote(text string) []byte {
	out, err := json.Marshal(text)
	if err != nil {
		return []byte(`""`)
	}
	return out
}
