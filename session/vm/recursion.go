package vm

import (
	"fmt"
	"reflect"
	"unsafe"

	lua "github.com/Shopify/go-lua"
)

// This file bounds how deep Lua functions call one another. The engine bounds the slots of its stack alone, and a function
// without variables takes one slot but some 130 bytes elsewhere: a million calls are more than the memory limit.
//
// The hook looks. A call takes a slot at least, so the depth needs no counting while the running function's slot is below the
// limit; and it takes an instruction at least, so after a count that found n calls left the next one can wait n
// instructions.

// A levelLayout says where the engine keeps the slot of a call and the call around it.
type levelLayout struct {
	slot, outer uintptr
	ok          bool
}

func newLevelLayout() (y levelLayout) {
	level := reflect.TypeFor[lua.Frame]().Elem()
	slot, found := level.FieldByName("function")
	if !found || slot.Type.Kind() != reflect.Int {
		return y
	}
	outer, found := level.FieldByName("previous")
	if !found || outer.Type.Kind() != reflect.Pointer {
		return y
	}
	return levelLayout{slot: slot.Offset, outer: outer.Offset, ok: true}
}

func (y levelLayout) slotOf(where lua.Frame) int {
	return *(*int)(unsafe.Add(*(*unsafe.Pointer)(unsafe.Pointer(&where)), y.slot))
}

// count is how many calls l is in, the base of its stack among them.
func (y levelLayout) count(l *lua.State) (n int) {
	where, ok := lua.Stack(l, 0)
	for ok && where != nil {
		n++
		where = *(*lua.Frame)(unsafe.Add(*(*unsafe.Pointer)(unsafe.Pointer(&where)), y.outer))
	}
	return n
}

// A depthCount is when the calls were counted last, and for which state.
type depthCount struct {
	state *lua.State
	next  int64 // the steps at which to count again
}

// checkLevels raises an error when the calls of l, and of those whose coroutines resumed one another up to it, are too many.
func (m *Machine) checkLevels(l *lua.State) {
	if !m.levels.ok || l == m.counted.state && m.meter.steps < m.counted.next {
		return
	}
	limit, slots := m.limits.Levels, 0
	m.eachStack(l, func(l *lua.State) {
		if where, ok := lua.Stack(l, 0); ok {
			slots += m.levels.slotOf(where)
		}
	})
	if slots < limit {
		return
	}
	calls := 0
	m.eachStack(l, func(l *lua.State) { calls += m.levels.count(l) })
	m.counted = depthCount{state: l, next: m.meter.steps + int64(limit-calls)}
	if calls > limit {
		m.counted = depthCount{}
		m.raise(l, m.where(l)+fmt.Sprintf("stack overflow (more than %d nested calls)", limit))
	}
}

// eachStack calls f with the state that runs and those that wait for it.
func (m *Machine) eachStack(l *lua.State, f func(l *lua.State)) {
	f(l)
	for t := m.current; t != nil; t = t.parent {
		if t.resumer != nil {
			f(t.resumer)
		}
	}
}
