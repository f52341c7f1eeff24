package team

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// This file renews what the session has: tasks and claims. Each is held until a time that is moved on while the session
// lives; when it has ended, others see the time pass.

// leaseTime is how long a task or a claim stays with a session that has ended. Clocks of the team's machines should
// agree to within a part of it; where they do not, a task may be worked on twice, but is finished once.
const leaseTime = time.Minute

// leases are the tasks and claims of the session.
type leases struct {
	t *Team

	mu     sync.Mutex
	tasks  map[string]*held     // by id
	taking map[string]bool      // leases of tasks that are being taken
	claims map[string]time.Time // until when, by the key of their record
}

// held is a task that the session has.
type held struct {
	lease  string
	until  time.Time     // leases.mu guards it
	ticket jetstream.Msg // of the queue; nil if the task was taken without one
}

// openWork makes what tasks and claims need; nothing of it is on the server until it is used.
func (t *Team) openWork() {
	t.leaseTime = cmp.Or(t.options.leaseTime, leaseTime)
	t.leases = &leases{t: t, tasks: map[string]*held{}, taking: map[string]bool{}, claims: map[string]time.Time{}}
	t.board, t.book = &board{t: t, leases: t.leases}, &book{t: t, leases: t.leases}
}

func (l *leases) hold(id string, h *held) {
	l.mu.Lock()
	l.tasks[id] = h
	l.mu.Unlock()
	l.t.changedMark()
}

// held are the ids of the tasks that the session has, in their order.
func (l *leases) held() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Sorted(maps.Keys(l.tasks))
}

// begin says that a task is being taken with the lease, end that it has been, or has not.
func (l *leases) begin(lease string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.taking[lease] = true
}

func (l *leases) end(lease string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.taking, lease)
}

// knows says whether the session holds, or is about to hold, a task with the lease. It may have one that it does not
// know, after an attempt to take it whose answer did not come.
func (l *leases) knows(id, lease string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	h := l.tasks[id]
	return l.taking[lease] || h != nil && h.lease == lease
}

// drop forgets a task, unless it has been taken again.
func (l *leases) drop(id string, h *held) {
	l.mu.Lock()
	if l.tasks[id] == h {
		delete(l.tasks, id)
	}
	l.mu.Unlock()
	l.t.changedMark()
}

// task is what the session has of a task; nil if it does not have it.
func (l *leases) task(id string) *held {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.tasks[id]
}

func (l *leases) claim(key string, until time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.claims[key] = until
}

// keep renews what the session has, until ctx is done.
func (l *leases) keep(ctx context.Context) {
	tick := time.NewTicker(l.t.leaseTime / 4)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			l.renew(ctx)
		}
	}
}

// renew renews what has half of its time behind it. What could not be renewed is tried again with the next tick.
func (l *leases) renew(ctx context.Context) {
	now := l.t.now()
	due := now.Add(l.t.leaseTime / 2)
	until := now.Add(l.t.leaseTime).UTC()
	tasks, claims := map[string]*held{}, []string{}
	l.mu.Lock()
	for id, h := range l.tasks {
		if h.until.Before(due) {
			tasks[id] = h
		}
	}
	for key, until := range l.claims {
		if until.Before(due) {
			claims = append(claims, key)
		}
	}
	l.mu.Unlock()
	for id, h := range tasks {
		lost, err := l.t.board.renew(ctx, id, h, until)
		if lost {
			l.drop(id, h)
		} else if err == nil {
			l.mu.Lock()
			h.until = until
			l.mu.Unlock()
		}
	}
	for _, key := range claims {
		lost, err := l.t.book.renew(ctx, key, until)
		l.mu.Lock()
		if lost {
			delete(l.claims, key)
		} else if err == nil {
			l.claims[key] = until
		}
		l.mu.Unlock()
	}
}

// release gives back what the session has, as far as ctx allows.
func (l *leases) release(ctx context.Context) (err error) {
	l.mu.Lock()
	tasks, claims := l.tasks, l.claims
	l.tasks, l.claims = map[string]*held{}, map[string]time.Time{}
	l.mu.Unlock()
	if len(tasks) > 0 {
		l.t.changedMark()
	}
	for id, h := range tasks {
		err = errors.Join(err, l.t.board.giveBack(ctx, id, h))
	}
	for key := range claims {
		err = errors.Join(err, l.t.book.end(ctx, key))
	}
	return err
}

// now is the time by the session's clock.
func (t *Team) now() time.Time {
	if t.options.clock != nil {
		return t.options.clock()
	}
	return time.Now()
}

// moment is a time as a sentence says it.
func (t *Team) moment(at time.Time) string {
	at = at.UTC()
	if at.Sub(t.now()).Abs() < 12*time.Hour {
		return at.Format("15:04:05 UTC")
	}
	return at.Format("2006-01-02 15:04 UTC")
}
