package session

// This file makes concurrent calls: a script starts them and takes the answers as they come. Each takes the call path
// like any other.

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"almanac/catalog/task"
	"almanac/session/kernel"
	"almanac/session/vm"
)

// maxParallel is how many calls of a run run at a time; others wait.
const maxParallel = 8

// parallel holds the calls of one machine that were started and not yet collected. Its goroutines, the only ones beside
// the machine, end with their calls; end waits for them.
type parallel struct {
	// call dispatches one call, by its number; zero is the next one, as number gives it.
	call    func(ctx context.Context, req kernel.CallRequest, n int) (reply, error)
	number  func() int
	asked   int64 // calls of the script that waited for nothing else
	room    chan struct{}
	ended   chan finished
	cancel  context.CancelFunc
	ctx     context.Context
	running sync.WaitGroup
	stops   map[int64]context.CancelCauseFunc // of the calls that were not waited for yet, by ticket
	started int64                             // calls so far; the last one's ticket
	waiting int                               // calls that were not waited for yet
	early   []finished                        // those of them that ended before one that was waited for
}

// serves reports whether op answers the primitive.
func (p *parallel) serves(name string) bool {
	return slices.Contains([]string{"call.start", "call.wait", "call.cancel", "call.page", "call.pause"}, name)
}

// op answers one primitive.
func (p *parallel) op(ctx context.Context, name string, args []any) (any, error) {
	switch name {
	case "call.start":
		return p.start(ctx, &arguments{list: args})
	case "call.wait":
		return p.wait(ctx, &arguments{list: args})
	case "call.cancel":
		ticket, _ := whole((&arguments{list: args}).at(0))
		if stop := p.stops[ticket]; stop != nil {
			stop(errCancelled)
		}
		return nil, nil
	case "call.pause":
		seconds, _ := (&arguments{list: args}).at(0).(float64)
		if n, ok := whole((&arguments{list: args}).at(0)); ok {
			seconds = float64(n)
		}
		if task.Sleep(ctx, time.Duration(min(max(seconds, 0), maxPause.Seconds())*float64(time.Second))) != nil {
			return nil, interrupted()
		}
		return nil, nil
	}
	return p.page(ctx, &arguments{list: args})
}

// finished is a call that was started and has come to its end.
type finished struct {
	ticket int64
	reply  reply
	err    error
}

// maxPause is the longest pause before a call that a script can ask for.
const maxPause = time.Minute

// maxPlace bounds how deep workers may be inside each other and still be told apart.
const maxPlace = 100

// maxStarted bounds the calls that a script starts and does not wait for.
const maxStarted = 64

// errCancelled is why a call ends that the script cancelled.
var errCancelled = errors.New("cancelled by the script")

// cancelled makes of an interrupt that ended a call the error of one that the script cancelled, where it did. What its
// action has done is not known.
func cancelled(ctx context.Context, id string, err error) error {
	var host *vm.HostError
	if context.Cause(ctx) != errCancelled || !errors.As(err, &host) || host.Kind != vm.Interrupt {
		return err
	}
	return &vm.HostError{Code: vm.Cancelled, Message: id + ": " + errCancelled.Error()}
}

// start begins a call and returns its ticket. Its arguments are the action's id, the arguments, the line and the place.
func (p *parallel) start(ctx context.Context, a *arguments) (any, error) {
	req := a.callRequest()
	if a.err != nil {
		return nil, a.err
	}
	if p.waiting >= maxStarted {
		return nil, fmt.Errorf("%d started calls are still waiting to be collected", p.waiting)
	}
	if p.ctx == nil {
		p.room, p.ended = make(chan struct{}, maxParallel), make(chan finished, maxStarted)
		p.ctx, p.cancel = context.WithCancel(ctx)
		p.stops = map[int64]context.CancelCauseFunc{}
	}
	p.started++
	p.waiting++
	ticket, n := p.started, p.number()
	ctx, p.stops[ticket] = context.WithCancelCause(p.ctx)
	p.running.Go(func() {
		select {
		case p.room <- struct{}{}:
			defer func() { <-p.room }()
		case <-ctx.Done():
		}
		if p.ctx.Err() != nil {
			p.ended <- finished{ticket: ticket, err: interrupted()}
			return
		}
		answer, err := p.call(ctx, req, n)
		p.ended <- finished{ticket, answer, err}
	})
	return ticket, nil
}

// wait returns the first call to end of those that were started, or the one whose ticket is the argument. A fatal error
// of it is an error; any other is data, for the script to raise where the call was written.
func (p *parallel) wait(ctx context.Context, a *arguments) (any, error) {
	if p.waiting == 0 {
		return nil, errors.New("no call was started")
	}
	ticket, _ := whole(a.at(0))
	f, err := p.next(ctx, ticket)
	if err != nil {
		return nil, err
	}
	p.waiting--
	p.stops[f.ticket](nil)
	delete(p.stops, f.ticket)
	if f.err == nil {
		fields := f.reply.fields()
		fields["ticket"] = f.ticket
		return fields, nil
	}
	var host *vm.HostError
	if !errors.As(f.err, &host) {
		host = &vm.HostError{Message: f.err.Error()}
	}
	if host.Fatal {
		return nil, host
	}
	return map[string]any{"ticket": f.ticket, "code": host.Code, "message": host.Message, "hint": host.Hint}, nil
}

// next takes a call that has ended: the first, or the one with the ticket, where that is not zero. A ticket that no
// call has is answered by the last of them.
func (p *parallel) next(ctx context.Context, ticket int64) (f finished, err error) {
	is := func(f finished) bool { return ticket == 0 || f.ticket == ticket }
	for {
		if i := slices.IndexFunc(p.early, is); i >= 0 || len(p.early) == p.waiting {
			i = max(i, 0)
			f = p.early[i]
			p.early = slices.Delete(p.early, i, i+1)
			return f, nil
		}
		select {
		case f = <-p.ended:
			p.early = append(p.early, f)
		case <-ctx.Done():
			return f, interrupted()
		}
	}
}

// end stops what was started and not waited for, and waits for it.
func (p *parallel) end() {
	if p.cancel != nil {
		p.cancel()
		p.running.Wait()
	}
}

// alone makes a call that the script waits for.
func (p *parallel) alone(ctx context.Context, req kernel.CallRequest) (reply, error) {
	if req.Place == nil {
		p.asked++
		req.Place = []int64{p.asked}
	}
	return p.call(ctx, req, 0)
}

// page makes one call and returns its data with the arguments of the next page, or null, and the status of its HTTP
// answer where that is known.
func (p *parallel) page(ctx context.Context, a *arguments) (any, error) {
	req := a.callRequest()
	if a.err != nil {
		return nil, a.err
	}
	answer, err := p.alone(ctx, req)
	if err != nil {
		return nil, err
	}
	return answer.fields(), nil
}

// fields are a reply as the prelude gets it.
func (r reply) fields() map[string]any {
	fields := map[string]any{"data": r.data, "next": nextPage(r), "full": r.full}
	if r.status != 0 {
		fields["status"] = int64(r.status)
	}
	return fields
}

// nextPage is nil, and not a nil map, where there is no next page.
func nextPage(r reply) any {
	if r.next == nil {
		return nil
	}
	return r.next
}

// callRequest reads an action's id, its arguments, the line and the place.
func (a *arguments) callRequest() kernel.CallRequest {
	line, _ := whole(a.at(2))
	req := kernel.CallRequest{ID: a.text(0, "an action id"), Args: a.options(1), Line: int(line)}
	req.Place = a.place(3)
	return req
}

// place reads the place of a call in a worker; nil without one.
func (a *arguments) place(i int) (at []int64) {
	place, _ := a.at(i).([]any)
	for _, v := range place[:min(len(place), maxPlace)] {
		n, _ := whole(v)
		at = append(at, n)
	}
	return at
}
