package vm

import (
	"errors"
	"fmt"
	"hash/maphash"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync/atomic"
	"time"
	"weak"

	lua "github.com/Shopify/go-lua"

	"almanac/catalog/text"
	"almanac/session/syntax"
)

// A Chunk is one source text of the prelude.
type Chunk struct {
	Name, Source string
}

// A Key is one name in a table and the type of what it holds.
type Key struct {
	Name, Type string
}

// A Machine is one Lua state with its globals, which live from run to run. Its methods must not be called at the same
// time, with one exception: Interrupt.
type Machine struct {
	layout
	closures
	permanents
	frozen
	limits  Limits
	outside Host
	out     output
	meter   meter
	deck    deck

	// The world: session holds what scripts set, names the prelude and the libraries behind it.
	session, names *table
	libraries      map[string]*table
	sealed         map[*table]*table // stand-in to library
	docs           []doc

	// Metatables of the machine's own kinds of value. emptyList marks an empty table as a list; see sparse.go for
	// sparseMeta.
	stringMeta, failureMeta, integerMeta, actionMeta, coroutineMeta, unknownMeta, emptyList, sparseMeta *table
	// noIndex is the __index of metatables that have none; see guardEvents.
	noIndex *table

	integers  map[int64]any
	numbers   numbers
	generator *rand.PCG
	// digestSeed is that of the digests of globals.
	digestSeed maphash.Seed
	seeded     bool // by a script
	actions    map[string]any
	helpers    map[string]any // of the prelude, by their paths among the actions
	nextAt     position
	maker      *lua.State // where tables and functions are made; runs nothing

	// The run.
	surface     Surface
	roots       map[string]bool
	chunk       string // name of the running script
	head        string // what stands in front of its source
	sources     map[string]string
	sourceNames []string // keys of sources, oldest first
	fatal       *Error   // why the run must end
	interrupt   atomic.Pointer[string]
	large       int // bytes of large strings since the last collection
	preview     bool
	interval    int // instructions between two calls of hook
	depth       int
	counted     depthCount
	traceWanted int // protected calls that want a traceback
	handling    int // error handlers of xpcall that run in the current coroutine
	trace       []string
	hint        hinted
	spots       map[*table]spot // where the calls of async stand whose errors these are
	before      map[string]fingerprint
	kept        map[string]bool // names of Script.Keep
	ranks       ranks

	// Coroutines.
	current    *thread
	threads    map[*thread]struct{}
	asked      int64                  // calls so far that did not wait for others
	workers    int64                  // workers so far that no other made
	started    map[int64]*startedCall // calls of workers that are under way, by the host\'s ticket
	shared     *table                 // what the prelude keeps of the run; nil where it keeps nothing
	atEnd      any                    // the prelude's function that ends what a script has started
	orphans    orphanage
	mainThread any

	stdout any // io.stdout
}

// New makes a machine, opens the libraries and runs the chunks of the prelude in order; each gets one argument, a table
// of host functions that scripts cannot reach. A zero field of l is its default; a nil function of h is refused when a
// script needs it.
func New(l Limits, h Host, prelude Compiled) (*Machine, error) {
	m, err := openMachine(l, h)
	if err != nil {
		return nil, err
	}
	chunks, err := prelude.chunks()
	if err != nil {
		return nil, err
	}
	host := m.hostTable()
	for i := range chunks {
		if err := m.runPrelude(&chunks[i], host); err != nil {
			return nil, err
		}
	}
	m.sealPrelude()
	m.findPermanents()
	m.before = m.prints()
	return m, nil
}

// openMachine makes a machine that has the libraries only.
func openMachine(l Limits, h Host) (*Machine, error) {
	layout, err := newLayout()
	if err != nil {
		return nil, err
	}
	closures, err := newClosures()
	if err != nil {
		return nil, err
	}
	m := &Machine{
		layout: layout, closures: closures, limits: l.WithDefaults(), outside: h, maker: lua.NewState(),
		digestSeed: maphash.MakeSeed(), libraries: map[string]*table{},
		sealed: map[*table]*table{}, sources: map[string]string{},
		interval: hookInterval, integers: map[int64]any{}, actions: map[string]any{}, threads: map[*thread]struct{}{},
		numbers: numbers{of: map[weak.Pointer[byte]]int64{}, sweepAt: firstNumbers},
	}
	m.out.send = h.Write
	m.session, m.names = m.newTable(0, 16), m.newTable(0, 200)
	m.stringMeta, m.failureMeta, m.emptyList = m.newTable(0, 2), m.newTable(0, 4), m.newTable(0, 0)
	m.noIndex = m.newTable(0, 0)
	m.failureMeta.put("__tostring", m.function("tostring", func(c call) int { return c.give(m.text(nil, c.raw(1))) }))
	m.openLibraries()
	m.begin(Script{Name: "prelude"})
	return m, nil
}

// Close ends the machine's coroutines. The machine must not be used afterwards.
func (m *Machine) Close() { m.stopCoroutines() }

// Interrupt ends the run that is going on, from any goroutine; without one it has no effect.
func (m *Machine) Interrupt(reason string) {
	if reason == "" {
		reason = "interrupted"
	}
	m.interrupt.Store(&reason)
}

// SetLimits replaces the limits for later runs.
func (m *Machine) SetLimits(l Limits) { m.limits = l.WithDefaults() }

// Run runs a script and returns its outcome. It returns only when the script has ended or was stopped; what the script
// has set stays set either way.
func (m *Machine) Run(s Script) Reply {
	var before, after runtime.MemStats
	if s.Times > 0 {
		runtime.ReadMemStats(&before)
	}
	m.begin(s)
	values, err := m.execute(s)
	r := Reply{Elapsed: m.meter.elapsed()}
	if s.Times > 0 {
		runtime.ReadMemStats(&after)
		r.Allocated = int64(after.TotalAlloc - before.TotalAlloc)
	}
	if err != nil {
		m.stopIfBroken(err)
		r.Err = err
	}
	for _, v := range values {
		r.Values = append(r.Values, m.Value(v))
	}
	if err == nil && len(values) > 0 && values[0] != nil {
		m.keep(s.Keep, values[0])
	}
	if s.Expr && err == nil && len(values) == 1 && values[0] == nil {
		r.Hint = m.unset(s.Source)
	}
	r.Steps = m.meter.steps + m.meter.pending
	r.Dropped = m.out.dropped
	r.Globals = m.Globals()
	now := m.prints()
	r.Changed = difference(m.before, now)
	m.before = now
	r.Tape = m.deck.tape()
	return r
}

// stopIfBroken ends all coroutines after a run that was stopped: shared data may be inconsistent.
func (m *Machine) stopIfBroken(err *Error) {
	if err.Kind != Syntax && err.Kind != Runtime {
		m.stopCoroutines()
	}
}

const keptSources = 300

// begin readies the machine for a run.
func (m *Machine) begin(s Script) {
	m.interrupt.Store(nil)
	m.fatal, m.current, m.depth, m.traceWanted, m.handling = nil, nil, 0, 1, 0
	m.trace, m.hint, m.spots, m.counted = nil, hinted{}, map[*table]spot{}, depthCount{}
	m.nextAt = position{}
	m.surface, m.preview = s.Surface, s.Preview
	m.started = map[int64]*startedCall{}
	m.asked, m.workers, m.shared = 0, 0, nil
	m.roots = make(map[string]bool, len(s.Roots))
	for _, root := range s.Roots {
		m.roots[root] = true
	}
	// A script can write these names only through _G, and would spoil its own operators.
	for _, name := range syntax.HostNames() {
		delete(m.session.hash, name)
	}
	m.guardState(s.State || m.state != nil)
	m.chunk, m.head = chunkName(s.Name), ""
	m.out.reset(m.limits.Output)
	m.meter = meter{started: time.Now()}
	m.play(s.Tape)
}

// chunkName is a script's name as positions show it.
func chunkName(name string) string {
	name = strings.Map(func(r rune) rune {
		if r < ' ' || r == ':' {
			return '_'
		}
		return r
	}, text.HeadBytes(name, 50))
	if name == "" {
		return "script"
	}
	return name
}

// execute compiles and runs s. It recovers all panics.
func (m *Machine) execute(s Script) (values []any, failure *Error) {
	defer func() {
		if trouble := recover(); trouble != nil {
			values, failure = nil, m.fatal
			if failure == nil {
				failure = &Error{Kind: Runtime, Message: fmt.Sprintf("internal error: %v", trouble)}
			}
			m.excerpt(failure)
		}
	}()
	l := m.newState()
	if bad := m.compile(l, s); bad != nil {
		return nil, bad
	}
	for range max(1, s.Times) {
		l.SetTop(2) // the error handler and the chunk
		l.PushValue(2)
		m.pass(l, s)
		failed, v := m.protected(l, len(s.Args))
		if !failed {
			failed, v = m.finishRun(l)
		}
		if failed {
			return nil, m.toError(v)
		}
	}
	for i := 3; i <= l.Top(); i++ {
		values = append(values, m.raw(l, i))
	}
	if s.Expr && len(values) == 1 && values[0] == m.stdout {
		return nil, nil // io.write(...) alone is for what it prints
	}
	return values, nil
}

// pass pushes the arguments of a program and makes the global arg.
func (m *Machine) pass(l *lua.State, s Script) {
	if s.Args == nil {
		return
	}
	t := m.newTable(len(s.Args), 1)
	t.hash[float64(0)] = s.Name
	for i, word := range s.Args {
		t.array[i] = word
		l.PushString(word)
	}
	m.session.put("arg", m.value(t))
}

// compile pushes the function of s: of an expression one that returns it.
func (m *Machine) compile(l *lua.State, s Script) *Error {
	m.keepSource(m.chunk, s.Source)
	if strings.HasPrefix(s.Source, lua.Signature[:1]) {
		return &Error{Kind: Syntax, Message: "compiled code cannot be run", Line: 1, Column: 1}
	}
	const head = "return "
	if s.Expr && syntax.IsExpression(s.Source) {
		m.head = head
	}
	err := m.load(l, m.chunk, m.head+s.Source)
	if err == nil {
		return nil
	}
	out, shift := &Error{Kind: Syntax}, len(m.head)
	var bad *syntax.Error
	if errors.As(err, &bad) {
		if s.Expr && shift == 0 && !bad.Incomplete { // half of an expression is no statement; what is wrong is that it ends
			if half := syntax.Check(head + s.Source); half != nil && half.Incomplete {
				bad, shift = half, len(head)
			}
		}
		out.Message, out.Hint, out.Incomplete = bad.Message, bad.Hint, bad.Incomplete
		if out.Line, out.Column = bad.Pos.Line, bad.Pos.Column; out.Line == 1 {
			out.Column = max(1, out.Column-shift)
		}
	} else {
		_, out.Line, out.Message = splitPosition(err.Error())
	}
	m.excerpt(out)
	return out
}

func (m *Machine) keepSource(name, source string) {
	if _, ok := m.sources[name]; !ok {
		m.sourceNames = append(m.sourceNames, name)
		if len(m.sourceNames) > keptSources {
			delete(m.sources, m.sourceNames[0])
			m.sourceNames = m.sourceNames[1:]
		}
	}
	m.sources[name] = source
}

// load normalises source and pushes the compiled function.
func (m *Machine) load(l *lua.State, name, source string) error {
	normalize := syntax.Normalize
	if m.preview { // == with what is not known cannot be told
		normalize = syntax.NormalizeEqual
	}
	normal, lines, err := normalize(source)
	if err != nil {
		return err
	}
	if err := l.Load(strings.NewReader(normal), mark(name), "t"); err != nil {
		if trouble, ok := err.(runtime.Error); ok {
			return fmt.Errorf("the source is more than the engine can hold: %w", trouble)
		}
		text, _ := m.raw(l, l.Top()).(string)
		return errors.New(text)
	}
	moveCalls(m.closure(l.ToValue(-1)).prototype, lines)
	m.remember(l.ToValue(-1), name, source)
	return nil
}
