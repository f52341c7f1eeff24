package gateway

// This file tells clients over HTTP by their tokens, and takes in a new configuration of clients while others work.

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"
)

// A Roster is who may connect: the clients, and what all clients of a tenant may have together.
type Roster struct {
	Clients []Client
	Tenants map[string]Limits
}

// SetRoster says who may connect over HTTP from now on. Nothing changes for clients that are the same, nor for their
// sessions. A client that is gone has its calls stopped and its connections closed; one whose view, policy or budget is
// another has them from its next call on, in a new session. An error leaves all as it was.
func (g *Gateway) SetRoster(r Roster) error {
	g.mu.Lock()
	gone, err := g.setRoster(r)
	g.mu.Unlock()
	for _, m := range gone {
		for ss := range m.server.Sessions() {
			ss.Close()
		}
	}
	if err == nil && len(g.options.Expose) > 0 {
		g.Renew(g.ctx)
	}
	return err
}

// setRoster returns the members that are gone. g.mu is held.
func (g *Gateway) setRoster(r Roster) (gone []*member, err error) {
	open := slices.ContainsFunc(r.Clients, Client.anybody)
	switch {
	case g.closed:
		return nil, errClosed
	case len(r.Clients) == 0:
		return nil, errors.New("gateway: no clients")
	case open && len(r.Clients) > 1:
		return nil, ErrAnybody
	case open && !g.loopback:
		return nil, ErrOpen
	}
	for name, m := range g.members {
		if !slices.ContainsFunc(r.Clients, func(c Client) bool { return c.Name == name }) {
			m.gone = true
			gone = append(gone, m)
			delete(g.members, name)
		}
	}
	for name := range g.tenants {
		if _, ok := r.Tenants[name]; !ok {
			delete(g.tenants, name)
		}
	}
	for name, limits := range r.Tenants {
		if a := g.tenants[name]; a != nil {
			a.set(limits)
		} else {
			g.tenants[name] = newAccount("tenant "+name, limits)
		}
	}
	for _, c := range r.Clients {
		limits := c.Limits.share(g.options, len(r.Clients))
		m := g.members[c.Name]
		if m == nil {
			m = &member{overHTTP: true, client: c, accounts: []*account{newAccount("client "+c.Name, limits)}}
			m.server, m.stateless = g.server(m, false), g.server(m, true)
			g.members[c.Name] = m
		}
		m.client = c
		m.accounts[0].set(limits)
		m.accounts = m.accounts[:1:1]
		if tenant := g.tenants[c.Rules.Tenant]; tenant != nil {
			m.accounts = append(m.accounts, tenant)
		}
	}
	g.roster = slices.Clone(r.Clients)
	for _, s := range g.sessions {
		switch {
		case !s.member.overHTTP:
		case s.member.gone:
			s.cancel()
			g.forget(s)
		case !s.client.sees(s.member.client):
			g.forget(s)
		}
	}
	return gone, nil
}

// sees tells that two clients differ in nothing that their sessions rest on.
func (c Client) sees(other Client) bool {
	for _, one := range []*Client{&c, &other} {
		one.Tokens, one.Limits = nil, Limits{}
	}
	return reflect.DeepEqual(c, other)
}

// anybody is the client that all programs on this machine are; nil where tokens are asked for.
func (g *Gateway) anybody() *member {
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(g.roster) == 1 && g.roster[0].anybody() {
		return g.members[g.roster[0].Name]
	}
	return nil
}

type memberKey struct{}

// memberOf is who sent a request that was authenticated.
func memberOf(r *http.Request) *member { return r.Context().Value(memberKey{}).(*member) }

// authenticated lets those in who show a token that is good.
func (g *Gateway) authenticated(next http.Handler) http.Handler {
	as := func(w http.ResponseWriter, r *http.Request, m *member) {
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), memberKey{}, m)))
	}
	known := auth.RequireBearerToken(g.verify, nil)(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Del("WWW-Authenticate")
		g.mu.Lock()
		m := g.members[auth.TokenInfoFromContext(r.Context()).UserID]
		g.mu.Unlock()
		if m == nil { // gone since
			http.Error(w, auth.ErrInvalidToken.Error(), http.StatusUnauthorized)
			return
		}
		as(w, r, m)
	}))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if m := g.anybody(); m != nil {
			as(w, r, m)
			return
		}
		challenge := `Bearer realm="almanac"`
		if r.Header.Get("Authorization") != "" {
			challenge += `, error="invalid_token"`
		}
		w.Header().Set("WWW-Authenticate", challenge)
		known.ServeHTTP(w, r)
	})
}

// A Token is a bearer token, by its hash.
type Token struct {
	Hash [sha256.Size]byte
	// Expires is when it is not good any more; zero: never.
	Expires time.Time
}

// verify tells clients by their tokens. Every token is compared, so that the time taken says nothing.
func (g *Gateway) verify(_ context.Context, token string, _ *http.Request) (*auth.TokenInfo, error) {
	g.mu.Lock()
	roster := g.roster
	g.mu.Unlock()
	sum := sha256.Sum256([]byte(token))
	name, found, expires := "", false, time.Time{}
	for _, c := range roster {
		for _, t := range c.Tokens {
			if subtle.ConstantTimeCompare(sum[:], t.Hash[:]) == 1 {
				name, found, expires = c.Name, true, t.Expires
			}
		}
	}
	now := time.Now()
	switch {
	case !found:
		return nil, auth.ErrInvalidToken
	case expires.IsZero():
		expires = now.Add(time.Hour)
	case !now.Before(expires):
		return nil, fmt.Errorf("%w: it expired on %s", auth.ErrInvalidToken, expires.UTC().Format(time.RFC3339))
	}
	return &auth.TokenInfo{UserID: name, Expiration: expires}, nil
}
