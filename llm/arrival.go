package llm

import "context"

// This file is what other sessions sent: it reaches the model as user's messages before a prompt, and is part of the
// prompt's turn.

// An Arrival is something that another session sent.
type Arrival struct {
	// From is who sent it, Text what the model reads: it says that it is of another session.
	From, Text string
}

// isPrompt tells that m is what the person sent.
func (m Message) isPrompt() bool { return m.Role == User && m.From == "" }

// isArrival tells that m is what another session sent.
func (m Message) isArrival() bool { return m.Role == User && m.From != "" }

// beginsTurn tells whether a turn begins at message i: with a prompt, or with what arrived before it.
func beginsTurn(ms []Message, i int) bool {
	return ms[i].Role == User && (i == 0 || !ms[i-1].isArrival())
}

// promptIn is the prompt of the turn that begins at message i; empty for none.
func promptIn(ms []Message, i int) string {
	for ; i < len(ms) && ms[i].Role == User; i++ {
		if ms[i].isPrompt() {
			return ms[i].Text
		}
	}
	return ""
}

// receive adds what has arrived to the history, before the prompt of the cell.
func (c *Conversation) receive(ctx context.Context, cell int) (carried func()) {
	if c.options.Arrived == nil {
		return func() {}
	}
	arrived, carried := c.options.Arrived(ctx)
	for _, a := range arrived {
		c.add(Message{Role: User, Text: a.Text, From: a.From, Cell: cell})
	}
	return carried
}

// hasAnswer tells whether something came after the last prompt.
func (c *Conversation) hasAnswer() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := len(c.messages)
	return n == 0 || c.messages[n-1].Role != User
}
