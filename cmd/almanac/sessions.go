// This file lists the sessions that are kept, shows one, and makes a new session go on from an earlier one.

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"almanac/catalog/text"
	"almanac/llm"
	"almanac/repl"
	"almanac/session"
	"almanac/session/trace"
)

type sessionsCommand struct {
	List sessionsList `cmd:"" default:"withargs" help:"List sessions, newest first (the default); with words those whose name, prompts or code hold them."`
	Show sessionsShow `cmd:"" help:"Show one session, with those that it goes on from."`
}

type sessionsList struct {
	Words       []string `arg:"" optional:"" help:"What to look for."`
	All         bool     `help:"List all, not only the newest."`
	Interactive bool     `help:"Leave out those of pipes, -p, scripts and clients."`
}

// listedSessions is how many sessions are listed without --all.
const listedSessions = 30

// Run lists the sessions.
func (c sessionsList) Run(cli *commandLine, p *program) error {
	all, skipped := cli.archive().List(trace.Filter{Words: strings.Join(c.Words, " "), Interactive: c.Interactive})
	for _, err := range skipped {
		fmt.Fprintf(p.stderr, "%v: skipped\n", err)
	}
	more := 0
	if !c.All && len(all) > listedSessions {
		more = len(all) - listedSessions
		all = all[:listedSessions]
	}
	switch cli.Output {
	case "json":
		return p.printJSON(slices.Concat([]trace.Summary{}, all))
	case "jsonl":
		enc := json.NewEncoder(p.stdout)
		for _, s := range all {
			if err := enc.Encode(s); err != nil {
				return err
			}
		}
		return nil
	}
	if len(all) == 0 {
		fmt.Fprintln(p.stderr, "no sessions found")
		return nil
	}
	fmt.Fprintln(p.stdout, repl.SessionList(all, "", p.width()))
	if more > 0 {
		fmt.Fprintf(p.stderr, "%d more: --all lists them\n", more)
	}
	return nil
}

type sessionsShow struct {
	ID   string `arg:"" help:"An id, a name, or the beginning of one."`
	Form string `enum:"md,lua,jsonl" default:"md" help:"How: md to read, lua to run again, jsonl for every record."`
}

// Run writes the session to standard output.
func (c sessionsShow) Run(cli *commandLine, p *program) error {
	thread, err := cli.thread(c.ID)
	if err != nil {
		return err
	}
	for _, n := range thread.Notices {
		fmt.Fprintln(p.stderr, n)
	}
	form, err := repl.ParseFormat(c.Form)
	if err != nil {
		return err
	}
	return repl.WriteSession(p.stdout.shown(), thread.Records, form)
}

// archive is where the sessions are kept.
func (cli *commandLine) archive() trace.Archive {
	return trace.Archive{Dir: filepath.Join(cli.dataDir(), "sessions")}
}

// thread reads the session that name means.
func (cli *commandLine) thread(name string) (trace.Thread, error) {
	s, err := cli.archive().Find(name)
	if err != nil {
		return trace.Thread{}, notFound(err)
	}
	t, err := cli.archive().Thread(s)
	if err != nil {
		return trace.Thread{}, misconfigured(err)
	}
	return t, nil
}

// notFound is a usage error for a session that is not there, and one of the configuration for one that cannot be read.
func notFound(err error) error {
	var none *trace.NotFoundError
	if errors.As(err, &none) {
		return &exitError{exitUsage, err}
	}
	return misconfigured(err)
}

// pick finds the session that --continue or --resume means.
func (c replCommand) pick(cli *commandLine, p *program) (err error) {
	switch {
	case c.Resume == "" && !c.Continue:
		return nil
	case c.Resume != "" && c.Continue:
		return usage("--continue and --resume cannot be used together")
	case c.Eval != nil:
		return usage("-e runs in a session of its own: --resume and --continue go with the terminal, a pipe and -p")
	case c.Resume != "":
		cli.past, err = cli.thread(c.Resume)
		return err
	}
	dir, _ := os.Getwd()
	latest, skipped, err := cli.archive().Latest(dir)
	for _, bad := range skipped {
		fmt.Fprintf(p.stderr, "%v: skipped\n", bad)
	}
	if err != nil {
		return notFound(err)
	}
	if cli.past, err = cli.archive().Thread(latest); err != nil {
		return misconfigured(err)
	}
	return nil
}

// goOn gives the new session what the earlier one left, and notes in w what that was.
func (cli *commandLine) goOn(ctx context.Context, w *wired) error {
	t := cli.past
	if t.ID == "" {
		return nil
	}
	state, covers, notices := t.State()
	cells, _ := repl.PastCells(t.Records)
	line := fmt.Sprintf("session %s goes on: %s", t.ID, text.Count(len(cells), "cell"))
	if t.Name != "" {
		line += ", " + t.Name
		if err := w.log.Append(trace.Record{Time: time.Now(), Kind: trace.KindName, Text: t.Name}); err != nil {
			return misconfigured(err)
		}
	}
	err := w.session.Resume(ctx, session.State(state), describedBefore(t.Records))
	var unfit *session.StateError
	switch {
	case errors.As(err, &unfit):
		notices = append(notices, fmt.Sprintf("the globals did not come back: %s", unfit.Reason))
		_, covers, _ = trace.Thread{Records: t.Records}.State()
	case err != nil:
		return err
	case len(state.Bytes) > 0:
		line += fmt.Sprintf(", %s as of %s", text.Count(len(repl.Named(w.session.Globals())), "global"), state.Label)
	}
	w.past = repl.Past{Records: t.Records, Restored: covers}
	notices = append(notices, w.past.Unended()...)
	if n := w.past.Pending(); n > 0 {
		notices = append(notices, fmt.Sprintf("%s left globals that are not back: /replay runs them again, and changes no data", text.Count(n, "script")))
	}
	w.resumed = slices.Concat([]string{line}, t.Notices, notices)
	return nil
}

// tellResumed says on standard error what the session goes on from.
func (w *wired) tellResumed(p *program) {
	for _, line := range w.resumed {
		fmt.Fprintln(p.stderr, text.SanitizeLine(line))
	}
}

// describedBefore lists the ids that were described, so that the model need not ask again.
func describedBefore(records []trace.Record) []string {
	var ids []string
	for _, r := range records {
		if r.Kind == trace.KindDescribe {
			ids = append(ids, r.IDs...)
		}
	}
	return ids
}

// records are those of the session and of all that it goes on from.
func (w *wired) records() ([]trace.Record, error) {
	own, _, err := trace.Read(w.log.Path())
	return slices.Concat(w.past.Records, own), err
}

// keepMessage puts a message of the conversation into the log. A log that is full tells so with the next run.
func (w *wired) keepMessage(m llm.Message) {
	text, err := json.Marshal(m)
	if err == nil {
		_ = w.log.Append(trace.Record{Time: time.Now(), Kind: trace.KindMessage, Message: text})
	}
}

// saidBefore is the conversation that the records tell of, since it was emptied last.
func saidBefore(records []trace.Record) []llm.Message {
	var messages []llm.Message
	for _, r := range records {
		switch r.Kind {
		case trace.KindForget:
			messages = nil
		case trace.KindMessage:
			var m llm.Message
			if json.Unmarshal(r.Message, &m) == nil {
				messages = append(messages, m)
			}
		}
	}
	return messages
}
