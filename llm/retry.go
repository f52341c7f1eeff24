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
// completion it returns the text that came.
func (c *Conversation) complete(ctx context.Context, r Request) (Response, string, error) {
	for attempt := 0; ; attempt++ {
		var text strings.Builder
		response, err := c.options.Provider.Complete(ctx, r, func(delta string) {
			text.WriteString(delta)
			c.options.Observe(Event{Kind: Delta, Text: delta})
		})
		if ended := ctx.Err(); ended != nil && err != nil {
			return Response{}, text.String(), interrupted(ended)
		}
		if err == nil {
			return response, "", nil
		}
		wait, again := c.wait(attempt, err)
		if !again || text.Len() > 0 {
			return Response{}, text.String(), err
		}
		c.options.Observe(Event{
			Kind: Retrying,
			Text: fmt.Sprintf("trying again in %s (%d of %d)", wait.Round(time.Millisecond), attempt+1, c.options.Retries),
			Err:  err,
		})
		if err := task.Sleep(ctx, wait); err != nil {
			return Response{}, "", interrupted(err)
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
