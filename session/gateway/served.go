package gateway

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"almanac/catalog"
	"almanac/session"
	"almanac/session/policy"
)

// A served is one connection and its session. The session is made at the first call: by then the client has said what
// it can do.
type served struct {
	client Client
	ctx    context.Context // ends with the connection
	cancel context.CancelFunc

	ready   chan struct{} // closed when the following are set
	session *session.Session
	done    func() error
	err     error

	pages pages
	asked sync.Mutex // one question at a time

	mu    sync.Mutex
	calls int
	used  time.Time // when the last call began or ended
}

// maxCalls is how many calls of one connection may be under way; runs take turns.
const maxCalls = 16

func (s *served) begin() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.calls >= maxCalls {
		return false
	}
	s.calls++
	s.used = time.Now()
	return true
}

func (s *served) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls--
	s.used = time.Now()
}

// idle returns since when no call is under way; ok is false while one is.
func (s *served) idle() (since time.Time, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.used, s.calls == 0
}

var errClosed = errors.New("the gateway is closing")

// session returns the session of the connection that the request came by.
func (g *Gateway) session(ctx context.Context, c Client, r *sdk.CallToolRequest) (*served, error) {
	g.mu.Lock()
	if g.closed {
		g.mu.Unlock()
		return nil, errClosed
	}
	s, there := g.sessions[r.Session]
	var longest *sdk.ServerSession
	if !there && len(g.sessions) >= g.options.Sessions {
		if longest = g.longestIdle(); longest == nil {
			g.mu.Unlock()
			return nil, fmt.Errorf("all %d sessions are busy: try again later", g.options.Sessions)
		}
		delete(g.sessions, longest) // its watcher closes it
	}
	if !there {
		s = &served{
			client: c, used: time.Now(), ready: make(chan struct{}), pages: pages{most: g.options.Page * bytesPerToken},
		}
		s.ctx, s.cancel = context.WithCancel(g.ctx)
		g.sessions[r.Session] = s
		g.wait.Go(func() { g.watch(r.Session, s) })
	}
	g.mu.Unlock()
	if longest != nil {
		longest.Close()
	}
	if !there {
		s.session, s.done, s.err = g.open(ctx, s, r)
		close(s.ready)
		if s.err != nil { // the next call tries again
			g.mu.Lock()
			delete(g.sessions, r.Session)
			g.mu.Unlock()
			s.cancel()
		}
	}
	select {
	case <-s.ready:
		return s, s.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// longestIdle is the connection that has waited longest for its next call; nil when all are at work. Its client may
// connect again, as after any end of a connection. g.mu is held.
func (g *Gateway) longestIdle() *sdk.ServerSession {
	var longest *sdk.ServerSession
	var since time.Time
	for ss, s := range g.sessions {
		if at, ok := s.idle(); ok && (longest == nil || at.Before(since)) {
			longest, since = ss, at
		}
	}
	return longest
}

// watch waits for the end of the connection, and ends its session.
func (g *Gateway) watch(ss *sdk.ServerSession, s *served) {
	ended := make(chan struct{})
	go func() {
		_ = ss.Wait()
		close(ended)
	}()
	select {
	case <-ended:
	case <-s.ctx.Done():
	}
	s.cancel()
	<-s.ready
	g.mu.Lock()
	if g.sessions[ss] == s {
		delete(g.sessions, ss)
	}
	g.mu.Unlock()
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

func (g *Gateway) open(ctx context.Context, s *served, r *sdk.CallToolRequest) (*session.Session, func() error, error) {
	view, err := g.view(ctx, s.client)
	if err != nil {
		return nil, nil, err
	}
	o := Opening{Client: s.client.Name, View: view, Budget: s.client.Budget, Context: s.client.Context,
		Isolated: s.client.isolated(g.options.Persistent)}
	if info := r.ClientInfo(); info != nil {
		o.Program = strings.TrimSpace(info.Name + " " + info.Version)
	}
	o.Notify = func(n session.Notice) {
		// Who does not listen to log messages misses it.
		//lint:ignore SA1019 deprecated in a later version of the protocol than those in versions
		_ = r.Session.Log(g.ctx, &sdk.LoggingMessageParams{Level: "notice", Logger: n.Action,
			Data: strings.TrimPrefix(n.Target+": "+n.Text, ": ")})
	}
	asks := canAsk(r.ClientCapabilities())
	if asks {
		o.Approve = func(ctx context.Context, q session.Request) (session.Approval, error) {
			return s.approve(ctx, r.Session, q)
		}
	}
	o.Policy = s.client.policy(g.options.Policy, view, asks)
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

// beat is how often a client is told that a script is still running.
const beat = time.Second

// reporting tells the client every second how far a script is, where it asked for that. stop ends it.
func (s *served) reporting(ctx context.Context, r *sdk.CallToolRequest) (_ context.Context, stop func()) {
	token := r.Params.GetProgressToken()
	if token == nil {
		return ctx, func() {}
	}
	var mu sync.Mutex
	said := ""
	ctx = catalog.WithProgress(ctx, func(p catalog.Progress) {
		mu.Lock()
		defer mu.Unlock()
		said = p.ID
		if p.Total > 0 {
			said += fmt.Sprintf(" %g of %g", p.Done, p.Total)
		}
		if p.Text != "" {
			said += ": " + p.Text
		}
	})
	done := make(chan struct{})
	var wait sync.WaitGroup
	wait.Go(func() {
		ticks := time.NewTicker(beat)
		defer ticks.Stop()
		for n := 1; ; n++ {
			select {
			case <-ticks.C:
			case <-done:
				return
			case <-ctx.Done():
				return
			}
			mu.Lock()
			text := fmt.Sprintf("%d s, %d calls", n, s.session.Used().Calls)
			if said != "" {
				text += "; " + said
			}
			mu.Unlock()
			// A client that does not listen any more is noticed by the end of its connection.
			_ = r.Session.NotifyProgress(ctx, &sdk.ProgressNotificationParams{
				ProgressToken: token, Progress: float64(n), Message: s.session.Redact(text),
			})
		}
	})
	return ctx, func() {
		close(done)
		wait.Wait()
	}
}
