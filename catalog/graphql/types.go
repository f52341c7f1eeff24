package graphql

// This file is the action that describes the types of a schema.

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/formatter"

	"almanac/catalog"
	"almanac/catalog/search/spelling"
	"almanac/catalog/text"
)

// types is the entry that gives the definition of a type, which a selection of fields needs.
func (l *loader) types() catalog.Entry {
	id := l.name + ".types"
	for l.taken[id] {
		id += "_"
	}
	var names []string
	for name, def := range l.schema.Types {
		if !def.BuiltIn && !strings.HasPrefix(name, "__") {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	schema := l.schema
	return catalog.Entry{
		ID: id, Source: l.Source, Operation: catalog.Read, Risk: catalog.Low, Entities: []string{"type", "schema"},
		Description: "Describe a type of this GraphQL schema: its fields with their arguments and types. It calls nothing.",
		Aliases:     []string{"graphql schema", "introspection", "fields of a type"},
		Input: catalog.MustSchema(`{"type": "object", "additionalProperties": false, "required": ["name"], "properties": {
			"name": {"type": "string", "description": "such as Order, without brackets and exclamation marks"}}}`),
		Output: catalog.MustSchema(`{"type": "string"}`),
		Action: func(_ context.Context, call catalog.Call) (catalog.Result, error) {
			name, _ := call.Args["name"].(string)
			name = strings.Trim(name, "[]! ")
			def := schema.Types[name]
			if def == nil {
				hint := ""
				if near := spelling.Nearest(name, names); near != "" {
					hint = ": did you mean " + near + "?"
				}
				return catalog.Result{}, fmt.Errorf("type %q: there is none%s", line(name, 80), hint)
			}
			var b strings.Builder
			formatter.NewFormatter(&b).FormatSchemaDocument(&ast.SchemaDocument{Definitions: ast.DefinitionList{def}})
			return catalog.Result{Data: text.Clean(b.String())}, nil
		},
	}
}
