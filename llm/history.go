package llm

import (
	"fmt"

	"almanac/catalog/text"
)

// This file builds a request from the history: it leaves out what does not fit and adds what strict servers require.
//
// A turn is a user's message, with what arrived before it, and everything up to the next one. What is too long is made
// shorter in this order: the answers of tools in earlier turns, oldest first; the earlier turns, which become a summary
// (compact.go) or, where that fails, are left out as a whole; the answers that the last turn has read. Each step goes
// down to three quarters of the budget, so that the start of the request stays the same for a while and hits prompt
// caches.

const (
	droppedNote = "Earlier turns of this conversation were omitted to save space. Lua globals they set still exist."
	shortenNote = "[%d bytes omitted to save space; run it again, or keep results in Lua globals]"
)

func messageTokens(m Message) int {
	n := text.Tokens(m.Text)
	for _, call := range m.Calls {
		n += text.Tokens(call.Name) + text.Tokens(string(call.Args))
	}
	return n + 4 // the frame around each message
}

func totalTokens(ms []Message) int {
	sum := 0
	for _, m := range ms {
		sum += messageTokens(m)
	}
	return sum
}

func toolTokens(tools []Tool) int {
	sum := 0
	for _, t := range tools {
		sum += text.Tokens(t.Name) + text.Tokens(t.Description) + text.Tokens(string(t.Schema))
	}
	return sum
}

// fixedTokens are those of a request that has no messages.
func fixedTokens(system string, tools []Tool) int { return text.Tokens(system) + toolTokens(tools) }

// request is what the next completion asks, and its estimated parts.
func (c *Conversation) request(tools []Tool) (Request, Parts) {
	prompt := c.prompt()
	c.mu.Lock()
	r := Request{Tools: tools, Model: c.target.Model}
	budget := c.budget() - fixedTokens(prompt.Text, tools)
	if c.target.Images {
		budget -= mostImages * imageTokens
	}
	before := c.start
	c.start += trim(c.sent(), budget)
	left := turns(c.messages[:c.start])
	if c.start > 0 && c.messages[c.start].Role != Summary {
		prompt.Text += "\n\n" + droppedNote
	}
	sent := shorten(c.sent(), budget)
	trimmed := c.start > before
	if trimmed {
		c.context.counted, c.system = 0, nil
	}
	c.mu.Unlock()
	if trimmed {
		prompt = c.prompt()
		prompt.Text += "\n\n" + droppedNote
		c.options.Observe(Event{Kind: Trimmed,
			Text: fmt.Sprintf("the oldest %d turns are no longer sent to the model", left)})
	}
	r.System, r.Messages = prompt.Text, strict(sent)
	c.illustrate(r.Messages)
	parts := weigh(prompt, tools, sent)
	c.mu.Lock()
	c.context.estimated = parts.Sum()
	c.mu.Unlock()
	return r, parts
}

// prompt is the system text of the history.
func (c *Conversation) prompt() Prompt {
	c.mu.Lock()
	known := c.system
	c.mu.Unlock()
	if known == nil {
		asked := c.options.System()
		known = &asked
		c.mu.Lock()
		c.system = known
		c.mu.Unlock()
	}
	return *known
}

func turns(ms []Message) int {
	n := 0
	for i := range ms {
		if beginsTurn(ms, i) {
			n++
		}
	}
	return n
}

// sent are the messages of the next request, in which earlier answers may be short. The caller holds mu and does not
// change them.
func (c *Conversation) sent() []Message {
	if c.short <= c.start {
		return c.messages[c.start:]
	}
	ms := append([]Message(nil), c.messages[c.start:]...)
	for i := range c.short - c.start {
		ms[i].Text = shortText(ms[i])
	}
	return ms
}

// shortText is what stands for a message where there is no room for the whole.
func shortText(m Message) string {
	if m.Role != ToolRole {
		return m.Text
	}
	short := m.Short
	if short == "" {
		short = fmt.Sprintf(shortenNote, len(m.Text))
	}
	if len(short) >= len(m.Text) {
		return m.Text
	}
	return short
}

// shortenEarlier makes answers of tools short, oldest first, in turns before the last one, until requests have the
// tokens of budget or none is left.
func (c *Conversation) shortenEarlier(budget int) {
	sum, last := totalTokens(c.sent()), lastTurn(c.messages)
	for i := max(c.start, c.short); i < last && sum > budget; i++ {
		m := c.messages[i]
		was := messageTokens(m)
		m.Text = shortText(m)
		sum -= was - messageTokens(m)
		c.short = i + 1
	}
}

// lastTurn is where the newest turn begins; 0 where there is none.
func lastTurn(ms []Message) int {
	for i := len(ms) - 1; i > 0; i-- {
		if beginsTurn(ms, i) {
			return i
		}
	}
	return 0
}

// trim returns the index of the first message to send: 0, or where a later turn begins.
func trim(ms []Message, budget int) int {
	start, sum := 0, totalTokens(ms)
	if sum <= budget {
		return 0
	}
	for i := 1; i < len(ms); i++ {
		sum -= messageTokens(ms[i-1])
		if !beginsTurn(ms, i) {
			continue
		}
		start = i
		if sum <= budget*3/4 {
			break
		}
	}
	return start
}

// shorten returns ms with the oldest tool answers replaced by a note where it is still too long. Answers that the
// model has not read yet and short ones stay as they are.
func shorten(ms []Message, budget int) []Message {
	sum := totalTokens(ms)
	if sum <= budget {
		return ms
	}
	short := append([]Message(nil), ms...)
	unread := len(short)
	for unread > 0 && short[unread-1].Role == ToolRole {
		unread--
	}
	for i := 0; i < unread && sum > budget; i++ {
		if short[i].Role != ToolRole {
			continue
		}
		was := messageTokens(short[i])
		short[i].Text = shortText(short[i])
		sum -= was - messageTokens(short[i])
	}
	return short
}

// strict returns a copy of ms without reasoning, which some servers refuse, in which user and assistant take turns, as
// some chat templates demand: a user's message that was never answered is joined with the next, and one that follows a
// tool's answer is parted from it. A summary is told by the user.
func strict(ms []Message) []Message {
	out := make([]Message, 0, len(ms))
	for _, m := range ms {
		m.Reasoning, m.Short, m.After, m.Model, m.From = "", "", 0, "", ""
		if m.Role == Summary {
			m.Role, m.Text = User, summaryMark+m.Text
		}
		if m.Role == User && len(out) > 0 {
			switch last := &out[len(out)-1]; last.Role {
			case User:
				last.Text += "\n\n" + m.Text
				continue
			case ToolRole:
				out = append(out, Message{Role: Assistant, Text: interruptedMark})
			}
		}
		out = append(out, m)
	}
	return out
}
