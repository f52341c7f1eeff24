package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/term"

	"almanac/catalog/demo"
	"almanac/catalog/media"
	"almanac/catalog/team"
	"almanac/llm/tools"
	"almanac/repl"
	"almanac/repl/event"
	"almanac/repl/input"
	"almanac/repl/plain"
	"almanac/repl/replay"
	"almanac/repl/show"
	"almanac/session"
	"almanac/session/policy"
	"almanac/session/trace"
	"almanac/ui"
)

type replCommand struct {
	Continue bool   `short:"c" help:"Resume the newest terminal session of this folder, or of any folder if it has none."`
	Resume   string `short:"r" placeholder:"ID" help:"Resume a session by id, name, or a prefix of either. Its log is not changed."`

	Eval   *string `short:"e" placeholder:"CODE" help:"Run this Lua code, print what it returns, and exit; - reads standard input."`
	Ask    *string `name:"prompt" short:"p" placeholder:"TEXT" help:"Ask the model, print its answer, and exit; - reads standard input."`
	Pipe   bool    `name:"ask" help:"Piped lines are prompts for the model. Default: they are Lua."`
	Plain  bool    `help:"Line mode: no colours, no cursor movement. Default without a terminal."`
	Tokens bool    `help:"With -p: print tokens, time and cost of the prompt on standard error."`
	ASCII  bool    `name:"ascii" help:"Draw with ASCII characters only."`

	Fullscreen  bool `help:"Show variables, trace and preview beside the transcript, in windows of 120x30 or larger."`
	NoAltScreen bool `help:"Never use the alternate screen; print lists instead of opening panes."`

	Color string `enum:"auto,always,never" default:"auto" help:"Use colours: auto, always or never. NO_COLOR is honoured."`
}

func (c replCommand) interactive() bool { return c.Eval == nil && c.Ask == nil }

// Run starts the terminal, or answers one -e or -p.
func (c replCommand) Run(ctx context.Context, cli *commandLine, p *program) error {
	switch {
	case c.Eval != nil && c.Ask != nil:
		return usage("-e and -p cannot be used together")
	case c.Ask != nil:
		return cli.ask(ctx, p, c)
	}
	if err := c.pick(cli, p); err != nil {
		return err
	}
	if c.Resume != "" || c.Continue {
		if left, err := cli.shareOrLeave(ctx, p); left || err != nil {
			return err
		}
	}
	if c.Eval != nil {
		code, err := p.readCode(*c.Eval)
		if err != nil {
			return err
		}
		return cli.runCode(ctx, p, session.Script{Source: code, Name: "-e", Expr: true})
	}
	return c.interact(ctx, cli, p)
}

// interact runs the terminal until the person leaves. Piped input is read line by line: nobody is asked, and the exit
// code reports the first failure.
func (c replCommand) interact(ctx context.Context, cli *commandLine, p *program) (err error) {
	if !typed(p.stdin) && !c.Plain {
		return cli.pipe(ctx, p, c.Pipe)
	}
	if _, err := cli.format(); err != nil {
		return err
	}
	if err := cli.openNotes(p, typed(p.stdin)); err != nil {
		return err
	}
	var in *plain.Typing
	if c.Plain || !isTerminal(p) {
		in = plain.Read(p.stdin)
		defer in.Close()
	}
	for {
		next, err := c.converse(ctx, cli, p, in)
		if err != nil || next == "" {
			return err
		}
		if cli.past, err = cli.thread(next); err != nil {
			return err
		}
	}
}

// converse runs one session in the terminal, or in line mode if in is not nil. next is the session the person chose to
// resume instead.
func (c replCommand) converse(ctx context.Context, cli *commandLine, p *program,
	in *plain.Typing) (next string, err error) {
	looks, err := ui.NewTheme(cli.UI.Theme, cli.config.looks())
	if err != nil {
		return "", misconfigured(err)
	}
	options := appOptions{feed: event.NewFeed(), front: trace.FrontTerminal, person: true, policy: policy.Ask}
	if !typed(p.stdin) { // the lines of a pipe are input, and never answers
		options.person, options.whole, options.policy = false, true, policy.ReadOnly
	}
	w, err := cli.wire(ctx, options)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	history := input.OpenHistory(filepath.Join(cli.dataDir(), "history.jsonl"), w.session.ID())
	defer history.Close()
	o := shellOptions{ascii: c.ASCII}
	if in == nil {
		o.themes = ui.ThemeNames()
	}
	if typed(p.stdin) {
		_, noModel := cli.models()
		if o.local, err = cli.local(noModel); err != nil {
			return "", err
		}
	}
	shell := cli.shell(w, history, o)
	if !typed(p.stdin) {
		shell.SetMode(pipedMode(c.Pipe))
	}
	before := shell.StatusLine().Cell
	defer func() {
		if shell.StatusLine().Cell > before {
			fmt.Fprintf(p.stdout, "resume: almanac --resume %s\n", w.session.ID())
		}
	}()
	loading := w.sources.loader.Loading()
	if options.person {
		w.renew(ctx) // what was read while the session was made or resumed counts
	}
	intro := append(c.intro(cli, shell, loading), w.resumed...)
	if call, _ := shell.First(); call == "" && len(cli.Catalog) > 0 {
		try := func() string { return "try: " + cli.firstTry(shell, shell.Mode()) }
		w.try.Store(&try)
	}
	if in != nil {
		err = c.interactPlain(ctx, cli, shell, p, in, intro)
		return shell.Next(), err
	}
	err = ui.Run(ctx, shell, ui.Options{
		ASCII: c.ASCII, NoColor: c.Color == "never" || c.Color == "auto" && os.Getenv("NO_COLOR") != "",
		Fullscreen: c.Fullscreen || cli.UI.Screen != "inline", NoAltScreen: c.NoAltScreen, Intro: intro,
		Keys: cli.config.bindings(), Theme: looks, Vi: cli.UI.EditingMode == "vi", Title: cli.UI.Title,
		Progress: cli.UI.Progress, Bell: cli.UI.Bell, Notify: cli.UI.Notify, Thousands: cli.UI.Thousands,
		NoGhost: !cli.UI.Ghost, Stopping: cli.bus.handOver,
	})
	var s *ui.Signaled
	if errors.As(err, &s) {
		return "", &exitError{Code: signalCode(s.Signal)}
	}
	return shell.Next(), err
}

// interactPlain is line mode. With a person typing, Ctrl+C stops the run, not the program.
func (c replCommand) interactPlain(ctx context.Context, cli *commandLine, shell *repl.Shell, p *program,
	in *plain.Typing, intro []string) error {
	interrupts := make(chan os.Signal, 1)
	signal.Notify(interrupts, os.Interrupt)
	defer signal.Stop(interrupts)
	look := show.Options{ASCII: c.ASCII, Thousands: cli.UI.Thousands}
	o := plain.Options{
		Render: event.RenderOptions{Options: look, NoEcho: true, ArgOrder: shell.ArgOrder}, Interrupt: interrupts,
		Greeting: strings.Join(intro, "\n"), NoPrompt: !typed(p.stdin),
	}
	if !o.NoPrompt {
		o.Grace = answerGrace
	}
	var failed error
	switch {
	case o.NoPrompt:
		o.Failed = func(err error) {
			if failed == nil {
				failed = failedInput(err)
			}
		}
	case p.stdout.terminal() == nil:
		o.Questions = p.stderr
	}
	if err := plain.Run(ctx, shell, in, p.stdout, o); err != nil {
		return err
	}
	return failed
}

// typed reports whether in is a terminal that a person types at.
func typed(in io.Reader) bool {
	file, ok := in.(*os.File)
	return ok && term.IsTerminal(int(file.Fd()))
}

// isTerminal reports whether the full screen can be used: both ends are a terminal with cursor movement.
func isTerminal(p *program) bool {
	return typed(p.stdin) && p.stdout.terminal() != nil && os.Getenv("TERM") != "dumb"
}

// shellOptions describe what the front end can show.
type shellOptions struct {
	ascii  bool
	themes []string
	once   bool // one prompt, then the program ends
	local  *repl.Local
}

func (cli *commandLine) shell(w *app, history *input.History, o shellOptions) *repl.Shell {
	archive := cli.archive()
	record := func(r trace.Record) error {
		r.Time, r.Text = time.Now(), w.session.Redact(r.Text)
		return w.log.Append(r)
	}
	conversation, models, noModel := cli.conversation(w)
	var direct func() string
	if cli.Direct {
		direct = func() string { return tools.DirectWords(w.session.View()) }
	}
	var member func() (*team.Team, error)
	if w.member != nil {
		member = w.member.joined
	}
	return repl.New(repl.Options{
		Team: member, Session: w.session, Conversation: conversation, NoModel: noModel,
		Notes: cli.notes.status(), Tools: direct,
		Targets: models.named,
		Server:  models.server, Local: o.local, Once: o.once,
		Sources: w.sources.loader, Feed: w.feed, History: history, Record: record,
		Media: media.In(cli.dataDir()), Version: version, ASCII: o.ascii, Themes: o.themes,
		Usage: func() (map[string]int, error) { return trace.Usage(archive.Dir, w.session.ID()) },
		Log:   w.records, Archive: &archive, Past: w.past, Copy: copyOut, Config: cli.configText, InitConfig: cli.initConfig,
		Replay: func(t trace.Thread, live bool) replay.Options {
			if t.ID == "" {
				t.Logs = append(slices.Clone(cli.past.Logs), w.log.Path())
			}
			return cli.replayOptions(w.session.View(), t, live)
		},
		Roles: func() []repl.Role { return cli.listRoles(w.session.View()) },
		TakeRole: func(name string) error {
			err := cli.takeRole(w.session, name)
			w.tellRoles()
			return err
		},
		KeepGrant: cli.keepGrant, DropGrant: cli.dropGrant, Actions: cli.actionsDir(), Renew: w.renew,
	})
}

// firstTry is what the first screen proposes, of the catalog that is open: the demo's actions are known before it is.
func (cli *commandLine) firstTry(sh *repl.Shell, mode input.Mode) string {
	call, words := sh.First()
	ask := "what can I do here?"
	switch {
	case len(cli.Catalog) == 0:
		call, words, ask = `crm.customer.search{query="Acme"}`, "unpaid invoices", "which invoices of Acme are overdue?"
	case call == "": // not read yet
		call, words = "1+1", "WORDS"
	}
	if mode == input.AskMode {
		ask += " · !1+1 · /catalog "
		if first, _, _ := strings.Cut(words, " "); len(ask+words) > 64 { // with "? help · try: " on one row
			words = first
		}
		return ask + words
	}
	return call + " · /catalog " + words
}

// intro is the first screen: the program, the mode, what happens to writes, and where to find help. loading tells that
// the catalog may be a part.
func (c replCommand) intro(cli *commandLine, sh *repl.Shell, loading bool) []string {
	st := sh.StatusLine()
	count := fmt.Sprintf("%d actions", st.Actions)
	switch _, err := os.Stat(demo.File(cli.dataDir())); {
	case loading && len(cli.Catalog) == 0 && err != nil:
		count = "creating the demo"
	case loading && st.Actions == 0:
		count = "reading the catalog"
	case loading:
		count += " so far, still loading"
	}
	lines := []string{fmt.Sprintf("almanac %s: %s, one Lua session for you and the model", version, count)}
	if used := cli.notes.used(); used != "" && st.Model != "" {
		lines[0] += ", which reads " + used
	}
	if st.Model == "" {
		lines = append(lines, "lua mode; "+st.Writes+"; no model: set OPENAI_API_KEY or --base-url to use one")
	} else {
		lines = append(lines, fmt.Sprintf("%s mode with %s; %s; Shift+Tab changes the mode", st.Mode, st.Model, st.Writes))
	}
	lines = append(lines, "? help · try: "+cli.firstTry(sh, st.Mode))
	if c.ASCII {
		for i := range lines {
			lines[i] = strings.ReplaceAll(lines[i], "·", "-")
		}
	}
	return lines
}
