package openapi

// This file writes what schemas are put together from: allOf, choices with their tags, and what of a value goes which
// way.

import (
	"slices"
	"strings"
)

// composed writes allOf, and oneOf and anyOf as anyOf: documents mean by oneOf what may overlap.
func (e *emitter) composed(n *node, at spot) {
	same := spot{depth: at.depth + 1, trail: at.trail, bare: at.bare, hidden: at.hidden, room: innerText}
	if parts := n.get("allOf").items(); len(parts) > 0 {
		e.name("allOf")
		e.raw("[")
		for _, part := range parts {
			e.comma()
			e.schema(part, same)
		}
		e.raw("]")
	}
	choices := n.get("oneOf").items()
	if more := n.get("anyOf").items(); len(choices) == 0 {
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
		values := tags[part.get("$ref").str()]
		if len(values) == 0 || e.output {
			e.schema(part, same)
			continue
		}
		e.raw(`{"allOf":[`)
		e.schema(part, same)
		e.raw(`],"properties":{`)
		e.b = append(quote(e.b, n.at("discriminator", "propertyName").str()), `:{"enum":[`...)
		for _, value := range values {
			e.comma()
			e.b = quote(e.b, value)
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
func (e *emitter) returns(choices, trail []*node) bool {
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

// tags are the values of the discriminator that a mapping gives each reference. A branch that says itself which values
// it takes needs none.
func (e *emitter) tags(n *node) map[string][]string {
	property := n.at("discriminator", "propertyName").str()
	mapping := n.at("discriminator", "mapping")
	if property == "" || !mapping.is(object) {
		return nil
	}
	tags := map[string][]string{}
	mapping.each(func(value string, ref *node) {
		place := ref.str()
		if !strings.Contains(place, "/") {
			place = e.d.schemaPlace() + place
		}
		target, err := e.d.pointer(place)
		if err != nil {
			return
		}
		own := e.d.soft(target.at("properties", property))
		if own.get("enum") == nil && own.get("const") == nil {
			tags[place] = append(tags[place], value)
		}
	})
	return tags
}

// hidden are the names that do not go this way: what is read-only is not sent, what is write-only does not come back.
func (d *document) hidden(n *node, output bool) map[string]bool {
	keyword := "readOnly"
	if output {
		keyword = "writeOnly"
	}
	hidden, seen := map[string]bool{}, map[*node]bool{}
	var visit func(n *node)
	visit = func(n *node) {
		if n = d.soft(n); n == nil || seen[n] {
			return
		}
		seen[n] = true
		n.get("properties").each(func(name string, property *node) {
			if property.get(keyword).truth() || d.soft(property).get(keyword).truth() {
				hidden[name] = true
			}
		})
		for _, part := range n.get("allOf").items() {
			visit(part)
		}
	}
	visit(n)
	return hidden
}

// undeclared are the names that must be there, of which the schema and all that applies with it say nothing more.
// Names that nothing lists would be refused.
func (e *emitter) undeclared(n *node) []string {
	if e.output || n.get("required").items() == nil {
		return nil
	}
	known, seen := map[string]bool{}, map[*node]bool{}
	var visit func(n *node)
	visit = func(n *node) {
		if n = e.d.soft(n); n == nil || seen[n] {
			return
		}
		seen[n] = true
		n.get("properties").each(func(name string, _ *node) { known[name] = true })
		e.d.inPlace(n, visit)
	}
	visit(n)
	if len(known) == 0 {
		return nil
	}
	var out []string
	for _, name := range n.get("required").strings() {
		if !known[name] && !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out
}
