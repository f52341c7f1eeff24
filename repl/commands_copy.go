package repl

// This file copies an answer or code to the clipboard.

import (
	"context"
	"errors"
	"fmt"

	"almanac/repl/event"
	"almanac/repl/input"
	"almanac/repl/show"
)

func copyCommand() command {
	return command{
		name: "copy", args: "[code | N]", group: groupMore, run: copyText, words: copyWords,
		brief: "copy the last answer, the last code, or cell N",
		more: "The last code is the last code block of the model's answer, else the script that ran last.\n" +
			"Inside tmux it goes to tmux's buffer, else to a clipboard program, else to the terminal (OSC 52), which\n" +
			"does not confirm it; without any of these the text is printed.",
	}
}

func copyWords(sh *Shell, arg string) []Completion {
	return append(fixedWords("code", "the last code")(sh, arg), cellWords(sh, arg)...)
}

func copyText(_ context.Context, sh *Shell, _ *event.Cell, arg string) error {
	text, err := sh.copied(arg)
	if err != nil {
		return err
	}
	e := event.Event{Kind: event.Copied, Text: text}
	e.Tool, e.Err = sh.CopyOut(text)
	sh.feed.Emit(e)
	return nil
}

// copied is the text that /copy means.
func (sh *Shell) copied(arg string) (string, error) {
	switch arg {
	case "":
		cells := sh.Cells()
		for i := len(cells) - 1; i >= 0; i-- {
			if text := cells[i].Result(); text != "" {
				return text, nil
			}
		}
		return "", errors.New("copy: no answer yet")
	case "code":
		cells := sh.Cells()
		for i := len(cells) - 1; i >= 0; i-- {
			if code := cellCode(cells[i]); code != "" {
				return code, nil
			}
		}
		return "", errors.New("copy: no code yet")
	}
	n, m, err := cellNumber(arg)
	if err != nil || m > 0 {
		return "", &UsageError{usage: "/copy [code | N]", message: fmt.Sprintf("copy: %q: want code or a cell number", arg)}
	}
	c, ok := sh.cell(n)
	if !ok {
		return "", fmt.Errorf("copy: no cell [%d]", n)
	}
	text := c.Result()
	if text == "" {
		return "", fmt.Errorf("copy: [%d] has no answer", n)
	}
	return text, nil
}

// cellCode is the code of a cell: the last block of it in the model's answer, else the last script that ran.
func cellCode(c event.Cell) string {
	if c.Form != input.Words {
		return c.Source
	}
	if code := show.LastCode(c.Answer); code != "" {
		return code
	}
	if n := len(c.Scripts); n > 0 {
		return c.Scripts[n-1]
	}
	return ""
}
