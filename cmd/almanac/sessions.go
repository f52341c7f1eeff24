// This file lists saved sessions, shows one, and resumes one.

package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"almanac/catalog/text"
	"almanac/repl"
	"almanac/repl/event"
	"almanac/repl/transcript"
	"almanac/session"
	"almanac/session/kept"
	"almanac/session/policy"
	"almanac/session/trace"
)

type sessionsCommand struct {
	List sessionsList `cmd:"" default:"withargs" help:"List sessions, newest first (default); WORDS filter by name, prompts and code."`
	Show sessionsShow `cmd:"" help:"Show a session, including those it resumed."`
}

type sessionsList struct {
	Words       []string `arg:"" optional:"" help:"Words to look for."`
	All         bool     `help:"List all sessions, not only the newest."`
	Interactive bool     `help:"Leave out sessions of pipes, -p, scripts and clients."`
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
	ID     string `arg:"" help:"Session id, name, or a prefix of either."`
	Follow bool   `help:"Go on printing what happens in a session that is open, until it ends."`
	Form   string `enum:"md,lua,jsonl" default:"md" help:"Format: md to read, lua to run again, jsonl for every record."`
	JSON   bool   `help:"Print what the session is and what it cost, as --output json does."`
}

// Run prints the session.
func (c sessionsShow) Run(ctx context.Context, cli *commandLine, p *program) error {
	thread, err := cli.thread(c.ID)
	if err != nil {
		return err
	}
	for _, n := range thread.Notices {
		fmt.Fprintln(p.stderr, n)
	}
	if c.JSON || cli.Output == "json" {
		return p.printJSON(costOf(thread))
	}
	if c.Follow {
		return cli.watch(ctx, p, thread.Summary)
	}
	form, err := transcript.ParseFormat(c.Form)
	if err != nil {
		return err
	}
	return transcript.Write(p.stdout.shown(), thread.Records, form)
}

// archive holds the saved sessions.
func (cli *commandLine) archive() trace.Archive {
	return trace.Archive{Dir: filepath.Join(cli.dataDir(), "sessions")}
}

// thread reads the session with that name, id or prefix.
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

// notFound is a usage error for an unknown session, and a configuration error for an unreadable one.
func notFound(err error) error {
	var none *trace.NotFoundError
	if errors.As(err, &none) {
		return &exitError{exitUsage, err}
	}
	return misconfigured(err)
}

// pick finds the session for --continue or --resume.
func (c replCommand) pick(cli *commandLine, p *program) (err error) {
	switch {
	case c.Resume == "" && !c.Continue:
		return nil
	case c.Resume != "" && c.Continue:
		return usage("--continue and --resume cannot be used together")
	case c.Eval != nil:
		return usage("-e runs in a new session: use --resume and --continue with the terminal, a pipe or -p")
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

// resume restores the earlier session's state in the new one, and keeps in w the lines that report it.
func (cli *commandLine) resume(ctx context.Context, w *app) error {
	t := cli.past
	if t.ID == "" {
		return nil
	}
	state, covers, notices := lastState(t)
	cells, _ := transcript.Cells(t.Records)
	line := fmt.Sprintf("resumed %s (%s", t.ID, text.Count(len(cells), "cell"))
	if t.Name != "" {
		line = fmt.Sprintf("resumed %s, %s (%s", t.ID, t.Name, text.Count(len(cells), "cell"))
		if err := w.log.Append(trace.Record{Time: time.Now(), Kind: trace.KindName, Text: t.Name}); err != nil {
			return misconfigured(err)
		}
	}
	began := trace.Record{Kind: trace.KindResume}
	err := w.session.Resume(ctx, state, describedBefore(t.Records))
	var unfit *session.StateError
	switch {
	case errors.As(err, &unfit):
		notices = append(notices, fmt.Sprintf("globals not restored: %s", unfit.Reason))
		_, covers, _ = trace.Thread{Records: t.Records}.State()
	case err != nil:
		return err
	case len(state.Bytes) > 0:
		began.Run, began.Text = state.Run, state.Label
		line += fmt.Sprintf("; %s from %s", text.Count(len(event.Named(w.session.Globals())), "global"), state.Label)
	}
	began.Time = time.Now()
	w.session.Recall(usedBefore(t.Records))
	if err := w.log.Append(began); err != nil {
		return misconfigured(err)
	}
	notices = append(notices, resumeHistory(ctx, w.session, t)...)
	notices = append(notices, redirect(w.session, t)...)
	models, noModel := cli.models()
	now, was := models.first.String(), modelBefore(t.Records)
	if noModel == nil && len(saidBefore(t.Records)) > 0 {
		line += "; model " + now
		if was != "" && was != now {
			notices = append(notices, fmt.Sprintf("the conversation was with %s: /model %s goes back", was, was))
		}
	}
	line += ")"
	w.past = transcript.Past{Records: t.Records, Restored: covers}
	notices = slices.Concat(notices, resumeCutOff(w.session, w.past.CutOff()), w.past.Unended())
	if n := len(w.past.Pending()); n > 0 {
		notices = append(notices,
			fmt.Sprintf("globals of %s were not restored: /replay --here runs them again from the log", text.Count(n, "script")))
	}
	told, err := cli.resumeRoles(w.session, t.Records)
	if err != nil {
		return misconfigured(err)
	}
	notices = append(notices, told...)
	said, err := cli.resumePolicy(w.session, t.Records)
	if err != nil {
		return misconfigured(err)
	}
	notices = append(notices, said...)
	if held := openElsewhere(t.Summary); held != "" {
		notices = append(notices, held+": this is a fork of it; from here neither sees what the other does")
	}
	w.resumed = slices.Concat([]string{line}, t.Notices, notices)
	return nil
}

// lastState is what the thread left: the state beside a log, or a newer one among the earlier states that are kept,
// where that beside the log is lost. It covers that many of the thread's records.
func lastState(t trace.Thread) (state session.State, covers int, notices []string) {
	beside, covers, notices := t.State()
	state = session.State(beside)
	for _, log := range slices.Backward(t.Logs) {
		store, err := kept.Open(trace.KeptPath(log))
		if err != nil {
			continue // resumeHistory tells
		}
		found, err := session.KeptState(store, func(run string) bool { return t.Covers(run) > covers })
		if store.Close() == nil && err == nil && len(found.Bytes) > 0 {
			return found, t.Covers(found.Run), append(notices, fmt.Sprintf(
				"the globals are those kept for /undo: the state that belongs beside session log %s is missing", log))
		}
	}
	return state, covers, notices
}

// resumeHistory takes the earlier states over from the newest session of the thread that has some.
func resumeHistory(ctx context.Context, s *session.Session, t trace.Thread) (notices []string) {
	for _, log := range slices.Backward(t.Logs) {
		store, err := kept.Open(trace.KeptPath(log))
		if err == nil {
			err = errors.Join(s.ResumeHistory(ctx, store, t.Left), store.Close())
		}
		if err == nil {
			break
		}
		if !errors.Is(err, fs.ErrNotExist) {
			notices = append(notices, fmt.Sprintf("earlier states not restored: %v", err))
		}
	}
	return notices
}

// resumeCutOff says what scripts wrote that were cut off, and has /undo --compensate take it back.
func resumeCutOff(s *session.Session, cutOff []transcript.Run) (notices []string) {
	for _, r := range cutOff {
		run := session.PointRun{ID: r.ID, Label: "a run", Cell: r.Cell, Author: r.Author}
		if r.Cell > 0 {
			run.Label = fmt.Sprintf("cell %d", r.Cell)
		}
		s.ResumeWrites(run, r.Calls)
		notices = append(notices, r.Written()+"; /undo --compensate takes back what can be")
	}
	return notices
}

// resumePolicy makes the policy as strict as the earlier session's was at its end, unless --policy asks for another. It
// says so, and which grants are gone.
func (cli *commandLine) resumePolicy(s *session.Session, records []trace.Record) (notices []string, err error) {
	said := ""
	stricter := []policy.Mode{policy.ReadOnly, policy.Ask, policy.Session}
	p, ended := s.Policy(), session.PolicyAtEnd(records)
	now := cmp.Or(p.Mode, policy.ReadOnly)
	if i := slices.Index(stricter, ended); i >= 0 && i < slices.Index(stricter, now) {
		if cli.origins["policy"] {
			said = fmt.Sprintf("policy %s, as --policy says: the earlier session ended with %s", now, ended)
		} else {
			p.Mode, p.Named = ended, true
			if err := s.SetPolicy(p); err != nil {
				return nil, err
			}
			said = fmt.Sprintf("policy %s, as the earlier session ended; /policy %s changes it", ended, now)
		}
	}
	if granted := session.GrantedAtEnd(records); len(granted) > 0 {
		if said != "" {
			said += "; "
		}
		said += fmt.Sprintf("%s of the earlier session dropped: %s; /policy allow gives one again",
			text.Count(len(granted), "grant"), strings.Join(granted, "; "))
	}
	if said != "" {
		notices = append(notices, said)
	}
	return notices, nil
}

// redirect keeps narrowed and set what effects of the earlier sessions narrowed and set, as far as that was not taken
// back.
func redirect(s *session.Session, t trace.Thread) (notices []string) {
	for _, r := range t.Records {
		applied, err := r.Effects, error(nil)
		if r.Kind == trace.KindOutcome && (r.Mode == trace.ModeRun || r.Mode == trace.ModeFresh) {
			applied, err = session.AppliedBy(r.Ended, wholeOf(t.Logs))
		}
		if err = errors.Join(err, s.Redirect(applied)); err != nil {
			notices = append(notices, fmt.Sprintf("effects of an earlier session: %v", err))
		}
	}
	return notices
}

// reportResumed prints on standard error which session was resumed.
func (w *app) reportResumed(p *program) {
	for _, line := range w.resumed {
		fmt.Fprintln(p.stderr, text.SanitizeLine(line))
	}
}

// describedBefore lists the ids described earlier, so that the model need not ask again.
func describedBefore(records []trace.Record) []string {
	var ids []string
	for _, r := range records {
		if r.Kind == trace.KindDescribe {
			ids = append(ids, r.IDs...)
		}
	}
	return ids
}

// usedBefore lists the ids described and called with success earlier, latest last, for searches to go on from.
func usedBefore(records []trace.Record) []string {
	var ids []string
	for _, r := range records {
		switch {
		case r.Kind == trace.KindDescribe:
			ids = append(ids, r.IDs...)
		case r.Kind == trace.KindCall && r.Call != nil && r.Call.Verdict == trace.OK && r.Call.Depth == 0:
			ids = append(ids, r.Call.ID)
		}
	}
	return ids
}

// records are those of this session and of all that it resumed.
func (w *app) records() ([]trace.Record, error) {
	own, _, err := trace.Read(w.log.Path())
	return slices.Concat(w.past.Records, own), err
}

// modelBefore is the model that answered last; empty where no record says so.
func modelBefore(records []trace.Record) (name string) {
	for _, m := range saidBefore(records) {
		name = cmp.Or(m.Model, name)
	}
	return name
}
