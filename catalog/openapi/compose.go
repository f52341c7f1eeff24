package openapi

// This file writes composed schemas: allOf, choices with their discriminators, and read-only and write-only names.

import (
	"maps"
	"slices"
	"strings"

	"almanac/catalog/tree"
)

// composed writes allOf, and both oneOf and anyOf as anyOf, since the branches of oneOf often overlap in practice.
func (e *emitter) composed(n *tree.Node, at spot) {
	same := spot{depth: at.depth + 1, trail: at.trail, bare: at.bare, hidden: at.hidden, room: innerText}
	if parts := n.Get("allOf").Items(); len(parts) > 0 {
		e.name("allOf")
		e.raw("[")
		for _, part := range parts {
			e.comma()
			e.schema(part, same)
		}
		e.raw("]")
	}
	choices := n.Get("oneOf").Items()
	if more := n.Get("anyOf").Items(); len(choices) == 0 {
		choices = more
	}
	extended := false
	if len(choices) == 0 && !e.output {
		choices = e.d.extending(n)
		extended = true
	}
	if len(choices) == 0 || at.bare && e.returns(choices, at.trail) {
		return
	}
	e.name("anyOf")
	e.raw("[")
	tags := e.tags(n)
	for _, part := range choices {
		e.comma()
		values := tags[part.Get("$ref").Str()]
		if len(values) == 0 || e.output {
			e.schema(part, same)
			continue
		}
		e.raw(`{"allOf":[`)
		e.schema(part, same)
		e.raw(`],"properties":{`)
		e.b = append(tree.Quote(e.b, n.At("discriminator", "propertyName").Str()), `:{"enum":[`...)
		for _, value := range values {
			e.comma()
			e.b = tree.Quote(e.b, value)
		}
		e.raw(`]}}}`)
	}
	if extended {
		e.comma()
		e.raw("{}") // the base itself
	}
	e.raw("]")
}

// returns reports whether a choice leads back to the trail.
func (e *emitter) returns(choices, trail []*tree.Node) bool {
	for _, part := range choices {
		target := e.d.soft(part)
		if target == nil {
			continue
		}
		reach := e.d.reach(part)
		for _, before := range trail {
			if target == before || reach[before] {
				return true
			}
		}
	}
	return false
}

// tags are the discriminator values that the mapping gives each reference. A branch that declares its own values needs
// none.
func (e *emitter) tags(n *tree.Node) map[string][]string {
	property := n.At("discriminator", "propertyName").Str()
	mapping := n.At("discriminator", "mapping")
	if property == "" || !mapping.Is(tree.Object) {
		return nil
	}
	tags := map[string][]string{}
	placed := func(ref string) string {
		if ref != "" && !strings.Contains(ref, "/") {
			return e.d.schemaPlace() + ref
		}
		return ref
	}
	byDefault := placed(n.At("discriminator", "defaultMapping").Str())
	mapping.Each(func(value string, ref *tree.Node) {
		place := placed(ref.Str())
		if place == byDefault {
			return // also without the property, or with any other value
		}
		target, err := e.d.pointer(place)
		if err != nil {
			return
		}
		own := e.d.soft(target.At("properties", property))
		if own.Get("enum") == nil && own.Get("const") == nil {
			tags[place] = append(tags[place], value)
		}
	})
	return tags
}

// hidden are the names excluded in this direction: read-only ones from requests, write-only ones from responses. A part
// that requires what another part calls so, and says itself what it is, has it back.
func (d *document) hidden(n *tree.Node, output bool) map[string]bool {
	keyword := "readOnly"
	if output {
		keyword = "writeOnly"
	}
	hidden, back, seen := map[string]bool{}, map[string]bool{}, map[*tree.Node]bool{}
	var visit func(n *tree.Node)
	visit = func(n *tree.Node) {
		if n = d.soft(n); n == nil || seen[n] {
			return
		}
		seen[n] = true
		n.Get("properties").Each(func(name string, property *tree.Node) {
			if property.Get(keyword).True() || d.soft(property).Get(keyword).True() {
				hidden[name] = true
			} else if slices.Contains(n.Get("required").Strings(), name) {
				back[name] = true
			}
		})
		for _, part := range n.Get("allOf").Items() {
			visit(part)
		}
	}
	visit(n)
	maps.DeleteFunc(hidden, func(name string, _ bool) bool { return back[name] })
	return hidden
}

// undeclared are required names that neither the schema nor its parts describe. Unlisted names would be refused.
func (e *emitter) undeclared(n *tree.Node) []string {
	if e.output || n.Get("required").Items() == nil {
		return nil
	}
	known, seen := map[string]bool{}, map[*tree.Node]bool{}
	var visit func(n *tree.Node)
	visit = func(n *tree.Node) {
		if n = e.d.soft(n); n == nil || seen[n] {
			return
		}
		seen[n] = true
		n.Get("properties").Each(func(name string, _ *tree.Node) { known[name] = true })
		e.d.inPlace(n, visit)
	}
	visit(n)
	if len(known) == 0 {
		return nil
	}
	var out []string
	for _, name := range n.Get("required").Strings() {
		if !known[name] && !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out
}

// required writes the required names.
func (e *emitter) required(names *tree.Node, hidden map[string]bool) {
	var kept []string
	for _, name := range names.Strings() {
		if !hidden[name] && !slices.Contains(kept, name) {
			kept = append(kept, name)
		}
	}
	e.list("required", kept)
}

// list writes a member that is a list of texts, unless it is empty.
func (e *emitter) list(name string, texts []string) {
	if len(texts) == 0 {
		return
	}
	e.name(name)
	e.raw("[")
	for _, text := range texts {
		e.comma()
		e.b = tree.Quote(e.b, text)
	}
	e.raw("]")
}
