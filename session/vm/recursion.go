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

// A levelLayout says where the engine keeps the slot of a call, the call around it and the one that it made last.
type levelLayout struct {
	slot, outer, inner uintptr
	ok                 bool
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
	inner, found := level.FieldByName("next")
	if !found || inner.Type.Kind() != reflect.Pointer {
		return y
	}
	return levelLayout{slot: slot.Offset, outer: outer.Offset, inner: inner.Offset, ok: true}
}

// slots is how many slots of l's stack lie below the running function.
func (y levelLayout) slots(l *lua.State) int {
	where, ok := lua.Stack(l, 0)
	if !ok {
		return 0
	}
	return *(*int)(unsafe.Add(*(*unsafe.Pointer)(unsafe.Pointer(&where)), y.slot))
}

// beside is the call whose address lies at offset in where.
func beside(where lua.Frame, offset uintptr) lua.Frame {
	return *(*lua.Frame)(unsafe.Add(*(*unsafe.Pointer)(unsafe.Pointer(&where)), offset))
}

// A depthCount is when the calls were counted last, for which state, and a call of that state whose depth is known: the
// engine uses its record for calls of that depth alone.
type depthCount struct {
	state *lua.State
	next  int64 // the steps at which to count again
	mark  lua.Frame
	depth int // of mark
}

// count is how many calls l is in, the base of its stack among them. It goes from the running one in both directions, to
// the mark of known or to the base, whichever is nearer.
func (y levelLayout) count(l *lua.State, known depthCount) int {
	outer, ok := lua.Stack(l, 0)
	if !ok {
		return 0
	}
	inner := outer
	if known.state != l {
		known.mark = nil
	}
	for n := 0; ; n++ {
		switch {
		case outer == nil:
			return n
		case known.mark != nil && outer == known.mark:
			return known.depth + n
		case known.mark != nil && inner == known.mark:
			return known.depth - n
		}
		outer = beside(outer, y.outer)
		if inner != nil {
			inner = beside(inner, y.inner)
		}
	}
}

// checkLevels raises an error when the calls of l, and of those whose coroutines resumed one another up to it, are too many.
func (m *Machine) checkLevels(l *lua.State) {
	if !m.levels.ok || l == m.counted.state && m.meter.steps < m.counted.next {
		return
	}
	limit, slots := m.limits.Levels, m.levels.slots(l)
	for t := m.current; t != nil; t = t.parent {
		if t.resumer != nil {
			slots += m.levels.slots(t.resumer)
		}
	}
	if slots < limit {
		return
	}
	calls := m.levels.count(l, m.counted)
	where, _ := lua.Stack(l, 0)
	known := depthCount{state: l, mark: where, depth: calls}
	for t := m.current; t != nil; t = t.parent {
		if t.resumer != nil {
			if t.below == 0 {
				t.below = m.levels.count(t.resumer, depthCount{})
			}
			calls += t.below
		}
	}
	known.next = m.meter.steps + int64(limit-calls)
	m.counted = known
	if calls > limit {
		m.counted = depthCount{}
		m.raise(l, m.where(l)+fmt.Sprintf("stack overflow (more than %d nested calls)", limit))
	}
}
