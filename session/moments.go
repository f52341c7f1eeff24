package session

import (
	"context"
	"errors"
	"maps"
	"slices"
)

// This file marks moments in the history, so that a conversation that goes back to one can take Lua along.

// maxMoments is how many moments are known.
const maxMoments = 200

// A moment is the session as it was when Mark was called.
type moment struct {
	n    int64
	last lastRun
	// state is nil where the globals are not kept.
	state   *pastState
	inForce []Directive
	// pending is what the model had not been told then, since what that would be by now had it heard nothing meanwhile.
	pending, since news
}

// mark keeps a moment at the state of now.
func (h *history) mark(m moment) int64 {
	h.mu.Lock()
	defer h.mu.Unlock()
	if s := h.points[h.at].State; s.NotKept == "" {
		m.state, m.inForce = s, h.inForce()
	}
	h.count++
	m.n = h.count
	h.moments = append(h.moments, m)
	h.moments = h.moments[max(0, len(h.moments)-maxMoments):]
	h.changed()
	return h.count
}

// moment returns the one of that number.
func (h *history) moment(n int64) (m moment, ok bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	i := slices.IndexFunc(h.moments, func(m moment) bool { return m.n == n })
	if i < 0 {
		return m, false
	}
	return h.moments[i], true
}

// forgetFrom forgets a moment and those after it.
func (h *history) forgetFrom(n int64) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.moments = slices.DeleteFunc(h.moments, func(m moment) bool { return m.n >= n })
	h.changed()
}

// tell changes what the model is to be told, where author is the person, and what it would have to be told if it had
// heard nothing since an earlier moment.
func (w *world) tell(author Author, change func(*news)) {
	if author == User {
		w.mu.Lock()
		change(&w.news)
		w.mu.Unlock()
	}
	w.history.mu.Lock()
	defer w.history.mu.Unlock()
	for i := range w.history.moments {
		change(&w.history.moments[i].since)
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
	if _, err := w.fetch(ctx); err != nil {
		return 0, err
	}
	w.mu.Lock()
	m := moment{last: w.last, pending: w.news.clone(), since: w.news.clone()}
	w.mu.Unlock()
	return w.history.mark(m), nil
}

// Marked tells whether scripts have run in the session's Lua since the mark, and whether its globals of then are kept.
func (s *Session) Marked(mark int64) (ran, kept bool) {
	w := s.world
	m, ok := w.history.moment(mark)
	if !ok {
		return true, false
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	return m.last != w.last, m.state != nil
}

// errNotKept is what Rewind returns where the globals of a moment are not kept.
var errNotKept = errors.New("globals of that moment are not kept")

// Rewind is for a conversation that went back to a mark: the model will be told what it does not know any more. With
// lua the globals go back too, which Undo takes back; left names those of then that could not be kept. The marks after
// it are gone. It waits for a run that is under way. The error is ctx's, or says why the globals did not go back; then
// nothing has changed.
func (s *Session) Rewind(ctx context.Context, mark int64, lua bool) (left []string, err error) {
	w := s.world
	if err := w.acquire(ctx); err != nil {
		return nil, err
	}
	defer w.release()
	m, ok := w.history.moment(mark)
	switch {
	case !ok && !lua:
		return nil, nil
	case !ok || lua && m.state == nil:
		return nil, errNotKept
	}
	told := m.since
	if lua {
		if _, err := w.fetch(ctx); err != nil {
			return nil, err
		}
		if _, err := w.goTo(ctx, m.state, m.inForce); err != nil {
			return nil, err
		}
		w.history.went("the return to an earlier prompt", m.state, m.inForce)
		w.takeInForce()
		left = leftNames(m.state)
		told = m.pending
		told.back = true
	}
	w.history.forgetFrom(mark)
	w.mu.Lock()
	w.news = told
	w.mu.Unlock()
	return left, nil
}

func (n news) clone() news {
	n.names = maps.Clone(n.names)
	return n
}
