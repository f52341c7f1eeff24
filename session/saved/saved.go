// Package saved makes actions of scripts that worked, and runs such an action again on what was recorded.
//
//	Draft    a script with its literals, some of which become parameters
//	Action   the action of a draft: schemas, effects, what it uses
//	Replay   runs an action while the actions that it calls answer as they did in a test
//	Compare  how a replay differs from its test
//
// Start at NewDraft. The file of an action is a manifest: see catalog/manifest.
package saved

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"almanac/catalog"
	"almanac/catalog/lua"
	"almanac/catalog/manifest"
	"almanac/catalog/secret"
	"almanac/session/syntax"
)

// A Draft is a script on its way to be an action.
type Draft struct {
	Body string
	// Values are its literals, those of the same value and name as one, in the order of the text.
	Values []Value

	literals []syntax.Literal
	view     *catalog.View
}

// A Value is a literal that could be a parameter.
type Value struct {
	// Name is proposed for the parameter; no two have the same.
	Name string
	Data any
	// Line is where it stands first, Text how.
	Line int
	Text string
	// Call is the action whose argument it is; empty where it is none's.
	Call string
	// Proposed is true where it looks like what another run would have otherwise.
	Proposed bool

	schema json.RawMessage
	places []int // in Draft.literals
}

// A Choice is a value that becomes a parameter.
type Choice struct {
	N       int    // of Draft.Values, from 1
	Name    string // empty: that of the value
	Default bool   // it may be left out, and is then what it was in the script
}

// NewDraft finds the literals of a script. The view has the actions that it calls.
func NewDraft(body string, v *catalog.View) (*Draft, error) {
	if err := syntax.Check(body); err != nil {
		return nil, err
	}
	d := &Draft{Body: body, literals: syntax.Literals(body), view: v}
	names := map[string]bool{}
	for i, l := range d.literals {
		same := slices.IndexFunc(d.Values, func(v Value) bool {
			first := d.literals[v.places[0]]
			return first.Value == l.Value && first.Name == l.Name
		})
		if same >= 0 {
			d.Values[same].places = append(d.Values[same].places, i)
			continue
		}
		d.Values = append(d.Values, d.value(i, l, names))
	}
	return d, nil
}

// value is what a literal would be as a parameter.
func (d *Draft) value(i int, l syntax.Literal, taken map[string]bool) Value {
	v := Value{Data: l.Value, Line: l.Pos.Line, Text: l.Text, places: []int{i}}
	kind := typeOf(l.Value)
	v.schema = json.RawMessage(`{"type":"` + kind + `"}`)
	v.Proposed = l.Name != "" && l.Call == "" && kind != "boolean" && !begins(l.Value)
	if e, ok := d.view.Lookup(l.Call); ok && l.Call != "" {
		v.Call = e.ID
		if len(l.Path) == 0 {
			l.Name, l.Path = e.Lone(), []string{e.Lone()}
		}
		at := argumentOf(e, l.Path)
		if schema := at.schemaFor(l.Value); schema != nil {
			v.schema = schema
		}
		v.Proposed = at.varies(kind)
	}
	if text, ok := l.Value.(string); ok && strings.Contains(text, secret.Mark) {
		v.Proposed = true
	}
	name := nameFrom(l.Name)
	if name == "" {
		name = map[string]string{"string": "text", "boolean": "flag"}[kind]
		if name == "" {
			name = "number"
		}
	}
	v.Name = name
	for n := 2; taken[v.Name]; n++ {
		v.Name = fmt.Sprintf("%s_%d", name, n)
	}
	taken[v.Name] = true
	return v
}

// begins tells of a value with which scripts begin to count and to collect.
func begins(v any) bool {
	return v == "" || v == int64(0) || v == int64(1) || v == int64(-1) || v == 0.0
}

// nameFrom is the name of a parameter from what a script calls its value; empty where that is none.
func nameFrom(s string) string {
	if lua.IsName(s) {
		return s
	}
	s = strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
			return r
		}
		return '_'
	}, s)
	if s = strings.Trim(s, "_0123456789"); lua.IsName(s) {
		return s
	}
	return ""
}

// typeOf is the type of plain data in a schema.
func typeOf(v any) string {
	if _, list := v.([]any); list {
		return "array"
	}
	return catalog.KindOf(v)
}

// Proposed are the choices to begin with.
func (d *Draft) Proposed() []Choice {
	var all []Choice
	for i, v := range d.Values {
		if v.Proposed {
			all = append(all, Choice{N: i + 1})
		}
	}
	return all
}

// Find is the number of the value that word means: a number, or a proposed name.
func (d *Draft) Find(word string) (int, error) {
	var n int
	if _, err := fmt.Sscanf(word, "%d", &n); err == nil && fmt.Sprint(n) == word {
		if n >= 1 && n <= len(d.Values) {
			return n, nil
		}
		return 0, fmt.Errorf("%s: the script has the values 1 to %d", word, len(d.Values))
	}
	if i := slices.IndexFunc(d.Values, func(v Value) bool { return v.Name == word }); i >= 0 {
		return i + 1, nil
	}
	names := make([]string, 0, len(d.Values))
	for i, v := range d.Values {
		names = append(names, fmt.Sprintf("%d %s", i+1, v.Name))
	}
	if len(names) == 0 {
		return 0, fmt.Errorf("%s: the script has no values", word)
	}
	return 0, fmt.Errorf("%s: no such value: want one of %s", word, strings.Join(names, ", "))
}

// Numbered is the script with the number of its value before each literal.
func (d *Draft) Numbered(open, shut string) string {
	numbers := make([]int, len(d.literals))
	for i, v := range d.Values {
		for _, place := range v.places {
			numbers[place] = i + 1
		}
	}
	var b strings.Builder
	at := 0
	for i, l := range d.literals {
		fmt.Fprintf(&b, "%s%s%d%s", d.Body[at:l.Pos.Offset], open, numbers[i], shut)
		at = l.Pos.Offset
	}
	return b.String() + d.Body[at:]
}

// Uses are the actions that the script names and those that were called, in the order of their ids.
func (d *Draft) Uses(called []string) []*catalog.Entry {
	var all []*catalog.Entry
	paths, _ := syntax.Mentions(d.Body)
	for _, id := range append(paths, called...) {
		e, ok := d.view.Lookup(id)
		if ok && !slices.ContainsFunc(all, func(have *catalog.Entry) bool { return have.ID == e.ID }) {
			all = append(all, e)
		}
	}
	slices.SortFunc(all, func(a, b *catalog.Entry) int { return strings.Compare(a.ID, b.ID) })
	return all
}

// Action is the action of the draft under an id, without tests; called are the ids that its run called. args are the
// arguments that stand for the values of the script.
func (d *Draft) Action(id string, choices []Choice, called []string) (
	s manifest.Saved, args map[string]any, err error) {
	s, args = manifest.Saved{ID: id}, map[string]any{}
	names := make([]string, len(d.literals))
	chosen := map[int]bool{}
	for _, c := range choices {
		v := d.Values[c.N-1]
		if c.Name == "" {
			c.Name = v.Name
		}
		_, twice := args[c.Name]
		_, keyword := lua.Keyword(c.Name)
		switch {
		case keyword:
			return s, nil, fmt.Errorf("%s: a word of Lua cannot name a parameter: how about %[1]s_value", c.Name)
		case !lua.IsName(c.Name):
			return s, nil, fmt.Errorf("%s: a parameter has a name of letters, digits and _%s", c.Name, or(nameFrom(c.Name)))
		case chosen[c.N]:
			return s, nil, fmt.Errorf("value %d is a parameter already", c.N)
		case twice:
			return s, nil, fmt.Errorf("two parameters are called %s: rename one, as in %d=%s_2", c.Name, c.N, c.Name)
		}
		chosen[c.N], args[c.Name] = true, v.Data
		for _, i := range v.places {
			names[i] = c.Name
		}
		s.Params = append(s.Params, manifest.Param{Name: c.Name, Required: !c.Default, Schema: v.parameter(c.Default)})
	}
	for i, v := range d.Values {
		if text, ok := v.Data.(string); ok && strings.Contains(text, secret.Mark) && !chosen[i+1] {
			return s, nil, fmt.Errorf("value %d holds a secret, which is not kept: make it a parameter", i+1)
		}
	}
	if len(args) > 0 && syntax.HasVariable(d.Body, argsTable) {
		return s, nil, errors.New("the script has a variable args, as the arguments of an action are called: rename it")
	}
	s.Lua = syntax.Parameterize(d.Body, argsTable, d.literals, names)
	for _, e := range d.Uses(called) {
		s.Uses = append(s.Uses, catalog.UseOf(e))
		s.Mutates = s.Mutates || e.Mutates
		s.Risk = worse(s.Risk, catalog.RiskOf(e))
		if domain, _, _ := strings.Cut(e.ID, "."); !slices.Contains(s.Tags, domain) {
			s.Tags = append(s.Tags, domain)
		}
	}
	if !s.Mutates && s.Risk == catalog.Low {
		s.Risk = "" // as any read's
	}
	s.Title = titleOf(id)
	needed := maps.Clone(args)
	for _, p := range s.Params {
		if !p.Required {
			delete(needed, p.Name)
		}
	}
	s.Examples = []string{id + lua.Literal(needed, lua.Options{Tight: true})}
	return s, args, nil
}

// argsTable is what the body of an action calls its arguments.
const argsTable = "args"

func or(name string) string {
	if name == "" {
		return ""
	}
	return ": " + name
}

func worse(a, b catalog.Risk) catalog.Risk {
	order := []catalog.Risk{"", catalog.Low, catalog.Medium, catalog.High}
	if slices.Index(order, b) > slices.Index(order, a) {
		return b
	}
	return a
}

// titleOf makes words of the last name of an id.
func titleOf(id string) string {
	words := strings.ReplaceAll(id[strings.LastIndexByte(id, '.')+1:], "_", " ")
	return strings.ToUpper(words[:1]) + words[1:]
}

// Description says what an action calls, for want of better words.
func Description(s manifest.Saved) string {
	var ids []string
	for _, use := range s.Uses {
		ids = append(ids, use.ID)
	}
	text := "Computes a value."
	if n := len(ids); n > 1 {
		text = "Calls " + strings.Join(ids[:n-1], ", ") + " and " + ids[n-1] + "."
	} else if n == 1 {
		text = "Calls " + ids[0] + "."
	}
	return text
}
