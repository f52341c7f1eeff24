package spec

// This file makes plausible values from schemas, for previews and examples.

import (
	"strconv"

	"almanac/catalog/search/spelling"
	"almanac/catalog/text"
	"almanac/catalog/tree"
)

const maxPlaceholderDepth = 5

// Placeholder is a plausible value of the schema's shape, for previews: strings "<name>", numbers 0 or the least
// allowed, the first value of an enumeration, lists of one item. Integers are int64.
func (d Document) Placeholder() any { return d.placeholder(d, "", 0, false) }

// placeholder makes the value of a part. Objects get all fields, or only the required ones.
func (d Document) placeholder(part []byte, name string, depth int, requiredOnly bool) any {
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
		return []any{d.placeholder(o.Items, spelling.Singular(name), depth+1, requiredOnly)}
	}
	if props := d.FieldsOf(o); len(props) > 0 {
		// Only the first branch of a choice: all of them together would match none.
		if len(o.anyOf) > 0 && len(o.Props) == 0 && len(o.allOf) == 0 {
			return d.placeholder(o.anyOf[0], name, depth+1, requiredOnly)
		}
		object := make(map[string]any, len(props))
		for _, p := range props {
			if requiredOnly && !p.Required {
				continue
			}
			object[p.Name] = d.placeholder(p.Text, p.Name, depth+1, requiredOnly)
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
		return d.placeholder(o.anyOf[0], name, depth+1, requiredOnly)
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
