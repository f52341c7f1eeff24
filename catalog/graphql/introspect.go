package graphql

// This file reads the answer to an introspection query as a schema.

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/parser"
)

// introspection asks for a whole schema in words that servers of 2016 know.
const introspection = `query IntrospectionQuery { __schema {
  queryType { name } mutationType { name } subscriptionType { name }
  types { kind name description
    fields(includeDeprecated: true) { name description args { ...Input } type { ...Type } isDeprecated deprecationReason }
    inputFields { ...Input } interfaces { name }
    enumValues(includeDeprecated: true) { name description isDeprecated deprecationReason } possibleTypes { name } } } }
fragment Input on __InputValue { name description type { ...Type } defaultValue }
fragment Type on __Type { kind name ofType { kind name ofType { kind name ofType { kind name ofType { kind name
  ofType { kind name ofType { kind name ofType { kind name } } } } } } } }`

type (
	namedJSON struct{ Name string }
	typeJSON  struct {
		Kind, Name string
		OfType     *typeJSON
	}
	inputJSON struct {
		Name, Description string
		Type              typeJSON
		DefaultValue      *string
	}
	fieldJSON struct {
		Name, Description string
		Args              []inputJSON
		Type              typeJSON
		IsDeprecated      bool
		DeprecationReason string
	}
	definitionJSON struct {
		Kind, Name, Description   string
		Fields                    []fieldJSON
		InputFields               []inputJSON
		Interfaces, PossibleTypes []namedJSON
		EnumValues                []fieldJSON
	}
	schemaJSON struct {
		QueryType, MutationType, SubscriptionType *namedJSON
		Types                                     []definitionJSON
	}
)

// introspected makes a schema of an answer: {"data": {"__schema": ...}}, or what is inside of it.
func introspected(raw []byte) (*ast.SchemaDocument, error) {
	var answer struct {
		Data struct {
			Schema *schemaJSON `json:"__schema"`
		}
		Schema *schemaJSON `json:"__schema"`
		Errors []struct{ Message string }
	}
	if err := json.Unmarshal(raw, &answer); err != nil {
		return nil, fmt.Errorf("the schema: want the answer to an introspection query as JSON, got %q", line(string(raw), 60))
	}
	told := answer.Data.Schema
	if told == nil {
		told = answer.Schema
	}
	if told == nil || told.QueryType == nil {
		reason := "the answer has no __schema"
		if len(answer.Errors) > 0 {
			reason = line(answer.Errors[0].Message, 200)
		}
		return nil, fmt.Errorf("the schema: %s: if the server does not tell it, give a file with --catalog graphql:FILE and "+
			"--base", reason)
	}
	doc := &ast.SchemaDocument{}
	var roots ast.OperationTypeDefinitionList
	for _, root := range []struct {
		operation ast.Operation
		is        *namedJSON
	}{{ast.Query, told.QueryType}, {ast.Mutation, told.MutationType}, {ast.Subscription, told.SubscriptionType}} {
		if root.is != nil {
			roots = append(roots, &ast.OperationTypeDefinition{Operation: root.operation, Type: root.is.Name,
				Position: nowhere()})
		}
	}
	doc.Schema = ast.SchemaDefinitionList{{OperationTypes: roots, Position: nowhere()}}
	for _, d := range told.Types {
		if !strings.HasPrefix(d.Name, "__") {
			doc.Definitions = append(doc.Definitions, d.definition())
		}
	}
	return doc, nil
}

// nowhere is the position of what was not parsed; the validator wants one for its errors.
func nowhere() *ast.Position { return &ast.Position{Src: &ast.Source{Name: "the server's answer"}} }

func (d definitionJSON) definition() *ast.Definition {
	made := &ast.Definition{Kind: ast.DefinitionKind(d.Kind), Name: d.Name, Description: d.Description,
		Position: nowhere()}
	for _, f := range d.Fields {
		made.Fields = append(made.Fields, &ast.FieldDefinition{
			Name: f.Name, Description: f.Description, Arguments: arguments(f.Args), Type: f.Type.typed(), Position: nowhere(),
			Directives: deprecated(f),
		})
	}
	for _, f := range d.InputFields {
		made.Fields = append(made.Fields, &ast.FieldDefinition{
			Name: f.Name, Description: f.Description, Type: f.Type.typed(), DefaultValue: f.value(), Position: nowhere(),
		})
	}
	for _, i := range d.Interfaces {
		made.Interfaces = append(made.Interfaces, i.Name)
	}
	if made.Kind == ast.Union {
		for _, t := range d.PossibleTypes {
			made.Types = append(made.Types, t.Name)
		}
	}
	for _, v := range d.EnumValues {
		made.EnumValues = append(made.EnumValues, &ast.EnumValueDefinition{
			Name: v.Name, Description: v.Description, Position: nowhere(), Directives: deprecated(v),
		})
	}
	return made
}

func arguments(all []inputJSON) ast.ArgumentDefinitionList {
	var list ast.ArgumentDefinitionList
	for _, a := range all {
		list = append(list, &ast.ArgumentDefinition{
			Name: a.Name, Description: a.Description, Type: a.Type.typed(), DefaultValue: a.value(), Position: nowhere(),
		})
	}
	return list
}

// deprecated is the directive of a field or value that is no longer to be used.
func deprecated(f fieldJSON) ast.DirectiveList {
	if !f.IsDeprecated {
		return nil
	}
	reason := &ast.Value{Kind: ast.StringValue, Raw: cmp.Or(f.DeprecationReason, "No longer supported"),
		Position: nowhere()}
	return ast.DirectiveList{{Name: "deprecated", Position: nowhere(),
		Arguments: ast.ArgumentList{{Name: "reason", Value: reason, Position: nowhere()}}}}
}

// typed is the type in the form of the parser. A nesting that was cut off is one of no name, and
// what has it is left out.
func (t typeJSON) typed() *ast.Type {
	switch {
	case t.OfType == nil:
		return ast.NamedType(t.Name, nowhere())
	case t.Kind == "NON_NULL":
		inner := t.OfType.typed()
		inner.NonNull = true
		return inner
	}
	return ast.ListType(t.OfType.typed(), nowhere())
}

// value is the default of an argument, which is told as text; nil where there is none or it cannot be read.
func (a inputJSON) value() *ast.Value {
	if a.DefaultValue == nil {
		return nil
	}
	doc, err := parser.ParseQuery(&ast.Source{Input: "{f(a:" + *a.DefaultValue + ")}"})
	if err != nil || len(doc.Operations) != 1 || len(doc.Operations[0].SelectionSet) != 1 {
		return nil
	}
	f, ok := doc.Operations[0].SelectionSet[0].(*ast.Field)
	if !ok || len(f.Arguments) != 1 {
		return nil
	}
	return f.Arguments[0].Value
}
