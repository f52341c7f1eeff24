package llm

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// This file has the model sum up earlier turns, so that requests need not hold them.

const (
	summaryMark   = "[summary of the conversation so far, which you wrote to save space; Lua globals still exist]\n"
	summaryPrompt = "Sum up this conversation for yourself: you will go on from the summary alone. Keep the person's wishes " +
		"and decisions, facts and exact ids that were found, what was changed and what was refused, the names of Lua globals " +
		"and functions with what they hold, and what is left to do. No tool calls, at most 300 words."
)

// errShort is what Compact returns where there is nothing to sum up.
var errShort = errors.New("compact: the conversation is empty")

// Compact has the model sum up the whole conversation, with the person's instruction if that is not empty, and goes on
// from the summary, which it returns. The history keeps all messages. The error is ErrBusy or as of Send; then nothing
// has changed.
func (c *Conversation) Compact(ctx context.Context, instruction string) (string, error) {
	if !c.begin() {
		return "", ErrBusy
	}
	defer c.end()
	c.mu.Lock()
	start, end := c.start, len(c.messages)
	c.mu.Unlock()
	if start == end {
		return "", errShort
	}
	return c.compact(ctx, c.options.Tools(), 0, instruction)
}

// makeRoom makes the next request fit into the budget without losing anything of the last turn: earlier answers become
// short, then earlier turns a summary. A summary that fails is not told: request leaves out what is too long. The error
// is ctx's.
func (c *Conversation) makeRoom(ctx context.Context, tools []Tool) error {
	fixed := fixedTokens(c.prompt().Text, tools)
	c.mu.Lock()
	budget := c.budget() - fixed
	fits := func() bool { return totalTokens(c.sent()) <= budget }
	if !fits() {
		c.shortenEarlier(budget * 3 / 4)
		c.context.counted = 0
	}
	done, end := fits(), lastTurn(c.messages)
	worth := end > c.start && !(c.messages[c.start].Role == Summary && end == c.start+1)
	c.mu.Unlock()
	if done || !worth {
		return nil
	}
	if _, err := c.compact(ctx, tools, 1, ""); ctx.Err() != nil {
		return err
	}
	return nil
}

// compact sums up all turns but the newest ones. Where the model cannot read them at once, as after a change to a
// smaller window, each summary stands for what came before it in the next; with newest turns that ends once there is
// room.
func (c *Conversation) compact(ctx context.Context, tools []Tool, newest int, instruction string) (string, error) {
	for {
		text, after, err := c.sumUp(ctx, tools, newest, instruction)
		if err != nil || after <= newest || newest > 0 && c.roomy(tools) {
			return text, err
		}
	}
}

// roomy tells whether the next request leaves a quarter of the budget.
func (c *Conversation) roomy(tools []Tool) bool {
	fixed := fixedTokens(c.prompt().Text, tools)
	c.mu.Lock()
	defer c.mu.Unlock()
	return totalTokens(c.sent()) <= (c.budget()-fixed)*3/4
}

// sumUp sums up the oldest turns that fit into a request, and tells how many it leaves.
func (c *Conversation) sumUp(ctx context.Context, tools []Tool, newest int,
	instruction string) (summed string, after int, err error) {
	ask := summaryPrompt
	if instruction = strings.TrimSpace(instruction); instruction != "" {
		ask += "\nThe person asks: " + instruction
	}
	target := c.Target()
	prompt := c.prompt()
	r := Request{System: prompt.Text, Tools: tools, Model: target.Model}
	question := Message{Role: User, Text: ask}
	room := -fixedTokens(prompt.Text, tools) - messageTokens(question)
	c.mu.Lock()
	room += c.budget()
	end := len(c.messages)
	if newest > 0 {
		end = lastTurn(c.messages)
	}
	before := totalTokens(c.sent())
	said := readable(c.sent()[:end-c.start], room)
	end = c.start + len(said)
	said, after = append([]Message(nil), shorten(said, room)...), turns(c.messages[end:])
	gone := turns(said)
	c.mu.Unlock()
	parts := weigh(prompt, tools, said)
	parts[PartPrompt] += messageTokens(Message{Text: ask})
	r.Messages = strict(append(said, question))
	began := time.Now()
	response, err := c.provider(target).Complete(ctx, r, func(Piece) {})
	usage := c.meter(parts, response, err, began)
	if err != nil {
		if ctx.Err() != nil {
			return "", 0, interrupted(ctx.Err())
		}
		return "", 0, err
	}
	c.count(usage)
	text := strings.TrimSpace(response.Text)
	if text == "" || len(response.Calls) > 0 {
		return "", 0, &Error{
			Kind: ServerFault, Message: fmt.Sprintf("model %s: no summary came", r.Model), Hint: "try again, or /clear",
		}
	}
	summary := Message{Role: Summary, Text: text, After: after}
	c.mu.Lock()
	c.messages = slices.Insert(slices.Clip(c.messages), end, summary) // clipped: requests share the slice
	c.start, c.short, c.system, c.context = end, end, nil, contextSize{}
	now := totalTokens(c.sent())
	c.context.estimated = now
	c.mu.Unlock()
	c.options.Keep(summary)
	c.options.Observe(Event{Kind: Compacted, Text: text, Turns: gone, Tokens: [2]int{before, now}})
	return text, after, nil
}

// readable are the oldest turns of ms that have the tokens of room, and at least one.
func readable(ms []Message, room int) []Message {
	end, sum := 0, 0
	for i := range ms {
		sum += messageTokens(ms[i])
		whole := i+1 == len(ms) || beginsTurn(ms, i+1) && ms[i].Role != Summary
		switch {
		case whole && (sum <= room || end == 0):
			end = i + 1
		case sum > room && end > 0:
			return ms[:end]
		}
	}
	return ms[:end]
}
