package main

// This file tells others what clients of the gateway do: the audit log, metrics and traces.

import (
	"context"
	"errors"
	"net/http"
	"os"
	"sync/atomic"
	"time"

	"almanac/session/gateway"
	"almanac/session/gateway/audit"
	"almanac/session/gateway/telemetry"
)

// A watched gateway is one whose clients are told of.
type watched struct {
	served    *served
	log       *audit.Log
	telemetry *telemetry.Telemetry
	gateway   atomic.Pointer[gateway.Gateway] // nil until there is one
}

// watch opens what is to be told; nothing is opened that no flag or variable asks for.
func (c serveCommand) watch(ctx context.Context, p *program, s *served) (*watched, error) {
	w := &watched{served: s}
	var err error
	switch {
	case (c.Metrics || c.Status) && c.HTTP == "":
		return nil, errors.New("--metrics and --status: need --http")
	case c.Audit == "":
	case c.Audit == "-" && c.HTTP == "":
		return nil, errors.New("--audit -: needs --http: over stdio, standard output carries the protocol")
	case c.Audit == "-":
		w.log = audit.To(p.stdout, s.cli.credentials.filter)
	default:
		if w.log, err = audit.Open(c.Audit, s.cli.credentials.filter); err != nil {
			return nil, err
		}
	}
	w.telemetry, err = telemetry.New(ctx, telemetry.Options{
		Version: version, Prometheus: c.Metrics, Getenv: os.Getenv, Now: w.now, Log: s.note,
	})
	return w, err
}

// now is what there is at a moment.
func (w *watched) now() telemetry.Now {
	n := telemetry.Now{Sources: map[string]int{}}
	if g := w.gateway.Load(); g != nil {
		now := g.Now()
		n.Sessions, n.Connections, n.Running, n.Waiting = now.Sessions, now.Connections, now.Running, now.Waiting
	}
	for _, one := range w.served.feed.loader.Status() {
		n.Sources[string(one.State)]++
	}
	return n
}

// sources are those of the status page.
func (w *watched) sources() (all []gateway.Source) {
	for _, one := range w.served.feed.loader.Status() {
		shown := gateway.Source{Name: one.Name, State: string(one.State), Actions: one.Loaded}
		err := one.Err
		if err == nil {
			err = one.Health
		}
		if err != nil {
			shown.Error = w.served.cli.credentials.filter.Text(err.Error())
		}
		all = append(all, shown)
	}
	return all
}

// observe is for gateway.Options; nil where there is nobody to tell.
func (w *watched) observe() func(*audit.Record) error {
	if w.log == nil && w.telemetry == nil {
		return nil
	}
	return func(r *audit.Record) error {
		if w.telemetry != nil {
			w.telemetry.Observe(r)
		}
		if w.log != nil {
			return w.log.Write(*r)
		}
		return nil
	}
}

// handler answers Prometheus; nil where that is not asked for.
func (w *watched) handler() http.Handler {
	if w.telemetry == nil {
		return nil
	}
	return w.telemetry.Handler()
}

// reopen opens files again that others may have moved away.
func (w *watched) reopen() error {
	if w.log == nil {
		return nil
	}
	return w.log.Reopen()
}

// lastSend is how long what is left may take to be sent at the end.
const lastSend = 5 * time.Second

func (w *watched) close() {
	if w.telemetry != nil {
		ctx, cancel := context.WithTimeout(context.Background(), lastSend)
		defer cancel()
		if err := w.telemetry.Close(ctx); err != nil {
			w.served.note("telemetry: %v", err)
		}
	}
	if w.log != nil {
		_ = w.log.Close()
	}
}
