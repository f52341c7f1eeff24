package vm

// This file runs calls of actions in parallel. A worker is a coroutine in which an action call does not block: it asks
// the host to start the call and yields, and the prelude, which drives the workers, resumes it when the host has the
// answer. What the prelude must know of a run is in one table, and the function that it leaves here ends each run.

import (
	"errors"
	"fmt"
	"slices"

	lua "github.com/Shopify/go-lua"

	luasrc "almanac/catalog/lua"
)

// A started call is one that a worker waits for.
type startedCall struct {
	worker *coroutine
	id     string
	ticket int64
	answer any
	err    error
}

// openParallel adds what the prelude drives workers with.
func (m *Machine) openParallel(def func(name string, f func(c call) int)) {
	// worker(f, async): a coroutine whose action calls yield. One that is async runs beside the code that made it.
	def("worker", func(c call) int {
		co := c.newCoroutine(c.function(1))
		co.worker, co.async, co.at = true, c.l.ToBoolean(2), m.where(c.l)
		if co.async {
			hint := m.hint
			m.pointAtCall(c.l, "")
			co.use, m.hint = m.hint.use, hint
		}
		if t := m.inWorker(); t != nil {
			co.place = t.next()
		} else {
			m.workers++
			co.place = []any{m.asked, m.workers}
		}
		return c.give(co.self)
	})
	// waits(co): does the suspended worker wait for a call? Else it yielded by itself.
	def("waits", func(c call) int {
		co, ok := m.object(c.raw(1)).(*coroutine)
		return c.give(ok && co.call != nil)
	})
	// run(): a table that lives as long as the run
	def("run", func(c call) int {
		if m.shared == nil {
			m.shared = m.newTable(0, 8)
		}
		return c.give(m.value(m.shared))
	})
	// at_end(f): f is called where a script has come to its end and had a table for its run
	def("at_end", func(c call) int {
		m.atEnd = c.function(1)
		return 0
	})
	// cancel(co): ends the call that the worker waits for, as far as its action can be ended, and returns the error of it
	def("cancel", func(c call) int {
		co, ok := m.object(c.raw(1)).(*coroutine)
		if !ok || co.call == nil {
			c.fail("no call to cancel")
		}
		s := co.call
		c.hostOp("call.cancel", s.ticket)
		return c.give(m.failure(c.l, s.id, &HostError{Code: Cancelled, Message: s.id + ": cancelled by the script"}))
	})
	// wait(): the worker whose call has ended, to be resumed
	def("wait", func(c call) int {
		var wanted []any // the worker that came next in the run whose tape this is
		if ticket, ok := m.deck.peek(readEnded); ok && m.started[ticket] != nil {
			wanted = []any{ticket}
		}
		answer, err := m.host(c.l, "call.wait", func() (any, error) { return m.outside.Op("call.wait", wanted) })
		if err != nil {
			m.hostFailed(c.l, "", err)
		}
		fields, _ := answer.(map[string]any)
		ticket, _ := fields["ticket"].(int64)
		s := m.started[ticket]
		if s == nil {
			c.fail("the host answered a call that was not started")
		}
		delete(m.started, ticket)
		m.deck.next(readEnded, func() int64 { return ticket })
		if message, failed := fields["message"].(string); failed {
			code, _ := fields["code"].(string)
			hint, _ := fields["hint"].(string)
			s.err = &HostError{Code: code, Message: message, Hint: hint}
		} else {
			s.answer = fields
		}
		return c.give(s.worker.self)
	})
}

// openCompose adds what with_compensation, chain and paginate are made of.
func (m *Machine) openCompose(def func(name string, f func(c call) int)) {
	// try(f): pcall whose errors are told as those of nothing protected
	def("try", func(c call) int {
		if failed, value := c.try(m.traceWanted); failed {
			return c.give(false, value)
		}
		return c.top()
	})
	// scope(): the number of a with_compensation that begins
	def("scope", func(c call) int {
		mark, within := []any{m.asked, m.workers}, 0
		if t := m.inWorker(); t != nil {
			mark, within = append(slices.Clip(t.place), t.steps), len(t.place)
		}
		n, _ := c.hostOp("call.scope", mark, int64(within), int64(m.scriptLine(c.l))).(int64)
		return c.give(float64(n))
	})
	// keep(n): it went well
	def("keep", func(c call) int {
		c.hostOp("call.keep", int64(c.int(1)))
		return 0
	})
	// compensate(n): it failed
	def("compensate", func(c call) int {
		var place []any
		if t := m.inWorker(); t != nil {
			place = t.next()
		} else {
			m.workers++
			place = []any{m.asked, m.workers}
		}
		c.hostOp("call.compensate", int64(c.int(1)), place)
		return 0
	})
	// chain(ids, args): the names of the arguments that each step of a chain takes from the result of the one before it
	def("chain", func(c call) int {
		ids, given := c.table(1), c.table(2)
		if m.surface == Query {
			c.fail("chain: actions cannot be called in a query script; return a set or a plan, then execute")
		}
		var steps []any
		for i := 0; i < min(len(ids.array), len(given.array)) && ids.array[i] != nil; i++ {
			step := map[string]any{"id": ids.array[i]}
			if v := given.array[i]; m.table(v) != nil || !m.callable(v) {
				args, err := m.toArgs(c.l, given.array[i])
				if err != nil {
					c.fail("chain: step %d: %s", i+1, err)
				}
				step["args"] = args
			}
			steps = append(steps, step)
		}
		return c.answer("", c.hostOp("call.chain", steps), nil)
	})
	// step(i, id, args): call(id, args), whose error says which step of a chain it is
	def("step", func(c call) int {
		i, id := c.int(1), c.string(2)
		c.l.Remove(1)
		c.l.Remove(1)
		answer, err := c.ask(id, c.named(id, "call("+luasrc.Quote(id)+", ...)"), m.scriptLine(c.l), false)
		if e := (*HostError)(nil); errors.As(err, &e) && !e.Fatal {
			of := *e
			of.Message = fmt.Sprintf("chain: step %d: %s", i, e.Message)
			err = &of
		}
		return c.answer(id, answer, err)
	})
	// id(action): the id of an action, or the text itself
	def("id", func(c call) int { return c.give(c.actionID(1, "async")) })
	// pause(seconds): nothing, after that time
	def("pause", func(c call) int {
		c.hostOp("call.pause", c.number(1))
		return 0
	})
	// page(action, args): the data of one page, the arguments that differ for the next one or null, and whether there may
	// be one, and the status of the HTTP answer or null
	def("page", func(c call) int {
		id := c.actionID(1, "paginate")
		c.l.Remove(1)
		return c.request(id, "call("+luasrc.Quote(id)+", ...)", true)
	})
}

// hostOp is the host's answer to a primitive that the prelude needs.
func (c call) hostOp(name string, args ...any) any {
	if c.m.outside.Op == nil {
		c.fail("not available here")
	}
	answer, err := c.m.host(c.l, name, func() (any, error) { return c.m.outside.Op(name, args) })
	if err != nil {
		c.m.hostFailed(c.l, "", err)
	}
	return answer
}

// inWorker is the worker that the running code belongs to; nil where it belongs to none.
func (m *Machine) inWorker() *thread {
	t := m.current
	for t != nil && !t.worker {
		t = t.parent
	}
	return t
}

// next is the place of a worker's next call: after all its earlier ones, and before those of workers begun after it, as
// in a sequential run.
// The number of a call that is async is negative.
func (t *thread) next() []any {
	t.steps++
	if t.async {
		return append(slices.Clip(t.place), -t.steps)
	}
	return append(slices.Clip(t.place), t.steps)
}

// Cancelled is the code of a call that the script cancelled.
const Cancelled = "cancelled"

// finishRun lets the prelude end what a script that has come to its end has started. failed tells that v is raised.
func (m *Machine) finishRun(l *lua.State) (failed bool, v any) {
	if m.shared == nil {
		return false, nil
	}
	l.CheckStack(1)
	push(l, m.atEnd)
	return m.protected(l, 0)
}

// ask has the host make a call. In a worker it yields until the host has the answer. A paged answer is a table of data,
// next and full.
func (c call) ask(id string, args map[string]any, line int, paged bool) (any, error) {
	m := c.m
	t := m.current
	switch {
	case t != nil && t.worker && m.handling == 0 && m.outside.Op != nil: // a handler cannot yield
	case m.outside.Op != nil && (paged || m.inWorker() != nil): // from a coroutine in a worker, or a handler
		request := []any{id, args, int64(line)}
		if t := m.inWorker(); t != nil {
			request = append(request, t.next())
		} else {
			m.asked++
		}
		answer, err := m.host(c.l, "call.page", func() (any, error) { return m.outside.Op("call.page", request) })
		if fields, ok := answer.(map[string]any); ok && !paged {
			return fields["data"], err
		}
		return answer, err
	case paged:
		return nil, fmt.Errorf("%s: pages are not available here", id)
	default:
		m.asked++
		return m.host(c.l, "", func() (any, error) { return m.outside.Call(id, args, line) })
	}
	started, err := m.host(c.l, "call.start", func() (any, error) {
		return m.outside.Op("call.start", []any{id, args, int64(line), t.next()})
	})
	if err != nil {
		return nil, err
	}
	ticket, ok := started.(int64)
	if !ok {
		return nil, errors.New("the host gave no ticket")
	}
	s := &startedCall{worker: t.handle.Value(), id: id, ticket: ticket}
	m.started[ticket], t.call = s, s
	alive := t.yield(nil)
	t.call = nil
	if !alive || t.killed {
		panic(errKilled)
	}
	fields, _ := s.answer.(map[string]any)
	if s.err != nil || paged {
		return s.answer, s.err
	}
	return fields["data"], nil
}
