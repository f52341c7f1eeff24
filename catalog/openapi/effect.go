package openapi

// This file infers what an operation does, and the entities it works on.

import (
	"cmp"
	"slices"
	"strings"

	"almanac/catalog"
	"almanac/catalog/text"
	"almanac/catalog/verb"
)

// effects fills in operation, mutates and risk. commands are the values of the parameter that selects the operation,
// which is free if it takes any text.
func effects(op *operation, commands []string, free bool, e *catalog.Entry) {
	h := verb.Hints{Method: op.method, Path: op.path, Commands: commands, Free: free,
		Text: cmp.Or(op.summary, firstSentence(op.description)), More: text.HeadBytes(op.description, 2000)}
	if op.name.own {
		h.Names = []string{op.operationID, strings.Join(op.name.words.from(0), " ")}
	}
	does := verb.Infer(h)
	e.Operation, e.Mutates, e.Risk = does.Operation, does.Mutates, does.Risk
}

// commands are the possible values of the parameter that selects the operation, Action=TerminateInstances; free is set
// if it takes any text.
func (d *document) commands(op *operation) (values []string, free bool) {
	params, _ := d.parameters(op)
	for _, p := range params {
		name := p.Get("name").Scalar()
		if !verb.IsActionKey(name) {
			continue
		}
		if p.Get("in").Str() == "query" {
			values = slices.Concat(p.Get("enum").Strings(), p.At("schema", "enum").Strings())
			return values, len(values) == 0
		}
		free = free || strings.HasSuffix(op.path, "/{"+name+"}")
	}
	return nil, free
}

func firstSentence(s string) string {
	s = strings.TrimSpace(s)
	if i := strings.IndexAny(s, ".\n"); i > 0 {
		return s[:i]
	}
	return s
}

// entities are the entities that an operation works on: the last nouns of its path, in the singular.
func entities(op *operation) []string {
	fixed, _ := pathWords(op.path)
	var out []string
	for i := len(fixed) - 1; i >= 0 && len(out) < 2; i-- {
		list := verb.Words(fixed[i])
		if len(list) == 0 || verb.Known(list[0]) {
			continue
		}
		name := strings.Join(singularWords(list), "_")
		if len(name) <= 40 && !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out
}
