// This file runs code without a terminal: results go to standard output, everything else to standard error.

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/term"

	"almanac/repl"
	"almanac/repl/show"
	"almanac/session"
	"almanac/session/policy"
	"almanac/session/trace"
	"almanac/session/vm"
)

type runCommand struct {
	File string `arg:"" help:"Lua file; - reads standard input."`
}

// Run runs the file as the person's script.
func (c runCommand) Run(ctx context.Context, cli *commandLine, p *program) error {
	source, err := p.readFile(c.File)
	if err != nil {
		return usage("%v", err)
	}
	return cli.runCode(ctx, p, session.Script{Source: source, Name: c.File})
}

func (p *program) readFile(path string) (string, error) {
	if path == "-" {
		return p.readCode(path)
	}
	text, err := os.ReadFile(path)
	return string(text), err
}

// runCode runs one script in its own session and prints what it returns.
func (cli *commandLine) runCode(ctx context.Context, p *program, script session.Script) error {
	w, err := cli.wire(ctx, appOptions{front: trace.FrontScript, policy: policy.ReadOnly})
	if err != nil {
		return err
	}
	defer w.Close()
	script.Author = session.User
	out, err := w.session.Run(ctx, script)
	if err != nil {
		return err
	}
	repl.HintHidden(w.session.View(), script.Source, out)
	if err := cli.printOutcome(p, out); err != nil {
		return err
	}
	return outcomeError(out)
}

// outcomeError turns a failed outcome into an error with its exit code; its text is the whole message.
func outcomeError(out *session.Outcome) error {
	if out.Err == nil {
		return nil
	}
	return &exitError{scriptExit(out.Err), errors.New(errorText(out))}
}

func scriptExit(e *vm.Error) int {
	switch e.Kind {
	case vm.Denied:
		return exitDenied
	case vm.Limit:
		return exitLimit
	case vm.Interrupt:
		return exitInterrupt
	}
	return exitFailed
}

// errorText is the error with its place and hint, on a few lines.
func errorText(out *session.Outcome) string {
	var lines []string
	for _, line := range show.ErrorLines(out.Err, 0) {
		lines = append(lines, line.String())
	}
	if out.Lost != "" {
		lines = append(lines, out.Lost)
	}
	return strings.TrimPrefix(strings.Join(lines, "\n"), "error: ")
}

// shownLimit is the length from which a value's text may have been truncated; see vm.Value.
const shownLimit = 63 << 10

func (cli *commandLine) printOutcome(p *program, out *session.Outcome) error {
	switch cli.Output {
	case "json":
		fmt.Fprint(p.stderr, out.Stdout)
		p.printErrors(out)
		if out.Err != nil {
			return nil
		}
		return printValuesJSON(p.stdout, out.Values)
	case "jsonl":
		return printEvents(p.stdout, outcomeEvents(out))
	}
	shown := p.stdout.shown()
	fmt.Fprint(shown, out.Stdout)
	p.printErrors(out)
	for i, v := range out.Values {
		fmt.Fprintln(shown, v.Repr)
		if len(v.Repr) > shownLimit {
			fmt.Fprintf(p.stderr, "value %d is truncated: use --output json, or return a part of it\n", i+1)
		}
	}
	return nil
}

// width is the width of standard output in columns, 0 if it is not a terminal.
func (p *program) width() int {
	out := p.stdout.terminal()
	if out == nil {
		return 0
	}
	width, _, err := term.GetSize(int(out.Fd()))
	if err != nil {
		return 0
	}
	return width
}

func (p *program) printErrors(out *session.Outcome) {
	fmt.Fprint(p.stderr, out.Stderr)
	for _, line := range out.Logs {
		fmt.Fprintln(p.stderr, line)
	}
	if out.Lost != "" && out.Err == nil {
		fmt.Fprintln(p.stderr, out.Lost)
	}
	if out.Dropped > 0 {
		fmt.Fprintf(p.stderr, "... %d more bytes of output dropped\n", out.Dropped)
	}
}

// printValuesJSON prints one value as JSON, or several as a JSON list. A value that is not plain data is an error.
func printValuesJSON(w io.Writer, values []vm.Value) error {
	var all []any
	for i, v := range values {
		if !v.Whole {
			return fmt.Errorf("value %d: cannot write this %s as JSON: it is too large or holds more than plain data; return a part of it", i+1, v.Type)
		}
		all = append(all, v.Data)
	}
	var answer any = all
	if len(all) == 1 {
		answer = all[0]
	}
	if len(all) == 0 {
		return nil
	}
	text, err := json.MarshalIndent(answer, "", "  ")
	if err != nil {
		return fmt.Errorf("cannot write the value as JSON: %w", err)
	}
	_, err = fmt.Fprintf(w, "%s\n", text)
	return err
}

// An outputLine is one line of --output jsonl.
type outputLine struct {
	Kind  string      `json:"kind"` // stdout, stderr, log, call, value, error, end
	Text  string      `json:"text,omitempty"`
	Value any         `json:"value,omitempty"`
	Call  *trace.Call `json:"call,omitempty"`
	Code  string      `json:"code,omitempty"`
	Took  int64       `json:"took_ms,omitempty"`
}

func outcomeEvents(out *session.Outcome) []outputLine {
	var events []outputLine
	for i := range out.Calls {
		events = append(events, outputLine{Kind: "call", Call: &out.Calls[i]})
	}
	for _, printed := range []outputLine{{Kind: "stdout", Text: out.Stdout}, {Kind: "stderr", Text: out.Stderr}, {Kind: "log", Text: strings.Join(out.Logs, "\n")}} {
		if printed.Text != "" {
			events = append(events, printed)
		}
	}
	for _, v := range out.Values {
		e := outputLine{Kind: "value", Text: v.Repr}
		if v.Whole {
			e.Value = v.Data
		}
		events = append(events, e)
	}
	if out.Err != nil {
		events = append(events, outputLine{Kind: "error", Text: out.Err.Error(), Code: string(out.Err.Kind)})
	}
	return append(events, outputLine{Kind: "end", Took: out.Elapsed.Milliseconds()})
}

// printEvents writes one event per line. A value that JSON cannot express is left out; its text stays.
func printEvents(w io.Writer, events []outputLine) error {
	enc := json.NewEncoder(w)
	for _, e := range events {
		if _, err := json.Marshal(e.Value); err != nil {
			e.Value = nil
		}
		if err := enc.Encode(e); err != nil {
			return err
		}
	}
	return nil
}
