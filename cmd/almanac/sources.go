// This file turns what --catalog names into sources, and what they hold into the view of the program.

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
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
	"almanac/catalog/secret"
	"almanac/catalog/source"
	"almanac/catalog/web"
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

// shownSources is sourceNames without the values that stand in them, to be recorded and shown.
func (cli *commandLine) shownSources() []string {
	var all []string
	for _, name := range cli.sourceNames() {
		all = append(all, shownSource(name))
	}
	return all
}

// shownSource is what names a source, without the values in it.
func shownSource(name string) string {
	as, rest := named(name)
	command, isCommand := strings.CutPrefix(rest, "mcp:")
	if !isCommand {
		shown, _ := secret.Address(name)
		return shown
	}
	if rest = mcp.Shown(as, command); as != "" && !strings.HasPrefix(rest, as+"=") {
		return as + "=" + rest
	}
	return rest
}

// sources are the places that the command line names. Nothing is opened yet.
func (cli *commandLine) sources() ([]source.Source, error) {
	var all []source.Source
	taken := map[string]string{}
	cli.leftOut = nil
	for _, name := range cli.sourceNames() {
		as, name := named(name)
		if first, twice := taken[as]; twice && as != "" && first != name {
			return nil, fmt.Errorf("catalog %s=%s: %s is the name of %s, and two of one name would share their ids and credentials: give it another", as, name, as, first)
		}
		taken[as] = name
		kind, rest, _ := strings.Cut(name, ":")
		switch {
		case kind == "demo":
			all = append(all, cli.demoSource(name, rest))
		case kind == "mcp", kind == "mcp+http":
			servers, err := cli.mcpSources(as, kind, rest)
			if err != nil {
				return nil, fmt.Errorf("catalog %s: %w", shownSource(name), err)
			}
			all = append(all, servers...)
		case strings.HasSuffix(name, ".jsonl"), strings.HasSuffix(name, ".jsonl.gz"):
			all = append(all, manifestSource(name))
		case kind == "openapi" && rest != "":
			all = append(all, cli.openapiSource(as, rest))
		case kind == "workspace" && rest != "":
			all = append(all, workspaceSource(as, rest))
		case slices.Contains([]string{".yaml", ".yml", ".json"}, filepath.Ext(name)):
			found, err := cli.fileSources(as, name)
			if err != nil {
				return nil, fmt.Errorf("catalog %s: %w", shownSource(name), err)
			}
			all = append(all, found...)
		default:
			return nil, fmt.Errorf("catalog %s: unknown kind of source: use demo, demo:FILE, FILE.jsonl, FILE.jsonl.gz, FILE.yaml, FILE.json, openapi:FILE-or-URL, workspace:DIR, mcp:COMMAND, mcp:FILE.json or mcp+http:URL", shownSource(name))
		}
	}
	return all, nil
}

// named parts NAME=SOURCE; a source without a name in front has the empty one.
func named(text string) (as, rest string) {
	as, rest, ok := strings.Cut(text, "=")
	if !ok || as == "" || strings.Trim(as, "abcdefghijklmnopqrstuvwxyz0123456789_") != "" {
		return "", text
	}
	return as, rest
}

// workspaceDir is the folder that the context value workspace stands for: the first that is a source, or else where the
// program runs.
func (cli *commandLine) workspaceDir() string {
	for _, name := range cli.sourceNames() {
		_, name = named(name)
		if dir, ok := strings.CutPrefix(name, "workspace:"); ok && dir != "" {
			if whole, err := filepath.Abs(dir); err == nil {
				return whole
			}
			return dir
		}
	}
	dir, _ := os.Getwd()
	return dir
}

// officeFile is where the demo's database is when no other is named.
func (cli *commandLine) officeFile() string { return filepath.Join(cli.dataDir(), "office.db") }

// demoSource is the demo's database; an empty file stands for the one in the data folder.
func (cli *commandLine) demoSource(name, file string) source.Source {
	var mu sync.Mutex
	var office *demo.Office
	load := func(ctx context.Context, _ func(int)) (catalog.Batch, error) {
		mu.Lock()
		defer mu.Unlock()
		if file == "" {
			file = cli.officeFile()
			if err := os.MkdirAll(cli.dataDir(), 0o700); err != nil {
				return catalog.Batch{}, fmt.Errorf("data folder: %w", err)
			}
		}
		if office == nil {
			opened, err := demo.Open(ctx, file)
			if err != nil {
				return catalog.Batch{}, err
			}
			office = opened
		}
		entries := office.Entries()
		return catalog.Batch{Entries: entries, Found: len(entries)}, nil
	}
	return source.Source{Name: name, Own: true, Load: load, Close: func() error {
		mu.Lock()
		defer mu.Unlock()
		if office == nil {
			return nil
		}
		return office.Close()
	}}
}

// manifestSource is a file of actions that can be described and not called.
func manifestSource(file string) source.Source {
	return source.Source{
		Name: file,
		Load: func(ctx context.Context, progress func(int)) (catalog.Batch, error) {
			return manifest.Load(ctx, file, progress)
		},
		Key: func() (string, error) { return manifest.Key(file) },
	}
}

// fileHead is how much of a file is looked at to see what it is, in bytes.
const fileHead = 1 << 20

// fileSources is what a YAML or JSON file is: a manifest, an OpenAPI document or a list of MCP servers. A file that is
// not there counts as a manifest, whose source says so.
func (cli *commandLine) fileSources(as, file string) ([]source.Source, error) {
	head := make([]byte, fileHead)
	f, err := manifest.OpenFile(file)
	if err == nil {
		var n int
		n, err = io.ReadFull(f, head)
		head = head[:n]
		f.Close()
	}
	name := file
	if as != "" {
		name = as + "=" + file
	}
	o := manifest.Options{Name: as, Vault: web.NewVault(os.Getenv, web.Keyring)}
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, io.EOF) {
		return []source.Source{manifest.Open(name, file, o)}, nil
	}
	switch manifest.TopKey(head, "almanac", "openapi", "swagger", "mcpServers") {
	case "almanac":
		return []source.Source{manifest.Open(name, file, o)}, nil
	case "openapi", "swagger":
		return []source.Source{cli.openapiSource(as, file)}, nil
	case "mcpServers":
		return cli.mcpSources(as, "mcp", file)
	}
	return nil, errors.New("it is no manifest (almanac: 1), no OpenAPI document (openapi, swagger) and no list of MCP servers (mcpServers)")
}

// workspaceSource is the folder dir; as is what the ids of its actions begin with, or empty.
func workspaceSource(as, dir string) source.Source {
	name := "workspace:" + dir
	if as != "" {
		name = as + "=" + name
	}
	return workspace.Open(name, dir, as)
}

// openapiSource is the document at a file or an address; label is what the person calls it, or empty.
func (cli *commandLine) openapiSource(label, from string) source.Source {
	name := "openapi:" + from
	if label != "" {
		name = label + "=" + name
	}
	o := openapi.Options{From: from, Source: name, Name: label, Vault: web.NewVault(os.Getenv, web.Keyring)}
	for _, base := range cli.Base {
		if of, address, ok := strings.Cut(base, "="); ok && of == label {
			o.Base = address
		}
	}
	api := openapi.New(o)
	s := source.Source{Name: shownSource(name), Load: api.Load, Health: api.Health, Secrets: api.Secrets, Close: api.Close}
	if !strings.HasPrefix(from, "http://") && !strings.HasPrefix(from, "https://") {
		s.Watch = source.WatchFile(from, 0)
	}
	return s
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
	if _, err := os.Stat(cli.officeFile()); len(cli.Catalog) == 0 && err == nil {
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
