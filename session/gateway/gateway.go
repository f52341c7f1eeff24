// Package gateway serves a catalog to other programs as an MCP server with three tools: query, describe, execute. It
// can have a fourth that calls one action, and actions as tools of their own.
//
//	Gateway   all clients over one catalog: ServeStdio, Handler
//	Client    who may connect and what they may see and do; ReadClients reads them from a file
//	Policy    what happens to mutations
//
// Every client has its own session.Session, with its own Lua machine, view and policy, and the same call path. A client
// can do what a model at the terminal could, less what its view hides. Its person approves mutations over MCP
// elicitation, if the client supports that.
//
// Start at New and Gateway.serve.
package gateway

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"golang.org/x/time/rate"

	"almanac/catalog"
	"almanac/catalog/media"
	"almanac/catalog/pattern"
	"almanac/catalog/secret"
	"almanac/session"
	"almanac/session/gateway/audit"
	"almanac/session/gateway/oauth"
	"almanac/session/policy"
	"almanac/session/trace"
)

// Options configure a Gateway. View and Open must be set.
type Options struct {
	// Version is what clients are told of this program.
	Version string
	// Prefix begins the tools' names; empty means tools.DefaultPrefix.
	Prefix string
	// Tools are those that clients are offered; nil means Query, Describe and Execute. Call calls one action by its id,
	// for models that write no Lua.
	Tools []string
	// Expose are actions that are tools of their own beside them, in the view of each client.
	Expose []pattern.Pattern
	// About says what the catalog is for, in one line, to the models of clients; may be empty.
	About string
	// Persistent keeps globals from one execute to the next; else every script runs in an empty machine.
	Persistent bool
	// Policy is for clients that name none.
	Policy Policy
	// View returns what the catalog holds now. It may wait for sources that are being read. growing tells that more may
	// come, so that a view may name what is not there yet.
	View func(ctx context.Context) (v *catalog.View, growing bool, err error)
	// Open makes the session of a client over its view; closing it is the Gateway's, which calls done afterwards.
	Open func(c Opening) (s *session.Session, done func() error, err error)
	// Page is how many tokens one answer may have, counted at four bytes each; default 8,000.
	Page int
	// Sessions is how many Lua sessions there may be at a time; default 1,024. One more ends the one that has been idle
	// for longest. A client has one from its first call on; 4 times as many may be connected over HTTP.
	Sessions int
	// Running is how many calls may run at a time, and how many sessions may keep a Lua process between them; default 32.
	// Others wait for their turn.
	Running int
	// Rate is how many tool calls a client may make in a minute; zero means no limit.
	Rate int
	// Drain is how long running calls may take to end when Serve is to end; default 10 s.
	Drain time.Duration
	// Idle is after how long without a request a client over HTTP is taken for gone; default 30 minutes.
	Idle time.Duration
	// Secrets are taken out of every answer, whatever made it; nil: there are none.
	Secrets *secret.Filter
	// Media has the images and sounds that answers name; empty: clients get none.
	Media media.Folder
	// Observe is told what clients do; nil tells nobody. An error refuses what begins, and withholds the answer of what
	// has ended. It may change the record, which is its own, and is called from several goroutines.
	Observe func(r *audit.Record) error
	// Status keeps what the status page shows.
	Status bool
	// Log is told what goes wrong; nil tells nobody.
	Log func(format string, args ...any)
}

// A Policy says what happens to calls that change data.
type Policy struct {
	// Mode is empty where nobody chose one: then a client that can ask its person asks, and others are read-only.
	Mode policy.Mode
	// Allow lists what needs no question.
	Allow []policy.Grant
	// Rules and Tighter are those of policy.Policy. They are the gateway's: a client has none of its own, and they speak
	// of its actor.
	Rules, Tighter []policy.Rule
	// Roles bound what every client may do.
	Roles []policy.Role
}

// An Opening is what a client's session is made of.
type Opening struct {
	// Client is its name in the configuration; empty where there is none. Program is what it says of itself.
	Client, Program string
	View            *catalog.View
	Policy          policy.Policy
	Budget          session.Budget
	Context         catalog.Context
	// Roles are those of the client.
	Roles []session.Role
	// Isolated clients have each script run in a machine of its own.
	Isolated bool
	// Authorize counts a call of an action, and denies it where a quota is used up.
	Authorize func(context.Context, *catalog.Entry, catalog.Call) error
	// Observe is for session.Options.
	Observe func(context.Context, trace.Record) error
	// Notify sends the client a line, as a log message.
	Notify func(session.Notice)
	// Approve asks the client's person; nil when it cannot.
	Approve func(ctx context.Context, r session.Request) (session.Approval, error)
	// Inquire passes on to the client what the server of the action called id asks.
	Inquire func(ctx context.Context, id string, q catalog.Inquiry) catalog.Reply
}

// A Gateway serves clients. It is safe for concurrent use. Close ends all their sessions.
type Gateway struct {
	options  Options
	ctx      context.Context // ends with Close
	cancel   context.CancelFunc
	bodyTime time.Duration // how long the body of a request may take to come
	sparing  sparing
	recent   *recent        // nil where there is no status page
	wait     sync.WaitGroup // all goroutines; one is added under mu, while closed is not set, or by another of them

	mu         sync.Mutex
	closed     bool
	draining   bool          // no new calls
	drained    chan struct{} // closed when there are no calls any more, after draining began
	underway   int           // calls
	unanswered int           // requests over HTTP that came before draining
	running    int           // calls that have their turn
	queue      []*waiter
	// members are the clients by their names, and tenants what they share.
	members  map[string]*member
	tenants  map[string]*account
	people   map[person]*member // who have access tokens
	oauth    *oauth.Verifier    // nil where there is no authorisation server
	local    []*member          // over standard input and output
	roster   []Client           // of those over HTTP
	loopback bool               // they are all on this machine
	asked    map[string]pending // questions that are answers, by their state
	// sessions are by connection, or by handle. connections has those that have had one, with what the next one of the
	// connection is told.
	sessions    map[any]*served
	connections map[*sdk.ServerSession]string
}

// New returns a Gateway that serves nobody yet.
func New(o Options) (*Gateway, error) {
	if o.View == nil || o.Open == nil {
		return nil, errors.New("gateway: View and Open are needed")
	}
	if o.Tools == nil {
		o.Tools = []string{Query, Describe, Execute}
	}
	if err := checkTools(o.Tools, len(o.Expose) > 0); err != nil {
		return nil, err
	}
	o.Page = cmp.Or(o.Page, 8000)
	o.Sessions = cmp.Or(o.Sessions, 1024)
	o.Running = cmp.Or(o.Running, 32)
	o.Idle = cmp.Or(o.Idle, 30*time.Minute)
	o.Drain = cmp.Or(o.Drain, 10*time.Second)
	if o.Log == nil {
		o.Log = func(string, ...any) {}
	}
	g := &Gateway{
		options: o, bodyTime: bodyTime, drained: make(chan struct{}),
		sparing: sparing{limiter: rate.NewLimiter(refusedPace, refusedBurst)},
		members: map[string]*member{}, tenants: map[string]*account{}, people: map[person]*member{},
		asked: map[string]pending{}, sessions: map[any]*served{},
		connections: map[*sdk.ServerSession]string{},
	}
	if o.Status {
		g.recent = &recent{since: time.Now(), clients: map[string]*tally{}}
	}
	g.ctx, g.cancel = context.WithCancel(context.Background())
	g.wait.Go(g.sweep)
	return g, nil
}

// Close ends the scripts that run, and all sessions.
func (g *Gateway) Close() error {
	g.mu.Lock()
	g.closed = true
	for _, s := range g.sessions {
		g.forget(s)
	}
	if g.oauth != nil {
		g.oauth.Close()
	}
	g.mu.Unlock()
	g.cancel()
	g.hangUp()
	g.wait.Wait()
	return nil
}

// all are the members of now. g.mu is held.
func (g *Gateway) all() []*member {
	return slices.AppendSeq(slices.AppendSeq(slices.Clone(g.local), maps.Values(g.members)), maps.Values(g.people))
}

// hangUp ends all connections.
func (g *Gateway) hangUp() {
	g.mu.Lock()
	all := g.all()
	g.mu.Unlock()
	for _, m := range all {
		for ss := range m.server.Sessions() {
			ss.Close()
		}
	}
}

// Renew gives every session the catalog of now. A view that does not fit it any more leaves its session nothing to see.
// A session in which a script runs gets it afterwards; Renew does not wait for that.
func (g *Gateway) Renew(ctx context.Context) {
	var idle []*served
	g.mu.Lock()
	members := g.all()
	if g.closed {
		g.mu.Unlock()
		return
	}
	for _, s := range g.sessions {
		if s.calls > 0 {
			g.wait.Go(func() { g.renew(ctx, s) })
		} else {
			idle = append(idle, s)
		}
	}
	g.mu.Unlock()
	for _, s := range idle {
		g.renew(ctx, s)
	}
	for _, m := range members {
		if len(g.options.Expose) > 0 {
			g.expose(ctx, m, true)
		}
		g.pass(ctx, m, true)
	}
	g.tell(ctx, members)
}

func (g *Gateway) renew(ctx context.Context, s *served) {
	<-s.ready
	if s.session == nil {
		return
	}
	view, err := g.view(ctx, s.client)
	if err != nil && ctx.Err() == nil {
		view = s.session.View().Nothing()
	}
	if view == nil {
		return
	}
	err = errors.Join(err, s.session.Replace(ctx, view))
	if err != nil && ctx.Err() == nil && !errors.Is(err, session.ErrClosed) {
		g.options.Log("client %q: %v", s.client.Name, err)
	}
}

// view is the catalog of now as the client may see it.
func (g *Gateway) view(ctx context.Context, c Client) (*catalog.View, error) {
	all, growing, err := g.options.View(ctx)
	if err != nil {
		return nil, err
	}
	return c.narrow(all, growing)
}
