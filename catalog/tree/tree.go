// Package tree reads JSON and YAML with names in document order, which the maps of encoding/json lose.
//
//	Scanner   walks JSON level by level and builds nothing: for the schemas of 100,000 actions, and lines of a file
//	Members   the names and values of one object, still text
//	Parse     a whole document, JSON or YAML, as a tree of Nodes: a third of what maps cost
//	FromYAML  the same of a part of a YAML document, within Limits
//	Quote     appends a string as JSON
//
// Data for calls (maps, int64) is read by catalog/spec.
package tree

import (
	"encoding/json"
	"strconv"
	"unicode/utf8"
)

// A Kind says what a Node is.
type Kind byte

// The kinds, in this order: those after Text hold other values.
const (
	Null Kind = iota
	Boolean
	Number
	Text
	List
	Object
)

// A Node is one value of a document. A nil *Node is a missing value; every method works on it.
type Node struct {
	Kind Kind
	// Text is the string, or the JSON literal of a number or boolean.
	Text string
	// raw is a scalar of a YAML document as written, if that differs from Text.
	raw    string
	Names  []string // of an object, in document order
	Values []*Node  // of an object or a list
}

// Get is the value of a name; nil if there is none.
func (n *Node) Get(name string) *Node {
	if n == nil || n.Kind != Object {
		return nil
	}
	for i, have := range n.Names {
		if have == name {
			return n.Values[i]
		}
	}
	return nil
}

// At steps through names.
func (n *Node) At(names ...string) *Node {
	for _, name := range names {
		n = n.Get(name)
	}
	return n
}

// Str is the text of a string; "" for all else.
func (n *Node) Str() string {
	if n == nil || n.Kind != Text {
		return ""
	}
	return n.Text
}

// Scalar is the text of a string, number or boolean as written in the document.
func (n *Node) Scalar() string {
	switch {
	case n == nil || n.Kind >= List || n.Kind == Null:
		return ""
	case n.raw != "":
		return n.raw
	}
	return n.Text
}

// Is reports whether the value exists and is of the kind.
func (n *Node) Is(k Kind) bool { return n != nil && n.Kind == k }

// True reports whether the value is the boolean true.
func (n *Node) True() bool { return n.Is(Boolean) && n.Text == "true" }

// Each calls f with the names and values of an object.
func (n *Node) Each(f func(name string, value *Node)) {
	if !n.Is(Object) {
		return
	}
	for i, name := range n.Names {
		f(name, n.Values[i])
	}
}

// Items are the values of a list.
func (n *Node) Items() []*Node {
	if !n.Is(List) {
		return nil
	}
	return n.Values
}

// Strings are the texts of a list.
func (n *Node) Strings() []string {
	var out []string
	for _, item := range n.Items() {
		if item.Is(Text) {
			out = append(out, item.Text)
		}
	}
	return out
}

// AppendJSON appends the value as JSON.
func (n *Node) AppendJSON(b []byte) []byte {
	if n == nil {
		return append(b, "null"...)
	}
	switch n.Kind {
	case Boolean, Number:
		return append(b, n.Text...)
	case Text:
		return Quote(b, n.Text)
	case List:
		b = append(b, '[')
		for i, item := range n.Values {
			if i > 0 {
				b = append(b, ',')
			}
			b = item.AppendJSON(b)
		}
		return append(b, ']')
	case Object:
		b = append(b, '{')
		for i, name := range n.Names {
			if i > 0 {
				b = append(b, ',')
			}
			b = append(Quote(b, name), ':')
			b = n.Values[i].AppendJSON(b)
		}
		return append(b, '}')
	}
	return append(b, "null"...)
}

// Quote appends a string as JSON.
func Quote(b []byte, s string) []byte {
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
	quoted, _ := json.Marshal(s) // no string fails to marshal
	return append(b, quoted...)
}

// Plain is the value as plain data: integers are int64.
func (n *Node) Plain() any {
	if n == nil {
		return nil
	}
	switch n.Kind {
	case Boolean:
		return n.Text == "true"
	case Number:
		if i, err := strconv.ParseInt(n.Text, 10, 64); err == nil {
			return i
		}
		f, _ := strconv.ParseFloat(n.Text, 64)
		return f
	case Text:
		return n.Text
	case List:
		out := make([]any, len(n.Values))
		for i, item := range n.Values {
			out[i] = item.Plain()
		}
		return out
	case Object:
		out := make(map[string]any, len(n.Names))
		n.Each(func(name string, value *Node) { out[name] = value.Plain() })
		return out
	}
	return nil
}
