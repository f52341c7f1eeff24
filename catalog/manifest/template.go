package manifest

// This file fills arguments into the places of an HTTP request. Each place escapes an argument in its own way: a value
// never becomes another part of the path, another parameter or another header.

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"almanac/catalog/tree"
)

// A template is a text with {name} in place of arguments; {{ and }} are literal braces.
type template struct {
	parts []part
}

// A part is a text, or the name of an argument.
type part struct {
	text, name string
}

func parseTemplate(text string) (template, error) {
	var t template
	for text != "" {
		i := strings.IndexAny(text, "{}")
		if i < 0 {
			i = len(text)
		}
		literal := text[:i]
		text = text[i:]
		if len(text) > 1 && text[0] == text[1] {
			literal, text = literal+text[:1], text[2:]
			t.parts = append(t.parts, part{text: literal})
			continue
		}
		if literal != "" {
			t.parts = append(t.parts, part{text: literal})
		}
		if text == "" {
			break
		}
		name, rest, closed := strings.Cut(text[1:], "}")
		if text[0] == '}' || !closed || name == "" || nameLength(name) != len(name) {
			return template{}, fmt.Errorf("%q: a stray brace: write {{ or }} for a literal one", clip(text))
		}
		t.parts = append(t.parts, part{name: name})
		text = rest
	}
	return t, nil
}

// names lists the arguments of the template.
func (t template) names() []string {
	var names []string
	for _, p := range t.parts {
		if p.name != "" {
			names = append(names, p.name)
		}
	}
	return names
}

// whole is the argument's name if the template is just that argument, else empty.
func (t template) whole() string {
	if len(t.parts) == 1 {
		return t.parts[0].name
	}
	return ""
}

// fill is the text with the arguments, each escaped; ok is false if one of them is missing.
func (t template) fill(args map[string]any, escape func(string) (string, error)) (text string, ok bool, err error) {
	var b strings.Builder
	for _, p := range t.parts {
		if p.name == "" {
			b.WriteString(p.text)
			continue
		}
		value, there := args[p.name]
		if !there || value == nil {
			return "", false, nil
		}
		inner, err := plainText(value)
		if err == nil {
			inner, err = escape(inner)
		}
		if err != nil {
			return "", false, fmt.Errorf("argument %s: %w", p.name, err)
		}
		b.WriteString(inner)
	}
	return b.String(), true, nil
}

// plainText is a value as text; lists and tables are JSON.
func plainText(v any) (string, error) {
	switch v := v.(type) {
	case string:
		return v, nil
	case int64:
		return strconv.FormatInt(v, 10), nil
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64), nil
	case bool:
		return strconv.FormatBool(v), nil
	}
	text, err := json.Marshal(v)
	return string(text), err
}

// The escapes for each place.

func asSegment(s string) (string, error) {
	if s == "" || s == "." || s == ".." {
		return "", fmt.Errorf("%q cannot be a part of a path", s)
	}
	return url.PathEscape(s), nil
}

func asHeader(s string) (string, error) {
	if strings.ContainsFunc(s, func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f }) {
		return "", errors.New("a header must not have control characters or line breaks")
	}
	return s, nil
}

func asIs(s string) (string, error) { return s, nil }

// A pair is a query parameter, a form field or a header.
type pair struct {
	name  string
	value template
}

// pairsOf reads names with templates.
func pairsOf(n *yaml.Node, what string) ([]pair, error) {
	members, err := mapping(n, what)
	if err != nil {
		return nil, err
	}
	var pairs []pair
	for _, m := range members {
		var text string
		if m.value.Kind != yaml.ScalarNode || m.value.Decode(&text) != nil {
			return nil, tree.FaultAt(m.value, "%s: %s: want text such as {limit}, got %s", what, m.name, kindOf(m.value))
		}
		t, err := parseTemplate(text)
		if err != nil {
			return nil, tree.FaultAt(m.value, "%s: %s: %v", what, m.name, err)
		}
		pairs = append(pairs, pair{m.name, t})
	}
	return pairs, nil
}

// valuesOf makes a query or a form of pairs. A pair whose argument is missing is left out; a list gives one pair per
// item.
func valuesOf(pairs []pair, args map[string]any) (url.Values, error) {
	values := url.Values{}
	for _, p := range pairs {
		if list, ok := args[p.value.whole()].([]any); ok {
			for _, item := range list {
				text, err := plainText(item)
				if err != nil {
					return nil, fmt.Errorf("argument %s: %w", p.value.whole(), err)
				}
				values.Add(p.name, text)
			}
			continue
		}
		text, ok, err := p.value.fill(args, asIs)
		if err != nil {
			return nil, err
		}
		if ok {
			values.Add(p.name, text)
		}
	}
	return values, nil
}

// A shape is a body: data whose texts are templates. A text that is just one argument becomes its value.
type shape struct {
	text   *template
	list   []shape
	fields map[string]shape
	value  any
}

func shapeOf(v any) (shape, error) {
	switch v := v.(type) {
	case string:
		t, err := parseTemplate(v)
		return shape{text: &t}, err
	case []any:
		s := shape{list: []shape{}}
		for _, item := range v {
			inner, err := shapeOf(item)
			if err != nil {
				return shape{}, err
			}
			s.list = append(s.list, inner)
		}
		return s, nil
	case map[string]any:
		s := shape{fields: map[string]shape{}}
		for name, item := range v {
			inner, err := shapeOf(item)
			if err != nil {
				return shape{}, fmt.Errorf("%s: %w", name, err)
			}
			s.fields[name] = inner
		}
		return s, nil
	}
	return shape{value: v}, nil
}

// fill is the data with the arguments. A part whose argument is missing is left out; ok is false if that is all of it.
func (s shape) fill(args map[string]any) (v any, ok bool, err error) {
	switch {
	case s.text != nil:
		if name := s.text.whole(); name != "" {
			v, ok = args[name]
			return v, ok, nil
		}
		return asAny(s.text.fill(args, asIs))
	case s.list != nil:
		list := []any{}
		for _, item := range s.list {
			v, ok, err := item.fill(args)
			if err != nil {
				return nil, false, err
			}
			if ok {
				list = append(list, v)
			}
		}
		return list, true, nil
	case s.fields != nil:
		object := map[string]any{}
		for name, item := range s.fields {
			v, ok, err := item.fill(args)
			if err != nil {
				return nil, false, err
			}
			if ok {
				object[name] = v
			}
		}
		return object, true, nil
	}
	return s.value, true, nil
}

func asAny(text string, ok bool, err error) (any, bool, error) { return text, ok, err }

// names lists the arguments of the body.
func (s shape) names() []string {
	if s.text != nil {
		return s.text.names()
	}
	var names []string
	for _, item := range s.list {
		names = append(names, item.names()...)
	}
	for _, name := range slices.Sorted(maps.Keys(s.fields)) {
		names = append(names, s.fields[name].names()...)
	}
	return names
}

// nameLength is how many bytes at the beginning of s a name has.
func nameLength(s string) int {
	return len(s) - len(strings.TrimLeftFunc(s, func(r rune) bool {
		return r == '_' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r >= 0x80
	}))
}
