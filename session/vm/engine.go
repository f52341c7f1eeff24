package vm

import (
	"errors"
	"unsafe"

	lua "github.com/Shopify/go-lua"
)

// This file depends on how the engine keeps values in memory; snapshot_closure.go does for functions and calls.go for
// the call stack. The public API of the engine enumerates a table only through Next, which scans all keys at each step
// (4,000 keys: 0.5 s), and cannot hold a value outside its stack. Mirrors of two of its structs solve both. The version
// is pinned by go.sum and no longer changes, and New fails if a mirror is wrong.
//
// A Lua value outside the stack is an `any` holding what the engine itself holds: nil, bool, float64, string, or a
// pointer to one of its own types. Such a value may move from one State of a Machine to another.

// A table mirrors the engine's table.
type table struct {
	array []any
	hash  map[any]any
	meta  *table
	flags byte
	keys  []any
}

// A userdata mirrors the engine's userData.
type userdata struct {
	meta, env *table
	data      any
}

// A word pair is how Go keeps an `any`.
type wordPair struct{ typ, data unsafe.Pointer }

func words(v any) *wordPair { return (*wordPair)(unsafe.Pointer(&v)) }

// A layout holds the type words of the engine's types and the value that stands for null.
type layout struct {
	tableType, userType unsafe.Pointer
	// null is the value the engine keeps for "no value at all". It counts as false in a condition, differs from nil,
	// can be stored in tables and equals itself: what a JSON null should be.
	null any
}

// table returns v as a table, or nil.
func (y *layout) table(v any) *table {
	if w := words(v); w.typ == y.tableType {
		return (*table)(w.data)
	}
	return nil
}

// value is the reverse of layout.table; t must have come from there.
func (y *layout) value(t *table) any {
	var v any
	w := (*wordPair)(unsafe.Pointer(&v))
	w.typ, w.data = y.tableType, unsafe.Pointer(t)
	return v
}

// object returns the Go object that a userdata carries, or nil.
func (y *layout) object(v any) any {
	if w := words(v); w.typ == y.userType {
		return (*userdata)(w.data).data
	}
	return nil
}

var errLayout = errors.New("lua engine: its tables are not laid out as expected: build with the version in go.sum")

// newLayout derives the layout from a fresh State and verifies it with known values.
func newLayout() (y layout, err error) {
	defer func() {
		if recover() != nil {
			err = errLayout
		}
	}()
	if !checkRecords() {
		return y, errLayout
	}
	l := lua.NewState()
	l.CreateTable(2, 1)
	y.tableType = words(l.ToValue(-1)).typ
	t := (*table)(words(l.ToValue(-1)).data)
	l.PushUserData(7)
	l.RawSetInt(-2, 1)
	l.SetTop(l.Top() + 1)
	l.PushValue(l.Top() + 1)
	l.RawSetInt(-3, 2)
	l.SetTop(1)
	l.PushString("x")
	l.SetField(-2, "k")
	l.CreateTable(0, 0)
	meta := (*table)(words(l.ToValue(-1)).data)
	l.SetMetaTable(-2)
	if len(t.array) != 2 || len(t.hash) != 1 || t.hash["k"] != "x" || t.meta != meta || t.array[1] == nil {
		return y, errLayout
	}
	y.userType = words(t.array[0]).typ
	y.null = t.array[1]
	l.PushLightUserData(y.null)
	if y.object(t.array[0]) != 7 || l.ToBoolean(-1) || l.IsNil(-1) || y.table(y.value(t)) != t {
		return y, errLayout
	}
	return y, nil
}

// get reads a key raw.
func (t *table) get(k any) any {
	if f, ok := k.(float64); ok {
		if i := int(f); float64(i) == f && i > 0 && i <= len(t.array) {
			return t.array[i-1]
		}
	}
	return t.hash[k]
}

// index reads an integer key raw.
func (t *table) index(i int) any {
	if i > 0 && i <= len(t.array) {
		return t.array[i-1]
	}
	return t.hash[float64(i)]
}

// length is the raw length: some border.
func (t *table) length() int {
	n := len(t.array)
	if n > 0 && t.array[n-1] == nil {
		lo, hi := 0, n
		for hi-lo > 1 {
			mid := (lo + hi) / 2
			if t.array[mid-1] == nil {
				hi = mid
			} else {
				lo = mid
			}
		}
		return lo
	}
	if len(t.hash) == 0 {
		return n
	}
	for t.hash[float64(n+1)] != nil {
		n++
	}
	return n
}

// size counts the entries.
func (t *table) size() int {
	n := len(t.hash)
	for _, v := range t.array {
		if v != nil {
			n++
		}
	}
	return n
}

// put sets a string field of a table that was made here and has no entries under other owners' iteration.
func (t *table) put(name string, v any) {
	t.hash[name] = v
	t.keys = nil
	t.flags = 0
}

// newTable makes a table with n list items, all still nil, and room for more fields.
func (m *Machine) newTable(n, fields int) *table {
	m.maker.CreateTable(n, fields)
	t := m.table(m.maker.ToValue(-1))
	m.maker.Pop(1)
	return t
}

// newUserdata makes a userdata that carries object.
func (m *Machine) newUserdata(object any, meta *table) any {
	l := m.maker
	l.CreateTable(1, 0)
	t := m.table(l.ToValue(-1))
	l.PushUserData(object)
	l.RawSetInt(-2, 1)
	l.Pop(1)
	v := t.array[0]
	(*userdata)(words(v).data).meta = meta
	return v
}

// carrier is what every Go object in a userdata implements, so that the value can be had again from the stack.
type carrier interface{ luaValue() any }

// raw returns the value at a positive stack index. An index beyond the top gives nil.
func (m *Machine) raw(l *lua.State, i int) any {
	switch l.TypeOf(i) {
	case lua.TypeUserData:
		if o, ok := l.ToUserData(i).(carrier); ok {
			return o.luaValue()
		}
		return nil
	case lua.TypeNone:
		if i <= l.Top() {
			return m.null
		}
		return nil
	}
	return l.ToValue(i)
}

// push pushes any value; the caller has ensured the stack space.
func push(l *lua.State, v any) { l.PushLightUserData(v) }

// function makes a host function. name is what messages call it.
func (m *Machine) function(name string, f func(c call) int) any {
	m.maker.PushGoFunction(func(l *lua.State) int { return f(call{m: m, l: l, name: name}) })
	v := m.maker.ToValue(-1)
	m.maker.Pop(1)
	return v
}

// typeName is the result of type().
func (m *Machine) typeName(v any) string {
	switch v := v.(type) {
	case nil:
		return "nil"
	case bool:
		return "boolean"
	case float64:
		return "number"
	case string:
		return "string"
	case *lua.State:
		return "thread"
	default:
		if v == m.null {
			return "null"
		}
		if m.table(v) != nil {
			return "table"
		}
		switch m.object(v).(type) {
		case *integer:
			return "number"
		case *action:
			return "action"
		case *coroutine:
			return "thread"
		case *placeholder:
			return "unknown"
		case nil:
			return "function"
		}
		return "userdata"
	}
}

// callable reports whether v can be called.
func (m *Machine) callable(v any) bool {
	switch m.typeName(v) {
	case "function", "action":
		return true
	case "table":
		t := m.table(v)
		return t.meta != nil && t.meta.hash["__call"] != nil
	}
	return false
}

// metafield returns a field of a value's metatable, raw, or nil.
func (m *Machine) metafield(v any, name string) any {
	var meta *table
	if t := m.table(v); t != nil {
		meta = t.meta
	} else if w := words(v); w.typ == m.userType {
		meta = (*userdata)(w.data).meta
	} else if _, ok := v.(string); ok {
		meta = m.stringMeta
	}
	if meta == nil {
		return nil
	}
	return meta.hash[name]
}

// newState makes an engine state that shares the machine's globals and metatables. Every run and every coroutine has
// its own: a State keeps each captured variable in a list for its whole life, so an old one only gets slower.
func (m *Machine) newState() *lua.State {
	l := lua.NewState()
	push(l, m.value(m.session))
	l.RawSetInt(lua.RegistryIndex, lua.RegistryIndexGlobals)
	push(l, "")
	push(l, m.value(m.stringMeta))
	l.SetMetaTable(-2)
	l.SetTop(0)
	// The error handler must be the first slot: the engine takes the handler's index as counted from the bottom of
	// the stack, whatever frame asks.
	l.PushGoFunction(m.onError)
	m.watch(l)
	return l
}
