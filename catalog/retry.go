package catalog

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"almanac/catalog/task"
)

// This file has what is tried again, and when.

// A Transient error is a failure that may be gone at the next attempt: a server that is busy or restarting. Actions
// return it; whether there is another attempt is decided for them.
type Transient struct {
	Err error
	// After is how long the other side asked to wait; zero where it did not say.
	After time.Duration
}

func (t *Transient) Error() string { return t.Err.Error() }

// Unwrap returns Err.
func (t *Transient) Unwrap() error { return t.Err }

// A Retry says how often something is tried whose failure is Transient. A zero field means its default.
type Retry struct {
	// Tries counts all attempts; default 4.
	Tries int
	// Wait is the pause before the second attempt, which doubles with each and is longer by a random part of up to a half;
	// default 250 ms.
	Wait time.Duration
	// Most is the longest pause; default 20 s. Where the other side asks for a longer one there is no further attempt.
	Most time.Duration
}

// The defaults of a Retry.
const (
	defaultTries     = 4
	defaultWait      = 250 * time.Millisecond
	defaultMostPause = 20 * time.Second
)

// Pause is how long to wait between attempt n, which failed with err, and the next; ok is false where there is none.
func (r Retry) Pause(n int, err error) (pause time.Duration, ok bool) {
	var t *Transient
	if n >= cmp.Or(r.Tries, defaultTries) || !errors.As(err, &t) {
		return 0, false
	}
	most := cmp.Or(r.Most, defaultMostPause)
	if t.After > 0 {
		return t.After, t.After <= most
	}
	pause = cmp.Or(r.Wait, defaultWait)
	for range n - 1 {
		if pause *= 2; pause >= most {
			return most, true
		}
	}
	return min(pause+rand.N(pause/2+1), most), true
}

// Do calls try until it succeeds, fails in a way that Pause gives no other attempt, or a pause would outlast ctx. The
// error says how often it was tried. Sleep waits; an error of it ends the attempts. Nil is task.Sleep.
func (r Retry) Do(ctx context.Context, sleep func(context.Context, time.Duration) error,
	try func(ctx context.Context) error) error {
	if sleep == nil {
		sleep = task.Sleep
	}
	for n := 1; ; n++ {
		err := try(ctx)
		if err == nil || ctx.Err() != nil {
			return err
		}
		pause, again := r.Pause(n, err)
		if deadline, ok := ctx.Deadline(); again && ok && time.Until(deadline) < pause {
			again = false
		}
		if again && sleep(ctx, pause) == nil {
			continue
		}
		if n > 1 {
			return fmt.Errorf("%w (tried %d times)", err, n)
		}
		return err
	}
}

// A Key makes a call that is sent twice count once: the action sends it, and the other side knows it again.
type Key struct {
	// Argument names the argument that the host fills the key in for. It is not in the entry's Input.
	Argument string
	// Header names the HTTP header, of an entry that sends one: see Entry.SendsKey. Either is empty.
	Header string
}
