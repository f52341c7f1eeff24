package session

import (
	"context"

	"almanac/session/kernel"
)

// This file lets a session that does nothing do without a Lua process.

// Rest ends the Lua process of the session's globals where their last state is kept whole; the next run goes on from
// there in a new one. It reports whether there is no process now. It does not wait for a run that is under way.
func (s *Session) Rest() bool {
	w := s.world
	select {
	case w.turn <- struct{}{}:
	default:
		return false
	}
	defer func() { <-w.turn }()
	if w.machine == nil {
		return true
	}
	if w.saver.busy != nil {
		select {
		case <-w.saver.busy:
		default:
			return false
		}
	}
	state, _ := w.before()
	if state == nil {
		return false
	}
	w.drop()
	if len(state.snapshot.Data) > 0 {
		w.asleep = state
	}
	return true
}

// wake starts a process with the globals of a session that rests. Where they cannot be brought back it says what is
// lost, as after the end of a process.
func (w *world) wake(ctx context.Context) (lost string) {
	saved := w.asleep
	if saved == nil {
		return ""
	}
	w.asleep = nil
	if w.machine != nil {
		return ""
	}
	globals, err := w.restore(ctx, saved)
	if err != nil {
		return w.revive(ctx, &kernel.Lost{Reason: err.Error()})
	}
	w.mu.Lock()
	w.globals = globals
	w.mu.Unlock()
	return ""
}
