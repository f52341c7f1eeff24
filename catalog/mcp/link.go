package mcp

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"almanac/catalog/task"
	"almanac/catalog/text"
	"almanac/catalog/web/login"
)

// A downError says that a server cannot be asked now.
type downError struct {
	// Server is the server's name.
	Server string
	// Reason says what happened to it, and may quote the server.
	Reason string
	// Again is the time of the next attempt; zero if there is none, or it is under way.
	Again time.Time
	// Starting is set while it is being restarted.
	Starting bool
	// Needed is set where a person has to log in.
	Needed *login.NeededError
}

func (e *downError) Error() string {
	if e.Needed != nil {
		return "mcp server " + e.Needed.Error()
	}
	text := fmt.Sprintf("mcp server %s is down: %s", e.Server, e.Reason)
	if e.Starting {
		text += "; restarting"
	}
	if !e.Again.IsZero() {
		text += "; next attempt at " + e.Again.Format("15:04:05") // not "in 2 s": the text must stay the same
	}
	return text
}

// Hint says what to do.
func (e *downError) Hint() string {
	if e.Needed != nil {
		return "it is tried again once there is a login"
	}
	if e.Starting {
		return "call again in a moment; if it stays down, run its command by hand to see why"
	}
	if e.Again.IsZero() {
		return "restart almanac, or remove the source"
	}
	return "call again after that; if it stays down, run its command by hand to see why"
}

var errClosed = errors.New("the source was closed")

const (
	// firstPause and lastPause bound the pause before a restart, which doubles with each failure.
	firstPause = 500 * time.Millisecond
	lastPause  = time.Minute
	// steady is how long a server must run for its end not to count as another failure.
	steady = 10 * time.Second
)

// A link keeps one server connected. Its goroutine, keep, starts with the first get and ends with close.
type link struct {
	server  endpoint
	options options
	hear    func() // called when the server reports changed lists, and when it is back

	cancel context.CancelFunc
	done   chan struct{} // closed when keep has ended

	mu      sync.Mutex
	started bool
	closed  bool
	conn    *conn         // nil while there is none
	err     error         // why there is none; nil while the first attempt is under way
	again   time.Time     // when it is tried again; zero while it is being tried
	changed chan struct{} // closed and replaced whenever the above changes
}

func newLink(s endpoint, o options, hear func()) *link {
	return &link{server: s, options: o, hear: hear, done: make(chan struct{}), changed: make(chan struct{})}
}

// get returns the connection with the server. It waits while the first attempt to connect is under way, and while a
// server that let a call run out of time is asked whether it answers at all; when that failed or the connection ended,
// it fails at once with a *downError until there is a new one.
func (l *link) get(ctx context.Context) (*conn, error) {
	for {
		l.mu.Lock()
		if l.closed {
			l.mu.Unlock()
			return nil, &downError{Server: l.server.Name, Reason: errClosed.Error()}
		}
		if !l.started {
			l.started = true
			var run context.Context
			run, l.cancel = context.WithCancel(context.Background())
			go l.keep(run)
		}
		c, err, again, changed := l.conn, l.err, l.again, l.changed
		var doubt chan struct{}
		if c != nil {
			doubt = c.doubt
		}
		l.mu.Unlock()
		if doubt != nil {
			select {
			case <-doubt:
				continue
			case <-ctx.Done():
				return nil, context.Cause(ctx)
			}
		}
		if c != nil {
			return c, nil
		}
		if err != nil {
			return nil, l.down(err, again)
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return nil, &downError{Server: l.server.Name, Reason: "still starting"}
		}
	}
}

// down is the error while there is no session.
func (l *link) down(err error, again time.Time) *downError {
	down := &downError{Server: l.server.Name, Reason: err.Error(), Again: again,
		Starting: again.IsZero() && !errors.Is(err, errClosed)}
	errors.As(err, &down.Needed)
	return down
}

// soon is how long a read waits for a server to come back.
const soon = 2 * time.Second

// back waits for a connection to replace a broken one, if the next attempt is soon.
func (l *link) back(ctx context.Context, broken *conn) (*conn, error) {
	ctx, cancel := context.WithTimeout(ctx, soon)
	defer cancel()
	for {
		l.mu.Lock()
		c, again, changed, closed := l.conn, l.again, l.changed, l.closed
		l.mu.Unlock()
		if c != nil && c != broken {
			return c, nil
		}
		if closed || time.Until(again) > soon {
			return nil, &downError{Server: l.server.Name, Reason: "waiting before the next attempt", Again: again}
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// set publishes the state of the link to those who wait.
func (l *link) set(c *conn, err error, again time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.conn, l.err, l.again = c, err, again
	close(l.changed)
	l.changed = make(chan struct{})
}

// keep connects, waits for the end, and connects again.
func (l *link) keep(ctx context.Context) {
	defer close(l.done)
	failures := 0
	how := handshake{modern: l.options.Modern}
	for ctx.Err() == nil {
		began := time.Now()
		err := l.serve(ctx, &how, failures > 0)
		if ctx.Err() != nil {
			return
		}
		failures++
		if time.Since(began) > steady {
			failures = 1
		}
		pause := l.options.pause(failures)
		reason := l.redacted(err)
		l.set(nil, reason, time.Now().Add(pause))
		if l.wait(ctx, pause, reason) != nil {
			return
		}
		l.set(nil, reason, time.Time{})
	}
}

// loginPause is how often a server that wants a login is tried to have one.
const loginPause = time.Second

// wait waits before the next attempt, and no longer than until somebody logs in, where that is what was missing.
func (l *link) wait(ctx context.Context, pause time.Duration, reason error) error {
	var needed *login.NeededError
	if !errors.As(reason, &needed) {
		return task.Sleep(ctx, pause)
	}
	before := l.options.Access.Login.State()
	for left := max(pause, lastPause); left > 0; left -= loginPause {
		if err := task.Sleep(ctx, min(left, loginPause)); err != nil {
			return err
		}
		if l.options.Access.Login.State() != before {
			break
		}
	}
	return nil
}

// A handshake is the way a connection begins. The zero handshake sends initialize.
type handshake struct {
	// modern uses the newer protocol without a handshake, for servers that refuse initialize.
	modern bool
	// known is set once the server has answered: this way is kept from then on.
	known bool
}

// refused tells an explicit refusal of a handshake, after which the other one is worth a try: a server that ignores
// unknown requests would delay each attempt.
func refused(err error) bool {
	var refusal *jsonrpc.Error
	if errors.As(err, &refusal) {
		return true
	}
	for _, status := range []int{
		http.StatusBadRequest, http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusNotAcceptable,
		http.StatusUnprocessableEntity, http.StatusUnsupportedMediaType, http.StatusNotImplemented,
	} {
		if strings.Contains(err.Error(), http.StatusText(status)) {
			return true
		}
	}
	return false
}

// serve runs one connection from start to end, and returns why it ended. again is set after the first.
func (l *link) serve(ctx context.Context, how *handshake, again bool) error {
	c, err := l.dial(ctx, *how)
	if err != nil && !how.known && ctx.Err() == nil && refused(err) {
		other, otherErr := l.dial(ctx, handshake{modern: !how.modern})
		if otherErr == nil {
			how.modern, c, err = !how.modern, other, nil
		}
	}
	if err != nil {
		return err
	}
	how.known = true
	defer c.end(errGone)
	defer c.close() // ends the calls that are under way, with its own reason
	l.set(c, nil, time.Time{})
	if again {
		l.hear()
	}
	ended := make(chan error, 1)
	go func() { ended <- c.session.Wait() }()
	select {
	case err := <-ended:
		l.set(nil, errEnded, time.Time{}) // the process may take its time to end; nothing is sent to it any more
		return c.reason(err)
	case <-c.gone.Done():
		err := context.Cause(c.gone)
		l.set(nil, l.redacted(err), time.Time{})
		c.abandon()
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// dial starts the server if it is a process, and performs the handshake.
func (l *link) dial(ctx context.Context, how handshake) (*conn, error) {
	silent := errors.New("no answer within " + text.Span(l.options.Start))
	ctx, cancel := context.WithTimeoutCause(ctx, l.options.Start, silent)
	defer cancel()
	c := &conn{wait: l.options.Hung, lastHungOf: map[string]time.Time{}}
	c.gone, c.end = context.WithCancelCause(context.Background())
	var transport sdk.Transport
	switch s := l.server; {
	case len(s.Command) > 0:
		p, err := start(s)
		if err != nil {
			return nil, fmt.Errorf("cannot start: %w", err)
		}
		c.process = p
		transport = &sdk.IOTransport{Reader: p.stdout, Writer: p.stdin, MaxLineLength: maxMessage + 1}
	case s.SSE:
		transport = &sdk.SSEClientTransport{Endpoint: s.URL, HTTPClient: httpClient(s, l.options, c.needed)}
	default:
		transport = &sdk.StreamableClientTransport{Endpoint: s.URL, HTTPClient: httpClient(s, l.options, c.needed),
			MaxEventSize: maxMessage}
	}
	client := sdk.NewClient(&sdk.Implementation{Name: "almanac", Version: l.options.Version}, &sdk.ClientOptions{
		Logger:                      slog.New(slog.DiscardHandler),
		Capabilities:                l.options.capabilities(),
		ToolListChangedHandler:      func(context.Context, *sdk.ToolListChangedRequest) { l.hear() },
		PromptListChangedHandler:    func(context.Context, *sdk.PromptListChangedRequest) { l.hear() },
		ResourceListChangedHandler:  func(context.Context, *sdk.ResourceListChangedRequest) { l.hear() },
		ProgressNotificationHandler: c.progressed,
		ElicitationHandler: func(ctx context.Context, r *sdk.ElicitRequest) (*sdk.ElicitResult, error) {
			return l.elicited(ctx, c, r.Params)
		},
		ElicitationCompleteHandler: c.finished,
		//lint:ignore SA1019 deprecated in the last version of the protocol, which still has it
		CreateMessageHandler: func(ctx context.Context, r *sdk.CreateMessageRequest) (*sdk.CreateMessageResult, error) {
			return l.sampled(ctx, c, r.Params)
		},
	})
	client.AddSendingMiddleware(l.opening(c))
	//lint:ignore SA1019 deprecated in the last version of the protocol, which still has it
	client.AddRoots(l.options.roots()...)
	version := oldVersion
	if how.modern {
		version = modernVersion
	}
	type dialled struct {
		session *sdk.ClientSession
		err     error
	}
	done := make(chan dialled, 1)
	go func() {
		session, err := client.Connect(ctx, transport, &sdk.ClientSessionOptions{ProtocolVersion: version})
		done <- dialled{session, err}
	}()
	select {
	case got := <-done:
		if got.err == nil {
			c.session = got.session
			if r := c.session.InitializeResult(); r != nil {
				c.modern = r.ProtocolVersion >= modernVersion
			}
			return c, nil
		}
		err := got.err
		if ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		err = c.reason(err)
		c.abandon()
		return nil, err
	case <-ctx.Done():
		// Writing to a server that does not read ignores the context.
		err := context.Cause(ctx)
		if c.process != nil {
			if said := c.process.tail.String(); said != "" {
				err = fmt.Errorf("%w; last output: %s", err, said)
			}
		}
		c.abandon()
		return nil, err
	}
}

// oldVersion is the last version of the protocol with a handshake, and modernVersion the first without.
const oldVersion, modernVersion = "2025-11-25", "2026-07-28"

// redacted removes the server's secrets from an error, which may quote the server.
func (l *link) redacted(err error) error {
	var needed *login.NeededError
	if errors.As(err, &needed) {
		return needed // which names none
	}
	return errors.New(clean(l.hidden().Text(err.Error()), 2<<10))
}

// close ends the server and waits for it.
func (l *link) close() {
	l.mu.Lock()
	started := l.started && !l.closed
	l.closed = true
	l.mu.Unlock()
	if started {
		l.cancel()
		<-l.done
		l.set(nil, errClosed, time.Time{})
	}
}

// suspect asks a server whether it answers after a call has timed out; calls wait for that. A server that does not is
// restarted, and its other calls end.
func (l *link) suspect(c *conn) {
	l.mu.Lock()
	if c.doubt != nil {
		l.mu.Unlock()
		return
	}
	c.doubt = make(chan struct{})
	l.mu.Unlock()
	go l.ask(c)
}

func (l *link) ask(c *conn) {
	ctx, cancel := context.WithTimeout(c.gone, l.options.Ping)
	defer cancel()
	answered := make(chan error, 1)
	go func() {
		if c.modern { // which knows no ping: any answer will do
			_, err := c.session.ListTools(ctx, &sdk.ListToolsParams{Cursor: "almanac"})
			answered <- err
			return
		}
		answered <- c.session.Ping(ctx, nil)
	}()
	silent := false
	select {
	case err := <-answered:
		silent = err != nil && ctx.Err() != nil
	case <-ctx.Done():
		silent = true
	}
	if silent && c.gone.Err() == nil {
		l.mu.Lock()
		if l.conn == c {
			l.conn, l.err, l.again = nil, errSilent, time.Time{}
		}
		l.mu.Unlock()
		c.end(errSilent)
	}
	l.mu.Lock()
	close(c.doubt)
	c.doubt = nil
	l.mu.Unlock()
}
