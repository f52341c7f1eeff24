package openapi

// This file holds the tree that documents are read into. It keeps the order of names, which maps of encoding/json
// lose, and costs a third of what they cost.

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

type kind byte

const (
	null kind = iota
	boolean
	number
	textual
	list
	object
)

// A node is one value of a document. A nil *node is a value that is not there; every method works on it.
type node struct {
	kind kind
	// text is the string, or the literal of a number or boolean as it is written in JSON.
	text string
	// raw is a scalar of a YAML document as it was written, where that differs from text.
	raw    string
	names  []string // of an object, in document order
	values []*node  // of an object or a list
}

// get is the value of a name; nil where there is none.
func (n *node) get(name string) *node {
	if n == nil || n.kind != object {
		return nil
	}
	for i, have := range n.names {
		if have == name {
			return n.values[i]
		}
	}
	return nil
}

// at steps through names.
func (n *node) at(names ...string) *node {
	for _, name := range names {
		n = n.get(name)
	}
	return n
}

// str is the text of a string; "" for all else.
func (n *node) str() string {
	if n == nil || n.kind != textual {
		return ""
	}
	return n.text
}

// scalar is the text of a string, number or boolean as the document has it.
func (n *node) scalar() string {
	switch {
	case n == nil || n.kind >= list || n.kind == null:
		return ""
	case n.raw != "":
		return n.raw
	}
	return n.text
}

func (n *node) is(k kind) bool { return n != nil && n.kind == k }

func (n *node) truth() bool { return n.is(boolean) && n.text == "true" }

// each calls f with the names and values of an object.
func (n *node) each(f func(name string, value *node)) {
	if !n.is(object) {
		return
	}
	for i, name := range n.names {
		f(name, n.values[i])
	}
}

// items are the values of a list.
func (n *node) items() []*node {
	if !n.is(list) {
		return nil
	}
	return n.values
}

// strings are the texts of a list.
func (n *node) strings() []string {
	var out []string
	for _, item := range n.items() {
		if item.is(textual) {
			out = append(out, item.text)
		}
	}
	return out
}

// json appends the value as JSON.
func (n *node) json(b []byte) []byte {
	if n == nil {
		return append(b, "null"...)
	}
	switch n.kind {
	case boolean, number:
		return append(b, n.text...)
	case textual:
		return quote(b, n.text)
	case list:
		b = append(b, '[')
		for i, item := range n.values {
			if i > 0 {
				b = append(b, ',')
			}
			b = item.json(b)
		}
		return append(b, ']')
	case object:
		b = append(b, '{')
		for i, name := range n.names {
			if i > 0 {
				b = append(b, ',')
			}
			b = append(quote(b, name), ':')
			b = n.values[i].json(b)
		}
		return append(b, '}')
	}
	return append(b, "null"...)
}

// quote appends a string as JSON.
func quote(b []byte, s string) []byte {
	plain := true
	for i := range len(s) {
		if c := s[i]; c < ' ' || c == '"' || c == '\\' || c >= utf8.RuneSelf {
			plain = false
			break
		}
	}
	if plain {
		return append(append(append(b, '"'), s...), '"')
	}
	quoted, _ := json.Marshal(s)
	return append(b, quoted...)
}

// value is the node as plain data: integers are int64.
func (n *node) value() any {
	if n == nil {
		return nil
	}
	switch n.kind {
	case boolean:
		return n.text == "true"
	case number:
		if i, err := strconv.ParseInt(n.text, 10, 64); err == nil {
			return i
		}
		f, _ := strconv.ParseFloat(n.text, 64)
		return f
	case textual:
		return n.text
	case list:
		out := make([]any, len(n.values))
		for i, item := range n.values {
			out[i] = item.value()
		}
		return out
	case object:
		out := make(map[string]any, len(n.names))
		n.each(func(name string, value *node) { out[name] = value.value() })
		return out
	}
	return nil
}

// parse reads a document, JSON or YAML.
func parse(doc []byte) (*node, error) {
	doc = trimBOM(doc)
	start := strings.TrimLeft(string(doc[:min(len(doc), 256)]), " \t\r\n")
	if strings.HasPrefix(start, "{") {
		if n, err := parseJSON(doc); err == nil {
			return n, nil
		} else if n, yamlErr := parseYAML(doc); yamlErr == nil {
			return n, nil // {a: b} is YAML too
		} else {
			return nil, err
		}
	}
	return parseYAML(doc)
}

func trimBOM(doc []byte) []byte {
	if len(doc) >= 3 && string(doc[:3]) == "\xef\xbb\xbf" {
		return doc[3:]
	}
	return doc
}

// parseJSON reads JSON. The strings of the tree share the memory of one copy of the document.
func parseJSON(doc []byte) (*node, error) {
	if !json.Valid(doc) {
		var v any
		err := json.Unmarshal(doc, &v)
		var syntax *json.SyntaxError
		if errors.As(err, &syntax) {
			before := string(doc[:min(int(syntax.Offset), len(doc))])
			line := strings.Count(before, "\n") + 1
			return nil, fmt.Errorf("line %d, column %d: %w", line, len(before)-strings.LastIndexByte(before, '\n')-1, err)
		}
		return nil, errors.Join(errors.New("no JSON"), err)
	}
	r := reader{s: string(doc)}
	return r.value(), nil
}

// A reader walks text that json.Valid has accepted, so it need not check anything. Its depth is bounded by what
// json.Valid accepts.
type reader struct {
	s string
	i int
}

func (r *reader) next() byte {
	for {
		switch c := r.s[r.i]; c {
		case ' ', '\t', '\r', '\n', ',', ':':
			r.i++
		default:
			return c
		}
	}
}

func (r *reader) value() *node {
	switch c := r.next(); c {
	case '{':
		n := &node{kind: object}
		for r.i++; r.next() != '}'; {
			n.names = append(n.names, r.string())
			n.values = append(n.values, r.value())
		}
		r.i++
		return n
	case '[':
		n := &node{kind: list}
		for r.i++; r.next() != ']'; {
			n.values = append(n.values, r.value())
		}
		r.i++
		return n
	case '"':
		return &node{kind: textual, text: r.string()}
	case 't':
		r.i += 4
		return &node{kind: boolean, text: "true"}
	case 'f':
		r.i += 5
		return &node{kind: boolean, text: "false"}
	case 'n':
		r.i += 4
		return &node{kind: null}
	}
	start := r.i
	for r.i < len(r.s) && strings.IndexByte("+-.eE0123456789", r.s[r.i]) >= 0 {
		r.i++
	}
	return &node{kind: number, text: r.s[start:r.i]}
}

func (r *reader) string() string {
	r.next()
	start := r.i
	r.i++
	escaped := false
	for r.s[r.i] != '"' {
		if r.s[r.i] == '\\' {
			escaped = true
			r.i++
		}
		r.i++
	}
	r.i++
	if !escaped {
		return strings.ToValidUTF8(r.s[start+1:r.i-1], "\ufffd")
	}
	var s string
	if json.Unmarshal([]byte(r.s[start:r.i]), &s) != nil {
		return ""
	}
	return s
}

// maxYAML bounds the nodes that a YAML document may have once its aliases are written out.
const maxYAML = 20_000_000

func parseYAML(doc []byte) (*node, error) {
	var root yaml.Node
	if err := yaml.Unmarshal(doc, &root); err != nil {
		return nil, fmt.Errorf("neither JSON nor YAML: %w", err)
	}
	c := converter{left: min(maxYAML, 1000*len(doc)+1000)}
	n, err := c.convert(&root, 0)
	if err != nil {
		return nil, err
	}
	return n, nil
}

// A converter makes nodes of YAML's.
type converter struct{ left int }

func (c *converter) convert(y *yaml.Node, depth int) (*node, error) {
	if c.left--; c.left < 0 || depth > 1000 {
		return nil, errors.New("YAML: its aliases, or its depth, are without measure")
	}
	switch y.Kind {
	case yaml.DocumentNode:
		if len(y.Content) == 0 {
			return nil, errors.New("YAML: the document is empty")
		}
		return c.convert(y.Content[0], depth+1)
	case yaml.AliasNode:
		return c.convert(y.Alias, depth+1)
	case yaml.SequenceNode:
		n := &node{kind: list}
		for _, item := range y.Content {
			value, err := c.convert(item, depth+1)
			if err != nil {
				return nil, err
			}
			n.values = append(n.values, value)
		}
		return n, nil
	case yaml.MappingNode:
		return c.mapping(y, depth)
	case yaml.ScalarNode:
		return scalarOf(y), nil
	}
	return &node{}, nil
}

func (c *converter) mapping(y *yaml.Node, depth int) (*node, error) {
	n := &node{kind: object}
	for i := 0; i+1 < len(y.Content); i += 2 {
		key := y.Content[i]
		value, err := c.convert(y.Content[i+1], depth+1)
		if err != nil {
			return nil, err
		}
		if key.Tag == "!!merge" {
			parts := []*node{value}
			if value.is(list) {
				parts = value.values
			}
			for _, part := range parts {
				part.each(func(name string, v *node) {
					if n.get(name) == nil {
						n.names, n.values = append(n.names, name), append(n.values, v)
					}
				})
			}
			continue
		}
		n.names, n.values = append(n.names, key.Value), append(n.values, value)
	}
	return n, nil
}

func scalarOf(y *yaml.Node) *node {
	switch y.ShortTag() {
	case "!!null":
		return &node{}
	case "!!bool":
		var b bool
		if y.Decode(&b) == nil {
			return &node{kind: boolean, text: strconv.FormatBool(b), raw: y.Value}
		}
	case "!!int":
		var i int64
		if y.Decode(&i) == nil {
			return &node{kind: number, text: strconv.FormatInt(i, 10), raw: y.Value}
		}
		var f float64
		if y.Decode(&f) == nil {
			return &node{kind: number, text: strconv.FormatFloat(f, 'g', -1, 64), raw: y.Value}
		}
	case "!!float":
		var f float64
		if y.Decode(&f) == nil && !math.IsNaN(f) && !math.IsInf(f, 0) {
			return &node{kind: number, text: strconv.FormatFloat(f, 'g', -1, 64), raw: y.Value}
		}
	}
	return &node{kind: textual, text: strings.ToValidUTF8(y.Value, "\ufffd")}
}
