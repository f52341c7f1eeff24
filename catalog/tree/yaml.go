package tree

// This file reads YAML within limits, aliases included.

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"

	"go.yaml.in/yaml/v3"

	"almanac/catalog/text"
)

// A Fault is an error with its line.
type Fault struct {
	Line int
	Text string
}

func (f *Fault) Error() string { return f.Text }

// FaultAt is a Fault at the line of a node.
func FaultAt(y *yaml.Node, format string, args ...any) *Fault {
	return &Fault{Line: y.Line, Text: fmt.Sprintf(format, args...)}
}

// Parse reads a document, JSON or YAML.
func Parse(doc []byte) (*Node, error) {
	doc = bytes.TrimPrefix(doc, []byte("\xef\xbb\xbf"))
	start := strings.TrimLeft(string(doc[:min(len(doc), 256)]), " \t\r\n")
	if !strings.HasPrefix(start, "{") {
		return parseYAML(doc)
	}
	n, err := parseJSON(doc)
	if err == nil {
		return n, nil
	}
	if n, yamlErr := parseYAML(doc); yamlErr == nil {
		return n, nil // {a: b} is YAML too
	}
	return nil, err
}

// maxNodes bounds the nodes of a YAML document with its aliases expanded.
const maxNodes = 20_000_000

func parseYAML(doc []byte) (*Node, error) {
	var root yaml.Node
	if err := yaml.Unmarshal(doc, &root); err != nil {
		return nil, fmt.Errorf("neither JSON nor YAML: %w", err)
	}
	return FromYAML(&root, Limits{Nodes: min(maxNodes, 1000*len(doc)+1000), Depth: 1000})
}

// Limits bound what FromYAML accepts.
type Limits struct {
	// Nodes is the largest number of nodes, aliases expanded; Depth the deepest nesting.
	Nodes, Depth int
	// Strict refuses repeated names and numbers that data cannot hold. Otherwise names may repeat, and such a number
	// becomes text.
	Strict bool
}

// FromYAML converts a part of a YAML document to a tree.
func FromYAML(y *yaml.Node, l Limits) (*Node, error) {
	c := converter{l}
	return c.convert(y, 0)
}

// A converter converts YAML nodes. Its Nodes count down.
type converter struct{ Limits }

func (c *converter) convert(y *yaml.Node, depth int) (*Node, error) {
	if c.Nodes--; c.Nodes < 0 || depth > c.Depth {
		return nil, FaultAt(y, "the value is too large or nested too deeply")
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
		n := &Node{Kind: List}
		for _, item := range y.Content {
			value, err := c.convert(item, depth+1)
			if err != nil {
				return nil, err
			}
			n.Values = append(n.Values, value)
		}
		return n, nil
	case yaml.MappingNode:
		return c.mapping(y, depth)
	case yaml.ScalarNode:
		return c.scalar(y)
	}
	return &Node{}, nil
}

func (c *converter) mapping(y *yaml.Node, depth int) (*Node, error) {
	n := &Node{Kind: Object}
	var merged []*Node // what the object has where it names no value of its own
	var seen map[string]bool
	if c.Strict {
		seen = map[string]bool{}
	}
	for i := 0; i+1 < len(y.Content); i += 2 {
		key := y.Content[i]
		if c.Strict {
			if key.Kind != yaml.ScalarNode {
				return nil, FaultAt(key, "the value: a name must be plain text")
			}
			if seen[key.Value] {
				return nil, FaultAt(key, "the value: %s is there twice", text.LineBytes(key.Value, 60))
			}
			seen[key.Value] = true
		}
		value, err := c.convert(y.Content[i+1], depth+1)
		if err != nil {
			return nil, err
		}
		if key.Tag != "!!merge" {
			n.Names, n.Values = append(n.Names, key.Value), append(n.Values, value)
		} else if value.Is(List) {
			merged = append(merged, value.Values...)
		} else {
			merged = append(merged, value)
		}
	}
	for _, part := range merged {
		part.Each(func(name string, v *Node) {
			if n.Get(name) == nil {
				n.Names, n.Values = append(n.Names, name), append(n.Values, v)
			}
		})
	}
	return n, nil
}

func (c *converter) scalar(y *yaml.Node) (*Node, error) {
	kind := Number
	switch y.ShortTag() {
	case "!!null":
		return &Node{}, nil
	case "!!bool":
		kind = Boolean
	case "!!int", "!!float":
	default:
		return &Node{Kind: Text, Text: strings.ToValidUTF8(y.Value, "\ufffd")}, nil
	}
	var v any
	err := y.Decode(&v)
	f, isFloat := v.(float64)
	if err == nil && (!isFloat || !math.IsNaN(f) && !math.IsInf(f, 0)) {
		written, err := json.Marshal(v)
		return &Node{Kind: kind, Text: string(written), raw: y.Value}, err
	}
	if c.Strict {
		what := "number"
		if kind == Boolean {
			what = "boolean"
		}
		return nil, FaultAt(y, "%s is not a %s that data can hold", text.LineBytes(y.Value, 60), what)
	}
	return &Node{Kind: Text, Text: strings.ToValidUTF8(y.Value, "\ufffd")}, nil
}

// ToYAML is a value as YAML without lines, for what reads YAML.
func ToYAML(n *Node) *yaml.Node {
	if n == nil {
		n = &Node{}
	}
	switch n.Kind {
	case List:
		y := &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq"}
		for _, item := range n.Values {
			y.Content = append(y.Content, ToYAML(item))
		}
		return y
	case Object:
		y := &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"}
		n.Each(func(name string, value *Node) {
			y.Content = append(y.Content, &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: name}, ToYAML(value))
		})
		return y
	case Text:
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: n.Text}
	case Boolean:
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!bool", Value: n.Text}
	case Number:
		y := &yaml.Node{Kind: yaml.ScalarNode, Value: n.Text}
		y.Tag = y.ShortTag()
		return y
	}
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!null", Value: "null"}
}
