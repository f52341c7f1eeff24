package manifest

// This file reads the schemas of declared actions: whole JSON Schemas, or a table of fields.

import (
	"bytes"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"almanac/catalog"
	"almanac/catalog/tree"
)

// schemaOf reads a whole JSON Schema; nil if there is none.
func schemaOf(n *yaml.Node, what string) (*catalog.Schema, error) {
	if n.IsZero() || n.Tag == "!!null" {
		return nil, nil
	}
	value, err := treeOf(n)
	if err != nil {
		return nil, err
	}
	s, err := catalog.ParseSchema(value.AppendJSON(nil))
	if err != nil {
		return nil, tree.FaultAt(n, "%s: %v", what, err)
	}
	return s, nil
}

// inputOf reads the arguments of an action: a JSON Schema of an object, or a table from the name of a field to its
// type or its schema, which may say required: true.
func inputOf(n *yaml.Node) (*catalog.Schema, error) {
	members, err := mapping(n, "input")
	if err != nil || len(members) == 0 {
		return nil, err
	}
	if slices.ContainsFunc(members, func(m member) bool {
		return m.name == "type" && m.value.Value == "object" || m.name == "$ref" && m.value.Kind == yaml.ScalarNode
	}) {
		return schemaOf(n, "input")
	}
	var props, required bytes.Buffer
	for i, m := range members {
		if i > 0 {
			props.WriteByte(',')
		}
		schema, must, err := fieldOf(m)
		if err != nil {
			return nil, err
		}
		name := tree.Quote(nil, m.name)
		props.Write(name)
		props.WriteByte(':')
		props.Write(schema)
		if must {
			if required.Len() > 0 {
				required.WriteByte(',')
			}
			required.Write(name)
		}
	}
	text := `{"type":"object","properties":{` + props.String() + `}`
	if required.Len() > 0 {
		text += `,"required":[` + required.String() + `]`
	}
	s, err := catalog.ParseSchema([]byte(text + `,"additionalProperties":false}`))
	if err != nil {
		return nil, tree.FaultAt(n, "input: %v", err)
	}
	return s, nil
}

// fieldOf is the schema of one field in the short form.
func fieldOf(m member) (schema []byte, required bool, err error) {
	n := followed(m.value)
	if n.Kind == yaml.ScalarNode {
		kind := jsonTypes(n.Value)
		if kind == "" && n.Value != "any" {
			return nil, false, tree.FaultAt(n, "input: %s: unknown type %s", m.name, clip(n.Value))
		}
		return []byte("{" + kind + "}"), false, nil
	}
	members, err := mapping(n, "input: "+m.name)
	if err != nil {
		return nil, false, err
	}
	rest := &yaml.Node{Kind: yaml.MappingNode, Line: n.Line}
	for _, part := range members {
		switch {
		case part.name == "required" && part.value.Tag == "!!bool":
			required = part.value.Value == "true"
			continue
		case !slices.Contains(schemaWords, part.name):
			return nil, false, tree.FaultAt(part.key, "input: %s: unknown key %s%s", m.name, clip(part.name),
				meant(part.name, schemaWords))
		}
		value := part.value
		if kind := jsonTypes(value.Value); part.name == "type" && value.Kind == yaml.ScalarNode &&
			strings.Count(kind, `"`) == 4 {
			value = &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: strings.Split(kind, `"`)[3], Line: value.Line}
		}
		rest.Content = append(rest.Content, part.key, value)
	}
	value, err := treeOf(rest)
	return value.AppendJSON(nil), required, err
}

// schemaWords are the keys that the schema of a field may have.
var schemaWords = []string{
	"type", "description", "title", "default", "enum", "const", "examples", "format", "pattern", "minLength", "maxLength",
	"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "items", "minItems", "maxItems",
	"uniqueItems",
	"properties", "required", "additionalProperties", "anyOf", "oneOf", "allOf", "not", "nullable", "deprecated", "$ref",
}
