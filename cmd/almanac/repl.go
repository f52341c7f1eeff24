package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/term"

	"almanac/repl"
	"almanac/session"
	"almanac/session/policy"
	"almanac/session/trace"
	"almanac/ui"
)

type replCommand struct {
	Eval  *string `short:"e" placeholder:"CODE" help:"Run this Lua, print what it returns, and leave; - reads standard input."`
	Ask   *string `short:"p" placeholder:"TEXT" help:"Ask the model, print its answer, and leave; - reads standard input."`
	Plain bool    `help:"Line mode: no colours, no cursor movement. The default where there is no terminal."`
	ASCII bool    `name:"ascii" help:"Draw with ASCII signs only."`
	Color string  `enum:"auto,always,never" default:"auto" help:"Colours: auto, always or never. NO_COLOR is heeded too."`
}

func (c replCommand) interactive() bool { return c.Eval == nil && c.Ask == nil }

// Run starts the terminal, or answers one -e or -p.
func (c replCommand) Run(ctx context.Context, cli *commandLine, p *program) error {
	switch {
	case c.Eval != nil && c.Ask != nil:
		return usage("-e and -p cannot be used together")
	case c.Eval != nil:
		code, err := p.readCode(*c.Eval)
		if err != nil {
			return err
		}
		return cli.runCode(ctx, p, session.Script{Source: code, Name: "-e", Expr: true})
	case c.Ask != nil:
		text, err := p.readCode(*c.Ask)
		if err != nil {
			return err
		}
		return cli.ask(ctx, p, text)
	}
	return c.interact(ctx, cli, p)
}

// interact runs the terminal until the person leaves. A pipe instead of a keyboard is read line by line: nobody is
// asked, and the exit code tells.
func (c replCommand) interact(ctx context.Context, cli *commandLine, p *program) (err error) {
	if cli.Output != "text" {
		return usage("--output %s: goes with -e, -p, run and query", cli.Output)
	}
	if !typed(p.stdin) && !c.Plain {
		return cli.pipe(ctx, p)
	}
	feed := repl.NewFeed()
	w, err := cli.wire(ctx, wireOptions{feed: feed, person: true, policy: policy.Ask})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	history := repl.OpenHistory(filepath.Join(cli.dataDir(), "history.jsonl"), w.session.ID())
	defer history.Close()
	shell := cli.shell(w, history)
	if c.Plain || !isTerminal(p) {
		return c.interactPlain(ctx, shell, p)
	}
	err = ui.Run(ctx, shell, ui.Options{
		ASCII: c.ASCII, NoColor: c.Color == "never" || c.Color == "auto" && os.Getenv("NO_COLOR") != "",
		Intro: c.intro(shell),
	})
	var s *ui.Signaled
	if errors.As(err, &s) {
		return &exitError{Code: exitTerminated}
	}
	return err
}

// interactPlain is the line mode. Where somebody types, Ctrl+C stops what runs instead of the program.
func (c replCommand) interactPlain(ctx context.Context, shell *repl.Shell, p *program) error {
	interrupts := make(chan os.Signal, 1)
	signal.Notify(interrupts, os.Interrupt)
	defer signal.Stop(interrupts)
	o := repl.PlainOptions{
		Render: repl.RenderOptions{ASCII: c.ASCII, NoEcho: true}, Interrupt: interrupts,
		Greeting: strings.Join(c.intro(shell), "\n"), NoPrompt: !typed(p.stdin),
	}
	return repl.RunPlain(ctx, shell, p.stdin, p.stdout, o)
}

// typed tells whether somebody types what in gives.
func typed(in io.Reader) bool {
	file, ok := in.(*os.File)
	return ok && term.IsTerminal(int(file.Fd()))
}

// isTerminal tells whether the screen can be used: both ends are a terminal that moves its cursor.
func isTerminal(p *program) bool {
	return typed(p.stdin) && p.showsTerminal() && os.Getenv("TERM") != "dumb"
}

func (cli *commandLine) shell(w *wired, history *repl.History) *repl.Shell {
	record := func(r trace.Record) error {
		r.Time, r.Text = time.Now(), w.session.Redact(r.Text)
		return w.log.Append(r)
	}
	return repl.New(repl.Options{
		Session: w.session, Conversation: cli.conversation(w.session, w.feed), NoModel: noModel,
		Sources: w.sources.loader, Feed: w.feed, History: history, Record: record, Version: version,
	})
}

// intro is the first screen: what this is, the mode, and where help is.
func (c replCommand) intro(sh *repl.Shell) []string {
	st := sh.StatusLine()
	count := fmt.Sprintf("%d actions", st.Actions)
	if st.Loading {
		count += " so far, more are being read"
	}
	lines := []string{fmt.Sprintf("almanac %s: %s, one Lua session for you and the model", version, count)}
	if st.Model == "" {
		lines = append(lines, "lua mode; no model: set OPENAI_API_KEY or --base-url to ask one")
	} else {
		lines = append(lines, fmt.Sprintf("%s mode with %s; Shift+Tab changes it", st.Mode, st.Model))
	}
	lines = append(lines, `? help · try: crm.customer.search{query="Acme"} · /catalog unpaid invoices`)
	if c.ASCII {
		for i := range lines {
			lines[i] = strings.ReplaceAll(lines[i], "·", "-")
		}
	}
	return lines
}
