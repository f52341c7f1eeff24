package spec

// This file reads schema text one level at a time, in document order, without building a tree. The search index, the
// one-line signatures and the specifications work from outlines, so that a catalog of 100,000 entries never has all its
// schemas parsed.

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"almanac/catalog/tree"
)

// MaxHops bounds $ref chains and the nesting that an outline follows.
const MaxHops = 32

// An Outline is one level of a schema. Deeper levels stay text.
type Outline struct {
	// Title and Description may be empty.
	Title, Description string
	// Props are the texts of the properties, in document order.
	Props []json.RawMessage
	// Items is the schema of the items of a list, Default the default, Constant the only value; nil for none.
	Items, Default, Constant json.RawMessage
	Enum                     []json.RawMessage

	never        bool // the schema false
	types        []string
	ref, format  string
	names        []string // of the properties, in step with Props
	required     []string
	additional   json.RawMessage
	prefix       []json.RawMessage
	allOf, anyOf []json.RawMessage // anyOf holds oneOf too
}

// RequiredTogether is a keyword of ours beside dependentRequired: names that are required as soon as others are given.
// Whoever reads the schema sees them as required; a call may leave out all of them.
const RequiredTogether = "x-required"

// A Property is one field of an outline, still text.
type Property struct {
	Name     string
	Text     json.RawMessage
	Required bool
}

func unquoteAll(items []json.RawMessage) []string {
	out := make([]string, 0, len(items))
	for _, item := range items {
		out = append(out, tree.Unquote(item))
	}
	return out
}

// Read reads the outermost level of a schema.
func Read(schema []byte) Outline {
	var o Outline
	if len(schema) == 2 { // {}
		return o
	}
	s := tree.Scan(schema)
	if s.Next() == 'f' {
		o.never = true
		return o
	}
	s.Object(func(name string) {
		switch name {
		case "type":
			if s.Next() == '[' {
				o.types = unquoteAll(s.List())
			} else {
				o.types = []string{tree.Unquote(s.Skip())}
			}
		case "title":
			o.Title = tree.Unquote(s.Skip())
		case "description":
			o.Description = tree.Unquote(s.Skip())
		case "$ref":
			o.ref = tree.Unquote(s.Skip())
		case "format":
			o.format = tree.Unquote(s.Skip())
		case "properties":
			s.Object(func(name string) {
				o.names = append(o.names, name)
				o.Props = append(o.Props, s.Skip())
			})
		case "required", RequiredTogether:
			o.required = append(o.required, unquoteAll(s.List())...)
		case "items":
			o.Items = s.Skip()
		case "prefixItems":
			o.prefix = s.List()
		case "additionalProperties":
			o.additional = s.Skip()
		case "allOf":
			o.allOf = s.List()
		case "anyOf", "oneOf":
			o.anyOf = append(o.anyOf, s.List()...)
		case "enum":
			o.Enum = s.List()
		case "const":
			o.Constant = s.Skip()
		case "default":
			o.Default = s.Skip()
		default:
			s.Skip()
		}
	})
	return o
}

// A Document is the whole text of a schema, which its references point into.
type Document []byte

// root is the outline of the whole schema, without the wrappers around it.
func (d Document) root() Outline {
	if d == nil {
		return Outline{}
	}
	o, _ := d.Plain(d)
	return o
}

// Fields are the properties of the whole schema, or of its items if it is a list. A nil document has none.
func (d Document) Fields() []Property { return d.FieldsOf(d.root()) }

// open reads the outline of a part of the document and follows its $ref. Keywords beside a $ref win over those it
// points to. A reference that cannot be followed is kept.
func (d Document) open(part []byte) Outline {
	o := Read(part)
	for hop := 0; o.ref != "" && hop < MaxHops; hop++ {
		target := d.at(o.ref)
		if target == nil {
			break
		}
		t := Read(target)
		if o.Description != "" {
			t.Description = o.Description
		}
		if o.Title != "" {
			t.Title = o.Title
		}
		if o.Default != nil {
			t.Default = o.Default
		}
		if len(o.Props) > 0 || o.allOf != nil || o.anyOf != nil {
			t.allOf = append(slices.Clip(t.allOf), withoutRef(o)...)
		}
		o = t
	}
	return o
}

// withoutRef is the parts beside a $ref that add fields of their own.
func withoutRef(o Outline) []json.RawMessage {
	parts := slices.Clone(o.allOf)
	for i, name := range o.names {
		key, _ := json.Marshal(name)
		req := "[]"
		if slices.Contains(o.required, name) {
			req = "[" + string(key) + "]"
		}
		parts = append(parts, json.RawMessage(`{"properties":{`+string(key)+`:`+string(o.Props[i])+`},"required":`+req+`}`))
	}
	return parts
}

// at finds what a local reference such as "#/$defs/invoice" points to; nil if nothing is there.
func (d Document) at(ref string) []byte {
	pointer, ok := strings.CutPrefix(ref, "#")
	if !ok {
		return nil
	}
	place := []byte(d)
	if pointer == "" {
		return place
	}
	if pointer[0] != '/' {
		return nil
	}
	for _, step := range strings.Split(pointer[1:], "/") {
		step = UnescapePointer(step)
		s := tree.Scan(place)
		place = nil
		if s.Next() == '[' {
			n, err := strconv.Atoi(step)
			if items := s.List(); err == nil && n >= 0 && n < len(items) {
				place = items[n]
			}
		} else {
			s.Object(func(name string) {
				value := s.Skip()
				if name == step {
					place = value
				}
			})
		}
		if place == nil {
			return nil
		}
	}
	return place
}

// UnescapePointer decodes one step of a JSON pointer.
func UnescapePointer(step string) string {
	if strings.ContainsRune(step, '%') {
		step = strings.NewReplacer("%24", "$", "%25", "%", "%20", " ", "%3C", "<", "%3E", ">", "%5B", "[", "%5D",
			"]").Replace(step)
	}
	if strings.IndexByte(step, '~') < 0 {
		return step
	}
	return strings.NewReplacer("~1", "/", "~0", "~").Replace(step)
}

// is reports whether the outline names a type.
func (o *Outline) is(kind string) bool { return slices.Contains(o.types, kind) }

// IsList reports whether the outline describes a list.
func (o *Outline) IsList() bool { return o.is("array") || (len(o.types) == 0 && o.Items != nil) }

// IsTable reports whether only lists and tables with names fit.
func (o *Outline) IsTable() bool {
	for _, kind := range o.types {
		if kind != "array" && kind != "object" && kind != "null" {
			return false
		}
	}
	return len(o.types) > 0 || o.Items != nil || len(o.Props) > 0
}

// Plain opens a part and steps through wrappers: a $ref, one allOf member, or a choice between something and null.
func (d Document) Plain(part []byte) (o Outline, nullable bool) {
	o = d.open(part)
	for hop := 0; hop < MaxHops; hop++ {
		nullable = nullable || o.is("null")
		if len(o.Props) > 0 || o.Items != nil {
			return o, nullable
		}
		var inner json.RawMessage
		n := 0
		for _, branch := range o.anyOf {
			if b := d.open(branch); len(b.types) == 1 && b.types[0] == "null" {
				nullable = true
				continue
			}
			inner, n = branch, n+1
		}
		if n != 1 && len(o.anyOf) == 0 && len(o.allOf) == 1 {
			inner, n = o.allOf[0], 1
		}
		if n != 1 {
			return o, nullable
		}
		next := d.open(inner)
		if o.Description != "" {
			next.Description = o.Description
		}
		if o.Title != "" && next.Title == "" {
			next.Title = o.Title
		}
		if o.Default != nil {
			next.Default = o.Default
		}
		o = next
	}
	return o, nullable
}

// fewProperties is how many are looked through rather than looked up.
const fewProperties = 16

// FieldsOf lists the properties of an outline, through $ref, allOf, anyOf and oneOf: required first, then document
// order. A field of a single branch is not required. For a list these are the fields of its items.
func (d Document) FieldsOf(o Outline) []Property {
	out := make([]Property, 0, len(o.names))
	var seen map[string]int // once there are many
	d.collect(o, true, 0, func(p Property) {
		i, ok := seen[p.Name]
		if seen == nil {
			i = slices.IndexFunc(out, func(have Property) bool { return have.Name == p.Name })
			ok = i >= 0
		}
		if ok {
			out[i].Required = out[i].Required || p.Required
			return
		}
		out = append(out, p)
		switch {
		case seen != nil:
			seen[p.Name] = len(out) - 1
		case len(out) == fewProperties:
			seen = make(map[string]int, 4*fewProperties)
			for i := range out {
				seen[out[i].Name] = i
			}
		}
	})
	slices.SortStableFunc(out, func(a, b Property) int {
		switch {
		case a.Required == b.Required:
			return 0
		case a.Required:
			return -1
		}
		return 1
	})
	return out
}

func (d Document) collect(o Outline, sure bool, depth int, add func(Property)) {
	if depth > 8 {
		return
	}
	if o.IsList() && o.Items != nil {
		o, _ = d.Plain(o.Items)
	}
	for i, name := range o.names {
		add(Property{name, o.Props[i], sure && slices.Contains(o.required, name)})
	}
	for _, part := range o.allOf {
		inner := d.open(part)
		// A schema may require fields that a sibling declares.
		inner.required = append(slices.Clip(inner.required), o.required...)
		d.collect(inner, sure, depth+1, add)
	}
	single := len(o.anyOf) == 1
	for _, part := range o.anyOf {
		inner := d.open(part)
		if single {
			inner.required = append(slices.Clip(inner.required), o.required...)
		}
		d.collect(inner, sure && single, depth+1, add)
	}
}
