package repl

// This file is the Shell: its state, and how Handle processes an input.

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"almanac/catalog"
	"almanac/catalog/media"
	"almanac/catalog/source"
	"almanac/catalog/task"
	"almanac/catalog/team"
	"almanac/catalog/text"
	"almanac/llm"
	"almanac/prelude"
	"almanac/repl/event"
	"almanac/repl/input"
	"almanac/repl/replay"
	"almanac/repl/transcript"
	"almanac/session"
	"almanac/session/policy"
	"almanac/session/trace"
	"almanac/session/vm"
)

// Options configure a Shell.
type Options struct {
	// Session is the Lua world; required. Its options are those of Feed.Session.
	Session *session.Session
	// Conversation is the model's end; without a Provider as its target, or nil, there is no model. Its options are those
	// of Feed.Conversation.
	Conversation *llm.Conversation
	// NoModel is what asking answers when there is no model: how to get one. Nil means a default text.
	NoModel error
	// Local is offered where there is no model; nil where there is one, or nobody can be asked.
	Local *Local
	// Targets are the models that /model lists and chooses by name.
	Targets []llm.Target
	// Server is where the models are that Targets does not name; without a Provider there is none.
	Server llm.Target
	// Notes tells which files of the project are part of the model's prompt, and which are not; empty where there are
	// none.
	Notes string
	// Tools says what the model has in place of the three tools; nil where it has those.
	Tools func() string
	// Team is the session's membership of its team, or why it has none now; nil where there is no team.
	Team func() (*team.Team, error)
	// Once says that the shell has one input and ends: nothing is said of what could be typed next.
	Once bool
	// Sources is where the session's catalog comes from; nil when it never changes.
	Sources *source.Loader
	// Media has the images and sounds of results, for /export.
	Media media.Folder
	// Actions is the folder of the person's own actions, which the source called mine reads; empty keeps none.
	Actions string
	// Renew gives the session what the Sources hold by now; nil leaves that to others.
	Renew func(context.Context)
	// Feed takes the events; nil means a new one.
	Feed *event.Feed
	// History keeps what was typed; nil keeps nothing.
	History *input.History
	// Record keeps prompts and answers, before they are sent and shown; nil keeps none. The session records its own.
	Record func(trace.Record) error
	// Log returns the records of this session and of those that it goes on from, oldest first; nil when none are kept.
	Log func() ([]trace.Record, error)
	// Archive is where the sessions are kept; nil when none are.
	Archive *trace.Archive
	// Replay says how a session runs again; this one has no id. Live makes reads for real. Nil cannot.
	Replay func(t trace.Thread, live bool) replay.Options
	// Usage counts the calls that ended well in earlier sessions, by action id; nil counts none. It may take a while.
	Usage func() (map[string]int, error)
	// Past is the session that this one goes on from; its cells become the first of this one.
	Past transcript.Past
	// Config tells what is configured and where each value comes from; nil tells nothing.
	Config func() string
	// InitConfig writes the file of the configuration that /config init asks for and returns its name; a file that is
	// there is an error. Nil writes none.
	InitConfig func() (path string, err error)
	// KeepGrant keeps a grant in the person's configuration and returns what was written, and where; nil where there is
	// none. DropGrant takes one out, or tells what else grants it at the next start.
	KeepGrant, DropGrant func(policy.Grant) (told string, err error)
	// Roles lists the roles of the configuration, and TakeRole narrows the session to one; nil where there is none.
	Roles    func() []Role
	TakeRole func(name string) error
	// Copy puts text where the person can paste it from, and tells what that is: "tmux buffer". Nil means that there is
	// no such place. It must not wait for long.
	Copy func(text string) (via string, err error)
	// Themes are the names that /theme takes; empty where nothing is coloured.
	Themes []string
	// ASCII draws charts with signs that every terminal has.
	ASCII bool
	// Version is what /status calls the program.
	Version string
	// Mode is the mode to begin in; nil means AskMode with a conversation and LuaMode without.
	Mode *input.Mode
}

// A Status is how an input ended.
type Status int

// The statuses.
const (
	Done Status = iota
	// Quit: the person wants to leave.
	Quit
	// Failed: the input ended with an error; the Ended event carries it.
	Failed
)

// A Shell is one person's REPL over one session. Handle is for one goroutine at a time; all else may be called
// meanwhile.
type Shell struct {
	options  Options
	feed     *event.Feed
	commands []command
	docs     func() []prelude.Doc // read when they are asked for first
	line     int                  // of what is read, where the input at hand begins; belongs to who calls HandleAt

	mu    sync.Mutex // guards what follows
	mode  input.Mode
	busy  bool
	last  int          // number of the last cell
	cells []event.Cell // oldest first, bounded by keptCells
	since int          // cells up to this number were before the last reset
	taken int          // cells up to this number are those of an earlier session
	// usage is what Options.Usage told, nil before it was asked.
	usage map[string]int
	// pending are scripts of an earlier session whose globals did not come back.
	pending []transcript.Run
	direct  direct
	// next is the session that the person leaves this one for.
	next string
	// keys tells which key does an action of the screen; nil where there are none.
	keys func(action string) string
	// keyHelp are the keys of the screen; none where there are none.
	keyHelp []HelpLine
	models  models
	// marks are those of the session when a cell's prompt was sent.
	marks map[int]int64
	// offer is the question of offerLocal; nil for none.
	offer *offer
	// windowSet is true once the person has set the context window.
	windowSet bool
	// toldLocals is set once the person was told that locals end with their line.
	toldLocals bool
	// unsaved is set when the history could not be written, so that it is told once.
	unsaved bool
	asked   asked // last; only Handle uses it
}

// keptCells is how many cells a Shell remembers; of all but the last keptOutcomes it forgets the values.
const (
	keptCells    = 2000
	keptOutcomes = 50
)

const noModel = "no model is configured: set OPENAI_API_KEY, or OPENAI_BASE_URL (--base-url) for your own server; " +
	"everything else works without"

// errQuit is what commands return to leave.
var errQuit = errors.New("quit")

// New returns a Shell. It panics without a session: that is a mistake in the program.
func New(o Options) *Shell {
	if o.Session == nil {
		panic("repl.New: a session is needed")
	}
	if o.Feed == nil {
		o.Feed = event.NewFeed()
	}
	if o.NoModel == nil {
		o.NoModel = errors.New(noModel)
	}
	sh := &Shell{options: o, feed: o.Feed, commands: allCommands(), docs: sync.OnceValue(prelude.Docs)}
	if sh.conversation() != nil {
		sh.mode = input.AskMode
	}
	if o.Mode != nil {
		sh.mode = *o.Mode
	}
	if o.Conversation != nil {
		o.Session.SetMessages(func() []catalog.Message { return heard(o.Conversation.Said()) })
	}
	sh.takeIn(o.Past)
	return sh
}

// Feed returns where the shell's events go.
func (sh *Shell) Feed() *event.Feed { return sh.feed }

// History returns the history; nil when nothing is kept.
func (sh *Shell) History() *input.History { return sh.options.History }

// Session returns the session.
func (sh *Shell) Session() *session.Session { return sh.options.Session }

// conversation is the model's end; nil where there is no model.
func (sh *Shell) conversation() *llm.Conversation {
	c := sh.options.Conversation
	if c == nil || c.Target().Provider == nil {
		return nil
	}
	return c
}

// Mode returns what a line without a prefix is now.
func (sh *Shell) Mode() input.Mode {
	sh.mu.Lock()
	defer sh.mu.Unlock()
	return sh.mode
}

// SetMode changes the mode from the next input on.
func (sh *Shell) SetMode(m input.Mode) {
	sh.mu.Lock()
	defer sh.mu.Unlock()
	sh.mode = m
}

// ToggleMode changes to the other mode and returns it.
func (sh *Shell) ToggleMode() input.Mode {
	sh.mu.Lock()
	defer sh.mu.Unlock()
	sh.mode = 1 - sh.mode
	return sh.mode
}

// authorIn is the author of scripts that a mode's inputs run.
func authorIn(m input.Mode) session.Author {
	if m == input.AskMode {
		return session.Model
	}
	return session.User
}

// isBusy tells whether an input is being handled.
func (sh *Shell) isBusy() bool {
	sh.mu.Lock()
	defer sh.mu.Unlock()
	return sh.busy
}

// Cells returns the finished cells that are remembered, oldest first.
func (sh *Shell) Cells() []event.Cell {
	sh.mu.Lock()
	defer sh.mu.Unlock()
	return slices.Clone(sh.cells)
}

// Submit tells whether Enter should run the input or begin a new line. It looks at the text only.
func (sh *Shell) Submit(line string) input.Readiness {
	in := input.Parse(line, sh.Mode())
	switch in.Form {
	case input.Lua:
		return input.LuaReadiness(in.Text)
	case input.Command:
		if c, arg, ok := sh.command(in); ok && c.lua != nil {
			if code, isLua := c.lua(arg); isLua {
				return input.LuaReadiness(code)
			}
		}
	}
	return input.Complete
}

// Handle runs one submitted input to its end on the caller's goroutine and tells what happens through the feed. A
// ctx that ends stops the model and the script; the session stays as far as they came. It never panics.
func (sh *Shell) Handle(ctx context.Context, line string) Status {
	return sh.HandleIn(ctx, sh.Mode(), line)
}

// HandleAt is Handle for a line that is line n of what is read: messages count from there.
func (sh *Shell) HandleAt(ctx context.Context, n int, line string) Status {
	sh.line = n
	return sh.Handle(ctx, line)
}

// HandleIn is Handle for a line that was typed in a mode, whatever the mode is now.
func (sh *Shell) HandleIn(ctx context.Context, mode input.Mode, line string) Status {
	in := sh.answer(line, input.Parse(line, mode))
	if in.Form == input.Nothing {
		return Done
	}
	sh.remember(line, mode)
	if sh.wantsOut(in) {
		return Quit
	}
	c, run := sh.begin(in)
	sh.feed.Emit(event.Event{
		Kind: event.Began, Cell: c.N, Author: session.User, Mode: mode, Text: strings.TrimRight(line, " \t\r\n"),
	})
	err := sh.guard(ctx, &c, run)
	quit := errors.Is(err, errQuit)
	if quit {
		err = nil
	}
	if in.Form == input.Words || in.Form == input.Lua || c.Form == input.Words {
		err = errors.Join(err, sh.endTurn(&c))
	}
	sh.finish(c, err)
	switch {
	case quit:
		return Quit
	case err != nil:
		return Failed
	}
	return Done
}

// endTurn widens the view that was narrowed for the turn of a cell. A prompt that failed has it again when it is sent
// again.
func (sh *Shell) endTurn(c *event.Cell) error {
	ended, err := sh.options.Session.EndTurn()
	if c.Form == input.Words {
		sh.asked = asked{c.Source, ended}
	}
	if len(ended) > 0 {
		sh.say(event.Notice, "the turn has ended: %s visible again",
			text.Count(sh.options.Session.View().Len(), "action"))
	}
	return err
}

// remember keeps the input in the history before it runs. A history that cannot be written is told once and stops
// nothing.
func (sh *Shell) remember(line string, m input.Mode) {
	err := sh.options.History.Add(sh.options.Session.Redact(strings.TrimRight(line, " \t\r\n")), m)
	if err == nil {
		return
	}
	sh.mu.Lock()
	told := sh.unsaved
	sh.unsaved = true
	sh.mu.Unlock()
	if !told {
		sh.feed.Emit(event.Event{Kind: event.Said, Level: event.Warning, Text: err.Error()})
	}
}

// A runner does the work of one cell.
type runner func(ctx context.Context, c *event.Cell) error

// begin makes the cell of an input and finds what runs it.
func (sh *Shell) begin(in input.Input) (event.Cell, runner) {
	c := event.Cell{Form: in.Form, Author: session.User, Source: in.Text, Started: time.Now()}
	numbered := in.Form == input.Lua || in.Form == input.Words
	var run runner
	switch in.Form {
	case input.Lua:
		run = func(ctx context.Context, c *event.Cell) error { return sh.runInput(ctx, c, in) }
	case input.Words:
		run = func(ctx context.Context, c *event.Cell) error { return sh.ask(ctx, c, in.Text) }
	case input.Question:
		run = func(ctx context.Context, c *event.Cell) error { return sh.explain(ctx, in.Text, in.Full) }
	default:
		cmd, arg, ok := sh.command(in)
		if !ok {
			run = func(context.Context, *event.Cell) error { return sh.unknownCommand(in) }
			break
		}
		numbered = cmd.numbered || cmd.numberedFor != nil && cmd.numberedFor(sh, arg)
		c.Source = arg
		run = func(ctx context.Context, c *event.Cell) error { return cmd.do(ctx, sh, c, arg) }
	}
	sh.mu.Lock()
	if numbered {
		sh.last++
		c.N = sh.last
	}
	sh.busy = true
	sh.mu.Unlock()
	sh.feed.Begin(c)
	return c, run
}

// guard turns a panic into an error: one that got out would leave the terminal in whatever state it is.
func (sh *Shell) guard(ctx context.Context, c *event.Cell, run runner) error {
	err := task.Guard("the program", func() error { return run(ctx, c) })
	if caught := new(task.PanicError); errors.As(err, &caught) {
		return fmt.Errorf("%w\n%s", caught, caught.Stack)
	}
	return err
}

// finish keeps the cell and tells that it is over.
func (sh *Shell) finish(c event.Cell, err error) {
	heard := sh.feed.End()
	c.Calls, c.Effects, c.Scripts, c.Course = heard.Calls, heard.Effects, heard.Scripts, heard.Course
	if c.Outcome == nil {
		c.Outcome = heard.Outcome
	}
	c.Err, c.Waited = err, heard.Waited
	c.Elapsed = time.Since(c.Started) - c.Waited
	sh.mu.Lock()
	sh.busy = false
	if c.N > 0 {
		sh.cells = append(sh.cells, c)
		if n := len(sh.cells); n > keptCells {
			sh.cells = slices.Delete(sh.cells, 0, n-keptCells)
		}
		if n := len(sh.cells); n > keptOutcomes {
			old := &sh.cells[n-keptOutcomes-1]
			old.Outcome, old.Course, old.Effects = nil, nil, nil
		}
	}
	sh.mu.Unlock()
	if o := heard.Outcome; errors.Is(err, context.Canceled) && o != nil && o.Err != nil && o.Err.Kind == vm.Interrupt {
		err = fmt.Errorf("%w: %w", err, o.Err) // the script's own end has told of it
	}
	sh.feed.Emit(event.Event{Kind: event.Ended, Cell: c.N, Author: c.Author, Err: err, Elapsed: c.Elapsed})
}

// say emits a message of the shell's own.
func (sh *Shell) say(level event.Level, format string, args ...any) {
	text := format
	if len(args) > 0 {
		text = fmt.Sprintf(format, args...)
	}
	sh.feed.Emit(event.Event{Kind: event.Said, Level: level, Text: sh.options.Session.Redact(text)})
}

// cell returns the finished cell n; n 0 is the last one.
func (sh *Shell) cell(n int) (event.Cell, bool) {
	sh.mu.Lock()
	defer sh.mu.Unlock()
	if n == 0 && len(sh.cells) > 0 {
		return sh.cells[len(sh.cells)-1], true
	}
	for _, c := range sh.cells {
		if c.N == n && n > 0 {
			return c, true
		}
	}
	return event.Cell{}, false
}
