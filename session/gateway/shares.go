package gateway

// This file divides the gateway among its clients, so that none can lock out another: sessions, connections, scripts
// that run, calls in a minute and in a day.

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"golang.org/x/time/rate"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"almanac/catalog"
)

// Limits bound what a client, or all clients of a tenant, may have of the gateway. A zero field of a client means its
// share: what there is, divided by the number of clients; a zero rate or quota, and a zero field of a tenant, means no
// limit.
type Limits struct {
	// Sessions is how many Lua sessions there may be, Connections how many MCP connections over HTTP, Running how many
	// scripts and calls at a time.
	Sessions, Connections, Running int
	// Rate is how many tool calls there may be in a minute, in bursts of ten seconds' worth.
	Rate int
	// DailyCalls and DailyMutations are how many action calls, and how many of them that mutate, there may be in a day
	// (UTC), with those that are previewed or denied by the policy. The count begins anew with the program.
	DailyCalls, DailyMutations int
}

// share is l with its zero fields filled in: a part of the whole.
func (l Limits) share(whole Options, clients int) Limits {
	part := func(n, of int) int {
		if n > 0 {
			return n
		}
		return (of + clients - 1) / clients
	}
	l.Sessions = part(l.Sessions, whole.Sessions)
	l.Connections = part(l.Connections, connections*whole.Sessions)
	l.Running = part(l.Running, whole.Running)
	if l.Rate == 0 {
		l.Rate = whole.Rate
	}
	return l
}

// An account counts what a client or a tenant has now. Gateway.mu guards it.
type account struct {
	name   string // in messages
	limits Limits
	calls  *rate.Limiter // nil where there is no limit

	sessions, connections, running int
	day                            string // of the following
	called, mutated                int
}

func newAccount(name string, l Limits) *account {
	a := &account{name: name}
	a.set(l)
	return a
}

// set changes the limits; what is there stays.
func (a *account) set(l Limits) {
	if l.Rate != a.limits.Rate || a.calls == nil {
		a.calls = nil
		if l.Rate > 0 {
			a.calls = rate.NewLimiter(rate.Limit(float64(l.Rate)/60), max(1, l.Rate/6))
		}
	}
	a.limits = l
}

// A member is a client of the configuration, with what it has of the gateway.
type member struct {
	overHTTP bool
	// server is for connections, stateless for requests of the protocol without them; nil over standard input and output.
	server, stateless *sdk.Server

	exposing sync.Mutex              // guards exposed and passed; taken before Gateway.mu
	exposed  map[string]catalog.Tool // actions that are tools, by their names; nil until they are known
	passed   *passed                 // prompts and resources; nil until they are known
	contents contents                // what the tool that finds actions says is there

	// Guarded by Gateway.mu.
	client   Client
	accounts []*account // its own, and its tenant's
	waiting  int        // calls that wait for their turn to run
	gone     bool       // not in the configuration any more
	requests int        // under way
	used     time.Time  // of a person: when a request came
}

// name is what the configuration calls the client.
func (m *member) name(g *Gateway) string {
	g.mu.Lock()
	defer g.mu.Unlock()
	return m.client.Name
}

// allow takes one tool call from the rates of m, or says when there may be one again.
func (g *Gateway) allow(m *member) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, a := range m.accounts {
		if a.calls == nil {
			continue
		}
		r := a.calls.Reserve()
		if wait := r.Delay(); wait > 0 {
			r.Cancel()
			return fmt.Errorf("%s: %d calls a minute are used up: try again in %d s", a.name, a.limits.Rate,
				int(wait/time.Second)+1)
		}
	}
	return nil
}

// count takes a call of an action from the quotas of m, or says that one is used up.
func (g *Gateway) count(m *member, e *catalog.Entry) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	today := time.Now().UTC().Format(time.DateOnly)
	for _, a := range m.accounts {
		if a.day != today {
			a.day, a.called, a.mutated = today, 0, 0
		}
		switch l := a.limits; {
		case l.DailyCalls > 0 && a.called >= l.DailyCalls:
			return fmt.Errorf("%s: %d calls a day are used up: try again after midnight UTC", a.name, l.DailyCalls)
		case e.Mutates && l.DailyMutations > 0 && a.mutated >= l.DailyMutations:
			return fmt.Errorf("%s: %d mutations a day are used up: try again after midnight UTC", a.name, l.DailyMutations)
		}
	}
	for _, a := range m.accounts {
		a.called++
		if e.Mutates {
			a.mutated++
		}
	}
	return nil
}

const (
	// maxWaiting is how many calls of one client may wait for their turn to run; more are refused at once.
	maxWaiting = 128
	// maxWait is how long a call waits for its turn.
	maxWait = 30 * time.Second
)

// A waiter is a call that waits for its turn.
type waiter struct {
	member   *member
	accounts []*account
	turn     chan struct{} // closed when it has come
}

// run waits until the call may run; release must be called when it has.
func (g *Gateway) run(ctx context.Context, m *member) (release func(), err error) {
	g.mu.Lock()
	if m.waiting >= maxWaiting {
		g.mu.Unlock()
		return nil, fmt.Errorf("%d calls of this client wait for their turn: try again later", maxWaiting)
	}
	w := &waiter{member: m, accounts: m.accounts, turn: make(chan struct{})}
	m.waiting++
	g.queue = append(g.queue, w)
	g.next()
	g.mu.Unlock()

	release = func() {
		g.mu.Lock()
		defer g.mu.Unlock()
		g.running--
		for _, a := range w.accounts {
			a.running--
		}
		g.next()
	}
	timer := time.NewTimer(maxWait)
	defer timer.Stop()
	select {
	case <-w.turn:
		return release, nil
	case <-ctx.Done():
		err = ctx.Err()
	case <-timer.C:
		err = fmt.Errorf("no turn to run within %d s: all of this client's or of the gateway's are taken: try again later",
			int(maxWait/time.Second))
	}
	g.mu.Lock()
	i := slices.Index(g.queue, w)
	if i >= 0 {
		g.queue = slices.Delete(g.queue, i, i+1)
		m.waiting--
	}
	g.mu.Unlock()
	if i < 0 { // it came meanwhile
		release()
	}
	return nil, err
}

// next gives turns to those who wait, in the order they came, while there are any for their clients. g.mu is held.
func (g *Gateway) next() {
	g.queue = slices.DeleteFunc(g.queue, func(w *waiter) bool {
		if g.running >= g.options.Running {
			return false
		}
		for _, a := range w.accounts {
			if n := a.limits.Running; n > 0 && a.running >= n {
				return false
			}
		}
		g.running++
		for _, a := range w.accounts {
			a.running++
		}
		w.member.waiting--
		close(w.turn)
		return true
	})
}
