package steps

// This file holds a plan against the actions that it calls.

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"almanac/catalog"
	"almanac/catalog/reference"
	"almanac/catalog/search/spelling"
	"almanac/catalog/spec"
)

// A Scope is what a plan is checked against.
type Scope struct {
	View *catalog.View
	// Globals are names that references may begin with beside those of earlier steps, and beside names that begin with
	// "_", which keep results. Nil: there are none.
	Globals []string
	// Described tells whether an action may be called; nil allows all.
	Described func(id string) bool
}

// A checker knows what the steps before the one at hand have set.
type checker struct {
	Scope
	plan    *Plan
	wrong   Error
	n       int // the step at hand, from 1
	entry   *catalog.Entry
	results map[string]spec.Shape
	// item is the shape of the item at hand; nil where there is none.
	item *spec.Shape
}

// Check fails with an *Error if the plan would fail, as far as that can be known: ids that the view does not show,
// arguments that do not fit, references that lead nowhere. The ids become those of the view.
func (p *Plan) Check(in Scope) error {
	c := checker{Scope: in, plan: p, results: map[string]spec.Shape{}}
	for i := range p.steps {
		c.n, c.entry, c.item = i+1, nil, nil
		c.step(&p.steps[i])
	}
	if len(c.wrong.Faults) > 0 {
		return &c.wrong
	}
	return nil
}

func (c *checker) fault(format string, args ...any) {
	if c.entry != nil {
		format, args = "%s: "+format, append([]any{c.entry.ID}, args...)
	}
	c.wrong.add(c.n, format, args...)
}

func (c *checker) step(s *step) {
	known := s.id == "" || c.resolve(s)
	var result spec.Shape // of one call
	if c.entry != nil {
		result = c.entry.Output.Shape()
	}
	if s.each != nil {
		item := c.list(s.each).Item()
		c.item = &item
	}
	if s.where != nil {
		items := c.item
		if items == nil {
			c.wantList("where", "the result", result)
			item := result.Item()
			items = &item
		}
		c.conditions(s.where, *items)
	}
	args, _ := replaced(s.args, func(r reference.Value) any {
		return catalog.Later{Text: r.Text, Kind: c.shape(r).Kind()}
	}).(map[string]any)
	c.texts(s.args)
	if c.entry != nil {
		c.arguments(args)
	}
	switch {
	case !known:
		result = spec.Shape{}
	case s.id == "" && s.args == nil:
		result = *c.item
	}
	if s.each != nil {
		result = result.List()
	}
	c.names(s, result)
}

// names keeps what the step's result is called.
func (c *checker) names(s *step, result spec.Shape) {
	last := c.n == len(c.plan.steps)
	switch {
	case s.as == "" && s.id == "" && !last:
		c.fault("as is missing: nothing could use its result")
	case s.as == "":
	case slices.Contains(reserved, s.as), slices.Contains(c.View.Roots(), s.as):
		c.fault("as: %s is taken: choose another name", s.as)
	}
	if s.as != "" {
		c.results[s.as] = result
	}
}

// reserved are the names that the Lua of a plan uses.
var reserved = []string{"any", "call", "filter", "map", "null"}

// resolve finds the step's action.
func (c *checker) resolve(s *step) bool {
	entry, err := c.View.Resolve(s.id)
	if err != nil {
		hint := ""
		var unknown *catalog.UnknownError
		if errors.As(err, &unknown) && unknown.Hint() != "" {
			hint = "; " + unknown.Hint()
		}
		c.fault("%v%s", err, hint)
		return false
	}
	s.id, c.entry = entry.ID, entry
	if c.Described != nil && !c.Described(entry.ID) {
		c.fault("not described in this session")
		c.wrong.Undescribed = append(c.wrong.Undescribed, entry.ID)
	}
	return true
}

// list is the shape of what each goes over.
func (c *checker) list(each any) spec.Shape {
	if r, ok := each.(reference.Value); ok {
		s := c.shape(r)
		c.wantList("each", r.Text, s)
		return s
	}
	walk(each, func(v any) {
		if r, ok := v.(reference.Value); ok {
			c.shape(r)
		}
	})
	return spec.Shape{}.List()
}

// wantList refuses what is known to be no list.
func (c *checker) wantList(field, what string, s spec.Shape) {
	kind := s.Kind()
	if kind == "list" || kind == "" {
		return
	}
	hint := ""
	if _, names := s.Field(""); kind == "object" {
		for _, name := range names {
			if inner, _ := s.Field(name); inner.Kind() == "list" {
				hint = fmt.Sprintf("; its field %s is one", name)
				break
			}
		}
	}
	c.fault("%s: want a list, got %s, of type %s%s", field, what, kind, hint)
}

func (c *checker) conditions(where []condition, item spec.Shape) {
	around := c.item
	defer func() { c.item = around }()
	c.item = &item
	for _, w := range where {
		c.shape(w.field)
		walk(w.value, func(v any) {
			if r, ok := v.(reference.Value); ok {
				c.shape(r)
			}
		})
	}
}

// shape is what is known of the value that a reference leads to. One that leads nowhere is a fault.
func (c *checker) shape(r reference.Value) spec.Shape {
	s, ok := c.results[r.Name]
	switch {
	case r.Name == element && c.item != nil:
		s = *c.item
	case r.Name == element:
		c.fault("%s: the step has no each", r.Text)
		return spec.Shape{}
	case !ok && !slices.Contains(c.Globals, r.Name) && (c.Globals == nil || r.Name[0] != '_'):
		c.fault("%s: %s", r.Text, c.unset(r.Name))
		return spec.Shape{}
	}
	s, err := s.At(r)
	if err != nil {
		c.fault("%s: %v", r.Text, err)
	}
	return s
}

// unset says why a name has no value in the step at hand.
func (c *checker) unset(name string) string {
	for i, s := range c.plan.steps[c.n-1:] {
		if s.as == name && i == 0 {
			return "it is the result of this step"
		}
		if s.as == name {
			return fmt.Sprintf("step %d sets it, which comes later", c.n+i)
		}
	}
	names := slices.Concat(slices.Sorted(maps.Keys(c.results)), c.Globals)
	hint := `write "$$` + name + `" for the text`
	if near := spelling.Nearest(name, names); near != "" {
		hint = "did you mean $" + near + "?"
	}
	return "no earlier step sets it; " + hint
}

// texts refuses texts with a reference in them, which would be sent as they are.
func (c *checker) texts(args map[string]any) {
	walk(args, func(v any) {
		s, ok := v.(string)
		if !ok {
			return
		}
		for _, m := range insideName.FindAllStringSubmatchIndex(s, -1) {
			name := s[m[2]:m[3]]
			if _, set := c.results[name]; m[0] > 0 && (set || name == element && c.item != nil) {
				c.fault("%s: a reference is the whole text of an argument: build texts in a script", show(s))
				return
			}
		}
	})
}

// maxFaults is how many arguments of one step are told.
const maxFaults = 8

// arguments checks args, again and again without those that were at fault.
func (c *checker) arguments(args map[string]any) {
	entry := c.entry
	if args == nil {
		args = map[string]any{}
	}
	for range maxFaults {
		_, err := entry.Input.Check(args)
		if err == nil {
			return
		}
		bad := new(catalog.ArgError)
		if !errors.As(err, &bad) {
			c.fault("%v", err)
			return
		}
		line := bad.Error()
		if about := strings.TrimPrefix(strings.TrimSpace(bad.Hint+"\n"+entry.Argument(bad.Field)), "- "); about != "" {
			line += "\n  " + strings.ReplaceAll(about, "\n", "\n  ")
		}
		c.fault("%s", line)
		name := argumentOf(bad.Field, args)
		if name == "" {
			return
		}
		if bad.Want == "" {
			delete(args, name)
		} else {
			args[name] = catalog.Later{}
		}
	}
}

// argumentOf is the argument that the path of a field leads into; empty where that is none.
func argumentOf(path string, args map[string]any) string {
	if _, ok := args[path]; ok || path != "" && !strings.ContainsAny(path, ".[") {
		return path
	}
	for _, name := range slices.Sorted(maps.Keys(args)) {
		if rest, ok := strings.CutPrefix(path, name); ok && rest != "" && (rest[0] == '.' || rest[0] == '[') {
			return name
		}
	}
	return ""
}
