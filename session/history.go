package session

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"sync"
	"time"

	"almanac/session/kept"
	"almanac/session/trace"
	"almanac/session/vm"
)

// This file keeps earlier states of the globals: the last ones in a ring, for Undo and Redo, and those that a person
// gave a name. history_undo.go goes to them, history_kept.go has them on disk.

// Bounds of what is kept.
const (
	// maxUndo is how many steps can be taken back.
	maxUndo = 50
	// maxNamed is how many states may have a name.
	maxNamed = 50
	// maxKept bounds the states on disk, in bytes, compressed and with shared parts counted once; maxMemory those in
	// memory, as they are.
	maxKept   = 256 << 20
	maxMemory = 64 << 20
	// maxWrites is how many writes are listed of the runs of one step.
	maxWrites = 100
)

// A Point is a state of the globals that is kept, or that the history knows of: what runs have left, or where Lua was
// taken.
type Point struct {
	// Name is that of a checkpoint; empty in the ring.
	Name string `json:"name,omitempty"`
	// Runs are those since the point before, oldest first: they changed the globals or wrote outside.
	Runs []PointRun `json:"runs,omitempty"`
	// What says how it came about where no run did: "the start", "the restore of draft".
	What string    `json:"what,omitempty"`
	Time time.Time `json:"time"`
	// Changed are the globals that differ from the point before by name; changes inside a table are not told.
	Changed vm.Diff `json:"changed"`
	// Writes are the mutations that the runs made, without their results; there may be More.
	Writes []trace.Call `json:"writes,omitempty"`
	More   int          `json:"more,omitempty"`
	// Directives are those that the runs carried out and that leave something.
	Directives []Directive `json:"directives,omitempty"`
	// Size is that of the state in bytes, as it is, and Globals counts what is in it, results included.
	Size    int `json:"-"`
	Globals int `json:"-"`
	// Left are globals that could not be kept.
	Left []vm.Left `json:"-"`
	// NotKept says why the state is not kept; empty when it is.
	NotKept string `json:"-"`
	// Now tells that the globals are those of the point.
	Now bool `json:"-"`
}

// Title names the point by how it came about: "cell 7".
func (p Point) Title() string {
	switch {
	case p.What != "":
		return p.What
	case len(p.Runs) > 0:
		return p.Runs[0].Label
	}
	return "a run"
}

// A PointRun is a run that led to a Point.
type PointRun struct {
	ID     string `json:"id"`
	Label  string `json:"label"` // as a person calls it: "cell 7"
	Cell   int    `json:"cell,omitempty"`
	Author Author `json:"author"`
}

// A point is a Point with its state, and with the directives that are in force there.
type point struct {
	Point
	State   *pastState  `json:"state"`
	InForce []Directive `json:"in_force,omitempty"`
}

// A pastState is a state that can be come back to. It does not change, but for where its bytes are.
type pastState struct {
	Run     string    `json:"run,omitempty"`
	Label   string    `json:"label,omitempty"`
	Size    int       `json:"size,omitempty"`
	Own     int       `json:"own,omitempty"` // vm.Snapshot.Own
	Globals int       `json:"globals,omitempty"`
	Left    []vm.Left `json:"left,omitempty"`
	// Mark is a digest of what scripts have set and could be kept, without results.
	Mark string `json:"mark"`
	// Digest finds the bytes in the store. Without it and without data there are none, as NotKept says; a state of Size 0
	// has none and needs none: it is that before the first script.
	Digest  string `json:"digest,omitempty"`
	NotKept string `json:"not_kept,omitempty"`

	n    int64 // lastRun.n
	data []byte
	// private tells that the bytes hold a secret: they are never written.
	private bool
}

func pastOf(s *savedState) *pastState {
	mark := sha256.Sum256(s.snapshot.Data[:s.snapshot.Own])
	return &pastState{
		Run: s.id, Label: s.label, n: s.n, Mark: hex.EncodeToString(mark[:]), data: s.snapshot.Data,
		Size: len(s.snapshot.Data), Own: s.snapshot.Own, Globals: s.snapshot.Globals, Left: s.snapshot.Left,
	}
}

func (s *pastState) last() lastRun { return lastRun{s.n, s.Run, s.Label} }

// A history is the states of one world. Its methods may be called at any time; whoever has the turn changes it, and the
// saver in its name.
type history struct {
	store *kept.Store // nil: all in memory
	// private tells whether bytes hold a secret.
	private func(data []byte) bool
	// leaves takes secrets out of what is written of a point: a global may be named like one.
	leaves  func(Point) Point
	prelude func() string
	// failed is told, once, why states are no longer written.
	failed func(error)

	mu     sync.Mutex // guards what follows
	points []*point   // oldest first; never empty
	at     int        // the point that the globals are those of
	named  []*point   // oldest first
	// moments are those of Mark, oldest first.
	moments []moment
	count   int64 // of the moments so far
	// pending are the runs since the state of points[at] was fetched.
	pending point

	stored  []*pastState // those with a Digest of a Put of ours
	dirty   bool
	writing chan struct{} // closed when nothing is left to write; nil when nothing is written
	lost    bool          // the store failed
}

func newHistory(w *world) *history {
	return &history{
		store: w.options.Store, private: w.redactor.finds, prelude: w.prelude, failed: w.notWritten,
		leaves: func(p Point) Point { return leaves(w, p) },
		points: []*point{{Point{What: "the start", Time: time.Now()}, pastOf(&savedState{}), nil}},
	}
}

// ran takes in a run that may have changed the globals. keep or notKept tells what it left.
func (h *history) ran(r PointRun, began time.Time, changed vm.Diff, calls []trace.Call, directives []Directive) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.pending.add(point{Point: Point{
		Runs: []PointRun{r}, Time: began, Changed: changed, Writes: writesOf(calls), Directives: lasting(directives),
	}})
}

// writesOf are the Writes among the calls, as the history keeps them.
func writesOf(calls []trace.Call) []trace.Call {
	writes := Writes(calls)
	for i := range writes {
		writes[i].Result, writes[i].Part, writes[i].Effects, writes[i].Preview = nil, "", nil, ""
	}
	return writes
}

// add takes in what happened after p and belongs to it.
func (p *point) add(more point) {
	if len(p.Runs) == 0 && p.What == "" {
		p.Time = more.Time
	}
	p.Runs = append(p.Runs, more.Runs...)
	p.Writes = append(p.Writes, more.Writes...)
	p.More += more.More + max(0, len(p.Writes)-maxWrites)
	p.Writes = p.Writes[:min(len(p.Writes), maxWrites)]
	p.Directives = append(p.Directives, more.Directives...)
	p.Changed = joined(p.Changed, more.Changed)
}

// same takes in that the runs since left the globals as they were.
func (h *history) same() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.stay(h.points[h.at].State)
}

// stay takes in that the pending runs left what scripts set as it was, with s as the whole state. They are a step only
// if they wrote outside, or if directives have left something, so that it can be taken back. The point of now may be a
// moment's too.
func (h *history) stay(s *pastState) {
	if len(h.pending.Writes)+len(h.pending.Directives) > 0 {
		h.pending.Changed = vm.Diff{} // of results, or put back
		h.step(s)
		return
	}
	now := *h.points[h.at]
	now.State = s
	h.points[h.at], h.pending = &now, point{}
	h.changed()
}

// keep takes in the state that the runs since have left. It is a step where what scripts set differs, or
// where they wrote outside.
func (h *history) keep(saved *savedState) {
	s := pastOf(saved)
	s.private = h.private(s.data)
	h.mu.Lock()
	defer h.mu.Unlock()
	unkept := slices.ContainsFunc(s.Left, func(l vm.Left) bool {
		return slices.Contains(h.pending.Changed.Added, l.Name) || slices.Contains(h.pending.Changed.Changed, l.Name)
	})
	if h.points[h.at].State.Mark == s.Mark && !unkept {
		h.stay(s)
		return
	}
	h.step(s)
}

// notKept takes in that the state that the runs since have left cannot be kept.
func (h *history) notKept(last lastRun, reason string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.pending.Runs) > 0 {
		h.step(&pastState{Run: last.id, Label: last.label, n: last.n, NotKept: reason})
	}
}

// step makes a point of the pending runs.
func (h *history) step(s *pastState) {
	p := h.pending
	p.State, p.InForce = s, h.inForce()
	h.pending = point{}
	h.push(&p)
}

// push makes p the point of now. What was undone before cannot be done again.
func (h *history) push(p *point) {
	h.points = append(h.points[:h.at+1:h.at+1], p)
	h.points = h.points[max(0, len(h.points)-maxUndo-1):]
	h.at = len(h.points) - 1
	h.changed()
}

// went takes in that the globals are now those of a state, without a run, and what is in force.
func (h *history) went(what string, s *pastState, inForce []Directive) Point {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.pending = point{}
	p := &point{Point{What: what, Time: time.Now()}, s, inForce}
	h.push(p)
	return h.told(p)
}

// revived takes in that the machine ended and has the globals of an earlier state again; nil: it has none. What runs
// since have directed went with what they had set.
func (h *history) revived(saved *savedState) {
	h.mu.Lock()
	h.pending.Directives = nil
	inForce := h.inForce()
	if saved == nil {
		h.mu.Unlock()
		h.went("the end of the Lua process", pastOf(&savedState{}), inForce)
		return
	}
	defer h.mu.Unlock()
	for i, p := range slices.Backward(h.points[:h.at+1]) {
		if p.State.last() == saved.lastRun {
			h.at = i
			h.stay(p.State)
			return
		}
	}
	h.pending = point{}
	h.push(&point{Point{What: "the restore of " + saved.label, Time: time.Now()}, pastOf(saved), inForce})
}

// resumed makes the state of an earlier session the first point.
func (h *history) resumed(saved *savedState) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.points, h.at = []*point{{Point{What: "the resume", Time: time.Now()}, pastOf(saved), nil}}, 0
	h.changed()
}

// told is what a caller learns of p.
func (h *history) told(p *point) Point {
	told, s := p.Point, p.State
	told.Size, told.Globals, told.Left, told.NotKept = s.Size, s.Globals, s.Left, s.NotKept
	told.Now = p == h.points[h.at]
	return told
}
