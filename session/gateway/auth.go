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
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"almanac/session/gateway/oauth"
)

// A Roster is who may connect: the clients, and what all clients of a tenant may have together.
type Roster struct {
	Clients []Client
	Tenants map[string]Limits
	// OAuth is the authorisation server whose tokens are good for clients with an Access; nil: there is none.
	OAuth *oauth.Options
}

// Check says what keeps the roster from being served over HTTP, at an address of the loopback interface or another.
func (r Roster) Check(loopback bool) error {
	open := slices.ContainsFunc(r.Clients, Client.anybody)
	switch {
	case len(r.Clients) == 0:
		return errors.New("gateway: no clients")
	case open && len(r.Clients) > 1:
		return ErrAnybody
	case open && !loopback:
		return ErrOpen
	}
	return nil
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
	switch {
	case err != nil:
	case len(g.options.Expose) > 0:
		g.Renew(g.ctx)
	default:
		g.mu.Lock()
		members := g.all()
		g.mu.Unlock()
		g.tell(g.ctx, members)
	}
	return err
}

// setRoster returns the members that are gone. g.mu is held.
func (g *Gateway) setRoster(r Roster) (gone []*member, err error) {
	if g.closed {
		return nil, errClosed
	}
	if err := r.Check(g.loopback); err != nil {
		return nil, err
	}
	before := g.oauth
	if err := g.setOAuth(r.OAuth); err != nil {
		return nil, err
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
			m = &member{overHTTP: true, client: c, accounts: []*account{newAccount(c.called(), limits)}}
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
	gone = append(gone, g.setPeople(g.oauth == before)...)
	for _, s := range g.sessions {
		switch {
		case !s.member.overHTTP:
		case s.member.gone:
			s.cancel()
			g.forget(s)
		case !s.client.sees(s.member.client):
			if ss, ok := s.key.(*sdk.ServerSession); ok {
				g.connections[ss] = rulesNote
			}
			g.forget(s)
		}
	}
	return gone, nil
}

// sees tells that two clients differ in nothing that their sessions rest on.
func (c Client) sees(other Client) bool {
	for _, one := range []*Client{&c, &other} {
		one.Tokens, one.Access, one.Limits, one.Monitor = nil, nil, Limits{}, false
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
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		as := func(m *member) *http.Request { return r.WithContext(context.WithValue(r.Context(), memberKey{}, m)) }
		if m := g.anybody(); m != nil {
			next.ServeHTTP(w, as(m))
			return
		}
		m, info, err := g.known(r)
		if err != nil {
			g.refuse(w, r, err)
			return
		}
		if r.Method == http.MethodGet { // a stream ends with the token
			ctx, cancel := context.WithDeadline(r.Context(), info.Expiration)
			defer cancel()
			r = r.WithContext(ctx)
		}
		// The SDK keeps a session to the user that began it.
		is := func(context.Context, string, *http.Request) (*auth.TokenInfo, error) { return info, nil }
		auth.RequireBearerToken(is, nil)(next).ServeHTTP(w, as(m))
	})
}

// refuse answers a request without a good token.
func (g *Gateway) refuse(w http.ResponseWriter, r *http.Request, err error) {
	why := (*refusal)(nil)
	if !errors.As(err, &why) {
		why = &refusal{status: http.StatusUnauthorized, why: err.Error()}
	}
	g.refused("", r, why.why)
	if why.status == http.StatusServiceUnavailable {
		busy(w, why.status, 60, "%s", why.why)
		return
	}
	w.Header().Set("WWW-Authenticate", g.challenge(why))
	http.Error(w, why.why, why.status)
}

// known tells who sent a request by its token.
func (g *Gateway) known(r *http.Request) (*member, *auth.TokenInfo, error) {
	fields := strings.Fields(r.Header.Get("Authorization"))
	if len(fields) == 0 {
		return nil, nil, errors.New("no bearer token")
	}
	if len(fields) != 2 || !strings.EqualFold(fields[0], "bearer") {
		return nil, nil, invalid(errors.New("no bearer token"))
	}
	info, err := g.verify(fields[1])
	if err != nil {
		return nil, nil, invalid(err)
	}
	if info == nil {
		return g.person(r, fields[1])
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	m := g.members[info.UserID]
	if m == nil { // gone since
		return nil, nil, invalid(auth.ErrInvalidToken)
	}
	return m, info, nil
}

// A Token is a bearer token, by its hash.
type Token struct {
	Hash [sha256.Size]byte
	// Expires is when it is not good any more; zero: never.
	Expires time.Time
}

// verify tells clients by their tokens of the configuration; nil where it is none of them. Every token is compared, so
// that the time taken says nothing.
func (g *Gateway) verify(token string) (*auth.TokenInfo, error) {
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
		return nil, nil
	case expires.IsZero():
		expires = now.AddDate(1, 0, 0) // the SDK wants a time; a stream ends with its token
	case !now.Before(expires):
		return nil, fmt.Errorf("%w: it expired on %s", auth.ErrInvalidToken, expires.UTC().Format(time.RFC3339))
	}
	return &auth.TokenInfo{UserID: name, Expiration: expires}, nil
}
