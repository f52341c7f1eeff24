package gateway

// This file answers those who watch the gateway: what there is now, and who may know.

import (
	"errors"
	"net/http"

	"almanac/session/gateway/audit"
)

// MetricsPath is where Prometheus asks.
const MetricsPath = "/metrics"

// Now is what there is at a moment.
type Now struct {
	Sessions, Connections, Running, Waiting int
}

// Now counts what there is.
func (g *Gateway) Now() Now {
	g.mu.Lock()
	defer g.mu.Unlock()
	n := Now{Sessions: len(g.sessions), Running: g.running, Waiting: len(g.queue)}
	for _, m := range g.members {
		n.Connections += m.accounts[0].connections
	}
	return n
}

// monitored lets those in who may watch: a client with Monitor, by its token, as a bearer or as the password that a
// browser asks for; anybody where no token is asked for.
func (g *Gateway) monitored(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if m := g.anybody(); m == nil {
			if _, password, ok := r.BasicAuth(); ok {
				r = r.Clone(r.Context())
				r.Header.Set("Authorization", "Bearer "+password)
			}
			m, _, err := g.known(r)
			if err == nil && !m.watches(g) {
				err = &refusal{status: http.StatusForbidden, why: "this client may not watch the gateway"}
			}
			if err != nil {
				why := (*refusal)(nil)
				if !errors.As(err, &why) {
					why = &refusal{status: http.StatusUnauthorized, why: err.Error()}
				}
				g.refused("", r, why.why)
				w.Header().Add("WWW-Authenticate", `Basic realm="almanac: any name, and the token as password"`)
				http.Error(w, why.why, why.status)
				return
			}
		}
		w.Header().Set("Cache-Control", "no-store")
		next.ServeHTTP(w, r)
	})
}

// watches tells that the client may watch the gateway.
func (m *member) watches(g *Gateway) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return m.client.Monitor
}

// unattended is what is told of a run or a call of a session that no tool call asked for.
func (s *served) unattended() audit.Record {
	return audit.Record{
		Client: s.client.Name, Tenant: s.client.Rules.Tenant, Actor: s.client.Rules.Actor, Session: s.session.ID(),
	}
}
