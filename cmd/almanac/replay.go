package main

// This file runs a saved session again and says where it comes to something else.

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"almanac/catalog"
	"almanac/repl/replay"
	"almanac/session"
	"almanac/session/kept"
	"almanac/session/trace"
	"almanac/session/vm"
)

type replayCommand struct {
	ID    string `arg:"" help:"Session id, name, or a prefix of either."`
	Check bool   `help:"Exit with 1 if something differs, and with 2 if something could not be compared or is damaged; without it, with 0 once the session was run again."`
	Live  bool   `help:"Make reads for real, and show what they return today. Writes are never made."`
	JSON  bool   `help:"Print JSON."`
}

// Run replays the session with all that it resumed. No call is made, but for the reads of --live.
func (c replayCommand) Run(ctx context.Context, cli *commandLine, p *program) (err error) {
	if c.Check {
		defer func() {
			var told *exitError
			if err != nil && (!errors.As(err, &told) || told.Err != nil) {
				err = &exitError{exitUsage, err}
			}
		}()
	}
	format, err := cli.format("json")
	if err != nil {
		return err
	}
	thread, err := cli.thread(c.ID)
	if err != nil {
		return err
	}
	_, _, cut := thread.State()
	damage := slices.Concat(thread.Notices, cut)
	for _, n := range damage {
		fmt.Fprintln(p.stderr, n)
	}
	w := &app{}
	defer w.Close()
	view, err := cli.openView(ctx, w, false)
	if err != nil {
		return err
	}
	report, err := replay.Run(ctx, thread.Records, cli.replayOptions(view, thread, c.Live))
	if err != nil {
		return misconfigured(err)
	}
	if c.JSON || format == "json" {
		err = p.printJSON(struct {
			*replay.Report
			Sum    string   `json:"sum"`
			Damage []string `json:"damage,omitempty"`
		}{report, report.Sum(), damage})
	} else {
		for _, line := range report.Lines() {
			fmt.Fprintln(p.stdout, line)
		}
	}
	switch {
	case err != nil || !c.Check:
		return err
	case report.Differs() > 0:
		return &exitError{Code: exitFailed}
	case len(damage) > 0 || report.Incomplete() > 0 || report.Skipped() == report.Cells+report.Loose:
		// Not all of it, or nothing, was compared.
		return &exitError{Code: exitUsage}
	}
	return nil
}

// replayOptions say how a session and those it resumed run again.
func (cli *commandLine) replayOptions(view *catalog.View, t trace.Thread, live bool) replay.Options {
	state, _, _ := t.State()
	return replay.Options{
		View: view, State: session.State(state), Whole: wholeOf(t.Logs), Live: live,
		Session: session.Options{
			Secrets: cli.credentials.filter, CheckResults: cli.CheckResults,
			Context:    cli.hostContext(),
			UserLimits: vm.Limits{Time: cli.LuaTime}, Limits: vm.Limits{Time: cli.Limits.ModelTime}, Budget: cli.budget(),
		},
	}
}

// wholeOf finds values that are kept beside logs.
func wholeOf(logs []string) func(digest string) ([]byte, error) {
	return func(digest string) (data []byte, err error) {
		err = fs.ErrNotExist
		for _, path := range slices.Backward(logs) {
			var store *kept.Store
			if store, err = kept.Open(trace.KeptPath(path)); err != nil {
				continue
			}
			data, err = store.Get(digest)
			if err = errors.Join(err, store.Close()); err == nil {
				return data, nil
			}
		}
		return nil, err
	}
}
