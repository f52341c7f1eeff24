// This file is the only place where all parts meet.

package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/adrg/xdg"

	"almanac/catalog"
	"almanac/catalog/demo"
	"almanac/catalog/manifest"
	"almanac/llm"
	"almanac/llm/openai"
	"almanac/llm/tools"
	"almanac/repl"
	"almanac/session"
	"almanac/session/policy"
	"almanac/session/trace"
	"almanac/session/vm"
)

// A wired is the parts of a program that runs, and what must be closed after it, last opened first.
type wired struct {
	session *session.Session
	log     *trace.Log
	feed    *repl.Feed
	closers []func() error
}

// Close ends everything and returns the errors of it.
func (w *wired) Close() error {
	var errs []error
	for i := len(w.closers) - 1; i >= 0; i-- {
		errs = append(errs, w.closers[i]())
	}
	return errors.Join(errs...)
}

// wireOptions say how a command wants its session.
type wireOptions struct {
	// feed shows what happens; nil shows nothing.
	feed *repl.Feed
	// person tells that somebody reads the feed and can be asked.
	person bool
	// policy is the mode when the command line names none.
	policy policy.Mode
}

// wire opens the sources and makes the session over them. The caller closes what it returns.
func (cli *commandLine) wire(ctx context.Context, o wireOptions) (_ *wired, err error) {
	w := &wired{feed: o.feed}
	defer func() {
		if err != nil {
			err = errors.Join(err, w.Close())
		}
	}()
	view, err := cli.openView(ctx, w)
	if err != nil {
		return nil, err
	}
	now := time.Now()
	id := session.NewID(now)
	w.log, err = trace.OpenLog(filepath.Join(cli.dataDir(), "sessions", now.Format("2006/01/02"), id+".jsonl"))
	if err != nil {
		return nil, misconfigured(err)
	}
	w.closers = append(w.closers, w.log.Close)
	dir, _ := os.Getwd()
	err = w.log.Append(trace.Record{Time: now, Kind: trace.KindSession, About: &trace.About{
		ID: id, Version: version, Actor: view.Actor(), Tenant: view.Tenant(), Sources: cli.sources(), Dir: dir,
	}})
	if err != nil {
		return nil, misconfigured(err)
	}
	p, err := cli.policy(o.policy, view)
	if err != nil {
		return nil, err
	}
	options := session.Options{
		ID: id, Policy: p, Record: w.log.Append, Secrets: secrets(),
		UserLimits: vm.Limits{Time: cli.LuaTime},
		Context:    catalog.Context{Actor: os.Getenv("USER"), Workspace: dir},
	}
	options.Kernel.Logf = func(format string, args ...any) {
		// A wall that this system lacks belongs into the log; a log that is full tells so with the next run.
		_ = w.log.Append(trace.Record{Time: time.Now(), Kind: trace.KindNote, Text: fmt.Sprintf(format, args...)})
	}
	if o.feed != nil {
		options.Write, options.Ran = o.feed.Write, o.feed.Ran
		options.Record = func(r trace.Record) error {
			err := w.log.Append(r)
			o.feed.Record(r)
			return err
		}
	}
	if o.person {
		options.Approve = o.feed.Approve
	}
	if w.session, err = session.New(view, options); err != nil {
		return nil, err
	}
	w.closers = append(w.closers, w.session.Close)
	return w, nil
}

// sources lists where the catalog comes from.
func (cli *commandLine) sources() []string {
	if len(cli.Catalog) == 0 {
		return []string{"demo"}
	}
	return cli.Catalog
}

// openView opens every source and narrows what they hold to the view that was asked for.
func (cli *commandLine) openView(ctx context.Context, w *wired) (*catalog.View, error) {
	var entries []catalog.Entry
	for _, source := range cli.sources() {
		kind, file, _ := strings.Cut(source, ":")
		var err error
		switch {
		case kind == "demo":
			entries, err = cli.openDemo(ctx, w, file, entries)
		case strings.HasSuffix(source, ".jsonl"), strings.HasSuffix(source, ".jsonl.gz"):
			entries, err = cli.readManifest(source, entries)
		default:
			err = errors.New("unknown kind of source: use demo, demo:FILE, FILE.jsonl or FILE.jsonl.gz")
		}
		if err != nil {
			return nil, misconfigured(fmt.Errorf("catalog %s: %w", source, err))
		}
	}
	all, report := catalog.New(entries, catalog.Options{})
	if len(report.Skipped) > 0 {
		s := report.Skipped[0]
		return nil, misconfigured(fmt.Errorf("catalog: %d entries cannot be used, the first is %s: %s", len(report.Skipped), s.ID, s.Reason))
	}
	view := all.View()
	if cli.View == "" {
		return view, nil
	}
	rules, err := readRules(cli.View)
	if err != nil {
		return nil, misconfigured(err)
	}
	view, err = view.Narrow(rules)
	if err != nil {
		return nil, misconfigured(fmt.Errorf("view %s: %w", cli.View, err))
	}
	return view, nil
}

// openDemo adds the entries of the demo; an empty file stands for the one in the data folder.
func (cli *commandLine) openDemo(ctx context.Context, w *wired, file string, entries []catalog.Entry) ([]catalog.Entry, error) {
	if file == "" {
		file = filepath.Join(cli.dataDir(), "office.db")
		if err := os.MkdirAll(cli.dataDir(), 0o700); err != nil {
			return nil, fmt.Errorf("data folder: %w", err)
		}
	}
	office, err := demo.Open(ctx, file)
	if err != nil {
		return nil, err
	}
	w.closers = append(w.closers, office.Close)
	return append(entries, office.Entries()...), nil
}

// readManifest adds the entries of a file and tells what of it could not be used.
func (cli *commandLine) readManifest(file string, entries []catalog.Entry) ([]catalog.Entry, error) {
	read, report, err := manifest.ReadFile(file)
	if err != nil {
		return nil, err
	}
	cli.tell("skipped", report.Skipped)
	cli.tell("changed", report.Mended)
	return append(entries, read...), nil
}

// maxTold is how many skips of a kind are printed one by one.
const maxTold = 5

// tell prints skips to standard error, the first few whole.
func (cli *commandLine) tell(what string, skips []catalog.Skip) {
	for i, s := range skips {
		if i == maxTold {
			fmt.Fprintf(cli.stderr, "and %d more %s\n", len(skips)-i, what)
			return
		}
		fmt.Fprintf(cli.stderr, "%s: %s: %q: %s\n", s.Source, what, s.ID, s.Reason)
	}
}

// dataDir is where the demo database and the session logs are kept.
func (cli *commandLine) dataDir() string {
	if cli.Data != "" {
		return cli.Data
	}
	return filepath.Join(xdg.DataHome, "almanac")
}

// policy is the policy of the command line. An --allow that allows nothing is an error: it was meant to.
func (cli *commandLine) policy(mode policy.Mode, view *catalog.View) (policy.Policy, error) {
	if cli.Policy != "" {
		var err error
		if mode, err = policy.ParseMode(cli.Policy); err != nil {
			return policy.Policy{}, usage("%v", err)
		}
	}
	p := policy.Policy{Mode: mode}
	for _, id := range cli.Allow {
		if err := checkAllow(view, id); err != nil {
			return policy.Policy{}, misconfigured(err)
		}
		p.Rules = append(p.Rules, policy.Rule{Name: "--allow " + id, ID: id, Verdict: policy.Allow})
	}
	return p, nil
}

func checkAllow(view *catalog.View, id string) error {
	prefix, below := strings.CutSuffix(id, ".*")
	if below && len(view.Children(prefix)) > 0 || id == "*" {
		return nil
	}
	if len(view.Children(id)) > 0 {
		return fmt.Errorf("--allow %s: no such action: for all below it say %s.*", id, id)
	}
	if _, err := view.Resolve(id); err != nil {
		return fmt.Errorf("--allow: %w", err)
	}
	return nil
}

// secrets are the values that must never be shown, returned or recorded.
func secrets() []string {
	var values []string
	for _, name := range []string{"OPENAI_API_KEY", "ALMANAC_API_KEY"} {
		if v := os.Getenv(name); v != "" {
			values = append(values, v)
		}
	}
	return values
}

// noModel is what asking says when no model is configured.
const noModel = "no model is configured: set OPENAI_API_KEY, or --base-url (ALMANAC_BASE_URL) to an OpenAI-compatible server such as http://localhost:11434/v1, and choose one with --model (ALMANAC_MODEL)"

// defaultModel is asked where a key is set and no model is named.
const defaultModel = "gpt-4.1"

// conversation returns the conversation with the model over s, or nil when no model is configured.
func (cli *commandLine) conversation(s *session.Session, feed *repl.Feed) *llm.Conversation {
	base, key, ok := cli.modelServer()
	if !ok {
		return nil
	}
	o := tools.Options{Prefix: cli.Prefix, Cell: feed.Cell}
	return llm.NewConversation(llm.Options{
		Provider: openai.New(openai.Options{BaseURL: base, Key: key}),
		Model:    cli.modelName(),
		System:   func() string { return tools.SystemPrompt(s, o) },
		Tools:    func() []llm.Tool { return tools.New(s, o) },
		Observe:  feed.Observe,
	})
}

// modelServer is where the model is asked and with which key; ok is false when neither is configured.
func (cli *commandLine) modelServer() (base, key string, ok bool) {
	base = cmp.Or(cli.BaseURL, os.Getenv("OPENAI_BASE_URL"))
	key = cmp.Or(os.Getenv("ALMANAC_API_KEY"), os.Getenv("OPENAI_API_KEY"))
	return base, key, base != "" || key != ""
}

func (cli *commandLine) modelName() string {
	return cmp.Or(cli.Model, defaultModel)
}
