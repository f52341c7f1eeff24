package catalog

// This file refuses schemas that could not be checked in finite time: those that refer to themselves without going
// deeper into the value. It also refuses references that lead nowhere.

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/google/jsonschema-go/jsonschema"

	"almanac/catalog/text"
)

// errRecursive refuses {"$ref":"#"} and the like. The library would recurse until the stack is full.
var errRecursive = errors.New("it refers to itself without end")

// parts are the schemas directly inside s: those that apply to the same value, and those that apply to parts of it or
// only when they are referred to.
func parts(s *jsonschema.Schema) (same, inner []*jsonschema.Schema) {
	same = slices.Concat(s.AllOf, s.AnyOf, s.OneOf, []*jsonschema.Schema{s.Not, s.If, s.Then, s.Else},
		values(s.DependentSchemas), values(s.DependencySchemas))
	inner = slices.Concat(s.PrefixItems, s.ItemsArray, values(s.Properties), values(s.PatternProperties), values(s.Defs),
		values(s.Definitions),
		[]*jsonschema.Schema{s.Items, s.AdditionalItems, s.Contains, s.UnevaluatedItems, s.AdditionalProperties,
			s.PropertyNames, s.UnevaluatedProperties, s.ContentSchema})
	missing := func(s *jsonschema.Schema) bool { return s == nil }
	return slices.DeleteFunc(same, missing), slices.DeleteFunc(inner, missing)
}

// values are the schemas of a map in the order of their names.
func values(m map[string]*jsonschema.Schema) []*jsonschema.Schema {
	list := make([]*jsonschema.Schema, 0, len(m))
	for _, name := range slices.Sorted(maps.Keys(m)) {
		list = append(list, m[name])
	}
	return list
}

// checkEnds fails when root has a reference that cannot be followed or that leads back to itself in place.
func checkEnds(root *jsonschema.Schema) error {
	const open, done = 1, 2
	state := map[*jsonschema.Schema]int{}
	// What applies to parts of the value waits until the walk in place is over: going deeper ends with the value.
	waiting := []*jsonschema.Schema{root}
	var visit func(s *jsonschema.Schema) error
	visit = func(s *jsonschema.Schema) error {
		switch state[s] {
		case open:
			return errRecursive
		case done:
			return nil
		}
		state[s] = open
		same, inner := parts(s)
		for _, ref := range []string{s.Ref, s.DynamicRef} {
			if ref == "" {
				continue
			}
			target := pointedTo(root, ref)
			if target == nil {
				return fmt.Errorf("its reference %s cannot be followed", text.LineRunes(ref, 80))
			}
			same = append(same, target)
		}
		for _, part := range same {
			if err := visit(part); err != nil {
				return err
			}
		}
		state[s] = done
		waiting = append(waiting, inner...)
		return nil
	}
	for len(waiting) > 0 {
		next := waiting[len(waiting)-1]
		waiting = waiting[:len(waiting)-1]
		if err := visit(next); err != nil {
			return err
		}
	}
	return nil
}
