package vm

import (
	"fmt"
	"time"
)

// This file has the API of snapshots: the graph of a session's globals as bytes, for another machine with the same
// prelude. snapshot_write.go and snapshot_read.go hold the two directions, snapshot_permanent.go the names of what
// every machine has, snapshot_closure.go functions.
//
// The bytes, all numbers in varints:
//
//	"LuaState" version global* 0 [generator(16)] checksum(4)
//	global   = 1 kept key value object*           objects that were met first in it, in the order they were met
//	object   = a table, a function or a variable; what met it said which
//	table    = length value^length count (key value)^count metatable
//	function = chunk number length variable^length
//	chunk    = mention, and when that is new: prelude name [source]
//	variable = value
//	value    = tag [number | text | mention of an object]
//	mention  = 0: new; even: twice how many mentions ago it was last mentioned; odd: twice its index, and 1
//
// A function is its source text, its number in that and the variables it shares, so no compiled code is ever read. The
// generator of math.random is there where a script has seeded it.
//
// One state has one form: keys are in order, and what a restored machine gives is what it was given, byte for byte. So
// equal bytes are equal states. Most mentions count backwards, what scripts have set comes first by name and kept
// results last, newest first: a state that differs little from another has most of its bytes in common with it.

const (
	snapshotMagic   = "LuaState"
	snapshotVersion = 2
)

// The tags of values.
const (
	tagNil byte = iota
	tagFalse
	tagTrue
	tagNull
	tagInt       // whole float: zigzag
	tagFloat     // 8 bytes, little-endian
	tagText      // length, bytes; gets the next index
	tagTextAgain // mention
	tagInteger   // exact integer beyond 2^53: zigzag
	tagAction    // text: its path
	tagPermanent // text: its name
	tagTable     // mention
	tagFunction  // mention
	tagVariable  // mention
	tagFrozen    // a stand-in of the state; the tagTable of what is behind it follows
)

// SnapshotLimits bound a Snapshot. A zero field means its default.
type SnapshotLimits struct {
	// Bytes is how large it may be, with an allowance of 64 bytes for each table, function, variable and text. Default
	// 32 MiB.
	Bytes int
	// Time is how long it may take. Default 500 ms.
	Time time.Duration
}

// A Snapshot is the state of a session's globals.
type Snapshot struct {
	// Data is for Restore.
	Data []byte
	// Own is how many bytes of Data, from the first, are what scripts have set, 0 where that is nothing; kept results come
	// after it.
	Own int
	// Globals counts what is in it, kept results included.
	Globals int
	// Left are the globals that were left out.
	Left []Left
}

// Left is a global that cannot be kept, and why: "holds a coroutine".
type Left struct{ Name, Reason string }

// A SnapshotError says why there is no snapshot: Reason is "larger than 32.0 MiB".
type SnapshotError struct{ Reason string }

func (e *SnapshotError) Error() string { return "snapshot: " + e.Reason }

// Snapshot returns the globals that scripts have set and the results that were kept, with all that they reach. A global
// that reaches something that cannot be kept (a coroutine, an iterator) is left out and listed; the others are
// complete. The machine does not change. It must not be called during a run. The error is a *SnapshotError.
func (m *Machine) Snapshot(l SnapshotLimits) (Snapshot, error) {
	if l.Bytes <= 0 {
		l.Bytes = 32 << 20
	}
	if l.Time <= 0 {
		l.Time = 500 * time.Millisecond
	}
	w := newStateWriter(m, l, nil)
	if err := w.globals(); err != nil {
		return Snapshot{}, err
	}
	left := w.left
	if len(left) > 0 { // again, without a trace of them
		deadline := w.deadline
		w = newStateWriter(m, l, w.refusals)
		w.deadline = deadline
		if err := w.globals(); err != nil {
			return Snapshot{}, err
		}
	}
	m.ranks = w.ranks
	return Snapshot{Data: w.sealed(), Own: w.own, Globals: w.kept, Left: left}, nil
}

// window is how many mentions ago one may have been to be counted backwards.
const window = 1 << 12

// mentions are those of texts, objects or chunks as the writer counts them.
type mentions struct {
	count uint64
	last  []uint64 // by index
}

// again is how the thing of an index is mentioned once more; add takes a new one in.
func (m *mentions) again(i uint64) uint64 {
	far, ago := i<<1|1, m.count-m.last[i]
	m.last[i] = m.count
	m.count++
	if ago <= window {
		return ago << 1
	}
	return far
}

func (m *mentions) add() {
	m.last = append(m.last, m.count)
	m.count++
}

// mentioned are the latest mentions as the reader counts them.
type mentioned struct {
	count uint64
	ring  [window]uint32
}

// add takes in a mention of the thing of an index.
func (m *mentioned) add(i uint32) {
	m.ring[m.count%window] = i
	m.count++
}

// find is the index that a mention means, of n things; ok is false where there is none such.
func (m *mentioned) find(mention uint64, n int) (i uint32, ok bool) {
	at := mention >> 1
	switch {
	case mention&1 == 1 && at < uint64(n):
		i = uint32(at)
	case mention&1 == 0 && at > 0 && at <= min(m.count, window):
		i = m.ring[(m.count-at)%window]
	default:
		return 0, false
	}
	m.add(i)
	return i, true
}

// Restore replaces the machine's globals by those of a snapshot, which must come from a machine with the same prelude.
// On an error, always a *SnapshotError, the machine is unchanged. It must not be called during a run.
func (m *Machine) Restore(data []byte) (err error) {
	defer func() {
		if trouble := recover(); trouble != nil {
			err = &SnapshotError{fmt.Sprintf("internal error: %v", trouble)}
		}
	}()
	r := &stateReader{m: m, ranks: ranks{}}
	globals, err := r.read(data)
	if err != nil {
		return &SnapshotError{err.Error()}
	}
	m.session.array, m.session.keys, m.session.flags, m.kept = nil, nil, 0, map[string]bool{}
	m.ranks = r.ranks
	clear(m.session.hash)
	m.state = nil
	for _, g := range globals {
		if t := m.table(g.value); g.key == stateName && t != nil && t.meta == m.frozenMeta {
			m.state = g.value
			continue
		}
		m.session.hash[g.key] = g.value
		if name, ok := g.key.(string); ok && g.kept {
			m.kept[name] = true
		}
	}
	for _, c := range r.chunks {
		if _, ok := m.sources[c.name]; !ok && c.main == nil {
			m.keepSource(c.name, c.source)
		}
	}
	if len(data) >= hugeString {
		m.interval = closeInterval // it may hold a huge string
	}
	m.seed(r.random)
	m.guardState(m.state != nil)
	m.before = m.prints()
	return nil
}
