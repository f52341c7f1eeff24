package llm

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"almanac/catalog/task"
	"almanac/catalog/text"
)

// longestWait is how long a server may ask to wait before the error is better told than waited out.
const longestWait = 60 * time.Second

// complete makes one completion and tries again where that may help and no text has come yet. Of a failed
// completion it returns the text and the reasoning that came.
func (c *Conversation) complete(ctx context.Context, r Request) (Response, error) {
	provider := c.provider(c.Target())
	for attempt := 0; ; attempt++ {
		var said, reasoning strings.Builder
		response, err := provider.Complete(ctx, r, func(p Piece) {
			if p.Reasoning != "" {
				reasoning.WriteString(p.Reasoning)
				c.options.Observe(Event{Kind: Thinking, Text: p.Reasoning})
			}
			if p.Text != "" {
				said.WriteString(p.Text)
				c.options.Observe(Event{Kind: Delta, Text: p.Text})
			}
		})
		if err == nil {
			return response, nil
		}
		partial := Response{Text: said.String(), Reasoning: reasoning.String()}
		if ended := ctx.Err(); ended != nil {
			return partial, interrupted(ended)
		}
		wait, again := c.wait(attempt, err)
		if !again || said.Len() > 0 {
			return partial, afterRetries(err, attempt)
		}
		c.options.Observe(Event{Kind: Retrying, Err: err, Retry: Retry{Wait: wait, N: attempt + 1, Of: c.options.Retries}})
		if err := task.Sleep(ctx, wait); err != nil {
			return Response{}, interrupted(err)
		}
	}
}

// afterRetries is err with the number of retries that did not help.
func afterRetries(err error, n int) error {
	var e *Error
	if n == 0 || !errors.As(err, &e) {
		return err
	}
	told := *e
	told.Message += fmt.Sprintf(" (after %s)", text.Plural(n, "1 retry", fmt.Sprintf("%d retries", n)))
	return &told
}

// wait tells how long to wait before the retry after the given attempt, and whether to retry at all.
func (c *Conversation) wait(attempt int, err error) (time.Duration, bool) {
	var e *Error
	if !errors.As(err, &e) || !e.Temporary() || attempt >= c.options.Retries || e.RetryAfter > longestWait {
		return 0, false
	}
	if e.RetryAfter > 0 {
		return e.RetryAfter, true
	}
	return min(c.options.RetryWait<<attempt, longestWait), true
}
