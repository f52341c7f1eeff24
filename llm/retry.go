package llm

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"almanac/catalog/task"
)

// longestWait is how long a server may ask to wait before the error is better told than waited out.
const longestWait = 60 * time.Second

// complete makes one completion and tries again where that may help and no text has come yet. Of a failed
// completion it returns the text and the reasoning that came.
func (c *Conversation) complete(ctx context.Context, r Request) (Response, error) {
	for attempt := 0; ; attempt++ {
		var text, reasoning strings.Builder
		response, err := c.options.Provider.Complete(ctx, r, func(p Piece) {
			if p.Reasoning != "" {
				reasoning.WriteString(p.Reasoning)
				c.options.Observe(Event{Kind: Thinking, Text: p.Reasoning})
			}
			if p.Text != "" {
				text.WriteString(p.Text)
				c.options.Observe(Event{Kind: Delta, Text: p.Text})
			}
		})
		if err == nil {
			return response, nil
		}
		partial := Response{Text: text.String(), Reasoning: reasoning.String()}
		if ended := ctx.Err(); ended != nil {
			return partial, interrupted(ended)
		}
		wait, again := c.wait(attempt, err)
		if !again || text.Len() > 0 {
			return partial, err
		}
		c.options.Observe(Event{
			Kind: Retrying,
			Text: fmt.Sprintf("trying again in %s (%d of %d)", wait.Round(time.Millisecond), attempt+1, c.options.Retries),
			Err:  err,
		})
		if err := task.Sleep(ctx, wait); err != nil {
			return Response{}, interrupted(err)
		}
	}
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
