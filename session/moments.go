package session

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"almanac/session/trace"
)

// This file keeps the globals of earlier moments in memory, so that a conversation that goes back to one can take Lua
// along.

// Bounds of what is kept: moments, those of them that have their globals, and the bytes of these.
const (
	maxMoments     = 200
	maxStates      = 20
	maxStatesBytes = 64 << 20
)

// A moment is the session as it was when Mark was called.
type moment struct {
	n    int64
	last lastRun
	// state is nil where the globals are not kept; without Data there were none.
	state *savedState
	// pending is what the model had not been told then, since what that would be by now had it heard nothing meanwhile.
	pending, since news
}

// moments are the last ones, oldest first.
type moments struct {
	count int64
	list  []moment
}

// add keeps a moment and forgets what is over the bounds. A state that is the same as the one before shares its bytes.
func (ms *moments) add(m moment) int64 {
	if n := len(ms.list); n > 0 && m.state != nil && ms.list[n-1].state != nil &&
		bytes.Equal(ms.list[n-1].state.snapshot.Data, m.state.snapshot.Data) {
		m.state.snapshot.Data = ms.list[n-1].state.snapshot.Data
	}
	ms.count++
	m.n = ms.count
	ms.list = append(ms.list, m)
	ms.list = ms.list[max(0, len(ms.list)-maxMoments):]
	states, size := 0, 0
	var before []byte
	for i, m := range slices.Backward(ms.list) {
		if m.state == nil {
			continue
		}
		data := m.state.snapshot.Data
		if states++; len(data) > 0 && (len(before) == 0 || &data[0] != &before[0]) {
			size += len(data)
		}
		if before = data; states > maxStates || size > maxStatesBytes {
			ms.list[i].state = nil
		}
	}
	return ms.count
}

// find returns the place of a moment, or -1.
func (ms *moments) find(n int64) int {
	return slices.IndexFunc(ms.list, func(m moment) bool { return m.n == n })
}

// tell changes what the model is to be told, where author is the person, and what it would have to be told if it had
// heard nothing since an earlier moment.
func (w *world) tell(author Author, change func(*news)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if author == User {
		change(&w.news)
	}
	for i := range w.moments.list {
		change(&w.moments.list[i].since)
	}
}

// Mark keeps the session as it is now and returns a number for Rewind. Globals that cannot be kept are not; then only
// Rewind's other half works. It waits for a run that is under way; the error is ctx's or ErrClosed.
func (s *Session) Mark(ctx context.Context) (int64, error) {
	w := s.world
	if err := w.acquire(ctx); err != nil {
		return 0, err
	}
	defer w.release()
	if err := w.settle(ctx); err != nil {
		return 0, err
	}
	w.mu.Lock()
	saved := w.saved
	m := moment{last: w.last, pending: w.news.clone(), since: w.news.clone()}
	w.mu.Unlock()
	switch {
	case w.machine == nil:
		m.state = &savedState{}
	case saved != nil && saved.lastRun == w.last:
		m.state = &savedState{saved.snapshot, w.last}
	default:
		if snapshot, err := w.machine.Snapshot(ctx); err == nil {
			m.state = &savedState{snapshot, w.last}
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.moments.add(m), nil
}

// Marked tells whether scripts have run in the session's Lua since the mark, and whether its globals of then are kept.
func (s *Session) Marked(mark int64) (ran, kept bool) {
	w := s.world
	w.mu.Lock()
	defer w.mu.Unlock()
	i := w.moments.find(mark)
	if i < 0 {
		return true, false
	}
	return w.moments.list[i].last != w.last, w.moments.list[i].state != nil
}

// errNotKept is what Rewind returns where the globals of a moment are not kept.
var errNotKept = errors.New("globals of that moment are not kept")

// Rewind is for a conversation that went back to a mark: the model will be told what it does not know any more. With
// lua the globals go back too; left names those of then that could not be kept. The marks after it are gone. It waits
// for a run that is under way. The error is ctx's, or says why the globals did not go back; then nothing has changed.
func (s *Session) Rewind(ctx context.Context, mark int64, lua bool) (left []string, err error) {
	w := s.world
	if err := w.acquire(ctx); err != nil {
		return nil, err
	}
	defer w.release()
	i := w.moments.find(mark)
	switch {
	case i < 0 && !lua:
		return nil, nil
	case i < 0 || lua && w.moments.list[i].state == nil:
		return nil, errNotKept
	}
	m := w.moments.list[i]
	told := m.since
	if lua {
		if err := w.goBack(ctx, m); err != nil {
			return nil, err
		}
		for _, g := range m.state.snapshot.Left {
			left = append(left, g.Name)
		}
		told = m.pending
		told.back = true
	}
	w.mu.Lock()
	w.news, w.moments.list = told, w.moments.list[:i]
	w.mu.Unlock()
	return left, nil
}

// goBack puts the globals of a moment in the place of those of now.
func (w *world) goBack(ctx context.Context, m moment) error {
	if err := w.settle(ctx); err != nil {
		return err
	}
	saved := &savedState{m.state.snapshot, m.last}
	if len(saved.snapshot.Data) == 0 {
		w.drop()
		w.empty()
		return w.record(trace.Record{Kind: trace.KindReset, Text: "back to before the first script"})
	}
	before := w.machine
	globals, err := w.restore(ctx, saved)
	if err != nil {
		return fmt.Errorf("globals of that moment: %w", err)
	}
	if before != nil {
		before.Close()
	}
	w.mu.Lock()
	w.globals, w.saved, w.last = globals, saved, m.last
	w.mu.Unlock()
	err = w.record(trace.Record{Kind: trace.KindBack, Run: m.last.id, Text: m.last.label})
	w.tellSaved(m.last.id, m.last.label, saved.snapshot)
	return err
}

func (n news) clone() news {
	n.names = maps.Clone(n.names)
	return n
}
