// Package task has what every piece of work needs that others wrote or that waits: a panic in it becomes an error, and a
// pause ends with its context.
package task

import (
	"context"
	"fmt"
	"runtime/debug"
	"time"
)

// A PanicError is a panic that Guard caught.
type PanicError struct {
	// What panicked, as messages call it.
	What  string
	Value any
	Stack []byte
}

func (e *PanicError) Error() string { return fmt.Sprintf("%s panicked: %v", e.What, e.Value) }

// Guard calls f; a panic in it is a *PanicError. It sees nothing of the goroutines that f starts.
func Guard(what string, f func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = &PanicError{What: what, Value: p, Stack: debug.Stack()}
		}
	}()
	return f()
}

// Sleep waits for d, or returns the error of ctx when that is done first.
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
