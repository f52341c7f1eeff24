package main

// This file tells others what clients of the gateway do: the audit log.

import (
	"errors"

	"almanac/session/gateway/audit"
)

// A watched gateway is one whose clients are told of.
type watched struct{ log *audit.Log }

// watch opens what is to be told; nothing is opened that no flag asks for.
func (c serveCommand) watch(p *program, cli *commandLine) (*watched, error) {
	w := &watched{}
	var err error
	switch {
	case c.Audit == "":
	case c.Audit == "-" && c.HTTP == "":
		return nil, errors.New("--audit -: needs --http: over stdio, standard output carries the protocol")
	case c.Audit == "-":
		w.log = audit.To(p.stdout, cli.credentials.filter)
	default:
		w.log, err = audit.Open(c.Audit, cli.credentials.filter)
	}
	return w, err
}

// observe is for gateway.Options; nil where there is nobody to tell.
func (w *watched) observe() func(*audit.Record) error {
	if w.log == nil {
		return nil
	}
	return func(r *audit.Record) error { return w.log.Write(*r) }
}

// reopen opens files again that others may have moved away.
func (w *watched) reopen() error {
	if w.log == nil {
		return nil
	}
	return w.log.Reopen()
}

func (w *watched) close() {
	if w.log != nil {
		_ = w.log.Close()
	}
}
