package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"sync"

	"golang.org/x/term"

	"almanac/llm"
	"almanac/repl"
	"almanac/session"
	"almanac/session/policy"
	"almanac/session/trace"
	"almanac/ui"
)

type replCommand struct {
	Eval  string `short:"e" placeholder:"CODE" help:"Run this Lua, print what it returns, and leave; - reads standard input."`
	Ask   string `short:"p" placeholder:"TEXT" help:"Ask the model, print its answer, and leave; - reads standard input."`
	Plain bool   `help:"Line mode: no colours, no cursor movement. The default where there is no terminal."`
	ASCII bool   `name:"ascii" help:"Draw with ASCII signs only."`
	Color string `enum:"auto,always,never" default:"auto" help:"Colours: auto, always or never. NO_COLOR is heeded too."`
}

func (c replCommand) interactive() bool { return c.Eval == "" && c.Ask == "" }

// Run starts the terminal, or answers one -e or -p.
func (c replCommand) Run(ctx context.Context, cli *commandLine, p *program) error {
	switch {
	case c.Eval != "" && c.Ask != "":
		return usage("-e and -p cannot be used together")
	case c.Eval != "":
		code, err := p.readCode(c.Eval)
		if err != nil {
			return err
		}
		return cli.runCode(ctx, p, session.Script{Source: code, Name: "-e", Expr: true})
	case c.Ask != "":
		text, err := p.readCode(c.Ask)
		if err != nil {
			return err
		}
		return cli.ask(ctx, p, text)
	}
	return c.interact(ctx, cli, p)
}

// interact runs the terminal until the person leaves.
func (c replCommand) interact(ctx context.Context, cli *commandLine, p *program) (err error) {
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
		Intro: intro(shell),
	})
	var s *ui.Signaled
	if errors.As(err, &s) {
		return &exitError{Code: exitTerminated}
	}
	return err
}

// interactPlain is the line mode. Where somebody types, Ctrl+C stops what runs instead of the program.
func (c replCommand) interactPlain(ctx context.Context, shell *repl.Shell, p *program) error {
	o := repl.PlainOptions{Render: repl.RenderOptions{ASCII: c.ASCII, NoEcho: true}}
	in, isFile := p.stdin.(*os.File)
	if o.NoPrompt = !isFile || !term.IsTerminal(int(in.Fd())); !o.NoPrompt {
		o.Greeting = strings.Join(intro(shell), "\n")
		interrupts := make(chan os.Signal, 1)
		signal.Notify(interrupts, os.Interrupt)
		defer signal.Stop(interrupts)
		o.Interrupt = interrupts
	}
	return repl.RunPlain(ctx, shell, p.stdin, p.stdout, o)
}

// isTerminal tells whether the screen can be used: both ends are a terminal that moves its cursor.
func isTerminal(p *program) bool {
	in, inFile := p.stdin.(*os.File)
	out, outFile := p.stdout.(*os.File)
	return inFile && outFile && term.IsTerminal(int(in.Fd())) && term.IsTerminal(int(out.Fd())) && os.Getenv("TERM") != "dumb"
}

func (cli *commandLine) shell(w *wired, history *repl.History) *repl.Shell {
	record := func(r trace.Record) error {
		r.Text = w.session.Redact(r.Text)
		return w.log.Append(r)
	}
	return repl.New(repl.Options{
		Session: w.session, Conversation: cli.conversation(w.session, w.feed), NoModel: noModel,
		Feed: w.feed, History: history, Record: record, Version: version,
	})
}

// intro is the first screen: what this is, the mode, and where help is.
func intro(sh *repl.Shell) []string {
	st := sh.StatusLine()
	lines := []string{fmt.Sprintf("almanac %s: %d actions, one Lua session for you and the model", version, st.Actions)}
	if st.Model == "" {
		lines = append(lines, "lua mode; no model: set OPENAI_API_KEY or --base-url to ask one")
	} else {
		lines = append(lines, fmt.Sprintf("%s mode with %s; Shift+Tab changes it", st.Mode, st.Model))
	}
	return append(lines, `? help · try: crm.customer.search{query="Acme"} · /catalog unpaid invoices`)
}

// ask sends one prompt to the model and prints its answer. What happens on the way goes to standard error.
func (cli *commandLine) ask(ctx context.Context, p *program, text string) (err error) {
	feed := repl.NewFeed()
	w, err := cli.wire(ctx, wireOptions{feed: feed, policy: policy.ReadOnly})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	shell := cli.shell(w, nil)
	if cli.needsModel(text) {
		return misconfigured(errors.New(noModel))
	}
	shell.SetMode(repl.AskMode)
	teller := tell(p, feed)
	status := shell.Handle(ctx, text)
	ended := teller()
	var cell repl.Cell
	if cells := shell.Cells(); len(cells) > 0 {
		cell = cells[len(cells)-1]
	}
	if answer := strings.TrimRight(cell.Answer, "\n"); answer != "" {
		fmt.Fprintln(p.stdout, repl.Sanitize(answer))
	}
	if status == repl.Failed {
		return failedAsk(ended)
	}
	for _, c := range cell.Calls {
		if c.Verdict == trace.Denied && c.Mutates {
			return &exitError{exitDenied, fmt.Errorf("%s was denied (%s): allow it with --allow %s", c.ID, c.Rule, c.ID)}
		}
	}
	return nil
}

// needsModel tells whether text would go to a model that is not there.
func (cli *commandLine) needsModel(text string) bool {
	text = strings.TrimSpace(text)
	_, _, ok := cli.modelServer()
	return !ok && !strings.HasPrefix(text, "/") && !strings.HasPrefix(text, "!")
}

func failedAsk(err error) error {
	var wrong *repl.UsageError
	if errors.As(err, &wrong) {
		return &exitError{exitUsage, err}
	}
	var failed *llm.Error
	if errors.As(err, &failed) && (failed.Kind == llm.BadKey || failed.Kind == llm.NoModel) {
		return misconfigured(err)
	}
	if err == nil {
		err = errors.New("the model gave no answer")
	}
	return err
}

// tell prints the feed's events until the function it returns is called, which waits for the last and returns the
// error of the cell.
func tell(p *program, feed *repl.Feed) func() error {
	stop := make(chan struct{})
	var ended error
	var teller sync.WaitGroup
	show := func() {
		for _, e := range feed.Take() {
			if e.Kind == repl.Ended {
				ended = e.Err
			}
			p.show(e)
		}
	}
	teller.Go(func() {
		for {
			select {
			case <-feed.Wake():
				show()
			case <-stop:
				show()
				return
			}
		}
	})
	return func() error {
		close(stop)
		teller.Wait()
		return ended
	}
}

// show prints one event of a headless prompt: what a command says is an answer, all else is told on standard error.
func (p *program) show(e repl.Event) {
	out := p.stderr
	switch {
	case e.Kind == repl.Said && e.Level == repl.Plain:
		out = p.stdout
	case e.Kind == repl.Spoke || e.Kind == repl.Began || e.Kind == repl.Ended:
		return
	}
	for _, line := range repl.Lines(e, 100, repl.RenderOptions{}) {
		fmt.Fprintln(out, line.String())
	}
}
