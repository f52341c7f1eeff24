package source

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"almanac/catalog"
	"almanac/catalog/text"
)

// A state is what an action was when it was accepted: the fingerprint decides, and the rest is there to tell a person
// what is other now. One that a ledger of version 1 had is a fingerprint alone.
type state struct {
	Fingerprint string            `json:"sum"`
	Operation   catalog.Operation `json:"operation,omitempty"`
	Mutates     bool              `json:"mutates,omitempty"`
	Risk        catalog.Risk      `json:"risk,omitempty"`
	Target      string            `json:"target,omitempty"`
	Version     string            `json:"version,omitempty"`
	// Input maps the arguments to their types, and Output is the type of the result. InputSum, OutputSum and Rest stand
	// for all there is in the schemas and in the Lua and the context of the action.
	Input     map[string]string `json:"input,omitempty"`
	Output    string            `json:"output,omitempty"`
	InputSum  string            `json:"input_sum,omitempty"`
	OutputSum string            `json:"output_sum,omitempty"`
	Rest      string            `json:"rest,omitempty"`
}

func stateOf(e *catalog.Entry) state {
	s := state{
		Fingerprint: fingerprint(e), Operation: catalog.OperationOf(e), Mutates: e.Mutates, Risk: catalog.RiskOf(e),
		Target: e.Target, Version: e.Version,
		InputSum: shortSum(e.Input.JSON()), OutputSum: shortSum(e.Output.JSON()),
		Rest: shortSum(fmt.Appendf(nil, "%q %v", e.Lua, e.Inject)),
	}
	input, output := schemaOf(e.Input), schemaOf(e.Output)
	s.Output = output.kind(output)
	s.Input = make(map[string]string, len(input.Properties))
	for name, property := range input.Properties {
		s.Input[name] = property.kind(input)
		if slices.Contains(input.Required, name) {
			s.Input[name] += ", required"
		}
	}
	return s
}

func shortSum(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:6])
}

// A shape is as much of a JSON Schema as is told in a word.
type shape struct {
	Type       any               `json:"type"`
	Ref        string            `json:"$ref"`
	Properties map[string]*shape `json:"properties"`
	Required   []string          `json:"required"`
	Items      *shape            `json:"items"`
	Enum       []any             `json:"enum"`
	Defs       map[string]*shape `json:"$defs"`
}

// UnmarshalJSON takes true and false, which are schemas as well, for the empty one.
func (s *shape) UnmarshalJSON(b []byte) error {
	type plain shape
	if len(b) > 0 && b[0] != '{' {
		return nil
	}
	// What has another form than expected is left out, not refused.
	_ = json.Unmarshal(b, (*plain)(s))
	return nil
}

func schemaOf(schema *catalog.Schema) *shape {
	s := &shape{}
	_ = json.Unmarshal(schema.JSON(), s) // no schema is the empty one
	return s
}

// kind is the type in a word or two; whole is the schema that references are looked up in.
func (s *shape) kind(whole *shape) string {
	if s == nil {
		return "any"
	}
	if name, ok := strings.CutPrefix(s.Ref, "#/$defs/"); ok && whole.Defs[name] != nil && whole.Defs[name].Ref == "" {
		s = whole.Defs[name]
	}
	var text string
	switch t := s.Type.(type) {
	case string:
		text = t
	case []any:
		var names []string
		for _, one := range t {
			names = append(names, fmt.Sprint(one))
		}
		text = strings.Join(names, "|")
	}
	switch {
	case text == "array" && s.Items != nil && s.Items.Type != "array":
		return "list of " + s.Items.kind(whole)
	case text == "array":
		return "list"
	case len(s.Enum) > 0:
		return cmp.Or(text, "any") + " of " + fmt.Sprint(len(s.Enum)) + " values"
	}
	return cmp.Or(text, "any")
}

// text is the state in a line.
func (s state) text() string {
	parts := []string{string(s.Operation), changes(s.Mutates), string(s.Risk) + " risk"}
	if s.Target != "" {
		parts = append(parts, s.Target)
	}
	return text.LineBytes(strings.Join(parts, ", "), maxDifference)
}

func changes(mutates bool) string {
	if mutates {
		return "mutates"
	}
	return "changes nothing"
}

// difference says in a line what now is other than it was.
func (s state) difference(now state) string {
	if s.Operation == "" {
		return "now " + now.text() + "; the previous version was not kept"
	}
	var parts []string
	change := func(what, from, to string) {
		if from != to {
			parts = append(parts, strings.TrimSpace(what+" "+cmp.Or(from, "none")+" -> "+cmp.Or(to, "none")))
		}
	}
	change("operation", string(s.Operation), string(now.Operation))
	change("", changes(s.Mutates), changes(now.Mutates))
	change("risk", string(s.Risk), string(now.Risk))
	change("target", s.Target, now.Target)
	change("version", s.Version, now.Version)
	told := len(parts)
	for _, name := range slices.Sorted(maps.Keys(now.Input)) {
		if _, ok := s.Input[name]; !ok {
			parts = append(parts, "+ "+fieldName(name)+" ("+now.Input[name]+")")
		}
	}
	for _, name := range slices.Sorted(maps.Keys(s.Input)) {
		if kind, ok := now.Input[name]; !ok {
			parts = append(parts, "- "+fieldName(name))
		} else {
			change(fieldName(name), s.Input[name], kind)
		}
	}
	if s.InputSum != now.InputSum && len(parts) == told {
		parts = append(parts, "other parts of its argument schema")
	}
	told = len(parts)
	change("result", s.Output, now.Output)
	if s.OutputSum != now.OutputSum && len(parts) == told {
		parts = append(parts, "other parts of its result schema")
	}
	if s.Rest != now.Rest {
		parts = append(parts, "its Lua or its injected arguments")
	}
	return text.LineBytes(strings.Join(parts, "; "), maxDifference)
}

func fieldName(name string) string {
	if name != "" && strings.Trim(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") == "" {
		return name
	}
	return fmt.Sprintf("%q", name)
}

// maxDifference bounds what is told of one action, in bytes.
const maxDifference = 600
