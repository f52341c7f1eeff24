package gateway

// This file serves MCP over HTTP: to connections as the versions of the protocol with a handshake have them, and to the
// single requests of the version without.

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// Path is where the gateway answers MCP over HTTP. HealthPath answers as long as the program runs, ReadyPath while it
// takes calls; neither asks for a token.
const (
	Path       = "/mcp"
	HealthPath = "/healthz"
	ReadyPath  = "/readyz"
)

// HTTPOptions say who may reach the gateway over HTTP.
type HTTPOptions struct {
	// Roster has those who may connect.
	Roster
	// Hosts are names by which the gateway may be called beside those of the loopback interface; empty allows only
	// these, and any host where tokens are asked for and the address is not a loopback one.
	Hosts []string
	// Origins are web pages that may call it, as "https://example.com", beside those of its own address.
	Origins []string
	// Metrics answers at MetricsPath to those who may watch; nil: nobody.
	Metrics http.Handler
	// Sources are shown on the status page; nil shows none.
	Sources func() []Source
	// TLS encrypts, where it is not nil.
	TLS *tls.Config
	// Loading tells that sources are being read, so that ReadyPath says no; nil: they are not.
	Loading func() bool
	// Ready is told once the gateway is about to answer, when nothing was found wrong; nil tells nobody.
	Ready func()
}

// ErrOpen says that a gateway without tokens would be reachable from other machines.
var ErrOpen = errors.New("every client needs a token outside the loopback interface: set one, or listen on 127.0.0.1")

// ErrAnybody says that one of several clients has no token.
var ErrAnybody = errors.New("a client without a token must be the only client")

const (
	// connections is how many clients may be connected for each Lua session.
	connections = 4
	// maxRequests is how many requests of one client may be under way, beside its streams.
	maxRequests = 256
	// bodyTime is how long the body of a request may take to come, and writeTime how long a client may take to read a
	// piece of an answer.
	bodyTime, writeTime = 30 * time.Second, 30 * time.Second
	// shutdownGrace is how long answers have to go out when the last call has ended.
	shutdownGrace = 2 * time.Second
)

// Serve serves HTTP clients on l until ctx is done. Then it takes no new calls, and returns when those under way have
// ended, after Options.Drain at the latest.
func (g *Gateway) Serve(ctx context.Context, l net.Listener, o HTTPOptions) error {
	handler, err := g.handler(l.Addr(), o)
	if err != nil {
		return err
	}
	server := &http.Server{
		Handler: handler, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 64 << 10,
		TLSConfig: o.TLS, ErrorLog: log.New(io.Discard, "", 0),
	}
	if o.Ready != nil {
		o.Ready()
	}
	stopped := make(chan error, 1)
	go func() {
		if o.TLS != nil {
			stopped <- server.ServeTLS(l, "", "")
		} else {
			stopped <- server.Serve(l)
		}
	}()
	select {
	case err := <-stopped:
		return err
	case <-ctx.Done():
	}
	g.drain()
	soon, cancel := context.WithTimeout(context.WithoutCancel(ctx), shutdownGrace)
	defer cancel()
	g.hangUp() // streams that stay open for notices end so
	if server.Shutdown(soon) != nil {
		g.cancel()
		server.Close()
	}
	<-stopped
	return nil
}

// drain refuses new calls and waits for the others.
func (g *Gateway) drain() {
	g.mu.Lock()
	g.draining = true
	g.settled()
	g.mu.Unlock()
	late := time.NewTimer(g.options.Drain)
	defer late.Stop()
	select {
	case <-g.drained:
	case <-late.C:
		g.cancel()
	case <-g.ctx.Done():
	}
}

// settled tells drain when the calls have ended and are answered. g.mu is held.
func (g *Gateway) settled() {
	if g.draining && g.underway == 0 && g.unanswered == 0 {
		select {
		case <-g.drained:
		default:
			close(g.drained)
		}
	}
}

// handler answers HTTP requests for an address on which somebody listens.
func (g *Gateway) handler(addr net.Addr, o HTTPOptions) (http.Handler, error) {
	local := isLoopback(addr)
	g.mu.Lock()
	g.loopback = local
	g.mu.Unlock()
	if err := g.SetRoster(o.Roster); err != nil {
		return nil, err
	}
	options := &sdk.StreamableHTTPOptions{
		SessionTimeout: g.options.Idle, MaxRequestBodyBytes: maxRequest,
		DisableLocalhostProtection:   true,                         // guarded has its own
		EventStore:                   sdk.NewMemoryEventStore(nil), // an answer whose stream broke can be fetched again
		PropagateRequestCancellation: true,
	}
	connected := sdk.NewStreamableHTTPHandler(func(r *http.Request) *sdk.Server { return memberOf(r).server }, options)
	single := *options
	single.Stateless, single.EventStore = true, nil
	alone := sdk.NewStreamableHTTPHandler(func(r *http.Request) *sdk.Server { return memberOf(r).stateless }, &single)
	route := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if hasNoHandshake(r) {
			alone.ServeHTTP(w, r)
		} else {
			g.bounded(connected).ServeHTTP(w, r)
		}
	})
	mux := http.NewServeMux()
	mux.Handle(Path, g.guarded(g.authenticated(g.read(route)), local, o))
	if o.Metrics != nil {
		mux.Handle("GET "+MetricsPath, g.guarded(g.monitored(o.Metrics), local, o))
	}
	if g.recent != nil {
		status, err := g.statusOf(o.Sources)
		if err != nil {
			return nil, err
		}
		mux.Handle("GET "+StatusPath, g.guarded(g.monitored(status), local, o))
	}
	mux.HandleFunc(MetadataPath, g.metadata)
	mux.HandleFunc(MetadataPath+"/", g.metadata)
	mux.HandleFunc(HealthPath, func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "ok") })
	mux.HandleFunc(ReadyPath, func(w http.ResponseWriter, _ *http.Request) {
		g.mu.Lock()
		draining := g.draining || g.closed
		g.mu.Unlock()
		switch {
		case draining:
			http.Error(w, "shutting down", http.StatusServiceUnavailable)
		case o.Loading != nil && o.Loading():
			http.Error(w, "sources are loading", http.StatusServiceUnavailable)
		default:
			fmt.Fprintln(w, "ready")
		}
	})
	return mux, nil
}

// hasNoHandshake tells that a request is of the version of the protocol where every request stands alone.
func hasNoHandshake(r *http.Request) bool {
	if version := r.Header.Get("Mcp-Protocol-Version"); version != "" {
		return version >= noHandshake
	}
	body, ok := r.Body.(body)
	return ok && r.Header.Get("Mcp-Session-Id") == "" && bytes.Contains(body.text, []byte(sdk.MetaKeyProtocolVersion))
}

// A body is that of a request which has come whole.
type body struct {
	io.Reader
	text []byte
}

func (body) Close() error { return nil }

// read reads the body of a request, which has to come in time and whole, and bounds the requests of one client.
func (g *Gateway) read(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w = patient{w, http.NewResponseController(w)}
		if r.Method != http.MethodPost {
			next.ServeHTTP(w, r)
			return
		}
		m := memberOf(r)
		g.mu.Lock()
		many := m.requests >= maxRequests
		counted := !many && !g.draining // later ones are refused, and nobody waits for them
		if !many {
			m.requests++
		}
		if counted {
			g.unanswered++
		}
		g.mu.Unlock()
		if many {
			busy(w, http.StatusTooManyRequests, 1, "%d requests of this client are under way", maxRequests)
			return
		}
		defer func() {
			g.mu.Lock()
			defer g.mu.Unlock()
			m.requests--
			if counted {
				g.unanswered--
				g.settled()
			}
		}()
		control := http.NewResponseController(w)
		_ = control.SetReadDeadline(time.Now().Add(g.bodyTime)) // a recorder in a test has none
		text, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxRequest))
		var large *http.MaxBytesError
		switch {
		case errors.As(err, &large):
			http.Error(w, fmt.Sprintf("request body exceeds %d bytes", maxRequest), http.StatusRequestEntityTooLarge)
			return
		case errors.Is(err, os.ErrDeadlineExceeded):
			w.Header().Set("Connection", "close")
			http.Error(w, fmt.Sprintf("the body did not come within %s", g.bodyTime), http.StatusRequestTimeout)
			return
		case err != nil:
			http.Error(w, "the body could not be read", http.StatusBadRequest)
			return
		}
		_ = control.SetReadDeadline(time.Time{})
		r.Body = body{bytes.NewReader(text), text}
		next.ServeHTTP(w, r)
	})
}

// A patient writer waits for its reader, but not for ever.
type patient struct {
	http.ResponseWriter
	control *http.ResponseController
}

func (p patient) Write(b []byte) (int, error) {
	_ = p.control.SetWriteDeadline(time.Now().Add(writeTime))
	rest, first := bytes.CutPrefix(b, []byte(primed))
	n, err := p.ResponseWriter.Write(rest)
	if first {
		n += len(primed)
	}
	return n, err
}

// primed is how the library names the first event of a stream, which has an id and no data. The specification has no
// name for it, and clients warn of one.
const primed = "event: prime\n"

// Unwrap is for http.ResponseController.
func (p patient) Unwrap() http.ResponseWriter { return p.ResponseWriter }

// busy refuses a request that may come again after so many seconds.
func busy(w http.ResponseWriter, status, after int, format string, args ...any) {
	w.Header().Set("Retry-After", fmt.Sprint(after))
	http.Error(w, fmt.Sprintf(format, args...), status)
}

// bounded refuses a new connection where its client has enough, or the gateway is to end.
func (g *Gateway) bounded(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost || r.Header.Get("Mcp-Session-Id") != "" {
			next.ServeHTTP(w, r)
			return
		}
		m := memberOf(r)
		g.mu.Lock()
		accounts := m.accounts
		draining := g.draining || g.closed
		for _, a := range accounts {
			if n := a.limits.Connections; n > 0 && a.connections >= n {
				g.mu.Unlock()
				busy(w, http.StatusServiceUnavailable, 60, "%s: all %d client connections are in use", a.name, n)
				return
			}
		}
		if draining {
			g.mu.Unlock()
			busy(w, http.StatusServiceUnavailable, 5, "%v", errDraining)
			return
		}
		count := func(n int) {
			for _, a := range accounts {
				a.connections += n
			}
		}
		count(1)
		g.mu.Unlock()
		next.ServeHTTP(w, r)
		g.mu.Lock()
		defer g.mu.Unlock()
		id := w.Header().Get("Mcp-Session-Id")
		for ss := range m.server.Sessions() {
			if id != "" && ss.ID() == id && !g.closed {
				g.wait.Go(func() {
					_ = ss.Wait()
					g.mu.Lock()
					defer g.mu.Unlock()
					count(-1)
				})
				return
			}
		}
		count(-1)
	})
}

// guarded refuses requests of web pages: those that name another host (a name that was made to point here) and those
// that another page sent.
func (g *Gateway) guarded(next http.Handler, local bool, o HTTPOptions) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !hostAllowed(r.Host, local, g.anybody() != nil, o.Hosts) {
			http.Error(w, fmt.Sprintf("host %q is not a name of this server", r.Host), http.StatusForbidden)
			return
		}
		if origin := r.Header.Get("Origin"); origin != "" && !originAllowed(origin, r.Host, o.Origins) {
			http.Error(w, fmt.Sprintf("origin %q may not call this server", origin), http.StatusForbidden)
			return
		}
		next.ServeHTTP(w, r)
	})
}

func hostAllowed(hostport string, local, open bool, names []string) bool {
	host := hostport
	if h, _, err := net.SplitHostPort(hostport); err == nil {
		host = h
	}
	host = strings.ToLower(strings.Trim(host, "[]"))
	ip := net.ParseIP(host)
	switch {
	case host == "localhost", ip != nil && ip.IsLoopback(), slices.Contains(names, host):
		return true
	case local || open:
		return false
	}
	return len(names) == 0
}

// originAllowed reports whether a page may call: one of the gateway's own address, or one that was named.
func originAllowed(origin, host string, origins []string) bool {
	u, err := url.Parse(origin)
	if err != nil || u.Host == "" {
		return false
	}
	return strings.EqualFold(u.Host, host) || slices.Contains(origins, origin)
}

func isLoopback(addr net.Addr) bool {
	tcp, ok := addr.(*net.TCPAddr)
	return ok && tcp.IP.IsLoopback()
}
