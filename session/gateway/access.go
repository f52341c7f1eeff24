package gateway

// This file lets people in by access tokens of an authorisation server: which client of the configuration a token is
// for, and a member for each person.

import (
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/oauthex"

	"almanac/session/gateway/oauth"
)

// MetadataPath is where clients learn which authorisation server to ask (RFC 9728); it needs no token.
const MetadataPath = "/.well-known/oauth-protected-resource"

// An Access says which access tokens are a client's: those that have all of it.
type Access struct {
	Scopes []string
	// Claims are by name; the token's has one of the values, or a list with one of them.
	Claims map[string][]string
}

// conditions is how much a token has to have.
func (a *Access) conditions() int { return len(a.Scopes) + len(a.Claims) }

func (a *Access) fits(c oauth.Claims) bool {
	for _, scope := range a.Scopes {
		if !slices.Contains(c.Scopes, scope) {
			return false
		}
	}
	for name, values := range a.Claims {
		if !c.Has(name, values) {
			return false
		}
	}
	return true
}

// A person is who has access tokens of one client.
type person struct{ client, subject, actor, tenant string }

// personalPart is which part of its client's sessions, connections and turns one person may have: one of so many.
const personalPart = 4

// A refusal is an answer to a request without a good token.
type refusal struct {
	status int
	kind   string // "error" of the challenge
	scopes []string
	why    string
}

func (r *refusal) Error() string { return r.why }

func invalid(why error) *refusal {
	return &refusal{status: http.StatusUnauthorized, kind: "invalid_token", why: why.Error()}
}

// person tells which member an access token is for. It makes one for a person who is new.
func (g *Gateway) person(r *http.Request, token string) (*member, *auth.TokenInfo, error) {
	g.mu.Lock()
	verifier := g.oauth
	g.mu.Unlock()
	if verifier == nil || strings.Count(token, ".") != 2 {
		return nil, nil, invalid(auth.ErrInvalidToken)
	}
	claims, err := verifier.Verify(r.Context(), token)
	if err != nil {
		return nil, nil, invalid(fmt.Errorf("%w: %w", auth.ErrInvalidToken, err))
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.oauth != verifier { // the configuration is another by now
		return nil, nil, invalid(auth.ErrInvalidToken)
	}
	c, err := g.clientOf(claims)
	if err != nil {
		return nil, nil, &refusal{status: http.StatusForbidden, kind: "insufficient_scope", scopes: g.scopes(),
			why: err.Error()}
	}
	who := person{c.Name, claims.Subject, claims.Actor, claims.Tenant}
	m := g.people[who]
	if m == nil {
		if len(g.people) >= connections*g.options.Sessions {
			return nil, nil, &refusal{status: http.StatusServiceUnavailable, why: "too many people are connected"}
		}
		m = &member{overHTTP: true, client: c.of(who), accounts: []*account{newAccount("you", Limits{})}}
		m.server, m.stateless = g.server(m, false), g.server(m, true)
		g.people[who] = m
		g.equip(who, m)
	}
	m.used = time.Now()
	return m, &auth.TokenInfo{UserID: strings.Join([]string{who.client, who.subject, who.actor, who.tenant}, "\x00"),
		Expiration: claims.Expires}, nil
}

// of is the client as one person has it.
func (c Client) of(who person) Client {
	if c.Rules.Actor == "" {
		c.Rules.Actor = who.actor
	}
	if c.Rules.Tenant == "" {
		c.Rules.Tenant = who.tenant
	}
	c.Tokens, c.Access = nil, nil
	return c
}

// equip gives a person's member its accounts. g.mu is held.
func (g *Gateway) equip(who person, m *member) {
	whole := g.members[who.client]
	own := whole.accounts[0].limits
	part := func(n int) int { return (n + personalPart - 1) / personalPart }
	m.accounts[0].set(Limits{Sessions: part(own.Sessions), Connections: part(own.Connections), Running: part(own.Running)})
	m.accounts = append(m.accounts[:1:1], whole.accounts[0])
	if tenant := g.tenants[m.client.Rules.Tenant]; tenant != nil {
		m.accounts = append(m.accounts, tenant)
	}
}

// clientOf is the client that a token is for: of those that it fits, the one that asks for most. g.mu is held.
func (g *Gateway) clientOf(claims oauth.Claims) (Client, error) {
	var best, other *Client
	for i, c := range g.roster {
		if c.Access == nil || !c.Access.fits(claims) {
			continue
		}
		switch {
		case best == nil || c.Access.conditions() > best.Access.conditions():
			best, other = &g.roster[i], nil
		case c.Access.conditions() == best.Access.conditions():
			other = &g.roster[i]
		}
	}
	switch {
	case best == nil:
		return Client{}, errors.New("the token's scopes and claims let it see nothing here")
	case other != nil:
		return Client{}, fmt.Errorf("the token's scopes and claims fit the clients %s and %s alike", best.Name, other.Name)
	}
	return *best, nil
}

// scopes are all that clients may ask for. g.mu is held.
func (g *Gateway) scopes() []string {
	all := map[string]bool{}
	for _, c := range g.roster {
		if c.Access != nil {
			for _, scope := range c.Access.Scopes {
				all[scope] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(all))
}

// setOAuth says whose tokens are good. g.mu is held.
func (g *Gateway) setOAuth(o *oauth.Options) error {
	switch {
	case o == nil:
		if g.oauth != nil {
			g.oauth.Close()
		}
		g.oauth = nil
		return nil
	case g.oauth != nil && g.oauth.Same(*o):
		return nil
	}
	made, err := oauth.New(*o, g.options.Log)
	if err != nil {
		return fmt.Errorf("oauth: %w", err)
	}
	if g.oauth != nil {
		g.oauth.Close()
	}
	g.oauth = made
	return nil
}

// setPeople brings the members of people in line with the clients, and returns those that are gone. g.mu is held.
func (g *Gateway) setPeople(same bool) (gone []*member) {
	for who, m := range g.people {
		i := slices.IndexFunc(g.roster, func(c Client) bool { return c.Name == who.client && c.Access != nil })
		if i < 0 || !same {
			m.gone = true
			gone = append(gone, m)
			delete(g.people, who)
			continue
		}
		m.client = g.roster[i].of(who)
		g.equip(who, m)
	}
	return gone
}

// leavers forgets people who have nothing here any more. g.mu is held.
func (g *Gateway) leavers() {
	for who, m := range g.people {
		a := m.accounts[0]
		if a.sessions+a.connections+m.requests+m.waiting == 0 && time.Since(m.used) > g.options.Idle {
			delete(g.people, who)
		}
	}
}

// metadata answers at MetadataPath, and below it at the path of the resource.
func (g *Gateway) metadata(w http.ResponseWriter, r *http.Request) {
	g.mu.Lock()
	verifier, scopes := g.oauth, g.scopes()
	g.mu.Unlock()
	if verifier == nil {
		http.NotFound(w, r)
		return
	}
	o := verifier.Options()
	if below := strings.TrimPrefix(r.URL.Path, MetadataPath); below != "" && below != pathOf(o.Resource) {
		http.NotFound(w, r)
		return
	}
	auth.ProtectedResourceMetadataHandler(&oauthex.ProtectedResourceMetadata{
		Resource: o.Resource, AuthorizationServers: []string{o.Issuer}, ScopesSupported: scopes,
		BearerMethodsSupported: []string{"header"}, ResourceName: "Almanac",
	}).ServeHTTP(w, r)
}

// pathOf is the path of an address; empty for the root.
func pathOf(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Path == "/" {
		return ""
	}
	return u.Path
}

// challenge tells a client without a good token how to get one.
func (g *Gateway) challenge(why *refusal) string {
	parts := []string{`realm="almanac"`}
	g.mu.Lock()
	verifier := g.oauth
	g.mu.Unlock()
	if verifier != nil {
		u, err := url.Parse(verifier.Options().Resource)
		if err == nil {
			u.Path = MetadataPath + pathOf(verifier.Options().Resource)
			parts = append(parts, fmt.Sprintf("resource_metadata=%q", u.String()))
		}
	}
	if why.kind != "" {
		parts = append(parts, fmt.Sprintf("error=%q", why.kind))
	}
	if len(why.scopes) > 0 {
		parts = append(parts, fmt.Sprintf("scope=%q", strings.Join(why.scopes, " ")))
	}
	return "Bearer " + strings.Join(parts, ", ")
}
