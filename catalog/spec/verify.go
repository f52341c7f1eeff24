package spec

// This file finds invalid schemas.

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"almanac/catalog/text"
	"almanac/catalog/tree"
)

// Verify reports the first place where the text is not a valid schema, as a JSON pointer. The text must be JSON.
func (d Document) Verify() error {
	return verifier{d, map[string]map[string]bool{}}.verify(d, "#", 0)
}

// A verifier checks the text of one schema.
type verifier struct {
	Document
	members map[string]map[string]bool // the names of objects that references lead into, by the references to them
}

// leads reports whether a reference leads somewhere. Most lead into one object, $defs, which is read once: a schema may
// have hundreds.
func (d verifier) leads(ref string) bool {
	at := strings.LastIndexByte(ref, '/')
	parent := ref[:at]
	names, known := d.members[parent]
	if !known {
		names = map[string]bool{}
		s := tree.Scan(d.at(parent))
		if s.Next() == '[' {
			return d.at(ref) != nil
		}
		s.Object(func(name string) {
			s.Skip()
			names[name] = true
		})
		d.members[parent] = names
	}
	return names[UnescapePointer(ref[at+1:])]
}

func (d verifier) verify(part []byte, place string, depth int) error {
	if depth > 200 {
		return fmt.Errorf("%s: nested too deeply", place)
	}
	s := tree.Scan(part)
	switch s.Next() {
	case 't', 'f':
		return nil
	case '{':
	default:
		return fmt.Errorf("%s: want an object or a boolean, got %s", place, text.ClipRunes(string(part), 40))
	}
	var err error
	s.Object(func(name string) {
		value := s.Skip()
		if err == nil {
			err = d.verifyKeyword(name, value, place+"/"+name, depth)
		}
	})
	return err
}

func (d verifier) verifyKeyword(name string, value []byte, place string, depth int) error {
	s := tree.Scan(value)
	switch name {
	case "type":
		kinds := []json.RawMessage{value}
		if s.Next() == '[' {
			kinds = s.List()
		}
		for _, kind := range kinds {
			switch tree.Unquote(kind) {
			case "string", "integer", "number", "boolean", "object", "array", "null":
			default:
				return fmt.Errorf("%s: unknown type %s", place, text.ClipRunes(string(kind), 40))
			}
		}
	case "properties", "$defs", "definitions", "patternProperties":
		var err error
		ok := s.Object(func(name string) {
			inner := s.Skip()
			if err == nil {
				err = d.verify(inner, place+"/"+name, depth+1)
			}
		})
		if !ok {
			return fmt.Errorf("%s: want an object", place)
		}
		return err
	case "allOf", "anyOf", "oneOf", "prefixItems":
		if s.Next() != '[' {
			return fmt.Errorf("%s: want a list", place)
		}
		for i, inner := range s.List() {
			if err := d.verify(inner, place+"/"+strconv.Itoa(i), depth+1); err != nil {
				return err
			}
		}
	case "items", "additionalProperties", "not", "if", "then", "else", "contains", "propertyNames":
		if name == "items" && s.Next() == '[' {
			return nil
		}
		return d.verify(value, place, depth+1)
	case "required":
		if s.Next() != '[' {
			return fmt.Errorf("%s: want a list of names", place)
		}
		for _, item := range s.List() {
			if item[0] != '"' {
				return fmt.Errorf("%s: want a list of names, got %s", place, text.ClipRunes(string(item), 40))
			}
		}
	case "$ref":
		if ref := tree.Unquote(value); strings.HasPrefix(ref, "#/") && !d.leads(ref) {
			return fmt.Errorf("%s: %s points to nothing", place, text.ClipRunes(ref, 80))
		}
	}
	return nil
}
