package mcp

// This file shortens the time of calls after one that hung, on a server that answers pings all the same.

import (
	"context"
	"errors"
	"fmt"
	"time"

	"almanac/catalog/text"
)

// hungWhile is how long after a call that ran out of its whole time others get options.Hung. Then one is given its
// whole time again, so that a tool which is only slow comes back.
const hungWhile = time.Minute

// hung remembers that a call which began on that context ran out of its time; all tools of the server are in doubt
// until one answers.
func (c *conn) hung(on context.Context) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.lastHung = time.Now()
	if tool, _ := on.Value(toolKey{}).(string); tool != "" {
		c.lastHungOf[tool] = time.Now()
	}
}

type toolKey struct{}

// answered remembers that the server answered a call of the tool.
func (c *conn) answered(tool string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.lastHung = time.Time{}
	delete(c.lastHungOf, tool)
}

// A hungError ends a call that got less than its whole time. It may have taken effect.
type hungError struct{ after time.Duration }

func (e hungError) Error() string {
	return fmt.Sprintf("no answer within %s, nor to the call before it in its whole time; it may or may not have taken "+
		"effect; calls get their whole time again %s after that one", text.Span(e.after), text.Span(hungWhile))
}

// impatient ends the context after a short time where the tool, or the server, hung lately. calm keeps it from that:
// the call has shown a sign of life, or is over.
func (c *conn) impatient(ctx context.Context, tool string) (_ context.Context, calm func()) {
	ctx = context.WithValue(ctx, toolKey{}, tool)
	c.mu.Lock()
	last := c.lastHung
	if of := c.lastHungOf[tool]; of.After(last) {
		last = of
	}
	c.mu.Unlock()
	if time.Since(last) > hungWhile {
		return ctx, func() {}
	}
	ctx, cancel := context.WithCancelCause(ctx)
	timer := time.AfterFunc(c.wait, func() { cancel(hungError{c.wait}) })
	return ctx, func() { timer.Stop() }
}

// isHung tells that the call was ended so.
func isHung(ctx context.Context) bool {
	var e hungError
	return errors.As(context.Cause(ctx), &e)
}
