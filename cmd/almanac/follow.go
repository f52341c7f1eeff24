// This file is about a session that another process has open: it says so, and reads along.

package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"almanac/catalog/task"
	"almanac/repl/event"
	"almanac/repl/transcript"
	"almanac/session/trace"
)

// openElsewhere says who has the session open; empty when nobody has.
func openElsewhere(s trace.Summary) string {
	if !trace.Held(s.Path) {
		return ""
	}
	return fmt.Sprintf("session %s is open in process %d since %s", s.ID, s.Process, transcript.StartText(s.Start))
}

// shareOrLeave asks the person what to do about a session that another process has open; left tells that it is not to
// be resumed. Where nobody can be asked it is forked; resume tells of it.
func (cli *commandLine) shareOrLeave(ctx context.Context, p *program) (left bool, err error) {
	held := openElsewhere(cli.past.Summary)
	if held == "" || !typed(p.stdin) || terminalOf(p.stderr) == nil {
		return false, nil
	}
	fmt.Fprintf(p.stderr, "%s\nfork: a new session with its cells, conversation and globals as of now\n"+
		"watch: read along here, without a prompt\n", held)
	switch p.choose("Fork, watch or leave? [f/w/L] ", "leave", "fork", "watch") {
	case "fork":
		return false, nil
	case "watch":
		return true, cli.watch(ctx, p, cli.past.Summary)
	}
	return true, nil
}

// watchPace is how often a log is looked at for news.
const watchPace = 250 * time.Millisecond

// watch prints what the session has done and goes on to do, until it ends or ctx does.
func (cli *commandLine) watch(ctx context.Context, p *program, s trace.Summary) error {
	width := 0
	if out := p.stdout.terminal(); out != nil {
		width = columns(out)
	}
	printed, size := 0, int64(-1)
	for {
		live := trace.Held(s.Path)
		info, err := os.Stat(s.Path)
		if err != nil {
			return misconfigured(err)
		}
		if info.Size() != size || !live {
			size = info.Size()
			records, _, err := trace.Read(s.Path)
			if err != nil {
				return misconfigured(err)
			}
			if live {
				records = settled(records)
			}
			lines := transcript.Lines(records, width, event.RenderOptions{})
			for _, l := range lines[min(printed, len(lines)):] {
				fmt.Fprintln(p.stdout.shown(), l.String())
			}
			printed = max(printed, len(lines))
		}
		if !live {
			fmt.Fprintf(p.stderr, "session %s has ended\n", s.ID)
			return nil
		}
		if task.Sleep(ctx, watchPace) != nil {
			return nil
		}
	}
}

// settled is the records without the last that later ones may change the lines of: calls are folded, questions
// answered.
func settled(records []trace.Record) []trace.Record {
	n := len(records)
	for n > 0 && records[n-1].Call != nil {
		n--
	}
	return records[:n]
}
