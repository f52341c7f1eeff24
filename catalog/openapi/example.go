package openapi

// This file writes an example call of an operation, if the document has the values.

import (
	"strings"

	"almanac/catalog"
	"almanac/catalog/lua"
	"almanac/catalog/tree"
)

// example is a Lua call with the document's example values for the required arguments; nil if one is missing.
func (l *loader) example(op *operation, input *catalog.Schema) []string {
	params, _ := l.d.parameters(op)
	args := map[string]any{}
	take := func(name string, schema, holder *tree.Node) bool {
		for _, value := range []*tree.Node{
			holder.Get("example"), firstValue(holder.Get("examples")).Get("value"), schema.Get("example"),
			holder.Get("x-example"),
			firstValue(schema.Get("examples")), schema.Get("default"), firstValue(schema.Get("enum")), schema.Get("const"),
		} {
			if value != nil && value.Kind != tree.Null {
				args[name] = value.Plain()
				return true
			}
		}
		return false
	}
	for _, p := range op.plan.params {
		for _, n := range params {
			if n.Get("name").Scalar() != p.name || n.Get("in").Str() != p.in {
				continue
			}
			schema := l.d.soft(n.Get("schema"))
			if l.d.v2 {
				schema = n
			}
			if must := n.Get("required").True() || p.in == "path"; must && !take(p.arg, schema, n) {
				return nil
			}
		}
	}
	if b := op.plan.body; b != nil {
		if !l.bodyExample(op, b, args) {
			return nil
		}
	}
	if len(args) == 0 {
		return nil
	}
	checked, err := input.Check(args)
	if err != nil {
		return nil
	}
	for name := range checked {
		if _, given := args[name]; !given {
			delete(checked, name)
		}
	}
	text := lua.Call(op.id, lua.Literal(checked, lua.Options{Tight: true}))
	if len(text) > 1000 || strings.ContainsAny(text, "\n") {
		return nil
	}
	return []string{text}
}

// bodyExample adds the arguments of a body. It reports whether the document has an example of it, or none is needed.
func (l *loader) bodyExample(op *operation, b *body, args map[string]any) bool {
	n := l.d.soft(op.node.Get("requestBody"))
	if n == nil {
		return l.d.v2 && b.whole == "" && len(b.fields) == 0
	}
	_, media := l.d.pickMedia(n.Get("content"))
	schema := l.d.soft(media.Get("schema"))
	for _, value := range []*tree.Node{media.Get("example"), l.d.soft(firstValue(media.Get("examples"))).Get("value"),
		schema.Get("example")} {
		if value == nil {
			continue
		}
		if b.whole != "" {
			args[b.whole] = value.Plain()
			return true
		}
		if !value.Is(tree.Object) {
			continue
		}
		value.Each(func(name string, v *tree.Node) {
			for _, f := range b.fields {
				if f.name == name {
					args[f.arg] = v.Plain()
				}
			}
		})
		return true
	}
	return !n.Get("required").True()
}

func firstValue(n *tree.Node) *tree.Node {
	if n == nil || n.Kind < tree.List || len(n.Values) == 0 {
		return nil
	}
	return n.Values[0]
}
