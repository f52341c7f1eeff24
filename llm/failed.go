package llm

import (
	"context"
	"errors"
)

// This file is what becomes of a prompt that failed: it is not sent with the next one, and can be sent again.

// A failed prompt is one whose Send ended with an error.
type failed struct {
	prompt string
	// gone is true where the prompt left nothing, so that it is no longer in the history.
	gone bool
}

// errNotFailed is what Retry returns where there is nothing to send again.
var errNotFailed = errors.New("retry: the last prompt did not fail")

// Failed returns the prompt that Retry would send again; empty for none.
func (c *Conversation) Failed() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.failed == nil {
		return ""
	}
	return c.failed.prompt
}

// Retry sends the prompt of the last Send again, if that failed. An answer that was cut off is forgotten; where tools
// had run already, the model goes on from their answers. Otherwise it is as Send.
func (c *Conversation) Retry(ctx context.Context) (string, error) {
	if !c.begin() {
		return "", ErrBusy
	}
	defer c.end()
	c.mu.Lock()
	f := c.failed
	if n := len(c.messages); f != nil && !f.gone && n > 0 && c.messages[n-1].Role == Assistant {
		c.messages = c.messages[:n-1]
	}
	c.mu.Unlock()
	if f == nil {
		return "", errNotFailed
	}
	carried := func() {}
	if f.gone {
		carried = c.prompted(ctx, f.prompt)
	}
	return c.converse(ctx, f.prompt, carried)
}

func (c *Conversation) setFailed(f *failed) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.failed = f
}

// fail takes a prompt that nothing came after out of the history, with what arrived before it.
func (c *Conversation) fail(prompt string) *failed {
	c.mu.Lock()
	defer c.mu.Unlock()
	f := &failed{prompt: prompt}
	if n := len(c.messages); n > 0 && c.messages[n-1].Role == User {
		c.messages, f.gone = answered(c.messages), true
	}
	return f
}
