package team

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"almanac/catalog/team/bus"
)

// This file is the queue of tasks: a stream of their ids, each on the subject of the agent or role that it is for. It
// hands a ticket to one session at a time and again to another when that one does not renew it, so that nobody has to
// look through all tasks. A ticket that is lost, or there twice, does no harm: see tasks.go.

const queueBytes = 64 << 20

// anybody is the subject of tasks that are for no one in particular. It is no name of an agent or a role.
const anybody = "ANY"

// A queue is the stream as one session uses it.
type queue struct {
	mu        sync.Mutex
	stream    jetstream.Stream
	listed    jetstream.Stream // of the set of the unfinished
	consumers map[string]jetstream.Consumer
}

func (b *board) subject(to string) string {
	if to == "" {
		to = anybody
	}
	return "almanac." + b.t.options.Team + ".work." + to
}

// open is the stream; it is created if it is not there.
func (b *board) open(ctx context.Context) (jetstream.Stream, error) {
	b.queue.mu.Lock()
	defer b.queue.mu.Unlock()
	if b.queue.stream != nil {
		return b.queue.stream, nil
	}
	s, err := b.t.stream(ctx, "work", jetstream.StreamConfig{
		Subjects: []string{b.subject("*")}, Retention: jetstream.WorkQueuePolicy,
		MaxAge: taskTime, MaxBytes: queueBytes, MaxMsgSize: bus.MaxName, Discard: jetstream.DiscardNew,
	})
	b.queue.stream = s
	return s, err
}

// consumer is what hands out the tickets for an agent, a role or anybody: one for all sessions.
func (b *board) consumer(ctx context.Context, to string) (jetstream.Consumer, error) {
	s, err := b.open(ctx)
	if err != nil {
		return nil, err
	}
	if to == "" {
		to = anybody
	}
	b.queue.mu.Lock()
	c := b.queue.consumers[to]
	b.queue.mu.Unlock()
	if c != nil {
		return c, nil
	}
	c, err = s.CreateOrUpdateConsumer(ctx, jetstream.ConsumerConfig{
		Durable: to, FilterSubject: b.subject(to), AckPolicy: jetstream.AckExplicitPolicy,
		AckWait: b.t.leaseTime, MaxAckPending: -1,
	})
	if err != nil {
		return nil, err
	}
	b.queue.mu.Lock()
	defer b.queue.mu.Unlock()
	if b.queue.consumers == nil {
		b.queue.consumers = map[string]jetstream.Consumer{}
	}
	b.queue.consumers[to] = c
	return c, nil
}

// enqueue makes a ticket for a task that is ready.
func (b *board) enqueue(ctx context.Context, r *record) error {
	return b.t.try(ctx, func(ctx context.Context) error {
		if _, err := b.open(ctx); err != nil {
			return err
		}
		_, err := b.t.bus.JetStream().Publish(ctx, b.subject(r.To), []byte(r.ID))
		if isFull(err) {
			return fmt.Errorf("the queue of team %s is full: finish or drop some tasks first", b.t.options.Team)
		}
		return err
	})
}

// Offered returns a channel that has a signal when a task comes that the session may take, until end is called. A task
// that comes back from another session gives no signal.
func (t *Team) Offered() (offered <-chan struct{}, end func(), err error) {
	came := make(chan struct{}, 1)
	sub, err := t.bus.Conn().Subscribe(t.board.subject("*"), func(m *nats.Msg) {
		to := m.Subject[strings.LastIndexByte(m.Subject, '.')+1:]
		if to == anybody || slices.Contains(t.named(), to) {
			signal(came)
		}
	})
	if err != nil {
		return nil, nil, fmt.Errorf("tasks: %w", err)
	}
	return came, func() { _ = sub.Unsubscribe() }, nil // the connection may be gone
}

// fromQueue takes the next task of the queue: for this agent, its roles, anybody. Nil if there is none.
func (b *board) fromQueue(ctx context.Context) (*record, error) {
	for _, to := range append(b.t.named(), "") {
		for {
			ticket, err := b.ticket(ctx, to)
			if err != nil {
				return nil, err
			}
			if ticket == nil {
				break
			}
			r, err := b.redeem(ctx, ticket)
			if r != nil || err != nil {
				return r, err
			}
		}
	}
	return nil, nil
}

// ticket fetches the next ticket; nil if there is none.
func (b *board) ticket(ctx context.Context, to string) (ticket jetstream.Msg, err error) {
	err = b.t.try(ctx, func(ctx context.Context) error {
		c, err := b.consumer(ctx, to)
		if err != nil {
			return err
		}
		batch, err := c.FetchNoWait(1)
		if err != nil {
			return err
		}
		for m := range batch.Messages() {
			ticket = m
		}
		return batch.Error()
	})
	return ticket, err
}

// redeem takes the task of a ticket. Nil if it cannot be taken: the ticket is then gone, or comes again later.
func (b *board) redeem(ctx context.Context, ticket jetstream.Msg) (*record, error) {
	r, err := b.obtain(ctx, string(ticket.Data()), ticket)
	wait := (*notNowError)(nil)
	switch {
	case err == nil:
		return r, nil
	case isNone(err):
		// A server of a cluster may answer that does not have it yet.
		if at, err := ticket.Metadata(); err == nil && at.NumDelivered < 5 {
			return nil, ticket.NakWithDelay(time.Second)
		}
		return nil, ticket.Ack()
	case errors.As(err, &wait) && wait.again.IsZero():
		return nil, ticket.Ack() // it is over, or will be offered again
	case wait != nil:
		return nil, ticket.NakWithDelay(max(wait.again.Sub(b.t.now()), b.t.leaseTime/10))
	}
	return nil, errors.Join(err, ticket.Nak())
}
