package proof

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"almanac/catalog"
	"almanac/session"
	"almanac/session/syntax"
)

// A fault makes the n-th call from now on fail: denied, or interrupted where cancel is set.
type fault struct {
	n      atomic.Int64
	cancel context.CancelFunc
}

func (f *fault) authorize(context.Context, *catalog.Entry, catalog.Call) error {
	if f.n.Add(-1) != 0 {
		return nil
	}
	if f.cancel != nil {
		f.cancel()
		return nil
	}
	return errors.New("injected")
}

// TestRolledBack has random programs fail: by an error at each place where a statement may stand, and at each call,
// which is denied or during which the run is interrupted. The globals are then as they were before, byte for byte.
func TestRolledBack(t *testing.T) {
	random(t, func(t *testing.T, program string) string {
		f := &fault{}
		b := newBench(t, func(o *session.Options) { o.Authorize = f.authorize })
		defer b.close()
		b.run(opening)
		state := b.globals()
		// check runs a script and says how it leaves other globals though it fails.
		check := func(ctx context.Context, source, how string) string {
			out := must(b.session.Run(ctx, script(source)))
			f.n.Store(0)
			switch now := b.globals(); {
			case out.Err == nil:
				state = now
			case out.NotPutBack != "":
				return fmt.Sprintf("%s: not put back: %s", how, out.NotPutBack)
			case now != state:
				return fmt.Sprintf("%s: %v: other globals than before", how, out.Err)
			}
			return ""
		}
		for i := range program {
			if program[i] != '\n' && program[i] != ';' {
				continue
			}
			source := program[:i] + "\nerror('injected') " + program[i+1:]
			if syntax.Check(source) != nil {
				continue
			}
			if broken := check(t.Context(), source, fmt.Sprintf("error at byte %d", i)); broken != "" {
				return broken
			}
		}
		for n := range int64(6) {
			ctx, cancel := context.WithCancel(t.Context())
			for _, f.cancel = range []context.CancelFunc{nil, cancel} {
				f.n.Store(n + 1)
				broken := check(ctx, program, fmt.Sprintf("call %d fails, interrupted: %v", n+1, f.cancel != nil))
				if broken != "" {
					cancel()
					return broken
				}
			}
			cancel()
		}
		return check(t.Context(), strings.TrimSpace(program)+"\nerror('injected')", "error at the end")
	})
}
