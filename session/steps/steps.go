// Package steps reads plans: lists of steps, for a model that writes JSON better than Lua. A plan is checked as a whole
// before anything runs, and becomes Lua that runs as any other script. docs/scripting.md says what a plan means.
//
//	Plan    the steps, as they were written
//	Scope   what a plan is checked against: a view, and the globals that it may refer to
//	Error   all that is wrong with it
//
// Start at Read; Plan.Check and Plan.Lua need nothing of each other. It runs nothing and knows no session.
package steps

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"almanac/catalog/lua"
	"almanac/catalog/reference"
	"almanac/catalog/search/spelling"
	"almanac/catalog/spec"
	"almanac/catalog/text"
)

// A Plan is a list of steps that were read and may not have been checked.
type Plan struct{ steps []step }

// A step calls an action, once or for each item of a list; without an id it makes a value of its arguments.
type step struct {
	id   string
	args map[string]any // nil for none; references are of type reference.Value
	as   string
	// each is a reference or a list; nil for none.
	each  any
	where []condition
}

// maxSteps bounds a plan: a run may not call so much anyway.
const maxSteps = 100

// IDs are the ids of the actions in the plan, each once, in their order.
func (p *Plan) IDs() []string {
	var ids []string
	for _, s := range p.steps {
		if s.id != "" && !slices.Contains(ids, s.id) {
			ids = append(ids, s.id)
		}
	}
	return ids
}

// An Error is all that is wrong with a plan.
type Error struct {
	// Faults are lines that begin with the number of the step.
	Faults []string
	// Undescribed are ids in it that may not be called, only because they were not described.
	Undescribed []string
}

func (e *Error) Error() string {
	head := "plan: nothing was run"
	if n := len(e.Faults); n > 1 {
		head += fmt.Sprintf(": %d errors", n)
	}
	return head + "\n" + strings.Join(e.Faults, "\n")
}

func (e *Error) add(step int, format string, args ...any) {
	e.Faults = append(e.Faults, fmt.Sprintf("step %d: ", step)+fmt.Sprintf(format, args...))
}

// Read reads the JSON of a plan: a list of steps, or one step. An error is an *Error.
func Read(raw []byte) (*Plan, error) {
	v, err := spec.ParseJSON(raw)
	if s, ok := v.(string); ok && err == nil { // written as a text, as some models do
		raw = []byte(s)
		v, err = spec.ParseJSON(raw)
	}
	if one, ok := v.(map[string]any); ok {
		v = []any{one}
		if inner, ok := one["steps"].([]any); ok && len(one) == 1 {
			v = inner
		}
	}
	list, ok := v.([]any)
	switch {
	case err != nil:
		return nil, &Error{Faults: []string{"no JSON: " + err.Error()}}
	case !ok || len(list) == 0:
		return nil, &Error{Faults: []string{`want a list of steps: [{"id": "...", "args": {}, "as": "name"}]`}}
	case tooLarge(raw) != "":
		return nil, &Error{Faults: []string{text.LineBytes(tooLarge(raw), 40) + ": larger than any number can be"}}
	case len(list) > maxSteps:
		return nil, &Error{Faults: []string{fmt.Sprintf("%d steps: at most %d", len(list), maxSteps)}}
	}
	p, wrong := &Plan{}, &Error{}
	for i, item := range list {
		fields, ok := item.(map[string]any)
		if !ok {
			wrong.add(i+1, "want an object, got %s", show(item))
			continue
		}
		p.steps = append(p.steps, readStep(fields, func(format string, args ...any) { wrong.add(i+1, format, args...) }))
	}
	if len(wrong.Faults) > 0 {
		return nil, wrong
	}
	return p, nil
}

// tooLarge is the first number of a JSON text that no float holds; empty where there is none.
func tooLarge(raw []byte) string {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	for {
		token, err := dec.Token()
		if err != nil {
			return ""
		}
		if n, ok := token.(json.Number); ok {
			if _, err := n.Float64(); err != nil {
				return n.String()
			}
		}
	}
}

// readStep reads one step and tells fault what is wrong with its form.
func readStep(fields map[string]any, fault func(format string, args ...any)) step {
	var s step
	names := []string{"id", "args", "as", "each", "where"}
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		v := fields[name]
		if v == nil {
			continue
		}
		ok, want := true, ""
		switch name {
		case "id":
			s.id, ok = v.(string)
			ok, want = ok && strings.TrimSpace(s.id) != "", "an action id"
		case "as":
			s.as, ok = v.(string)
			ok, want = ok && lua.IsName(s.as) && s.as != element, "a name of letters, digits and _, no word of Lua and not it"
		case "args":
			s.args, ok = v.(map[string]any)
			want = "an object"
			if ok {
				s.args, _ = read(s.args, name, fault).(map[string]any)
			}
		case "each":
			s.each, want = read(v, name, fault), `a reference to a list such as "$rows", or a list`
			_, refers := s.each.(reference.Value)
			_, list := s.each.([]any)
			ok = refers || list
		case "where":
			var where map[string]any
			where, ok = v.(map[string]any)
			s.where, want = readWhere(where, fault), `an object: {"field": value} or {"field": {">": value}}`
		default:
			fault("%s", unknownName(name, names))
		}
		if !ok {
			fault("%s: want %s, got %s", name, want, show(v))
		}
	}
	switch {
	case s.id == "" && fields["id"] != nil:
	case s.id == "" && s.args == nil && s.each == nil:
		fault("id is missing: want an action id")
	case s.id == "" && s.each == nil && s.where != nil:
		fault("where: the step has no list to filter: give it each or id")
	}
	return s
}

func unknownName(name string, names []string) string {
	if near := spelling.Nearest(name, names); near != "" {
		return fmt.Sprintf("unknown name %q: did you mean %s?", text.LineBytes(name, 40), near)
	}
	return fmt.Sprintf("unknown name %q: a step takes %s", text.LineBytes(name, 40), strings.Join(names, ", "))
}

// show is a value as JSON on one short line.
func show(v any) string {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return fmt.Sprint(v)
	}
	return text.LineBytes(strings.TrimSpace(b.String()), 80)
}

// Translate is the Lua of a plan that is not checked, for those who only read it.
func Translate(raw []byte) (string, error) {
	p, err := Read(raw)
	if err != nil {
		return "", err
	}
	source, _ := p.Lua()
	return source, nil
}
