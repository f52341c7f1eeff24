package openapi

// This file writes an example of an operation, where the document has the values.

import (
	"strings"

	"almanac/catalog"
	"almanac/catalog/lua"
)

// example is a Lua call with the values that the document gives for what must be there; nil when one is missing.
func (l *loader) example(op *operation, input *catalog.Schema) []string {
	params, _ := l.d.parameters(op)
	args := map[string]any{}
	take := func(name string, schema, holder *node) bool {
		for _, value := range []*node{
			holder.get("example"), firstValue(holder.get("examples")).get("value"), schema.get("example"), holder.get("x-example"),
			firstValue(schema.get("examples")), schema.get("default"), firstValue(schema.get("enum")), schema.get("const"),
		} {
			if value != nil && value.kind != null {
				args[name] = value.value()
				return true
			}
		}
		return false
	}
	for _, p := range op.plan.params {
		for _, n := range params {
			if n.get("name").scalar() != p.name || n.get("in").str() != p.in {
				continue
			}
			schema := l.d.soft(n.get("schema"))
			if l.d.v2 {
				schema = n
			}
			if must := n.get("required").truth() || p.in == "path"; must && !take(p.arg, schema, n) {
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
	n := l.d.soft(op.node.get("requestBody"))
	if n == nil {
		return l.d.v2 && b.whole == "" && len(b.fields) == 0
	}
	_, media := pickMedia(n.get("content"))
	schema := l.d.soft(media.get("schema"))
	for _, value := range []*node{media.get("example"), l.d.soft(firstValue(media.get("examples"))).get("value"), schema.get("example")} {
		if value == nil {
			continue
		}
		if b.whole != "" {
			args[b.whole] = value.value()
			return true
		}
		if !value.is(object) {
			continue
		}
		value.each(func(name string, v *node) {
			for _, f := range b.fields {
				if f.name == name {
					args[f.arg] = v.value()
				}
			}
		})
		return true
	}
	return !n.get("required").truth()
}

func firstValue(n *node) *node {
	if n == nil || n.kind < list || len(n.values) == 0 {
		return nil
	}
	return n.values[0]
}
