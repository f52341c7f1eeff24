package manifest

// This file makes the actions that need nothing from outside: canned data and composed actions.

import (
	"context"

	"go.yaml.in/yaml/v3"

	"almanac/catalog"
	"almanac/catalog/tree"
	"almanac/session/syntax"
)

// canned makes an action that always returns the same data.
func canned(e *catalog.Entry, n *yaml.Node) error {
	value, err := treeOf(n)
	if err != nil {
		return err
	}
	data := value.Plain()
	e.Action = func(context.Context, catalog.Call) (catalog.Result, error) { return catalog.Result{Data: data}, nil }
	return nil
}

// composed makes an action of a Lua body. Unless declared as a mutation it is a read, and the session keeps it from
// changing anything.
func composed(e *catalog.Entry, n *yaml.Node) error {
	var body string
	if err := n.Decode(&body); err != nil || body == "" {
		return tree.FaultAt(n, "lua: want the body of a function, as text, got %s", kindOf(n))
	}
	// The arguments are a local of the body.
	if wrong := syntax.Check("local args; " + body); wrong != nil {
		line := n.Line + wrong.Pos.Line - 1
		if n.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0 {
			line++
		}
		return &tree.Fault{Line: line, Text: "lua: " + wrong.Error()}
	}
	e.Lua = body
	return nil
}
