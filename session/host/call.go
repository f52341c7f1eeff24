package host

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/nats-io/nats.go/micro"

	"almanac/catalog"
	"almanac/catalog/remote"
	"almanac/catalog/task"
	"almanac/session"
	"almanac/session/vm"
)

// This file takes calls: each in a goroutine of its own, from the message to the answer.

// errClosing is why calls end when the host is closed and does not wait for them.
var errClosing = errors.New("the host is stopping")

// elsewhere answers a call that this host does not take.
func elsewhere(why string) *remote.Answer {
	return &remote.Answer{Error: &remote.Failure{Message: why, Transient: true}}
}

// take begins a call.
func (h *Host) take(m micro.Request) {
	r, err := read(m.Data())
	if err != nil {
		h.answer(m, r, &remote.Answer{Error: &remote.Failure{Message: err.Error(), Code: session.CodeBadArgument}})
		return
	}
	ctx, cancel := context.WithCancelCause(context.Background())
	if r.Within > 0 {
		var stop context.CancelFunc
		ctx, stop = context.WithTimeout(ctx, r.Within)
		context.AfterFunc(ctx, stop)
	}
	h.mu.Lock()
	switch {
	case h.closing:
		err = errClosing
	case len(h.running) >= maxWaiting:
		err = errors.New("the host has too many calls")
	default:
		h.running[r.Call] = &running{key: keyOf(r), cancel: cancel}
		h.calls.Add(1)
	}
	h.mu.Unlock()
	if err != nil {
		cancel(err)
		h.answer(m, r, elsewhere(err.Error()))
		return
	}
	go func() {
		defer h.calls.Done()
		defer cancel(nil)
		began := time.Now()
		a := h.serve(ctx, m, r)
		h.answer(m, r, a) // before the call counts as ended: who asks meanwhile waits for it
		h.mu.Lock()
		defer h.mu.Unlock()
		delete(h.running, r.Call)
		h.stats.Calls++
		h.stats.Took += time.Since(began)
		if a.Error != nil {
			h.stats.Errors++
		}
	}()
}

// read reads a request, with whole numbers in its arguments as such.
func read(data []byte) (r remote.Request, err error) {
	raw := struct {
		*remote.Request
		Args json.RawMessage `json:"args"`
	}{Request: &r}
	if err := json.Unmarshal(data, &raw); err != nil {
		return r, err
	}
	if len(raw.Args) > 0 {
		args, err := catalog.ParseJSON(raw.Args)
		if err != nil {
			return r, err
		}
		r.Args, _ = args.(map[string]any)
	}
	switch {
	case r.Call == "" || r.ID == "":
		return r, errors.New("call: no name or no action")
	case r.Hops > remote.MaxHops:
		return r, fmt.Errorf("the call came through %d hosts: one of them offers what it has from another that has it "+
			"from the first", r.Hops-1)
	}
	return r, nil
}

// serve makes a call, or finds what it came to before. The caller hears that it is under way.
func (h *Host) serve(ctx context.Context, m micro.Request, r remote.Request) *remote.Answer {
	var once sync.Mutex // one message about the call at a time
	var told time.Time
	tell := func(p *catalog.Progress) {
		once.Lock()
		defer once.Unlock()
		if p != nil { // progress that comes soon after other progress is left out
			if time.Since(told) < remote.SignAfter {
				return
			}
			told = time.Now()
		}
		if sign, err := json.Marshal(remote.Answer{Instance: h.instance, Progress: p}); err == nil {
			_ = h.bus.Conn().Publish(m.Reply(), sign)
		}
	}
	sign := time.AfterFunc(remote.SignAfter, func() { tell(nil) })
	defer sign.Stop()
	select {
	case h.room <- struct{}{}:
		defer func() { <-h.room }()
	case <-ctx.Done():
		return elsewhere("the host had no room for the call")
	}
	ctx = remote.WithHops(ctx, r.Hops)
	ctx = catalog.WithProgress(ctx, func(p catalog.Progress) { tell(&p) })
	do := func() (a *remote.Answer) {
		err := task.Guard("the host", func() error {
			a = h.do(ctx, r)
			return nil
		})
		if err != nil {
			a = &remote.Answer{Error: &remote.Failure{Message: err.Error(), Code: session.CodeFailed}}
		}
		return a
	}
	e, err := h.session.View().Resolve(r.ID)
	if r.Key == "" || r.DryRun || err != nil || !e.Mutates {
		return do()
	}
	return h.keyed(ctx, r, e.Key != nil, do)
}

// do calls the action, on the call path of the host's session.
func (h *Host) do(ctx context.Context, r remote.Request) *remote.Answer {
	result, err := h.session.Call(ctx, session.Invocation{
		ID: r.ID, Args: r.Args, Context: r.Context.Trusted(h.options.Trust), Key: r.Key, Once: true, DryRun: r.DryRun,
	})
	if err == nil {
		var written *remote.Result
		if written, err = remote.ResultOf(result); err == nil {
			return &remote.Answer{Result: written}
		}
		return &remote.Answer{Error: &remote.Failure{
			Message: "the result is no data that can be sent: " + err.Error(), Code: session.CodeBadResult,
		}}
	}
	f := &remote.Failure{Message: err.Error()}
	var host *vm.HostError
	if errors.As(err, &host) {
		f.Code, f.Hint = host.Code, host.Hint
		if host.Kind == vm.Interrupt {
			f.Message, f.Code = context.Cause(ctx).Error()+", which may or may not have taken effect", remote.CodeUncertain
			f.Transient = h.mayTryAgain(r.ID)
		}
	}
	var t *catalog.Transient
	if errors.As(err, &t) {
		f.Transient, f.After = h.mayTryAgain(r.ID), t.After
	}
	if errors.Is(err, session.ErrClosed) {
		f.Transient = true
	}
	return &remote.Answer{Error: f}
}

// mayTryAgain tells whether another attempt does no harm: of a read, or of what knows the key of a call itself.
func (h *Host) mayTryAgain(id string) bool {
	e, err := h.session.View().Resolve(id)
	return err == nil && (!e.Mutates || e.Key != nil)
}

// answer sends what came of a call.
func (h *Host) answer(m micro.Request, r remote.Request, a *remote.Answer) {
	data, err := json.Marshal(a)
	if err == nil && len(data) > remote.MaxMessage {
		data, err = h.stored(r, data)
	}
	if err != nil {
		h.logf("%s: the answer could not be sent: %v", r.ID, err)
		data, _ = json.Marshal(remote.Answer{Error: &remote.Failure{
			Message: "the call was made; its result cannot be sent: " + err.Error(), Code: remote.CodeUncertain,
		}})
	}
	if err := m.Respond(data); err != nil {
		h.logf("%s: the answer could not be sent: %v", r.ID, err)
	}
}

// storeTime is how long it may take to store a result.
const storeTime = 30 * time.Second

// stored puts a large answer into the object store and returns the one that says where it is.
func (h *Host) stored(r remote.Request, data []byte) ([]byte, error) {
	ctx, cancel := context.WithTimeout(context.Background(), storeTime)
	defer cancel()
	if _, err := h.results.PutBytes(ctx, r.Call, data); err != nil {
		return nil, err
	}
	return json.Marshal(remote.Answer{Object: r.Call})
}
