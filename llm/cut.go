package llm

import "fmt"

// This file takes a conversation back to an earlier prompt.

// Cut takes the prompt of the cell and all that came after it out of the history, and returns its text: the
// conversation goes on from before it. What had arrived for the prompt stays. The error is ErrBusy, or says that there
// is no such prompt.
func (c *Conversation) Cut(cell int) (prompt string, err error) {
	if !c.begin() {
		return "", ErrBusy
	}
	defer c.end()
	c.mu.Lock()
	at := promptOf(c.messages, cell)
	if at == len(c.messages) {
		c.mu.Unlock()
		return "", fmt.Errorf("[%d]: no prompt of this conversation", cell)
	}
	prompt = c.messages[at].Text
	c.messages = c.messages[:at:at]
	if c.start >= at {
		c.start = lastSummary(c.messages)
	}
	c.short, c.failed = min(c.short, at), nil
	c.context = contextSize{estimated: totalTokens(c.sent())}
	c.mu.Unlock()
	c.options.Keep(Message{Role: Cut, Cell: cell})
	return prompt, nil
}

// promptOf is where the prompt of the cell is, or the end where there is none.
func promptOf(ms []Message, cell int) int {
	for i := len(ms) - 1; i >= 0 && cell > 0; i-- {
		if ms[i].isPrompt() && ms[i].Cell == cell {
			return i
		}
	}
	return len(ms)
}
