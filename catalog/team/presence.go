package team

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"almanac/catalog/task"
	"almanac/catalog/team/bus"
	"almanac/catalog/text"
)

// This file says who is in the team: names, and the marks of presence that hold them.

// A mark of presence is gone presenceTTL after the last renewal.
const (
	presenceTTL = 15 * time.Second
	renewal     = 4 * time.Second
)

// maxSame is how many sessions of one name may be in a team.
const maxSame = 99

// A Peer is a session that is in the team now.
type Peer struct {
	Name string `json:"name"`
	// Role is "reviewer", or "reviewer and clerk".
	Role string `json:"role,omitempty"`
	// Parent is the agent that started it; empty for one that a person started.
	Parent string `json:"parent,omitempty"`
	// Doing is what it says that it is doing, in a few words; may be empty.
	Doing   string    `json:"doing,omitempty"`
	Machine string    `json:"machine"`
	PID     int       `json:"pid"`
	Since   time.Time `json:"since"`
	// You is set for the session that asks.
	You bool `json:"you,omitempty"`
}

// A seat is a Peer as it is kept on the server.
type seat struct {
	Peer
	// Instance tells memberships of one name apart, Space the numbers of processes: one PID in two containers.
	Instance, Space string
}

// maxDoing is how long what a peer is doing may be, in bytes.
const maxDoing = 200

// takeName takes the name that was asked for, or else the first free one made from it.
func (t *Team) takeName(ctx context.Context) error {
	t.mu.Lock()
	doing := t.me.Doing
	t.me = seat{
		Peer: Peer{
			Role: roleWords(t.roles), Parent: t.options.Parent, Doing: doing, Machine: machine(), PID: os.Getpid(),
			Since: time.Now().UTC().Truncate(time.Second),
		},
		Instance: t.instance, Space: processSpace(),
	}
	t.mu.Unlock()
	for n := 1; n <= maxSame; n++ {
		name := t.options.Agent
		if n > 1 {
			end := fmt.Sprintf("-%d", n)
			name = name[:min(len(name), bus.MaxName-len(end))] + end
		}
		var taken bool
		err := t.try(ctx, func(ctx context.Context) (err error) {
			taken, err = t.take(ctx, name)
			return err
		})
		if err != nil || taken {
			return err
		}
	}
	return fmt.Errorf("agent %s: %d sessions have this name", t.options.Agent, maxSame)
}

// machine is the name of this machine.
func machine() string {
	host, err := os.Hostname()
	if err != nil {
		return "unknown"
	}
	return host
}

// take takes a name that is free, or held by a process of this machine that has ended.
func (t *Team) take(ctx context.Context, name string) (bool, error) {
	t.mu.Lock()
	me := t.me
	t.mu.Unlock()
	me.Name = name
	raw, err := json.Marshal(me)
	if err != nil {
		return false, err
	}
	revision, err := t.peers.Create(ctx, name, raw)
	if errors.Is(err, jetstream.ErrKeyExists) {
		old, err := t.peers.Get(ctx, name)
		if errors.Is(err, jetstream.ErrKeyNotFound) {
			return t.take(ctx, name) // it has just left
		}
		if err != nil {
			return false, err
		}
		var s seat
		if json.Unmarshal(old.Value(), &s) != nil || s.Instance != me.Instance && !s.isDead(me) {
			return false, nil
		}
		revision, err = t.peers.Update(ctx, name, raw, old.Revision())
		if isTaken(err) {
			return false, nil
		}
		if err != nil {
			return false, err
		}
	} else if err != nil {
		return false, err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.me.Name, t.place = name, revision
	return true, nil
}

// isTaken says whether err means that another has changed a key in the meantime.
func isTaken(err error) bool {
	return errors.Is(err, jetstream.ErrKeyExists) || errors.Is(err, jetstream.ErrKeyRevisionMismatch)
}

// isDead says whether the process of the seat is known to have ended, seen from the one of another.
func (s seat) isDead(me seat) bool {
	return s.Machine == me.Machine && s.Space == me.Space && s.PID > 0 && !isRunning(s.PID)
}

// Doing tells the team what the session is doing, in a few words; empty for nothing.
func (t *Team) Doing(what string) {
	what = t.redact(text.LineBytes(what, maxDoing))
	t.mu.Lock()
	same := t.me.Doing == what
	t.me.Doing = what
	t.mu.Unlock()
	if !same {
		signal(t.kick)
	}
}

// SetRoles says which roles the session has from now on: its peers see them, and it may take the tasks for them.
func (t *Team) SetRoles(names []string) {
	t.mu.Lock()
	same := slices.Equal(t.roles, names)
	t.roles, t.me.Role = slices.Clone(names), roleWords(names)
	t.mu.Unlock()
	if !same {
		signal(t.kick)
	}
}

// named are the names under which a task may be for the session: its own, and those of its roles.
func (t *Team) named() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return append([]string{t.me.Name}, t.roles...)
}

// Peer.Role has the names of several roles with andRole between them.
const andRole = " and "

func roleWords(names []string) string { return strings.Join(names, andRole) }

// has says whether the peer has the role.
func (p Peer) has(role string) bool { return slices.Contains(strings.Split(p.Role, andRole), role) }

// soon is when the mark is written after a task was taken or ended.
const soon = 50 * time.Millisecond

// stay renews the session's presence, and writes the read mark, until ctx is done.
func (t *Team) stay(ctx context.Context) {
	tick := time.NewTicker(renewal)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		case <-t.kick:
		case <-t.took:
			if task.Sleep(ctx, soon) != nil { // one mark for many
				return
			}
			attempt, cancel := context.WithTimeout(ctx, attemptTime)
			_ = t.writeMark(attempt)
			cancel()
			continue
		}
		attempt, cancel := context.WithTimeout(ctx, attemptTime)
		_ = t.writeMark(attempt) // again with the next tick
		_ = t.renew(attempt)
		cancel()
	}
}

// renew writes the session's presence again.
func (t *Team) renew(ctx context.Context) error {
	t.mu.Lock()
	me, revision := t.me, t.place
	t.mu.Unlock()
	raw, err := json.Marshal(me)
	if err != nil {
		return err
	}
	revision, err = t.peers.Update(ctx, me.Name, raw, revision)
	if isTaken(err) {
		// It ran out while the bus was away, or an answer was lost.
		held, err := t.take(ctx, me.Name)
		if err != nil || held {
			return err
		}
		// Another session has the name by now, and its mail.
		if err := t.takeName(ctx); err != nil {
			return err
		}
		return t.follow(ctx)
	}
	if err == nil {
		t.mu.Lock()
		t.place = revision
		t.mu.Unlock()
	}
	return err
}

// leave gives the name back.
func (t *Team) leave(ctx context.Context) error {
	t.mu.Lock()
	name, revision := t.me.Name, t.place
	t.place = 0
	t.mu.Unlock()
	if revision == 0 {
		return nil
	}
	err := t.peers.Delete(ctx, name, jetstream.LastRevision(revision))
	if !isTaken(err) {
		return err
	}
	// Another session has the name, or the answer to the last renewal did not come.
	last, err := t.peers.Get(ctx, name)
	var s seat
	if err != nil || json.Unmarshal(last.Value(), &s) != nil || s.Instance != t.instance {
		return nil
	}
	return t.peers.Delete(ctx, name, jetstream.LastRevision(last.Revision()))
}

// Peers are the sessions in the team, this one too, by name. One of this machine whose process has ended is in none.
func (t *Team) Peers(ctx context.Context) ([]Peer, error) {
	t.mu.Lock()
	me := t.me
	t.mu.Unlock()
	var all []Peer
	err := t.try(ctx, func(ctx context.Context) error {
		all = nil
		return eachValue(ctx, t.peers, []string{">"}, func(entry jetstream.KeyValueEntry) {
			var s seat
			if json.Unmarshal(entry.Value(), &s) != nil || CheckName(entry.Key()) != nil {
				return
			}
			you := s.Instance == t.instance
			if you {
				s.Peer = me.Peer // the server may not have it yet
			} else if s.isDead(me) {
				return
			}
			all = append(all, Peer{
				Name: entry.Key(), Role: text.LineBytes(s.Role, maxDoing), Parent: text.LineBytes(s.Parent, bus.MaxName),
				Doing: text.LineBytes(s.Doing, maxDoing), Machine: text.LineBytes(s.Machine, maxDoing),
				PID: s.PID, Since: s.Since, You: you,
			})
		})
	})
	slices.SortFunc(all, func(a, b Peer) int { return cmp.Compare(a.Name, b.Name) })
	return all, err
}

// Present counts the sessions that are in a team now, for who does not join it.
func Present(ctx context.Context, b *bus.Bus, name string) (int, error) {
	t := &Team{options: Options{Team: name}, bus: b}
	t.me.Machine, t.me.Space = machine(), processSpace()
	var err error
	if t.peers, err = b.JetStream().KeyValue(ctx, t.onServer("peers")); errors.Is(err, jetstream.ErrBucketNotFound) {
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("peers: %w", err)
	}
	all, err := t.Peers(ctx)
	return len(all), err
}

// eachValue calls f with all values of a bucket whose keys match one of the patterns.
func eachValue(
	ctx context.Context, kv jetstream.KeyValue, patterns []string, f func(jetstream.KeyValueEntry),
) error {
	// The client writes the name of the bucket into the patterns, which would be wrong at the next attempt.
	watch, err := kv.WatchFiltered(ctx, slices.Clone(patterns), jetstream.IgnoreDeletes())
	if err != nil {
		return err
	}
	defer watch.Stop()
	for {
		select {
		case entry := <-watch.Updates():
			if entry == nil {
				return ctx.Err()
			}
			f(entry)
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// redact takes secrets out of a text that leaves the session.
func (t *Team) redact(s string) string {
	if t.options.Redact == nil {
		return s
	}
	return t.options.Redact(s)
}
