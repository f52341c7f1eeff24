package repl

// This file shows cells and values in full: /expand prints them, /less pages through them.

import (
	"context"
	"fmt"
	"strings"

	"almanac/repl/event"
	"almanac/repl/show"
	"almanac/session"
	"almanac/session/trace"
	"almanac/session/vm"
)

func expandCommand() command {
	return command{
		name: "expand", args: "[N | N.M]", group: groupLook, aside: true, run: expand, words: cellWords,
		brief: "cell N, or its call M, in full",
	}
}

func lessCommand() command {
	return command{
		name: "less", args: "[N | N.M | EXPR]", group: groupMore, run: less, words: globalWords,
		lua:   wholeLua,
		brief: "page through cell N, a call or a value",
		more:  "/ searches, n and N go to the next and the previous match, g and G to the start and the end, q closes.\nIn line mode it prints.",
	}
}

func expand(_ context.Context, sh *Shell, _ *event.Cell, arg string) error {
	n, m := 0, 0
	if arg != "" {
		var err error
		if n, m, err = cellNumber(arg); err != nil {
			return &UsageError{usage: "/expand [N | N.M]", message: err.Error()}
		}
	}
	events, err := sh.expanded("expand", n, m)
	for _, e := range events {
		sh.feed.Emit(e)
	}
	return err
}

// less pages through what /expand prints, or through a value: at a path as it stands, of any other expression by
// running it.
func less(ctx context.Context, sh *Shell, c *event.Cell, arg string) error {
	arg = strings.TrimSpace(arg)
	e := event.Event{Kind: event.Opened, Pane: event.PagerPane, Words: "the last cell"}
	n, m, err := cellNumber(arg)
	if arg == "" || err == nil {
		if arg != "" {
			e.Words = "[" + strings.Trim(arg, "[]_") + "]"
		}
		e.Inside, err = sh.expanded("less", n, m)
	} else {
		var v vm.Value
		e.Words = arg
		v, err = sh.exported(ctx, c, arg)
		e.Inside = []event.Event{valueEvent(v)}
	}
	if err != nil {
		return err
	}
	sh.feed.Emit(e)
	return nil
}

// valueEvent shows a value in full: a text as it is.
func valueEvent(v vm.Value) event.Event {
	if text, ok := v.Data.(string); ok {
		return event.Event{Kind: event.Said, Text: text}
	}
	v.Repr = show.LuaText(v.Data, 100)
	return event.Event{Kind: event.Ran, Author: session.User, Full: true, Outcome: &session.Outcome{Values: []vm.Value{v}}}
}

// expanded is all of a cell, the last one for 0, or what its call m returned. command is who asks.
func (sh *Shell) expanded(command string, n, m int) (events []event.Event, err error) {
	c, ok := sh.cell(n)
	if !ok && n == 0 {
		return nil, fmt.Errorf("%s: no cells yet", command)
	}
	if !ok {
		return nil, fmt.Errorf("%s: no cell [%d]", command, n)
	}
	if m > 0 {
		for _, call := range c.Calls {
			if call.N == m {
				return sh.resultEvents(c.N, call, true), nil
			}
		}
		return nil, fmt.Errorf("%s: no call [%d.%d]", command, n, m)
	}
	say := func(text string) { events = append(events, event.Event{Kind: event.Said, Text: text}) }
	defer func() {
		for _, e := range c.Effects {
			say("  effect " + statedLine(e))
		}
	}()
	say(fmt.Sprintf("[%d] %s", c.N, c.Source))
	if len(c.Course) > 0 {
		events = append(events, c.Course...)
		if c.Outcome != nil && c.Outcome.Err == nil && len(c.Outcome.Values) > 0 { // the model may have read a part of it
			events = append(events, event.Event{Kind: event.Ran, Cell: c.N, Author: c.Author, Outcome: c.Outcome, Full: true})
		}
		if c.Answer != "" {
			say(c.Answer)
		}
		return events, nil
	}
	for _, script := range c.Scripts {
		say(script)
	}
	for _, call := range c.Calls {
		events = append(events, event.Event{Kind: event.Called, Cell: c.N, Author: session.Author(call.Author), Call: &call})
	}
	if c.Answer != "" {
		say(c.Answer)
	}
	if c.Outcome == nil {
		return events, nil
	}
	if text := strings.TrimRight(c.Outcome.Stdout+c.Outcome.Stderr, "\n"); text != "" {
		say(text)
	}
	return append(events, event.Event{Kind: event.Ran, Cell: c.N, Author: c.Author, Outcome: c.Outcome, Full: true}), nil
}

// showResult shows what a call returned, and how much of it when that is not all.
func (sh *Shell) showResult(cell int, c trace.Call, full bool) {
	for _, e := range sh.resultEvents(cell, c, full) {
		sh.feed.Emit(e)
	}
}

func (sh *Shell) resultEvents(cell int, c trace.Call, full bool) []event.Event {
	v, part := sh.resultOf(cell, c)
	if v.Data == nil && part == "" {
		return nil
	}
	events := []event.Event{{
		Kind: event.Ran, Cell: cell, Author: session.User, Call: &c, Full: full,
		Outcome: &session.Outcome{Values: []vm.Value{v}},
	}}
	if part != "" {
		events = append(events, event.Event{Kind: event.Said, Level: event.Notice, Text: part})
	}
	return events
}
