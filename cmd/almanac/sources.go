// This file opens the sources named by --catalog and makes the program's view from them.

package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"runtime/debug"
	"runtime/metrics"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/adrg/xdg"

	"almanac/catalog"
	"almanac/catalog/arazzo"
	"almanac/catalog/database"
	"almanac/catalog/demo"
	"almanac/catalog/graphql"
	"almanac/catalog/grpc"
	"almanac/catalog/manifest"
	"almanac/catalog/mcp"
	"almanac/catalog/openapi"
	"almanac/catalog/remote"
	"almanac/catalog/source"
	"almanac/catalog/text"
	"almanac/catalog/workspace"
	"almanac/session/trace"
)

// sourceNames lists where the catalog comes from.
func (cli *commandLine) sourceNames() []string {
	if len(cli.Catalog) == 0 {
		return []string{"demo"}
	}
	return cli.Catalog
}

// kinds are the kinds of sources.
func kinds() source.Kinds { return kindsOn(nil, "") }

// kindsOn are kinds for a program that opens sources, some on the bus that connect gives. A new kind is a row here.
func kindsOn(connect remote.Connect, server string) source.Kinds {
	return append(source.Kinds{
		demo.Kind(), manifest.ListKind(), manifest.Kind(), openapi.Kind(), arazzo.Kind(),
		workspace.Kind(), mcp.Kind(), mcp.HTTPKind(),
		manifest.FolderKind(), graphql.Kind(), grpc.Kind(), remote.Kind(connect, server),
	}, database.Kinds()...)
}

// shownSources is sourceNames without embedded secrets, for logs and the screen.
func (cli *commandLine) shownSources() []string {
	var all []string
	for _, text := range cli.sourceNames() {
		all = append(all, kinds().Shown(text))
	}
	return all
}

// sources are those named on the command line. None is loaded yet.
func (cli *commandLine) sources() ([]source.Source, error) {
	var all []source.Source
	taken := map[string]string{}
	cli.leftOut, cli.usable = nil, nil
	if reads := cli.config.reads(); len(reads) > 0 {
		all = append(all, reads.Source(ownReads))
	}
	host := source.Host{Data: cli.dataDir(), Version: version, Base: cli.base, Access: cli.access, Getenv: os.Getenv,
		Trusts: cli.config.trustsHints, Overlays: cli.overlays, Roots: cli.config.roots,
		Protocol: cli.protocol}
	texts, apart := kinds().Apart(kinds().WithNeeded(cli.sourceNames(), host))
	for _, text := range texts {
		name, spec := source.Split(text)
		if first, twice := taken[name]; twice && name != "" && first != spec {
			return nil, fmt.Errorf("catalog %s=%s: name is taken by %s: choose another, since sources of one name would share ids and credentials", name,
				kinds().Shown(spec), kinds().Shown(first))
		}
		taken[name] = spec
		opened, left, err := kindsOn(cli.bus.open, cli.NATS).Open(text, host)
		if err != nil {
			if left != nil {
				cli.tell("skipped", left.Skipped)
			}
			return nil, err
		}
		if left != nil {
			cli.leftOut = append(cli.leftOut, *left)
		}
		all = append(all, opened...)
	}
	all = append(all, manifest.Folder(ownActions, ownActions, cli.actionsDir(), host))
	var loud []string
	loud, cli.idleTables = cli.sourceless(taken)
	cli.unused, cli.apart = append(cli.unusable(taken), loud...), apart
	return all, nil
}

// ownReads is the source that makes reads of other sources' actions, as the configuration says.
const ownReads = "configuration"

// ownActions is the source of the actions that the person has saved.
const ownActions = "mine"

// actionsDir is the folder of these actions.
func (cli *commandLine) actionsDir() string { return filepath.Join(cli.dataDir(), "actions") }

// base is the server URL that --base gives for the source; empty for none.
func (cli *commandLine) base(name string) (address string) {
	for _, base := range cli.Base {
		if of, at, ok := strings.Cut(base, "="); ok && of == name {
			address = at
		}
	}
	if t := cli.config.source(name); t != nil && address == "" {
		return t.base
	}
	return address
}

// workspaceDir is the value of the context's workspace: the first source that is a folder, or else the current folder.
func (cli *commandLine) workspaceDir() string {
	for _, text := range cli.sourceNames() {
		if ref, k := kinds().Find(text); k != nil && k.Folder {
			if whole, err := filepath.Abs(ref.Rest); err == nil {
				return whole
			}
			return ref.Rest
		}
	}
	dir, _ := os.Getwd()
	return dir
}

// A catalogUpdater makes the program's view from the sources as they load and change.
type catalogUpdater struct {
	loader  *source.Loader
	changed chan struct{} // holds one signal: the view or a status may have changed
	// rules are those of the view file and of the roles.
	rules []catalog.Rules
	// seen is the Loader's view from which ours was last made.
	seen  *catalog.View
	notes notes
	// keepIDs caches the ids of a view for shell completion.
	keepIDs func(*catalog.View)
	// told is the last reported state of each source, so that news is reported once.
	told map[string]statusKey
}

// notes buffers lines for the log, which is opened after the sources.
type notes struct {
	mu    sync.Mutex
	lines []string
	write func(line string) // nil until the log is open
}

func (n *notes) logf(format string, args ...any) {
	n.mu.Lock()
	defer n.mu.Unlock()
	line := fmt.Sprintf(format, args...)
	if n.write != nil {
		n.write(line)
		return
	}
	n.lines = append(n.lines, line)
}

// follow writes the buffered lines and all later ones.
func (n *notes) follow(write func(line string)) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, line := range n.lines {
		write(line)
	}
	n.lines, n.write = nil, write
}

// A statusKey is the part of a source's status whose change is news.
type statusKey struct {
	state           source.State
	loaded, waiting int
	down            bool
}

func statusKeyOf(s source.Status) statusKey {
	return statusKey{
		state: s.State, loaded: s.Loaded, waiting: s.Change.Waiting(), down: s.State == source.Ready && s.Unavailable(),
	}
}

// officeGone tells that the demo has no file where there were sessions over it before.
func (cli *commandLine) officeGone() bool {
	isDemo := func(text string) bool {
		_, spec := source.Split(text)
		return spec == "demo"
	}
	_, none := os.Stat(demo.File(cli.dataDir()))
	if !errors.Is(none, fs.ErrNotExist) || !slices.ContainsFunc(cli.sourceNames(), isDemo) {
		return false
	}
	earlier, _ := cli.archive().List(trace.Filter{})
	return slices.ContainsFunc(earlier, func(s trace.Summary) bool { return slices.ContainsFunc(s.Sources, isDemo) })
}

// feed starts loading the sources, and more of them; o says what is shown of them before all have been read. The caller
// closes the result's loader.
func (cli *commandLine) feed(ctx context.Context, o source.Options, more ...source.Source) (*catalogUpdater, error) {
	sources, err := cli.sources()
	if err != nil {
		return nil, misconfigured(err)
	}
	for _, s := range cli.leftOut {
		fmt.Fprintf(cli.stderr, "%s: %s: see almanac doctor\n", s.Name, s.Remarks())
	}
	for _, line := range slices.Concat(cli.apart, cli.unused) {
		fmt.Fprintln(cli.stderr, line)
	}
	if cli.officeGone() {
		fmt.Fprintf(cli.stderr, "back office %s: it was gone; a new one is made, without what earlier sessions changed\n",
			demo.File(cli.dataDir()))
	}
	f := &catalogUpdater{changed: make(chan struct{}, 1), told: map[string]statusKey{}, keepIDs: cli.keepIDs}
	if cli.View != "" {
		rules, err := readRules(cli.View)
		if err != nil {
			return nil, misconfigured(err)
		}
		f.rules = append(f.rules, rules)
	}
	narrower, err := cli.roleViews()
	if err != nil {
		return nil, misconfigured(err)
	}
	f.rules = append(f.rules, narrower...)
	o.Ledger, o.TrustUpdates = filepath.Join(cli.dataDir(), "accepted"), cli.TrustUpdates
	o.Cache, o.Program = filepath.Join(xdg.CacheHome, "almanac", "catalogs"), programStamp()
	o.Logf, o.Changed = f.notes.logf, func() {
		select {
		case f.changed <- struct{}{}:
		default:
		}
	}
	f.loader, err = source.Start(ctx, append(sources, more...), o)
	if err != nil {
		return nil, misconfigured(err)
	}
	cli.credentials.follow(f.loader)
	collectLess(ctx, f.loader)
	return f, nil
}

// programStamp changes with the program: what another build has read of a source is read anew.
func programStamp() string {
	file, err := os.Executable()
	if err != nil {
		return version
	}
	info, err := os.Stat(file)
	if err != nil {
		return version
	}
	return fmt.Sprintf("%s %d %d", version, info.Size(), info.ModTime().UnixNano())
}

// collectLess has garbage collected half as often until all sources have been read: most of what reading and indexing
// allocate is there to stay. Near loadingMemory it is collected more often, unless most of that is in use: then that
// would go on all the time, for nothing. Afterwards what only the reading needed goes back to the system. What the
// person has set in GOGC or GOMEMLIMIT holds.
func collectLess(ctx context.Context, l *source.Loader) {
	const loading, usual = 200, 100
	if os.Getenv("GOGC") != "" || os.Getenv("GOMEMLIMIT") != "" {
		return
	}
	debug.SetGCPercent(loading)
	debug.SetMemoryLimit(loadingMemory)
	go func() {
		live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
		used := func() uint64 {
			metrics.Read(live)
			if live[0].Value.Kind() != metrics.KindUint64 {
				return math.MaxUint64
			}
			return live[0].Value.Uint64()
		}
		tick := time.NewTicker(50 * time.Millisecond)
		defer tick.Stop()
		for settled := false; !settled && ctx.Err() == nil; {
			select {
			case <-tick.C:
				if used() > loadingMemory/10*9 {
					debug.SetMemoryLimit(math.MaxInt64)
				}
			case <-l.Settled():
				settled = true
			case <-ctx.Done():
			}
		}
		debug.SetGCPercent(usual)
		if used() > loadingMemory/4 && ctx.Err() == nil {
			debug.FreeOSMemory()
		}
		debug.SetMemoryLimit(math.MaxInt64)
	}()
}

// loadingMemory is how much memory sources of usual size are read and indexed in, in bytes.
const loadingMemory = 330 << 20

// view is the current view. While a source is missing, the rules may name actions that do not exist yet.
func (f *catalogUpdater) view() (*catalog.View, error) {
	v := f.loader.View()
	f.seen = v
	isFailed := func(s source.Status) bool { return s.State == source.Failed }
	for _, r := range f.rules {
		r.Growing = f.loader.Loading() || slices.ContainsFunc(f.loader.Status(), isFailed)
		var err error
		if v, err = v.Narrow(r); err != nil {
			return nil, misconfigured(fmt.Errorf("%s: %w", r.Name, err))
		}
	}
	return v, nil
}

// whole waits for all sources, reports their problems on standard error, and returns the view. It fails if no source
// can be read.
func (f *catalogUpdater) whole(ctx context.Context, cli *commandLine) (*catalog.View, error) {
	if err := f.wait(ctx, cli, longWait); err != nil {
		return nil, err
	}
	var dead []error
	all := f.loader.Status()
	for _, s := range all {
		if s.Err != nil {
			dead = append(dead, fmt.Errorf("catalog %s: %w", s.Name, s.Err))
		}
	}
	if len(dead) == len(all) {
		return nil, misconfigured(errors.Join(dead...))
	}
	for _, err := range dead {
		fmt.Fprintln(cli.stderr, err)
	}
	for _, s := range all {
		if remarks := s.Remarks(); s.Err == nil && remarks != "" {
			fmt.Fprintf(cli.stderr, "%s: %s: see almanac doctor\n", s.Name, remarks)
		}
	}
	view, err := f.view()
	if err == nil {
		f.keepIDs(view)
		for _, misfit := range f.misfits() {
			fmt.Fprintln(cli.stderr, "warning: "+text.SanitizeLine(misfit.Error()))
		}
	}
	return view, err
}

// misfits are what the view file and the roles name and the catalog does not have. There are some only where a source
// could not be read: elsewhere there is no view.
func (f *catalogUpdater) misfits() (all []error) {
	for _, r := range f.rules {
		for _, err := range f.loader.View().Misfits(r) {
			all = append(all, fmt.Errorf("%s: %w", r.Name, err))
		}
	}
	return all
}

// longWait is how long one waits for sources before the first line says how far they are.
const longWait = 2 * time.Second

// wait waits for all sources. After a long wait, and again after four times as long, a line on standard error says how
// far they are, if that is known and no program reads the output.
func (f *catalogUpdater) wait(ctx context.Context, cli *commandLine, long time.Duration) error {
	if cli.Output != "text" && cli.Output != "table" {
		return f.loader.Wait(ctx)
	}
	for {
		soon, cancel := context.WithTimeout(ctx, long)
		err := f.loader.Wait(soon)
		cancel()
		if err == nil || ctx.Err() != nil {
			return err
		}
		if doing := f.loader.Progress().Doing; doing != "" {
			fmt.Fprintln(cli.stderr, doing)
		}
		long *= 4
	}
}

// firstLook is how long the terminal waits for its sources before it shows the prompt. It waits longer for the demo,
// unless that has to be created first: without it there is nothing to do.
const (
	firstLook    = 50 * time.Millisecond
	firstLookOwn = 2 * time.Second
)

// begin waits a moment for the sources and returns the view so far.
func (f *catalogUpdater) begin(ctx context.Context, cli *commandLine) (*catalog.View, error) {
	wait := firstLook
	if _, err := os.Stat(demo.File(cli.dataDir())); len(cli.Catalog) == 0 && err == nil {
		wait = firstLookOwn
	}
	soon, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	if err := f.loader.Wait(soon); err == nil {
		f.news()
		return f.whole(ctx, cli)
	}
	return f.view()
}

// news returns the statuses of loaded sources that have changed since the last call. Repeated failures are reported
// once, and a source is not news until the catalog includes it.
func (f *catalogUpdater) news() []source.Status {
	loading := f.loader.Loading()
	return slices.DeleteFunc(f.loader.Status(), func(s source.Status) bool {
		if s.State == source.Loading || loading && s.State == source.Ready && s.Loaded == 0 && s.Found > 0 {
			return true
		}
		now, before := statusKeyOf(s), f.told[s.Name]
		f.told[s.Name] = now
		if s.Name == ownActions && s.Err == nil && s.Remarks() == "" {
			return true // whoever saved an action knows
		}
		return now == before || now.state == source.Failed && before.state == source.Failed
	})
}

// maxTold is how many skips of a kind are printed.
const maxTold = 5

// tell prints the first few skips to standard error.
func (cli *commandLine) tell(what string, skips []catalog.Skip) {
	for i, s := range skips {
		if i == maxTold {
			fmt.Fprintf(cli.stderr, "and %d more %s: see almanac doctor\n", len(skips)-i, what)
			return
		}
		fmt.Fprintf(cli.stderr, "%s: %s: %.80q: %.300s\n", s.Source, what, s.ID, s.Reason)
	}
}
