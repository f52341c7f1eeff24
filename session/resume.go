package session

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"almanac/session/vm"
)

// This file exports the globals' state, to outlive the process, and resumes that of an earlier session.

// A State is the globals after a run, for Resume in a later session.
type State struct {
	// Run is the id of the run in the log, Label what a person calls it.
	Run, Label string
	// Prelude is a digest of the Lua that every machine of the session starts with.
	Prelude string
	// Globals counts what is in Bytes, kept results included; Own is how many of Bytes are not of those.
	Globals, Own int
	Bytes        []byte
}

// A StateError says why a State cannot be restored.
type StateError struct{ Reason string }

func (e *StateError) Error() string { return "state: " + e.Reason }

func (w *world) tellSaved(run, label string, s vm.Snapshot) {
	if w.options.Saved == nil {
		return
	}
	if w.redactor.finds(s.Data) {
		return
	}
	w.options.Saved(State{Run: run, Label: label, Prelude: w.prelude(), Globals: s.Globals, Own: s.Own, Bytes: s.Data})
}

func (w *world) prelude() string {
	sum := sha256.New()
	for _, c := range w.options.Kernel.Prelude {
		fmt.Fprintf(sum, "%d %d %s%s", len(c.Name), len(c.Source), c.Name, c.Source)
	}
	return hex.EncodeToString(sum.Sum(nil))
}

// Resume replaces the globals by those of st, and makes those ids callable by the model that were described earlier and
// that the view of now shows. It waits for a run that is under way. The error is a *StateError when st does not fit
// this program, or ctx's; then the globals are as they were.
func (s *Session) Resume(ctx context.Context, st State, described []string) error {
	w := s.world
	if err := w.acquire(ctx); err != nil {
		return err
	}
	defer w.release()
	view := s.View()
	w.mu.Lock()
	for _, id := range described {
		if entry, err := view.Resolve(id); err == nil {
			w.described[entry.ID] = true
		}
	}
	w.mu.Unlock()
	if len(st.Bytes) == 0 {
		return nil
	}
	if st.Prelude != w.prelude() {
		return &StateError{"it was saved by another version of the program"}
	}
	if err := w.settle(ctx); err != nil {
		return err
	}
	saved := &savedState{
		vm.Snapshot{Data: st.Bytes, Own: min(max(0, st.Own), len(st.Bytes)), Globals: st.Globals},
		lastRun{id: st.Run, label: st.Label},
	}
	before := w.machine
	globals, err := w.restore(ctx, saved)
	if err != nil {
		return &StateError{err.Error()}
	}
	if before != nil {
		before.Close()
	}
	w.mu.Lock()
	w.globals, w.saved, w.last = globals, saved, saved.lastRun
	w.mu.Unlock()
	w.history.resumed(saved)
	w.tellSaved(st.Run, st.Label, saved.snapshot)
	return nil
}
