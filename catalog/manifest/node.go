package manifest

// This file reads YAML strictly: an unknown key is an error with its line and the nearest name, and the size is
// bounded, aliases included.

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"almanac/catalog/search/spelling"
	"almanac/catalog/text"
	"almanac/catalog/tree"
)

// lineOf is the line of err, or that of n.
func lineOf(err error, n *yaml.Node) int {
	var f *tree.Fault
	if errors.As(err, &f) && f.Line > 0 {
		return f.Line
	}
	return n.Line
}

// A member is a key of a mapping and its value.
type member struct {
	name       string
	key, value *yaml.Node
}

// mapping lists the members of a mapping in document order; a repeated name is an error. what names the mapping in
// errors. An absent node has none.
func mapping(n *yaml.Node, what string) ([]member, error) {
	n = followed(n)
	if n.IsZero() || n.Kind == yaml.ScalarNode && n.Tag == "!!null" {
		return nil, nil
	}
	if n.Kind != yaml.MappingNode {
		return nil, tree.FaultAt(n, "%s: want names with values, got %s", what, kindOf(n))
	}
	seen := map[string]bool{}
	var all []member
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := n.Content[i]
		if key.Kind != yaml.ScalarNode {
			return nil, tree.FaultAt(key, "%s: a name must be plain text", what)
		}
		if seen[key.Value] {
			return nil, tree.FaultAt(key, "%s: %s is there twice", what, clip(key.Value))
		}
		seen[key.Value] = true
		all = append(all, member{key.Value, key, n.Content[i+1]})
	}
	return all, nil
}

// followed is the node that an alias refers to.
func followed(n *yaml.Node) *yaml.Node {
	if n.Kind == yaml.AliasNode {
		return n.Alias
	}
	return n
}

// decode reads a mapping into a struct whose yaml tags are the known keys. Fields of type yaml.Node take any value.
func decode(n *yaml.Node, what string, into any) error {
	members, err := mapping(n, what)
	if err != nil {
		return err
	}
	fields := map[string]reflect.Value{}
	var names []string
	target := reflect.ValueOf(into).Elem()
	for _, field := range reflect.VisibleFields(target.Type()) {
		if name := field.Tag.Get("yaml"); name != "" {
			fields[name], names = target.FieldByIndex(field.Index), append(names, name)
		}
	}
	for _, m := range members {
		field, known := fields[m.name]
		if !known {
			return tree.FaultAt(m.key, "%s: unknown key %s%s", what, clip(m.name), meant(m.name, names))
		}
		value := followed(m.value)
		if field.Type() == reflect.TypeFor[yaml.Node]() {
			field.Set(reflect.ValueOf(*value))
			continue
		}
		if err := value.Decode(field.Addr().Interface()); err != nil {
			return tree.FaultAt(m.value, "%s: %s: want %s, got %s", what, m.name, wantOf(field.Type()), kindOf(value))
		}
	}
	return nil
}

// meant is a hint: the nearest of the names, or all of them.
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
	return ": known names: " + strings.Join(sorted, ", ")
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
	return nil, tree.FaultAt(n, "%s: want a text or a list of texts, got %s", what, kindOf(n))
}

const (
	// maxNodes bounds one value, its aliases followed; maxNesting how deep it goes.
	maxNodes   = 200_000
	maxNesting = 100
)

// treeOf is the value of a node with its names in document order.
func treeOf(n *yaml.Node) (*tree.Node, error) {
	return tree.FromYAML(n, tree.Limits{Nodes: maxNodes, Depth: maxNesting, Strict: true})
}

// clip is text of a file, cut to be quoted in a message.
func clip(s string) string { return text.LineBytes(s, 60) }
