package repl

import (
	"context"
	"fmt"
	"strings"

	"almanac/repl/event"
	"almanac/repl/input"
	"almanac/repl/show"
)

// This file holds /set: how the session behaves, until it ends.

func setCommand() command {
	return command{
		name: "set", args: "[transactional on|off]", group: groupMore, aside: true, run: set,
		words: fixedWords("transactional on", "a run that fails puts the globals back",
			"transactional off", "a run that fails leaves the globals as they are then"),
		brief: "what the session does when a run fails",
		more: "/set transactional off holds from the next run on, in this session.\n" +
			"The configuration keeps it: transactional = false.",
	}
}

func set(_ context.Context, sh *Shell, _ *event.Cell, arg string) error {
	const usage = "/set [transactional on|off]"
	s := sh.options.Session
	name, value := input.CutWord(arg)
	value = strings.TrimSpace(value)
	switch {
	case name == "":
	case name != "transactional":
		return &UsageError{usage: usage, message: fmt.Sprintf("set: unknown %q", name)}
	case value == "on", value == "off":
		s.SetTransactional(value == "on")
	case value != "":
		return &UsageError{usage: usage, message: fmt.Sprintf("set transactional: want on or off, got %q", value)}
	}
	row := []string{"transactional", "on", "a run that fails, is interrupted or denied puts the globals back"}
	if !s.Transactional() {
		row[1], row[2] = "off", "a run that fails, is interrupted or denied leaves the globals as they are then"
	}
	sh.say(event.Plain, "%s", show.Columns([][]string{row}))
	return nil
}
