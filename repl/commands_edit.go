package repl

import (
	"context"
	"fmt"

	"almanac/repl/event"
)

// This file holds the command that brings an earlier input back for an external editor.

func editCommand() command {
	return command{
		name: "edit", args: "[last | N]", group: groupMore, run: edit, words: cellWords,
		brief: "write the next input in $EDITOR, starting from the last cell or cell N",
	}
}

// edit hands the source of a cell, or nothing, to the screen as the next input.
func edit(_ context.Context, sh *Shell, _ *event.Cell, arg string) error {
	if arg == "" {
		sh.feed.Emit(event.Event{Kind: event.Drafted})
		return nil
	}
	n := 0
	if arg != "last" {
		var err error
		if n, _, err = cellNumber(arg); err != nil {
			return &UsageError{usage: "/edit [last | N]", message: err.Error()}
		}
	}
	c, ok := sh.cell(n)
	if !ok {
		return fmt.Errorf("edit: no cell %s", arg)
	}
	sh.feed.Emit(event.Event{Kind: event.Drafted, Text: c.Source})
	return nil
}
