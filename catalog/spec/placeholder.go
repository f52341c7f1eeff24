package spec

// This file makes plausible values from schemas, for examples, and values that are not known yet, for previews.

import (
	"strconv"
	"strings"

	"almanac/catalog/search/spelling"
	"almanac/catalog/text"
	"almanac/catalog/tree"
	"almanac/catalog/unknown"
)

const maxPlaceholderDepth = 5

// Unknown is what the action id will return: an object has the fields of the schema, a constant its value, and all else
// is an unknown.Value, also a list, whose length nobody knows, and a choice.
func (d Document) Unknown(id string) any {
	if len(d) == 0 {
		return unknown.Of("", id)
	}
	return d.unknown(d, "", id, 0)
}

func (d Document) unknown(part []byte, path, id string, depth int) any {
	o, _ := d.Plain(part)
	props := d.FieldsOf(o)
	choice := len(o.anyOf) > 0 && len(o.Props) == 0 && len(o.allOf) == 0
	switch {
	case o.Constant != nil:
		return Decode(o.Constant)
	case o.never, len(o.types) == 1 && o.types[0] == "null":
		return nil
	case o.IsList(), choice, len(props) == 0, depth > maxPlaceholderDepth:
		return unknown.Of(path, id)
	}
	object := make(map[string]any, len(props))
	for _, p := range props {
		object[p.Name] = d.unknown(p.Text, strings.TrimPrefix(path+"."+p.Name, "."), id, depth+1)
	}
	return object
}

// placeholder is a plausible value of a part: strings "<name>", numbers 0 or the least allowed, the first value of an
// enumeration, lists of one item. Integers are int64. Objects get the required
// fields.
func (d Document) placeholder(part []byte, name string, depth int) any {
	o, _ := d.Plain(part)
	switch {
	case o.Constant != nil:
		return Decode(o.Constant)
	case len(o.Enum) > 0:
		return Decode(o.Enum[0])
	case o.never:
		return nil
	case depth > maxPlaceholderDepth && (o.IsList() || len(o.Props)+len(o.anyOf)+len(o.allOf) > 0):
		return nil
	case o.IsList():
		if o.Items == nil {
			return []any{}
		}
		return []any{d.placeholder(o.Items, spelling.Singular(name), depth+1)}
	}
	if props := d.FieldsOf(o); len(props) > 0 {
		// Only the first branch of a choice: all of them together would match none.
		if len(o.anyOf) > 0 && len(o.Props) == 0 && len(o.allOf) == 0 {
			return d.placeholder(o.anyOf[0], name, depth+1)
		}
		object := make(map[string]any, len(props))
		for _, p := range props {
			if p.Required {
				object[p.Name] = d.placeholder(p.Text, p.Name, depth+1)
			}
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
			return placeholderText(name, o.Title)
		}
	}
	if len(o.anyOf) > 0 {
		return d.placeholder(o.anyOf[0], name, depth+1)
	}
	if len(o.types) == 0 && name != "" {
		return placeholderText(name, o.Title)
	}
	return nil
}

func placeholderText(name, title string) string {
	if name == "" {
		name = TitleWord(title)
	}
	if name == "" {
		name = "text"
	}
	return "<" + text.ClipRunes(text.OneLine(name), 60) + ">"
}

// least is the smallest number a schema allows, or 0 if that is allowed.
func least(part []byte) float64 {
	n := 0.0
	s := tree.Scan(part)
	s.Object(func(name string) {
		value, err := strconv.ParseFloat(string(s.Skip()), 64)
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
