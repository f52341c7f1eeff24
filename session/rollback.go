package session

import (
	"bytes"
	"context"

	"almanac/session/vm"
)

// This file undoes what a run that failed, was interrupted or denied has set: it leaves the globals as they were before
// it, all of them or, where those are not kept, none.

// before returns the state that the shared machine is in before a run, without Data where there are no globals. It is
// nil where that state is not kept whole, which why says.
func (w *world) before() (state *savedState, why string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case w.saved != nil && w.saved.lastRun == w.last:
		if left := w.saved.snapshot.Left; len(left) > 0 {
			return nil, notKept(shortList([]string{left[0].Name}) + " " + left[0].Reason)
		}
		return w.saved, ""
	case w.last == lastRun{}:
		return &savedState{}, ""
	}
	return nil, notKept(w.saver.why)
}

func notKept(why string) string { return "no copy was kept (" + why + ")" }

// SetTransactional says whether runs that fail put the globals back, from the next one on.
func (s *Session) SetTransactional(on bool) {
	s.world.mu.Lock()
	defer s.world.mu.Unlock()
	s.world.loose = !on
}

// Transactional tells whether runs that fail put the globals back.
func (s *Session) Transactional() bool {
	s.world.mu.Lock()
	defer s.world.mu.Unlock()
	return !s.world.loose
}

// rollBack puts the globals back to those before a failed run and says in out what was put back, or why not. It returns
// false where the globals are now those that the run left. It does its work also when ctx is done.
func (w *world) rollBack(ctx context.Context, before *savedState, why string, loose bool, out *Outcome) bool {
	switch {
	case out.Err == nil:
		return false
	case out.Err.Kind == vm.Syntax: // nothing ran
		return true
	case loose:
		return false
	case before == nil:
		out.NotPutBack = why
		return false
	}
	ctx = context.WithoutCancel(ctx)
	now, err := w.machine.Snapshot(ctx)
	data := before.snapshot.Data
	whole, empty := err == nil && len(now.Left) == 0, len(data) == 0
	set := out.Globals
	out.Globals = vm.Diff{}
	if whole && (empty && now.Globals == 0 || bytes.Equal(data, now.Data)) {
		return true
	}
	if empty {
		w.drop()
		w.empty()
	} else {
		old := w.machine
		globals, err := w.restore(ctx, before)
		if err != nil {
			out.Globals, out.NotPutBack = set, err.Error()
			return false
		}
		old.Discard()
		w.mu.Lock()
		w.globals = globals
		w.mu.Unlock()
	}
	out.RolledBack, out.PutBack = true, set
	return true
}
