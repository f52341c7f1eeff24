package gateway

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// Path is where the gateway answers over HTTP.
const Path = "/mcp"

// HTTPOptions say who may reach the gateway over HTTP.
type HTTPOptions struct {
	// Clients are those who may connect. One without a token is anybody on this machine, and must be the only one.
	Clients []Client
	// Hosts are names by which the gateway may be called beside those of the loopback interface; empty allows only
	// these, and any host where tokens are asked for and the address is not a loopback one.
	Hosts []string
	// Origins are web pages that may call it, as "https://example.com", beside those of its own address.
	Origins []string
	// Ready is told once the gateway is about to answer, when nothing was found wrong; nil tells nobody.
	Ready func()
}

// ErrOpen says that a gateway without tokens would be reachable from other machines.
var ErrOpen = errors.New("every client needs a token outside the loopback interface: set one, or listen on 127.0.0.1")

// ErrAnybody says that one of several clients has no token.
var ErrAnybody = errors.New("a client without a token must be the only client")

// Serve serves HTTP clients on l until ctx is done, then lets answers that are under way go out for a moment.
func (g *Gateway) Serve(ctx context.Context, l net.Listener, o HTTPOptions) error {
	handler, err := g.handler(l.Addr(), o)
	if err != nil {
		return err
	}
	server := &http.Server{
		Handler: handler, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 64 << 10,
	}
	if o.Ready != nil {
		o.Ready()
	}
	stopped := make(chan error, 1)
	go func() { stopped <- server.Serve(l) }()
	select {
	case err := <-stopped:
		return err
	case <-ctx.Done():
	}
	soon, cancel := context.WithTimeout(context.WithoutCancel(ctx), shutdownGrace)
	defer cancel()
	g.mu.Lock()
	g.closed = true // no new scripts
	g.mu.Unlock()
	if server.Shutdown(soon) != nil {
		g.cancel()
		server.Close() // streams that stay open for notices end so
	}
	<-stopped
	return nil
}

// shutdownGrace is how long running scripts have to end when the gateway stops.
const shutdownGrace = 2 * time.Second

// handler answers HTTP requests for an address on which somebody listens.
func (g *Gateway) handler(addr net.Addr, o HTTPOptions) (http.Handler, error) {
	open := slices.ContainsFunc(o.Clients, func(c Client) bool { return c.token == nil })
	local := isLoopback(addr)
	switch {
	case len(o.Clients) == 0:
		return nil, errors.New("gateway: no clients")
	case open && len(o.Clients) > 1:
		return nil, ErrAnybody
	case open && !local:
		return nil, ErrOpen
	}
	servers := map[string]*sdk.Server{}
	for _, c := range o.Clients {
		servers[c.Name] = g.server(c)
	}
	who := func(r *http.Request) string {
		if info := auth.TokenInfoFromContext(r.Context()); info != nil {
			return info.UserID
		}
		return o.Clients[0].Name
	}
	var handler http.Handler = sdk.NewStreamableHTTPHandler(
		func(r *http.Request) *sdk.Server { return servers[who(r)] },
		&sdk.StreamableHTTPOptions{
			SessionTimeout: g.options.Idle, MaxRequestBodyBytes: maxRequest,
			DisableLocalhostProtection: true,                         // guarded has its own
			EventStore:                 sdk.NewMemoryEventStore(nil), // an answer whose stream broke can be fetched again
		},
	)
	handler = g.bounded(handler, servers)
	if !open {
		handler = auth.RequireBearerToken(verifier(o.Clients), nil)(handler)
	}
	mux := http.NewServeMux()
	mux.Handle(Path, guarded(handler, local, open, o))
	return mux, nil
}

// connections is how many clients may be connected for each Lua session.
const connections = 16

// bounded refuses a new connection when there are enough.
func (g *Gateway) bounded(next http.Handler, servers map[string]*sdk.Server) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost && r.Header.Get("Mcp-Session-Id") == "" {
			n := 0
			for _, server := range servers {
				for range server.Sessions() {
					n++
				}
			}
			if n >= connections*g.options.Sessions {
				w.Header().Set("Retry-After", "60")
				http.Error(w, fmt.Sprintf("all %d client connections are in use", n), http.StatusServiceUnavailable)
				return
			}
		}
		next.ServeHTTP(w, r)
	})
}

// verifier tells clients by their tokens. Every client is compared, so that the time taken says nothing.
func verifier(clients []Client) auth.TokenVerifier {
	return func(_ context.Context, token string, _ *http.Request) (*auth.TokenInfo, error) {
		sum := sha256.Sum256([]byte(token))
		name, found := "", 0
		for _, c := range clients {
			if subtle.ConstantTimeCompare(sum[:], c.token) == 1 {
				name, found = c.Name, 1
			}
		}
		if found == 0 {
			return nil, auth.ErrInvalidToken
		}
		return &auth.TokenInfo{UserID: name, Expiration: time.Now().Add(time.Hour)}, nil
	}
}

// guarded refuses requests of web pages: those that name another host (a name that was made to point here) and those
// that another page sent.
func guarded(next http.Handler, local, open bool, o HTTPOptions) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !hostAllowed(r.Host, local, open, o.Hosts) {
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
