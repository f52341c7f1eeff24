package vm

import (
	"slices"
	"strings"

	luasrc "almanac/catalog/lua"
	"almanac/session/syntax"
)

// This file finds the existing name that was probably meant by one that is missing.

// nearHint says which existing name is nearest to n, which is missing.
func (m *Machine) nearHint(a *activation, n named) string {
	if n.kind == "global" {
		return m.nearGlobal(a, n.name)
	}
	if n.kind == "method" {
		return m.nearMethod(a, n)
	}
	path := n.path()
	if len(path) < 2 || n.name == "?" {
		return ""
	}
	root := n.root()
	var v any
	switch root.kind {
	case "global":
		v = m.lookUp(path[:1])
	case "local":
		v = a.registers[root.register]
	case "upvalue":
		v = m.upvalueOf(a, root.register)
	}
	return m.nearField(v, path)
}

// nearField says which field is nearest to the last name of path, whose first is what v is called.
func (m *Machine) nearField(v any, path []string) string {
	last := len(path) - 1
	t := m.open(m.follow(v, path[1:last]))
	if t == nil {
		return ""
	}
	if near := nearest(path[last], namesIn(t)); near != "" {
		return "did you mean " + strings.Join(path[:last], ".") + "." + near + "?"
	}
	return ""
}

// nearMethod is nearHint for a method that is called: its object lies behind it.
func (m *Machine) nearMethod(a *activation, n named) string {
	i := a.code[a.at]
	if op := i.op(); op != opCall && op != opTailCall || i.a()+1 >= len(a.registers) {
		return ""
	}
	v := a.registers[i.a()+1]
	t := m.open(v)
	if _, ok := v.(string); ok {
		t = m.libraries["string"]
	}
	var names []string
	for depth := 0; t != nil && depth < 10; depth++ {
		names = append(names, namesIn(t)...)
		if t.meta == nil {
			break
		}
		t = m.open(t.meta.hash["__index"])
	}
	near := nearest(n.name, names)
	if near == "" {
		return ""
	}
	if path := n.path(); len(path) > 1 && n.root().kind != "constant" {
		near = strings.Join(path[:len(path)-1], ".") + ":" + near
	}
	return "did you mean " + near + "?"
}

func namesIn(t *table) []string {
	var names []string
	for k := range t.hash {
		if s, ok := k.(string); ok {
			names = append(names, s)
		}
	}
	return names
}

// nearGlobal is nearHint for a global, which may be a local variable that is misspelt.
func (m *Machine) nearGlobal(a *activation, name string) string {
	return m.nearName(name, a.variables())
}

// nearName says which global, or variable of the function, is nearest to a name that is not set.
func (m *Machine) nearName(name string, variables []string) string {
	if means := syntax.Foreign(name); means != "" {
		return means
	}
	known := append(slices.DeleteFunc(namesIn(m.names), func(name string) bool { return refused[name] != "" }),
		namesIn(m.session)...)
	known = append(known, variables...)
	for root := range m.roots {
		known = append(known, root)
	}
	if near := nearest(name, known); near != "" {
		return "did you mean " + near + "?"
	}
	return ""
}

// unset says of a source that is a name alone, opne or string.fromat, and gives nil, what may be meant; else "".
func (m *Machine) unset(source string) string {
	source = strings.TrimSpace(source)
	path := strings.Split(source, ".")
	for _, name := range path {
		if !luasrc.IsName(name) {
			return ""
		}
	}
	hint := ""
	if len(path) == 1 {
		hint = m.nearName(source, nil)
	} else {
		hint = m.nearField(m.lookUp(path[:1]), path)
	}
	if hint == "" {
		return ""
	}
	return source + " is not set: " + hint
}

// nearest picks the name that was probably meant by word, or "".
func nearest(word string, names []string) string {
	return syntax.Nearest(word, slices.DeleteFunc(names, reserved))
}
