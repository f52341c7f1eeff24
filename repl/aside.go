package repl

import (
	"context"
	"errors"
	"strings"
	"time"

	"almanac/repl/event"
	"almanac/repl/input"
	"almanac/session"
)

// Aside runs line now, on the caller's goroutine, when it is a command that only looks, or one that decides what a run
// may do: taking rights back must not wait for the end of the run that uses them. It reports false, and does nothing,
// for all other lines. It may be called while Handle runs; what it tells belongs to no cell. The status is Quit for the
// commands that leave.
func (sh *Shell) Aside(ctx context.Context, line string) (Status, bool) {
	mode := sh.Mode()
	in := input.Parse(line, mode)
	if in.Form != input.Command {
		return Done, false
	}
	cmd, arg, ok := sh.command(in)
	if !ok || !cmd.aside {
		return Done, false
	}
	sh.remember(line, mode)
	c := event.Cell{Form: input.Command, Author: session.User, Source: arg, Started: time.Now()}
	sh.feed.Emit(event.Event{
		Kind: event.Began, Author: session.User, Mode: mode, Text: strings.TrimRight(line, " \t\r\n"),
	})
	err := sh.guard(ctx, &c, func(ctx context.Context, c *event.Cell) error { return cmd.do(ctx, sh, c, arg) })
	if errors.Is(err, errQuit) {
		return Quit, true
	}
	sh.feed.Emit(event.Event{Kind: event.Ended, Author: session.User, Err: err, Elapsed: time.Since(c.Started)})
	if err != nil {
		return Failed, true
	}
	return Done, true
}
