package source

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"almanac/catalog"
	"almanac/catalog/secret"
	"almanac/catalog/task"
)

// Options say how sources are loaded. The zero value remembers nothing and accepts everything.
type Options struct {
	// Ledger is the folder where it is kept what was accepted of each source; empty keeps nothing and accepts all.
	Ledger string
	// TrustUpdates accepts whatever a source comes to hold.
	TrustUpdates bool
	// Timeout bounds one reading of one source; zero means 2 minutes.
	Timeout time.Duration
	// Changed is told when the view or a status has changed, at most some ten times a second, from goroutines of
	// the Loader's. It must return soon. Nil tells nobody.
	Changed func()
	// Cache is the folder where the next start finds what was read of each source that has a Key, and the catalog as it
	// was built, where every source has one or is the program's Own, or with Whole; empty keeps nothing. What is stale or
	// damaged there is passed over; a folder that cannot be written costs nothing but the time.
	Cache string
	// Program stands for the program that reads the sources: what another one has kept is not used.
	Program string
	// Logf is told in a line when the cache is of no use; nil tells nobody. It must be safe for concurrent use.
	Logf func(format string, args ...any)
	// Catalog says how the catalog is built.
	Catalog catalog.Options
	// Whole shows nothing before all sources have been read, for those who wait for all of them: the catalog is built
	// once, or comes from the cache, also where sources without a Key say what they said before.
	Whole bool
	// Partly shows what has been read of a large source before all of it has been; it costs a seventh more at most.
	Partly bool
}

// A Loader reads sources side by side, in the background, and makes one catalog of them: entries in the order of their
// ids, and where two sources have the same id, that of the source that reserves it or was named first. Safe for
// concurrent use.
type Loader struct {
	options Options
	stop    context.CancelFunc
	ended   <-chan struct{} // closed when the program is to end: that of the context given to Start
	closing <-chan struct{} // closed when that is, or Close has been called
	done    sync.WaitGroup  // the goroutines of the Loader's, but the one that builds
	idle    chan struct{}   // closed when that one has ended
	dirty   chan struct{}   // has room for one: something changed that has to be built or told

	version  func() string // catalog.Version
	building sync.Mutex    // held while the catalog is built; taken before mu

	mu       sync.Mutex // guards what follows
	sources  []*loading
	view     *catalog.View
	indexing bool          // a catalog is being built
	indexed  int           // how much of it has been indexed, in percent
	built    chan struct{} // closed when every source has been read once and the catalog has been built of them
	settled  chan struct{} // closed when it has been kept, too
}

// A loading is a source and what the Loader knows of it.
type loading struct {
	Source
	again    chan struct{} // has room for one: read it again
	answered bool          // it has been read, or failed, at least once
	fresh    bool          // its entries are not in the view yet
	content  *content      // what the last reading gave, or a part of it; nil before
	overlay  catalog.Overlay
	read     bool // it has been read well at least once
	status   Status
	// unaccepted is what of a part of its entries has to be accepted, once all have been read.
	unaccepted Change
	shown      int // how much of it the view has while it is read, in percent
	// damaged tells that the cache had it and could not be read.
	damaged bool
}

// Start begins to read the sources and returns at once. The caller closes the Loader; ctx ends it too. Two sources of
// the same name, and a name that is empty, are errors.
func Start(ctx context.Context, sources []Source, o Options) (*Loader, error) {
	if o.Timeout == 0 {
		o.Timeout = 2 * time.Minute
	}
	empty, _ := catalog.New(nil, o.Catalog)
	l := &Loader{
		options: o, ended: ctx.Done(), idle: make(chan struct{}),
		version: sync.OnceValue(catalog.Version), dirty: make(chan struct{}, 1),
		view: empty.View().WithLoading(stillLoading), built: make(chan struct{}),
		settled: make(chan struct{}),
	}
	for _, s := range sources {
		if s.Name == "" {
			return nil, errors.New("source: no name")
		}
		if slices.ContainsFunc(l.sources, func(have *loading) bool { return have.Name == s.Name }) {
			return nil, fmt.Errorf("source %s: duplicate name: rename one with NAME=SOURCE", s.Name)
		}
		l.sources = append(l.sources, &loading{
			Source: s, again: make(chan struct{}, 1), status: Status{Name: s.Name, State: Loading},
		})
	}
	ctx, l.stop = context.WithCancel(ctx)
	l.closing = ctx.Done()
	l.done.Go(func() { l.begin(ctx) })
	for _, s := range l.sources {
		if s.Watch != nil {
			l.done.Go(func() { s.Watch(ctx, func() { signal(s.again) }) })
		}
	}
	return l, nil
}

// begin recalls the catalog of an earlier start, or reads all sources. Nothing is built before: what was read for the
// recall alone would take the place of what was recalled.
func (l *Loader) begin(ctx context.Context) {
	known := l.recall(ctx)
	go func() {
		defer close(l.idle)
		l.build(ctx)
	}()
	for _, s := range l.sources {
		read := s.Key == nil && s.answered // for the recall
		l.done.Go(func() { l.keep(ctx, s, known || read) })
	}
	signal(l.dirty)
}

// signal leaves a mark in a channel that has room for one.
func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// keep reads a source, unless it is known, and again whenever it is asked to, until ctx is done.
func (l *Loader) keep(ctx context.Context, s *loading, known bool) {
	for {
		if !known {
			l.read(ctx, s)
		}
		known = false
		select {
		case <-s.again:
		case <-ctx.Done():
			return
		}
	}
}

// read reads a source once and keeps what came of it. A reading that fails leaves the entries of the one before.
func (l *Loader) read(ctx context.Context, s *loading) {
	started := time.Now()
	bounded, cancel := context.WithTimeoutCause(ctx, l.options.Timeout,
		fmt.Errorf("not read within %v", l.options.Timeout))
	defer cancel()
	c, overlay, err := l.take(bounded, s)
	if ctx.Err() != nil {
		return
	}
	if err != nil && bounded.Err() != nil {
		err = context.Cause(bounded)
	}
	var change Change
	if err == nil {
		change, err = task.Until(ctx, "the comparison", func() (Change, error) { return l.compare(ctx, s.Source, c) })
		if ctx.Err() != nil {
			return
		}
	}
	if err != nil {
		if text := secret.New(l.Secrets(), secret.Least).Text(err.Error()); text != err.Error() {
			err = errors.New(text)
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	defer signal(l.dirty)
	first := !s.answered
	s.answered = true
	s.status.Took, s.status.Err, s.status.Percent = time.Since(started), err, 0
	if err != nil {
		s.status.State = Failed
		if first && s.content != nil { // a part is not the source
			s.content, s.unaccepted, s.fresh, s.status.Loaded = nil, Change{}, true, 0
		}
		return
	}
	s.unaccepted = Change{}
	s.content, s.overlay, s.read, s.fresh = c, overlay, true, true
	s.status = Status{
		Name: s.Name, State: Ready, Found: c.said.Found, Skipped: c.said.Skipped, Renamed: c.said.Renamed,
		Mended: c.said.Mended, Notes: c.said.Notes, Change: change, Took: s.status.Took,
		Empty: c.said.Found == 0 && overlay == nil, Damaged: s.damaged,
	}
}

// take reads a source, from the cache where that has it.
func (l *Loader) take(ctx context.Context, s *loading) (*content, catalog.Overlay, error) {
	if c := l.stored(ctx, s); c != nil {
		return c, nil, nil
	}
	batch, err := load(ctx, s.Source, func(r Reading) {
		l.mu.Lock()
		s.status.Found, s.status.Percent = r.Found, r.Percent
		l.mu.Unlock()
		l.show(s, r)
		signal(l.dirty)
	})
	for i := range batch.Entries {
		batch.Entries[i].Source = s.Name
	}
	return &content{name: s.Name, key: batch.Key, entries: batch.Entries, part: batch.Segment, made: batch.Segment != nil,
		attach: batch.Attach, said: saidOf(batch)}, batch.Overlay, err
}

// load calls Load; a panic in it is an error, since what a source reads was written by others.
func load(ctx context.Context, s Source, progress func(Reading)) (batch catalog.Batch, err error) {
	err = task.Guard("its reader", func() (err error) {
		batch, err = s.Load(ctx, progress)
		return err
	})
	return batch, err
}

// compare says what is other than what was accepted. The first reading ever of a source is accepted as it is.
func (l *Loader) compare(ctx context.Context, s Source, c *content) (Change, error) {
	if s.Own || l.options.Ledger == "" {
		return Change{}, nil
	}
	if sum := ledgerSum(l.options.Ledger, s.Name); c.part != nil && sum == c.said.Ledger {
		return Change{}, nil // nothing was to be accepted then
	}
	var entries []catalog.Entry
	if c.part == nil || c.part.Callable() {
		entries = c.all() // of the others there is nothing to accept
	}
	change, err := l.difference(ctx, s, entries)
	if err == nil && change.empty() {
		c.said.Ledger = ledgerSum(l.options.Ledger, s.Name)
	}
	return change, err
}

func (l *Loader) difference(ctx context.Context, s Source, entries []catalog.Entry) (Change, error) {
	accepted, err := readLedger(l.options.Ledger, s.Name)
	if err != nil {
		return Change{}, err
	}
	if accepted == nil {
		now := accept(s.Name, entries, nil)
		if len(now.Actions) == 0 || ctx.Err() != nil {
			return Change{}, nil
		}
		return Change{}, now.write(l.options.Ledger)
	}
	change := accepted.change(entries)
	if l.options.TrustUpdates && !change.empty() && ctx.Err() == nil {
		return Change{}, accept(s.Name, entries, accepted).write(l.options.Ledger)
	}
	return change, nil
}

// unaccepted says what of entries differs from what was accepted. Nothing is remembered.
func (l *Loader) unaccepted(s Source, entries []catalog.Entry) (Change, error) {
	if s.Own || l.options.Ledger == "" || l.options.TrustUpdates {
		return Change{}, nil
	}
	accepted, err := readLedger(l.options.Ledger, s.Name)
	if err != nil || accepted == nil {
		return Change{}, err
	}
	return accepted.change(entries), nil
}

// pause is how long the builder lets changes gather.
const pause = 50 * time.Millisecond

// build makes the catalog anew when a source has been read, and tells of changes.
func (l *Loader) build(ctx context.Context) {
	for {
		select {
		case <-l.dirty:
		case <-ctx.Done():
			return
		}
		l.assemble()
		if l.options.Changed != nil {
			l.options.Changed()
		}
		if task.Sleep(ctx, pause) != nil {
			return
		}
	}
}

// View is what the sources hold as far as it has been read and accepted.
func (l *Loader) View() *catalog.View {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.view
}

// Wait returns when every source has been read once, or has failed, and View has all of it; or when ctx is done.
func (l *Loader) Wait(ctx context.Context) error {
	select {
	case <-l.built:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// Settled is closed when all that Wait waits for is done and the cache has what it keeps of it.
func (l *Loader) Settled() <-chan struct{} { return l.settled }

// Loading reports whether a source has not been read yet.
func (l *Loader) Loading() bool {
	select {
	case <-l.built:
		return false
	default:
		return true
	}
}

// over reports whether the program is to end.
func (l *Loader) over() bool {
	select {
	case <-l.ended:
		return true
	default:
		return false
	}
}

// Secrets are the values that no source wants shown.
func (l *Loader) Secrets() []string {
	var secrets []string
	for _, s := range l.sources {
		if s.Secrets != nil {
			secrets = append(secrets, s.Secrets()...)
		}
	}
	return secrets
}

// Refresh reads the source again, in the background. Which source is meant says Find.
func (l *Loader) Refresh(name string) error {
	s, err := l.named(name)
	if err != nil {
		return err
	}
	signal(s.again)
	return nil
}

// Accept shows what is new or changed in the source as it was read last, and remembers it. When it returns the view has
// it. Which source is meant says Find.
func (l *Loader) Accept(name string) (Change, error) {
	s, err := l.named(name)
	if err != nil {
		return Change{}, err
	}
	change, err := l.accept(s)
	if err != nil || change.empty() {
		return Change{}, err
	}
	l.assemble()
	signal(l.dirty)
	return change, nil
}

func (l *Loader) accept(s *loading) (Change, error) {
	l.building.Lock()
	defer l.building.Unlock()
	l.mu.Lock()
	defer l.mu.Unlock()
	change := s.status.Change
	if change.empty() {
		return Change{}, nil
	}
	before, err := readLedger(l.options.Ledger, s.Name)
	if err != nil {
		return Change{}, err
	}
	if err := accept(s.Name, s.content.all(), before).write(l.options.Ledger); err != nil {
		return Change{}, err
	}
	s.content.said.Ledger = ledgerSum(l.options.Ledger, s.Name)
	s.status.Change, s.fresh = Change{}, true
	return change, nil
}

// patience is how long Close waits for an index that nobody will use.
const patience = 100 * time.Millisecond

// Close ends all reading and closes the sources. Actions of theirs cannot be called afterwards. What has been built is
// kept before Close returns, unless the context given to Start is done; what is still being indexed then is not waited
// for, and comes to nothing.
func (l *Loader) Close() error {
	l.stop()
	l.done.Wait()
	l.leave()
	var errs []error
	for _, s := range slices.Backward(l.sources) {
		if s.Close != nil {
			errs = append(errs, s.Close())
		}
	}
	return errors.Join(errs...)
}

// leave waits for the goroutine that builds, or loses patience.
func (l *Loader) leave() {
	var late <-chan time.Time
	if l.Loading() {
		late = time.After(patience)
	}
	ended := l.ended
	for {
		select {
		case <-l.idle:
			return
		case <-late:
			return
		case <-ended:
			ended, late = nil, time.After(patience)
		}
	}
}
