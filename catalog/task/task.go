// Package task runs foreign and waiting code safely: a panic becomes an error, and a pause ends with its context, as
// does waiting for what knows of none.
package task

import (
	"context"
	"fmt"
	"runtime/debug"
	"time"
)

// A PanicError is a panic that Guard caught.
type PanicError struct {
	// What names the code that panicked, for messages.
	What  string
	Value any
	Stack []byte
}

func (e *PanicError) Error() string { return fmt.Sprintf("%s panicked: %v", e.What, e.Value) }

// Guard calls f and returns a panic in it as a *PanicError. It does not cover goroutines that f starts.
func Guard(what string, f func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = &PanicError{What: what, Value: p, Stack: debug.Stack()}
		}
	}()
	return f()
}

// Until calls f, or returns the cause of ctx as soon as that is done: f then ends for nobody, and must change nothing
// that others have. A panic in f is an error.
func Until[T any](ctx context.Context, what string, f func() (T, error)) (made T, err error) {
	type outcome struct {
		made T
		err  error
	}
	ended := make(chan outcome, 1)
	go func() {
		var o outcome
		if err := Guard(what, func() error {
			o.made, o.err = f()
			return nil
		}); err != nil {
			o.err = err
		}
		ended <- o
	}()
	select {
	case o := <-ended:
		return o.made, o.err
	case <-ctx.Done():
		return made, context.Cause(ctx)
	}
}

// Sleep waits for d, or returns the error of ctx if that is done first.
func Sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}
