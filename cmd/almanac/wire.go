// This file connects the parts: sources, log, session, feed and conversation.

package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"sync/atomic"

	"github.com/adrg/xdg"

	"almanac/catalog"
	"almanac/catalog/media"
	"almanac/catalog/source"
	"almanac/catalog/team"
	"almanac/llm"
	"almanac/llm/tools"
	"almanac/repl/event"
	"almanac/repl/plain"
	"almanac/repl/transcript"
	"almanac/session"
	"almanac/session/policy"
	"almanac/session/trace"
	"almanac/session/vm"
)

// An app is a running program: its parts, and what must be closed, last opened first.
type app struct {
	session *session.Session
	log     *sessionLog
	feed    *event.Feed
	sources *catalogUpdater
	past    transcript.Past
	member  *member // nil without a team
	// resumed reports which session was resumed and what could not be restored.
	resumed []string
	// try proposes a first input, where the first screen could not: the catalog was not read. It is asked once.
	try     atomic.Pointer[func() string]
	closers []func() error
	// spending counts what each completion and each tool took; nil where nothing bounds it.
	spending *spending
	// apart says which items of the inbox no prompt takes along, because they become prompts of their own; nil for none.
	apart func(team.Item) bool
	// model is the conversation; nil before there is one.
	model atomic.Pointer[llm.Conversation]
	// renewing is held while the session's catalog is replaced.
	renewing sync.Mutex
	// idleTold is true when grants that let nothing through were told.
	idleTold bool
}

// Close closes everything and returns the joined errors.
func (w *app) Close() error {
	var errs []error
	for i := len(w.closers) - 1; i >= 0; i-- {
		errs = append(errs, w.closers[i]())
	}
	return errors.Join(errs...)
}

// wireOptions configure wire.
type appOptions struct {
	// feed receives events; nil for none.
	feed *event.Feed
	// person is set if somebody reads the feed, can be asked and types commands.
	person bool
	// asker asks the person of one script or prompt; nil for none. With a feed, its reader is who uses it.
	asker *plain.Asker
	// whole waits for all sources, since piped input cannot react to a catalog that is still loading.
	whole bool
	// front is what the session runs in.
	front trace.Front
	// policy is the default mode.
	policy policy.Mode
	// alone does not join the team.
	alone bool
}

// wire opens the sources and creates the session. The caller closes the result.
func (cli *commandLine) wire(ctx context.Context, o appOptions) (_ *app, err error) {
	w := &app{feed: o.feed}
	defer func() {
		if err != nil {
			err = errors.Join(err, w.Close())
		}
	}()
	if !o.alone {
		if err := cli.joinTeam(ctx, w, !o.person); err != nil {
			return nil, err
		}
	}
	view, err := cli.openView(ctx, w, o.person && !o.whole && !cli.namesOwn())
	if err != nil {
		return nil, err
	}
	if w.log, err = cli.openLog(view, "", trace.About{Resumes: cli.past.ID, Front: o.front}); err != nil {
		return nil, misconfigured(err)
	}
	w.closers = append(w.closers, w.log.Close)
	w.sources.notes.follow(w.log.note)
	p, err := cli.policy(o.policy, view, w.sources.loader.Loading())
	if err != nil {
		return nil, err
	}
	if o.feed != nil {
		w.log.keepStates()
	}
	options := cli.session(w.log, session.Options{
		Policy: p, Kept: cli.watchGrants(),
		UserLimits: vm.Limits{Time: cli.LuaTime}, Limits: vm.Limits{Time: cli.Limits.ModelTime}, Budget: cli.budget(),
		UserBudget:   session.Budget{Calls: cli.Limits.YourCalls, Mutations: cli.Limits.YourMutations},
		CheckResults: cli.CheckResults,
	})
	cli.bound(&options)
	if _, none := cli.models(); none == nil && o.feed != nil {
		options.Complete = w.complete
	}
	if o.asker != nil {
		options.Approve = func(ctx context.Context, r session.Request) (session.Approval, error) {
			return o.asker.Ask(ctx, r), nil
		}
	}
	if o.feed != nil {
		options = o.feed.Session(options, o.person || o.asker != nil)
		options.Commands = o.person
	}
	if o.feed == nil {
		options.Notify = func(n session.Notice) { fmt.Fprintln(cli.stderr, event.NoticeText(n)) }
	}
	if w.session, err = session.New(view, options); err != nil {
		return nil, err
	}
	w.closers = append(w.closers, w.session.Close)
	if o.feed != nil {
		w.tellIdle()
	} else {
		cli.tellIdleRules(p, view)
		if w.member != nil {
			if _, err := w.member.joined(); err != nil {
				fmt.Fprintln(cli.stderr, w.session.Redact("warning: "+err.Error()))
			}
		}
	}
	if err := cli.resume(ctx, w); err != nil {
		return nil, err
	}
	w.tellRoles()
	if o.person {
		w.follow(ctx)
	}
	w.deliver(ctx, o.person)
	return w, nil
}

// openView starts loading the sources. soon returns after a moment with what has loaded; the rest follows later.
func (cli *commandLine) openView(ctx context.Context, w *app, soon bool, more ...source.Source) (view *catalog.View,
	err error) {
	if w.member != nil {
		more = append(more, w.member.source())
	}
	if w.sources, err = cli.feed(ctx, source.Options{Partly: soon, Whole: !soon}, more...); err != nil {
		return nil, err
	}
	w.closers = append(w.closers, w.sources.loader.Close)
	if soon {
		return w.sources.begin(ctx, cli)
	}
	return w.sources.whole(ctx, cli)
}

// follow pushes new source contents to the session until Close.
func (w *app) follow(ctx context.Context) {
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

// tellIdle warns once, when all is loaded, of grants that let nothing through.
func (w *app) tellIdle() {
	if w.idleTold || w.sources.loader.Loading() {
		return
	}
	w.idleTold = true
	for _, line := range idle(w.session.Policy(), w.session.View()) {
		w.feed.Emit(event.Event{Kind: event.Said, Level: event.Warning, Text: w.session.Redact(line)})
	}
}

// renew replaces the session's catalog if the sources have changed, and reports their news.
func (w *app) renew(ctx context.Context) {
	w.renewing.Lock()
	defer w.renewing.Unlock()
	say := func(level event.Level, text string) {
		w.feed.Emit(event.Event{Kind: event.Said, Level: level, Text: w.session.Redact(text)})
	}
	if seen := w.sources.seen; seen != w.sources.loader.View() {
		view, err := w.sources.view()
		if err != nil {
			// Fail closed: if the rules do not fit the new catalog, nothing is visible.
			view = w.session.View().Nothing()
		}
		if err = errors.Join(err, w.session.Replace(ctx, view)); err != nil && ctx.Err() == nil {
			say(event.Failure, err.Error())
		}
		if err == nil && !w.sources.loader.Loading() {
			w.sources.keepIDs(view)
			w.tellIdle()
		}
	}
	defer w.feed.Refresh()
	for _, s := range w.sources.news() {
		level := event.Notice
		if s.Err != nil {
			level = event.Warning
		}
		say(level, s.Line())
	}
	if w.sources.loader.Loading() || w.session.View().Len() == 0 {
		return
	}
	if try := w.try.Swap(nil); try != nil {
		say(event.Notice, (*try)())
	}
}

// dataDir is the directory of the demo database and the session logs.
func (cli *commandLine) dataDir() string {
	if cli.Data != "" {
		return cli.Data
	}
	return filepath.Join(xdg.DataHome, "almanac")
}

// budget is the configured budget of one run of the model's; zero fields have their defaults.
func (cli *commandLine) budget() session.Budget {
	l := cli.Limits
	return session.Budget{
		Calls: l.Calls, Mutations: l.Mutations, Selected: l.Selected, Described: l.Described, Shown: l.Shown, Wait: l.Wait,
	}
}

// conversation returns the conversation with the model, the models that can be chosen, and why there is none to begin
// with.
func (cli *commandLine) conversation(w *app) (*llm.Conversation, modelChoice, error) {
	models, err := cli.models()
	toolOptions := tools.Options{Prefix: cli.Prefix, Direct: cli.Direct, Notes: cli.notes.prompt()}
	c := llm.NewConversation(w.feed.Conversation(w.session, toolOptions, llm.Options{
		Target: models.first, Fallback: models.fallback,
		Arrived: w.unread(),
		Keep:    w.log.message,
		Usage:   usageBefore(w.past.Records),
		Spent: func(u llm.Usage) {
			w.log.usage(u)
			w.spending.add(u)
		},
		Secrets: cli.credentials.filter,
		Media:   media.In(cli.dataDir()),
	}))
	w.model.Store(c)
	if w.member != nil {
		w.member.model.Store(c)
	}
	if messages := saidBefore(w.past.Records); len(messages) > 0 {
		_ = c.Restore(messages) // nothing is being sent yet
		if err == nil && c.Failed() != "" {
			w.resumed = append(w.resumed, "the last prompt has no answer: /retry goes on from there")
		}
	}
	return c, models, err
}

// complete has the session's model answer a server of an action. It counts to the conversation, and is no part of it.
func (w *app) complete(ctx context.Context, s catalog.Sample) (said, model string, err error) {
	c := w.model.Load()
	if c == nil || c.Target().Provider == nil {
		return "", "", errors.New("there is no model")
	}
	said, err = c.Ask(ctx, s.System, s.Text)
	return said, c.Target().Model, err
}
