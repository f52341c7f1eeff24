package spec

// This file closes the schemas of strict actions.

import (
	"strings"

	"almanac/catalog/tree"
)

// Closed is a schema whose tables take no names but those listed, at every depth: additionalProperties is false where
// it was missing or true. A table that says what its other names hold ({"type": "string"}) stays as it is. Where a
// table is put together (by allOf, $ref, a choice beside properties), unevaluatedProperties is false around its parts.
func Closed(schema []byte) []byte {
	root, err := tree.Parse(schema)
	if err != nil {
		return schema
	}
	c := closer{root: root, parts: map[*tree.Node]bool{}, closed: map[*tree.Node]bool{}}
	c.findParts(root, false)
	c.close(root, false)
	return root.AppendJSON(nil)
}

// A closer closes the tables of one schema in place.
type closer struct {
	root *tree.Node
	// parts are the schemas that a reference makes part of a table; they cannot refuse the names of other parts.
	parts, closed map[*tree.Node]bool
}

// findParts marks what is referred to from within a table that is put together.
func (c *closer) findParts(n *tree.Node, part bool) {
	if target := c.target(n); target != nil && (part || composed(n)) && !c.parts[target] {
		c.parts[target] = true
		c.findParts(target, true)
	}
	inside(n, func(inner *tree.Node, beside bool) { c.findParts(inner, beside && (part || composed(n))) })
}

func (c *closer) close(n *tree.Node, part bool) {
	if !n.Is(tree.Object) || c.closed[n] {
		return
	}
	c.closed[n] = true
	part = part || c.parts[n]
	whole := composed(n)
	inside(n, func(inner *tree.Node, beside bool) { c.close(inner, beside && (part || whole)) })
	more := n.Get("additionalProperties")
	switch {
	case part && more.True():
		drop(n, "additionalProperties")
	case part:
	case whole || c.parts[c.target(n)]:
		if more.True() {
			drop(n, "additionalProperties")
		}
		if more == nil || more.True() {
			drop(n, "unevaluatedProperties")
			refuse(n, "unevaluatedProperties")
		}
	case isTable(n) && (more == nil || more.True()):
		drop(n, "additionalProperties")
		refuse(n, "additionalProperties")
	}
}

// target is what a reference into the schema leads to; nil where it leads out of it.
func (c *closer) target(n *tree.Node) *tree.Node {
	path, ok := strings.CutPrefix(n.Get("$ref").Str(), "#")
	if !ok {
		return nil
	}
	at := c.root
	for _, step := range strings.Split(path, "/")[1:] {
		at = at.Get(UnescapePointer(step))
	}
	return at
}

// composed reports whether the names of a table are listed in several places. A mere choice or reference is not one.
func composed(n *tree.Node) bool {
	beside := n.Get("properties") != nil
	for _, word := range []string{"allOf", "if", "dependentSchemas"} {
		if n.Get(word) != nil {
			return true
		}
	}
	for _, word := range []string{"anyOf", "oneOf", "$ref"} {
		if n.Get(word) != nil && beside {
			return true
		}
		beside = beside || n.Get(word) != nil
	}
	return false
}

func isTable(n *tree.Node) bool {
	if n.Get("properties") != nil || n.Get("type").Str() == "object" {
		return true
	}
	for _, kind := range n.Get("type").Strings() {
		if kind == "object" {
			return true
		}
	}
	return false
}

// inside calls f with the schemas directly inside of one; beside tells those that describe the same value.
func inside(n *tree.Node, f func(inner *tree.Node, beside bool)) {
	n.Each(func(word string, value *tree.Node) {
		switch word {
		case "properties", "patternProperties", "$defs", "definitions":
			value.Each(func(_ string, inner *tree.Node) { f(inner, false) })
		case "items", "prefixItems", "additionalProperties":
			f(value, false)
			for _, inner := range value.Items() {
				f(inner, false)
			}
		case "allOf", "anyOf", "oneOf":
			for _, inner := range value.Items() {
				f(inner, true)
			}
		case "then", "else": // a closed condition would be another one
			f(value, true)
		case "dependentSchemas":
			value.Each(func(_ string, inner *tree.Node) { f(inner, true) })
		}
	})
}

func refuse(n *tree.Node, word string) {
	n.Names, n.Values = append(n.Names, word), append(n.Values, &tree.Node{Kind: tree.Boolean, Text: "false"})
}

func drop(n *tree.Node, word string) {
	for i, name := range n.Names {
		if name == word {
			n.Names, n.Values = append(n.Names[:i:i], n.Names[i+1:]...), append(n.Values[:i:i], n.Values[i+1:]...)
			return
		}
	}
}
