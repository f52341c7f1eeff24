package graphql

// This file writes arguments and results as JSON Schemas.

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"

	"almanac/catalog"
	"almanac/catalog/text"
	"almanac/catalog/tree"
)

const (
	// maxTypes bounds the input types that one schema of arguments holds; those beyond it are open tables.
	maxTypes = 60
	// maxDescription bounds the description of an action, maxRemark that of an argument, in bytes.
	maxDescription = 4 << 10
	maxRemark      = 400
)

type object = map[string]any

// An inputs writes the schema of one field's arguments; the types that it uses are in defs.
type inputs struct {
	schema *ast.Schema
	defs   object
}

// of is the schema of the arguments of a field, and of one more that is called extra unless that is empty.
func (in *inputs) of(f *ast.FieldDefinition, extra, description string) (*catalog.Schema, error) {
	var properties tree.Ordered
	var required []string
	for _, a := range f.Arguments {
		properties.Set(a.Name, in.property(a.Type, a.Description, a.DefaultValue))
		if a.Type.NonNull && a.DefaultValue == nil {
			required = append(required, a.Name)
		}
	}
	if extra != "" {
		properties.Set(extra, object{"type": "string", "description": description})
	}
	whole := object{"type": "object", "properties": properties, "additionalProperties": false}
	if len(required) > 0 {
		whole["required"] = required
	}
	if len(in.defs) > 0 {
		whole["$defs"] = in.defs
	}
	raw, err := json.Marshal(whole)
	if err != nil {
		return nil, err
	}
	return catalog.ParseSchema(raw)
}

// property is the schema of an argument or of a field of an input type.
func (in *inputs) property(t *ast.Type, description string, value *ast.Value) object {
	p := in.typed(t)
	if description = line(description, maxRemark); description != "" {
		p["description"] = description
	}
	if value != nil {
		if v, err := value.Value(nil); err == nil && v != nil {
			p["default"] = v
		}
	}
	return p
}

// typed is the schema of an input type; null is allowed where the type allows it.
func (in *inputs) typed(t *ast.Type) object {
	p := object{}
	if t.Elem != nil {
		p["type"], p["items"] = "array", in.typed(t.Elem)
	} else {
		p = in.named(t.NamedType)
	}
	if !t.NonNull {
		nullable(p)
	}
	return p
}

// nullable lets a schema take null too.
func nullable(p object) {
	if kind, ok := p["type"].(string); ok {
		p["type"] = []string{kind, "null"}
		if values, ok := p["enum"].([]any); ok {
			p["enum"] = append(slices.Clone(values), nil)
		}
	} else if kinds, ok := p["type"].([]string); ok {
		p["type"] = append(slices.Clone(kinds), "null")
	} else if ref, ok := p["$ref"]; ok {
		delete(p, "$ref")
		p["anyOf"] = []any{object{"$ref": ref}, object{"type": "null"}}
	}
}

// named is the schema of an input type by its name.
func (in *inputs) named(name string) object {
	if p := scalar(name); p != nil {
		return p
	}
	def := in.schema.Types[name]
	switch {
	case def == nil:
		return object{}
	case def.Kind == ast.Enum:
		return object{"type": "string", "enum": values(def)}
	case def.Kind == ast.InputObject:
		if in.defs[name] == nil {
			if len(in.defs) >= maxTypes {
				return object{"type": "object", "description": "a " + name + ": its fields are not listed here"}
			}
			in.define(def)
		}
		return object{"$ref": "#/$defs/" + name}
	}
	return object{"description": name + remark(def)}
}

// define adds an input type to the definitions. It is there before its fields are read, which may be of the same type.
func (in *inputs) define(def *ast.Definition) {
	made := object{"type": "object", "additionalProperties": false}
	in.defs[def.Name] = made
	var properties tree.Ordered
	var required []string
	for _, f := range def.Fields {
		properties.Set(f.Name, in.property(f.Type, f.Description, f.DefaultValue))
		if f.Type.NonNull && f.DefaultValue == nil {
			required = append(required, f.Name)
		}
	}
	made["properties"] = properties
	if len(required) > 0 {
		made["required"] = required
	}
	if def.Directives.ForName("oneOf") != nil {
		made["minProperties"], made["maxProperties"] = 1, 1
	}
}

func remark(def *ast.Definition) string {
	if d := line(text.FirstSentence(def.Description), maxRemark); d != "" {
		return ": " + d
	}
	return ""
}

// scalar is the schema of a type that the language itself has, and of some that most servers mean alike; nil for
// others.
func scalar(name string) object {
	switch name {
	case "Int":
		return object{"type": "integer"}
	case "Float":
		return object{"type": "number"}
	case "Boolean":
		return object{"type": "boolean"}
	case "String", "DateTime", "Date", "Time", "URI", "URL", "UUID", "HTML", "Timestamp":
		return object{"type": "string"}
	case "ID":
		return object{"type": []string{"string", "integer"}}
	}
	return nil
}

func values(def *ast.Definition) []any {
	var list []any
	for _, v := range def.EnumValues {
		list = append(list, v.Name)
	}
	return list
}

// output is the schema of a field's result as the selection asks for it. It requires nothing: callers may ask for other
// fields.
func output(schema *ast.Schema, t *ast.Type, set ast.SelectionSet) object {
	if t.Elem != nil {
		p := object{"type": "array", "items": output(schema, t.Elem, set)}
		if !t.NonNull {
			nullable(p)
		}
		return p
	}
	def := schema.Types[t.NamedType]
	p := object{}
	switch {
	case def == nil:
		return p
	case def.Kind == ast.Enum:
		p = object{"type": "string", "enum": values(def)}
	case def.IsLeafType():
		if known := scalar(t.NamedType); known != nil {
			p = known
		}
	default:
		var properties tree.Ordered
		selected(schema, def, set, &properties)
		p = object{"type": "object", "properties": properties}
	}
	if !t.NonNull {
		nullable(p)
	}
	return p
}

// selected adds the properties that a selection asks of a type.
func selected(schema *ast.Schema, def *ast.Definition, set ast.SelectionSet, properties *tree.Ordered) {
	for _, one := range set {
		switch s := one.(type) {
		case *ast.Field:
			if f := def.Fields.ForName(s.Name); f != nil {
				p := output(schema, f.Type, s.SelectionSet)
				if d := line(text.FirstSentence(f.Description), 200); d != "" && !strings.EqualFold(d, s.Name) {
					p["description"] = d
				}
				properties.Set(s.Name, p)
			} else if s.Name == "__typename" {
				properties.Set(s.Name, object{"type": "string"})
			}
		case *ast.InlineFragment:
			if inner := schema.Types[s.TypeCondition]; inner != nil {
				selected(schema, inner, s.SelectionSet, properties)
			}
		}
	}
}
