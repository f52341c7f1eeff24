package vm

// This file runs calls of actions in parallel. A worker is a coroutine in which an action call does not block: it asks
// the host to start the call and yields, and the prelude, which drives the workers, resumes it when the host has the
// answer.

import (
	"errors"
	"fmt"
	"slices"

	luasrc "almanac/catalog/lua"
)

// A started call is one that a worker waits for.
type startedCall struct {
	worker *coroutine
	answer any
	err    error
}

// openParallel adds what the prelude drives workers with.
func (m *Machine) openParallel(def func(name string, f func(c call) int)) {
	// worker(f): a coroutine whose action calls yield
	def("worker", func(c call) int {
		co := c.newCoroutine(c.function(1))
		co.worker = true
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
	// busy(): is any call under way?
	def("busy", func(c call) int { return c.give(len(m.started) > 0) })
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
	// page(action, args): the data of one page, the arguments that differ for the next one or null, and whether there may
	// be one
	def("page", func(c call) int {
		id := c.actionID(1, "paginate")
		c.l.Remove(1)
		return c.request(id, "call("+luasrc.Quote(id)+", ...)", true)
	})
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
func (t *thread) next() []any {
	t.steps++
	return append(slices.Clip(t.place), t.steps)
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
	s := &startedCall{worker: t.handle.Value()}
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
