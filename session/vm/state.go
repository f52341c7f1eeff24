package vm

import (
	"errors"
	"fmt"
)

// This file holds the state: a table that scripts read by the name state and cannot change. The host replaces it
// between runs. A table of it is a stand-in, empty and with a metatable of the machine's, for the real one behind it;
// what is in the real one are plain values and other stand-ins. So a script may keep any part of it: that stays as it
// was when the host replaces the whole.

const (
	stateName = "state"
	// StateReadOnly begins the error of a script that writes to the state.
	StateReadOnly = "state is read-only: only applied effects change it"
)

// A State is what the machine's state is, or became.
type State struct {
	// Data is the whole of it; nil while there is none.
	Data map[string]any
	// Taken tells that a script has a variable of that name, so that there can be no state.
	Taken bool
}

// frozen has the two tables of stand-ins that are made once.
type frozen struct {
	// frozenMeta is the metatable of all stand-ins; the real table is the only one of their keys.
	frozenMeta *table
	// noState is read where there is no state yet.
	noState any
	// state is the stand-in that scripts read; nil while there is none. guarded tells that its name is theirs no more.
	state   any
	guarded bool
	guard   any
}

func openState(m *Machine) {
	meta := m.newTable(0, 5)
	meta.put("__index", m.function("index", func(c call) int { return c.give(m.open(c.raw(1)).get(c.raw(2))) }))
	meta.put("__newindex", m.function("state", func(c call) int {
		c.fail("%s (%s cannot be set)", StateReadOnly, m.text(nil, c.raw(2)))
		return 0
	}))
	meta.put("__len", m.function("len", func(c call) int { return c.give(float64(m.open(c.raw(1)).length())) }))
	meta.put("__pairs", m.function("pairs", func(c call) int {
		return c.give(m.stepper(&walk{t: m.open(c.raw(1))}), nil, nil)
	}))
	meta.put("__metatable", false)
	m.frozenMeta = meta
	m.noState = m.standFor(m.newTable(0, 0))
	m.guard = m.function("state", func(c call) int {
		if m.guards(m.table(c.raw(1)), c.raw(2)) {
			c.fail(StateReadOnly)
		}
		return assignNew(c)
	})
}

// standFor makes a stand-in for a table.
func (m *Machine) standFor(real *table) any {
	stand := m.newTable(0, 0)
	stand.keys, stand.meta = []any{m.value(real)}, m.frozenMeta
	return m.value(stand)
}

// freeze puts stand-ins in the place of v, which was just built, and of all tables in it.
func (m *Machine) freeze(v any) any {
	t := m.table(v)
	if t == nil {
		return v
	}
	for i, item := range t.array {
		t.array[i] = m.freeze(item)
	}
	for k, item := range t.hash {
		t.hash[k] = m.freeze(item)
	}
	return m.standFor(t)
}

// guardState has the name state mean the state, or what scripts make of it.
func (m *Machine) guardState(on bool) {
	if m.guarded != on {
		m.session.meta.flags = 0
		if m.guarded = on; on {
			m.session.meta.put("__newindex", m.guard)
		} else {
			delete(m.session.meta.hash, "__newindex")
			delete(m.names.hash, stateName)
			m.names.keys = nil
		}
	}
	if on {
		m.names.put(stateName, m.stateNow())
	}
}

func (m *Machine) stateNow() any {
	if m.state != nil {
		return m.state
	}
	return m.noState
}

// guards tells whether a script may not set the key: the state has that name, and no variable of a script's.
func (m *Machine) guards(t *table, k any) bool {
	return m.guarded && t == m.session && k == stateName && t.hash[k] == nil
}

// owned is the value of a global that the session has, by a name that own lists.
func (m *Machine) owned(name string) any {
	if v := m.session.hash[name]; v != nil || name != stateName {
		return v
	}
	return m.state
}

// State reads the state as data. It must not run beside Run.
func (m *Machine) State() (State, error) {
	s := State{Taken: m.session.hash[stateName] != nil}
	if m.state == nil {
		return s, nil
	}
	data, err := m.toData(nil, stateName, m.state, false)
	if err != nil {
		return s, err
	}
	var ok bool
	if s.Data, ok = data.(map[string]any); !ok {
		return s, fmt.Errorf("%s: not a table with names", stateName)
	}
	return s, nil
}

// SetState replaces the state, and tells how the globals changed by that. It must not run beside Run.
func (m *Machine) SetState(data map[string]any) (Diff, error) {
	if m.session.hash[stateName] != nil {
		return Diff{}, errors.New("a script has a variable of that name")
	}
	if data == nil {
		data = map[string]any{}
	}
	v, err := m.fromData(data)
	if err != nil {
		return Diff{}, err
	}
	m.state = m.freeze(v)
	m.guardState(true)
	before := m.before
	m.before = m.prints()
	return difference(before, m.before), nil
}
