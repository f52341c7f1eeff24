package catalog

// This file finds the argument that a value stands for which is passed without a name: fs.list_dir("docs").

import (
	"fmt"
	"slices"
	"strings"

	"almanac/catalog/lua"
	"almanac/catalog/spec"
	"almanac/catalog/text"
)

// Lone is the name of the argument that a value passed alone stands for: the only required one; where none is required,
// the only one beside those that choose a page. Empty where there is no such argument, or it is a list or a table: a
// table is always one of named arguments.
func (e *Entry) Lone() string {
	if p, ok := e.lone(); ok && !e.takesTable(p) {
		return p.Name
	}
	return ""
}

func (e *Entry) lone() (spec.Property, bool) {
	fields := e.Input.document().Fields()
	required := 0
	for _, p := range fields {
		if p.Required {
			required++
		}
	}
	if required == 0 && len(fields) > 1 {
		fields = slices.DeleteFunc(fields, func(p spec.Property) bool { return choosesPage(p.Name) })
	}
	if required > 1 || required == 0 && len(fields) != 1 {
		return spec.Property{}, false
	}
	return fields[0], true
}

// takesTable tells that an argument takes tables alone.
func (e *Entry) takesTable(p spec.Property) bool {
	o, _ := e.Input.document().Plain(p.Text)
	return o.IsTable()
}

func choosesPage(name string) bool {
	return slices.Contains(sizeNames[:], name) || slices.Contains(offsetNames[:], name) ||
		slices.Contains(pageNames[:], name)
}

// Named is the argument table of a call with a lone value. An error is an *ArgError.
func (e *Entry) Named(value any) (map[string]any, error) {
	p, ok := e.lone()
	_, isList := value.([]any)
	bad := &ArgError{Want: "named arguments", Got: describeValue(value)}
	call := func(names ...string) string { return lua.Call(e.ID, "{"+strings.Join(names, ", ")+"}") }
	switch {
	case ok && e.takesTable(p):
		bad.Hint = fmt.Sprintf("%s takes a table: write %s", p.Name, call(p.Name+" = {...}"))
	case ok && isList:
		bad.Hint = "write " + call(p.Name+" = value")
	case ok:
		return map[string]any{p.Name: value}, nil
	default:
		var names []string
		for _, p := range e.Input.document().Fields() {
			if p.Required || len(names) == 0 {
				names = append(names, text.LineRunes(p.Name, 40)+" = value")
			}
		}
		if bad.Hint = "write " + call(names...); len(names) == 0 {
			bad.Want, bad.Hint = "no argument", "this action takes no arguments"
		}
	}
	return nil, bad
}
