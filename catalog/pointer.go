package catalog

// This file follows references inside a parsed schema.

import (
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"almanac/catalog/spec"
)

// pointedTo finds what a local reference points to: "#", "#/$defs/invoice", "#anchor". It is nil if nothing is there,
// and for references to other documents.
func pointedTo(root *jsonschema.Schema, ref string) *jsonschema.Schema {
	pointer, ok := strings.CutPrefix(ref, "#")
	if !ok {
		return nil
	}
	if pointer == "" {
		return root
	}
	if pointer[0] != '/' {
		return anchored(root, pointer, 0)
	}
	at := root
	steps := strings.Split(pointer[1:], "/")
	for i := 0; i < len(steps) && at != nil; i++ {
		if one, ok := onePart(at, steps[i]); ok {
			at = one
			continue
		}
		byName, byIndex := manyParts(at, steps[i])
		if i++; i >= len(steps) {
			return nil
		}
		step := spec.UnescapePointer(steps[i])
		if byName != nil {
			at = byName[step]
			continue
		}
		n, err := strconv.Atoi(step)
		if err != nil || n < 0 || n >= len(byIndex) {
			return nil
		}
		at = byIndex[n]
	}
	return at
}

// onePart is the schema under a keyword that holds one.
func onePart(s *jsonschema.Schema, keyword string) (*jsonschema.Schema, bool) {
	switch keyword {
	case "items":
		return s.Items, s.Items != nil
	case "additionalProperties":
		return s.AdditionalProperties, true
	case "not":
		return s.Not, true
	case "if":
		return s.If, true
	case "then":
		return s.Then, true
	case "else":
		return s.Else, true
	case "contains":
		return s.Contains, true
	case "propertyNames":
		return s.PropertyNames, true
	}
	return nil, false
}

// manyParts are the schemas under a keyword that holds them by name or by index.
func manyParts(s *jsonschema.Schema, keyword string) (map[string]*jsonschema.Schema, []*jsonschema.Schema) {
	switch keyword {
	case "$defs":
		return s.Defs, nil
	case "definitions":
		return s.Definitions, nil
	case "properties":
		return s.Properties, nil
	case "patternProperties":
		return s.PatternProperties, nil
	case "dependentSchemas":
		return s.DependentSchemas, nil
	case "allOf":
		return nil, s.AllOf
	case "anyOf":
		return nil, s.AnyOf
	case "oneOf":
		return nil, s.OneOf
	case "prefixItems":
		return nil, s.PrefixItems
	case "items":
		return nil, s.ItemsArray
	}
	return nil, nil
}

// anchored finds the schema with an anchor among the definitions.
func anchored(s *jsonschema.Schema, name string, depth int) *jsonschema.Schema {
	if s == nil || depth > 8 {
		return nil
	}
	if s.Anchor == name || s.DynamicAnchor == name {
		return s
	}
	for _, inner := range append(values(s.Defs), values(s.Definitions)...) {
		if found := anchored(inner, name, depth+1); found != nil {
			return found
		}
	}
	return nil
}
