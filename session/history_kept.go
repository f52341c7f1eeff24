package session

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"slices"
	"time"

	"almanac/catalog"
	"almanac/session/effect"
	"almanac/session/kept"
	"almanac/session/trace"
	"almanac/session/vm"
)

// This file has the states of the history on disk: a goroutine, which ends when there is nothing left to do, makes the
// store hold what the history holds. It puts the states first, then the list of them, and forgets last: the list never
// names a state that is not there.

// A kept list is the history as the store has it.
type keptList struct {
	Version int      `json:"version"`
	Prelude string   `json:"prelude"` // of the machine that the states are of
	At      int      `json:"at"`
	Points  []*point `json:"points"`
	Named   []*point `json:"named,omitempty"`
}

const (
	keptVersion = 1
	keptName    = "states" // of the record
)

const holdsSecret = "holds a secret, which is not written to disk"

// states yields each state that something refers to, once. The caller holds mu.
func (h *history) states() iter.Seq[*pastState] {
	return func(yield func(*pastState) bool) {
		seen := map[*pastState]bool{nil: true}
		each := func(s *pastState) bool {
			known := seen[s]
			seen[s] = true
			return known || yield(s)
		}
		for _, list := range [][]*point{h.points, h.named} {
			for _, p := range list {
				if !each(p.State) {
					return
				}
			}
		}
		for _, m := range h.moments {
			if !each(m.state) {
				return
			}
		}
	}
}

// changed has what the history holds written, and bounds what is in memory. The caller holds mu.
func (h *history) changed() {
	for h.inMemory() > maxMemory && h.evict() {
	}
	h.dirty = true
	if h.store != nil && !h.lost && h.writing == nil {
		h.writing = make(chan struct{})
		go h.write(h.writing)
	}
}

// inMemory counts the bytes that stay in memory.
func (h *history) inMemory() (n int) {
	var before *byte
	for s := range h.states() {
		if len(s.data) > 0 && (s.private || h.store == nil || h.lost) && before != &s.data[0] {
			n += len(s.data)
			before = &s.data[0]
		}
	}
	return n
}

// evict gives up the state that is missed least: that of a moment alone, or else the oldest of the ring, then what
// could be done again, and the oldest checkpoint last. False: there is only that of now.
func (h *history) evict() bool {
	held := map[*pastState]bool{}
	for _, list := range [][]*point{h.points, h.named} {
		for _, p := range list {
			held[p.State] = true
		}
	}
	for i, m := range h.moments {
		if m.state != nil && !held[m.state] {
			h.moments[i].state = nil
			return true
		}
	}
	switch {
	case h.at > 0:
		h.points = h.points[1:]
		h.at--
	case len(h.points) > 1:
		h.points = h.points[:len(h.points)-1]
	case len(h.named) > 0:
		h.named = h.named[1:]
	default:
		return false
	}
	return true
}

func (h *history) write(done chan struct{}) {
	defer close(done)
	for {
		h.mu.Lock()
		if !h.dirty || h.lost {
			h.writing = nil
			h.mu.Unlock()
			return
		}
		h.dirty = false
		var fresh []*pastState
		for s := range h.states() {
			if s.data != nil && s.Size > 0 && s.Digest == "" && !s.private {
				fresh = append(fresh, s)
			}
		}
		h.mu.Unlock()
		err := h.put(fresh)
		if err == nil {
			err = h.bound()
		}
		if err == nil {
			err = h.list()
		}
		h.mu.Lock()
		switch {
		case err == nil:
		case errors.Is(err, kept.ErrFull) && h.evict():
			h.dirty = true
		default:
			h.lost = true
		}
		lost := h.lost
		h.mu.Unlock()
		if lost {
			h.failed(err)
		}
	}
}

// put stores states and lets go of their bytes.
func (h *history) put(fresh []*pastState) error {
	for _, s := range fresh {
		digest, err := h.store.Put(s.data) // nobody else changes data
		if err != nil {
			return err
		}
		h.mu.Lock()
		s.Digest, s.data = digest, nil
		h.stored = append(h.stored, s)
		h.mu.Unlock()
	}
	return nil
}

// bound gives up states until those on disk are within maxKept.
func (h *history) bound() error {
	for {
		var digests []string
		size := 0
		h.mu.Lock()
		for s := range h.states() {
			if s.Digest != "" {
				digests = append(digests, s.Digest)
				size += s.Size
			}
		}
		h.mu.Unlock()
		if size <= maxKept { // without looking at what they share
			return nil
		}
		taken, err := h.store.Taken(digests)
		if err != nil || taken <= maxKept {
			return err
		}
		h.mu.Lock()
		more := h.evict()
		h.mu.Unlock()
		if !more {
			return nil
		}
	}
}

// list writes what there is, and then forgets what is gone.
func (h *history) list() error {
	h.mu.Lock()
	written := func(points []*point) []*point {
		list := make([]*point, len(points))
		for i, p := range points {
			s := *p.State
			if s.private {
				s.NotKept = holdsSecret
			}
			s.Left = h.leaves(Point{Left: s.Left}).Left
			list[i] = &point{h.leaves(p.Point), &s, h.leaves(Point{Directives: p.InForce}).Directives}
		}
		return list
	}
	record, err := json.Marshal(keptList{keptVersion, h.prelude(), h.at, written(h.points), written(h.named)})
	held := map[*pastState]bool{}
	for s := range h.states() {
		held[s] = true
	}
	var gone []*pastState
	h.stored = slices.DeleteFunc(h.stored, func(s *pastState) bool {
		if !held[s] {
			gone = append(gone, s)
		}
		return !held[s]
	})
	h.mu.Unlock()
	if err == nil {
		err = h.store.Write(keptName, record)
	}
	for _, s := range gone {
		if err == nil {
			err = h.store.Forget(s.Digest)
		}
	}
	return err
}

// flush waits until everything is written.
func (h *history) flush(ctx context.Context) {
	h.mu.Lock()
	writing := h.writing
	h.mu.Unlock()
	if writing == nil {
		return
	}
	select {
	case <-writing:
	case <-ctx.Done():
	}
}

// bytes returns a state as it was saved. The error says why it is not kept.
func (h *history) bytes(s *pastState) ([]byte, error) {
	h.mu.Lock()
	data, digest, reason := s.data, s.Digest, s.NotKept
	h.mu.Unlock()
	switch {
	case data != nil || s.Size == 0 && reason == "":
		return data, nil
	case reason != "":
		return nil, fmt.Errorf("that state is not kept (%s)", reason)
	}
	data, err := h.store.Get(digest)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, errors.New("that state is not kept")
	}
	return data, err
}

// ResumeHistory takes over the earlier states of the session that was resumed, from its store; after Resume. The
// globals stay as they are. left tells whether the log has it that a run left its globals: states are written before,
// and those of a killed run are left out. The error says why there are none, with an fs.ErrNotExist where the store
// never had any.
func (s *Session) ResumeHistory(ctx context.Context, from *kept.Store, left func(run string) bool) error {
	w := s.world
	if err := w.acquire(ctx); err != nil {
		return err
	}
	defer w.release()
	list, err := readList(from)
	if err != nil {
		return err
	}
	if list.Prelude != w.prelude() {
		return &StateError{savedElsewhere}
	}
	list.leaveOut(func(p *point) bool { return p.State.Run != "" && !left(p.State.Run) })
	for _, p := range slices.Concat(list.Points, list.Named) {
		var still []Directive
		for _, d := range p.InForce {
			d.Value = effect.Plain(d.Value)
			if d.Kind == effect.ContextSet && len(w.checkDirectives([]catalog.Effect{d.Effect})) == 0 {
				still = append(still, d)
			}
		}
		p.InForce = still
	}
	defer w.takeInForce()
	return w.history.adopt(from, list)
}

// ResumeWrites makes a step of what a run of an earlier session wrote whose globals are lost; after ResumeHistory. Undo
// tells of it.
func (s *Session) ResumeWrites(r PointRun, calls []trace.Call) {
	h := s.world.history
	h.ran(r, time.Now(), vm.Diff{}, calls, nil)
	h.same()
}

const savedElsewhere = "earlier states were saved by another version of the program"

func readList(from *kept.Store) (list keptList, err error) {
	record, err := from.Read(keptName)
	if err != nil {
		return list, err
	}
	if json.Unmarshal(record, &list) != nil || !list.whole() {
		return list, &StateError{"the list of earlier states is damaged"}
	}
	if list.Version != keptVersion {
		return list, &StateError{savedElsewhere}
	}
	return list, nil
}

// KeptState is the state that an earlier session's store has as its last, for Resume where that beside the log is lost.
// It is the zero State where the store has none or the run that left it is not wanted.
func KeptState(from *kept.Store, wanted func(run string) bool) (State, error) {
	list, err := readList(from)
	if err != nil {
		return State{}, err
	}
	s := list.Points[list.At].State
	if s.Digest == "" || !wanted(s.Run) {
		return State{}, nil
	}
	data, err := from.Get(s.Digest)
	return State{s.Run, s.Label, list.Prelude, s.Globals, s.Own, data}, err
}

// leaveOut takes points out of the ring, but for the oldest.
func (l *keptList) leaveOut(out func(*point) bool) {
	for i := len(l.Points) - 1; i > 0; i-- {
		if !out(l.Points[i]) {
			continue
		}
		l.Points = slices.Delete(l.Points, i, i+1)
		if i <= l.At {
			l.At--
		}
	}
	l.Named = slices.DeleteFunc(l.Named, out)
}

// whole tells whether a list can be that of a history.
func (l *keptList) whole() bool {
	for _, p := range slices.Concat(l.Points, l.Named) {
		if p == nil || p.State == nil || p.State.Own < 0 || p.State.Own > p.State.Size {
			return false
		}
	}
	return l.At >= 0 && l.At < len(l.Points)
}

// adopt makes the history that of another store, and the state of now a step after it where it differs.
func (h *history) adopt(from *kept.Store, list keptList) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	now := h.points[h.at]
	var states []*pastState
	var digests []string
	for _, p := range slices.Concat(list.Points, list.Named) {
		if p.State.Digest != "" {
			states, digests = append(states, p.State), append(digests, p.State.Digest)
		}
	}
	if h.store != nil {
		if err := h.store.Copy(from, digests); err != nil {
			return err
		}
		h.stored = append(h.stored, states...)
	} else {
		for i, s := range states {
			data, err := from.Get(digests[i])
			if s.data, s.Digest = data, ""; err != nil {
				s.NotKept = err.Error()
			}
		}
	}
	h.points, h.named, h.at = list.Points, list.Named, list.At
	if there := list.Points[list.At].State; there.Run != now.State.Run || there.Size != now.State.Size {
		h.push(now)
	}
	h.changed()
	return nil
}
