package plain

// This file reads typed answers to the question about a whole run.

import (
	"context"
	"fmt"
	"strings"

	"almanac/catalog/text"
	"almanac/repl/event"
	"almanac/repl/input"
	"almanac/repl/show"
	"almanac/session"
)

// answerBatch reads lines until one says yes or no to the list; others change it.
func (p *plain) answerBatch(ctx context.Context, cancel func(), q show.Question) session.Approval {
	for {
		can := ""
		if does, ok := q.Batch.Yes(); ok {
			can = "y (" + does + "), "
		}
		typed, err := p.reply(ctx, cancel, can+"n, n with a reason, off 2, on 2, e 3, v, ?: ")
		if err != nil {
			p.print("denied: no answer\n")
			return session.Approval{Reason: "no answer"}
		}
		if p.changeBatch(ctx, cancel, q.Batch, typed) {
			continue
		}
		switch answer, reason := parseAnswer(typed); answer {
		case yes:
			a, err := q.Batch.Approval()
			if err == nil {
				p.print("  " + q.Batch.Told(a) + "\n")
				return a
			}
			p.print(err.Error() + "\n")
		case no:
			return session.Approval{Reason: reason}
		case script:
			lines, _ := q.Batch.Lines(max(p.o.Width-4, 0), p.o.Render.Marks(), false, true)
			p.printLines(show.Wrap(append(lines, q.ScriptLines(p.o.Render.Marks())...), p.o.Width))
		case details:
			p.printLines(event.AskDetails(q, p.o.Width, p.o.Render))
		default:
			p.print("not an answer: type y, n, v or ? alone, or off, on or e with numbers of the list\n")
		}
	}
}

// changeBatch does what a line says of items of the list: "off 2 5", "on 2", "e 3". It is false for any other line.
func (p *plain) changeBatch(ctx context.Context, cancel func(), b *show.Batch, typed string) bool {
	word, rest := input.CutWord(strings.TrimSpace(typed))
	word = strings.ToLower(word)
	switch word {
	case "off", "on", "e", "edit":
	default:
		return false
	}
	items, err := b.Numbers(rest)
	if err == nil && word[0] == 'e' {
		err = p.editItem(ctx, cancel, b, items)
	} else if err == nil {
		for _, i := range items {
			b.Switch(i, word == "on")
		}
		p.print(fmt.Sprintf("  switched %s: %s\n", word, text.Count(len(items), "write")))
	}
	if err != nil {
		p.print("  " + text.Sanitize(err.Error()) + "\n")
	}
	return true
}

// editItem reads other arguments of one item.
func (p *plain) editItem(ctx context.Context, cancel func(), b *show.Batch, items []int) error {
	if len(items) != 1 {
		return fmt.Errorf("one at a time: e and its number")
	}
	i := items[0]
	if err := b.Editable(i); err != nil {
		return err
	}
	e, _ := b.Call(i)
	read := func(typed string) (map[string]any, error) { return show.ReadArgs(e, typed) }
	if args := p.args(ctx, cancel, read); args != nil {
		b.Edit(i, args)
		b.Go(i)
		p.print(fmt.Sprintf("  %d is now %s\n", i+1, text.SanitizeLine(show.ArgsText(e, args, 0))))
	}
	return nil
}
