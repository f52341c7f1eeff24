package team

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"almanac/catalog/text"
)

// This file is what a task goes through: offered, taken, finished or given back, and what follows from its end. Each
// step is first a change of its record; what comes after (queue, mail) may be cut off anywhere, and is then done by
// whoever sees the task next.

// waits are the tasks before r that are not finished, as get finds them. over is one of them that never will be; nil if
// there is none.
func waits(r *record, get func(id string) (record, error)) (before []string, over *record, err error) {
	for _, id := range r.After {
		one, err := get(id)
		switch {
		case isNone(err): // it was over so long ago that it is not kept
		case err != nil:
			return nil, nil, err
		case one.State != Finished:
			if before = append(before, id); one.Over() && over == nil {
				over = &one
			}
		}
	}
	return before, over, nil
}

// getter reads records for waits.
func (b *board) getter(ctx context.Context) func(id string) (record, error) {
	return func(id string) (record, error) {
		r, _, err := b.read(ctx, id)
		return r, err
	}
}

// offer puts a task that is ready into the queue, and ends one that never will be. Of one that waits, who ends the last
// that it waits for offers it.
func (b *board) offer(ctx context.Context, id string) (record, error) {
	var before []string
	r, err := b.change(ctx, id, func(r *record) (err error) {
		if r.State != Open {
			return errSame
		}
		var over *record
		before, over, err = waits(r, b.getter(ctx))
		if over == nil || err != nil {
			return cmp.Or(err, errSame)
		}
		b.end(r, Dead, fmt.Sprintf("it comes after %s, which is %s", over.ID, over.State))
		return nil
	})
	switch {
	case err != nil:
		return r, err
	case r.Over():
		return r, b.settle(ctx, &r)
	case r.State == Open && len(before) == 0:
		return r, b.enqueue(ctx, &r)
	}
	r.WaitsFor = before
	return r, nil
}

// maxReason is how long the reason of a failure may be, in bytes.
const maxReason = 1000

// end ends a task; what has to follow is done by settle.
func (b *board) end(r *record, state TaskState, reason string) {
	r.State, r.Reason, r.Ended = state, text.LineBytes(reason, maxReason), b.t.now().UTC()
	r.Told = r.By == b.t.Agent()
}

// settle does what follows from the end of a task: its creator is told, those that come after it are offered, and it
// leaves the set of the unfinished. It may be done twice.
func (b *board) settle(ctx context.Context, r *record) error {
	err := b.report(ctx, r)
	for _, id := range r.Next {
		next, failed := b.offer(ctx, id)
		if isNone(failed) {
			continue
		}
		if failed == nil && next.isReady() {
			_, failed = b.assign(ctx, &next)
		}
		err = errors.Join(err, failed)
	}
	if err == nil {
		err = b.unlist(ctx, r.ID)
	}
	return err
}

// isReady says whether a task that was offered can be taken now.
func (r *record) isReady() bool { return r.State == Open && len(r.WaitsFor) == 0 }

// assign tells the agent that a task is for that it can be taken, in the name of who created it; told is false where
// there is no such agent now. To do it twice tells once.
func (b *board) assign(ctx context.Context, r *record) (told bool, err error) {
	if r.To == "" || r.To == r.By {
		return false, nil
	}
	peers, err := b.t.Peers(ctx)
	if err != nil || !slices.ContainsFunc(peers, func(p Peer) bool { return p.Name == r.To }) {
		return false, nil
	}
	return true, b.tellOf(ctx, r)
}

// tellOf tells the agent that a task is for that it can be taken.
func (b *board) tellOf(ctx context.Context, r *record) error {
	item := Item{Kind: Assigned, Topic: r.topic(), Text: cmp.Or(r.Text, r.Title)}
	if err := b.t.send(ctx, r.By, r.To, "offer "+r.ID, item); err != nil {
		return fmt.Errorf("%s could not be told: %w", r.To, err)
	}
	return nil
}

// remind tells the session of what is for its agent and became free while it was away. What its inbox has of a task,
// read or not, tells of it already.
func (b *board) remind(ctx context.Context) error {
	kv, err := b.t.bus.JetStream().KeyValue(ctx, b.t.onServer("unfinished"))
	if errors.Is(err, jetstream.ErrBucketNotFound) || kv == nil {
		return nil // the team has no tasks
	}
	all, err := b.listed(ctx)
	if err != nil {
		return err
	}
	known := map[string]bool{}
	for _, item := range b.t.Inbox(0) {
		known[item.Topic] = known[item.Topic] || item.Kind == Assigned
	}
	var failed error
	for _, u := range all {
		if u.To != b.t.Agent() {
			continue
		}
		r, _, err := b.read(ctx, u.id)
		if err != nil || r.State != Open || r.By == r.To || known[r.topic()] {
			continue
		}
		if before, _, err := waits(&r, b.getter(ctx)); err == nil && len(before) == 0 {
			failed = errors.Join(failed, b.tellOf(ctx, &r))
		}
	}
	return failed
}

// report tells the creator of a task how it ended.
func (b *board) report(ctx context.Context, r *record) error {
	if r.Told || r.By == b.t.Agent() {
		return nil
	}
	item := Item{
		Kind: Result, To: r.By, Topic: fmt.Sprintf("%s task %s (%s)", r.State, r.ID, r.Title),
		Text: cmp.Or(r.Result, r.Reason, "done"),
	}
	if err := b.t.Send(ctx, item); err != nil {
		return fmt.Errorf("%s could not be told: %w", r.By, err)
	}
	_, err := b.change(ctx, r.ID, func(r *record) error {
		if r.Told {
			return errSame
		}
		r.Told = true
		return nil
	})
	return err
}

// isFor says whether the session may take the task.
func (b *board) isFor(r *record) bool {
	return r.To == "" || slices.Contains(b.t.named(), r.To)
}

// isLapsed says whether whoever has the task will not finish it: the lease ran out, or it is this session's and was
// forgotten, by an earlier session of the name, which has one at a time, or for want of an answer.
func (b *board) isLapsed(r *record) bool { return b.t.now().After(r.Until) || b.isForgotten(r) }

// isForgotten says whether the task is this session's, which does not know that it has it.
func (b *board) isForgotten(r *record) bool {
	return r.State == Taken && r.Holder == b.t.Agent() &&
		(r.Instance != b.t.instance || !b.leases.knows(r.ID, r.Lease))
}

// Resume takes the tasks back that an earlier session of the name held when it was killed, and nobody has taken since.
// That is no further try. The inbox tells of them, and of what is for the agent and became free while it was away.
func (t *Team) Resume(ctx context.Context) error {
	t.mu.Lock()
	ids := t.inbox.earlier
	t.inbox.earlier = nil
	t.mu.Unlock()
	var failed error
	for _, id := range ids {
		r, _, err := t.board.read(ctx, id)
		if err != nil || !t.board.isForgotten(&r) {
			continue
		}
		taken, err := t.board.obtain(ctx, id, nil)
		if taken == nil {
			failed = errors.Join(failed, err)
			continue
		}
		said := fmt.Sprintf("you hold it since before this session started (try %d of %d): peer.task.finish{id = %q, "+
			"result = ...} ends it", taken.Tries, taken.Most, id)
		if taken.Text != "" {
			said += "\n\n" + taken.Text
		}
		item := Item{Kind: Assigned, Topic: taken.topic(), Text: text.ClipBytes(said, MaxText)}
		t.board.resumed.Store(&id)
		failed = errors.Join(failed, t.Report(ctx, taken.By, item))
	}
	return errors.Join(failed, t.board.remind(ctx))
}

// Held are the tasks that the session has.
func (t *Team) Held() (ids []string) { return t.leases.held() }

// topic is the task in the topic of an item.
func (r *record) topic() string { return "task " + r.ID + " (" + r.Title + ")" }

// take takes the task of the id, or else the next one; nil if there is none. After Resume the next one is the last
// that it took back.
func (b *board) take(ctx context.Context, id string) (*record, error) {
	if id != "" {
		return b.obtain(ctx, id, nil)
	}
	if id := b.resumed.Swap(nil); id != nil && b.leases.task(*id) != nil {
		r, _, err := b.read(ctx, *id)
		return &r, err
	}
	if r, err := b.fromQueue(ctx); r != nil || err != nil {
		return r, err
	}
	return b.fromAll(ctx)
}

// A notNowError says why a task cannot be taken.
type notNowError struct {
	what string
	// again is when it may be possible; zero for never.
	again time.Time
}

func (e *notNowError) Error() string { return e.what }

// obtain takes a task. ticket is what the queue has of it; nil if its id comes from elsewhere.
func (b *board) obtain(ctx context.Context, id string, ticket jetstream.Msg) (*record, error) {
	lease := rand.Text()
	b.leases.begin(lease)
	defer b.leases.end(lease)
	r, err := b.change(ctx, id, func(r *record) error {
		switch {
		case r.State == Taken && r.Lease == lease: // an attempt without an answer
			return errSame
		case r.Over():
			return errSame
		case !b.isFor(r):
			return &notNowError{fmt.Sprintf("task %s: it is for %s: peer.task.take{} takes one for you", id, r.To),
				b.t.now().Add(b.t.leaseTime)}
		case r.State == Taken && !b.isLapsed(r):
			who := r.Holder + " has it, until " + b.t.moment(r.Until) + " or longer"
			if r.Instance == b.t.instance {
				who = "this session has it already: peer.task.finish ends it"
			}
			return &notNowError{fmt.Sprintf("task %s: %s", id, who), r.Until}
		}
		before, over, err := waits(r, b.getter(ctx))
		switch {
		case err != nil:
			return err
		case over != nil:
			b.end(r, Dead, fmt.Sprintf("it comes after %s, which is %s", over.ID, over.State))
			return nil
		case len(before) > 0:
			return &notNowError{what: fmt.Sprintf("task %s: it waits for %s: peer.task.take{} takes another", id,
				strings.Join(before, ", "))}
		}
		switch {
		case b.isForgotten(r) && r.Resumed < r.Most: // the same try goes on; what kills its sessions ends all the same
			r.Resumed++
		case r.State == Taken:
			if b.failed(r, r.Holder+" had it and did not finish it"); r.Over() {
				return nil
			}
			fallthrough
		default:
			r.Tries, r.Resumed = r.Tries+1, 0
		}
		r.State, r.Holder, r.Instance, r.Lease = Taken, b.t.Agent(), b.t.instance, lease
		r.Until = b.t.now().Add(b.t.leaseTime).UTC()
		return nil
	})
	if err != nil {
		return nil, err
	}
	if r.Over() {
		return nil, cmp.Or(b.settle(ctx, &r), error(&notNowError{what: fmt.Sprintf("task %s: it is %s", id, r.State)}))
	}
	b.leases.hold(id, &held{lease: lease, until: r.Until, ticket: ticket})
	return &r, nil
}

// failed is the end of a try: the task goes back, unless it was the last one.
func (b *board) failed(r *record, why string) {
	if r.Tries >= r.Most {
		b.end(r, Dead, fmt.Sprintf("%s (try %d of %d)", why, r.Tries, r.Most))
		return
	}
	r.State, r.Reason = Open, text.LineBytes(why, maxReason)
}

// finish ends the session's try of a task: with its result, or as failed.
func (b *board) finish(ctx context.Context, id, result string, ok bool) (r record, err error) {
	h := b.leases.task(id)
	if h == nil {
		if r, _, err = b.read(ctx, id); err != nil {
			return r, err
		}
		if r.State != Taken || r.Instance != b.t.instance {
			return r, b.notHeld(&r)
		}
		h = &held{lease: r.Lease} // the answer to its taking did not come
	}
	result = text.Clean(b.t.redact(result))
	if len(result) > MaxText {
		return r, fmt.Errorf("task %s: result of %s: say the main points, and where the rest is",
			id, text.Excess(len(result), MaxText))
	}
	gone := false
	r, err = b.change(ctx, id, func(r *record) error {
		switch {
		case r.Lease != h.lease || r.State == Dropped:
			gone = true
			return fmt.Errorf("task %s: this session has lost it (it is %s)", id, b.standing(r))
		case r.State == Taken && ok:
			b.end(r, Finished, "")
			r.Result = result
			return nil
		case r.State == Taken:
			b.failed(r, cmp.Or(result, r.Holder+" could not do it"))
			return nil
		case ok && r.State == Finished && r.Result == result, !ok && (r.State == Open || r.State == Dead):
			return errSame // an attempt without an answer
		}
		gone = true
		return fmt.Errorf("task %s: it is %s already", id, b.standing(r))
	})
	if err == nil || gone {
		b.leases.drop(id, h)
	}
	if err != nil {
		return r, err // the task is still this session's unless it is gone
	}
	return r, b.after(ctx, &r, h.ticket)
}

// notHeld says that the session has to take a task first.
func (b *board) notHeld(r *record) error {
	if r.Over() {
		return fmt.Errorf("task %s: it is %s: peer.task.list{id = %[1]q} shows what came of it", r.ID, r.State)
	}
	return fmt.Errorf("task %s: not taken by this session (%s): peer.task.take{id = %[1]q} takes it", r.ID, b.standing(r))
}

// An unsettledError says what could not be done after a task was ended. The end of the task stands.
type unsettledError struct{ err error }

func (e *unsettledError) Error() string { return e.err.Error() }

// after does what follows when a session lets go of a task, and gives its ticket back to the queue.
func (b *board) after(ctx context.Context, r *record, ticket jetstream.Msg) error {
	switch {
	case r.Over():
		if err := b.settle(ctx, r); err != nil {
			return &unsettledError{err}
		}
		if ticket != nil {
			return ticket.Ack()
		}
	case ticket != nil:
		return ticket.Nak()
	default:
		return b.enqueue(ctx, r)
	}
	return nil
}

// drop withdraws a task that this session's agent created.
func (b *board) drop(ctx context.Context, id string) (record, error) {
	holder := ""
	r, err := b.change(ctx, id, func(r *record) error {
		if r.By != b.t.Agent() {
			return fmt.Errorf("task %s: only %s, who created it, can drop it: write to %[2]s with peer.message", id, r.By)
		}
		if r.State == Dropped {
			return errSame
		}
		if r.Over() {
			return fmt.Errorf("task %s: it is %s already", id, r.State)
		}
		if holder = ""; r.State == Taken && r.Instance != b.t.instance {
			holder = r.Holder
		}
		b.end(r, Dropped, "dropped by "+r.By)
		return nil
	})
	if err != nil {
		return r, err
	}
	b.leases.drop(id, b.leases.task(id))
	if holder != "" && holder != b.t.Agent() {
		item := Item{
			Kind: Message, To: holder, Topic: r.topic(), Text: "It is dropped: stop working on it.",
		}
		err = b.t.Send(ctx, item)
	}
	return r, errors.Join(err, b.settle(ctx, &r))
}

// giveBack returns a task to the team as if it had not been taken.
func (b *board) giveBack(ctx context.Context, id string, h *held) error {
	r, err := b.change(ctx, id, func(r *record) error {
		if r.State != Taken || r.Lease != h.lease {
			return errSame
		}
		r.State, r.Tries, r.Resumed = Open, r.Tries-1, 0
		return nil
	})
	if err != nil || r.State != Open {
		return err
	}
	return b.after(ctx, &r, h.ticket)
}

// renew keeps a task for another lease; lost if another session has it, or nobody.
func (b *board) renew(ctx context.Context, id string, h *held, until time.Time) (lost bool, err error) {
	_, err = b.change(ctx, id, func(r *record) error {
		if lost = r.State != Taken || r.Lease != h.lease; lost {
			return errSame
		}
		r.Until = until
		return nil
	})
	if err == nil && !lost && h.ticket != nil {
		err = h.ticket.InProgress()
	}
	return lost, err
}

// all are the tasks that are kept; those that cannot be read are left out.
func (b *board) all(ctx context.Context) (all []record, err error) {
	kv, err := b.records(ctx)
	if err != nil {
		return nil, err
	}
	err = b.t.try(ctx, func(ctx context.Context) error {
		all = nil
		return eachValue(ctx, kv, []string{">"}, func(entry jetstream.KeyValueEntry) {
			if r, err := readRecord(entry); err == nil {
				all = append(all, r)
			}
		})
	})
	return all, err
}

// standing says in a few words how far a task is.
func (b *board) standing(r *record) string {
	switch {
	case r.State == Taken && r.Instance == b.t.instance:
		return "taken by this session"
	case r.State == Taken:
		return "taken by " + r.Holder
	}
	return string(r.State)
}
