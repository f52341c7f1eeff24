package llm

import (
	"context"
	"strings"
	"time"
)

// maxAside is how much may come of a completion that is no part of the conversation, in bytes.
const maxAside = 32 << 10

// Ask makes one completion that is no part of the conversation, without tools, and returns its text. It counts as used.
// A tool that a Send runs may call it: it then counts to that turn. The error is that of the provider, or ctx's where
// the answer has no end.
func (c *Conversation) Ask(ctx context.Context, system, words string) (string, error) {
	if c.begin() {
		defer c.end()
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	came := 0
	hear := func(p Piece) {
		if came += len(p.Text) + len(p.Reasoning); came > maxAside {
			stop()
		}
	}
	target := c.Target()
	r := Request{System: system, Messages: []Message{{Role: User, Text: words}}, Model: target.Model}
	began := time.Now()
	response, err := c.provider(target).Complete(ctx, r, hear)
	c.meter(weigh(Prompt{Text: system}, nil, r.Messages), response, err, began)
	return strings.TrimSpace(response.Text), err
}
