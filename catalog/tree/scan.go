package tree

// This file reads JSON text.

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
	"unsafe"
)

// A Scanner walks JSON text that json.Valid has accepted, so it checks nothing. On any other text it skips to the end.
type Scanner struct {
	b []byte
	i int
}

// Scan returns a Scanner at the first value of text.
func Scan(text []byte) Scanner { return Scanner{b: text} }

// Next is the first byte of the next value, or zero at the end.
func (s *Scanner) Next() byte {
	for s.i < len(s.b) && (s.b[s.i] == ' ' || s.b[s.i] == '\n' || s.b[s.i] == '\t' || s.b[s.i] == '\r') {
		s.i++
	}
	if s.i >= len(s.b) {
		return 0
	}
	return s.b[s.i]
}

// Skip skips one value and returns its text.
func (s *Scanner) Skip() json.RawMessage {
	c := s.Next()
	start := s.i
	switch c {
	case '"':
		s.skipString()
	case '{', '[':
		depth := 0
		for s.i < len(s.b) {
			switch s.b[s.i] {
			case '"':
				s.skipString()
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
		for s.i < len(s.b) && strings.IndexByte(",]} \n\t\r", s.b[s.i]) < 0 {
			s.i++
		}
	}
	return s.b[start:s.i:s.i]
}

// skipString skips a string and reports whether any of its characters is escaped.
func (s *Scanner) skipString() (escaped bool) {
	for s.i++; s.i < len(s.b); {
		end := bytes.IndexByte(s.b[s.i:], '"')
		if end < 0 {
			break
		}
		escape := bytes.IndexByte(s.b[s.i:s.i+end], '\\')
		if escape < 0 {
			s.i += end + 1
			return escaped
		}
		escaped = true
		s.i += escape + 2
	}
	s.i = len(s.b)
	return escaped
}

// Object calls f with each name; f must consume the value. It reports whether the next value is an object. A name
// without escapes is the text itself, which therefore must not be changed.
func (s *Scanner) Object(f func(name string)) bool {
	if s.Next() != '{' {
		s.Skip()
		return false
	}
	for s.i++; s.Next() == '"' || s.Next() == ','; {
		if s.b[s.i] == ',' {
			s.i++
			continue
		}
		name := nameOf(s.Skip())
		if s.Next() == ':' {
			s.i++
		}
		f(name)
	}
	s.i = min(s.i+1, len(s.b))
	return true
}

// List returns the items of the next value, nil if that is not a list.
func (s *Scanner) List() []json.RawMessage {
	if s.Next() != '[' {
		s.Skip()
		return nil
	}
	return s.AppendList([]json.RawMessage{})
}

// AppendList appends the items of the next value, which is a list.
func (s *Scanner) AppendList(items []json.RawMessage) []json.RawMessage {
	for s.i++; s.Next() != ']' && s.Next() != 0; {
		if s.b[s.i] == ',' {
			s.i++
			continue
		}
		items = append(items, s.Skip())
	}
	s.i = min(s.i+1, len(s.b))
	return items
}

// nameOf is Unquote without a copy where that can be.
func nameOf(raw []byte) string {
	if len(raw) > 2 && bytes.IndexByte(raw, '\\') < 0 && utf8.Valid(raw) {
		return unsafe.String(&raw[1], len(raw)-2)
	}
	return Unquote(raw)
}

// Unquote decodes a JSON string; other values give "".
func Unquote(raw []byte) string {
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

// Members are the names and values of an object in document order; the first of a repeated name counts. raw must be
// valid JSON.
func Members(raw []byte) (names []string, values []json.RawMessage, err error) {
	return AppendMembers(nil, nil, raw)
}

// AppendMembers is Members with room of others' names and values, which must be empty.
func AppendMembers(names []string, values []json.RawMessage, raw []byte) ([]string, []json.RawMessage, error) {
	s := Scan(raw)
	ok := s.Object(func(name string) {
		value := s.Skip()
		if !slices.Contains(names, name) {
			names, values = append(names, name), append(values, value)
		}
	})
	if !ok {
		return nil, nil, errors.New("want an object")
	}
	return names, values, nil
}

// parseJSON reads JSON. The strings of the tree share the memory of one copy of the document.
func parseJSON(doc []byte) (*Node, error) {
	if !Valid(doc) {
		var v any
		err := json.Unmarshal(doc, &v)
		var syntax *json.SyntaxError
		if errors.As(err, &syntax) {
			before := string(doc[:min(int(syntax.Offset), len(doc))])
			line := strings.Count(before, "\n") + 1
			return nil, fmt.Errorf("line %d, column %d: %w", line, len(before)-strings.LastIndexByte(before, '\n')-1, err)
		}
		return nil, errors.Join(errors.New("not JSON"), err)
	}
	b := builder{Scan(doc), string(doc)}
	return b.node(), nil
}

// A builder makes nodes of text that json.Valid has accepted, which bounds its depth.
type builder struct {
	Scanner
	text string // the same text
}

// next skips commas and colons and returns the first byte of the next value or end.
func (b *builder) next() byte {
	for {
		c := b.Next()
		if c != ',' && c != ':' {
			return c
		}
		b.i++
	}
}

func (b *builder) node() *Node {
	switch b.next() {
	case '{':
		n := &Node{Kind: Object}
		for b.i++; b.next() != '}'; {
			n.Names = append(n.Names, b.string())
			n.Values = append(n.Values, b.node())
		}
		b.i++
		return n
	case '[':
		n := &Node{Kind: List}
		for b.i++; b.next() != ']'; {
			n.Values = append(n.Values, b.node())
		}
		b.i++
		return n
	case '"':
		return &Node{Kind: Text, Text: b.string()}
	case 't':
		b.i += 4
		return &Node{Kind: Boolean, Text: "true"}
	case 'f':
		b.i += 5
		return &Node{Kind: Boolean, Text: "false"}
	case 'n':
		b.i += 4
		return &Node{Kind: Null}
	}
	start := b.i
	b.Skip()
	return &Node{Kind: Number, Text: b.text[start:b.i]}
}

func (b *builder) string() string {
	b.next()
	start := b.i
	if b.skipString() {
		return Unquote(b.b[start:b.i])
	}
	return strings.ToValidUTF8(b.text[start+1:b.i-1], "\ufffd")
}
