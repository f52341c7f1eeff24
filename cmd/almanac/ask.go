// This file answers one prompt, or piped lines, without a terminal: answers go to standard output, everything else to
// standard error.

package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	"almanac/catalog/text"
	"almanac/llm"
	"almanac/repl"
	"almanac/repl/event"
	"almanac/repl/input"
	"almanac/session"
	"almanac/session/policy"
	"almanac/session/trace"
	"almanac/session/vm"
)

// ask sends one prompt to the model and prints its answer. Progress goes to standard error.
func (cli *commandLine) ask(ctx context.Context, p *program, text string) (err error) {
	feed := event.NewFeed()
	w, err := cli.wire(ctx, appOptions{feed: feed, front: trace.FrontAsk, policy: policy.ReadOnly})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	w.reportResumed(p)
	shell := cli.shell(w, nil, shellOptions{once: true})
	if strings.TrimSpace(text) == "" {
		return usage("-p: empty prompt")
	}
	if cli.needsModel(text) {
		return misconfigured(errors.New(noModel))
	}
	shell.SetMode(input.AskMode)
	finish := printFeed(p, feed, true)
	status := shell.Handle(ctx, text)
	ended := finish()
	var cell event.Cell
	if cells := shell.Cells(); len(cells) > 0 {
		cell = cells[len(cells)-1]
	}
	if err := cli.printAnswer(p, cell); err != nil {
		return err
	}
	if status == repl.Failed {
		return failedInput(ended)
	}
	for _, c := range cell.Calls {
		if c.Verdict == trace.Denied && c.Mutates {
			return &exitError{exitDenied, fmt.Errorf("%s: denied (%s): rerun with --allow %s", c.ID, c.Rule, c.ID)}
		}
	}
	return nil
}

// needsModel reports whether text is for the model but none is configured.
func (cli *commandLine) needsModel(text string) bool {
	text = strings.TrimSpace(text)
	_, _, ok := cli.modelServer()
	return !ok && !strings.HasPrefix(text, "/") && !strings.HasPrefix(text, "!")
}

// printAnswer prints the model's last answer in the chosen format.
func (cli *commandLine) printAnswer(p *program, cell event.Cell) error {
	answer := strings.TrimRight(cell.Answer, "\n")
	switch cli.Output {
	case "json":
		return p.printJSON(struct {
			Answer string       `json:"answer"`
			Calls  []trace.Call `json:"calls"`
		}{answer, append([]trace.Call{}, cell.Calls...)})
	case "jsonl":
		events := []outputLine{}
		for i := range cell.Calls {
			events = append(events, outputLine{Kind: "call", Call: &cell.Calls[i]})
		}
		events = append(events, outputLine{Kind: "answer", Text: answer}, outputLine{Kind: "end", Took: cell.Elapsed.Milliseconds()})
		return printEvents(p.stdout, events)
	}
	if answer != "" {
		fmt.Fprintln(p.stdout, text.Sanitize(answer))
	}
	return nil
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

// maxPiped is the maximum length of a piped line.
const maxPiped = 16 << 20

// pipe handles standard input line by line, as the terminal does: incomplete lines continue on the next. It continues
// after a failure and returns the first.
func (cli *commandLine) pipe(ctx context.Context, p *program) (err error) {
	feed := event.NewFeed()
	w, err := cli.wire(ctx, appOptions{feed: feed, front: trace.FrontPipe, policy: policy.ReadOnly})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	w.reportResumed(p)
	shell := cli.shell(w, nil, shellOptions{})
	w.sources.news() // already reported at the start
	lines := bufio.NewScanner(p.stdin)
	lines.Buffer(nil, maxPiped)
	var failed error
	var typed []string
	handle := func() (quit bool) {
		text := strings.Join(typed, "\n")
		typed = nil
		if strings.TrimSpace(text) == "" {
			return false
		}
		finish := printFeed(p, feed, false)
		w.renew(ctx) // pick up what has loaded since the previous line
		status := shell.Handle(ctx, text)
		if ended := finish(); status == repl.Failed && failed == nil {
			failed = failedInput(ended)
		}
		return status == repl.Quit || ctx.Err() != nil
	}
	for lines.Scan() {
		typed = append(typed, lines.Text())
		if shell.Submit(strings.Join(typed, "\n")) == input.Complete && handle() {
			return failed
		}
	}
	handle()
	return errors.Join(failed, lines.Err())
}

// printFeed prints the feed's events until the returned function is called, which waits for the last event and returns
// the cell's error. alone drops cell numbers: after a single input there is no cell to look up.
func printFeed(p *program, feed *event.Feed, alone bool) func() error {
	stop := make(chan struct{})
	var ended error
	var printer sync.WaitGroup
	show := func() {
		for _, e := range feed.Take() {
			if e.Kind == event.Ended {
				ended = e.Err
			}
			if alone {
				e.Cell = 0
			}
			p.show(e)
		}
	}
	printer.Go(func() {
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
		printer.Wait()
		return ended
	}
}

// show prints one event without a terminal: values, command output and script output go to standard output; calls,
// errors and the rest to standard error.
func (p *program) show(e event.Event) {
	out := p.stderr
	switch e.Kind {
	case event.Spoke, event.Began:
		return
	case event.Copied:
		for _, said := range event.CopyEvents(e) {
			p.show(said)
		}
		return
	case event.Said:
		if e.Level == event.Plain {
			out = p.stdout
		}
	case event.Opened, event.Drafted:
		out = p.stdout
	case event.Printed:
		if e.Stream == vm.Stdout && e.Author == session.User {
			out = p.stdout
		}
	case event.Ran:
		if e.Author == session.User && e.Outcome.Err == nil {
			out = p.stdout
		}
	}
	for _, line := range event.Lines(e, 0, event.RenderOptions{NoEcho: true, NoChanges: true}) {
		fmt.Fprintln(out, line.String())
	}
}
