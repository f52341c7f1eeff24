package vm

import (
	"fmt"
	"reflect"
	"unsafe"

	lua "github.com/Shopify/go-lua"
)

// This file reads the engine's call stack through mirrors of its call records, as engine.go does for values, to find
// chunks and lines. It bounds the nesting of Lua calls, because the engine bounds only the slots of its stack: a
// function without variables takes one slot but some 130 bytes elsewhere, and a million calls exceed the memory limit.

// A record mirrors the engine's callInfo, the record of a call. The engine keeps one for each depth of a stack.
type record struct {
	function, _, _ int // slots of the stack
	outer, inner   *record
	_              byte
	lua            *luaRecord // nil for a host function
	_              *struct{}
}

// A luaRecord mirrors what a record has of a Lua function.
type luaRecord struct {
	registers []any
	next      int // the instruction after the one that runs
	_         []instruction
}

func recordOf(where lua.Frame) *record { return *(**record)(unsafe.Pointer(&where)) }

func (r *record) frame() lua.Frame { return *(*lua.Frame)(unsafe.Pointer(&r)) }

// checkRecords verifies the mirrors.
func checkRecords() bool {
	theirs := reflect.TypeFor[lua.Frame]().Elem()
	inner, found := theirs.FieldByName("luaCallInfo")
	return found && mirrors(reflect.TypeFor[record](), theirs) && mirrors(reflect.TypeFor[luaRecord](), inner.Type.Elem())
}

// mirrors compares the fields of two structs, but not their names.
func mirrors(mine, theirs reflect.Type) bool {
	if mine.Size() != theirs.Size() || mine.NumField() != theirs.NumField() {
		return false
	}
	for i := range mine.NumField() {
		a, b := mine.Field(i), theirs.Field(i)
		if a.Offset != b.Offset || a.Type.Kind() != b.Type.Kind() || a.Type.Size() != b.Type.Size() {
			return false
		}
	}
	return true
}

// A frame is one level of the call stack as positions name it.
type frame struct {
	chunk         string
	line, defined int
	lua           bool
}

// frameAt describes a level; level 0 is the running function.
func frameAt(l *lua.State, level int) (f frame, ok bool) {
	where, ok := lua.Stack(l, level)
	if !ok {
		return f, false
	}
	return frameOf(l, where), true
}

func frameOf(l *lua.State, where lua.Frame) (f frame) {
	// The engine indexes out of range for a function that has not begun its first instruction.
	defer func() {
		if recover() != nil {
			f.line = max(f.defined, 1)
		}
	}()
	d, _ := lua.Info(l, "S", where)
	f = frame{chunk: d.ShortSource, defined: d.LineDefined, lua: d.What != "Go"}
	d, _ = lua.Info(l, "l", where)
	f.line = d.CurrentLine
	return f
}

// frames lists the call stack, innermost first; of a long one only both ends, with a nil between them.
func frames(l *lua.State) (list []lua.Frame) {
	const kept = 100
	where, ok := lua.Stack(l, 0)
	if !ok {
		return nil
	}
	var last [kept]lua.Frame
	n := 0
	// The outermost level belongs to no function.
	for r := recordOf(where); r.outer != nil; r = r.outer {
		if n < kept {
			list = append(list, r.frame())
		}
		last[n%kept] = r.frame()
		n++
	}
	if n > 2*kept {
		list = append(list, nil)
	}
	for i := max(kept, n-kept); i < n; i++ {
		list = append(list, last[i%kept])
	}
	return list
}

// innermost is the record of the call that l is in, nil where it is in none.
func innermost(l *lua.State) *record {
	where, ok := lua.Stack(l, 0)
	if !ok {
		return nil
	}
	return recordOf(where)
}

// A depthCount remembers when calls were last counted, for which state, and a record of that state with a known depth.
type depthCount struct {
	state *lua.State
	next  int64 // the steps at which to count again
	mark  *record
	depth int // of mark
}

// countCalls is how many calls l is in, the base of its stack among them. It goes from the running one in both
// directions, to the mark of known or to the base, whichever is nearer.
func countCalls(l *lua.State, known depthCount) int {
	outer := innermost(l)
	if outer == nil {
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
		outer = outer.outer
		if inner != nil {
			inner = inner.inner
		}
	}
}

// slots is how many slots of l's stack lie below the running function.
func slots(l *lua.State) int {
	if r := innermost(l); r != nil {
		return r.function
	}
	return 0
}

// checkLevels raises an error when the calls of l, and of those whose coroutines resumed one another up to it, are too
// many. The hook asks it. A call takes a slot at least, so the depth needs no counting while the running function's
// slot is below the limit; and it takes an instruction at least, so after a count that found n calls left the next one
// can wait n instructions.
func (m *Machine) checkLevels(l *lua.State) {
	if l == m.counted.state && m.meter.steps < m.counted.next {
		return
	}
	limit, used := m.limits.Levels, slots(l)
	for t := m.current; t != nil; t = t.parent {
		if t.resumer != nil {
			used += slots(t.resumer)
		}
	}
	if used < limit {
		return
	}
	calls := countCalls(l, m.counted)
	known := depthCount{state: l, mark: innermost(l), depth: calls}
	for t := m.current; t != nil; t = t.parent {
		if t.resumer != nil {
			if t.below == 0 {
				t.below = countCalls(t.resumer, depthCount{})
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
