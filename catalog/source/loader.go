package source

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
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
	// Cache is the folder where a catalog is kept once it has been built, so that the next start need not read and build
	// it; empty keeps none. It is used where every source either has a Key or is the program's Own. What is stale or
	// damaged there is passed over; a folder that cannot be written costs nothing but the time.
	Cache string
	// Logf is told in a line when the cache is of no use; nil tells nobody. It must be safe for concurrent use.
	Logf func(format string, args ...any)
	// Catalog says how the catalog is built.
	Catalog catalog.Options
	// Partly shows what has been read of a large source before all of it has been; it costs a seventh more at most.
	Partly bool
}

// A Loader reads sources side by side, in the background, and makes one catalog of them: entries in the order of their
// ids, and where two sources have the same id, that of the source that reserves it or was named first. Safe for
// concurrent use.
type Loader struct {
	options Options
	stop    context.CancelFunc
	done    sync.WaitGroup // the goroutines of the Loader's
	dirty   chan struct{}  // has room for one: something changed that has to be built or told

	building sync.Mutex // held while the catalog is built; taken before mu

	mu       sync.Mutex // guards what follows
	sources  []*loading
	view     *catalog.View
	indexing bool          // a catalog is being built
	indexed  int           // how much of it has been indexed, in percent
	built    chan struct{} // closed when every source has been read once and the catalog has been built of them
}

// A loading is a source and what the Loader knows of it.
type loading struct {
	Source
	again    chan struct{} // has room for one: read it again
	answered bool          // it has been read, or failed, at least once
	fresh    bool          // its entries are not in the view yet
	entries  []catalog.Entry
	overlay  catalog.Overlay
	read     bool // it has been read well at least once
	status   Status
	// unaccepted is what of a part of its entries has to be accepted, once all have been read.
	unaccepted Change
	shown      int // how much of it the view has while it is read, in percent
	// recalled is the cached catalog that has its entries, until they are read or somebody needs them; nil otherwise.
	recalled *catalog.Catalog
	// key is that of the batch it gave; empty when it may not be kept.
	key string
}

// Start begins to read the sources and returns at once. The caller closes the Loader; ctx ends it too. Two sources of
// the same name, and a name that is empty, are errors.
func Start(ctx context.Context, sources []Source, o Options) (*Loader, error) {
	if o.Timeout == 0 {
		o.Timeout = 2 * time.Minute
	}
	empty, _ := catalog.New(nil, o.Catalog)
	l := &Loader{
		options: o, dirty: make(chan struct{}, 1), view: empty.View().WithLoading(stillLoading), built: make(chan struct{}),
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
	l.done.Go(func() { l.build(ctx) })
	for _, s := range l.sources {
		l.done.Go(func() { l.keep(ctx, s, known) })
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
	key := s.contentKey()
	bounded, cancel := context.WithTimeoutCause(ctx, l.options.Timeout,
		fmt.Errorf("not read within %v", l.options.Timeout))
	defer cancel()
	batch, err := load(bounded, s.Source, func(r Reading) {
		l.mu.Lock()
		s.status.Found, s.status.Percent = r.Found, r.Percent
		l.mu.Unlock()
		l.show(s, r)
		signal(l.dirty)
	})
	if ctx.Err() != nil {
		return
	}
	if err != nil && bounded.Err() != nil {
		err = context.Cause(bounded)
	}
	for i := range batch.Entries {
		batch.Entries[i].Source = s.Name
	}
	var change Change
	if err == nil {
		change, err = l.compare(s.Source, batch.Entries)
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
		if first && s.entries != nil { // a part is not the source
			s.entries, s.unaccepted, s.fresh, s.status.Loaded = nil, Change{}, true, 0
		}
		return
	}
	s.unaccepted = Change{}
	s.entries, s.overlay, s.read, s.fresh, s.recalled = batch.Entries, batch.Overlay, true, true, nil
	s.key = ""
	if key == s.contentKey() {
		s.key = key
	}
	s.status = Status{
		Name: s.Name, State: Ready, Found: batch.Found, Skipped: batch.Skipped, Renamed: batch.Renamed,
		Mended: batch.Mended, Notes: batch.Notes, Change: change, Took: s.status.Took,
		Empty: batch.Found == 0 && batch.Overlay == nil,
	}
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
func (l *Loader) compare(s Source, entries []catalog.Entry) (Change, error) {
	if s.Own || l.options.Ledger == "" {
		return Change{}, nil
	}
	accepted, err := readLedger(l.options.Ledger, s.Name)
	if err != nil {
		return Change{}, err
	}
	if accepted == nil {
		now := accept(s.Name, entries, nil)
		if len(now.Actions) == 0 {
			return Change{}, nil
		}
		return Change{}, now.write(l.options.Ledger)
	}
	change := accepted.change(entries)
	if l.options.TrustUpdates && !change.empty() {
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

// assemble makes the catalog of all entries there are, if they are others than before.
func (l *Loader) assemble() {
	l.building.Lock()
	defer l.building.Unlock()
	l.mu.Lock()
	var entries []catalog.Entry
	fresh, all := false, true
	size := 0
	for _, s := range l.sources {
		fresh = fresh || s.fresh
		size += len(s.entries)
	}
	from := make(map[string]string, size)
	for _, s := range l.sources {
		all = all && s.answered
		if !fresh {
			continue
		}
		s.fresh = false
		s.reclaim()
		entries = append(entries, l.merge(s, from)...)
	}
	hidden := l.waiting()
	over := l.overlays()
	loading := l.loadingText(len(entries))
	if all && !fresh && l.view.Loading() != "" {
		l.view = l.view.WithLoading("") // the rest has failed
	}
	l.mu.Unlock()
	var made *catalog.Catalog
	if fresh {
		remarks := over.apply(entries, hidden)
		var view *catalog.View
		made, view = l.viewOf(entries, hidden)
		wrong := made.Uncompensated()
		if !all {
			view = view.WithLoading(loading)
		}
		l.mu.Lock()
		l.view, l.indexing = view, false
		for i, s := range l.sources {
			s.status.Overlay, s.status.Uncompensated = remarks[i], wrong[s.Name]
		}
		l.mu.Unlock()
	}
	if all {
		select {
		case <-l.built:
		default:
			close(l.built)
		}
		if made != nil {
			l.remember(made)
		}
	}
}

// merge returns the entries of s whose ids no source before it has and none reserves, and reports the others. from maps
// the ids so far to their sources.
func (l *Loader) merge(s *loading, from map[string]string) []catalog.Entry {
	reserved := map[string]string{}
	for _, owner := range l.sources {
		for _, namespace := range owner.Reserves {
			reserved[namespace] = owner.Name
		}
	}
	s.status.Skipped = slices.DeleteFunc(s.status.Skipped, func(k catalog.Skip) bool { return k.Source == collision })
	entries := make([]catalog.Entry, 0, len(s.entries))
	for _, e := range s.entries {
		err := catalog.CheckID(e.ID)
		if first, taken := from[e.ID]; err == nil && taken {
			err = fmt.Errorf("%s has an action with this id: rename the source with NAME=%s", first, s.Name)
		}
		namespace, _, _ := strings.Cut(e.ID, ".")
		if owner, ok := reserved[namespace]; ok && owner != s.Name {
			err = fmt.Errorf("ids of %s.* are those of %s alone: rename the source with NAME=%s", namespace, owner, s.Name)
		}
		if err != nil {
			s.status.Skipped = append(s.status.Skipped, catalog.Skip{ID: e.ID, Source: collision, Reason: err.Error()})
			continue
		}
		from[e.ID] = s.Name
		entries = append(entries, e)
	}
	s.status.Loaded = len(entries)
	return entries
}

// collision is the place of skips that are made where sources meet.
const collision = "catalog"

// waiting maps the ids that have to be accepted to the reason that a person is told.
func (l *Loader) waiting() map[string]string {
	hidden := map[string]string{}
	for _, s := range l.sources {
		for _, id := range s.status.Change.Added {
			hidden[id] = fmt.Sprintf("it is new in %s: /sources accept %s", s.Name, s.Name)
		}
		for _, id := range s.status.Change.Changed {
			hidden[id] = fmt.Sprintf("its effect or schema changed in %s: /sources accept %s", s.Name, s.Name)
		}
		for _, id := range slices.Concat(s.unaccepted.Added, s.unaccepted.Changed) {
			hidden[id] = fmt.Sprintf("it is new or changed in %s, which is still loading", s.Name)
		}
	}
	return hidden
}

// viewOf is the catalog of the entries, and the view of what of it is not hidden.
func (l *Loader) viewOf(entries []catalog.Entry, hidden map[string]string) (*catalog.Catalog, *catalog.View) {
	o := l.options.Catalog
	o.Progress = l.indexes()
	all, _ := catalog.New(entries, o)
	view := all.View()
	if len(hidden) == 0 {
		return all, view
	}
	narrower, err := view.Narrow(catalog.Rules{Name: "sources", Guard: func(e *catalog.Entry) (bool, string) {
		why, waits := hidden[e.ID]
		return !waits, why
	}})
	if err != nil {
		// Rules that only have a guard name nothing that could be missing.
		nothing, _ := catalog.New(nil, l.options.Catalog)
		return nothing, nothing.View()
	}
	return all, narrower
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

// Loading reports whether a source has not been read yet.
func (l *Loader) Loading() bool {
	select {
	case <-l.built:
		return false
	default:
		return true
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
	if err := accept(s.Name, s.entries, before).write(l.options.Ledger); err != nil {
		return Change{}, err
	}
	s.status.Change, s.fresh = Change{}, true
	return change, nil
}

// Close ends all reading and closes the sources. Actions of theirs cannot be called afterwards.
func (l *Loader) Close() error {
	l.stop()
	l.done.Wait()
	var errs []error
	for _, s := range slices.Backward(l.sources) {
		if s.Close != nil {
			errs = append(errs, s.Close())
		}
	}
	return errors.Join(errs...)
}
