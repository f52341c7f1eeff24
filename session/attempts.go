package session

// This file makes the attempts of a call, and the key by which the other side knows them for one call.

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"maps"
	"sync"
	"time"

	"almanac/catalog"
	"almanac/catalog/text"
	"almanac/session/trace"
)

// noAnswer is the error of an attempt that took longer than that.
type noAnswer time.Duration

func (n noAnswer) Error() string { return "no answer within " + text.Span(time.Duration(n)) }

// Is makes it the error of a context that ran out of time, for actions that look at the cause of theirs.
func (n noAnswer) Is(target error) bool { return target == context.DeadlineExceeded }

// mostPatience is how often the time of a call that reports progress may begin again.
const mostPatience = 10

// A patient is a context that ends after a time without a sign of life: progress that an action reports begins it
// again, up to mostPatience times in all; while a person is asked it stands still.
type patient struct {
	context.Context
	wait   time.Duration
	cancel context.CancelCauseFunc

	mu     sync.Mutex
	timer  *time.Timer
	end    time.Time // of the time that runs now
	last   time.Time // what no progress moves
	asking int
	stood  time.Time // since when it stands still, while asking is set
}

type patientKey struct{}

// Value finds the innermost patient of a context.
func (p *patient) Value(key any) any {
	if key == (patientKey{}) {
		return p
	}
	return p.Context.Value(key)
}

// standStill stops the time of a call, and of the attempts around it, while a person is asked.
func standStill(ctx context.Context) (goOn func()) {
	p, ok := ctx.Value(patientKey{}).(*patient)
	if !ok {
		return func() {}
	}
	outer := standStill(p.Context)
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.asking++; p.asking == 1 {
		p.timer.Stop()
		p.stood = time.Now()
	}
	return func() {
		defer outer()
		p.mu.Lock()
		defer p.mu.Unlock()
		if p.asking--; p.asking > 0 || p.Err() != nil {
			return
		}
		stood := time.Since(p.stood)
		p.end, p.last = p.end.Add(stood), p.last.Add(stood)
		p.timer.Reset(time.Until(p.end))
	}
}

func newPatient(ctx context.Context, wait time.Duration) (_ context.Context, stop func()) {
	p := &patient{wait: wait, last: time.Now().Add(mostPatience * wait)}
	p.Context, p.cancel = context.WithCancelCause(ctx)
	p.mu.Lock()
	p.end = time.Now().Add(wait)
	p.timer = time.AfterFunc(wait, func() { p.cancel(noAnswer(wait)) })
	p.mu.Unlock()
	outer := p.Context
	inner := catalog.WithProgress(p, func(progress catalog.Progress) {
		p.alive()
		catalog.Tell(outer, progress)
	})
	return inner, func() {
		p.timer.Stop()
		p.cancel(nil)
	}
}

// alive begins the time again.
func (p *patient) alive() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.asking > 0 || p.Err() != nil {
		return
	}
	p.end = time.Now().Add(p.wait)
	if p.end.After(p.last) {
		p.end = p.last
	}
	p.timer.Reset(time.Until(p.end))
}

// Deadline is when the time ends that runs now.
func (p *patient) Deadline() (time.Time, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if outer, ok := p.Context.Deadline(); ok && outer.Before(p.end) {
		return outer, true
	}
	return p.end, true
}

// outOfTime reports whether ctx ended because an attempt took too long.
func outOfTime(ctx context.Context) bool {
	late := noAnswer(0)
	return ctx.Err() != nil && errors.As(context.Cause(ctx), &late)
}

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
	ctx, stop := newPatient(ctx, whole)
	defer stop()
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
