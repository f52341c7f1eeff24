package vm

import (
	"fmt"
	"math"
	"strings"

	lua "github.com/Shopify/go-lua"
)

// This file is how host functions read their arguments and give their results.

// A call is one call of a host function. Arguments count from 1.
type call struct {
	m    *Machine
	l    *lua.State
	name string
}

func (c call) top() int      { return c.l.Top() }
func (c call) raw(i int) any { return c.m.raw(c.l, i) }

// absent reports whether argument i is missing, nil or null.
func (c call) absent(i int) bool { return c.l.TypeOf(i) <= lua.TypeNil }

// give pushes results and returns their number.
func (c call) give(values ...any) int {
	if len(values) > 10 {
		c.room(len(values))
	}
	for _, v := range values {
		push(c.l, v)
	}
	return len(values)
}

// room ensures n free stack slots.
func (c call) room(n int) {
	if !c.l.CheckStack(n + 1) {
		c.fail("stack overflow")
	}
}

// fail raises an error with the position of the calling script line.
func (c call) fail(format string, args ...any) {
	message := fmt.Sprintf(format, args...)
	c.m.pointAtCall(c.l, message)
	c.m.raise(c.l, c.m.where(c.l)+message)
}

// bad raises an error about argument i. As in Lua, the object of a method call is not counted, and a function that was
// not called by a name is given its library's name.
func (c call) bad(i int, format string, args ...any) {
	what, name := fmt.Sprintf(format, args...), c.name
	kind := ""
	if f, ok := frameAt(c.l, 1); !ok || !f.lua {
		name = c.m.qualified(name)
	} else if !strings.HasPrefix(f.chunk, preludePrefix) {
		kind = c.m.calledAs(c.l)
	}
	if kind == "method" {
		if i--; i == 0 {
			c.fail("calling '%s' on bad self (%s)", name, what)
		}
	}
	c.fail("bad argument #%d to '%s' (%s)", i, name, what)
}

// qualified puts its library before the name of a function.
func (m *Machine) qualified(name string) string {
	if m.names.hash[name] != nil {
		return name
	}
	for _, library := range []string{"string", "table", "math", "coroutine", "os", "bit32", "json"} {
		if t := m.libraries[library]; t != nil && t.hash[name] != nil {
			return library + "." + name
		}
	}
	return name
}

func (c call) want(i int, what string) {
	c.known(c.raw(i))
	got := "no value"
	if i <= c.top() {
		got = c.m.typeName(c.raw(i))
	}
	c.bad(i, "%s expected, got %s", what, got)
}

// any requires that argument i is there, nil included.
func (c call) any(i int) any {
	if i > c.top() {
		c.bad(i, "value expected")
	}
	return c.raw(i)
}

// table requires a table, to be read.
func (c call) table(i int) *table {
	t := c.m.open(c.raw(i))
	if t == nil {
		c.want(i, "table")
	}
	return t
}

// writable requires a table that scripts may change.
func (c call) writable(i int) *table {
	t, given := c.table(i), c.m.table(c.raw(i))
	switch {
	case given.meta != nil && given.meta == c.m.frozenMeta:
		c.bad(i, StateReadOnly)
	case given != t:
		c.bad(i, "this library is read-only")
	}
	return t
}

// function requires something callable.
func (c call) function(i int) any {
	v := c.raw(i)
	if !c.m.callable(v) {
		c.want(i, "function")
	}
	return v
}

// string requires a string or a number. A failed call's error value counts as its message.
func (c call) string(i int) string {
	s, ok := c.m.concatText(c.raw(i))
	if !ok {
		c.want(i, "string")
	}
	return s
}

func (c call) optString(i int, def string) string {
	if c.absent(i) {
		return def
	}
	return c.string(i)
}

// number requires a number or a string that reads as one.
func (c call) number(i int) float64 {
	switch v := c.raw(i).(type) {
	case float64:
		return v
	case string:
		if f, ok := parseNumber(v); ok {
			if f, ok := f.(float64); ok {
				return f
			}
			c.exact(i)
		}
	case nil:
	default:
		if _, ok := c.m.object(v).(*integer); ok {
			c.exact(i)
		}
	}
	c.want(i, "number")
	return 0
}

func (c call) exact(i int) {
	c.bad(i, "an integer beyond 2^53 would lose digits here: "+giveUpDigits)
}

// int requires a number and truncates it to an int; out-of-range values are clamped.
func (c call) int(i int) int {
	f := c.number(i)
	switch {
	case math.IsNaN(f):
		return 0
	case f > 1<<53:
		return 1 << 53
	case f < -(1 << 53):
		return -(1 << 53)
	}
	return int(f)
}

func (c call) optInt(i, def int) int {
	if c.absent(i) {
		return def
	}
	return c.int(i)
}

// invoke calls f with args and returns its first result.
func (c call) invoke(f any, args ...any) any {
	c.room(len(args) + 2)
	c.enter()
	push(c.l, f)
	for _, a := range args {
		push(c.l, a)
	}
	c.l.Call(len(args), 1)
	c.m.depth--
	v := c.raw(c.l.Top())
	c.l.Pop(1)
	return v
}

// enter counts one more nested call through the host, and raises an error if there are too many.
func (c call) enter() {
	c.m.depth++
	if c.m.depth > c.m.limits.Depth {
		c.fail("stack overflow (more than %d nested calls through library functions)", c.m.limits.Depth)
	}
}

// index is t[k] with metamethods.
func (c call) index(t, k any) any {
	c.room(3)
	push(c.l, t)
	push(c.l, k)
	c.l.Table(-2)
	v := c.raw(c.l.Top())
	c.l.Pop(2)
	return v
}

// lessThan is a < b with metamethods.
func (c call) lessThan(a, b any) bool {
	if a == nil || b == nil {
		c.fail("attempt to compare %s with %s", c.m.typeName(a), c.m.typeName(b))
	}
	c.room(3)
	push(c.l, a)
	push(c.l, b)
	less := c.l.Compare(-2, -1, lua.OpLT)
	c.l.Pop(2)
	return less
}
