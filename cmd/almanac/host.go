// This file is almanac host: it serves the catalog to sessions on a bus.

package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"almanac/catalog/remote"
	"almanac/catalog/team/bus"
	"almanac/catalog/text"
	"almanac/session"
	"almanac/session/host"
	"almanac/session/policy"
	"almanac/session/trace"
	"almanac/session/vm"
)

type hostCommand struct {
	Name     string        `arg:"" optional:"" default:"almanac" help:"Name of the host, almanac if left out: sessions load --catalog nats:NAME. Hosts of one name share calls and serve the same catalog."`
	Parallel int           `default:"64" help:"How many calls run at a time; others wait."`
	Drain    time.Duration `default:"60s" help:"How long calls under way may take when the host is told to end."`
}

// Run serves until a signal arrives: then it takes no more calls and waits for those under way.
func (c hostCommand) Run(ctx context.Context, cli *commandLine, p *program) (err error) {
	if err := bus.CheckName("host", c.Name); err != nil {
		return usage("%v", err)
	}
	if err := remote.CheckTrust(cli.TrustContext); err != nil {
		return misconfigured(fmt.Errorf("host.trust_context: %w", err))
	}
	w := &app{}
	defer func() { err = errors.Join(err, w.Close()) }()
	view, err := cli.openView(ctx, w, false)
	if err != nil {
		return err
	}
	mode, err := cli.policy(policy.ReadOnly, view, w.sources.loader.Loading())
	if err != nil {
		return err
	}
	log := &rollingLog{open: func() (*sessionLog, error) {
		return cli.openLog(view, "host "+c.Name, trace.About{Front: trace.FrontHost})
	}}
	if err := log.roll(); err != nil {
		return misconfigured(err)
	}
	w.closers = append(w.closers, log.Close)
	w.sources.notes.follow(func(line string) { fmt.Fprintln(p.stderr, line) })
	options := cli.session(log.log, session.Options{
		Host:   c.Name,
		Policy: mode, Limits: vm.Limits{Time: cli.Limits.ModelTime}, Budget: cli.budget(), CheckResults: cli.CheckResults,
	})
	options.Record = log.Append
	if w.session, err = session.New(view, options); err != nil {
		return err
	}
	w.closers = append(w.closers, w.session.Close)
	cli.tellIdleRules(mode, view)
	b, err := cli.bus.open(ctx)
	if err != nil {
		return misconfigured(err)
	}
	logf := func(format string, args ...any) { fmt.Fprintf(p.stderr, "host "+c.Name+": "+format+"\n", args...) }
	h, err := host.Start(ctx, b, w.session, host.Options{
		Name: c.Name, Version: version, Trust: cli.TrustContext, Parallel: c.Parallel, Logf: logf,
	})
	if err != nil {
		return misconfigured(err)
	}
	_ = w.sources.news() // the line that follows says it
	entries, _ := h.Serving()
	said := w.session.Policy().Words()
	alone := strings.NewReplacer("writes: ask for high risk", "writes: denied at high risk",
		"writes: ask", "writes: denied").Replace(said)
	logf("%s, %s: --catalog nats:%s", text.Count(entries, "action"), alone, c.Name)
	if alone != said {
		logf("nobody can be asked here: what the policy asks about is denied; --allow ID lets it through")
	}
	c.follow(ctx, w, h, logf)
	logf("ending: calls under way have %v", c.Drain)
	late, cancel := context.WithTimeout(context.WithoutCancel(ctx), c.Drain)
	defer cancel()
	return h.Close(late)
}

// follow pushes new source contents to the session and to callers until ctx is done.
func (c hostCommand) follow(ctx context.Context, w *app, h *host.Host, logf func(format string, args ...any)) {
	for {
		select {
		case <-w.sources.changed:
		case <-ctx.Done():
			return
		}
		for _, s := range w.sources.news() {
			logf("%s", s.Line())
		}
		if w.sources.seen == w.sources.loader.View() {
			continue
		}
		view, err := w.sources.view()
		if err != nil { // fail closed: if the rules do not fit the new catalog, nothing is served
			view = w.session.View().Nothing()
		}
		if err := errors.Join(err, w.session.Replace(ctx, view), h.Changed()); err != nil && ctx.Err() == nil {
			logf("%v", err)
		}
	}
}

// A rollingLog is the log of a session that has no end: a new file takes the place of a large one.
type rollingLog struct {
	open func() (*sessionLog, error)
	mu   sync.RWMutex
	log  *sessionLog
}

// rollAt is how large a log of a host gets, in bytes.
const rollAt = 64 << 20

// roll begins a log.
func (l *rollingLog) roll() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.log != nil && l.log.Size() < rollAt { // another has done it
		return nil
	}
	next, err := l.open()
	if err != nil {
		return err
	}
	before := l.log
	l.log = next
	if before == nil {
		return nil
	}
	next.note("goes on from " + before.id)
	return before.Close()
}

// Append writes a record.
func (l *rollingLog) Append(r trace.Record) error {
	l.mu.RLock()
	err, size := l.log.Append(r), l.log.Size()
	l.mu.RUnlock()
	if err == nil && size >= rollAt {
		err = l.roll()
	}
	return err
}

// Close closes the log of now.
func (l *rollingLog) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.log.Close()
}
