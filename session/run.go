package session

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"almanac/catalog"
	"almanac/catalog/unknown"
	"almanac/session/kernel"
	"almanac/session/syntax"
	"almanac/session/trace"
	"almanac/session/vm"
)

// A run is one script on its way: what it may see, what it has done and what it has left.
type run struct {
	session   *Session
	script    Script
	mode      trace.Mode
	surface   vm.Surface
	id        string
	number    int64 // counts the runs of the world from 1
	selected  map[string]bool
	started   time.Time
	used      Usage
	again     Budget // as of the beginning
	sets      []catalog.Set
	steps     []catalog.Step
	plans     []catalog.Plan
	counted   []catalog.Facets
	explained []string // what the script was told by catalog.explain
	output    map[vm.Stream]*printing
	unlogged  error     // why printed text is not in the log
	halted    bool      // the person let it not go on; the world's asking guards it
	hearing   sync.Once // guards said
	said      []catalog.Message
	invoked   *Invocation    // the one call of a Go program; nil where a script makes the calls
	mu        sync.Mutex     // guards used, begun, calls, placed and what is printed: calls may be under way side by side
	begun     int            // calls so far
	calls     []trace.Call   // in the order they ended
	placed    map[int]placed // each call, by its number
	refused   refusals
	reading   reading
	// before is the run that this is the preview of; empty where it is none that precedes a run.
	before   string
	foreseen []foreseen     // the mutations of a preview, as they ended; guarded by mu
	player   *player        // answers the calls of a replay; nil where they are made
	rested   []rested       // the reads of a preview, as they ended; guarded by mu
	list     *list          // what the person approved for this run; nil where there was no question for all of it
	applies  *Plan          // that the run applies; nil where it applies none
	copied   []string       // names of the session\'s globals that a preview sees
	lost     string         // what went before the run began
	answered []catalog.Step // what the script returned of the catalog
	returned []catalog.Set  // the sets among that
}

// Run runs a script in the shared machine, or in a fresh one when it asks for that. The buffers of an earlier run
// are gone. The error says that no run could be made (ctx was done while waiting, the log or the kernel is out of
// order); a script that failed or was stopped is an Outcome with Err set.
func (s *Session) Run(ctx context.Context, script Script) (*Outcome, error) {
	mode := trace.ModeRun
	if script.Fresh {
		mode = trace.ModeFresh
	}
	r, err := s.newRun(script, mode)
	if err != nil {
		return nil, err
	}
	return r.do(ctx)
}

// Preview runs a script on a copy of the session's globals, in a machine that is discarded afterwards. Reads are
// made; a mutation is recorded and returns a placeholder in the shape of its output. Outcome.Missing names globals that
// the script reads and that could not be copied: a coroutine, or all where the state is too large. A fresh script sees
// none.
func (s *Session) Preview(ctx context.Context, script Script) (*Outcome, error) {
	r, err := s.newRun(script, trace.ModePreview)
	if err != nil {
		return nil, err
	}
	out, err := r.do(ctx)
	if out != nil {
		out.DryRun = true
		out.Missing = r.missing(out.Err == nil)
	}
	return out, err
}

// missing lists the session's globals that a preview's script reads and has no copy of; when it ended well, without
// those it sets itself.
func (r *run) missing(well bool) []string {
	if r.script.Fresh {
		return nil
	}
	var names []string
	used := syntax.Names(r.script.Source)
	for _, name := range namesOf(r.session.Globals()) {
		switch {
		case slices.Contains(r.copied, name), !slices.Contains(used.Reads, name):
		case well && slices.Contains(used.Writes, name):
		default:
			names = append(names, name)
		}
	}
	return names
}

func (s *Session) newRun(script Script, mode trace.Mode) (*run, error) {
	if script.Author == "" {
		script.Author = Model
	}
	if script.Name == "" {
		script.Name = "script"
	}
	r := &run{
		session: s, script: script, mode: mode, surface: vm.Execute,
		id: NewID(time.Now()), selected: map[string]bool{}, output: map[vm.Stream]*printing{},
	}
	r.player = playerOf(script, s.world.options)
	if mode == trace.ModeQuery {
		r.surface = vm.Query
	}
	if n, most := len(script.Actions), s.Budget(script.Author).Selected; n > most {
		return nil, fmt.Errorf("actions: %d selected: at most %d in one run", n, most)
	}
	view := s.View()
	for _, id := range script.Actions {
		entry, err := view.Resolve(id)
		if err != nil {
			return nil, fmt.Errorf("actions: %w", err)
		}
		r.selected[entry.ID] = true
	}
	return r, nil
}

// do takes the turn, runs the script and gives the turn back.
func (r *run) do(ctx context.Context) (*Outcome, error) {
	w := r.session.world
	if err := w.acquire(ctx); err != nil {
		return nil, err
	}
	defer w.release()
	w.mu.Lock()
	w.runs++
	r.number = w.runs
	w.mu.Unlock()
	return r.start(ctx)
}

// start records the run, has it approved where that is asked at once, and runs it. A
// shared machine that died is replaced before that. The caller has the turn.
func (r *run) start(ctx context.Context) (*Outcome, error) {
	w := r.session.world
	r.again = r.budget()
	r.used = Usage{CallLimit: r.again.Calls, MutationLimit: r.again.Mutations}
	r.tellUsed()
	if err := r.check(ctx); err != nil {
		return nil, err
	}
	if err := w.observe(ctx, r.of(trace.Record{
		Kind: trace.KindRun, Author: string(r.script.Author), Mode: r.mode, Text: w.redactor.text(r.script.Source),
		IDs: r.script.Actions, Line: r.script.Line, Plan: r.planNumber(),
		Script: &trace.Script{
			Name: r.script.Name, Expr: r.script.Expr, Keep: r.script.Keep, Args: r.script.Args, Times: r.script.Times,
			N: r.number, State: r.readsState(),
		},
	})); err != nil {
		return nil, err
	}
	if out, err := r.approve(ctx); out != nil || err != nil {
		return out, err
	}
	machine, shared, err := r.machine(ctx)
	if err != nil {
		return nil, err
	}
	before, why := w.before()
	loose := !r.session.Transactional()
	host, calls, scopes := r.hostOf(nil)
	r.started = time.Now()
	reply, err := machine.Run(ctx, r.vmScript(), r.limits(), host)
	calls.end()
	scopes.end(ctx, err != nil || reply.Err != nil)
	r.endOutput()
	if r.mode == trace.ModeRun || r.mode == trace.ModeFresh {
		w.endRun()
	}
	var lost *kernel.Lost
	if err != nil && !errors.As(err, &lost) {
		return nil, err
	}
	r.readCatalogValues(reply.Values)
	out := r.outcome(reply)
	r.screened(out)
	w.learn(r.session.View(), out.Calls)
	w.arrange(out.Values)
	if lost == nil {
		if lost = r.applyEffects(ctx, machine, &reply, out); lost != nil {
			out.lost(lost)
		}
	}
	directives := r.directives(out)
	if shared {
		w.history.ran(r.point(), r.started, reply.Changed, leaves(w, out.Calls), directives)
	}
	switch {
	case !shared:
		machine.Discard()
	case lost != nil:
		r.died(ctx, lost, out)
	case w.rollBack(ctx, before, why, loose, out):
		w.history.same()
	default:
		w.mu.Lock()
		w.globals, w.last = reply.Globals, lastRun{r.number, r.id, r.label()}
		w.news.take(r.script.Author, reply.Changed)
		w.mu.Unlock()
		w.tell("", func(n *news) { n.take(User, reply.Changed) })
		if lost := w.save(len(reply.Changed.Removed) > 0); lost != nil {
			out.lost(lost)
			r.died(ctx, lost, out)
		}
	}
	if out.Err == nil {
		r.direct(directives, out)
	}
	r.keepPlan(out)
	*out = leaves(w, *out)
	err = errors.Join(r.unlogged, r.noteRefused(), w.observe(ctx, r.ended(out)))
	if w.options.Ran != nil && r.before == "" {
		w.options.Ran(leaves(w, r.script), out)
	}
	return out, err
}

// lost makes the outcome that of a run whose Lua process ended after it.
func (out *Outcome) lost(why *kernel.Lost) {
	out.Err, out.Values, out.Globals = &vm.Error{Kind: vm.Lost, Message: why.Error()}, nil, vm.Diff{}
	out.Applied, out.State = nil, ""
}

// died takes in that the run took the shared machine with it.
func (r *run) died(ctx context.Context, lost *kernel.Lost, out *Outcome) {
	w := r.session.world
	out.Lost = w.revive(ctx, lost)
	w.tell(r.script.Author, func(n *news) { *n = news{reset: n.reset, lost: out.Lost} })
}

// hostOf serves what a machine asks for: that of the script, or of a composed action's body. The calls must be ended
// when the machine has run, and then the scopes.
func (r *run) hostOf(in *composition) (kernel.Host, *parallel, *scopes) {
	call := func(ctx context.Context, req kernel.CallRequest, n int) (reply, error) {
		if args, ok := in.give(req); ok {
			return reply{data: args}, nil
		}
		answer, err := r.call(ctx, req, n, in)
		in.note(err)
		return answer, err
	}
	calls, scopes := &parallel{call: call, number: r.begin}, &scopes{run: r, in: in}
	host := kernel.Host{Write: r.write}
	host.Call = func(ctx context.Context, req kernel.CallRequest) (any, error) {
		answer, err := calls.alone(ctx, req)
		return answer.data, err
	}
	host.Op = func(ctx context.Context, name string, args []any) (any, error) {
		switch {
		case calls.serves(name):
			return calls.op(ctx, name, args)
		case name == "effect":
			return nil, in.emit(calls, &arguments{list: args})
		case name == "call.chain":
			return r.chain(&arguments{list: args}, in)
		case scopes.serves(name):
			return scopes.op(ctx, name, args)
		case in != nil:
			return nil, fmt.Errorf("%s: not available in a composed action", name)
		}
		return r.op(ctx, name, args)
	}
	return host, calls, scopes
}

// check replaces a shared machine that died since the last run, or rests.
func (r *run) check(ctx context.Context) error {
	w := r.session.world
	if r.mode == trace.ModeRun || r.mode == trace.ModePreview && !r.script.Fresh {
		r.lost += w.wake(ctx)
	}
	if r.mode != trace.ModeRun || w.machine == nil {
		return nil
	}
	lost, err := w.check(ctx)
	r.lost += lost
	return err
}

// machine returns the kernel to run in; shared tells that it is the session's own.
func (r *run) machine(ctx context.Context) (m *kernel.Kernel, shared bool, err error) {
	w := r.session.world
	shared = r.mode == trace.ModeRun
	if r.list != nil { // the question may have been open for long
		if err := r.check(ctx); err != nil {
			return nil, false, err
		}
	}
	if shared && w.machine != nil {
		return w.machine, true, nil
	}
	m, err = w.pool.Get(ctx)
	if err != nil {
		return nil, false, fmt.Errorf("session: no Lua process: %w", err)
	}
	if shared {
		w.machine = m
	}
	if r.mode == trace.ModePreview && w.machine != nil && !r.script.Fresh {
		m, r.copied, err = w.copyTo(ctx, m)
	}
	return m, shared, err
}

func (r *run) point() PointRun {
	return PointRun{ID: r.id, Label: r.label(), Cell: r.script.Cell, Author: r.script.Author}
}

// label is what a person calls the run.
func (r *run) label() string {
	if r.script.Cell > 0 {
		return fmt.Sprintf("cell %d", r.script.Cell)
	}
	return fmt.Sprintf("run %d", r.number)
}

func (r *run) vmScript() vm.Script {
	return vm.Script{
		Source: strings.Repeat("\n", max(r.script.Line-1, 0)) + r.script.Source, Name: r.script.Name,
		Surface: r.surface, Roots: r.session.View().Roots(),
		Expr: r.script.Expr, Keep: r.script.Keep, Args: r.script.Args, Times: r.script.Times,
		Preview: r.mode == trace.ModePreview, Tape: r.script.Tape, State: r.readsState(),
	}
}

func (r *run) limits() vm.Limits {
	l := r.session.Limits(r.script.Author)
	if r.mode == trace.ModeQuery {
		l.Time = r.session.world.options.QueryTime
	}
	return l
}

func (r *run) outcome(reply vm.Reply) *Outcome {
	calls, effects := r.ordered()
	out := &Outcome{
		Run: r.id, Values: reply.Values, Stdout: r.printed(vm.Stdout), Stderr: r.printed(vm.Stderr),
		Calls: calls, Effects: effects,
		Steps: reply.Steps, Elapsed: time.Since(r.started), LuaTime: reply.Elapsed, Allocated: reply.Allocated,
		Dropped: reply.Dropped, Hint: reply.Hint, Err: reply.Err, Lost: r.lost, Sets: r.returned, Specs: r.specs(),
		Used:     r.used,
		Withheld: r.reading.withheld, Fresh: r.script.Fresh,
	}
	if reply.Tape.Check() == nil { // it comes from the kernel process
		out.Tape = reply.Tape
	}
	for i := range out.Values { // of a preview
		out.Values[i].Data = unknown.Plain(out.Values[i].Data)
	}
	switch r.mode {
	case trace.ModePreview:
		out.Would = reply.Changed
	case trace.ModeRun:
		out.Globals = reply.Changed
		out.Unsaved = r.session.world.takeUnsaved()
	}
	if logs := strings.TrimSuffix(r.printed(vm.Logs), "\n"); logs != "" {
		out.Logs = strings.Split(logs, "\n")
	}
	return out
}

// ended is the log's record of the outcome.
func (r *run) ended(out *Outcome) trace.Record {
	o := &trace.Outcome{
		OK: out.Err == nil, Calls: len(out.Calls), Took: out.Elapsed, Plan: out.Plan, Tape: string(out.Tape),
	}
	o.PutBack = out.RolledBack
	o.Changed = slices.Concat(out.Globals.Added, out.Globals.Changed, out.Globals.Removed)
	reprs := make([]string, 0, len(out.Values))
	for _, v := range out.Values {
		reprs = append(reprs, v.Repr)
	}
	whole := strings.Join(reprs, ", ")
	if o.Repr = cut(whole, logText); o.Repr != whole {
		o.ReprSum = fmt.Sprintf("%x", sha256.Sum256([]byte(whole)))
	}
	if out.Err != nil {
		o.Error, o.Kind, o.Limit = out.Err.Error(), string(out.Err.Kind), out.Err.Limit
	}
	record := r.of(trace.Record{Kind: trace.KindOutcome, Author: string(r.script.Author), Mode: r.mode, Ended: o})
	r.recordApplied(&record, out)
	return record
}

// of is a record of this run.
func (r *run) of(record trace.Record) trace.Record {
	record.Run, record.Cell, record.Before = r.id, r.script.Cell, r.before
	return record
}
