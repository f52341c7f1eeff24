package catalog

// This file makes plausible values from schemas, for previews and examples, and writes them as Lua.

import (
	"strconv"

	"almanac/catalog/search/spelling"
)

const maxPlaceholderDepth = 5

// Placeholder is a plausible value of the schema's shape, for previews: strings "<name>", numbers 0 or the least
// allowed, the first value of an enumeration, lists of one item. Integers are int64. A nil schema gives nil.
func (s *Schema) Placeholder() any {
	if s == nil {
		return nil
	}
	return document(s.text).placeholder(s.text, "", 0, false)
}

// placeholder makes the value of a part. Of objects it fills in the required fields only, or all.
func (d document) placeholder(part []byte, name string, depth int, requiredOnly bool) any {
	o, _ := d.plain(part)
	switch {
	case o.constant != nil:
		return decode(o.constant)
	case len(o.enum) > 0:
		return decode(o.enum[0])
	case o.never:
		return nil
	case depth > maxPlaceholderDepth && (o.list() || len(o.props)+len(o.anyOf)+len(o.allOf) > 0):
		return nil
	case o.list():
		if o.items == nil {
			return []any{}
		}
		return []any{d.placeholder(o.items, spelling.Singular(name), depth+1, requiredOnly)}
	}
	if props := d.fields(o); len(props) > 0 {
		// Of a choice, only the first branch: all of them together would fit none.
		if len(o.anyOf) > 0 && len(o.props) == 0 && len(o.allOf) == 0 {
			return d.placeholder(o.anyOf[0], name, depth+1, requiredOnly)
		}
		object := make(map[string]any, len(props))
		for _, p := range props {
			if requiredOnly && !p.required {
				continue
			}
			object[p.name] = d.placeholder(p.text, p.name, depth+1, requiredOnly)
		}
		return object
	}
	for _, kind := range o.types {
		switch kind {
		case "integer":
			return int64(least(part))
		case "number":
			return least(part)
		case "boolean":
			return false
		case "object":
			return map[string]any{}
		case "string":
			return placeholderText(name, o.title)
		}
	}
	if len(o.anyOf) > 0 {
		return d.placeholder(o.anyOf[0], name, depth+1, requiredOnly)
	}
	if len(o.types) == 0 && name != "" {
		return placeholderText(name, o.title)
	}
	return nil
}

func placeholderText(name, title string) string {
	if name == "" {
		name = titleWord(title)
	}
	if name == "" {
		name = "text"
	}
	return "<" + clip(oneLine(name), 60) + ">"
}

// least is the smallest number a schema allows, or 0 when that will do.
func least(part []byte) float64 {
	n := 0.0
	s := scanner{b: part}
	s.object(func(name string) {
		value, err := strconv.ParseFloat(string(s.skip()), 64)
		switch {
		case err != nil:
		case name == "minimum":
			n = max(n, value)
		case name == "exclusiveMinimum" && value >= n:
			n = value + 1
		}
	})
	return n
}
