// This file runs code without a terminal: results go to standard output, everything else to standard error.

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"almanac/catalog/team"
	"almanac/catalog/text"
	"almanac/llm"
	"almanac/repl"
	"almanac/repl/event"
	"almanac/repl/records"
	"almanac/repl/show"
	"almanac/session"
	"almanac/session/trace"
	"almanac/session/vm"
)

type runCommand struct {
	Program []string `arg:"" passthrough:"" name:"file" help:"Lua file, or - for standard input; then the arguments of the script: arg[1], arg[2] and so on, and its ..."`
}

// Run runs the file as the person's script.
func (c runCommand) Run(ctx context.Context, cli *commandLine, p *program) error {
	file, args := c.Program[0], c.Program[1:]
	source, err := p.readFile(file)
	if err != nil {
		return usage("%v", err)
	}
	cli.tellMisplaced(args)
	return cli.runCode(ctx, p, session.Script{Source: source, Name: file, Args: args})
}

// tellMisplaced tells of arguments of a script that are named as options of the program.
func (cli *commandLine) tellMisplaced(args []string) {
	for _, arg := range args {
		option, _, _ := strings.Cut(arg, "=")
		isIt := func(s setting) bool { return "--"+s.flag.Name == option && s.flag.Name != "plain" }
		switch {
		case arg == "--":
			return
		case slices.ContainsFunc(cli.config.settings, isIt):
			fmt.Fprintf(cli.stderr, "run: %s goes to the script, as all after FILE; almanac's own options stand before FILE\n",
				option)
		}
	}
}

// readFile reads a script. A first line that begins with # is for the shell that starts it.
func (p *program) readFile(path string) (string, error) {
	in, name := p.stdin, "standard input"
	if path != "-" {
		f, err := os.Open(path) // a pipe of the shell's, too
		if err != nil {
			return "", err
		}
		defer f.Close()
		in, name = f, path
	}
	text, err := readText(in, name)
	if strings.HasPrefix(text, "#") {
		text = "--" + text
	}
	return text, err
}

// runCode runs one script in its own session and prints what it returns.
func (cli *commandLine) runCode(ctx context.Context, p *program, script session.Script) error {
	format, err := cli.format(valueFormats...)
	if err != nil {
		return err
	}
	asker, mode := p.asker()
	w, err := cli.wire(ctx, appOptions{front: trace.FrontScript, asker: asker, policy: mode})
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
	if err := p.printOutcome(out, format); err != nil {
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

// printOutcome prints a run that has ended: what it printed, then what it returned, nil for nothing in JSON.
func (p *program) printOutcome(out *session.Outcome, format string) error {
	if format == "jsonl" {
		return p.printEvents(outcomeEvents(out))
	}
	fmt.Fprint(p.printed(format), out.Stdout)
	p.printErrors(out)
	if format == "json" && out.Err == nil && len(out.Values) == 0 {
		return records.WriteJSON(p.stdout, nil, true)
	}
	return p.printValues(out, format)
}

// printed is where scripts print to: standard output where people read it, else standard error.
func (p *program) printed(format string) io.Writer {
	if format == "json" || format == "csv" || format == "lua" {
		return p.stderr
	}
	return p.stdout.shown()
}

// printValues prints what a script returned.
func (p *program) printValues(out *session.Outcome, format string) error {
	if out.Err != nil {
		return nil
	}
	if format == "jsonl" {
		return p.printEvents(valueEvents(out))
	}
	odd := func(v vm.Value) bool { _, all := records.Finite(v.Data); return !all }
	if format == "json" && slices.ContainsFunc(out.Values, odd) {
		fmt.Fprintln(p.stderr, records.NotFinite)
	}
	for i, v := range out.Values {
		if people := format == "text" || format == "raw" && v.Type != "string"; people && len(v.Repr) > shownLimit {
			remedy := "return a part of it"
			if v.Whole {
				remedy = "use --output json, or " + remedy
			} else if v.Type == "string" {
				remedy = text.SanitizeLine(v.Why) + "; " + remedy
			}
			fmt.Fprintf(p.stderr, "value %d is truncated: %s\n", i+1, remedy)
		}
	}
	return records.WriteValues(p.stdout.shown(), out.Values, records.Encoding(format), p.width())
}

// width is the width of standard output in columns, 0 if it is not a terminal.
func (p *program) width() int {
	if out := p.stdout.terminal(); out != nil {
		return columns(out)
	}
	return 0
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
	for _, line := range event.EffectLines(out.EffectStates(), show.Marks{}) {
		fmt.Fprintln(p.stderr, strings.TrimSpace(line.String()))
	}
}

// An outputLine is one line of --output jsonl.
type outputLine struct {
	Kind   string        `json:"kind"` // stdout, stderr, log, call, effect, arrived, value, answer, error, end
	Text   string        `json:"text,omitempty"`
	Value  any           `json:"value,omitempty"`
	Why    string        `json:"why,omitempty"` // there is no value, or not all of it
	Call   *trace.Call   `json:"call,omitempty"`
	Effect *trace.Effect `json:"effect,omitempty"`
	Item   *team.Item    `json:"item,omitempty"` // what another session of the team sent
	Code   string        `json:"code,omitempty"`
	Took   int64         `json:"took_ms,omitempty"`
	Usage  llm.Usage     `json:"usage,omitzero"`
}

func outcomeEvents(out *session.Outcome) []outputLine {
	return append(runEvents(out), outputLine{Kind: "end", Took: out.Elapsed.Milliseconds()})
}

// runEvents are what a run did and returned.
func runEvents(out *session.Outcome) []outputLine {
	var events []outputLine
	for i := range out.Calls {
		events = append(events, outputLine{Kind: "call", Call: &out.Calls[i]})
	}
	events = append(events, effectEvents(out.EffectStates())...)
	for _, printed := range []outputLine{
		{Kind: "stdout", Text: out.Stdout},
		{Kind: "stderr", Text: out.Stderr},
		{Kind: "log", Text: strings.Join(out.Logs, "\n")},
	} {
		if printed.Text != "" {
			events = append(events, printed)
		}
	}
	events = append(events, valueEvents(out)...)
	if out.Err != nil {
		events = append(events, outputLine{Kind: "error", Text: out.Err.Error(), Code: string(out.Err.Kind)})
	}
	return events
}

func effectEvents(effects []trace.Effect) []outputLine {
	var events []outputLine
	for i := range effects {
		events = append(events, outputLine{Kind: "effect", Effect: &effects[i]})
	}
	return events
}

func valueEvents(out *session.Outcome) []outputLine {
	var events []outputLine
	for _, v := range out.Values {
		e := outputLine{Kind: "value", Text: v.Repr}
		data, whole := v.Plain()
		if !whole {
			e.Why = v.Why
		}
		if data, _ = records.Finite(data); whole && data == nil {
			e.Value = json.RawMessage("null")
		} else if whole {
			e.Value = data
		}
		events = append(events, e)
	}
	return events
}

// printEvents writes one event per line.
func (p *program) printEvents(events []outputLine) error {
	for _, e := range events {
		if err := records.WriteJSON(p.stdout, e, false); err != nil {
			return err
		}
	}
	return nil
}
