package repl

// This file runs sessions again from their logs: to compare, and to get globals back.

import (
	"context"
	"strings"

	"almanac/catalog/text"
	"almanac/repl/event"
	"almanac/repl/replay"
	"almanac/session"
	"almanac/session/trace"
)

const replayUsage = "/replay [--live] [ID|NAME], or /replay --here"

func replayCommand() command {
	return command{
		name: "replay", args: "[--live] [ID|NAME]", group: groupMore, run: replaySession, words: sessionWords,
		brief: "run this session, or another, again and show what differs",
		more: "All cells run again beside this session, which stays as it is. Nothing is called: time, random numbers\n" +
			"and results come from the log. --live makes reads for real and shows what they return today.\n" +
			"/replay --here runs the scripts again in this session whose globals did not come back after a resume.",
	}
}

func replaySession(ctx context.Context, sh *Shell, _ *event.Cell, arg string) error {
	var live, here bool
	var words []string
	for _, word := range strings.Fields(arg) {
		switch {
		case word == "--live":
			live = true
		case word == "--here":
			here = true
		case strings.HasPrefix(word, "--"):
			return &UsageError{usage: replayUsage}
		default:
			words = append(words, word)
		}
	}
	name := strings.Join(words, " ")
	if here {
		if live || name != "" {
			return &UsageError{usage: replayUsage}
		}
		return sh.replayHere(ctx)
	}
	if sh.options.Replay == nil {
		return errNoLog
	}
	thread, err := sh.thread(unquoted(name))
	if err != nil {
		return err
	}
	report, err := replay.Run(ctx, thread.Records, sh.options.Replay(thread, live))
	if err != nil {
		return err
	}
	lines := report.Lines()
	last := len(lines) - 1
	for _, line := range lines[:last] {
		sh.say(event.Plain, "%s", sh.options.Session.Redact(line))
	}
	sh.say(event.Notice, "%s", lines[last])
	return nil
}

// thread is the session called so with those that it went on from, or this one without a name.
func (sh *Shell) thread(name string) (t trace.Thread, err error) {
	if name == "" {
		t.Records, err = sh.log()
		return t, err
	}
	if sh.options.Archive == nil {
		return t, errNoLog
	}
	s, err := sh.options.Archive.Find(name)
	if err != nil {
		return t, err
	}
	t, err = sh.options.Archive.Thread(s)
	for _, notice := range t.Notices {
		sh.say(event.Warning, "%s", notice)
	}
	t.Records = session.Clean(sh.options.Session, t.Records)
	return t, err
}

// replayHere runs the scripts again in this session whose globals were not restored. It continues after a failure.
func (sh *Shell) replayHere(ctx context.Context) error {
	sh.mu.Lock()
	pending := sh.pending
	sh.pending = nil
	sh.mu.Unlock()
	if len(pending) == 0 {
		sh.say(event.Notice, "nothing to replay here: all globals were restored")
		return nil
	}
	var o replay.Options
	if sh.options.Replay != nil {
		o = sh.options.Replay(trace.Thread{}, false)
	}
	ran := 0
	for i, r := range pending {
		if err := ctx.Err(); err != nil {
			sh.mu.Lock()
			sh.pending = pending[i:]
			sh.mu.Unlock()
			return err
		}
		script, err := replay.Script(r, o)
		if err != nil {
			sh.say(event.Warning, "[%d] %v", r.Cell, err)
		}
		script.Cell = 0
		out, err := sh.options.Session.Run(ctx, script)
		if err != nil {
			return err
		}
		if out.Err != nil {
			sh.say(event.Warning, "[%d] failed: %s", r.Cell, out.Err)
			continue
		}
		ran++
	}
	sh.say(event.Notice, "replayed %d of %s from the log; nothing was called", ran, text.Count(len(pending), "script"))
	return nil
}
