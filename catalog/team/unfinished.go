package team

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// This file is the set of the tasks that are not over, so that whoever looks for one reads no others. A task is in it
// before it has a record, and until all has followed from its end.

// An unfinished says of a task in the set who may take it.
type unfinished struct {
	id string
	To string    `json:",omitempty"`
	At time.Time // when it was created
}

// setTime is how long a task without a record stays in the set: its record may be about to be made.
const setTime = time.Hour

// readAtOnce is how many records are asked for in one go, each for itself: the server takes long to find many of a
// large bucket together.
const readAtOnce = 16

func (b *board) set(ctx context.Context) (jetstream.KeyValue, error) {
	return b.t.bucket(ctx, "unfinished", jetstream.KeyValueConfig{TTL: 2 * taskTime, MaxBytes: queueBytes})
}

// list puts a new task into the set.
func (b *board) list(ctx context.Context, r *record) error {
	raw, err := json.Marshal(unfinished{To: r.To, At: r.At})
	if err != nil {
		return err
	}
	kv, err := b.set(ctx)
	if err != nil {
		return err
	}
	return b.t.try(ctx, func(ctx context.Context) error {
		_, err := kv.Put(ctx, r.ID, raw)
		return err
	})
}

// unlist takes a task out of the set, and leaves no mark of its deletion there.
func (b *board) unlist(ctx context.Context, id string) error {
	kv, err := b.set(ctx)
	if err != nil {
		return err
	}
	b.queue.mu.Lock()
	s := b.queue.listed
	b.queue.mu.Unlock()
	if s == nil {
		if s, err = b.t.bus.JetStream().Stream(ctx, "KV_"+kv.Bucket()); err != nil {
			return err
		}
		b.queue.mu.Lock()
		b.queue.listed = s
		b.queue.mu.Unlock()
	}
	return b.t.try(ctx, func(ctx context.Context) error {
		return s.Purge(ctx, jetstream.WithPurgeSubject("$KV."+kv.Bucket()+"."+id))
	})
}

// listed are the tasks of the set that the session may take, oldest first.
func (b *board) listed(ctx context.Context) (all []unfinished, err error) {
	kv, err := b.set(ctx)
	if err != nil {
		return nil, err
	}
	named := append(b.t.named(), "")
	found := map[string]unfinished{} // one that is listed again meanwhile comes twice
	err = b.t.try(ctx, func(ctx context.Context) error {
		clear(found)
		return eachValue(ctx, kv, []string{">"}, func(entry jetstream.KeyValueEntry) {
			u := unfinished{id: entry.Key()}
			if json.Unmarshal(entry.Value(), &u) == nil && slices.Contains(named, u.To) {
				found[u.id] = u
			}
		})
	})
	return slices.SortedFunc(maps.Values(found), func(x, y unfinished) int {
		return cmp.Or(x.At.Compare(y.At), cmp.Compare(x.id, y.id))
	}), err
}

// MayTake tells whether there seems to be a task that the session may take, which costs less than to try.
func (t *Team) MayTake(ctx context.Context) (bool, error) {
	all, err := t.board.listed(ctx)
	if err != nil {
		return false, err
	}
	for some := range slices.Chunk(all, readAtOnce) {
		records, err := t.board.readAll(ctx, some)
		if err != nil {
			return false, err
		}
		for _, r := range records {
			if r == nil || r.Over() || r.State == Taken && !t.board.isLapsed(r) {
				continue
			}
			if before, _, err := waits(r, t.board.getter(ctx)); len(before) == 0 || err != nil {
				return true, nil
			}
		}
	}
	return false, nil
}

// fromAll takes the oldest task that the session may take and that the queue does not have: one whose creator ended
// before it was queued, or whose holder ended.
func (b *board) fromAll(ctx context.Context) (*record, error) {
	all, err := b.listed(ctx)
	if err != nil {
		return nil, err
	}
	for some := range slices.Chunk(all, readAtOnce) {
		records, err := b.readAll(ctx, some)
		if err != nil {
			return nil, err
		}
		for i, u := range some {
			r := records[i]
			switch now := b.t.now(); {
			case r == nil && now.Sub(u.At) > setTime:
				err = b.unlist(ctx, u.id)
			case r == nil, r.State == Taken && !b.isLapsed(r):
			case r.Over() && now.Sub(r.Ended) > b.t.leaseTime: // whoever ended it was cut off
				err = b.settle(ctx, r)
			case r.Over():
			default:
				taken, err := b.obtain(ctx, u.id, nil)
				if wait := (*notNowError)(nil); errors.As(err, &wait) || isNone(err) {
					continue
				}
				return taken, err
			}
			if err != nil {
				return nil, err
			}
		}
	}
	return nil, nil
}

// readAll fetches the records of tasks; nil for one that is not there, or cannot be read.
func (b *board) readAll(ctx context.Context, some []unfinished) ([]*record, error) {
	records, errs := make([]*record, len(some)), make([]error, len(some))
	var reading sync.WaitGroup
	for i, u := range some {
		reading.Go(func() {
			errs[i] = b.t.try(ctx, func(ctx context.Context) error {
				r, _, err := b.read(ctx, u.id)
				if err == nil {
					records[i] = &r
				}
				return err
			})
			if isNone(errs[i]) || errors.Is(errs[i], errUnreadable) {
				errs[i] = nil
			}
		})
	}
	reading.Wait()
	return records, errors.Join(errs...)
}
