package vm

import (
	"errors"
	"fmt"
	"iter"
	"runtime"
	"sync"
	"weak"

	lua "github.com/Shopify/go-lua"
)

// This file holds coroutines, which the engine lacks. Each runs on a goroutine of its own (iter.Pull hands control over
// without the scheduler) with its own engine state that shares the machine's globals; only one of them ever runs. The
// machine owns the goroutines: thread.stop ends one that is suspended, Machine.stopCoroutines ends all. A suspended
// coroutine that has become unreachable is found by the collector and ended when the next one is created.

type coroutineStatus string

const (
	suspended coroutineStatus = "suspended"
	running   coroutineStatus = "running"
	normal    coroutineStatus = "normal"
	dead      coroutineStatus = "dead"
)

// A coroutine is the handle that scripts hold. The goroutine knows only its thread, so that the handle can be
// collected while the goroutine waits.
type coroutine struct {
	*thread
	self any
}

func (co *coroutine) luaValue() any { return co.self }

// A thread is the running part of a coroutine.
type thread struct {
	m       *Machine
	l       *lua.State
	body    any
	status  coroutineStatus
	killed  bool
	depth   int
	nesting int // how many coroutines deep it runs
	parent  *thread
	resumer *lua.State
	below   int   // how many calls deep resumer is, zero when not counted yet
	input   []any // what resume passed in
	failed  bool
	problem any // error value when failed
	trace   []string
	resume  func() ([]any, bool)
	stop    func()
	yield   func([]any) bool
	handle  weak.Pointer[coroutine]
	worker  bool         // an action call yields instead of waiting
	async   bool         // a worker that runs beside the code that made it
	at      string       // where a worker was made, as positions name it
	use     spot         // where in its line, of one that is async
	place   []any        // of a worker among the calls of the script
	steps   int64        // calls and workers that a worker has made
	call    *startedCall // what a suspended worker waits for; nil when it yielded by itself
}

// maxResumes is how many coroutines may resume one another, as in Lua 5.2.
const maxResumes = 195

// An orphanage holds threads whose handle was collected; the collector's goroutine fills it.
type orphanage struct {
	mu      sync.Mutex
	threads []*thread
}

func (o *orphanage) add(t *thread) {
	o.mu.Lock()
	o.threads = append(o.threads, t)
	o.mu.Unlock()
}

func (o *orphanage) take() []*thread {
	o.mu.Lock()
	defer o.mu.Unlock()
	threads := o.threads
	o.threads = nil
	return threads
}

func (c call) newCoroutine(body any) *coroutine {
	m := c.m
	m.endOrphans()
	if len(m.threads) >= m.limits.Coroutines {
		// The collector only puts handles on its list; give it a chance before refusing.
		runtime.GC()
		runtime.Gosched()
		m.endOrphans()
	}
	if len(m.threads) >= m.limits.Coroutines {
		m.end(c.l, &Error{Kind: Limit, Limit: "coroutines",
			Message: fmt.Sprintf("more than %d coroutines are alive", m.limits.Coroutines),
			Hint:    "run each to its end, or reset the session"})
	}
	m.work(c.l, 200)
	t := &thread{m: m, body: body, status: suspended, l: m.newState()}
	t.resume, t.stop = iter.Pull(t.run)
	m.threads[t] = struct{}{}
	co := &coroutine{thread: t}
	co.self = m.newUserdata(co, m.coroutineMeta)
	m.numbers.number(co.self) // as a key it comes in this order
	t.handle = weak.Make(co)
	runtime.AddCleanup(co, m.orphans.add, t)
	return co
}

func (m *Machine) endOrphans() {
	for _, t := range m.orphans.take() {
		t.end()
	}
}

// run is the goroutine of a coroutine.
func (t *thread) run(yield func([]any) bool) {
	t.yield = yield
	l := t.l
	l.CheckStack(len(t.input) + 2)
	push(l, t.body)
	for _, v := range t.input {
		push(l, v)
	}
	err := l.ProtectedCall(len(t.input), lua.MultipleReturns, 1)
	if err != nil {
		t.failed = true
		if !errors.Is(err, errStop) && !errors.Is(err, errKilled) {
			t.problem = t.m.errorValue(l, err, t.m.raw(l, l.Top()))
		}
		return
	}
	results := make([]any, 0, l.Top()-1)
	for i := 2; i <= l.Top(); i++ {
		results = append(results, t.m.raw(l, i))
	}
	t.status = dead
	yield(results)
}

// end ends a thread that is not running; its protected calls pass errKilled on.
func (t *thread) end() {
	if t.status == suspended {
		t.killed = true
		m := t.m
		was, depth := m.current, m.depth
		m.current = t
		t.stop()
		m.current, m.depth = was, depth
	}
	t.finish()
}

// calls is the traceback of a coroutine: of a failed one as it was then. l is the state of the caller.
func (t *thread) calls(l *lua.State) []string {
	switch {
	case t.status == dead:
		return t.trace
	case t.l == nil: // the main thread
		return t.m.traceback(l)
	case t.yield == nil: // not begun
		return nil
	}
	current := t.m.current
	t.m.current = t
	defer func() { t.m.current = current }()
	return t.m.traceback(t.l)
}

func (t *thread) finish() {
	t.status = dead
	delete(t.m.threads, t)
}

// stopCoroutines ends every coroutine of the machine.
func (m *Machine) stopCoroutines() {
	for t := range m.threads {
		t.end()
	}
}

// resumeWith runs a coroutine until it yields or ends. traces is Machine.traceWanted inside it.
func (c call) resumeWith(t *thread, args []any, traces int) (values []any, problem any, ok bool) {
	m := c.m
	if refusal := t.refusal(); refusal != "" {
		return nil, refusal, false
	}
	t.nesting = 1
	if m.current != nil {
		t.nesting = m.current.nesting + 1
	}
	if t.nesting > maxResumes {
		return nil, m.where(c.l) + "C stack overflow", false
	}
	c.enter()
	depth, wanted, parent, handling := m.depth, m.traceWanted, m.current, m.handling
	t.status, t.input, t.parent, t.resumer, t.below = running, args, parent, c.l, 0
	if parent != nil {
		parent.status = normal
	}
	m.current, m.depth, m.traceWanted, m.handling = t, t.depth, traces, 0
	interval := m.interval
	if interval != hookInterval {
		m.watch(t.l)
	}
	values, alive := t.resume()
	if m.interval != interval && m.fatal == nil {
		m.watch(c.l)
	}
	t.depth = m.depth
	m.current, m.depth, m.traceWanted, m.handling = parent, depth-1, wanted, handling
	t.resumer = nil
	if parent != nil {
		parent.status = running
	}
	switch {
	case m.fatal != nil:
		t.finish()
		panic(errStop)
	case t.failed || !alive:
		t.trace = m.trace
		t.finish()
		return nil, t.problem, false
	case t.status == dead:
		t.resume()
		t.finish()
	default:
		t.status = suspended
	}
	return values, nil, true
}

// refusal says why a coroutine cannot be resumed now, "" when it can.
func (t *thread) refusal() string {
	switch t.status {
	case suspended:
		return ""
	case dead:
		return "cannot resume dead coroutine"
	}
	return "cannot resume non-suspended coroutine"
}

func openCoroutine(m *Machine) {
	m.coroutineMeta = m.newTable(0, 1)
	m.coroutineMeta.put("__metatable", "coroutine")
	lib := m.library("coroutine")
	def := func(name string, f func(c call) int) { lib.put(name, m.function(name, f)) }
	handle := func(c call) *coroutine {
		co, ok := m.object(c.raw(1)).(*coroutine)
		if !ok {
			c.want(1, "coroutine")
		}
		return co
	}
	def("create", func(c call) int { return c.give(c.newCoroutine(c.function(1)).self) })
	def("resume", func(c call) int {
		co := handle(c)
		values, problem, ok := c.resumeWith(co.thread, c.rest(2), 1)
		runtime.KeepAlive(co)
		if !ok {
			return c.give(false, problem)
		}
		return c.give(append([]any{true}, values...)...)
	})
	def("wrap", func(c call) int {
		co := c.newCoroutine(c.function(1))
		return c.give(m.function("wrap", func(c call) int {
			if refusal := co.refusal(); refusal != "" {
				c.fail("%s", refusal)
			}
			values, problem, ok := c.resumeWith(co.thread, c.rest(1), m.traceWanted)
			if !ok {
				m.raise(c.l, problem)
			}
			return c.give(values...)
		}))
	})
	def("yield", func(c call) int {
		t := m.current
		if t == nil {
			c.fail("attempt to yield from outside a coroutine")
		}
		if m.handling > 0 {
			c.fail("attempt to yield across a C-call boundary: this is the handler of an xpcall")
		}
		if !t.yield(c.rest(1)) || t.killed {
			panic(errKilled)
		}
		return c.give(t.input...)
	})
	def("status", func(c call) int { return c.give(string(handle(c).status)) })
	def("isyieldable", func(c call) int { return c.give(m.current != nil && m.handling == 0) })
	def("running", func(c call) int {
		if m.current == nil {
			return c.give(m.mainThread, true)
		}
		// Whoever resumed it holds the handle, so it cannot have been collected.
		return c.give(m.current.handle.Value().self, false)
	})
	main := &coroutine{thread: &thread{m: m, status: running}}
	main.self = m.newUserdata(main, m.coroutineMeta)
	m.mainThread = main.self
}

// rest returns the arguments from i on.
func (c call) rest(i int) []any {
	if c.top() < i {
		return nil
	}
	values := make([]any, 0, c.top()-i+1)
	for ; i <= c.top(); i++ {
		values = append(values, c.raw(i))
	}
	return values
}
