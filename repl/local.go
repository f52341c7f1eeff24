package repl

// This file offers model servers on this machine where no model is configured. Nothing is contacted before the person
// says yes. The question is answered by the next input, and by nothing but exactly what it asks for.

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"almanac/llm"
	"almanac/repl/event"
	"almanac/repl/input"
	"almanac/repl/show"
)

// Local finds model servers on this machine.
type Local struct {
	// Places says where: "Ollama 11434, vLLM 8000".
	Places string
	// Find asks them for their models.
	Find func(context.Context) []llm.Target
	// Keep says how to keep one after this session.
	Keep func(llm.Target) string
	// Grace is how soon after a question an input does not answer it: it was typed before.
	Grace time.Duration
}

// An offer is a question that the next input may answer.
type offer struct {
	asked time.Time
	// found are the models to choose from; empty where the question is whether to look.
	found []llm.Target
	// prompt is what the person wanted to ask.
	prompt string
	// refused is set once the person has said no, again once an input was no number of the list.
	refused, again bool
}

// localCommand is what an answer to the offer runs as.
const localCommand = "local"

// offerLocal asks whether to look for a local server, or says how to get a model where that cannot be asked.
func (sh *Shell) offerLocal(prompt string) error {
	l, o := sh.options.Local, sh.offered()
	if l == nil || o != nil && o.refused {
		return sh.options.NoModel
	}
	sh.say(event.Plain, "no model is configured. Look for a model server on this machine (%s)? Nothing has been "+
		"contacted.\ny or yes looks; anything else does not", l.Places)
	sh.setOffer(&offer{asked: time.Now(), prompt: prompt})
	return nil
}

func (sh *Shell) offered() *offer {
	sh.mu.Lock()
	defer sh.mu.Unlock()
	return sh.offer
}

func (sh *Shell) setOffer(o *offer) {
	sh.mu.Lock()
	defer sh.mu.Unlock()
	sh.offer = o
}

// Choosing tells that a model of the list is to be chosen: then an empty line is an answer, too.
func (sh *Shell) Choosing() bool {
	o := sh.offered()
	return o != nil && len(o.found) > 0
}

// answer makes a command of an input that answers the offer. Any other input ends it.
func (sh *Shell) answer(line string, in input.Input) input.Input {
	o := sh.offered()
	if o == nil || o.refused || in.Form == input.Command {
		return in
	}
	if in.Form == input.Nothing {
		if sh.Choosing() {
			sh.setOffer(nil)
			sh.say(event.Notice, "none chosen; /local asks again")
		}
		return in
	}
	word := strings.ToLower(strings.TrimSpace(line))
	fits := word == "y" || word == "yes" || word == "n" || word == "no"
	if len(o.found) > 0 {
		fits = !o.again || o.number(word) > 0
	}
	if !fits {
		sh.setOffer(nil)
		return in
	}
	return input.Input{Form: input.Command, Name: localCommand, Text: word}
}

// number is which of the models the word chooses; 0 for none.
func (o *offer) number(word string) int {
	n, err := strconv.Atoi(word)
	if err != nil || n < 1 || n > len(o.found) || strconv.Itoa(n) != word {
		return 0
	}
	return n
}

func local(ctx context.Context, sh *Shell, c *event.Cell, word string) error {
	l := sh.options.Local
	switch {
	case sh.conversation() != nil:
		return errors.New("local: a model answers already: /model shows it")
	case l == nil:
		return sh.options.NoModel
	}
	o := sh.offered()
	switch {
	case word == "" || o == nil || o.refused:
		sh.setOffer(nil)
		return sh.offerLocal("")
	case time.Since(o.asked) < l.Grace:
		sh.setOffer(&offer{asked: time.Now(), found: o.found, prompt: o.prompt, again: o.again})
		sh.say(event.Warning, "that was typed before the question, and does not count")
		return nil
	case len(o.found) == 0 && (word == "y" || word == "yes"):
		return sh.findLocal(ctx, o)
	case len(o.found) > 0:
		return sh.pickLocal(ctx, c, o, o.number(word))
	case word == "n" || word == "no":
		sh.setOffer(&offer{refused: true})
		return sh.options.NoModel
	}
	return &UsageError{usage: "/local", message: "answer y or n"}
}

// findLocal lists the models of the local servers.
func (sh *Shell) findLocal(ctx context.Context, o *offer) error {
	found := sh.options.Local.Find(ctx)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if len(found) == 0 {
		sh.setOffer(nil)
		return fmt.Errorf("no model server with a model answers (%s): start one and ask again; %w",
			sh.options.Local.Places, sh.options.NoModel)
	}
	rows := [][]string{}
	for i, t := range found {
		window := "-"
		if t.Window > 0 {
			window = count(t.Window) + " tokens"
		}
		rows = append(rows, []string{fmt.Sprintf("  %d", i+1), t.Model, window, t.Host()})
	}
	sh.say(event.Plain, "%s\nthe number of a model chooses it; Enter alone leaves", show.Columns(rows))
	sh.setOffer(&offer{asked: time.Now(), found: found, prompt: o.prompt})
	return nil
}

// pickLocal has one of the models answer for this session, at once where there was a prompt.
func (sh *Shell) pickLocal(ctx context.Context, c *event.Cell, o *offer, n int) error {
	if n == 0 {
		sh.setOffer(&offer{asked: o.asked, found: o.found, prompt: o.prompt, again: true})
		sh.say(event.Warning, "want a number from 1 to %d, or Enter to leave", len(o.found))
		return nil
	}
	sh.setOffer(nil)
	t := o.found[n-1]
	conversation := sh.options.Conversation
	sh.use(ctx, conversation, t, t.Model)
	sh.say(event.Notice, "for this session; %s", sh.options.Local.Keep(t))
	if o.prompt == "" {
		return nil
	}
	if err := sh.turnAgain(o.prompt); err != nil {
		return err
	}
	c.Form, c.Source = input.Words, o.prompt
	return sh.send(ctx, c, o.prompt, func() (string, error) { return conversation.Send(ctx, o.prompt) })
}
