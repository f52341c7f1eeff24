package manifest

// This file reads YAML strictly: an unknown key is an error with its line and the name that was meant, and what is
// read is bounded, whatever its aliases say.

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"almanac/catalog"
	"almanac/catalog/search/spelling"
	"almanac/catalog/text"
)

// A fault is an error with the line that it is about.
type fault struct {
	line int
	text string
}

func (f *fault) Error() string { return f.text }

func faultAt(n *yaml.Node, format string, args ...any) *fault {
	return &fault{line: n.Line, text: fmt.Sprintf(format, args...)}
}

// lineOf is the line that err is about, or that of n.
func lineOf(err error, n *yaml.Node) int {
	var f *fault
	if errors.As(err, &f) && f.line > 0 {
		return f.line
	}
	return n.Line
}

// A member is a key of a mapping and its value.
type member struct {
	name       string
	key, value *yaml.Node
}

// mapping lists the members of a mapping in the order they stand; a repeated name is an error. what names the mapping
// in errors. An absent node has none.
func mapping(n *yaml.Node, what string) ([]member, error) {
	n = followed(n)
	if n.IsZero() || n.Kind == yaml.ScalarNode && n.Tag == "!!null" {
		return nil, nil
	}
	if n.Kind != yaml.MappingNode {
		return nil, faultAt(n, "%s: want names with values, got %s", what, kindOf(n))
	}
	seen := map[string]bool{}
	var all []member
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := n.Content[i]
		if key.Kind != yaml.ScalarNode {
			return nil, faultAt(key, "%s: a name must be plain text", what)
		}
		if seen[key.Value] {
			return nil, faultAt(key, "%s: %s is there twice", what, clip(key.Value))
		}
		seen[key.Value] = true
		all = append(all, member{key.Value, key, n.Content[i+1]})
	}
	return all, nil
}

// followed is the node that an alias stands for.
func followed(n *yaml.Node) *yaml.Node {
	if n.Kind == yaml.AliasNode {
		return n.Alias
	}
	return n
}

// decode reads a mapping into a struct whose yaml tags are all the keys that there are. Fields of type yaml.Node take
// whatever is there.
func decode(n *yaml.Node, what string, into any) error {
	members, err := mapping(n, what)
	if err != nil {
		return err
	}
	fields := map[string]reflect.Value{}
	var names []string
	target := reflect.ValueOf(into).Elem()
	for i := range target.NumField() {
		name := target.Type().Field(i).Tag.Get("yaml")
		fields[name], names = target.Field(i), append(names, name)
	}
	for _, m := range members {
		field, known := fields[m.name]
		if !known {
			return faultAt(m.key, "%s: unknown key %s%s", what, clip(m.name), meant(m.name, names))
		}
		value := followed(m.value)
		if field.Type() == reflect.TypeFor[yaml.Node]() {
			field.Set(reflect.ValueOf(*value))
			continue
		}
		if err := value.Decode(field.Addr().Interface()); err != nil {
			return faultAt(m.value, "%s: %s: want %s, got %s", what, m.name, wantOf(field.Type()), kindOf(value))
		}
	}
	return nil
}

// meant is a hint at the nearest of the names, or at all of them.
func meant(name string, names []string) string {
	best, least := "", max(2, len(name)/3)+1
	for _, candidate := range names {
		if d := spelling.Distance(name, candidate, least); d < least {
			best, least = candidate, d
		}
	}
	if best != "" {
		return fmt.Sprintf(": did you mean %s?", best)
	}
	sorted := slices.Sorted(slices.Values(names))
	return ": known are " + strings.Join(sorted, ", ")
}

func wantOf(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Bool:
		return "true or false"
	case reflect.Int, reflect.Int64:
		return "a whole number"
	case reflect.Slice:
		return "a list of texts"
	case reflect.Map:
		return "names with texts"
	case reflect.Pointer:
		return wantOf(t.Elem())
	}
	return "text"
}

func kindOf(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "names with values"
	case yaml.SequenceNode:
		return "a list"
	}
	return clip(n.Value)
}

// texts are the lines of a value that may be one text or a list of them.
func texts(n *yaml.Node, what string) ([]string, error) {
	var one string
	var list []string
	switch {
	case n.IsZero():
		return nil, nil
	case n.Kind == yaml.ScalarNode && n.Decode(&one) == nil:
		return []string{one}, nil
	case n.Kind == yaml.SequenceNode && n.Decode(&list) == nil:
		return list, nil
	}
	return nil, faultAt(n, "%s: want a text or a list of texts, got %s", what, kindOf(n))
}

const (
	// maxNodes bounds one value, its aliases followed; maxNesting how deep it goes.
	maxNodes   = 200_000
	maxNesting = 100
)

// asJSON is the value of a node as JSON, names in the order they stand.
func asJSON(n *yaml.Node) ([]byte, error) {
	w := jsonWriter{left: maxNodes}
	if err := w.write(n, 0); err != nil {
		return nil, err
	}
	return w.out.Bytes(), nil
}

type jsonWriter struct {
	out  bytes.Buffer
	left int
}

func (w *jsonWriter) write(n *yaml.Node, depth int) error {
	if w.left--; w.left < 0 || depth > maxNesting {
		return faultAt(n, "the value is too large or nested too deeply")
	}
	switch n.Kind {
	case yaml.AliasNode:
		return w.write(n.Alias, depth+1)
	case yaml.ScalarNode:
		return w.scalar(n)
	case yaml.SequenceNode:
		w.out.WriteByte('[')
		for i, item := range n.Content {
			if i > 0 {
				w.out.WriteByte(',')
			}
			if err := w.write(item, depth+1); err != nil {
				return err
			}
		}
		w.out.WriteByte(']')
	case yaml.MappingNode:
		members, err := mapping(n, "the value")
		if err != nil {
			return err
		}
		w.out.WriteByte('{')
		for i, m := range members {
			if i > 0 {
				w.out.WriteByte(',')
			}
			w.out.Write(quote(m.name))
			w.out.WriteByte(':')
			if err := w.write(m.value, depth+1); err != nil {
				return err
			}
		}
		w.out.WriteByte('}')
	default:
		w.out.WriteString("null")
	}
	return nil
}

func (w *jsonWriter) scalar(n *yaml.Node) error {
	switch n.Tag {
	case "!!null":
		w.out.WriteString("null")
		return nil
	case "!!bool", "!!int", "!!float":
		var v any
		if err := n.Decode(&v); err != nil {
			return faultAt(n, "%s is not a value of %s", clip(n.Value), n.Tag)
		}
		if f, ok := v.(float64); ok && (math.IsNaN(f) || math.IsInf(f, 0)) {
			return faultAt(n, "%s is not a number that data can hold", clip(n.Value))
		}
		text, err := json.Marshal(v)
		if err != nil {
			return faultAt(n, "%s is not data", clip(n.Value))
		}
		w.out.Write(text)
		return nil
	}
	w.out.Write(quote(n.Value))
	return nil
}

// asData is the value of a node as plain data; integers are int64.
func asData(n *yaml.Node) (any, error) {
	text, err := asJSON(n)
	if err != nil {
		return nil, err
	}
	v, err := catalog.ParseJSON(text)
	if err != nil {
		return nil, faultAt(n, "%v", err)
	}
	return v, nil
}

// clip is what a file says, as a message quotes it.
func clip(s string) string { return text.LineBytes(s, 60) }
