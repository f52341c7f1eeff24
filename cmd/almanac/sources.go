// This file turns what --catalog names into sources, and what they hold into the view of the program.

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/adrg/xdg"

	"almanac/catalog"
	"almanac/catalog/demo"
	"almanac/catalog/manifest"
	"almanac/catalog/mcp"
	"almanac/catalog/openapi"
	"almanac/catalog/source"
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

// kinds are the ways to write a source. A new kind of source is a row here.
func kinds() source.Kinds {
	return source.Kinds{
		demo.Kind(), manifest.ListKind(), manifest.Kind(), openapi.Kind(), workspace.Kind(), mcp.Kind(), mcp.HTTPKind(),
	}
}

// shownSources is sourceNames without the values that stand in them, to be recorded and shown.
func (cli *commandLine) shownSources() []string {
	var all []string
	for _, text := range cli.sourceNames() {
		all = append(all, kinds().Shown(text))
	}
	return all
}

// sources are the places that the command line names. Nothing is opened yet.
func (cli *commandLine) sources() ([]source.Source, error) {
	var all []source.Source
	taken := map[string]string{}
	cli.leftOut = nil
	host := source.Host{Data: cli.dataDir(), Version: version, Base: cli.base, Getenv: os.Getenv}
	for _, text := range cli.sourceNames() {
		name, spec := source.Split(text)
		if first, twice := taken[name]; twice && name != "" && first != spec {
			return nil, fmt.Errorf("catalog %s=%s: %s is the name of %s, and two of one name would share their ids and credentials: give it another", name, spec, name, first)
		}
		taken[name] = spec
		opened, left, err := kinds().Open(text, host)
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
	return all, nil
}

// base is the address of the server that --base gives the source called name; empty where it gives none.
func (cli *commandLine) base(name string) (address string) {
	for _, base := range cli.Base {
		if of, at, ok := strings.Cut(base, "="); ok && of == name {
			address = at
		}
	}
	return address
}

// workspaceDir is the folder that the context value workspace stands for: the first that is a source, or else where the
// program runs.
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

// A feeding is the view of the program and where it comes from.
type feeding struct {
	loader  *source.Loader
	changed chan struct{} // has room for one: the view or a status may be another
	// rules are those of the view file; the zero Rules narrow nothing.
	rules catalog.Rules
	// usage is how often what was called well; nil raises nothing in a search.
	usage map[string]int
	// seen is the Loader's view that the last one of ours was made of.
	seen  *catalog.View
	notes notes
	// keepIDs keeps the ids of a view for the completion of shells.
	keepIDs func(*catalog.View)
	// told is what was said of each source, so that it is said once.
	told map[string]standing
}

// notes are lines for the log, which is opened after the sources.
type notes struct {
	mu    sync.Mutex
	lines []string
	write func(line string) // nil until the log is there
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

// follow writes what there is and what comes.
func (n *notes) follow(write func(line string)) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, line := range n.lines {
		write(line)
	}
	n.lines, n.write = nil, write
}

// A standing is what of a source's status is news when it changes.
type standing struct {
	state           source.State
	loaded, waiting int
}

func standingOf(s source.Status) standing {
	return standing{state: s.State, loaded: s.Loaded, waiting: s.Change.Waiting()}
}

// feed begins to read the sources. What it returns must be closed.
func (cli *commandLine) feed(ctx context.Context) (*feeding, error) {
	sources, err := cli.sources()
	if err != nil {
		return nil, misconfigured(err)
	}
	for _, s := range cli.leftOut {
		fmt.Fprintf(cli.stderr, "%s: %s: see almanac doctor\n", s.Name, s.Remarks())
	}
	f := &feeding{changed: make(chan struct{}, 1), told: map[string]standing{}, keepIDs: cli.keepIDs}
	if cli.View != "" {
		if f.rules, err = readRules(cli.View); err != nil {
			return nil, misconfigured(err)
		}
	}
	if cli.Usage {
		if f.usage, err = trace.Usage(cli.archive().Dir, ""); err != nil {
			return nil, misconfigured(fmt.Errorf("--usage: %w", err))
		}
	}
	f.loader, err = source.Start(ctx, sources, source.Options{
		Ledger: filepath.Join(cli.dataDir(), "accepted"), TrustUpdates: cli.TrustUpdates,
		Cache: filepath.Join(xdg.CacheHome, "almanac", "catalogs"), Logf: f.notes.logf,
		Changed: func() {
			select {
			case f.changed <- struct{}{}:
			default:
			}
		},
	})
	if err != nil {
		return nil, misconfigured(err)
	}
	cli.credentials.follow(f.loader)
	return f, nil
}

// view is what can be seen now. While a source is missing the rules may name what it would bring.
func (f *feeding) view() (*catalog.View, error) {
	v := f.loader.View()
	f.seen = v
	if len(f.usage) > 0 {
		v = v.WithUsage(f.usage)
	}
	if f.rules.Name == "" {
		return v, nil
	}
	r := f.rules
	r.Growing = f.loader.Loading() || slices.ContainsFunc(f.loader.Status(), func(s source.Status) bool { return s.State == source.Failed })
	narrower, err := v.Narrow(r)
	if err != nil {
		return nil, misconfigured(fmt.Errorf("%s: %w", r.Name, err))
	}
	return narrower, nil
}

// whole waits for all sources, tells on standard error what is wrong with them, and returns the view. It is an error
// when no source can be read.
func (f *feeding) whole(ctx context.Context, cli *commandLine) (*catalog.View, error) {
	if err := f.loader.Wait(ctx); err != nil {
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
	}
	return view, err
}

// firstLook is how long a terminal waits for its sources before it shows the prompt. The program's own are waited for
// a little longer, unless they have to be made first: there is nothing to do without them.
const (
	firstLook    = 50 * time.Millisecond
	firstLookOwn = 2 * time.Second
)

// begin waits a moment for the sources and returns what there is.
func (f *feeding) begin(ctx context.Context, cli *commandLine) (*catalog.View, error) {
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

// news returns the statuses that have changed since it was asked last, of sources that have been read. A source that
// fails again and again is news once, and one is none while the catalog is being built with it.
func (f *feeding) news() []source.Status {
	loading := f.loader.Loading()
	return slices.DeleteFunc(f.loader.Status(), func(s source.Status) bool {
		if s.State == source.Loading || loading && s.State == source.Ready && s.Loaded == 0 && s.Found > 0 {
			return true
		}
		now, before := standingOf(s), f.told[s.Name]
		f.told[s.Name] = now
		return now == before || now.state == source.Failed && before.state == source.Failed
	})
}

// maxTold is how many skips of a kind are printed one by one.
const maxTold = 5

// tell prints skips to standard error, the first few whole.
func (cli *commandLine) tell(what string, skips []catalog.Skip) {
	for i, s := range skips {
		if i == maxTold {
			fmt.Fprintf(cli.stderr, "and %d more %s: see almanac doctor\n", len(skips)-i, what)
			return
		}
		fmt.Fprintf(cli.stderr, "%s: %s: %.80q: %.300s\n", s.Source, what, s.ID, s.Reason)
	}
}
