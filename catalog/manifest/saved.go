package manifest

// This file writes the manifest of a saved action, and reads what such a file has beside the action: the actions that
// it uses, and recorded runs as tests.

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"almanac/catalog"
	"almanac/catalog/tree"
)

// A Saved is an action that was made from a script, as its file has it.
type Saved struct {
	ID, Title, Description string
	// Origin is where it comes from, in a line, for the comment at the top of the file.
	Origin  string
	Tags    []string
	Mutates bool
	Risk    catalog.Risk
	Params  []Param
	// Output is a JSON Schema; nil where the result is not known.
	Output   json.RawMessage
	Examples []string
	Lua      string
	Uses     []catalog.Use
	// Plan is the plan that Lua was made from, as JSON; nil without one.
	Plan  json.RawMessage
	Tests []Test
}

// A Param is an argument of a saved action. Schema is an object as JSON.
type Param struct {
	Name     string
	Required bool
	Schema   json.RawMessage
}

// A Test is a recorded run of an action: what it was given, what the actions that it called answered, and what it
// returned.
type Test struct {
	Args   map[string]any `json:"args"`
	Calls  []TestCall     `json:"calls,omitempty"`
	Result any            `json:"result"`
	// Cut says what was left out of the results of the calls; empty where nothing was.
	Cut string `json:"cut,omitempty"`
}

// A TestCall is one call of a recorded run, with its result or its error.
type TestCall struct {
	ID     string         `json:"id"`
	Args   map[string]any `json:"args"`
	Result any            `json:"result,omitempty"`
	Error  string         `json:"error,omitempty"`
}

// Text is the file of the action.
func (s Saved) Text() ([]byte, error) {
	w := fileWriter{}
	action := w.mapping(
		"title", scalar(s.Title), "description", scalar(s.Description), "tags", w.json(s.Tags),
		"mutates", flag(s.Mutates), "risk", scalar(string(s.Risk)), "input", w.input(s.Params), "output", w.json(s.Output),
		"examples", w.json(s.Examples), "lua", block(s.Lua), "uses", w.uses(s.Uses), "plan", w.json(s.Plan),
		"tests", w.json(s.Tests),
	)
	doc := w.mapping("almanac", &yaml.Node{Kind: yaml.ScalarNode, Value: fmt.Sprint(version)},
		"actions", w.mapping(s.ID, action))
	if w.err != nil {
		return nil, fmt.Errorf("%s: %w", s.ID, w.err)
	}
	if s.Origin != "" {
		doc.HeadComment = "# " + strings.ReplaceAll(s.Origin, "\n", " ") + "\n\n"
	}
	var b bytes.Buffer
	enc := yaml.NewEncoder(&b)
	enc.SetIndent(2)
	if err := enc.Encode(doc); err != nil {
		return nil, fmt.Errorf("%s: %w", s.ID, err)
	}
	return b.Bytes(), enc.Close()
}

// A fileWriter makes nodes and keeps the first error.
type fileWriter struct{ err error }

// mapping makes a mapping of names and nodes in turns; nil nodes are left out.
func (w *fileWriter) mapping(pairs ...any) *yaml.Node {
	n := &yaml.Node{Kind: yaml.MappingNode}
	for i := 0; i < len(pairs); i += 2 {
		if value, _ := pairs[i+1].(*yaml.Node); value != nil {
			n.Content = append(n.Content, scalar(pairs[i].(string)), value)
		}
	}
	return n
}

func scalar(s string) *yaml.Node {
	if s == "" {
		return nil
	}
	n := &yaml.Node{}
	n.SetString(s)
	return n
}

func block(s string) *yaml.Node {
	n := scalar(s)
	if n != nil {
		n.Style = yaml.LiteralStyle
	}
	return n
}

func flag(set bool) *yaml.Node {
	if !set {
		return nil
	}
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!bool", Value: "true"}
}

// json makes a node of what can be written as JSON; nil of what is empty there.
func (w *fileWriter) json(v any) *yaml.Node {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		w.err = err
		return nil
	}
	if slices.Contains([]string{"null", "[]", "{}"}, strings.TrimSpace(b.String())) {
		return nil
	}
	var doc yaml.Node
	if err := yaml.Unmarshal(b.Bytes(), &doc); err != nil {
		w.err = err
		return nil
	}
	return restyled(doc.Content[0])
}

// flowWidth is the longest value that is written on one line, in bytes.
const flowWidth = 90

// restyled is a node of JSON laid out for people: short values on one line.
func restyled(n *yaml.Node) *yaml.Node {
	n.Style = 0
	if n.Kind == yaml.ScalarNode {
		if n.Tag == "!!str" && strings.Contains(n.Value, "\n") {
			n.Style = yaml.LiteralStyle
		}
		return n
	}
	flat, size := true, 0
	for _, child := range n.Content {
		restyled(child)
		flat = flat && child.Style != yaml.LiteralStyle && (child.Kind == yaml.ScalarNode || child.Style == yaml.FlowStyle)
		size += width(child) + 2
	}
	if flat && size < flowWidth {
		n.Style = yaml.FlowStyle
	}
	return n
}

func width(n *yaml.Node) int {
	size := len(n.Value) + 2
	for _, child := range n.Content {
		size += width(child)
	}
	return size
}

func (w *fileWriter) input(params []Param) *yaml.Node {
	n := w.mapping()
	for _, p := range params {
		field := w.json(p.Schema)
		if field == nil {
			field = w.mapping()
		}
		if p.Required {
			field.Content = append(field.Content, scalar("required"), flag(true))
		}
		n.Content = append(n.Content, scalar(p.Name), restyled(field))
	}
	if len(n.Content) == 0 {
		return nil
	}
	return n
}

func (w *fileWriter) uses(uses []catalog.Use) *yaml.Node {
	n := w.mapping()
	for _, use := range uses {
		of := w.mapping("source", scalar(use.Source), "fingerprint", scalar(use.Fingerprint))
		of.Style = yaml.FlowStyle
		n.Content = append(n.Content, scalar(use.ID), of)
	}
	if len(n.Content) == 0 {
		return nil
	}
	return n
}

// usesOf reads what an action uses.
func usesOf(n *yaml.Node) ([]catalog.Use, error) {
	members, err := mapping(n, "uses")
	if err != nil {
		return nil, err
	}
	var all []catalog.Use
	for _, m := range members {
		var use struct {
			Source      string `yaml:"source"`
			Fingerprint string `yaml:"fingerprint"`
		}
		if err := decode(m.value, "uses: "+clip(m.name), &use); err != nil {
			return nil, err
		}
		all = append(all, catalog.Use{ID: m.name, Source: use.Source, Fingerprint: use.Fingerprint})
	}
	return all, nil
}

// testsOf reads the tests of an action.
func testsOf(n *yaml.Node) ([]Test, error) {
	if n.IsZero() {
		return nil, nil
	}
	value, err := treeOf(n)
	if err != nil {
		return nil, err
	}
	var tests []Test
	dec := json.NewDecoder(bytes.NewReader(value.AppendJSON(nil)))
	dec.DisallowUnknownFields()
	dec.UseNumber()
	if err := dec.Decode(&tests); err != nil {
		return nil, tree.FaultAt(n, "tests: %s", strings.TrimPrefix(err.Error(), "json: "))
	}
	for i := range tests {
		t := &tests[i]
		t.Args, _ = catalog.PlainNumbers(t.Args).(map[string]any)
		t.Result = catalog.PlainNumbers(t.Result)
		for j := range t.Calls {
			c := &t.Calls[j]
			c.Args, _ = catalog.PlainNumbers(c.Args).(map[string]any)
			c.Result = catalog.PlainNumbers(c.Result)
		}
	}
	return tests, nil
}
