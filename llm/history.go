package llm

import "fmt"

// This file builds a request from the history: it drops what does not fit and adds what strict servers require.
//
// A turn is a user's message and everything up to the next one. Whole turns are dropped, oldest first, until the rest
// fills three quarters of the budget, so that the start of the request stays the same for a while and hits prompt
// caches. When the last turn alone is too long, a note replaces its oldest tool answers.

const (
	droppedNote = "Earlier turns of this conversation were omitted to save space. Lua globals they set still exist."
	shortenNote = "[%d bytes omitted to save space; run it again, or keep results in Lua globals]"
)

// estimate is the number of tokens of n bytes.
func estimate(n int) int { return (n + 3) / 4 }

func messageTokens(m Message) int {
	n := len(m.Text)
	for _, call := range m.Calls {
		n += len(call.Name) + len(call.Args)
	}
	return estimate(n) + 4 // the frame around each message
}

func totalTokens(ms []Message) int {
	sum := 0
	for _, m := range ms {
		sum += messageTokens(m)
	}
	return sum
}

func requestTokens(r Request) int {
	n := len(r.System)
	for _, t := range r.Tools {
		n += len(t.Name) + len(t.Description) + len(t.Schema)
	}
	return estimate(n) + totalTokens(r.Messages)
}

// request is what the next completion asks.
func (c *Conversation) request(tools []Tool) Request {
	system := c.systemText()
	c.mu.Lock()
	r := Request{System: system, Tools: tools, Model: c.model}
	budget := c.budget() - requestTokens(r)
	before := c.start
	c.start = trim(c.messages, c.start, budget)
	left := turns(c.messages[:c.start])
	if c.start > 0 {
		r.System += "\n\n" + droppedNote
	}
	r.Messages = strict(shorten(c.messages[c.start:], budget))
	c.context.estimated = requestTokens(r)
	trimmed := c.start > before
	if trimmed {
		c.context.counted, c.system = 0, nil
	}
	c.mu.Unlock()
	if trimmed {
		r.System = c.systemText() + "\n\n" + droppedNote
		text := fmt.Sprintf("the oldest %d turns are no longer sent to the model", left)
		c.options.Observe(Event{Kind: Trimmed, Text: text})
	}
	return r
}

// systemText is the system text of the history.
func (c *Conversation) systemText() string {
	c.mu.Lock()
	known := c.system
	c.mu.Unlock()
	if known == nil {
		text := c.options.System()
		known = &text
		c.mu.Lock()
		c.system = known
		c.mu.Unlock()
	}
	return *known
}

func turns(ms []Message) int {
	n := 0
	for _, m := range ms {
		if m.Role == User {
			n++
		}
	}
	return n
}

// trim returns the index of the first message to send: start, or where a later turn begins.
func trim(ms []Message, start, budget int) int {
	sum := totalTokens(ms[start:])
	if sum <= budget {
		return start
	}
	for i := start + 1; i < len(ms); i++ {
		sum -= messageTokens(ms[i-1])
		if ms[i].Role != User {
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
		note := fmt.Sprintf(shortenNote, len(short[i].Text))
		if len(note) >= len(short[i].Text) {
			continue
		}
		short[i].Text = note
		sum -= was - messageTokens(short[i])
	}
	return short
}

// strict returns a copy of ms without reasoning, which some servers refuse, in which user and assistant take turns, as
// some chat templates demand: a user's message that was never answered is joined with the next, and one that follows a
// tool's answer is parted from it.
func strict(ms []Message) []Message {
	out := make([]Message, 0, len(ms))
	for _, m := range ms {
		m.Reasoning = ""
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
