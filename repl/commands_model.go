package repl

// This file holds the commands about the model, and those of the shell itself.

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"almanac/catalog/search/spelling"
	"almanac/repl/event"
	"almanac/repl/input"
	"almanac/session/trace"
)

func modelCommands() []command {
	return append(policyCommands(), []command{
		{
			name: "model", args: "[NAME]", group: groupModel, run: setModel,
			brief: "show or change the model",
		},
		{
			name: "new", group: groupMore, run: newConversation,
			brief: "start a new conversation; keep Lua globals",
		},
	}...)
}

func shellCommands() []command {
	return []command{
		{
			name: "mode", args: "[lua|ask]", group: groupMore, aside: true, run: setMode,
			words: fixedWords("lua", "lines are Lua", "ask", "lines are for the model"),
			brief: "how a line without a prefix is read",
		},
		editCommand(),
		{
			name: "theme", args: "[NAME]", group: groupMore, run: setTheme, words: themeWords,
			brief: "list themes with samples, or change the theme",
			more: "Lasts for this session. To keep it, set theme = \"NAME\" under [ui] in the configuration; a [theme] table\n" +
				"sets the style of single roles: keyword = \"bold magenta\", dim = \"#808080\".",
		},
		{name: "clear", group: groupMore, run: clearScreen, brief: "clear the screen"},
		{name: "help", aliases: []string{"?"}, args: "[COMMAND|WORDS]", group: groupMore, aside: true, run: help, words: commandWords, brief: "list commands, or explain one"},
		{name: "quit", aliases: []string{"exit"}, group: groupMore, aside: true, run: quit, brief: "leave"},
	}
}

func setModel(_ context.Context, sh *Shell, _ *event.Cell, arg string) error {
	c := sh.options.Conversation
	if c == nil {
		return errors.New(sh.options.NoModel)
	}
	if arg == "" {
		sh.say(event.Plain, "model %s", cmp.Or(c.Model(), "not set: the server chooses"))
		return nil
	}
	if strings.ContainsAny(arg, " \t\n") {
		return &UsageError{usage: "/model [NAME]"}
	}
	if set := sh.options.SetModel; set != nil {
		if err := set(arg); err != nil {
			return err
		}
	}
	c.SetModel(arg)
	sh.say(event.Notice, "model %s from the next prompt", arg)
	return nil
}

func newConversation(_ context.Context, sh *Shell, _ *event.Cell, _ string) error {
	if sh.options.Conversation == nil {
		return errors.New(sh.options.NoModel)
	}
	if err := sh.record(trace.Record{Kind: trace.KindForget}); err != nil {
		return err
	}
	sh.options.Conversation.Reset()
	sh.options.Session.SetMessages(nil)
	sh.say(event.Notice, "new conversation; Lua globals kept")
	return nil
}

func setMode(_ context.Context, sh *Shell, _ *event.Cell, arg string) error {
	switch arg {
	case "":
		sh.say(event.Plain, "mode %s", sh.Mode())
		return nil
	case "lua":
		sh.SetMode(input.LuaMode)
	case "ask":
		sh.SetMode(input.AskMode)
	default:
		return &UsageError{usage: "/mode [lua|ask]"}
	}
	sh.say(event.Notice, "mode %s", arg)
	return nil
}

func clearScreen(_ context.Context, sh *Shell, _ *event.Cell, _ string) error {
	sh.feed.Emit(event.Event{Kind: event.Cleared})
	return nil
}

func setTheme(_ context.Context, sh *Shell, _ *event.Cell, arg string) error {
	names := sh.options.Themes
	switch {
	case len(names) == 0:
		return errors.New("theme: no colours here")
	case arg == "" || slices.Contains(names, arg):
		sh.feed.Emit(event.Event{Kind: event.Themed, Text: arg})
		return nil
	}
	if near := spelling.Nearest(arg, names); near != "" {
		return &UsageError{usage: "/theme [NAME]", message: fmt.Sprintf("theme %q: unknown: did you mean %s?", arg, near)}
	}
	return &UsageError{usage: "/theme [NAME]", message: fmt.Sprintf("theme %q: unknown: use one of %s", arg, strings.Join(names, ", "))}
}

func themeWords(sh *Shell, _ string) []Completion {
	var items []Completion
	for _, n := range sh.options.Themes {
		items = append(items, Completion{Text: n})
	}
	return items
}

func quit(context.Context, *Shell, *event.Cell, string) error { return errQuit }
