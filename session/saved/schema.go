package saved

// This file makes the schemas of an action: its parameters from the arguments that the values were, its result from the
// recorded one.

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"almanac/catalog"
	"almanac/catalog/compare"
)

// An argument is where a literal stands in the arguments of an action.
type argument struct {
	name   string
	schema *jsonschema.Schema // nil where it is not known
}

func argumentOf(e *catalog.Entry, path []string) argument {
	var a argument
	if len(path) == 0 {
		return a
	}
	fields := e.Input.Fields()
	i := slices.IndexFunc(fields, func(f catalog.Field) bool { return f.Name == path[0] })
	if i < 0 {
		return a
	}
	a.name, a.schema = path[len(path)-1], fields[i].Schema
	for _, name := range path[1:] {
		switch {
		case a.schema == nil:
			return a
		case name == "":
			a.schema = a.schema.Items
		default:
			a.schema = a.schema.Properties[name]
		}
	}
	return a
}

// schemaFor is the schema of the argument as that of a parameter; nil where it cannot stand alone.
func (a argument) schemaFor(value any) json.RawMessage {
	if a.schema == nil {
		return nil
	}
	text, err := json.Marshal(a.schema)
	if err != nil || strings.Contains(string(text), `"$ref"`) {
		return nil
	}
	var kept map[string]json.RawMessage
	if json.Unmarshal(text, &kept) != nil {
		return nil
	}
	for name := range kept {
		if !slices.Contains(taken, name) {
			delete(kept, name)
		}
	}
	if kept["type"] == nil && kept["enum"] == nil {
		kept["type"] = json.RawMessage(`"` + typeOf(value) + `"`)
	}
	return ordered(kept)
}

// taken are the parts of a schema that a parameter takes over, in the order in which they are written.
var taken = []string{
	"type", "description", "enum", "format", "pattern", "minLength", "maxLength", "minimum", "maximum", "exclusiveMinimum",
	"exclusiveMaximum", "multipleOf", "default", "examples",
}

func ordered(parts map[string]json.RawMessage) json.RawMessage {
	var fields []string
	for _, name := range taken {
		if parts[name] != nil {
			fields = append(fields, `"`+name+`":`+string(parts[name]))
		}
	}
	return json.RawMessage("{" + strings.Join(fields, ",") + "}")
}

// usual are arguments that say how much is asked for, not of what.
var usual = []string{"limit", "offset", "page", "per_page", "page_size", "cursor", "sort", "order", "fields"}

// varies tells whether another call would have another value there.
func (a argument) varies(kind string) bool {
	return a.name != "" && kind != "boolean" && !slices.Contains(usual, a.name) &&
		(a.schema == nil || a.schema.Enum == nil)
}

// parameter is the schema of the value as a parameter, with the value as its example or its default.
func (v Value) parameter(byDefault bool) json.RawMessage {
	parts := map[string]json.RawMessage{}
	_ = json.Unmarshal(v.schema, &parts) // it was written here
	delete(parts, "default")
	delete(parts, "examples")
	data, err := json.Marshal(v.Data)
	switch {
	case err != nil: // not a number in JSON
	case byDefault:
		parts["default"] = data
	default:
		parts["examples"] = json.RawMessage("[" + string(data) + "]")
	}
	return ordered(parts)
}

const (
	// shapeDepth and shapeFields bound the schema of a result.
	shapeDepth  = 4
	shapeFields = 60
)

// ShapeOf is a JSON Schema that data fits; nil for nil.
func ShapeOf(data any) json.RawMessage {
	if data == nil {
		return nil
	}
	text, err := json.Marshal(shapeOf([]any{data}, shapeDepth))
	if err != nil {
		return nil
	}
	return text
}

// shapeOf is what all the values are. One run does not tell which fields are always there, nor what a null may be else.
func shapeOf(values []any, depth int) *jsonschema.Schema {
	kinds := map[string]bool{}
	var items []any
	fields := map[string][]any{}
	for _, v := range values {
		if !compare.Empty(v) {
			kinds[typeOf(v)] = true
		}
		switch v := v.(type) {
		case []any:
			items = append(items, v...)
		case map[string]any:
			for name, field := range v {
				fields[name] = append(fields[name], field)
			}
		}
	}
	if kinds["number"] {
		delete(kinds, "integer")
	}
	if kinds["null"] {
		clear(kinds)
	}
	s := &jsonschema.Schema{}
	if types := slices.Sorted(maps.Keys(kinds)); len(types) == 1 {
		s.Type = types[0]
	} else {
		s.Types = types
	}
	if depth == 0 {
		return s
	}
	if len(items) > 0 {
		s.Items = shapeOf(items, depth-1)
	}
	if len(fields) > 0 && len(fields) <= shapeFields {
		s.Properties = map[string]*jsonschema.Schema{}
		for _, name := range slices.Sorted(maps.Keys(fields)) {
			s.Properties[name] = shapeOf(fields[name], depth-1)
			s.PropertyOrder = append(s.PropertyOrder, name)
		}
	}
	return s
}
