package event

// This file is the Feed. The worker, the session and the conversation (hooks.go) add events; the screen takes them when
// it draws. Adding an event never waits for the screen; only a question waits, for its answer.

import (
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"almanac/catalog/text"
	"almanac/session"
)

// feedText is how many bytes of printed and spoken text may wait. What comes beyond is dropped and counted; no other
// event is ever dropped.
const feedText = 2 << 20

// A Feed is a bounded, ordered buffer of events. Safe for concurrent use.
type Feed struct {
	mu      sync.Mutex
	events  []Event
	tail    []byte // text of the last event while it still grows
	growing bool
	waiting int // bytes of text that wait
	dropped int64
	wake    chan struct{}

	// What belongs to the cell that runs now.
	cell    Cell
	spoken  int  // bytes the model said
	toolRan bool // a script of the model's ended since its tool started
	setters map[string]Setter
	taken   map[string]Setter // what setters were of globals that the other author changed in the last run
	acting  []string          // ids of the actions under way, the newest last
	asking  int               // open questions
	asked   time.Time         // when the first of them came up
	thought thought
	retry   retry
	results results // of all cells
}

// A Setter is who gave a global its value, and in which cell.
type Setter struct {
	Author session.Author
	Cell   int
}

// owner says whose a global was: "yours, [3]".
func (s Setter) owner() string {
	whose := "the model's"
	if s.Author == session.User {
		whose = "yours"
	}
	if s.Cell == 0 {
		return whose
	}
	return fmt.Sprintf("%s, [%d]", whose, s.Cell)
}

// NewFeed returns an empty Feed.
func NewFeed() *Feed {
	return &Feed{wake: make(chan struct{}, 1), setters: map[string]Setter{}}
}

// Emit appends an event. Printed and Spoke events that follow each other in one cell become one. Never blocks.
func (f *Feed) Emit(e Event) {
	f.mu.Lock()
	f.emit(e)
	f.mu.Unlock()
	f.Refresh()
}

// Refresh wakes the reader without an event, because the Standing has changed. Never blocks.
func (f *Feed) Refresh() {
	select {
	case f.wake <- struct{}{}:
	default:
	}
}

func (f *Feed) emit(e Event) {
	if e.Kind != Printed && e.Kind != Spoke {
		f.settle()
		if f.dropped > 0 {
			text := fmt.Sprintf("… %s of output not shown: the screen could not keep up", text.Bytes(f.dropped))
			f.events = append(f.events, Event{Kind: Said, Cell: e.Cell, Level: Warning, Text: text})
			f.dropped = 0
		}
		f.events = append(f.events, e)
		return
	}
	if e.Text == "" {
		return
	}
	if f.waiting+len(e.Text) > feedText {
		f.dropped += int64(len(e.Text))
		return
	}
	f.waiting += len(e.Text)
	if f.growing {
		last := f.events[len(f.events)-1]
		if last.Kind == e.Kind && last.Cell == e.Cell && last.Stream == e.Stream && last.Author == e.Author {
			f.tail = append(f.tail, e.Text...)
			return
		}
	}
	f.settle()
	f.tail = append(f.tail[:0], e.Text...)
	f.growing = true
	f.events = append(f.events, e)
}

// settle stores the text that the last event has grown to.
func (f *Feed) settle() {
	if f.growing {
		f.events[len(f.events)-1].Text = string(f.tail)
		f.growing = false
	}
}

// Take removes and returns all waiting events, oldest first; nil if there are none. The caller owns them.
func (f *Feed) Take() []Event {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.settle()
	events := f.events
	f.events = nil
	f.waiting = 0
	return events
}

// Wake returns a channel that holds a signal when events may wait. One signal may stand for many events, and an
// early Take may leave a signal behind.
func (f *Feed) Wake() <-chan struct{} {
	return f.wake
}

// Result is the whole result of a call, while it is kept.
func (f *Feed) Result(cell, call int) (data any, ok bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.results.get(cell, call)
}

// UnderWay names the action that is being called, and how many there are; empty and zero when there is none.
func (f *Feed) UnderWay() (id string, calls int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if n := len(f.acting); n > 0 {
		return f.acting[n-1], n
	}
	return "", 0
}

// Cell is the number of the cell that runs now, zero when none does.
func (f *Feed) Cell() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.cell.N
}

// Running returns the cell that runs now, with its calls so far; its number and start are zero when none does.
func (f *Feed) Running() Cell {
	f.mu.Lock()
	defer f.mu.Unlock()
	c := f.cell
	c.Calls = slices.Clone(c.Calls)
	return c
}

// Setters tells by whom and where the globals got their values, as far as this program or the log saw it.
func (f *Feed) Setters() map[string]Setter {
	f.mu.Lock()
	defer f.mu.Unlock()
	return maps.Clone(f.setters)
}

// Before tells of the globals that the last run changed, and that the other author had set, whose they were.
func (f *Feed) Before() map[string]Setter {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.taken
}

// Restore takes in who gave the globals their values, as the log has it: those of an earlier session, or of before an
// undo. by is the feed's from then on.
func (f *Feed) Restore(by map[string]Setter) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.setters = by
}

// Begin makes c the cell that calls and printed text belong to.
func (f *Feed) Begin(c Cell) {
	f.mu.Lock()
	f.cell, f.spoken = c, 0
	f.mu.Unlock()
}

// End returns the cell as it has become, with its calls and the last outcome of the model's.
func (f *Feed) End() Cell {
	f.endThought()
	f.endRetry(stoppedBefore)
	f.mu.Lock()
	defer f.mu.Unlock()
	c := f.cell
	f.cell, f.spoken, f.toolRan = Cell{}, 0, false
	return c
}

// SaidNothing tells whether the model has said nothing since the cell began.
func (f *Feed) SaidNothing() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.spoken == 0
}
