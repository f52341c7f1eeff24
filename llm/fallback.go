package llm

import (
	"cmp"
	"context"
	"errors"
	"slices"
)

// This file has another model answer where one fails for good.

// A fallback is how far a prompt has come in Options.Fallback.
type fallback struct {
	first Target
	tried []string // the names of the targets that have failed
	// open is true from the first switch until the new target has answered.
	open bool
}

// fallBack has the next target of the list complete, if err is one that it may not have; each is tried once for a
// prompt. r is what came before err: what was told is not told again by another model.
func (c *Conversation) fallBack(ctx context.Context, r Response, err error, f *fallback) bool {
	failed := c.Target()
	f.tried = append(f.tried, failed.String())
	if ctx.Err() != nil || r.Text != "" {
		return false
	}
	for _, next := range c.options.Fallback {
		if slices.Contains(f.tried, next.String()) || !helps(next, failed, err) {
			continue
		}
		c.options.Observe(Event{Kind: FallingBack, Err: err, Text: failed.String(), Target: next})
		c.Use(next)
		f.open = true
		return true
	}
	return false
}

// helps tells whether another target may succeed where one has failed with err.
func helps(next, failed Target, err error) bool {
	var e *Error
	if !errors.As(err, &e) {
		return false
	}
	switch e.Kind {
	case BadRequest, BadRecord:
		return false
	case TooLong:
		return cmp.Or(next.Window, KnownWindow(next.Model)) > cmp.Or(failed.Window, KnownWindow(failed.Model))
	}
	return true
}

// settle ends the search of a prompt: a target that answers stays, and where none does the first one is next again.
func (c *Conversation) settle(f *fallback, err error) {
	switch {
	case !f.open:
	case err == nil:
		f.open = false
		now := c.Target()
		c.options.Observe(Event{Kind: Switched, Text: f.first.String(), Target: now})
		f.first = now
	default:
		c.Use(f.first)
	}
}
