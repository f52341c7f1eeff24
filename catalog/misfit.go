package catalog

// This file compares results with their schemas, on every call: it takes a microsecond where the library takes six.

import (
	"fmt"
	"slices"

	"github.com/google/jsonschema-go/jsonschema"

	"almanac/catalog/spec"
	"almanac/catalog/unknown"
)

const (
	// misfitItems is how many items of a list Misfit looks at, misfitSteps at how many values in all.
	misfitItems = 8
	misfitSteps = 128
)

// Misfit says in a line where a value is other than the schema says: "rows[2].cents: want integer, got string". It
// looks at types, missing fields, listed values and names that are not allowed, in the first items of each list; Fits
// looks at everything. Empty where nothing was found, for a nil schema and for one that cannot be read.
func (s *Schema) Misfit(value any) string {
	if s == nil || s.load() != nil {
		return ""
	}
	m := misfit{root: s.parsed}
	if wrong := m.find(value, s.parsed, 0); wrong != nil {
		if wrong.Field == "" {
			wrong.Field = "result"
		}
		return wrong.Error()[len("argument "):]
	}
	return ""
}

// A misfit walks one value.
type misfit struct {
	root  *jsonschema.Schema
	steps int
}

func (m *misfit) find(v any, s *jsonschema.Schema, depth int) *ArgError {
	if _, open := v.(unknown.Value); open || s == nil {
		return nil
	}
	for hop := 0; s.Ref != ""; hop++ {
		if s = pointedTo(m.root, s.Ref); s == nil || hop > spec.MaxHops {
			return nil
		}
	}
	if m.steps++; m.steps > misfitSteps || depth > maxArgDepth {
		return nil
	}
	if !ofKind(v, s) || len(s.Enum) > 0 && !listed(v, s.Enum) || s.Const != nil && !jsonschema.Equal(*s.Const, v) {
		return &ArgError{Want: wanted(s), Got: describeValue(v)}
	}
	switch value := v.(type) {
	case map[string]any:
		if wrong := m.object(value, s, depth); wrong != nil {
			return wrong
		}
	case []any:
		for i, item := range value[:min(len(value), misfitItems)] {
			if wrong := m.find(item, s.Items, depth+1); wrong != nil {
				return within(fmt.Sprintf("[%d]", i), wrong)
			}
		}
	}
	for _, part := range s.AllOf {
		if wrong := m.find(v, part, depth+1); wrong != nil {
			return wrong
		}
	}
	if wrong := m.branches(v, s.AnyOf, depth); wrong != nil {
		return wrong
	}
	return m.branches(v, s.OneOf, depth)
}

// branches fails where the value is none of a choice.
func (m *misfit) branches(v any, branches []*jsonschema.Schema, depth int) (wrong *ArgError) {
	for _, branch := range branches {
		if wrong = m.find(v, branch, depth+1); wrong == nil {
			return nil
		}
	}
	if len(branches) > 1 {
		return &ArgError{Want: "one of the listed shapes", Got: describeValue(v)}
	}
	return wrong
}

func (m *misfit) object(value map[string]any, s *jsonschema.Schema, depth int) *ArgError {
	for _, name := range s.Required {
		if _, ok := value[name]; !ok {
			return &ArgError{Field: name, Want: "a value", Got: "nothing"}
		}
	}
	var first *ArgError
	more := s.AdditionalProperties
	for name, inner := range value {
		schema, known := s.Properties[name]
		var wrong *ArgError
		switch {
		case known:
			wrong = m.find(inner, schema, depth+1)
		case more == nil || len(s.PatternProperties) > 0:
		case never(more):
			wrong = &ArgError{Got: "unknown name"}
		default:
			wrong = m.find(inner, more, depth+1)
		}
		if wrong == nil {
			continue
		}
		if wrong = within(name, wrong); first == nil || wrong.Field < first.Field { // the same one each time
			first = wrong
		}
	}
	return first
}

// within is an error of an inner value, seen from the outer one.
func within(outer string, wrong *ArgError) *ArgError {
	if wrong.Field != "" && wrong.Field[0] != '[' {
		outer += "."
	}
	wrong.Field = outer + wrong.Field
	return wrong
}

func ofKind(v any, s *jsonschema.Schema) bool {
	if s.Type != "" {
		_, ok := as(v, s.Type)
		return ok
	}
	return len(s.Types) == 0 || slices.ContainsFunc(s.Types, func(kind string) bool {
		_, ok := as(v, kind)
		return ok
	})
}

func listed(v any, values []any) bool {
	return slices.ContainsFunc(values, func(x any) bool {
		if text, ok := x.(string); ok {
			return v == text
		}
		return jsonschema.Equal(x, v)
	})
}
