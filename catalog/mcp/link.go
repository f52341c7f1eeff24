package mcp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"almanac/catalog/secret"
	"almanac/catalog/task"
	"almanac/catalog/text"
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
}

func (e *downError) Error() string {
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
	session *sdk.ClientSession // nil while there is none
	err     error              // why there is none; nil while the first attempt is under way
	again   time.Time          // when it is tried again; zero while it is being tried
	changed chan struct{}      // closed and replaced whenever the above changes
	watched map[string]func(*sdk.ProgressNotificationParams)
	calls   int
}

func newLink(s endpoint, o options, hear func()) *link {
	return &link{
		server: s, options: o, hear: hear, done: make(chan struct{}), changed: make(chan struct{}),
		watched: map[string]func(*sdk.ProgressNotificationParams){},
	}
}

// get returns the session with the server. It waits while the first attempt to connect is under way; when that failed
// or the connection ended, it fails at once with a *downError until there is a new one.
func (l *link) get(ctx context.Context) (*sdk.ClientSession, error) {
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
		session, err, again, changed := l.session, l.err, l.again, l.changed
		l.mu.Unlock()
		if session != nil {
			return session, nil
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
	return &downError{Server: l.server.Name, Reason: err.Error(), Again: again,
		Starting: again.IsZero() && !errors.Is(err, errClosed)}
}

// soon is how long a read waits for a server to come back.
const soon = 2 * time.Second

// back waits for a session to replace a broken one, if the next attempt is soon.
func (l *link) back(ctx context.Context, broken *sdk.ClientSession) (*sdk.ClientSession, error) {
	ctx, cancel := context.WithTimeout(ctx, soon)
	defer cancel()
	for {
		l.mu.Lock()
		session, again, changed, closed := l.session, l.again, l.changed, l.closed
		l.mu.Unlock()
		if session != nil && session != broken {
			return session, nil
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
func (l *link) set(session *sdk.ClientSession, err error, again time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.session, l.err, l.again = session, err, again
	close(l.changed)
	l.changed = make(chan struct{})
}

// keep connects, waits for the end, and connects again.
func (l *link) keep(ctx context.Context) {
	defer close(l.done)
	failures := 0
	var how handshake
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
		if task.Sleep(ctx, pause) != nil {
			return
		}
		l.set(nil, reason, time.Time{})
	}
}

// A handshake is the way a connection begins. The zero handshake sends initialize.
type handshake struct {
	// modern uses the newer protocol without a handshake, for servers that refuse initialize.
	modern bool
	// known is set once the server has answered: this way is kept from then on.
	known bool
}

// failed chooses the way for the next attempt. It switches only after an explicit refusal: a server that ignores
// unknown requests would delay each attempt.
func (h *handshake) failed(err error, overHTTP bool) {
	var refusal *jsonrpc.Error
	switch {
	case h.known:
	case h.modern:
		h.modern = false
	default:
		h.modern = errors.As(err, &refusal) || overHTTP
	}
}

// serve runs one connection from start to end, and returns why it ended. again is set after the first.
func (l *link) serve(ctx context.Context, how *handshake, again bool) error {
	c, err := l.dial(ctx, how)
	if err != nil {
		return err
	}
	defer c.close()
	l.set(c.session, nil, time.Time{})
	if again {
		l.hear()
	}
	ended := make(chan error, 1)
	go func() { ended <- c.session.Wait() }()
	select {
	case err := <-ended:
		return c.reason(err)
	case <-ctx.Done():
		return ctx.Err()
	}
}

// A conn is one connection and, where there is one, its process.
type conn struct {
	session *sdk.ClientSession
	process *process
}

func (c *conn) close() {
	// A server that does not read could block the closing message forever.
	done := make(chan struct{})
	go func() {
		defer close(done)
		if c.session != nil {
			c.session.Close()
		}
	}()
	if c.process != nil {
		c.process.Close()
		<-done // nothing is left for it to wait for
		return
	}
	timer := time.NewTimer(leave)
	defer timer.Stop()
	select {
	case <-done:
	case <-timer.C:
	}
}

// reason is why the connection ended, with the last output of the process.
func (c *conn) reason(err error) error {
	if c.process == nil {
		if err == nil {
			return errors.New("the connection ended")
		}
		return err
	}
	said := c.process.last()
	if err == nil || errors.Is(err, io.EOF) {
		return errors.New(said)
	}
	for _, broken := range []string{"EOF", "closed", "broken pipe"} {
		if strings.Contains(err.Error(), broken) {
			return errors.New(said)
		}
	}
	return errors.New(err.Error() + "; " + said)
}

// dial starts the server if it is a process, and performs the handshake.
func (l *link) dial(ctx context.Context, how *handshake) (*conn, error) {
	silent := errors.New("no answer within " + text.Span(l.options.Start))
	ctx, cancel := context.WithTimeoutCause(ctx, l.options.Start, silent)
	defer cancel()
	c := &conn{}
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
		transport = &sdk.SSEClientTransport{Endpoint: s.URL, HTTPClient: httpClient(s)}
	default:
		transport = &sdk.StreamableClientTransport{Endpoint: s.URL, HTTPClient: httpClient(s), MaxEventSize: maxMessage}
	}
	client := sdk.NewClient(&sdk.Implementation{Name: "almanac", Version: l.options.Version}, &sdk.ClientOptions{
		Logger:                      slog.New(slog.DiscardHandler),
		Capabilities:                &sdk.ClientCapabilities{},
		MultiRoundTrip:              &sdk.MultiRoundTripOptions{Disabled: true},
		ToolListChangedHandler:      func(context.Context, *sdk.ToolListChangedRequest) { l.hear() },
		ResourceListChangedHandler:  func(context.Context, *sdk.ResourceListChangedRequest) { l.hear() },
		ProgressNotificationHandler: l.progressed,
	})
	version := "2025-11-25"
	if how.modern {
		version = ""
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
			c.session, how.known = got.session, true
			return c, nil
		}
		err := got.err
		if ctx.Err() != nil {
			err = context.Cause(ctx)
			how.failed(err, false)
		} else {
			how.failed(err, c.process == nil)
		}
		err = c.reason(err)
		c.abandon()
		return nil, err
	case <-ctx.Done():
		// Writing to a server that does not read ignores the context.
		err := context.Cause(ctx)
		how.failed(err, false)
		if c.process != nil {
			if said := c.process.tail.String(); said != "" {
				err = fmt.Errorf("%w; last output: %s", err, said)
			}
		}
		c.abandon()
		return nil, err
	}
}

// abandon ends a connection that was never established.
func (c *conn) abandon() {
	if c.process != nil {
		c.process.kill()
	}
}

// redacted removes the server's secrets from an error, which may quote the server.
func (l *link) redacted(err error) error {
	return errors.New(clean(secret.New(l.server.Secrets, 0).Text(err.Error()), 2<<10))
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

// suspect pings a server after a call has timed out; one that does not answer is restarted.
func (l *link) suspect(session *sdk.ClientSession) {
	ctx, cancel := context.WithTimeout(context.Background(), l.options.Ping)
	defer cancel()
	answered := make(chan error, 1)
	go func() { answered <- session.Ping(ctx, nil) }()
	select {
	case err := <-answered:
		if err == nil || ctx.Err() == nil {
			return
		}
	case <-ctx.Done():
	}
	session.Close()
}

func (l *link) progressed(_ context.Context, r *sdk.ProgressNotificationClientRequest) {
	token, ok := r.Params.ProgressToken.(string)
	if !ok {
		return
	}
	l.mu.Lock()
	f := l.watched[token]
	l.mu.Unlock()
	if f != nil {
		f(r.Params)
	}
}

// watch calls f with the progress of the call that carries the token, until stop.
func (l *link) watch(f func(*sdk.ProgressNotificationParams)) (token string, stop func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.calls++
	token = fmt.Sprintf("almanac-%d", l.calls)
	l.watched[token] = f
	return token, func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		delete(l.watched, token)
	}
}
