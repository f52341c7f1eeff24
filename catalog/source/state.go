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
	"almanac/catalog/tree"
)

// A state is what an action was when it was accepted: the fingerprint decides, and the rest is there to tell a person
// what is other now. One that a ledger of version 1 had is a fingerprint alone.
type state struct {
	Fingerprint string `json:"sum"`
	// Bare is the fingerprint without the descriptions in the schemas; empty in older ledgers.
	Bare      string            `json:"bare,omitempty"`
	Operation catalog.Operation `json:"operation,omitempty"`
	Mutates   bool              `json:"mutates,omitempty"`
	Risk      catalog.Risk      `json:"risk,omitempty"`
	Target    string            `json:"target,omitempty"`
	Version   string            `json:"version,omitempty"`
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
		Fingerprint: fingerprint(e), Bare: bareFingerprint(e),
		Operation: catalog.OperationOf(e), Mutates: e.Mutates, Risk: catalog.RiskOf(e),
		Target: e.Target, Version: e.Version,
		InputSum: shortSum(e.Input.JSON()), OutputSum: shortSum(e.Output.JSON()),
		Rest: shortSum(fmt.Appendf(nil, "%q %v", e.Lua, e.Inject)),
	}
	if e.Sealed {
		s.Rest = shortSum([]byte(s.Rest + e.Recipe))
	}
	input, output := shapeOf(e.Input.JSON()), shapeOf(e.Output.JSON())
	s.Output = output.kind(output)
	s.Input = make(map[string]string, len(input.properties))
	for name, property := range input.properties {
		s.Input[name] = shapeOf(property).kind(input)
		if slices.Contains(input.required, name) {
			s.Input[name] += ", required"
		}
	}
	return s
}

func shortSum(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:6])
}

// A shape is as much of a JSON Schema as is told in a word. What has another form than expected is left out.
type shape struct {
	types      []string
	ref        string
	properties map[string]json.RawMessage
	required   []string
	items      json.RawMessage
	enum       int
	defs       map[string]json.RawMessage
}

// shapeOf reads one level of a schema: a document may have ten thousand, each with hundreds of parts.
func shapeOf(schema []byte) *shape {
	var s shape
	scan := tree.Scan(schema)
	members := func() map[string]json.RawMessage {
		all := map[string]json.RawMessage{}
		scan.Object(func(name string) { all[name] = scan.Skip() })
		return all
	}
	scan.Object(func(name string) {
		switch name {
		case "type":
			kinds := []json.RawMessage{nil}
			if scan.Next() == '[' {
				kinds = scan.List()
			} else {
				kinds[0] = scan.Skip()
			}
			for _, kind := range kinds {
				if kind := tree.Unquote(kind); kind != "" {
					s.types = append(s.types, kind)
				}
			}
		case "$ref":
			s.ref = tree.Unquote(scan.Skip())
		case "properties":
			s.properties = members()
		case "$defs":
			s.defs = members()
		case "required":
			for _, one := range scan.List() {
				s.required = append(s.required, tree.Unquote(one))
			}
		case "items":
			s.items = scan.Skip()
		case "enum":
			s.enum = len(scan.List())
		default:
			scan.Skip()
		}
	})
	return &s
}

// kind is the type in a word or two; whole is the schema that references are looked up in.
func (s *shape) kind(whole *shape) string {
	if name, ok := strings.CutPrefix(s.ref, "#/$defs/"); ok && whole.defs[name] != nil {
		if target := shapeOf(whole.defs[name]); target.ref == "" {
			s = target
		}
	}
	text := strings.Join(s.types, "|")
	if text == "array" && s.items != nil {
		if items := shapeOf(s.items); !slices.Equal(items.types, s.types) {
			return "list of " + items.kind(whole)
		}
	}
	switch {
	case text == "array":
		return "list"
	case s.enum > 0:
		return cmp.Or(text, "any") + " of " + fmt.Sprint(s.enum) + " values"
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
		parts = append(parts, "its Lua, its injected arguments or what it sends")
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
