package vm

import (
	"errors"
	"fmt"
	"strings"

	lua "github.com/Shopify/go-lua"

	luasrc "almanac/catalog/lua"
	"almanac/catalog/unknown"
)

// This file holds lazy action names and call(). A global that the session has not set and that Script.Roots names is an
// action value; indexing it extends the dotted path, and calling it with one table (or nothing, or a lone value: see
// Alone) asks Host.Call. The value carries the path only: a saved one gives no rights, as the host checks every call.
//
// The prelude may add a function below a root; it takes precedence over an action of that name.
//
// type() of one is "action". It works wherever a function does: pcall, map, coroutines.

// An action is a dotted name.
type action struct {
	path string
	self any
}

func (a *action) luaValue() any  { return a.self }
func (a *action) String() string { return "<action " + a.path + ">" }

const (
	keptActions = 20_000
	maxPath     = 512
)

// actionValue is the Lua value for a path. Equal paths are the same value.
func (m *Machine) actionValue(path string) any {
	if v, ok := m.actions[path]; ok {
		return v
	}
	if len(m.actions) >= keptActions {
		clear(m.actions)
	}
	a := &action{path: path}
	a.self = m.newUserdata(a, m.actionMeta)
	m.actions[path] = a.self
	return a.self
}

func openAction(m *Machine) {
	m.actionMeta = m.newTable(0, 8)
	def := func(event string, f func(c call) int) { m.actionMeta.put(event, m.function(event, f)) }
	m.actionMeta.put("__metatable", "action")
	self := func(c call, i int) *action {
		a, ok := m.object(c.raw(i)).(*action)
		if !ok {
			c.want(i, "action")
		}
		return a
	}
	def("__index", func(c call) int {
		a := self(c, 1)
		segment, ok := c.raw(2).(string)
		if !ok || segment == "" {
			c.fail("%s has no field [%s]: an action id is a path of names", a.path, m.repr(nil, c.raw(2), 40, 40))
		}
		if len(a.path)+len(segment) > maxPath {
			c.fail("action id longer than %d bytes", maxPath)
		}
		return c.give(m.under(a, segment))
	})
	def("__newindex", func(c call) int {
		c.fail("%s.%s cannot be assigned: names of actions are read-only", self(c, 1).path, m.text(c.l, c.raw(2)))
		return 0
	})
	def("__call", func(c call) int {
		a := self(c, 1)
		c.l.Remove(1)
		return c.callAction(a.path, a.path)
	})
	def("__tostring", func(c call) int { return c.give(m.actionText(c.l, self(c, 1))) })
	def("__eq", func(c call) int { return c.give(self(c, 1).path == self(c, 2).path) })
	def("__len", func(c call) int {
		c.fail("%s is the name of an action, not its result: call it with %s{...}", self(c, 1).path, self(c, 1).path)
		return 0
	})
	def("__pairs", func(c call) int {
		if next := m.walkNamespace(c.l, self(c, 1)); next != nil {
			return c.give(next, c.raw(1), nil)
		}
		c.fail("%s is the name of an action, not its result: call it with %s{...}", self(c, 1).path, self(c, 1).path)
		return 0
	})
	m.global("call", func(c call) int {
		id := c.actionID(1, "call")
		c.l.Remove(1)
		return c.callAction(id, "call("+luasrc.Quote(id)+", ...)")
	})
}

// actionID reads an action or its id.
func (c call) actionID(i int, name string) string {
	switch v := c.raw(i).(type) {
	case string:
		return v
	default:
		if a, ok := c.m.object(v).(*action); ok {
			return a.path
		}
	}
	c.fail("%s takes an action id and a table: %s(\"billing.invoice.get\", {invoice_id = 1})", name, name)
	return ""
}

// callAction calls the action id with the arguments on the stack. form is how the script wrote the call.
func (c call) callAction(id, form string) int { return c.request(id, form, false) }

// request is callAction; paged gives the arguments of the next page, or null, whether there may be one, and the status
// of the HTTP answer, or null.
func (c call) request(id, form string, paged bool) int {
	answer, err := c.ask(id, c.named(id, form), c.m.scriptLine(c.l), paged)
	if !paged || err != nil {
		return c.answer(id, answer, err)
	}
	fields, _ := answer.(map[string]any)
	return c.answer(id, fields["data"], nil) + c.answer(id, fields["next"], nil) + c.answer(id, fields["full"], nil) +
		c.answer(id, fields["status"], nil)
}

// named are the arguments on the stack for the action id.
func (c call) named(id, form string) map[string]any {
	m := c.m
	if m.surface == Query {
		c.fail("%s: actions cannot be called in a query script; return a set or a plan, then execute", id)
	}
	n := c.top()
	for n > 0 && c.l.IsNil(n) {
		n--
	}
	args := map[string]any{}
	if n > 0 {
		if n > 1 {
			if a, ok := m.object(c.raw(1)).(*action); ok && n == 2 && strings.HasPrefix(id, a.path+".") {
				c.fail("%s is called with '.', not with ':', which passes %s as an argument: %s", id, a.path, usage(id, form))
			}
			c.fail("%s takes one table of named arguments, got %d arguments: %s", id, n, usage(id, form))
		}
		data, err := m.toArgs(c.l, c.raw(1))
		if err != nil {
			c.fail("%s: %s", id, err)
		}
		args = data
	}
	if m.outside.Call == nil {
		c.fail("%s: no actions here", id)
	}
	return args
}

func usage(id, form string) string {
	if strings.HasPrefix(form, "call(") {
		return fmt.Sprintf("call(%s, {name = value})", luasrc.Quote(id))
	}
	return id + "{name = value}"
}

// answer returns the host's answer, or raises its error.
func (c call) answer(id string, answer any, err error) int {
	if err != nil {
		c.m.hostFailed(c.l, id, err)
	}
	v, err := c.m.fromData(answer)
	if err != nil {
		c.fail("%s: %s", id, err)
	}
	c.m.work(c.l, 100)
	return c.give(v)
}

// hostFailed ends the run for a fatal error and raises any other; it does not return.
func (m *Machine) hostFailed(l *lua.State, id string, err error) {
	var e *HostError
	if errors.As(err, &e) && e.Fatal {
		kind := e.Kind
		if kind == "" || kind == Runtime || kind == Syntax {
			kind = Denied
		}
		m.end(l, &Error{Kind: kind, Message: e.Message, Hint: e.Hint, Limit: e.Limit, Call: id, Code: e.Code})
	}
	if e != nil {
		err = e
	}
	m.raise(l, m.failure(l, id, err))
}

// callOp passes values to Host.Op under a name.
func (c call) callOp(name string, values []any) int {
	args := make([]any, len(values))
	for i, v := range values {
		data, err := c.m.toData(c.l, fmt.Sprintf("argument %d", i+1), v, false)
		if err != nil {
			c.fail("%s: %s", name, err)
		}
		if unknown.In(data) {
			c.fail("%s: argument %d %s", name, i+1, unknown.Why)
		}
		args[i] = data
	}
	if c.m.outside.Op == nil {
		c.fail("%s is not available here", name)
	}
	answer, err := c.m.host(c.l, name, func() (any, error) { return c.m.outside.Op(name, args) })
	return c.answer(name, answer, err)
}
