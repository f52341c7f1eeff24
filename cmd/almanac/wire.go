// This file is the only place where all parts meet.

package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/adrg/xdg"

	"almanac/catalog"
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
	sources *feeding
	past    repl.Past
	// resumed tells what became of the session that this one goes on from.
	resumed []string
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
	// whole waits for all sources: what is read from a pipe does not see that they are being read.
	whole bool
	// front is what the session is run from.
	front trace.Front
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
	view, err := cli.openView(ctx, w, o.person && !o.whole)
	if err != nil {
		return nil, err
	}
	now := time.Now()
	id := session.NewID(now)
	w.log, err = trace.CreateLog(cli.archive().Path(id, now), cli.credentials.filter)
	if err != nil {
		return nil, misconfigured(err)
	}
	w.closers = append(w.closers, w.log.Close)
	dir, _ := os.Getwd()
	err = w.log.Append(trace.Record{Time: now, Kind: trace.KindSession, About: &trace.About{
		ID: id, Version: version, Actor: view.Actor(), Tenant: view.Tenant(), Sources: cli.shownSources(), Dir: dir,
		Resumes: cli.past.ID, Front: o.front,
	}})
	if err != nil {
		return nil, misconfigured(err)
	}
	p, err := cli.policy(o.policy, view, w.sources.loader.Loading())
	if err != nil {
		return nil, err
	}
	options := session.Options{
		ID: id, Policy: p, Record: w.log.Append, Secrets: cli.credentials.filter,
		UserLimits: vm.Limits{Time: cli.LuaTime}, Limits: vm.Limits{Time: cli.Limits.ModelTime}, Budget: cli.budget(), CheckResults: cli.CheckResults,
		Context: catalog.Context{Actor: os.Getenv("USER"), Workspace: cli.workspaceDir()},
	}
	note := func(line string) {
		// A log that is full tells so with the next run.
		_ = w.log.Append(trace.Record{Time: time.Now(), Kind: trace.KindNote, Text: line})
	}
	w.sources.notes.follow(note)
	// A wall that this system lacks belongs into the log.
	options.Kernel.Logf = func(format string, args ...any) { note(fmt.Sprintf(format, args...)) }
	if o.feed != nil {
		states := trace.KeepState(trace.StatePath(w.log.Path()), func(err error) { note(err.Error()) })
		w.closers = append(w.closers, states.Close)
		options.Saved = func(s session.State) { states.Put(trace.State(s)) }
		options.Write, options.Ran, options.Acting = o.feed.Write, o.feed.Ran, o.feed.Acting
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
	if err := cli.goOn(ctx, w); err != nil {
		return nil, err
	}
	if o.person {
		w.follow(ctx)
	}
	return w, nil
}

// openView begins to read the sources. Soon returns with what there is after a moment, and the rest comes later.
func (cli *commandLine) openView(ctx context.Context, w *wired, soon bool) (view *catalog.View, err error) {
	if w.sources, err = cli.feed(ctx); err != nil {
		return nil, err
	}
	w.closers = append(w.closers, w.sources.loader.Close)
	if soon {
		return w.sources.begin(ctx, cli)
	}
	return w.sources.whole(ctx, cli)
}

// follow gives the session whatever the sources come to hold, until the parts are closed.
func (w *wired) follow(ctx context.Context) {
	ctx, stop := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			select {
			case <-w.sources.changed:
				w.renew(ctx)
			case <-ctx.Done():
				return
			}
		}
	}()
	w.closers = append(w.closers, func() error {
		stop()
		<-done
		return nil
	})
}

// renew replaces the session's catalog where the sources have another one by now, and tells the news of them.
func (w *wired) renew(ctx context.Context) {
	say := func(level repl.Level, text string) {
		w.feed.Emit(repl.Event{Kind: repl.Said, Level: level, Text: w.session.Redact(text)})
	}
	if seen := w.sources.seen; seen != w.sources.loader.View() {
		view, err := w.sources.view()
		if err != nil {
			// Rules that do not fit what has been read leave nothing to see: they were meant to close something.
			view = w.session.View().Nothing()
		}
		if err = errors.Join(err, w.session.Replace(ctx, view)); err != nil && ctx.Err() == nil {
			say(repl.Failure, err.Error())
		}
		if err == nil && !w.sources.loader.Loading() {
			w.sources.keepIDs(view)
		}
	}
	defer w.feed.Stir()
	for _, s := range w.sources.news() {
		level := repl.Notice
		if s.Err != nil {
			level = repl.Warning
		}
		say(level, s.Line())
	}
}

// dataDir is where the demo database and the session logs are kept.
func (cli *commandLine) dataDir() string {
	if cli.Data != "" {
		return cli.Data
	}
	return filepath.Join(xdg.DataHome, "almanac")
}

// budget is what one run may do, as it is configured; what is zero there has its default.
func (cli *commandLine) budget() session.Budget {
	l := cli.Limits
	return session.Budget{
		Calls: l.Calls, Mutations: l.Mutations, Selected: l.Selected, Described: l.Described, Shown: l.Shown, Wait: l.Wait,
	}
}

// noModel is what asking says when no model is configured.
const noModel = "no model is configured: set OPENAI_API_KEY, or --base-url (ALMANAC_BASE_URL) to an OpenAI-compatible server such as http://localhost:11434/v1, and choose one with --model (ALMANAC_MODEL)"

// defaultModel is asked where a key is set and no model is named.
const defaultModel = "gpt-4.1"

// conversation returns the conversation with the model over s, or nil when no model is configured.
func (cli *commandLine) conversation(w *wired) *llm.Conversation {
	base, key, ok := cli.modelServer()
	if !ok {
		return nil
	}
	cli.credentials.address(base)
	o := tools.Options{Prefix: cli.Prefix, Cell: w.feed.Cell}
	c := llm.NewConversation(llm.Options{
		Provider: openai.New(openai.Options{BaseURL: base, Key: key}),
		Model:    cli.modelName(),
		System:   func() string { return tools.SystemPrompt(w.session, o) },
		Tools:    func() []llm.Tool { return tools.New(w.session, o) },
		Observe:  w.feed.Observe,
		Keep:     w.keepMessage,
		Secrets:  cli.credentials.filter,
	})
	if messages := saidBefore(w.past.Records); len(messages) > 0 {
		_ = c.Restore(messages) // nothing is being sent yet
	}
	return c
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
