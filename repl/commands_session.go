package repl

// This file holds the commands for sessions: list, resume and rename.

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"almanac/catalog/text"
	"almanac/catalog/text/cells"
	"almanac/repl/event"
	"almanac/repl/show"
	"almanac/repl/transcript"
	"almanac/session"
	"almanac/session/trace"
)

func sessionCommands() []command {
	return []command{
		{
			name: "sessions", args: "[--interactive] [WORDS]", group: groupMore, run: listSessions,
			brief: "list saved sessions, or those that match WORDS",
			more: "Searches names, prompts and code. Enter, or /resume ID, resumes a session.\n" +
				"Sessions of pipes, -p, scripts and clients are marked; --interactive, or Tab in the list, leaves them out.",
		},
		{
			name: "resume", args: "[ID|NAME]", group: groupMore, run: resume, words: sessionWords,
			brief: "leave this session and resume another",
			more: "Restores its cells, numbers, conversation and globals in a new session; the old log is not changed.\n" +
				"A prefix of an id or a name is enough. Without an argument it lists the sessions.",
		},
		{
			name: "fork", group: groupMore, run: fork,
			brief: "go on in a new session; this one stays as it is",
			more: "The new one has the cells, the conversation and the globals of this one, as after /resume, and a log of its\n" +
				"own. Resume the id of this one to come back to the point where they part.",
		},
		replayCommand(),
		{name: "rename", args: "NAME", group: groupMore, run: rename, brief: "name this session"},
		saveCommand(),
		exportCommand(),
		transcriptCommand(),
		copyCommand(),
	}
}

var errNoLog = errors.New("this session has no log")

// listed is how many sessions /sessions shows.
const listed = 20

func listSessions(_ context.Context, sh *Shell, _ *event.Cell, arg string) error {
	if sh.options.Archive == nil {
		return errNoLog
	}
	words, interactive := cutFlag(strings.TrimSpace(arg), "--interactive")
	words = unquoted(words)
	all, skipped := sh.options.Archive.List(trace.Filter{Words: words, Interactive: interactive})
	for i, err := range skipped {
		if i == 3 {
			sh.say(event.Warning, "and %d more logs cannot be read", len(skipped)-i)
			break
		}
		sh.say(event.Warning, "%v: skipped", err)
	}
	if len(all) == 0 {
		sh.say(event.Notice, "no sessions found")
		return nil
	}
	text := SessionList(all[:min(len(all), listed)], sh.options.Session.ID(), 0)
	if n := len(all) - listed; n > 0 {
		text += fmt.Sprintf("\n… %d more; /sessions WORDS finds them", n)
	}
	sh.feed.Emit(event.Event{
		Kind: event.Opened, Pane: event.SessionsPane, Text: text, Words: words, Interactive: interactive, Cut: true,
	})
	return nil
}

// SessionList shows sessions as a table of rows of at most width cells, or any where width is 0: id, start, cells, and
// the name or the first input. current is marked.
func SessionList(all []trace.Summary, current string, width int) string {
	rows := make([][]string, len(all))
	for i, s := range all {
		mark := " "
		if s.ID == current {
			mark = "*"
		}
		rows[i] = []string{mark + " " + s.ID, transcript.StartText(s.Start), text.Count(s.Cells, "cell"),
			cells.Clip(SessionTitle(s), 80, "…")}
	}
	lines := strings.Split(show.Columns(rows), "\n")
	for i, l := range lines {
		lines[i] = cells.Clip(l, width, "…")
	}
	return strings.Join(lines, "\n")
}

// SessionTitle is a session's name and first input on one line, behind what it was run from where nobody sat before it.
func SessionTitle(s trace.Summary) string {
	first, _, _ := strings.Cut(strings.TrimSpace(s.First), "\n")
	what := text.SanitizeLine(first)
	if s.Name != "" {
		what = text.SanitizeLine(s.Name) + ": " + what
	}
	if !s.Front.Interactive() {
		what = "[" + text.SanitizeLine(string(s.Front)) + "] " + what
	}
	return what
}

// Sessions lists the sessions that are kept and that f takes, newest first; see trace.Archive.List. It reads all logs:
// a screen asks beside its loop.
func (sh *Shell) Sessions(f trace.Filter) []trace.Summary {
	if sh.options.Archive == nil {
		return nil
	}
	all, _ := sh.options.Archive.List(f)
	return all
}

// sessionSource and sessionCells bound what SessionLines shows: lines of one input, and inputs.
const (
	sessionSource = 4
	sessionCells  = 200
)

// SessionLines shows what a session was about: where and when, and its inputs with the first line of what they came to.
// It reads the log: a screen asks beside its loop.
func (sh *Shell) SessionLines(s trace.Summary, o event.RenderOptions) []show.Line {
	m := o.Marks()
	head := fmt.Sprintf("%s %s %s", s.ID, m.Dot, transcript.StartText(s.Start))
	if s.Dir != "" {
		head += " " + m.Dot + " " + text.SanitizeLine(s.Dir)
	}
	lines := []show.Line{show.Dim.Line(head)}
	if s.Resumes != "" {
		lines = append(lines, show.Dim.Line("resumed from "+text.SanitizeLine(s.Resumes)))
	}
	records, _, err := trace.Read(s.Path)
	if err != nil {
		return append(lines, show.Error.Line(text.SanitizeLine(err.Error())))
	}
	cells, _ := transcript.Cells(session.Clean(sh.options.Session, records))
	for i, c := range cells {
		if i == sessionCells {
			lines = append(lines, show.Dim.Line(fmt.Sprintf("%s %s more", m.Cut, text.Count(len(cells)-i, "cell"))))
			break
		}
		lines = append(lines, c.Lines(sessionSource, 1, m)...)
	}
	return lines
}

// unquoted takes the quotes off that a person puts around a name of several words.
func unquoted(text string) string {
	text = strings.TrimSpace(text)
	if n := len(text); n >= 2 && (text[0] == '"' || text[0] == '\'') && text[n-1] == text[0] {
		return strings.TrimSpace(text[1 : n-1])
	}
	return text
}

func resume(ctx context.Context, sh *Shell, c *event.Cell, arg string) error {
	if sh.options.Archive == nil {
		return errNoLog
	}
	if arg = unquoted(arg); arg == "" {
		return listSessions(ctx, sh, c, "")
	}
	s, err := sh.options.Archive.Find(arg)
	if err != nil {
		return err
	}
	if s.ID == sh.options.Session.ID() {
		return fmt.Errorf("%s is this session; /fork goes on from it in a new one", s.ID)
	}
	return sh.leaveFor(s.ID)
}

func fork(_ context.Context, sh *Shell, _ *event.Cell, arg string) error {
	if sh.options.Archive == nil {
		return errNoLog
	}
	if arg != "" {
		return &UsageError{usage: "/fork"}
	}
	return sh.leaveFor(sh.options.Session.ID())
}

// leaveFor ends this session; the front end goes on with the one named.
func (sh *Shell) leaveFor(id string) error {
	sh.mu.Lock()
	defer sh.mu.Unlock()
	sh.next = id
	return errQuit
}

// Next is the id of the session that the person left this one for; empty when there is none.
func (sh *Shell) Next() string {
	sh.mu.Lock()
	defer sh.mu.Unlock()
	return sh.next
}

func rename(_ context.Context, sh *Shell, _ *event.Cell, arg string) error {
	name := strings.Join(strings.Fields(unquoted(arg)), " ")
	if name == "" {
		return &UsageError{usage: "/rename NAME"}
	}
	if sh.options.Record == nil {
		return errNoLog
	}
	if err := sh.record(trace.Record{Kind: trace.KindName, Text: name}); err != nil {
		return err
	}
	sh.say(event.Notice, "session named %s", name)
	return nil
}
