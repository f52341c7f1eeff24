package session

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"almanac/catalog"
	"almanac/catalog/pattern"
	"almanac/catalog/secret"
	"almanac/prelude"
	"almanac/session/kept"
	"almanac/session/kernel"
	"almanac/session/policy"
	"almanac/session/trace"
	"almanac/session/vm"
)

// Options configure a Session. The zero value is a read-only session without a log.
type Options struct {
	// ID names the session; empty means a new random one.
	ID string
	// Limits bound the Lua of a run. UserLimits bound it where the person wrote the script, who can see it run and stop
	// it: a zero field there is that of Limits, but Time is 10 s and Steps is 2,000,000,000.
	Limits, UserLimits vm.Limits
	// Budget bounds the calls of a run. UserBudget is for the person's runs: zero fields mean 1,000 calls, 200 mutations,
	// and otherwise those of Budget.
	Budget, UserBudget Budget
	// Uncounted is a source whose mutations do not count against the budget of mutations; empty for none.
	Uncounted string
	// QueryTime is the Lua time of a query script, in which searching counts; zero means 1.5 s.
	QueryTime time.Duration
	// Policy decides about mutations; the zero Policy denies them all.
	Policy policy.Policy
	// Roles are those that the session begins with; see Session.Take.
	Roles []Role
	// LooseReads are actions whose reads may return something else in a run than in the preview that was approved.
	LooseReads []pattern.Pattern
	// Kept says why a grant that is kept in the configuration does not count any more; nil is never asked. It is asked at
	// every decision and must neither wait nor call the session.
	Kept func(policy.Grant) error
	// Approve asks a person; nil means that nobody can be asked and the answer is no. The clock of the script stands
	// still meanwhile. A done ctx must end the wait.
	Approve func(ctx context.Context, r Request) (Approval, error)
	// Host is the name of the action host that makes the session's calls for others, who read its errors; empty for none.
	Host string
	// Client is the name of the client of a gateway that runs scripts here, for hints about its budget; empty for none.
	Client string
	// Inquire answers what servers of actions ask during a call; nil asks by Approve, and Complete after that where a
	// model is to answer. A done ctx must end the wait.
	Inquire func(ctx context.Context, id string, q catalog.Inquiry) catalog.Reply
	// Complete has a model answer a server of an action, which the person has allowed; nil: there is none.
	Complete func(ctx context.Context, s catalog.Sample) (text, model string, err error)
	// Commands tells that somebody can type commands: hints then name /policy and /limits instead of flags.
	Commands bool
	// Authorize decides whether the actor may make a call, after the view and the argument check and before the
	// policy; nil allows. An error denies and is told. Calls of a script that makes several at a time ask concurrently.
	Authorize func(ctx context.Context, e *catalog.Entry, c catalog.Call) error
	// Hooks look at the calls of all actions: before those of the entry on the way to the action, and after them on the
	// way back. Nil: there are none.
	Hooks *catalog.Hooks
	// Replay has no call be made but for a script with a Replay that is Live: it is a session to run a log again.
	Replay bool
	// CheckResults fails calls whose result does not fit the entry's output schema. Off, a difference is noted in
	// trace.Call.Misfit and the result is taken as it is; with TrustResults nothing is compared.
	CheckResults, TrustResults bool
	// ApplyEffects opts in to applying effects of the kinds that a pattern matches, after runs that ended well; nil
	// applies none. See effect.Allowed.
	ApplyEffects []pattern.Pattern
	// Isolated tells that the caller runs every script Fresh: what needs a state then names the caller's setting.
	Isolated bool
	// ContextKeys are the names that an effect context.set may set; nil: none.
	ContextKeys []string
	// Notify shows the person what an applied effect has for them; nil: nobody is there, and such effects are rejected. It
	// must not wait, and may be called from several goroutines, also while no run is under way.
	Notify func(Notice)
	// After is the clock of reminders and of the pauses between the attempts of a call: it calls f once after d unless it
	// is stopped before, and must not wait itself; nil stands for time.AfterFunc. It may be called concurrently.
	After func(d time.Duration, f func()) (stop func() bool)
	// Record keeps a record; nil keeps none. A mutation is not made when its intent cannot be recorded. It must be safe
	// for concurrent use.
	Record func(trace.Record) error
	// Observe is told of runs and calls with the context of who asked for them: as they begin (KindRun; KindBegin of a
	// mutation) and as they have ended (KindOutcome, KindCall). Nil tells nobody. What it refuses to know is not done: an
	// error counts like one of Record. It may be called from several goroutines.
	Observe func(ctx context.Context, r trace.Record) error
	// Acting is told of an action that is about to be called, and with false when it has ended; nil tells nobody. It may
	// be called from several goroutines and must not wait.
	Acting func(id string, begins bool)
	// Ran is told of every run, preview and query when it has ended, whoever wrote it; nil tells nobody. It must not
	// change the outcome.
	Ran func(script Script, out *Outcome)
	// Loose leaves the globals as a run left them that failed, was interrupted or denied. Otherwise they are put back to
	// what they were before it, where that state is kept.
	Loose bool
	// Saved is told of the globals after a run that was not put back, as soon as they are fetched; nil tells nobody.
	// Where they are small that is before the outcome is recorded, so that it should not wait for long. A state that holds
	// one of the Secrets is not told.
	Saved func(State)
	// Store keeps earlier states of the globals, for Undo and a later session; nil keeps them in memory. It must stay open
	// until the session is closed. A state that holds one of the Secrets does not get there.
	Store *kept.Store
	// Write takes printed text as it comes; nil leaves it to the Outcome.
	Write func(s vm.Stream, text string)
	// Context is what actions are told beside their arguments. Its Actor and Tenant yield to the view's.
	Context catalog.Context
	// Secrets are replaced by [redacted] in all that leaves the session: results, errors, what scripts return and print,
	// records, states, questions. Nil: there are none.
	Secrets *secret.Filter
	// Kernel says how the Lua process is started; the zero value runs this executable, whose main must call
	// kernel.Main first.
	Kernel kernel.Options
	// Pool has the session's Lua processes, as NewPool makes it; nil means a pool of the session's own. It is the caller's
	// to close, after the sessions.
	Pool *kernel.Pool
}

// A Session is a handle on a Lua world and a view of what may be called from it. Narrow makes further handles on
// the same world. Safe for concurrent use; runs take turns.
type Session struct {
	world *world
	// narrowed holds what this handle sees less than the world's view.
	narrowed []catalog.Rules
}

// A world is what all handles of a session share.
type world struct {
	options  Options
	redactor redactor
	pool     *kernel.Pool
	// turn has room for one run at a time; who holds it owns machine. asking has room for one question to the person.
	turn, asking chan struct{}
	machine      *kernel.Kernel
	asleep       *savedState // the globals while there is no machine, after Rest; nil otherwise
	saver        saver
	history      *history
	hookMachine  hookMachine

	mu        sync.Mutex // guards what follows
	view      *catalog.View
	narrowed  []catalog.Rules // what Restrict took from view
	turnView  *catalog.View   // what RestrictTurn leaves of view; nil where it took nothing
	turnRules []catalog.Rules
	lastFound []string
	loose     bool // runs that fail do not put the globals back
	policy    policy.Policy
	described map[string]bool
	found     map[string]bool // in the answers of queries
	read      map[string]bool // by scripts
	// recent are the ids that were described or called last, latest last, each once.
	recent   []string
	granted  int // the number of the last grant
	globals  []vm.Global
	news     news // for the model
	messages func() []catalog.Message
	used     Usage
	// userBudget is for the person's runs.
	userBudget Budget
	roles      []Role
	runs       int64
	closed     bool
	calling    sync.WaitGroup // the calls of Go programs that are under way
	saved      *savedState
	last       lastRun // in machine
	plans      plans
	unsaved    string // for the next outcome
	shapes     []shape
	directed   directed

	waited atomic.Int64 // nanoseconds in which a person was asked
}

// ErrClosed says that the session was closed.
var ErrClosed = errors.New("session: closed")

// New returns a session over v. It starts a kernel process in the background; Close ends it.
func New(v *catalog.View, o Options) (*Session, error) {
	if v == nil {
		return nil, errors.New("session: no view")
	}
	if o.ID == "" {
		o.ID = NewID(time.Now())
	}
	o.Budget = o.Budget.withDefaults()
	o.Limits = o.Limits.WithDefaults()
	o.UserBudget.Calls, o.UserBudget.Mutations = cmp.Or(o.UserBudget.Calls, 1000), cmp.Or(o.UserBudget.Mutations, 200)
	o.UserBudget = o.UserBudget.or(o.Budget)
	o.UserLimits = userLimits(o.UserLimits, o.Limits)
	if o.QueryTime == 0 {
		o.QueryTime = 1500 * time.Millisecond
	}
	pool := o.Pool
	if pool == nil {
		pool = NewPool(o)
	}
	w := &world{
		options:   o,
		redactor:  redactor{o.Secrets},
		pool:      pool,
		turn:      make(chan struct{}, 1),
		asking:    make(chan struct{}, 1),
		view:      v,
		loose:     o.Loose,
		described: map[string]bool{},
		found:     map[string]bool{},
		read:      map[string]bool{},

		userBudget: o.UserBudget,
	}
	w.history = newHistory(w)
	if approve := o.Approve; approve != nil {
		w.options.Approve = func(ctx context.Context, r Request) (Approval, error) {
			asked := time.Now()
			defer func() { w.waited.Add(int64(time.Since(asked))) }()
			return approve(ctx, r)
		}
	}
	w.setPolicy(o.Policy)
	made := &Session{world: w}
	for _, role := range o.Roles {
		if err := made.Take(role); err != nil {
			return nil, errors.Join(err, made.Close())
		}
	}
	return made, nil
}

// NewPool starts a pool of Lua processes for sessions with the limits and the kernel options of o.
func NewPool(o Options) *kernel.Pool {
	if o.Kernel.Prelude == nil {
		for _, c := range prelude.Chunks() {
			o.Kernel.Prelude = append(o.Kernel.Prelude, vm.Chunk{Name: c.Name, Source: c.Source})
		}
	}
	o.Kernel.Limits = o.Limits.WithDefaults()
	return kernel.NewPool(o.Kernel)
}

// Waited is how long a person has been asked for approval, in all runs.
func (s *Session) Waited() time.Duration { return time.Duration(s.world.waited.Load()) }

// NewID returns a session id that sorts by t, to the millisecond, and is unlikely to be given twice.
func NewID(t time.Time) string {
	var b [4]byte
	rand.Read(b[:])
	milli := t.Nanosecond() / int(time.Millisecond)
	return fmt.Sprintf("%s-%03x%07x", t.UTC().Format("20060102-150405"), milli, binary.BigEndian.Uint32(b[:])>>4)
}

// Close ends the session's processes. It waits for a run and for calls that are under way; cancel their contexts first.
func (s *Session) Close() error {
	w := s.world
	w.turn <- struct{}{}
	defer func() { <-w.turn }()
	w.mu.Lock()
	closed := w.closed
	w.closed = true
	w.mu.Unlock()
	if closed {
		return nil
	}
	w.calling.Wait()
	w.stopReminders()
	w.settleSoon()
	w.drop()
	w.hookMachine.close()
	if w.options.Pool == nil {
		w.pool.Close()
	}
	w.history.flush(context.Background())
	return nil
}

// ID names the session in its log and to the actions.
func (s *Session) ID() string { return s.world.options.ID }

// Commands tells that somebody can type commands.
func (s *Session) Commands() bool { return s.world.options.Commands }

// Limits returns the limits of a run of the author's; no field is zero.
func (s *Session) Limits(a Author) vm.Limits {
	s.world.mu.Lock()
	defer s.world.mu.Unlock()
	if a == User {
		return s.world.options.UserLimits
	}
	return s.world.options.Limits
}

func userLimits(l, rest vm.Limits) vm.Limits {
	if l.Time == 0 {
		l.Time = 10 * time.Second
	}
	if l.Steps == 0 {
		l.Steps = 2_000_000_000
	}
	l.String = cmp.Or(l.String, rest.String)
	l.Output = cmp.Or(l.Output, rest.Output)
	l.Depth = cmp.Or(l.Depth, rest.Depth)
	l.Coroutines = cmp.Or(l.Coroutines, rest.Coroutines)
	l.Value = cmp.Or(l.Value, rest.Value)
	return l
}

// SetMessages says where the actions of later runs have the conversation from, each run as it is at its first call.
// said is called from any goroutine; the slice must not be changed afterwards.
func (s *Session) SetMessages(said func() []catalog.Message) {
	s.world.mu.Lock()
	defer s.world.mu.Unlock()
	s.world.messages = said
}

// Used tells what the last or current run did.
func (s *Session) Used() Usage {
	s.world.mu.Lock()
	defer s.world.mu.Unlock()
	return s.world.used
}

// Described returns the ids the model may call, in order.
func (s *Session) Described() []string {
	s.world.mu.Lock()
	defer s.world.mu.Unlock()
	return slices.Sorted(maps.Keys(s.world.described))
}

// Discovered returns the ids that the answers of queries have shown, in order.
func (s *Session) Discovered() []string {
	s.world.mu.Lock()
	defer s.world.mu.Unlock()
	return slices.Sorted(maps.Keys(s.world.found))
}

// Globals returns the variables that the session has set, as of its last run.
func (s *Session) Globals() []vm.Global {
	s.world.mu.Lock()
	defer s.world.mu.Unlock()
	return leaves(s.world, slices.Clone(s.world.globals))
}

// Keys lists the names in the global table at path for completion, without running any Lua. It answers nothing
// while a script runs or before the first run.
func (s *Session) Keys(ctx context.Context, path []string) ([]vm.Key, error) {
	w := s.world
	select {
	case w.turn <- struct{}{}:
	default:
		return nil, nil
	}
	defer func() { <-w.turn }()
	if w.machine == nil {
		return nil, nil
	}
	keys, err := w.machine.Keys(ctx, path)
	return leaves(w, keys), err
}

// ErrBusy says that a script runs and its values cannot be looked at meanwhile.
var ErrBusy = errors.New("session: a script is running; inspect its values when it has ended")

// Look shows the value of a variable, or of what path leads to in it, and up to limit of its entries from number from
// on, without running any Lua; see vm.Machine.Look. It does not wait: while a script runs the error is ErrBusy. Before
// the first run there is nothing to see.
func (s *Session) Look(ctx context.Context, path []vm.Step, from, limit, wide int) (vm.Page, error) {
	w := s.world
	select {
	case w.turn <- struct{}{}:
	default:
		return vm.Page{}, ErrBusy
	}
	defer func() { <-w.turn }()
	if w.machine == nil {
		return vm.Page{Node: vm.Node{Type: "nil", Brief: "nil"}}, nil
	}
	page, err := w.machine.Look(ctx, path, from, limit, wide)
	return leaves(w, page), err
}

// Rows reads up to limit items of a list from number from on as data, without running any Lua; see vm.Machine.Rows.
// Like Look it does not wait.
func (s *Session) Rows(ctx context.Context, path []vm.Step, from, limit int) (vm.Rows, error) {
	w := s.world
	select {
	case w.turn <- struct{}{}:
	default:
		return vm.Rows{}, ErrBusy
	}
	defer func() { <-w.turn }()
	if w.machine == nil {
		return vm.Rows{Node: vm.Node{Type: "nil", Brief: "nil"}}, nil
	}
	rows, err := w.machine.Rows(ctx, path, from, limit)
	shaped := []vm.Value{{Data: rows.Items}}
	if !rows.List && len(rows.Items) == 1 {
		shaped[0].Data = rows.Items[0]
	}
	w.arrange(shaped)
	rows.Fields = shaped[0].Fields
	return leaves(w, rows), err
}

// Reset ends the shared machine: every global and function goes and the prelude comes back. It returns how many
// globals went. It waits for a run that is under way.
func (s *Session) Reset(ctx context.Context) (int, error) {
	w := s.world
	if err := w.acquire(ctx); err != nil {
		return 0, err
	}
	defer w.release()
	if _, err := w.fetch(ctx); err != nil {
		return 0, err
	}
	w.drop()
	gone := w.empty()
	w.history.went("the reset", pastOf(&savedState{}), w.history.nowInForce())
	w.tell(User, func(n *news) { *n = news{reset: true} })
	return gone, w.record(trace.Record{Kind: trace.KindReset, Text: fmt.Sprintf("%d globals", gone)})
}

// empty forgets the globals of a machine that was dropped, and says how many there were.
func (w *world) empty() int {
	w.saver = saver{}
	w.mu.Lock()
	defer w.mu.Unlock()
	gone := len(w.globals)
	w.globals, w.saved, w.unsaved, w.last, w.asleep = nil, nil, "", lastRun{}, nil
	return gone
}

// acquire waits for the turn; release gives it back.
func (w *world) acquire(ctx context.Context) error {
	select {
	case w.turn <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	w.mu.Lock()
	closed := w.closed
	w.mu.Unlock()
	if closed {
		<-w.turn
		return ErrClosed
	}
	return nil
}

func (w *world) release() { <-w.turn }

func (w *world) observe(ctx context.Context, r trace.Record) error {
	if err := w.record(r); err != nil || w.options.Observe == nil {
		return err
	}
	return w.options.Observe(ctx, recorded(w, r))
}

func (w *world) record(r trace.Record) error {
	if w.options.Record == nil {
		return nil
	}
	if r.Time.IsZero() {
		r.Time = time.Now()
	}
	if err := w.options.Record(recorded(w, r)); err != nil {
		return fmt.Errorf("session: cannot write the log: %w", err)
	}
	return nil
}
