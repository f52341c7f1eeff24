package vm

import (
	"errors"
	"fmt"
	"runtime"
	"time"

	lua "github.com/Shopify/go-lua"

	"almanac/catalog/text"
)

// This file stops scripts.
//
// The engine calls hook every 1,000 instructions, or 20, also inside loops, callbacks, metamethods and coroutines. When
// the run must end, end keeps the reason, sets the hook to every instruction and panics with errStop, and every later
// hook panics again. A protected call passes the panic on (see protect.go), so nested pcalls and coroutines cannot stop
// it. Library functions with loops call work, which counts their steps and checks the same conditions.

const (
	hookInterval = 1000
	// closeInterval is how often the hook is called once the machine has made a string of hugeString bytes: comparing two
	// of the largest, or looking one up in a table, is one instruction and takes the engine some 10 ms.
	closeInterval = 20
	hugeString    = 4 << 20
)

// maxDepth is a little below the engine's own limit.
const maxDepth = 190

// errStop unwinds a run that must end; Machine.fatal says why.
var errStop = errors.New("the run was ended")

// errKilled unwinds a coroutine that is no longer wanted.
var errKilled = errors.New("the coroutine was ended")

// WithDefaults returns l with its zero fields replaced by their defaults.
func (l Limits) WithDefaults() Limits {
	def := func(v *int, d int) {
		if *v <= 0 {
			*v = d
		}
	}
	if l.Steps <= 0 {
		l.Steps = 10_000_000
	}
	if l.Time <= 0 {
		l.Time = 1500 * time.Millisecond
	}
	def(&l.String, 64<<20)
	def(&l.Output, 1<<20)
	def(&l.Depth, maxDepth)
	l.Depth = min(l.Depth, maxDepth)
	def(&l.Levels, 200_000)
	l.Levels = min(l.Levels, 200_000)
	def(&l.Coroutines, 1000)
	def(&l.Value, 4<<20)
	return l
}

// A meter counts the resources that a run has used.
type meter struct {
	steps   int64
	pending int64 // steps of library functions since the last look at the clock
	started time.Time
	outside time.Duration // time spent in host calls
}

func (b *meter) elapsed() time.Duration { return time.Since(b.started) - b.outside }

func (m *Machine) hook(l *lua.State, _ lua.Debug) {
	if m.fatal != nil {
		panic(errStop)
	}
	m.meter.steps += int64(m.interval)
	m.check(l)
	m.easeSparse(l)
	m.checkLevels(l)
}

// work counts n steps of a library function.
func (m *Machine) work(l *lua.State, n int) {
	m.meter.pending += int64(n)
	if m.meter.pending < hookInterval {
		return
	}
	m.meter.steps += m.meter.pending
	m.meter.pending = 0
	m.check(l)
}

func (m *Machine) check(l *lua.State) {
	if reason := m.interrupt.Load(); reason != nil {
		m.end(l, &Error{Kind: Interrupt, Message: *reason})
	}
	if m.current != nil && m.current.killed {
		panic(errKilled)
	}
	if m.meter.steps > m.limits.Steps {
		m.end(l, &Error{Kind: Limit, Limit: "steps",
			Message: fmt.Sprintf("the script ran more than %d instructions", m.limits.Steps),
			Hint:    "an endless loop, or too much work for one run: ask an action for less, or split the work"})
	}
	if m.meter.elapsed() > m.limits.Time {
		m.end(l, &Error{Kind: Limit, Limit: "time",
			Message: fmt.Sprintf("the script ran longer than %v of Lua time", m.limits.Time),
			Hint:    "an endless loop, or too much work for one run: ask an action for less, or split the work"})
	}
}

// end ends the run and does not return. The first reason is kept.
func (m *Machine) end(l *lua.State, e *Error) {
	if m.fatal == nil {
		if e.Line == 0 {
			e.Line = m.scriptLine(l)
		}
		e.Traceback = m.traceback(l)
		m.fatal = e
	}
	lua.SetDebugHook(l, m.hook, lua.MaskCount, 1)
	panic(errStop)
}

// watch sets the hook of l.
func (m *Machine) watch(l *lua.State) { lua.SetDebugHook(l, m.hook, lua.MaskCount, m.interval) }

// grown ends the run if a string being built has too many bytes, n, and counts the new ones; paid is how many were
// counted before.
func (m *Machine) grown(l *lua.State, n int, paid *int) {
	m.fits(l, n)
	if fresh := n - *paid; fresh >= 64 {
		m.work(l, fresh/64)
		*paid = n
	}
}

// fits ends the run when a string of n bytes would be too large.
func (m *Machine) fits(l *lua.State, n int) {
	if n > m.limits.String || n < 0 {
		m.end(l, &Error{Kind: Limit, Limit: "string",
			Message: "the script asked for a string of more than " + text.Bytes(int64(m.limits.String)),
			Hint:    "build smaller strings, or keep the pieces in a table"})
	}
}

// stringSize ends the run when a string of n bytes would be too large, and counts the making of it.
func (m *Machine) stringSize(l *lua.State, n int) {
	m.fits(l, n)
	m.work(l, n/64)
	if n >= hugeString && m.interval != closeInterval {
		m.interval = closeInterval
		m.watch(l)
	}
}

const (
	largeString = 64 << 10
	// collectAfter is how many bytes of large strings may be made before the next collection.
	collectAfter = 32 << 20
)

// giveText returns a new string. A few large ones would outrun the concurrent collector and let garbage reach the
// memory limit, so it waits for a collection now and then.
func (c call) giveText(s string) int {
	if len(s) >= largeString {
		c.made(len(s))
	}
	return c.give(s)
}

// made counts bytes that were made at once.
func (c call) made(bytes int) {
	if c.m.large += bytes; c.m.large > collectAfter {
		c.m.large = 0
		runtime.GC()
	}
}

// host runs f, which asks the host for a call or for op. The machine's clock is stopped while the time is not the
// script's own.
func (m *Machine) host(l *lua.State, op string, f func() (any, error)) (any, error) {
	start := time.Now()
	v, err := f()
	if !OwnTime(op, err) {
		m.meter.outside += time.Since(start)
	}
	m.check(l)
	return v, err
}
