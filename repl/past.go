package repl

// This file shows the log of this session and of those that it goes on from.

import (
	"context"
	"strings"

	"almanac/repl/event"
	"almanac/repl/show"
	"almanac/repl/transcript"
	"almanac/session"
	"almanac/session/trace"
)

func transcriptCommand() command {
	return command{
		name: "transcript", group: groupMore, aside: true, run: showTranscript,
		brief: "everything in this session and those it resumed",
		more:  "Read from the log, where long values are cut at 4 KiB. Full calls: /trace N.M. To a file: /export FILE.md.",
	}
}

func showTranscript(_ context.Context, sh *Shell, _ *event.Cell, _ string) error {
	lines, err := sh.Transcript(0, event.RenderOptions{Options: show.Options{ASCII: sh.options.ASCII}})
	if err != nil {
		return err
	}
	text := make([]string, len(lines))
	for i, l := range lines {
		text[i] = l.String()
	}
	sh.feed.Emit(event.Event{Kind: event.Opened, Pane: event.TranscriptPane, Text: strings.Join(text, "\n")})
	return nil
}

// Transcript shows the records of this session and of those that it goes on from, at most width cells wide where words
// allow it; 0 means no limit. It reads the log: a screen asks beside its loop.
func (sh *Shell) Transcript(width int, o event.RenderOptions) ([]show.Line, error) {
	records, err := sh.log()
	if err != nil {
		return nil, err
	}
	return transcript.Lines(records, width, o), nil
}

// log is what was recorded in this session and in those that it goes on from, without the secrets of now: a log of old
// may hold what was none then.
func (sh *Shell) log() ([]trace.Record, error) {
	if sh.options.Log == nil {
		return nil, errNoLog
	}
	records, err := sh.options.Log()
	return session.Clean(sh.options.Session, records), err
}

// EarlierLines are the last cells of the session that this one goes on from, dim, with the first lines of what each
// came to; none where it begins anew.
func (sh *Shell) EarlierLines(o event.RenderOptions) []show.Line {
	past := sh.options.Past
	past.Records = session.Clean(sh.options.Session, past.Records)
	return past.Lines(o)
}

// takeIn makes the cells of an earlier session those of this one.
func (sh *Shell) takeIn(p transcript.Past) {
	cells, since := transcript.Cells(session.Clean(sh.options.Session, p.Records))
	for _, c := range cells {
		sh.cells = append(sh.cells, c.Cell)
		sh.last = max(sh.last, c.N)
	}
	sh.cells = sh.cells[max(0, len(sh.cells)-keptCells):]
	sh.since, sh.taken = since, sh.last
	sh.feed.Restore(p.Setters())
	sh.pending = p.Pending()
}

// wentBack takes in from the log which cells count after the globals went to another state, what became of their
// effects, and who set what.
func (sh *Shell) wentBack() {
	records, err := sh.log()
	if err != nil {
		return // without a log nobody is named, and all cells count
	}
	sh.feed.Restore(transcript.SettersOf(records))
	counts, gone := map[int]bool{}, map[string]bool{}
	cells, since := transcript.Cells(records)
	for _, c := range cells {
		if len(c.Runs) > 0 {
			counts[c.N] = c.Replay
		}
		for _, r := range c.Runs {
			gone[r.ID] = r.Undone
		}
	}
	sh.mu.Lock()
	defer sh.mu.Unlock()
	sh.since = since
	for i, c := range sh.cells {
		if replay, known := counts[c.N]; known {
			sh.cells[i].Replay = replay
		}
		sh.cells[i].Effects = session.TakenBack(c.Effects, func(run string) bool { return gone[run] })
	}
}
