package repl

// This file is /trace: the calls of the session, by cell, action, author and outcome.

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"almanac/catalog/pattern"
	"almanac/catalog/text"
	"almanac/repl/event"
	"almanac/repl/transcript"
	"almanac/session/trace"
)

const traceUsage = "/trace [N | export FILE.jsonl] [--action PATTERN] [--author you|model] [--failed]"

// A traceQuery is what /trace is asked for.
type traceQuery struct {
	cell, call int // zero means all
	file       string
	action     func(id string) bool // nil takes all
	author     string
	failed     bool
}

func parseTrace(arg string) (q traceQuery, err error) {
	words := strings.Fields(arg)
	value := func(i int) (string, error) {
		if i+1 >= len(words) {
			return "", fmt.Errorf("trace: %s: needs a value", words[i])
		}
		return words[i+1], nil
	}
	for i := 0; i < len(words) && err == nil; i++ {
		switch word := words[i]; {
		case word == "--failed":
			q.failed = true
		case word == "--action":
			var text string
			if text, err = value(i); err == nil {
				q.action, err = actionFilter(text)
			}
			i++
		case word == "--author":
			q.author, err = value(i)
			i++
			if err == nil && q.author != "you" && q.author != "model" {
				err = fmt.Errorf("trace: --author %s: want you or model", q.author)
			}
		case word == "export" && q.file == "":
			q.file, err = value(i)
			i++
		case strings.HasPrefix(word, "-"):
			err = fmt.Errorf("trace: %s: unknown option", word)
		default:
			q.cell, q.call, err = cellNumber(word)
		}
	}
	return q, err
}

func (q traceQuery) wants(c trace.Call) bool {
	switch {
	case q.call > 0 && c.N != q.call:
		return false
	case q.failed && (c.Verdict == trace.OK || c.Verdict == trace.Planned):
		return false
	case q.author != "" && cmp.Or(c.Author, "you") != q.author:
		return false
	}
	return q.action == nil || q.action(c.ID)
}

// actionFilter takes the ids that have text in them or, where it has a wildcard, those that it matches as a pattern.
func actionFilter(text string) (func(id string) bool, error) {
	if !strings.ContainsAny(text, pattern.Reserved) {
		return func(id string) bool { return strings.Contains(id, text) }, nil
	}
	p, err := pattern.Parse(text)
	if err != nil {
		return nil, fmt.Errorf("trace: --action: %w", err)
	}
	return p.Match, nil
}

// A tracedCall is a call with the number of its cell, as an export has it.
type tracedCall struct {
	Cell int `json:"cell"`
	trace.Call
}

// traceShown is how many calls /trace lists.
const traceShown = 20

func traceCalls(_ context.Context, sh *Shell, _ *event.Cell, arg string) error {
	q, err := parseTrace(arg)
	if err != nil {
		return &UsageError{usage: traceUsage, message: err.Error()}
	}
	cells := sh.Cells()
	if q.cell > 0 {
		c, ok := sh.cell(q.cell)
		if !ok {
			return fmt.Errorf("trace: no cell [%d]", q.cell)
		}
		if len(c.Calls) == 0 {
			sh.say(event.Notice, "[%d] made no calls", q.cell)
			return nil
		}
		cells = []event.Cell{c}
	}
	var calls []tracedCall
	some := false
	for _, c := range cells {
		for _, call := range c.Calls {
			some = true
			if q.wants(call) {
				calls = append(calls, tracedCall{c.N, call})
			}
		}
	}
	switch {
	case !some:
		sh.say(event.Notice, "no calls yet")
	case len(calls) == 0 && q.call > 0:
		return fmt.Errorf("trace: no call [%d.%d]", q.cell, q.call)
	case len(calls) == 0:
		sh.say(event.Notice, "no calls match")
	case q.file != "":
		return sh.exportTrace(q.file, calls)
	case q.cell > 0:
		for _, c := range calls {
			sh.say(event.Plain, "%s", callDetail(c.Cell, c.Call, event.RenderOptions{ArgOrder: sh.ArgOrder}))
			sh.showResult(c.Cell, c.Call, false)
		}
	case arg == "":
		sh.feed.Emit(event.Event{Kind: event.Opened, Pane: event.TracePane, Text: traceList(calls)})
	default:
		sh.say(event.Plain, "%s", traceList(calls))
	}
	return nil
}

// traceList shows the last calls, newest first.
func traceList(calls []tracedCall) string {
	var lines []string
	for _, c := range slices.Backward(calls) {
		if len(lines) == traceShown {
			lines = append(lines,
				fmt.Sprintf("… %d of %d calls shown, newest first; /trace N shows those of cell N", traceShown, len(calls)))
			break
		}
		lines = append(lines, callBrief(c.Cell, c.Call))
	}
	return strings.Join(lines, "\n")
}

func (sh *Shell) exportTrace(file string, calls []tracedCall) error {
	if f, err := transcript.ParseFormat(file); err != nil || f != transcript.FormatJSONL {
		return &UsageError{usage: traceUsage, message: fmt.Sprintf("trace: %s: the file's name must end in .jsonl", file)}
	}
	if err := writeNew(file, func(w io.Writer) error { return transcript.WriteLines(w, calls) }); err != nil {
		return err
	}
	sh.say(event.Notice, "%s: %s written", file, text.Count(len(calls), "call"))
	return nil
}
