package team

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// This file keeps what the team knows of what an agent has read.

// clocksDiffer is by how much the clocks of machines may.
const clocksDiffer = 5 * time.Second

// A mark is what the team knows of an agent while no session of the name is there.
type mark struct {
	// Stream is when the stream was created whose places these are.
	Stream time.Time
	// It has dealt with everything up to a place, and some beyond it; Seen are others that its person has opened.
	UpTo uint64
	Also []uint64 `json:",omitempty"`
	Seen []uint64 `json:",omitempty"`
	// Joined is where the stream was when it first joined: what everybody was sent before that is not for it.
	Joined uint64 `json:",omitempty"`
	// Since is when that was; zero: always.
	Since time.Time `json:",omitzero"`
	// Numbers are the places of its items by their numbers, of which Before were given to others that are gone.
	Before  int      `json:",omitempty"`
	Numbers []uint64 `json:",omitempty"`
	// Tasks are those that it holds.
	Tasks []string `json:",omitempty"`
}

func (m *mark) has(seq uint64) bool { return seq <= m.UpTo || slices.Contains(m.Also, seq) }

// cut forgets places after the last of the stream, which has lost its end: what comes there is new.
func (m *mark) cut(last uint64) {
	m.UpTo, m.Joined = min(m.UpTo, last), min(m.Joined, last)
	lost := func(seq uint64) bool { return seq > last }
	m.Also, m.Seen = slices.DeleteFunc(m.Also, lost), slices.DeleteFunc(m.Seen, lost)
	m.Numbers = slices.DeleteFunc(m.Numbers, lost)
}

func (m *mark) hasSeen(seq uint64) bool { return slices.Contains(m.Seen, seq) }

// readMark fetches what the agent has read before.
func (t *Team) readMark(ctx context.Context) error {
	fresh, name := mark{Stream: t.mail.CachedInfo().Created}, t.Agent()
	entry, err := t.marks.Get(ctx, name)
	isNew := errors.Is(err, jetstream.ErrKeyNotFound)
	if err != nil && !isNew {
		return fmt.Errorf("mail: %w", err)
	}
	var m mark
	if isNew || json.Unmarshal(entry.Value(), &m) != nil || !m.Stream.Equal(fresh.Stream) {
		m = fresh
	}
	info, err := t.mail.Info(ctx)
	if err != nil {
		return fmt.Errorf("mail: %w", err)
	}
	m.cut(info.State.LastSeq)
	// A name with a number is whoever's comes second: each begins anew.
	begins := isNew || name != t.options.Agent
	if begins {
		m.Joined, m.Since = info.State.LastSeq, t.now().Add(-clocksDiffer)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if before := t.inbox.seen[everybody]; begins && before > 0 {
		m.Joined, m.Since = before, t.inbox.mark.Since // this session was there under another name
	}
	t.inbox = inbox{mark: m, seen: map[string]uint64{everybody: m.Joined}, unsaved: begins, earlier: m.Tasks}
	signal(t.kick)
	return nil
}

// forget lets go of the numbers of items that are gone, from the first on.
func (in *inbox) forget() {
	m := &in.mark
	for len(m.Numbers) > 0 && !slices.ContainsFunc(in.items, func(r received) bool { return r.seq == m.Numbers[0] }) {
		m.Before, m.Numbers = m.Before+1, m.Numbers[1:]
	}
}

// changedMark has the mark written soon.
func (t *Team) changedMark() {
	t.mu.Lock()
	t.inbox.unsaved = true
	t.mu.Unlock()
	signal(t.took)
}

// writeMark writes what has been read, and makes room for more of the same senders.
func (t *Team) writeMark(ctx context.Context) error {
	t.marking.Lock() // what is written last is what is so last
	defer t.marking.Unlock()
	held := t.leases.held()
	t.mu.Lock()
	unsaved, name := t.inbox.unsaved, t.me.Name
	t.inbox.forget()
	t.inbox.mark.Tasks = append(held, t.inbox.earlier...)
	raw, err := json.Marshal(t.inbox.mark)
	t.inbox.unsaved = false
	t.mu.Unlock()
	if !unsaved || err != nil {
		return err
	}
	_, err = t.marks.Put(ctx, name, raw)
	t.mu.Lock()
	var old []uint64
	if err != nil {
		t.inbox.unsaved = true
	} else {
		old = t.inbox.excess(t.mailSubject(everybody, ""))
	}
	t.mu.Unlock()
	if err != nil {
		return fmt.Errorf("mail: what was read: %w", err)
	}
	for _, seq := range old {
		if err := t.mail.DeleteMsg(ctx, seq); err != nil && !errors.Is(err, jetstream.ErrMsgNotFound) {
			return fmt.Errorf("mail: %w", err)
		}
	}
	return nil
}

// excess takes the read items of each sender but its last few out of the inbox, and returns their places in the stream.
// Those for everybody, whose subjects begin with all, are not the agent's to remove.
func (in *inbox) excess(all string) (old []uint64) {
	read := map[string]int{}
	for _, r := range slices.Backward(in.items) {
		if in.mark.has(r.seq) && !strings.HasPrefix(r.subject, all) {
			if read[r.subject]++; read[r.subject] > keptRead {
				old = append(old, r.seq)
			}
		}
	}
	in.items = slices.DeleteFunc(in.items, func(r received) bool { return slices.Contains(old, r.seq) })
	return old
}
