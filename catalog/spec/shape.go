package spec

import (
	"fmt"
	"slices"
	"strings"

	"almanac/catalog/reference"
	"almanac/catalog/search/spelling"
	"almanac/catalog/text"
)

// A Shape is what a schema says about a value or a part of one. The zero Shape says nothing.
type Shape struct {
	doc  Document
	part []byte
	// lists is how many lists are around what part describes.
	lists int
}

// Shape is that of the values that the document describes.
func (d Document) Shape() Shape { return Shape{doc: d, part: d} }

// List is the shape of a list of such values.
func (s Shape) List() Shape {
	s.lists++
	return s
}

// Kind is list, object, string, number or boolean, also where null is allowed beside it; empty where the schema allows
// several or says nothing.
func (s Shape) Kind() string {
	if s.lists > 0 {
		return "list"
	}
	o, _ := s.outline()
	types := slices.DeleteFunc(slices.Clone(o.types), func(t string) bool { return t == "null" })
	switch {
	case len(types) > 1:
		return ""
	case o.IsList():
		return "list"
	case len(types) == 0 && len(o.names) > 0:
		return "object"
	case len(types) == 0:
		return ""
	case types[0] == "integer":
		return "number"
	}
	return types[0]
}

func (s Shape) outline() (Outline, bool) {
	if s.part == nil {
		return Outline{}, true
	}
	return s.doc.Plain(s.part)
}

// Item is the shape of the items of a list; the zero Shape where it is none.
func (s Shape) Item() Shape {
	if s.lists > 0 {
		s.lists--
		return s
	}
	o, _ := s.outline()
	if o.Items == nil || len(o.prefix) > 0 {
		return Shape{}
	}
	return Shape{doc: s.doc, part: o.Items}
}

// Field is the shape of a field of an object. Where the schema has no such field and allows no others, names are those
// that there are; else a field that it does not list has the zero Shape.
func (s Shape) Field(name string) (field Shape, names []string) {
	o, _ := s.outline()
	if s.lists > 0 || o.IsList() {
		return Shape{}, nil
	}
	for _, p := range s.doc.FieldsOf(o) {
		if p.Name == name {
			return Shape{doc: s.doc, part: p.Text}, nil
		}
		names = append(names, p.Name)
	}
	open := o.additional != nil && string(o.additional) != "false"
	if open || len(o.allOf)+len(o.anyOf) > 0 || len(o.types) > 1 {
		return Shape{}, nil
	}
	return Shape{}, names
}

// At is the shape of what a reference leads to, where s is that of the value with its name. The error says where it
// leads to nothing.
func (s Shape) At(r reference.Value) (Shape, error) {
	at := r.Name
	for i, part := range r.Path {
		kind := s.Kind()
		switch {
		case part.Field == "" && kind != "list" && kind != "":
			return Shape{}, fmt.Errorf("%s is no list but of type %s", at, kind)
		case part.Field == "":
			s = s.Item()
		case kind == "list":
			return Shape{}, fmt.Errorf("%s is a list: its first item is $%s[1]", at, at)
		case kind != "object" && kind != "":
			return Shape{}, fmt.Errorf("%s is of type %s and has no fields", at, kind)
		default:
			field, names := s.Field(part.Field)
			if names != nil {
				return Shape{}, fmt.Errorf("%s has no field %s: %s", at, part.Field, near(part.Field, names))
			}
			s = field
		}
		at = r.Name + reference.PathLua(r.Path[:i+1])
	}
	return s, nil
}

func near(name string, names []string) string {
	if near := spelling.Nearest(name, names); near != "" {
		return "did you mean " + near + "?"
	}
	return "it has " + text.ClipRunes(strings.Join(names, ", "), 200)
}
