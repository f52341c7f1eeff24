package spec

// This file writes types as short names.

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
)

// Label is the short type name of a part of the document.
func (d Document) Label(part []byte) string { return d.label(part, 0) }

func (d Document) label(part []byte, depth int) string {
	o, nullable := d.Plain(part)
	name := d.bareLabel(o, depth)
	if nullable && name != "null" && name != "any" {
		name += "?"
	}
	return name
}

func (d Document) bareLabel(o Outline, depth int) string {
	if o.IsList() {
		if o.Items == nil || depth > 3 {
			return "list"
		}
		return "list<" + d.label(o.Items, depth+1) + ">"
	}
	if len(o.anyOf) > 1 && len(o.Props) == 0 {
		return d.choiceLabel(o.anyOf, depth)
	}
	if len(o.Props) > 0 || o.is("object") || len(o.allOf) > 0 {
		if title := TitleWord(o.Title); title != "" {
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
	case len(o.Enum) > 0:
		return valueType(o.Enum[0])
	case o.Constant != nil:
		return valueType(o.Constant)
	}
	return "any"
}

func (d Document) choiceLabel(branches []json.RawMessage, depth int) string {
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

// TitleWord is a schema title as a type name, or "" if it is not a short word.
func TitleWord(title string) string {
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

// TypeLabel is the short name of the schema's type: "list<invoice>", "object", "int". A list of titled objects, and a
// titled object, go by the title in lower case.
func (d Document) TypeLabel() string { return d.label(d, 0) }
