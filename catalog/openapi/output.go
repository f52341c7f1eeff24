package openapi

// This file reads the responses of an operation.

import (
	"slices"
	"strings"

	"almanac/catalog"
	"almanac/catalog/tree"
)

// An outputs makes the schemas of responses and shares equal ones.
type outputs struct {
	d        *document
	patterns map[string]bool
	known    map[*tree.Node]*catalog.Schema
	told     map[*tree.Node][]string
}

// output fills in the plan's part about responses, and returns the schema of the first success.
func (o *outputs) output(op *operation) (schema *catalog.Schema, mended []string) {
	responses := op.node.Get("responses")
	var best, fallback *tree.Node
	var kinds []string
	answers, others := 0, 0
	responses.Each(func(status string, n *tree.Node) {
		if status == "404" {
			op.plan.notFound = op.method == "get"
		}
		if status == "default" {
			fallback = n
		}
		if !strings.HasPrefix(status, "2") {
			return
		}
		plain := o.d.soft(n)
		media, names := o.media(op, plain)
		for _, name := range names {
			answers++
			if kind, _, _ := strings.Cut(strings.ToLower(name), ";"); !isJSON(kind) {
				others++
			}
		}
		kinds = append(kinds, names...)
		if best == nil && media != nil {
			best = media
		}
	})
	if best == nil && answers == 0 && fallback != nil && len(responses.Names) == 1 {
		media, names := o.media(op, o.d.soft(fallback))
		best, kinds = media, names
		others++
	}
	op.plan.wantJSON = answers > 0 && others == 0
	op.plan.accept = accept(kinds)
	if len(op.plan.accepts) > 0 {
		op.plan.accept = oneOf(op.plan.accepts, kinds)
	}
	if best == nil {
		return nil, nil
	}
	// The same reference gives the same schema.
	key := best
	if ref := best.Get("$ref"); ref.Is(tree.Text) {
		if target, err := o.d.pointer(ref.Text); err == nil {
			key = target
		}
	}
	if schema, ok := o.known[key]; ok {
		return schema, o.told[key]
	}
	e := newEmitter(o.d, o.patterns, true)
	e.raw("{")
	e.raw(`"allOf":[`)
	e.schema(best, spot{room: innerText})
	e.raw("]")
	e.defs()
	e.raw("}")
	mended = e.told("output")
	schema, err := catalog.ParseSchema(slices.Clip(e.b))
	if err != nil {
		schema, mended = nil, []string{"the output was dropped: " + err.Error()}
	}
	o.known[key], o.told[key] = schema, mended
	return schema, mended
}

// media is the schema of a response, preferring JSON, and all its media types.
func (o *outputs) media(op *operation, n *tree.Node) (schema *tree.Node, kinds []string) {
	if o.d.v2 {
		kinds = op.node.Get("produces").Strings()
		if op.node.Get("produces") == nil {
			kinds = o.d.root.Get("produces").Strings()
		}
		if schema = n.Get("schema"); schema == nil {
			return nil, nil
		}
		return schema, kinds
	}
	content := n.Get("content")
	if !content.Is(tree.Object) {
		return nil, nil
	}
	_, media := o.d.pickMedia(content)
	return itemsOfMedia(media), content.Names
}

// oneOf is the value of an Accept header that takes only these: JSON where they have it, else what the responses have,
// too, lines of JSON first.
func oneOf(accepts, kinds []string) string {
	best, most := accepts[0], -1
	for _, name := range accepts {
		points := 0
		if slices.Contains(kinds, name) {
			points = 4
		}
		switch {
		case isJSON(name):
			points += 8
		case isLines(name):
			points += 2
		}
		if points > most {
			best, most = name, points
		}
	}
	return best
}

// accept is the Accept header for the media types of the responses.
func accept(kinds []string) string {
	var list []string
	for _, wantJSON := range []bool{true, false} {
		for _, name := range kinds {
			kind, _, _ := strings.Cut(strings.ToLower(name), ";")
			if isJSON(kind) == wantJSON && !slices.Contains(list, name) &&
				!strings.ContainsFunc(name, func(r rune) bool { return r < ' ' || r > '~' }) && len(list) < 6 &&
				strings.Contains(name, "/") {
				list = append(list, name)
			}
		}
		if len(list) > 0 {
			break
		}
	}
	if len(list) == 0 {
		return "application/json, */*;q=0.5"
	}
	if !slices.Contains(list, "*/*") {
		list = append(list, "*/*;q=0.1")
	}
	return strings.Join(list, ", ")
}
