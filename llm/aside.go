package llm

import (
	"context"
	"strings"
	"time"
)

// Ask makes one completion that is no part of the conversation, without tools, and returns its text. It counts as used.
// The error is ErrBusy or that of the provider.
func (c *Conversation) Ask(ctx context.Context, system, words string) (string, error) {
	if !c.begin() {
		return "", ErrBusy
	}
	defer c.end()
	target := c.Target()
	r := Request{System: system, Messages: []Message{{Role: User, Text: words}}, Model: target.Model}
	began := time.Now()
	response, err := c.provider(target).Complete(ctx, r, func(Piece) {})
	c.meter(weigh(Prompt{Text: system}, nil, r.Messages), response, err, began)
	return strings.TrimSpace(response.Text), err
}
