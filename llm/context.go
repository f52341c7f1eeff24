package llm

import "almanac/catalog/text"

// This file knows how long the conversation is: by the server's count where it gave one.

// maxReasoning is how much of a reasoning text is kept.
const maxReasoning = 16 << 10

func keptReasoning(s string) string { return text.ClipBytes(s, maxReasoning) }

// A contextSize is what is known of how long the next request will be.
type contextSize struct {
	// counted are the tokens that the server counted of the first messages of the history, with all that goes before
	// them; 0 where it has not.
	counted, messages int
	// estimated is the length of the last request by text.Tokens.
	estimated int
}

// A Context is how long the conversation is for the model, in tokens.
type Context struct {
	Used int
	// Window is how many the model can read.
	Window int
	// Estimated tells that Used, or a part of it, is not the server's count but an estimate.
	Estimated bool
}

// Context returns how much of the model's window is used.
func (c *Conversation) Context() Context {
	c.mu.Lock()
	defer c.mu.Unlock()
	size := Context{Window: c.window}
	if c.context.counted > 0 {
		rest := c.messages[c.context.messages:]
		size.Used = c.context.counted + totalTokens(rest)
		size.Estimated = len(rest) > 0
		return size
	}
	size.Used = c.context.estimated
	size.Estimated = size.Used > 0
	return size
}

// SetWindow says how many tokens the model can read, from the next completion on and until Use. A request is kept
// shorter, by an eighth: the answer needs room, and the length of what is new is an estimate. The oldest turns are left
// out of it.
func (c *Conversation) SetWindow(tokens int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.window = tokens
}

// budget is how many tokens a request may have. The caller holds mu.
func (c *Conversation) budget() int { return c.window - c.window/8 }

// count takes in how long a completion was, once its message is in the history.
func (c *Conversation) count(u Usage) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.context.counted = 0
	if u.Estimated > 0 {
		return
	}
	// Reasoning is not sent back. Answers of tools that have not run yet stand behind the message.
	c.context.counted = u.Input + u.Output - min(u.Reasoning, u.Output)
	c.context.messages = len(c.messages)
	for c.context.messages > 0 && c.messages[c.context.messages-1].Role == ToolRole {
		c.context.messages--
	}
}
