package repl

// This file holds the commands about the model, and those of the shell itself.

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"almanac/catalog"
	"almanac/catalog/search/spelling"
	"almanac/catalog/text"
	"almanac/catalog/text/cells"
	"almanac/repl/event"
	"almanac/repl/input"
	"almanac/session/trace"
	"almanac/session/vm"
)

func modelCommands() []command {
	return append(policyCommands(), []command{
		{
			name: "model", args: "[NAME | window N]", group: groupModel, run: setModel, words: modelWords,
			brief: "show or change the model and its context window",
			more: "NAME is a [models.NAME] table of the configuration, or a model of the server; Tab completes both. The\n" +
				"conversation goes along. /model window 32k says how many tokens the model can read, until you change the\n" +
				"model; context_window in the configuration keeps it. Without either it is what the server says, or what is\n" +
				"known of the model, or 100,000.",
		},
		{
			name: localCommand, args: "[y|N]", group: groupMore, numbered: true, run: local,
			brief: "look for a model server on this machine, once you say yes",
			more:  "Where no model is configured. Nothing is contacted before the answer, y or yes.",
		},
		{
			name: "retry", group: groupMore, numbered: true, run: retry,
			brief: "send the failed prompt again",
		},
		rewindCommand(),
		{
			name: "compact", args: "[WORDS]", group: groupMore, numbered: true, run: compact,
			brief: "have the model sum up the conversation, to make room",
			more: "The model goes on from its summary, which is shown; WORDS tell it what matters: /compact keep the order ids.\n" +
				"It does so by itself when a prompt would not fit into its context window. The log keeps every message.",
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
		editCommand(), queueCommand(),
		{
			name: "theme", args: "[NAME]", group: groupMore, run: setTheme, words: themeWords,
			brief: "list themes with samples, or change the theme",
			more: "Lasts for this session. To keep it, set theme = \"NAME\" under [ui] in the configuration; a [theme] table\n" +
				"sets the style of single roles: keyword = \"bold magenta\", dim = \"#808080\".",
		},
		{
			name: "clear", aliases: []string{"new"}, group: groupMore, run: clearAll,
			brief: "clear the screen and start a new conversation; keep Lua globals",
			more:  "Ctrl+L clears the screen alone, /lua reset the globals.",
		},
		{name: "help", aliases: []string{"?"}, args: "[COMMAND|WORDS]", group: groupMore, aside: true, run: help,
			words: commandWords, brief: "list commands, or explain one"},
		{name: "quit", aliases: []string{"exit"}, group: groupMore, aside: true, run: quit, brief: "leave"},
	}
}

const modelUsage = "/model [NAME | window N]"

func setModel(ctx context.Context, sh *Shell, _ *event.Cell, arg string) error {
	c := sh.conversation()
	if c == nil {
		return sh.options.NoModel
	}
	first, rest := input.CutWord(arg)
	switch {
	case arg == "":
		sh.listModels(c)
		return nil
	case first == "window":
		return sh.setWindow(rest)
	case rest != "":
		return &UsageError{usage: modelUsage}
	}
	return sh.chooseModel(ctx, c, arg)
}

// retry sends the prompt that failed again. Its cell is that of the prompt.
func retry(ctx context.Context, sh *Shell, c *event.Cell, _ string) error {
	conversation := sh.conversation()
	if conversation == nil {
		return sh.options.NoModel
	}
	prompt := conversation.Failed()
	switch {
	case prompt == "" && len(conversation.Messages()) == 0:
		return errors.New("nothing to retry: no prompt was sent")
	case prompt == "":
		return errors.New("retry: the last prompt did not fail")
	}
	if err := sh.turnAgain(prompt); err != nil {
		return err
	}
	c.Form, c.Source = input.Words, prompt
	sh.say(event.Notice, "retrying: %s", cells.Clip(text.SanitizeLine(prompt), 100, "…"))
	return sh.send(ctx, c, prompt, func() (string, error) { return conversation.Retry(ctx) })
}

// asked is the last prompt and what narrowed the view for its turn.
type asked struct {
	prompt string
	turn   []catalog.Rules
}

// turnAgain narrows the view as for the turn of a prompt that is sent again. Of one of an earlier run of the program
// the log has the names of that alone: it is sent where the person has narrowed the turn.
func (sh *Shell) turnAgain(prompt string) error {
	s := sh.options.Session
	if sh.asked.prompt == prompt {
		for _, r := range sh.asked.turn {
			r.Growing = true
			if err := s.RestrictTurn(r); err != nil {
				return fmt.Errorf("retry: %w", err)
			}
		}
		return nil
	}
	records, err := sh.log()
	if err != nil {
		return fmt.Errorf("retry: what the prompt could see is not known: %w", err)
	}
	for _, r := range slices.Backward(records) {
		if r.Kind != trace.KindPrompt || r.Text != s.Redact(prompt) {
			continue
		}
		if len(r.Turn) > 0 && len(s.Turn()) == 0 {
			return &wideError{r.Turn}
		}
		break
	}
	return nil
}

// A wideError is that of a prompt which would see more than when it was sent.
type wideError struct{ turn []string }

func (e *wideError) Error() string {
	return "retry: the view was narrowed for this prompt: " + strings.Join(e.turn, ", ")
}

func (e *wideError) Hint() string {
	return "narrow it with /catalog view turn ... and /retry, or type the prompt again"
}

// compact has the model sum up the conversation.
func compact(ctx context.Context, sh *Shell, _ *event.Cell, instruction string) error {
	conversation := sh.conversation()
	if conversation == nil {
		return sh.options.NoModel
	}
	_, err := conversation.Compact(ctx, instruction)
	return err
}

// clearAll clears the screen, and the conversation where there is one.
func clearAll(_ context.Context, sh *Shell, _ *event.Cell, _ string) error {
	sh.feed.Emit(event.Event{Kind: event.Cleared})
	if sh.options.Conversation == nil || sh.options.Conversation.Turns() == 0 {
		return nil
	}
	if err := sh.record(trace.Record{Kind: trace.KindForget}); err != nil {
		return err
	}
	sh.options.Conversation.Reset()
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
	return &UsageError{
		usage: "/theme [NAME]", message: fmt.Sprintf("theme %q: unknown: use one of %s", arg, strings.Join(names, ", ")),
	}
}

func themeWords(sh *Shell, _ string) []Completion {
	var items []Completion
	for _, n := range sh.options.Themes {
		items = append(items, Completion{Text: n})
	}
	return items
}

// wantsOut reads the bare words by which people leave other programs.
func (sh *Shell) wantsOut(in input.Input) bool {
	if in.Form != input.Lua && in.Form != input.Words {
		return false
	}
	word := strings.TrimSuffix(strings.TrimSpace(in.Text), "()")
	if word != "exit" && word != "quit" {
		return false
	}
	return !slices.ContainsFunc(sh.options.Session.Globals(), func(g vm.Global) bool { return g.Name == word })
}

func quit(context.Context, *Shell, *event.Cell, string) error { return errQuit }
