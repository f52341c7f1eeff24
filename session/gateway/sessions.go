package gateway

// This file keeps the Lua sessions of clients: who may open one, which is closed for it, and when.

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"almanac/catalog"
	"almanac/session"
	"almanac/session/policy"
	"almanac/session/trace"
)

// A served is a Lua session of a client's. It is opened by the first call, since by then the client has said what it
// can do.
type served struct {
	member *member
	// key is the connection that it belongs to, or its handle where the protocol has no connections.
	key      any
	client   Client // as it was when the session was opened
	accounts []*account
	ctx      context.Context
	cancel   context.CancelFunc

	ready   chan struct{} // closed when the following are set
	session *session.Session
	done    func() error
	err     error

	pages pages
	note  chan string   // has one for the first answer, where there is one
	asked chan struct{} // has room for one question at a time
	ask   func(context.Context, sdk.InputRequest) (sdk.InputResponse, error)

	// Guarded by Gateway.mu.
	calls     int       // under way
	used      time.Time // when the last call began or ended
	recent    *toolCall // the last that began
	forgotten bool      // no call gets it any more; it is closed when its last call has ended
	closing   bool
	awake     bool // has a Lua process between its calls
}

// maxCalls is how many calls of one session may be under way; runs take turns.
const maxCalls = 16

var (
	errClosed   = errors.New("the gateway is closing")
	errDraining = errors.New("the gateway is shutting down: connect again later")
)

// handle is the session's where the protocol has no connections; empty elsewhere.
func (s *served) handle() string {
	handle, _ := s.key.(string)
	return handle
}

// noted is what the first answer is to say of the session; empty for nothing.
func (s *served) noted() string {
	select {
	case note := <-s.note:
		return note
	default:
		return ""
	}
}

// enter returns the session of a call, which must leave it: that of the connection, or that of the handle, and a new
// one where there is none yet.
func (g *Gateway) enter(ctx context.Context, m *member, c *toolCall, handle string) (*served, error) {
	g.mu.Lock()
	s, err := g.admit(m, c, handle)
	g.mu.Unlock()
	if err != nil {
		return nil, err
	}
	select {
	case <-s.ready:
		if s.err == nil {
			return s, nil
		}
		err = s.err
	case <-ctx.Done():
		err = ctx.Err()
	}
	g.leave(s)
	return nil, err
}

// admit finds or makes the session of a call, and counts the call. g.mu is held.
func (g *Gateway) admit(m *member, c *toolCall, handle string) (*served, error) {
	switch {
	case g.closed:
		return nil, errClosed
	case g.draining:
		return nil, errDraining
	}
	key := any(c.request.Session)
	if c.rounds && m.overHTTP {
		key = handle
	}
	s := g.sessions[key]
	if handle != "" && (s == nil || s.member != m) {
		return nil, fmt.Errorf("session %q: unknown or closed: omit session to start a new one", handle)
	}
	if s == nil {
		if err := g.room(m); err != nil {
			return nil, err
		}
		s = g.begin(m, c, key)
	}
	if s.calls >= maxCalls {
		return nil, fmt.Errorf("%d calls of this session are running: wait for their answers", maxCalls)
	}
	s.calls++
	s.used, s.recent, s.awake = time.Now(), c, true
	return s, nil
}

// room makes room for one more session of m's, by closing the one that has been idle for longest, or says why there is
// none. A client at its share gives up its own. g.mu is held.
func (g *Gateway) room(m *member) error {
	for _, a := range m.accounts {
		if n := a.limits.Sessions; n > 0 && a.sessions >= n {
			idle := g.longestIdle(func(s *served) bool { return slices.Contains(s.accounts, a) })
			if idle == nil {
				return fmt.Errorf("%s: all %d sessions are busy: try again later", a.name, n)
			}
			g.forget(idle)
		}
	}
	if len(g.sessions) < g.options.Sessions {
		return nil
	}
	idle := g.longestIdle(func(*served) bool { return true })
	if idle == nil {
		return fmt.Errorf("all %d sessions are busy: try again later", g.options.Sessions)
	}
	g.forget(idle)
	return nil
}

// longestIdle is the session that has waited longest for its next call; nil when all are at work. g.mu is held.
func (g *Gateway) longestIdle(of func(*served) bool) *served {
	var longest *served
	for _, s := range g.sessions {
		if s.calls == 0 && of(s) && (longest == nil || s.used.Before(longest.used)) {
			longest = s
		}
	}
	return longest
}

// What the next session of a connection is told of the one before.
const (
	idleNote  = "note: the session before this one was closed because it was idle" + goneNote
	rulesNote = "note: what you may see and do has changed, and the session before this one was closed" + goneNote
	goneNote  = ": its globals, descriptions and approvals are gone"
)

// begin makes a session, which opens in the background: the request that it is for may be cancelled meanwhile, and
// others may wait for it. g.mu is held.
func (g *Gateway) begin(m *member, c *toolCall, key any) *served {
	if key == "" {
		key = strings.ToLower(rand.Text()[:16])
	}
	s := &served{
		member: m, key: key, client: m.client, accounts: m.accounts, ready: make(chan struct{}),
		pages: pages{most: g.options.Page * bytesPerToken},
	}
	s.pages.session = s.handle()
	s.note = make(chan string, 1)
	s.asked, s.ask = make(chan struct{}, 1), g.ask
	s.ctx, s.cancel = context.WithCancel(g.ctx)
	g.sessions[key] = s
	for _, a := range m.accounts {
		a.sessions++
	}
	if ss, ok := key.(*sdk.ServerSession); ok {
		if lost, again := g.connections[ss]; again {
			s.note <- lost
		} else {
			g.wait.Go(func() { g.watch(ss) })
		}
		g.connections[ss] = idleNote
	}
	g.wait.Go(func() {
		s.session, s.done, s.err = g.open(s, c)
		close(s.ready)
		if s.err != nil { // the next call tries again
			g.mu.Lock()
			g.forget(s)
			g.mu.Unlock()
		}
	})
	return s
}

// watch ends the session of a connection that ends.
func (g *Gateway) watch(ss *sdk.ServerSession) {
	_ = ss.Wait()
	g.mu.Lock()
	defer g.mu.Unlock()
	delete(g.connections, ss)
	if s := g.sessions[ss]; s != nil {
		s.cancel()
		g.forget(s)
	}
}

// forget takes a session from later calls, and closes it when it has none under way. g.mu is held.
func (g *Gateway) forget(s *served) {
	if !s.forgotten {
		s.forgotten = true
		delete(g.sessions, s.key)
		for _, a := range s.accounts {
			a.sessions--
		}
	}
	if s.calls == 0 && !s.closing {
		s.closing = true
		g.wait.Go(func() { g.shut(s) })
	}
}

// shut ends a session that no call uses any more.
func (g *Gateway) shut(s *served) {
	s.cancel()
	<-s.ready
	if s.session == nil {
		return
	}
	err := s.session.Close()
	if s.done != nil {
		err = errors.Join(err, s.done())
	}
	if err != nil {
		g.options.Log("client %q: %v", s.client.Name, err)
	}
}

// leave ends a call's use of its session.
func (g *Gateway) leave(s *served) {
	g.mu.Lock()
	defer g.mu.Unlock()
	s.calls--
	s.used = time.Now()
	if s.forgotten {
		g.forget(s)
		return
	}
	g.rest()
}

// rest ends the Lua processes of sessions that keep their globals, those idle for longest, where there are more than
// may be. g.mu is held.
func (g *Gateway) rest() {
	var longest *served
	awake := 0
	for _, s := range g.sessions {
		if !s.awake || s.client.isolated(g.options.Persistent) {
			continue
		}
		awake++
		if s.calls == 0 && (longest == nil || s.used.Before(longest.used)) {
			longest = s
		}
	}
	if awake <= g.options.Running || longest == nil {
		return
	}
	longest.awake = false
	g.wait.Go(func() {
		<-longest.ready
		if longest.session != nil && !longest.session.Rest() {
			g.mu.Lock()
			longest.awake = true
			g.mu.Unlock()
		}
	})
}

// sweep closes sessions with a handle whose client has not used them for long.
func (g *Gateway) sweep() {
	ticks := time.NewTicker(min(max(g.options.Idle/4, time.Second), time.Minute))
	defer ticks.Stop()
	for {
		select {
		case <-ticks.C:
		case <-g.ctx.Done():
			return
		}
		g.mu.Lock()
		g.leavers()
		for _, s := range g.sessions {
			if s.handle() != "" && s.calls == 0 && time.Since(s.used) > g.options.Idle {
				g.forget(s)
			}
		}
		g.mu.Unlock()
	}
}

// open makes the session of s, for the client that c is from.
func (g *Gateway) open(s *served, c *toolCall) (*session.Session, func() error, error) {
	view, err := g.view(s.ctx, s.client)
	if err != nil {
		return nil, nil, err
	}
	o := Opening{Client: s.client.Name, View: view, Budget: s.client.Budget, Context: s.client.Context,
		Roles: s.client.Roles, Isolated: s.client.isolated(g.options.Persistent)}
	if info := c.request.ClientInfo(); info != nil {
		o.Program = strings.TrimSpace(info.Name + " " + info.Version)
	}
	o.Notify = func(n session.Notice) {
		g.mu.Lock()
		recent := s.recent
		g.mu.Unlock()
		recent.log(g.ctx, n)
	}
	asks := canAsk(c.request.ClientCapabilities())
	if asks {
		o.Approve = s.approve
	}
	can := c.request.ClientCapabilities()
	o.Inquire = func(ctx context.Context, id string, q catalog.Inquiry) catalog.Reply {
		return s.inquire(ctx, can, id, q)
	}
	o.Policy = s.client.policy(g.options.Policy, view, asks)
	o.Authorize = func(_ context.Context, e *catalog.Entry, _ catalog.Call) error { return g.count(s.member, e) }
	if g.observing() {
		o.Observe = func(ctx context.Context, r trace.Record) error { return g.recorded(ctx, s, r) }
	}
	return g.options.Open(o)
}

// canAsk reports whether the client shows forms to a person.
func canAsk(c *sdk.ClientCapabilities) bool {
	// Before forms had a name of their own, an empty elicitation stood for them.
	return c != nil && c.Elicitation != nil && (c.Elicitation.Form != nil || c.Elicitation.URL == nil)
}

// policy is what the client, or else the gateway, says about mutations.
func (c Client) policy(whole Policy, view *catalog.View, asks bool) policy.Policy {
	p := policy.Policy{Mode: whole.Mode, Rules: whole.Rules, Tighter: whole.Tighter, Roles: whole.Roles}
	allow := whole.Allow
	if c.Policy.Mode != "" {
		p.Mode = c.Policy.Mode
	}
	if len(c.Policy.Allow) > 0 {
		allow = c.Policy.Allow
	}
	if p.Named = p.Mode != ""; !p.Named {
		p.Mode = policy.ReadOnly
		if asks {
			p.Mode = policy.Ask
		}
	}
	for _, g := range allow {
		if g, err := g.Fits(view); err == nil { // of nothing in the client's view there is nothing to allow
			p.Grants = append(p.Grants, g)
		}
	}
	return p
}
