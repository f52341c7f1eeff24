package session

// This file makes the attempts of a call, and the key by which the other side knows them for one call.

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"maps"
	"time"

	"almanac/catalog"
	"almanac/catalog/text"
	"almanac/session/trace"
)

// noAnswer is the error of an attempt that took longer than that.
type noAnswer time.Duration

func (n noAnswer) Error() string { return "no answer within " + text.Span(time.Duration(n)) }

// attempt makes the call, and makes it again where that may help and does no harm: where it reads, or has a key. The
// entry's timeout bounds each attempt; all of them have the time of one call, or of one attempt if that is longer.
func (r *run) attempt(ctx context.Context, entry *catalog.Entry, call catalog.Call, c *trace.Call) (
	result catalog.Result, err error) {
	wait := r.wait(entry)
	if entry.Mutates && c.Key == "" {
		return callAction(ctx, entry.Action, call, wait)
	}
	var retry catalog.Retry
	if entry.Retry != nil {
		retry = *entry.Retry
	}
	if r.invoked != nil && r.invoked.Once && c.In == 0 {
		retry.Tries = 1
	}
	whole := max(wait, r.budget().Wait)
	ctx, cancel := context.WithTimeoutCause(ctx, whole, noAnswer(whole))
	defer cancel()
	pause := func(ctx context.Context, d time.Duration) error {
		c.Attempts[len(c.Attempts)-1].Pause = d
		return r.session.world.pause(ctx, d)
	}
	err = retry.Do(ctx, pause, func(ctx context.Context) error {
		began := time.Now()
		result, err = callAction(ctx, entry.Action, call, wait)
		if late := noAnswer(0); entry.Retry != nil && errors.As(err, &late) {
			err = &catalog.Transient{Err: err}
		}
		if err != nil || c.Attempts != nil {
			made := trace.Attempt{Took: time.Since(began)}
			if err != nil {
				made.Error = cut(r.session.world.redactor.text(err.Error()), logText)
			}
			c.Attempts = append(c.Attempts, made)
		}
		return err
	})
	if len(c.Attempts) == 1 {
		c.Attempts = nil
	}
	return result, err
}

// after calls f after d, by the session's clock.
func (w *world) after(d time.Duration, f func()) (stop func() bool) {
	if after := w.options.After; after != nil {
		return after(d, f)
	}
	return time.AfterFunc(d, f).Stop
}

// pause waits by the session's clock; the error is that ctx ended before.
func (w *world) pause(ctx context.Context, d time.Duration) error {
	over := make(chan struct{})
	stop := w.after(d, func() { close(over) })
	select {
	case <-over:
		return nil
	case <-ctx.Done():
		stop()
		return ctx.Err()
	}
}

// keyed is the call with its idempotency key, where the entry takes one. The call of a Go program may have a key of its
// caller's, for the action itself and not for those that a composed one calls.
func (r *run) keyed(entry *catalog.Entry, call catalog.Call, c *trace.Call) catalog.Call {
	k := entry.Key
	if k == nil || !entry.Mutates {
		return call
	}
	key := rand.Text()
	if r.invoked != nil && c.In == 0 {
		key = cmp.Or(r.invoked.Key, key)
	}
	switch {
	case k.Argument != "":
		c.Key = key
		c.Injected = maps.Clone(c.Injected)
		if c.Injected == nil {
			c.Injected = map[string]any{}
		}
		c.Injected[k.Argument] = key
		call = call.With(map[string]any{k.Argument: key})
	case entry.SendsKey:
		c.Key, call.Key, call.KeyHeader = key, key, k.Header
	}
	return call
}
