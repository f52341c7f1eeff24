package vm

import (
	"fmt"
	"maps"
	"slices"
	"unsafe"
)

// This file names what every machine has: the functions and tables of the libraries and the prelude, the machine's
// metatables, and the variables that functions of the prelude share. A snapshot refers to them by these names, which
// are their paths from a few roots.

// A permanent is one of them: a value, or a variable.
type permanent struct {
	value any
	cell  *cell
}

type permanents struct {
	names  map[unsafe.Pointer]string
	byName map[string]permanent
}

// findPermanents walks the environment from its roots, short paths first. It is called before the first script runs, so
// that it finds nothing made by a script.
func (m *Machine) findPermanents() {
	p := &m.permanents
	*p = permanents{names: map[unsafe.Pointer]string{}, byName: map[string]permanent{}}
	type place struct {
		name  string
		value any
	}
	var places []place
	add := func(name string, at unsafe.Pointer, what permanent) {
		for _, taken := p.byName[name]; taken; _, taken = p.byName[name] {
			name += "'"
		}
		p.names[at], p.byName[name] = name, what
	}
	visit := func(name string, v any) {
		switch v.(type) {
		case nil, bool, float64, string:
			return
		}
		if at := words(v).data; v != m.null && p.names[at] == "" {
			add(name, at, permanent{value: v})
			places = append(places, place{name, v})
		}
	}
	for _, root := range []place{
		{"_G", m.value(m.session)}, {"", m.value(m.names)}, {"main thread", m.mainThread},
		{"string meta", m.value(m.stringMeta)}, {"failure meta", m.value(m.failureMeta)},
		{"integer meta", m.value(m.integerMeta)}, {"action meta", m.value(m.actionMeta)},
		{"coroutine meta", m.value(m.coroutineMeta)}, {"empty list", m.value(m.emptyList)},
		{"sparse meta", m.value(m.sparseMeta)}, {"no index", m.value(m.noIndex)},
	} {
		visit(root.name, root.value)
	}
	for _, path := range slices.Sorted(maps.Keys(m.helpers)) {
		visit("helper "+path, m.helpers[path])
	}
	for ; len(places) > 0; places = places[1:] {
		at := places[0]
		if t := m.table(at.value); t != nil && t != m.session {
			m.entries(t, func(k, v any) bool {
				visit(at.name+"."+m.text(nil, k), v)
				return true
			})
			if t.meta != nil {
				visit(at.name+" meta", m.value(t.meta))
			}
		}
		c := m.closure(at.value)
		if c == nil {
			continue
		}
		for i, shared := range c.upValues {
			if pointer := unsafe.Pointer(shared); p.names[pointer] == "" {
				name := fmt.Sprintf("%s %d", at.name, i)
				add(name, pointer, permanent{cell: shared})
				visit(name+" value", m.captured(c, at.value, i))
			}
		}
	}
}
