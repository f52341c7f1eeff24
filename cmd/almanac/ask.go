// This file answers one prompt, or piped lines, without a terminal: answers go to standard output, everything else to
// standard error.

package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"almanac/catalog/team"
	"almanac/catalog/text"
	"almanac/llm"
	"almanac/repl"
	"almanac/repl/event"
	"almanac/repl/input"
	"almanac/repl/plain"
	"almanac/repl/records"
	"almanac/session"
	"almanac/session/policy"
	"almanac/session/trace"
	"almanac/session/vm"
)

// ask sends one prompt to the model and prints its answer. Progress goes to standard error. In JSON it prints one
// document however the prompt ends, and nothing else.
func (cli *commandLine) ask(ctx context.Context, p *program, c replCommand) error {
	format, err := cli.format("json", "jsonl")
	if err != nil {
		return err
	}
	if err := cli.openNotes(p, false); err != nil {
		return err
	}
	a := answered{Calls: []trace.Call{}}
	err = cli.send(ctx, p, c, format, &a)
	return errors.Join(err, p.printAnswer(a, format, exitCode(ctx, err), err))
}

// printAnswer prints what a prompt came to, which ended with an exit code and maybe an error.
func (p *program) printAnswer(a answered, format string, exit int, err error) error {
	if format == "text" {
		if a.Answer != "" {
			fmt.Fprintln(p.stdout, text.Sanitize(a.Answer))
		}
		return nil
	}
	if a.Exit = exit; exit != exitOK {
		if a.Error = exitNames[exit]; a.Message == "" && err != nil {
			a.Message = err.Error()
		}
	}
	if format == "json" {
		return p.printJSON(a)
	}
	return p.printEvents(a.events())
}

// An answered is what a prompt came to, as one document.
type answered struct {
	Answer string `json:"answer"`
	// Output is what scripts and commands printed, which went to standard error as it came.
	Output string       `json:"output"`
	Calls  []trace.Call `json:"calls"`
	// Arrived is what other sessions of the team sent until the prompt had its answer.
	Arrived []team.Item `json:"arrived,omitempty"`
	// Effects are those of the calls, and what became of them.
	Effects []trace.Effect `json:"effects,omitempty"`
	// Usage is what the prompt cost.
	Usage llm.Usage `json:"usage,omitzero"`
	// Error names the failure, Message explains it; empty if there was none.
	Error   string `json:"error,omitempty"`
	Message string `json:"message,omitempty"`
	Exit    int    `json:"exit"`
	took    time.Duration
}

// exitNames are the failures by exit code.
var exitNames = map[int]string{
	exitFailed: "failed", exitUsage: "usage", exitConfig: "configuration", exitDenied: "denied", exitLimit: "limit",
	exitHungUp: "interrupted", exitInterrupt: "interrupted", exitTerminated: "interrupted",
}

func (a answered) events() []outputLine {
	events := []outputLine{}
	for i := range a.Arrived {
		events = append(events, outputLine{Kind: "arrived", Item: &a.Arrived[i]})
	}
	for i := range a.Calls {
		events = append(events, outputLine{Kind: "call", Call: &a.Calls[i]})
	}
	events = append(events, effectEvents(a.Effects)...)
	if a.Output != "" {
		events = append(events, outputLine{Kind: "stdout", Text: a.Output})
	}
	events = append(events, outputLine{Kind: "answer", Text: a.Answer})
	if a.Error != "" {
		events = append(events, outputLine{Kind: "error", Text: a.Message, Code: a.Error})
	}
	return append(events, outputLine{Kind: "end", Took: a.took.Milliseconds(), Usage: a.Usage})
}

// send sends the prompt and puts what it came to into a.
func (cli *commandLine) send(ctx context.Context, p *program, c replCommand, format string, a *answered) (err error) {
	if err := c.pick(cli, p); err != nil {
		return err
	}
	prompt, err := p.readCode(*c.Ask)
	if err != nil {
		return err
	}
	feed := event.NewFeed()
	asker, mode := p.asker()
	w, err := cli.wire(ctx, appOptions{feed: feed, front: trace.FrontAsk, asker: asker, policy: mode})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	w.reportResumed(p)
	shell := cli.shell(w, nil, shellOptions{once: true})
	if strings.TrimSpace(prompt) == "" {
		return usage("-p: empty prompt")
	}
	if word := strings.TrimSpace(prompt); !strings.HasPrefix(word, "/") && !strings.HasPrefix(word, "!") {
		if _, err := cli.models(); err != nil {
			return misconfigured(err)
		}
	}
	shell.SetMode(input.AskMode)
	h := handling{p: p, shell: shell, feed: feed, format: format, alone: true, asker: asker}
	*a, _, err = h.line(ctx, prompt)
	if turn := a.Usage; c.Tokens && turn != (llm.Usage{}) {
		fmt.Fprintln(p.stderr, repl.UsageTable([]string{"prompt"}, turn))
	}
	if err != nil {
		return err
	}
	for _, c := range a.Calls {
		if c.Verdict == trace.Denied && c.Mutates {
			return &exitError{exitDenied, errors.New(c.Error + remedy(w.session, c))}
		}
	}
	return nil
}

// remedy is the flag that lets a call through that the policy denied; empty for other denials.
func remedy(s *session.Session, c trace.Call) string {
	e, err := s.View().Resolve(c.ID)
	if err != nil {
		return ""
	}
	d := s.Policy().Decide(s.Requested(e, c.Args))
	if d.Rule != c.Rule || d.Fit == "" {
		return ""
	}
	return "; rerun with --allow " + text.ShellWord(d.Fit)
}

// A handling is how a line without a terminal is handled.
type handling struct {
	p      *program
	shell  *repl.Shell
	feed   *event.Feed
	format string
	// alone tells that there is one line only: no cell can be looked up afterwards.
	alone bool
	// at is the number of the line in what is piped in; zero where nothing is.
	at int
	// asker asks the person; nil for none.
	asker *plain.Asker
}

// line handles one line and returns what came of it. The error has the exit code.
func (h handling) line(ctx context.Context, line string) (a answered, quit bool, err error) {
	f := h.follow(ctx, h.asks(line) || h.alone && h.format != "text")
	status := h.shell.HandleAt(ctx, h.at, line)
	ended := f.finish()
	a = answered{Output: f.said.String(), Arrived: f.arrived, Calls: []trace.Call{}}
	if h.asks(line) {
		a.Usage, _ = h.shell.Usage()
	}
	if cells := h.shell.Cells(); len(cells) > 0 {
		cell := cells[len(cells)-1]
		a.Answer, a.took, a.Calls = strings.TrimRight(cell.Answer, "\n"), cell.Elapsed, append(a.Calls, cell.Calls...)
		a.Effects = cell.Effects
	}
	if err = f.err; status == repl.Failed {
		a.Message, err = ended.Error(), failedInput(ended)
	}
	return a, status == repl.Quit, err
}

// asks reports whether a line is for the model.
func (h handling) asks(line string) bool {
	return input.Parse(line, h.shell.Mode()).Form == input.Words
}

// failedInput is the exit code of a failed input. Its message has been shown.
func failedInput(err error) error {
	var wrong *repl.UsageError
	var failed *llm.Error
	var script *vm.Error
	switch {
	case errors.As(err, &wrong):
		return &exitError{Code: exitUsage}
	case errors.As(err, &failed) && (failed.Kind == llm.BadKey || failed.Kind == llm.NoModel):
		return &exitError{Code: exitConfig}
	case errors.As(err, &script):
		return &exitError{Code: scriptExit(script)}
	}
	return &exitError{Code: exitFailed}
}

// pipe handles standard input line by line, as the terminal does: incomplete lines continue on the next. Lines are Lua,
// or prompts with asks. It continues after a failure and returns the first.
func (cli *commandLine) pipe(ctx context.Context, p *program, asks bool) (err error) {
	formats := valueFormats
	if asks {
		formats = []string{"json", "jsonl"}
	}
	format, err := cli.format(formats...)
	if err != nil {
		return err
	}
	if err := cli.openNotes(p, false); err != nil {
		return err
	}
	feed := event.NewFeed()
	w, err := cli.wire(ctx, appOptions{feed: feed, front: trace.FrontPipe, policy: policy.ReadOnly})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	w.reportResumed(p)
	shell := cli.shell(w, nil, shellOptions{})
	shell.SetMode(pipedMode(asks))
	h := handling{p: p, shell: shell, feed: feed, format: format}
	w.sources.news() // already reported at the start
	lines := bufio.NewScanner(p.stdin)
	lines.Buffer(nil, maxPiped)
	var failed error
	var typed []string
	read := 0 // lines
	handle := func() (quit bool) {
		text := strings.Join(typed, "\n")
		h.at, typed = read-len(typed)+1, nil
		if strings.TrimSpace(text) == "" {
			return false
		}
		w.renew(ctx) // pick up what has loaded since the previous line
		a, quit, err := h.line(ctx, text)
		if h.asks(text) {
			err = errors.Join(err, p.printAnswer(a, format, exitCode(ctx, err), nil))
		}
		if failed == nil {
			failed = err
		}
		if shell.Next() != "" {
			failed = cmp.Or(failed, usage("line %d: %s: a pipe has one session: the lines after this were not run: "+
				"almanac --resume ID resumes another", h.at, text))
		}
		return quit || ctx.Err() != nil
	}
	for lines.Scan() {
		typed, read = append(typed, lines.Text()), read+1
		if shell.Submit(strings.Join(typed, "\n")) == input.Complete && handle() {
			return failed
		}
	}
	handle()
	if errors.Is(lines.Err(), bufio.ErrTooLong) {
		return errors.Join(failed, fmt.Errorf("standard input: line %d: longer than %d MiB", read+1, maxPiped>>20))
	}
	return errors.Join(failed, lines.Err())
}

// pipedMode is the mode of piped lines.
func pipedMode(asks bool) input.Mode {
	if asks {
		return input.AskMode
	}
	return input.LuaMode
}

// A follower prints the events of a feed, without a terminal, until it is finished.
type follower struct {
	handling
	ctx context.Context
	// aside sends what would go to standard output to standard error, and keeps it in said: the model's answer is the only
	// one.
	aside   bool
	said    strings.Builder
	arrived []team.Item
	// err is the first value that could not be printed; told on standard error already.
	err error
	// ran tells that the events of a run have been printed, its error with them.
	ran     bool
	ended   error
	stop    chan struct{}
	printer sync.WaitGroup
}

// follow prints the feed's events from now on, and puts its questions until ctx is done; aside is the follower's.
func (h handling) follow(ctx context.Context, aside bool) *follower {
	f := &follower{handling: h, ctx: ctx, aside: aside, stop: make(chan struct{})}
	f.printer.Go(func() {
		for {
			select {
			case <-f.feed.Wake():
				f.take()
			case <-f.stop:
				f.take()
				return
			}
		}
	})
	return f
}

// finish waits until the last event is printed and returns the cell's error.
func (f *follower) finish() error {
	close(f.stop)
	f.printer.Wait()
	return f.ended
}

func (f *follower) take() {
	for _, e := range f.feed.Take() {
		if e.Kind == event.Ended {
			f.ended = e.Err
		}
		if f.alone {
			e.Cell = 0
		}
		f.show(e)
	}
}

// show prints one event: values, command output and script output go to standard output; calls, errors and the rest to
// standard error.
func (f *follower) show(e event.Event) {
	if e.Kind == event.Arrived {
		f.arrived = append(f.arrived, *e.Item)
	}
	if f.format == "jsonl" && !f.aside {
		e = f.showEvents(e)
	}
	answer := false
	switch e.Kind {
	case 0:
		return
	case event.Spoke, event.Began, event.Answered:
		return
	case event.Asked:
		r := e.Ask.Request
		r.Cell = e.Cell
		e.Ask.Answer <- f.asker.Ask(f.ctx, r)
		return
	case event.Copied:
		for _, said := range event.CopyEvents(e) {
			f.show(said)
		}
		return
	case event.Said:
		answer = e.Level == event.Plain
	case event.Opened, event.Drafted, event.Recalled, event.Listed:
		answer = true
	case event.Printed:
		answer = e.Stream == vm.Stdout && (e.Author == session.User || f.aside)
		if answer && f.aside {
			f.said.WriteString(e.Text)
		}
	case event.Found:
		if answer = true; e.Outcome != nil {
			f.values(e.Outcome)
			return
		}
	case event.Ran:
		answer = e.Author == session.User && e.Outcome.Err == nil
		if answer && !e.Outcome.DryRun {
			answer = false
			f.values(e.Outcome)
			shown := *e.Outcome
			shown.Values, e.Outcome = nil, &shown
		}
	}
	out := f.p.stderr
	if answer && !f.aside {
		if out = f.p.stdout; e.Kind == event.Printed {
			out = f.p.printed(f.format)
		}
	}
	for _, line := range event.Lines(e, 0, event.RenderOptions{NoEcho: true, NoChanges: true}) {
		if answer && !f.aside && f.format == "jsonl" {
			f.events(outputLine{Kind: "stdout", Text: line.String() + "\n"})
			continue
		}
		fmt.Fprintln(out, line.String())
		if answer && f.aside && e.Kind != event.Printed {
			f.say(line.String() + "\n")
		}
	}
}

// showEvents prints what -e prints as events: a run of the person's, the error and the end of the input. It returns
// what of e is still to be shown for people; nothing is the zero Event.
func (f *follower) showEvents(e event.Event) event.Event {
	switch {
	case e.Kind == event.Printed && e.Author == session.User:
		return event.Event{} // the run has it
	case e.Kind == event.Ran && e.Author == session.User && !e.Outcome.DryRun:
		f.ran = true
		f.events(runEvents(e.Outcome)...)
		shown := *e.Outcome
		shown.Values, e.Outcome = nil, &shown
	case e.Kind == event.Arrived:
		f.events(outputLine{Kind: "arrived", Item: e.Item})
		return event.Event{}
	case e.Kind == event.Ended:
		if e.Err != nil && !f.ran {
			code := exitNames[exitCode(f.ctx, failedInput(e.Err))]
			f.events(outputLine{Kind: "error", Text: e.Err.Error(), Code: code})
		}
		f.events(outputLine{Kind: "end", Took: e.Elapsed.Milliseconds()})
	}
	return e
}

// events prints lines of jsonl.
func (f *follower) events(lines ...outputLine) {
	if err := f.p.printEvents(lines); err != nil {
		f.err = errors.Join(f.err, err)
	}
}

// say keeps whole lines, on lines of their own.
func (f *follower) say(lines string) {
	if said := f.said.String(); said != "" && !strings.HasSuffix(said, "\n") {
		f.said.WriteByte('\n')
	}
	f.said.WriteString(lines)
}

// values prints what a script of the person's returned.
func (f *follower) values(out *session.Outcome) {
	err := error(nil)
	if f.aside {
		var b strings.Builder
		err = records.WriteValues(&b, out.Values, records.AsText, 0)
		f.say(b.String())
		fmt.Fprint(f.p.stderr, b.String())
	} else {
		err = f.p.printValues(out, f.format)
	}
	if err != nil {
		fmt.Fprintf(f.p.stderr, "error: %v\n", err)
		f.err = errors.Join(f.err, &exitError{Code: exitFailed})
	}
}
