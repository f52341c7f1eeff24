package remote

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"almanac/catalog"
	"almanac/catalog/team/bus"
	"almanac/catalog/text"
)

// This file makes calls: it sends one, follows it, and says what became of it.

// KeyHeader is how entries call the key of a mutation.
const KeyHeader = "Almanac-Key"

// What a caller waits for.
const (
	// askEvery is how often it asks whether the call is under way, askTime how long for the answer.
	askEvery = time.Second
	askTime  = time.Second
	// maxSilent is how many times in a row it may hear nothing before the call counts as lost.
	maxSilent = 3
	// lastWords is how long an answer may be behind the news that nobody makes the call any more.
	lastWords = 100 * time.Millisecond
)

// A caller makes calls at the hosts of a name. Safe for concurrent use.
type caller struct {
	name string
	bus  *bus.Bus
	// prefix is of the subjects to which hosts answer: one subscription hears all answers.
	prefix  string
	answers *nats.Subscription

	mu      sync.Mutex
	waiting map[string]chan *nats.Msg // by the name of the attempt
	lost    map[string]string         // by the key of a mutation, how an attempt of it was lost
}

func newCaller(name string, b *bus.Bus) (c *caller, err error) {
	c = &caller{
		name: name, bus: b, prefix: nats.NewInbox() + ".",
		waiting: map[string]chan *nats.Msg{}, lost: map[string]string{},
	}
	c.answers, err = b.Conn().Subscribe(c.prefix+"*", c.hear)
	return c, err
}

func (c *caller) close() { _ = c.answers.Unsubscribe() } // the bus may be closed

// maxUnread is how many messages of one call may wait; what a host says beyond them is dropped, and asked for later.
const maxUnread = 16

// hear passes what a host says to the call that it is about.
func (c *caller) hear(m *nats.Msg) {
	c.mu.Lock()
	defer c.mu.Unlock()
	said := c.waiting[strings.TrimPrefix(m.Subject, c.prefix)]
	select {
	case said <- m: // never, where nobody waits
	default:
	}
}

// call makes one attempt. An error is Transient where another one may help and does no harm.
func (c *caller) call(ctx context.Context, r Request, mutates bool) (catalog.Result, error) {
	r.Call = rand.Text()
	if until, ok := ctx.Deadline(); ok {
		r.Within = time.Until(until)
	}
	sent, err := json.Marshal(r)
	if most := int(c.bus.Conn().MaxPayload()); err == nil && most > 0 && len(sent) > most-1024 {
		err = fmt.Errorf("arguments: %s: the bus takes %s", text.Bytes(int64(len(sent))), text.Bytes(int64(most)))
	}
	if err != nil {
		return catalog.Result{}, err
	}
	said := make(chan *nats.Msg, maxUnread)
	c.mu.Lock()
	c.waiting[r.Call] = said
	c.mu.Unlock()
	defer func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.waiting, r.Call)
	}()
	conn := c.bus.Conn()
	if err := conn.PublishRequest(Subject(c.name, CallSubject), c.prefix+r.Call, sent); err != nil {
		return catalog.Result{}, c.unmade(r, &catalog.Transient{Err: c.unsent(err)})
	}
	answer, err := c.follow(ctx, r, said)
	if errors.Is(err, errLost) {
		return catalog.Result{}, c.losing(r, mutates, err)
	}
	if errors.Is(err, nats.ErrNoResponders) {
		return catalog.Result{}, c.unmade(r, &catalog.Transient{Err: fmt.Errorf("host %s: %w", c.name, errNobody)})
	}
	if err != nil {
		return catalog.Result{}, err
	}
	if f := answer.Error; f != nil && f.Transient {
		return catalog.Result{}, c.unmade(r, c.failed(r, *f))
	}
	c.mu.Lock()
	delete(c.lost, r.Key)
	c.mu.Unlock()
	if f := answer.Error; f != nil {
		return catalog.Result{}, c.failed(r, *f)
	}
	return answer.Result.result()
}

// errLost is wrapped by what ends the following of a call whose end is not known.
var errLost = errors.New("during the call")

// gone says what went away during a call: the host, or the server, where the connection was lost since it was made
// connected times.
func (c *caller) gone(connected uint64) error {
	conn := c.bus.Conn()
	if conn.IsConnected() && conn.Stats().Reconnects == connected {
		return fmt.Errorf("host %s went away %w", c.name, errLost)
	}
	return fmt.Errorf("host %s: %w %w", c.name, c.bus.Plain(nats.ErrDisconnected), errLost)
}

// unsent is the error of a call that was not sent.
func (c *caller) unsent(err error) error {
	if err = c.bus.Plain(err); !errors.Is(err, bus.ErrLost) {
		return fmt.Errorf("host %s: %w", c.name, err)
	}
	return fmt.Errorf("host %s: not called: %w: call again once it is connected", c.name, err)
}

// losing is the error of a call of which no end is known. The key of a mutation lets a host tell, at the next attempt.
func (c *caller) losing(r Request, mutates bool, err error) error {
	if !mutates && errors.Is(err, bus.ErrLost) {
		err = fmt.Errorf("%w: call again once it is connected", err)
	}
	if !mutates {
		return &catalog.Transient{Err: err}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.lost) > 10_000 {
		clear(c.lost)
	}
	c.lost[r.Key] = err.Error()
	return &catalog.Transient{Err: &catalog.CallError{
		Code: CodeUncertain, Message: err.Error() + ", which may or may not have taken effect", Hint: uncertainHint,
	}}
}

const uncertainHint = "look whether it has before you call again"

// errNobody is wrapped by the error of a call that no host has got.
var errNobody = errors.New("no host answers")

// unmade is the error of an attempt that was not made, of which err is the one. An earlier attempt may have been made.
func (c *caller) unmade(r Request, err error) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	how := c.lost[r.Key]
	if r.Key == "" || how == "" {
		return err
	}
	how += ", which may or may not have taken effect"
	if now := strings.TrimPrefix(err.Error(), "host "+c.name+": "); !errors.Is(err, bus.ErrLost) {
		how += ", and now " + now
	}
	return &catalog.Transient{Err: &catalog.CallError{Code: CodeUncertain, Message: how, Hint: uncertainHint}}
}

// failed is the error that a host answered with, under the caller's name of the action.
func (c *caller) failed(r Request, f Failure) error {
	f.Message = text.Clean(text.ClipBytes(strings.TrimPrefix(f.Message, r.ID+": "), 4<<10))
	f.Code = text.LineBytes(f.Code, 40)
	if f.Hint = text.Clean(text.ClipBytes(f.Hint, 1<<10)); f.Hint != "" {
		f.Hint = "host " + c.name + ": " + f.Hint
	}
	return f.err()
}

// follow waits for the end of a call. It cancels a call that is not waited for any more.
func (c *caller) follow(ctx context.Context, r Request, said chan *nats.Msg) (*Answer, error) {
	ask := time.NewTicker(askEvery)
	defer ask.Stop()
	instance, silent, connected := "", 0, c.bus.Conn().Stats().Reconnects
	for {
		select {
		case m := <-said:
			a, err := c.heard(ctx, m)
			if err != nil || a.Done() {
				return a, err
			}
			instance, silent = a.Instance, 0
			if p := a.Progress; p != nil {
				catalog.Tell(ctx, *p)
			}
		case <-ask.C:
			running, err := c.running(ctx, instance, r.Call)
			if running {
				silent = 0
				continue
			}
			if silent++; err != nil && !errors.Is(err, nats.ErrNoResponders) && silent < maxSilent {
				continue // the host, or the way to it, may be back
			}
			select {
			case m := <-said:
				if a, err := c.heard(ctx, m); err != nil || a.Done() {
					return a, err
				}
			case <-time.After(lastWords):
				if silent >= 2 || err != nil {
					return nil, c.gone(connected)
				}
			}
		case <-ctx.Done():
			if cancel, err := json.Marshal(Cancel{Call: r.Call}); err == nil {
				_ = c.bus.Conn().Publish(Subject(c.name, CancelSubject), cancel) // the host has the deadline too
			}
			return nil, context.Cause(ctx)
		}
	}
}

// running asks the host that has the call whether it still makes it. A host that has not said that it has it is given
// the time of two questions.
func (c *caller) running(ctx context.Context, instance, call string) (bool, error) {
	if instance == "" {
		return false, nil
	}
	var state State
	err := request(ctx, c.bus.Conn(), InstanceSubject(c.name, instance, AskSubject), Ask{Call: call}, &state)
	return state.Running, err
}

// request asks for an answer in JSON.
func request(ctx context.Context, conn *nats.Conn, subject string, question, answer any) error {
	ctx, cancel := context.WithTimeout(ctx, askTime)
	defer cancel()
	data, err := json.Marshal(question)
	if err != nil {
		return err
	}
	m, err := conn.RequestWithContext(ctx, subject, data)
	if err != nil {
		return err
	}
	return json.Unmarshal(m.Data, answer)
}

// maxObject is how large a result may be, in bytes: more than sessions take, since it comes as JSON.
const maxObject = 64 << 20

// noResponders is the status of the message by which a server says that nobody listens.
const noResponders = "503"

// heard reads what a host says, from the object store where it is large.
func (c *caller) heard(ctx context.Context, m *nats.Msg) (*Answer, error) {
	if len(m.Data) == 0 && m.Header.Get("Status") == noResponders {
		return nil, nats.ErrNoResponders
	}
	var a Answer
	if err := json.Unmarshal(m.Data, &a); err != nil {
		return nil, fmt.Errorf("host %s: answer: %w", c.name, err)
	}
	if a.Object == "" {
		return &a, nil
	}
	store, err := c.bus.JetStream().ObjectStore(ctx, Bucket(c.name, "results"))
	var data []byte
	var about *jetstream.ObjectInfo
	if err == nil {
		about, err = store.GetInfo(ctx, a.Object)
	}
	if err == nil && about.Size > maxObject {
		err = fmt.Errorf("%s: more than %s", text.Bytes(int64(about.Size)), text.Bytes(maxObject))
	}
	if err == nil {
		data, err = store.GetBytes(ctx, a.Object)
	}
	whole := Answer{}
	if err == nil {
		err = json.Unmarshal(data, &whole)
	}
	if err != nil {
		return nil, &catalog.CallError{
			Code:    CodeUncertain,
			Message: fmt.Sprintf("host %s: the call was made; its result cannot be read: %v", c.name, c.bus.Plain(err)),
		}
	}
	if !a.Kept {
		_ = store.Delete(ctx, a.Object) // its time ends otherwise
	}
	return &whole, nil
}
