package vm

import (
	"errors"
	"fmt"
	"runtime"
	"strings"

	lua "github.com/Shopify/go-lua"

	luasrc "almanac/catalog/lua"
)

// This file holds error, assert, pcall and xpcall. The engine's versions lose error values and, for xpcall, run the
// whole chunk again.

// A thrown error unwinds to the nearest protected call; the error value is on top of the stack.
type thrown struct{}

func (thrown) Error() string { return "lua error" }

// raise raises v; it does not return.
func (m *Machine) raise(l *lua.State, v any) {
	if m.traceWanted > 0 {
		m.trace = m.traceback(l)
	}
	l.CheckStack(2)
	push(l, v)
	panic(thrown{})
}

// protected calls the function below the n arguments on top of the stack. On failure it returns the error value,
// unless the run or the coroutine must end: then it does not return.
func (m *Machine) protected(l *lua.State, n int) (failed bool, value any) {
	depth := m.depth
	err := l.ProtectedCall(n, lua.MultipleReturns, 1)
	m.depth = depth
	if err == nil {
		return false, nil
	}
	if m.fatal != nil {
		panic(errStop)
	}
	if errors.Is(err, errKilled) {
		panic(errKilled)
	}
	value = m.raw(l, l.Top())
	l.Pop(1)
	if s, ok := value.(string); ok && (err == lua.ErrorError || strings.Contains(s, "stack overflow")) {
		settle(l)
	}
	return true, m.errorValue(l, err, value)
}

// try calls the function below the arguments and puts true before its results. traces is Machine.traceWanted meanwhile.
func (c call) try(traces int) (failed bool, value any) {
	c.enter()
	wanted := c.m.traceWanted
	c.m.traceWanted = traces
	failed, value = c.m.protected(c.l, c.top()-1)
	c.m.traceWanted = wanted
	c.m.depth--
	if !failed {
		c.room(1)
		push(c.l, true)
		c.l.Insert(1)
	}
	return failed, value
}

// errorValue is the Lua value for an error that ended a protected call with value on the stack.
func (m *Machine) errorValue(l *lua.State, err error, value any) any {
	if err == lua.ErrorError {
		return m.where(l) + "stack overflow"
	}
	if trouble, ok := err.(runtime.Error); ok {
		return fmt.Sprintf("internal error: %v", trouble)
	}
	return value
}

// handlerCalls is how often the handler of an xpcall is asked about its own errors.
const handlerCalls = 10

func openProtect(m *Machine) {
	m.global("error", func(c call) int {
		v, level := c.raw(1), c.optInt(2, 1)
		s, text := v.(string)
		if f, number := v.(float64); number && level > 0 {
			s, text = luasrc.NumberText(f), true
		}
		if level > 0 && m.traceWanted > 0 {
			if !text {
				s, level = m.describeError(v), 1
			}
			m.pointAt(c.l, level, s)
		}
		if level > 0 && text {
			v = m.position(c.l, level) + s
		}
		m.raise(c.l, v)
		return 0
	})
	m.global("assert", func(c call) int {
		if c.l.ToBoolean(1) {
			return c.top()
		}
		v := c.raw(2)
		if v == nil {
			v = "assertion failed!"
		}
		if m.traceWanted > 0 {
			text := m.describeError(v)
			// A message that tells its place was raised there and is passed on here.
			if chunk, _, _ := splitPosition(text); chunk == "" {
				m.pointAt(c.l, 1, text)
			}
		}
		m.raise(c.l, v)
		return 0
	})
	m.global("pcall", func(c call) int {
		c.any(1)
		if failed, value := c.try(0); failed {
			return c.give(false, value)
		}
		return c.top()
	})
	m.global("xpcall", func(c call) int {
		c.any(2)
		handler := c.raw(2)
		c.l.Remove(2)
		failed, value := c.try(m.traceWanted + 1)
		if !failed {
			return c.top()
		}
		m.handling++
		defer func() { m.handling-- }()
		for range handlerCalls {
			c.l.SetTop(0)
			c.room(3)
			push(c.l, handler)
			push(c.l, value)
			if failed, value = m.protected(c.l, 1); !failed {
				c.l.SetTop(1)
				return c.give(false, c.raw(1))
			}
		}
		return c.give(false, "error in error handling")
	})
}
