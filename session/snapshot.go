package session

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"almanac/session/kernel"
	"almanac/session/trace"
	"almanac/session/vm"
)

// This file keeps the last state of the shared machine and brings it back when its process has ended. The state is
// fetched after the reply of a run: a small one before its outcome is recorded, a large one while the session is idle,
// so that a run waits for it only when it follows at once.

// reviveTimeout bounds the start of a new process with the old globals.
const reviveTimeout = 30 * time.Second

// A savedState is a snapshot and which run left it.
type savedState struct {
	snapshot vm.Snapshot
	lastRun
}

// A lastRun is the run that left the globals as they are; the zero one left none.
type lastRun struct {
	n         int64  // counts the runs of the world
	id, label string // in the log, and as a person calls it
}

// A saver is the fetching of snapshots. Whoever has the turn owns it, and busy's end before all else.
type saver struct {
	// busy is closed when the snapshot under way is there; nil when there was none yet.
	busy chan struct{}
	// After a state that could not be kept the next skip runs are not tried, each time twice as many, up to maxSkip.
	skip, skipped int
	// why the state was not kept at the last try; empty when it was.
	why string
	// told is set when the person was told that a state could not be kept, until one can be kept again.
	told bool
}

const maxSkip = 32

// save fetches the state that the last run left. less says that there are globals fewer than
// before, so that a state that was too large may not be any more. The goroutine ends with the snapshot, or with the
// machine. Where the process ended meanwhile, what the run left went with it, and lost is why.
func (w *world) save(less bool) (lost *kernel.Lost) {
	if w.saver.skip > 0 && !less {
		w.saver.skip--
		w.history.notKept(w.last, w.saver.why)
		return nil
	}
	machine, busy, by := w.machine, make(chan struct{}), w.last
	w.saver.busy = busy
	small := w.small() // before the goroutine owns what that rests on
	var gone *kernel.Lost
	go func() {
		defer close(busy)
		s, err := machine.Snapshot(context.Background())
		var bad *vm.SnapshotError
		switch {
		case err == nil:
			w.saver.skip, w.saver.skipped, w.saver.why, w.saver.told = 0, 0, "", false
			saved := &savedState{s, by}
			w.mu.Lock()
			w.saved = saved
			w.mu.Unlock()
			w.history.keep(saved)
			w.tellSaved(by.id, by.label, s)
		case errors.As(err, &bad):
			w.saver.skipped = min(max(1, 2*w.saver.skipped), maxSkip)
			w.saver.skip, w.saver.why = w.saver.skipped, bad.Reason
			w.notSaved(bad.Reason)
			w.history.notKept(by, bad.Reason)
		default:
			errors.As(err, &gone)
		}
	}()
	if small && soon(busy) {
		return gone
	}
	return nil
}

// A state that is likely no larger than smallState is waited for, smallWait at most, before the run is told to have
// ended: whatever is killed then, the state comes back that the person has seen. Others are fetched in the background.
const (
	smallState = 1 << 20
	smallWait  = time.Second
)

func (w *world) small() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.saver.skipped == 0 && (w.saved == nil || len(w.saved.snapshot.Data) <= smallState)
}

// soon waits for busy, and tells whether it was closed in time.
func soon(busy <-chan struct{}) bool {
	late := time.NewTimer(smallWait)
	defer late.Stop()
	select {
	case <-busy:
		return true
	case <-late.C:
		return false
	}
}

// notSaved leaves a notice for the next outcome, once.
func (w *world) notSaved(reason string) {
	if w.saver.told {
		return
	}
	w.saver.told = true
	w.mu.Lock()
	defer w.mu.Unlock()
	w.unsaved = fmt.Sprintf("globals are no longer saved (%s): if the Lua process ends, ", reason)
	if w.saved == nil {
		w.unsaved += "they are lost"
	} else {
		w.unsaved += "those of " + w.saved.label + " are restored"
	}
}

// notWritten leaves a notice for the next outcome.
func (w *world) notWritten(err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.unsaved = fmt.Sprintf("earlier states are no longer written to disk (%v): they end with this session", err)
}

func (w *world) takeUnsaved() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	text := w.unsaved
	w.unsaved = ""
	return text
}

// settle waits for the running snapshot.
func (w *world) settle(ctx context.Context) error {
	if w.saver.busy == nil {
		return nil
	}
	select {
	case <-w.saver.busy:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// lastSave is how long a closing session waits to save the state of its last run.
const lastSave = 2 * time.Second

func (w *world) settleSoon() {
	if w.options.Saved == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), lastSave)
	defer cancel()
	_ = w.settle(ctx) // what is not saved by then is lost
}

// drop ends the shared machine and any running snapshot.
func (w *world) drop() {
	if w.machine != nil {
		w.machine.Close()
		w.machine = nil
	}
	if w.saver.busy != nil {
		<-w.saver.busy
	}
}

// check waits until the shared machine is idle and replaces one whose process has ended; lost says so. The error is
// ctx's.
func (w *world) check(ctx context.Context) (lost string, err error) {
	if err := w.settle(ctx); err != nil {
		return "", err
	}
	err = w.machine.Ping(ctx)
	var gone *kernel.Lost
	if errors.As(err, &gone) {
		return w.revive(ctx, gone), nil
	}
	return "", err
}

// revive replaces a shared machine whose process has ended by a new one with the last good state, and says in one line
// what was restored and what was not. Without a state that can be restored there is no machine afterwards. The log is
// told where the globals are not those of the last run any more.
func (w *world) revive(ctx context.Context, lost *kernel.Lost) string {
	w.drop()
	w.mu.Lock()
	before, saved := w.globals, w.saved
	w.globals = nil
	w.mu.Unlock()
	set := w.history.nowInForce()
	defer w.takeInForce()
	text := fmt.Sprintf("the Lua process ended (%s); ", lost.Reason)
	if saved == nil {
		w.history.revived(nil)
		text += "the next input starts a new one"
		if names := namesOf(before); len(names) > 0 {
			text += " without " + shortList(names)
		}
		w.wentBack(lastRun{}, text, set)
		return text
	}
	globals, err := w.restore(ctx, saved)
	if err != nil {
		w.mu.Lock()
		w.saved = nil
		w.mu.Unlock()
		w.history.revived(nil)
		text += fmt.Sprintf("the globals of %s could not be restored (%v)", saved.label, err)
		if names := namesOf(before); len(names) > 0 {
			text += ", lost: " + shortList(names)
		}
		w.wentBack(lastRun{}, text, set)
		return text
	}
	w.mu.Lock()
	w.globals = globals
	w.mu.Unlock()
	w.history.revived(saved)
	w.wentBack(saved.lastRun, saved.label, set)
	if saved.snapshot.Globals > 0 {
		text += "globals restored as of " + saved.label
	} else {
		text += "a new one continues as of " + saved.label
	}
	if names := saved.missing(before, globals); len(names) > 0 {
		text += ", without " + shortList(names)
	}
	return text
}

// wentBack tells the log which run left the globals that are there now, where that is not the last one; the zero
// run left none. set is what was in force before. A log that is out of order is told of by the next run.
func (w *world) wentBack(to lastRun, text string, set []Directive) {
	w.mu.Lock()
	from := w.last
	w.last = to
	w.mu.Unlock()
	if from == to {
		return
	}
	kind := trace.KindBack
	if to == (lastRun{}) {
		kind = trace.KindReset
	}
	_ = w.record(trace.Record{Kind: kind, Run: to.id, Text: text, Effects: contextDiff(set, w.history.nowInForce())})
}

// restore puts a new kernel with the saved state in the place of the shared one. It does so also when ctx is done: what
// ended the old kernel may have been its end.
func (w *world) restore(ctx context.Context, saved *savedState) ([]vm.Global, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), reviveTimeout)
	defer cancel()
	m, err := w.pool.Get(ctx)
	if err != nil {
		return nil, err
	}
	globals, err := m.Restore(ctx, saved.snapshot.Data)
	if err != nil {
		m.Close()
		return nil, err
	}
	w.machine = m
	return globals, nil
}

// copyTo gives a new kernel the globals of the shared one, and says which it has. Where they cannot be copied the
// kernel has none. The kernel that it returns may be another one; the error is that there is none.
func (w *world) copyTo(ctx context.Context, m *kernel.Kernel) (*kernel.Kernel, []string, error) {
	if err := w.settle(ctx); err != nil {
		m.Discard()
		return nil, nil, err
	}
	s, err := w.machine.Snapshot(ctx)
	switch {
	case ctx.Err() != nil:
		m.Discard()
		return nil, nil, ctx.Err()
	case err != nil: // too large, or the machine has ended: the next run tells
		return m, nil, nil
	}
	globals, err := m.Restore(ctx, s.Data)
	if err == nil {
		return m, namesOf(globals), nil
	}
	m.Discard() // half of a state may be in it
	m, err = w.pool.Get(ctx)
	return m, nil, err
}

// missing lists the globals that were there before and are not now, with the reason where there is one.
func (s *savedState) missing(before, now []vm.Global) []string {
	var names []string
	for _, name := range namesOf(before) {
		if slices.ContainsFunc(now, func(g vm.Global) bool { return g.Name == name }) {
			continue
		}
		for _, left := range s.snapshot.Left {
			if left.Name == name {
				name += " (" + left.Reason + ")"
				break
			}
		}
		names = append(names, name)
	}
	return names
}

func namesOf(globals []vm.Global) []string {
	names := make([]string, 0, len(globals))
	for _, g := range globals {
		names = append(names, g.Name)
	}
	return names
}

// shortList joins names and counts those beyond the eighth. Names are a script's and may hold anything.
func shortList(names []string) string {
	const most = 8
	names = slices.Clone(names)
	for i, name := range names[:min(len(names), most)] {
		if runes := []rune(name); len(runes) > 120 {
			name = string(runes[:117]) + "..."
		}
		if strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsPrint(r) }) {
			name = strconv.Quote(name)
		}
		names[i] = name
	}
	if n := len(names); n > most {
		return fmt.Sprintf("%s and %d more globals", strings.Join(names[:most], ", "), n-most)
	}
	return strings.Join(names, ", ")
}
