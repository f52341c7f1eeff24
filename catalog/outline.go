package catalog

// This file reads schema text one level at a time, in document order, without building a tree. The index, the
// one-line signatures and the spec text work from outlines, so that a catalog of 100,000 entries never has all its
// schemas parsed. Only Check uses the schema library.

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// maxHops bounds $ref chains and the nesting that an outline follows.
const maxHops = 32

// An outline is one level of a schema. What lies below stays text.
type outline struct {
	never              bool // the schema false
	types              []string
	title, description string
	ref, format        string
	names              []string // of the properties, in document order
	props              []json.RawMessage
	required           []string
	items, additional  json.RawMessage
	prefix             []json.RawMessage
	allOf, anyOf       []json.RawMessage // anyOf holds oneOf too
	enum               []json.RawMessage
	constant, dflt     json.RawMessage
}

// A property is one field of an outline, still text.
type property struct {
	name     string
	text     json.RawMessage
	required bool
}

// A scanner walks JSON text that json.Valid has accepted.
type scanner struct {
	b []byte
	i int
}

func (s *scanner) space() {
	for s.i < len(s.b) && (s.b[s.i] == ' ' || s.b[s.i] == '\n' || s.b[s.i] == '\t' || s.b[s.i] == '\r') {
		s.i++
	}
}

// next is the first byte of the next value, or zero at the end.
func (s *scanner) next() byte {
	s.space()
	if s.i >= len(s.b) {
		return 0
	}
	return s.b[s.i]
}

// skip passes one value and returns its text.
func (s *scanner) skip() json.RawMessage {
	c := s.next()
	start := s.i
	switch c {
	case '"':
		s.passString()
	case '{', '[':
		depth := 0
		for s.i < len(s.b) {
			switch s.b[s.i] {
			case '"':
				s.passString()
				continue
			case '{', '[':
				depth++
			case '}', ']':
				depth--
			}
			s.i++
			if depth == 0 {
				break
			}
		}
	default:
		for s.i < len(s.b) && !bytes.ContainsRune([]byte(",]} \n\t\r"), rune(s.b[s.i])) {
			s.i++
		}
	}
	return s.b[start:s.i:s.i]
}

func (s *scanner) passString() {
	for s.i++; s.i < len(s.b); s.i++ {
		switch s.b[s.i] {
		case '\\':
			s.i++
		case '"':
			s.i++
			return
		}
	}
	s.i = min(s.i, len(s.b))
}

// object calls f with each name; f must pass the value. It reports whether the next value is an object.
func (s *scanner) object(f func(name string)) bool {
	if s.next() != '{' {
		s.skip()
		return false
	}
	for s.i++; s.next() == '"' || s.next() == ','; {
		if s.b[s.i] == ',' {
			s.i++
			continue
		}
		name := text(s.skip())
		if s.next() == ':' {
			s.i++
		}
		f(name)
	}
	s.i = min(s.i+1, len(s.b))
	return true
}

// list returns the items of the next value, which is nil when that is no list.
func (s *scanner) list() []json.RawMessage {
	if s.next() != '[' {
		s.skip()
		return nil
	}
	items := []json.RawMessage{}
	for s.i++; s.next() != ']' && s.next() != 0; {
		if s.b[s.i] == ',' {
			s.i++
			continue
		}
		items = append(items, s.skip())
	}
	s.i = min(s.i+1, len(s.b))
	return items
}

// text decodes a JSON string; other values give "".
func text(raw []byte) string {
	if len(raw) < 2 || raw[0] != '"' {
		return ""
	}
	if bytes.IndexByte(raw, '\\') < 0 {
		return strings.ToValidUTF8(string(raw[1:len(raw)-1]), "\uFFFD")
	}
	var out string
	if json.Unmarshal(raw, &out) != nil {
		return ""
	}
	return out
}

func texts(items []json.RawMessage) []string {
	out := make([]string, 0, len(items))
	for _, item := range items {
		out = append(out, text(item))
	}
	return out
}

// readOutline reads the outermost level of a schema.
func readOutline(schema []byte) outline {
	var o outline
	if len(schema) == 2 { // {}
		return o
	}
	s := scanner{b: schema}
	if s.next() == 'f' {
		o.never = true
		return o
	}
	s.object(func(name string) {
		switch name {
		case "type":
			if s.next() == '[' {
				o.types = texts(s.list())
			} else {
				o.types = []string{text(s.skip())}
			}
		case "title":
			o.title = text(s.skip())
		case "description":
			o.description = text(s.skip())
		case "$ref":
			o.ref = text(s.skip())
		case "format":
			o.format = text(s.skip())
		case "properties":
			s.object(func(name string) {
				o.names = append(o.names, name)
				o.props = append(o.props, s.skip())
			})
		case "required":
			o.required = texts(s.list())
		case "items":
			o.items = s.skip()
		case "prefixItems":
			o.prefix = s.list()
		case "additionalProperties":
			o.additional = s.skip()
		case "allOf":
			o.allOf = s.list()
		case "anyOf", "oneOf":
			o.anyOf = append(o.anyOf, s.list()...)
		case "enum":
			o.enum = s.list()
		case "const":
			o.constant = s.skip()
		case "default":
			o.dflt = s.skip()
		default:
			s.skip()
		}
	})
	return o
}

// A document is the whole text of a schema: what its references point into.
type document []byte

// open reads the outline of a part of the document and follows its $ref. Words beside a $ref win over those it
// points to. What cannot be followed stays as it is.
func (d document) open(part []byte) outline {
	o := readOutline(part)
	for hop := 0; o.ref != "" && hop < maxHops; hop++ {
		target := d.at(o.ref)
		if target == nil {
			break
		}
		t := readOutline(target)
		if o.description != "" {
			t.description = o.description
		}
		if o.title != "" {
			t.title = o.title
		}
		if o.dflt != nil {
			t.dflt = o.dflt
		}
		if len(o.props) > 0 || o.allOf != nil || o.anyOf != nil {
			t.allOf = append(slices.Clip(t.allOf), withoutRef(o)...)
		}
		o = t
	}
	return o
}

// withoutRef keeps the parts that stand beside a $ref and add fields of their own.
func withoutRef(o outline) []json.RawMessage {
	parts := slices.Clone(o.allOf)
	for i, name := range o.names {
		key, _ := json.Marshal(name)
		req := "[]"
		if slices.Contains(o.required, name) {
			req = "[" + string(key) + "]"
		}
		parts = append(parts, json.RawMessage(`{"properties":{`+string(key)+`:`+string(o.props[i])+`},"required":`+req+`}`))
	}
	return parts
}

// at finds what a local reference such as "#/$defs/invoice" points to; nil when there is no such place.
func (d document) at(ref string) []byte {
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
		step = unescapePointer(step)
		s := scanner{b: place}
		place = nil
		if s.next() == '[' {
			n, err := strconv.Atoi(step)
			if items := s.list(); err == nil && n >= 0 && n < len(items) {
				place = items[n]
			}
		} else {
			s.object(func(name string) {
				value := s.skip()
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

func unescapePointer(step string) string {
	if strings.ContainsRune(step, '%') {
		step = strings.NewReplacer("%24", "$", "%25", "%", "%20", " ", "%3C", "<", "%3E", ">", "%5B", "[", "%5D", "]").Replace(step)
	}
	return strings.NewReplacer("~1", "/", "~0", "~").Replace(step)
}

// is reports whether the outline names a type.
func (o *outline) is(kind string) bool { return slices.Contains(o.types, kind) }

// list reports whether the outline describes a list.
func (o *outline) list() bool { return o.is("array") || (len(o.types) == 0 && o.items != nil) }

// plain opens a part and steps through wrappers: a $ref, one allOf member, or a choice between something and null.
func (d document) plain(part []byte) (o outline, nullable bool) {
	o = d.open(part)
	for hop := 0; hop < maxHops; hop++ {
		nullable = nullable || o.is("null")
		if len(o.props) > 0 || o.items != nil {
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
		if o.description != "" {
			next.description = o.description
		}
		if o.title != "" && next.title == "" {
			next.title = o.title
		}
		if o.dflt != nil {
			next.dflt = o.dflt
		}
		o = next
	}
	return o, nullable
}

// fields lists the properties of an outline, through $ref, allOf, anyOf and oneOf: required first, then document
// order. What only a branch has is not required. For a list these are the fields of its items.
func (d document) fields(o outline) []property {
	var out []property
	seen := map[string]int{}
	d.collect(o, true, 0, func(p property) {
		if i, ok := seen[p.name]; ok {
			out[i].required = out[i].required || p.required
			return
		}
		seen[p.name] = len(out)
		out = append(out, p)
	})
	slices.SortStableFunc(out, func(a, b property) int {
		switch {
		case a.required == b.required:
			return 0
		case a.required:
			return -1
		}
		return 1
	})
	return out
}

func (d document) collect(o outline, sure bool, depth int, add func(property)) {
	if depth > 8 {
		return
	}
	if o.list() && o.items != nil {
		o, _ = d.plain(o.items)
	}
	for i, name := range o.names {
		add(property{name, o.props[i], sure && slices.Contains(o.required, name)})
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

// verify reports the first place where the text is not a schema, as a JSON pointer.
func (d document) verify(part []byte, place string, depth int) error {
	return verifier{d, map[string]bool{}}.verify(part, place, depth)
}

// A verifier checks the text of one schema.
type verifier struct {
	document
	followed map[string]bool // references that lead somewhere
}

func (d verifier) verify(part []byte, place string, depth int) error {
	if depth > 200 {
		return fmt.Errorf("%s: nested too deeply", place)
	}
	s := scanner{b: part}
	switch s.next() {
	case 't', 'f':
		return nil
	case '{':
	default:
		return fmt.Errorf("%s: want an object or a boolean, got %s", place, clip(string(part), 40))
	}
	var err error
	s.object(func(name string) {
		value := s.skip()
		if err == nil {
			err = d.verifyKeyword(name, value, place+"/"+name, depth)
		}
	})
	return err
}

func (d verifier) verifyKeyword(name string, value []byte, place string, depth int) error {
	s := scanner{b: value}
	switch name {
	case "type":
		kinds := []json.RawMessage{value}
		if s.next() == '[' {
			kinds = s.list()
		}
		for _, kind := range kinds {
			switch text(kind) {
			case "string", "integer", "number", "boolean", "object", "array", "null":
			default:
				return fmt.Errorf("%s: unknown type %s", place, clip(string(kind), 40))
			}
		}
	case "properties", "$defs", "definitions", "patternProperties":
		var err error
		ok := s.object(func(name string) {
			inner := s.skip()
			if err == nil {
				err = d.verify(inner, place+"/"+name, depth+1)
			}
		})
		if !ok {
			return fmt.Errorf("%s: want an object", place)
		}
		return err
	case "allOf", "anyOf", "oneOf", "prefixItems":
		if s.next() != '[' {
			return fmt.Errorf("%s: want a list", place)
		}
		for i, inner := range s.list() {
			if err := d.verify(inner, place+"/"+strconv.Itoa(i), depth+1); err != nil {
				return err
			}
		}
	case "items", "additionalProperties", "not", "if", "then", "else", "contains", "propertyNames":
		if name == "items" && s.next() == '[' {
			return nil
		}
		return d.verify(value, place, depth+1)
	case "required":
		if s.next() != '[' {
			return fmt.Errorf("%s: want a list of names", place)
		}
		for _, item := range s.list() {
			if item[0] != '"' {
				return fmt.Errorf("%s: want a list of names, got %s", place, clip(string(item), 40))
			}
		}
	case "$ref":
		if ref := text(value); strings.HasPrefix(ref, "#/") && !d.followed[ref] {
			if d.at(ref) == nil {
				return fmt.Errorf("%s: %s points to nothing", place, clip(ref, 80))
			}
			d.followed[ref] = true
		}
	}
	return nil
}
