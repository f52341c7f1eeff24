package repl

// This file holds the command about the inputs that wait for what runs. They are the screen's; it lends them to Aside.

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"almanac/catalog/text"
	"almanac/repl/event"
)

// A Queue is the inputs that wait. Its functions may be called until Aside returns.
type Queue struct {
	// Lines are the inputs in their order, each behind its mode.
	Lines []string
	// Drop takes the nth out, from 0; Edit puts it into the input, too.
	Drop, Edit func(n int)
}

type queueKey struct{}

// WithQueue lends a queue to the command that Aside runs.
func WithQueue(ctx context.Context, q Queue) context.Context {
	return context.WithValue(ctx, queueKey{}, q)
}

const queueUsage = "/queue [drop N... | edit N | clear]"

func queueCommand() command {
	return command{
		name: "queue", args: "[drop N | edit N | clear]", group: groupMore, aside: true, run: queue,
		words: fixedWords("drop", "take input N out", "edit", "take input N back to edit it", "clear", "take all out"),
		brief: "the inputs that wait for what runs",
		more:  queueUsage + "\nAn input that is edited goes to the end of the queue when it is sent again.",
	}
}

func queue(ctx context.Context, sh *Shell, _ *event.Cell, arg string) error {
	q, _ := ctx.Value(queueKey{}).(Queue)
	words := strings.Fields(arg)
	if len(words) == 0 {
		words = []string{"list"}
	}
	var chosen []int
	for _, word := range words[1:] {
		n, err := strconv.Atoi(word)
		if err != nil || n < 1 || n > len(q.Lines) {
			return &UsageError{
				usage:   queueUsage,
				message: fmt.Sprintf("queue: no input %s: %s waiting", quoteWord(word), text.Count(len(q.Lines), "input")),
			}
		}
		chosen = append(chosen, n-1)
	}
	switch what := words[0]; {
	case what == "drop" && len(chosen) > 0:
	case what == "edit" && len(chosen) == 1:
		q.Edit(chosen[0])
		sh.say(event.Notice, "input %d is back for editing", chosen[0]+1)
		return nil
	case what == "clear" && len(chosen) == 0:
		for n := range q.Lines {
			chosen = append(chosen, n)
		}
	case what == "list" && arg == "":
		said := ""
		for i, line := range q.Lines {
			said += fmt.Sprintf("%3d  %s\n", i+1, text.OneLine(line))
		}
		if said != "" {
			sh.say(event.Plain, "%s/queue drop N, /queue edit N, /queue clear", said)
			return nil
		}
	default:
		return &UsageError{usage: queueUsage}
	}
	dropped := 0
	for n := len(q.Lines) - 1; n >= 0; n-- { // from behind, so that the numbers stay
		if slices.Contains(chosen, n) {
			q.Drop(n)
			dropped++
		}
	}
	if dropped == 0 {
		sh.say(event.Notice, "nothing queued")
		return nil
	}
	sh.say(event.Notice, "%s taken out of the queue", text.Count(dropped, "input"))
	return nil
}
