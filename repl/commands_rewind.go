package repl

// This file goes back to an earlier prompt: the conversation is cut before it, and Lua goes along where that is wished.

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"almanac/catalog/text"
	"almanac/catalog/text/cells"
	"almanac/llm"
	"almanac/repl/event"
	"almanac/repl/input"
)

const rewindUsage = "/rewind [N [lua|keep]]"

func rewindCommand() command {
	return command{
		name: "rewind", args: "[N [lua|keep]]", group: groupMore, run: rewind, words: promptWords,
		brief: "go back to before an earlier prompt",
		more: "Without a number it lists the prompts of the conversation. The conversation goes on from before prompt N, whose\n" +
			"text comes back to be edited. Where scripts have run since, lua takes the globals back too and keep leaves them.\n" +
			"What was written since is listed, and not undone. The log keeps everything. Esc Esc does the same.",
	}
}

// A Prompt is one of the conversation, which it can go back to.
type Prompt struct {
	Cell int
	Text string
	// Ran tells that scripts have run in the session's Lua since it was sent, Kept that the globals of then are kept.
	Ran, Kept bool
	// Writes are the actions that changed data since it was sent, each with how often: "billing.invoice.void x2".
	Writes []string
}

// Prompts lists the prompts of the conversation that can be gone back to, oldest first.
func (sh *Shell) Prompts() []Prompt {
	c := sh.conversation()
	if c == nil {
		return nil
	}
	var all []Prompt
	for _, m := range c.Messages() {
		if m.Role != llm.User || m.From != "" || m.Cell == 0 {
			continue
		}
		p := Prompt{Cell: m.Cell, Text: m.Text, Ran: true}
		sh.mu.Lock()
		if mark, ok := sh.marks[m.Cell]; ok {
			p.Ran, p.Kept = sh.options.Session.Marked(mark)
		}
		p.Writes = writesSince(sh.cells, m.Cell)
		sh.mu.Unlock()
		all = append(all, p)
	}
	return all
}

// writesSince lists what changed data in the cell and after it, in the order of the first of each.
func writesSince(cells []event.Cell, cell int) []string {
	var ids []string
	times := map[string]int{}
	for _, c := range cells {
		for _, call := range c.Calls {
			if c.N < cell || !call.Wrote() {
				continue
			}
			if times[call.ID]++; times[call.ID] == 1 {
				ids = append(ids, call.ID)
			}
		}
	}
	for i, id := range ids {
		if n := times[id]; n > 1 {
			ids[i] = fmt.Sprintf("%s x%d", id, n)
		}
	}
	return ids
}

// NotUndone says what was written since the prompt; empty for nothing.
func (p Prompt) NotUndone() string {
	const most = 6
	if len(p.Writes) == 0 {
		return ""
	}
	names := slices.Clone(p.Writes)
	if n := len(names); n > most {
		names = append(names[:most], fmt.Sprintf("and %d more", n-most))
	}
	return "made since and not undone: " + strings.Join(names, ", ")
}

// Line is the prompt on one line of at most width cells, or any where width is 0.
func (p Prompt) Line(width int) string {
	line := fmt.Sprintf("[%d] %s", p.Cell, text.SanitizeLine(strings.Join(strings.Fields(p.Text), " ")))
	return cells.Clip(line, width, "…")
}

func promptWords(sh *Shell, _ string) []Completion {
	var items []Completion
	for _, p := range slices.Backward(sh.Prompts()) {
		items = append(items, Completion{Text: fmt.Sprint(p.Cell), Detail: p.Line(80)})
	}
	return items
}

func rewind(ctx context.Context, sh *Shell, _ *event.Cell, arg string) error {
	if sh.conversation() == nil {
		return sh.options.NoModel
	}
	prompts := sh.Prompts()
	number, choice := input.CutWord(arg)
	switch {
	case len(prompts) == 0:
		return errors.New("rewind: no prompt to go back to")
	case number == "":
		for _, p := range prompts {
			sh.say(event.Plain, "%s", p.Line(100))
		}
		sh.say(event.Notice, "/rewind N goes back to before one of them")
		return nil
	}
	n, call, err := cellNumber(number)
	if err != nil || call > 0 || choice != "" && choice != "lua" && choice != "keep" {
		return &UsageError{usage: rewindUsage}
	}
	i := slices.IndexFunc(prompts, func(p Prompt) bool { return p.Cell == n })
	if i < 0 {
		return fmt.Errorf("rewind: [%d] is no prompt of this conversation; /rewind lists them", n)
	}
	p := prompts[i]
	if choice == "" && p.Ran && p.Kept {
		if said := p.NotUndone(); said != "" {
			sh.say(event.Warning, "%s", said)
		}
		sh.say(event.Notice, "scripts have run since [%d]: /rewind %d lua takes the globals back too, /rewind %d keep leaves them",
			n, n, n)
		return nil
	}
	return sh.goBack(ctx, p, choice == "lua")
}

// goBack cuts the conversation before the prompt and tells what became of all else.
func (sh *Shell) goBack(ctx context.Context, p Prompt, lua bool) error {
	said := fmt.Sprintf("back to before [%d]", p.Cell)
	sh.mu.Lock()
	mark := sh.marks[p.Cell]
	sh.mu.Unlock()
	if lua && !p.Kept {
		return fmt.Errorf("rewind: the globals of before [%d] are not kept; /rewind %d keep leaves them as they are",
			p.Cell, p.Cell)
	}
	left, err := sh.options.Session.Rewind(ctx, mark, lua)
	if err != nil {
		return fmt.Errorf("rewind: %w", err)
	}
	conversation := sh.conversation()
	prompt, err := conversation.Cut(p.Cell)
	if err != nil {
		return fmt.Errorf("rewind: %w", err)
	}
	switch {
	case lua:
		said += "; the globals are as they were"
		if len(left) > 0 {
			said += ", without " + strings.Join(left, ", ")
		}
	case p.Ran && !p.Kept:
		said += "; the globals stay as they are: those of then are not kept"
	case p.Ran:
		said += "; the globals stay as they are"
	}
	if lua {
		sh.wentBack()
	}
	sh.say(event.Notice, "%s", said)
	if writes := p.NotUndone(); writes != "" {
		sh.say(event.Warning, "%s", writes)
	}
	sh.feed.Emit(event.Event{Kind: event.Recalled, Text: prompt})
	return nil
}

// mark keeps the session as it is before the cell's prompt is sent.
func (sh *Shell) mark(ctx context.Context, cell int) error {
	if sh.options.Once {
		return nil
	}
	mark, err := sh.options.Session.Mark(ctx)
	if err != nil {
		return err
	}
	sh.mu.Lock()
	defer sh.mu.Unlock()
	if sh.marks == nil {
		sh.marks = map[int]int64{}
	}
	sh.marks[cell] = mark
	return nil
}
