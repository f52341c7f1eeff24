package gateway

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/BurntSushi/toml"

	"almanac/catalog"
	"almanac/catalog/regular"
	"almanac/catalog/secret"
	"almanac/session"
	"almanac/session/gateway/oauth"
	"almanac/session/policy"
)

// A Client is one who may connect. The zero Client is anybody, who sees all that the gateway sees.
type Client struct {
	// Name is how logs and errors call it.
	Name string
	// Tokens are those that it may show; none where nothing is asked for.
	Tokens []Token
	// Access says which access tokens of the authorisation server are this client's; nil: none.
	Access *Access
	// Monitor lets it watch the gateway: metrics, and the status page.
	Monitor bool
	// Limits bound what it may have of the gateway.
	Limits Limits
	// Rules narrow the view.
	Rules catalog.Rules
	// Context is what actions are told in its sessions: AgentName and TeamID, where they are set.
	Context catalog.Context
	// RoleNames are what the configuration calls Roles, which narrow the view and bound the policy further.
	RoleNames []string
	Roles     []session.Role
	// Policy is the gateway's where it says nothing.
	Policy Policy
	// Budget bounds one script; zero fields mean the session's defaults.
	Budget session.Budget
	// Persistent is the gateway's where it is nil.
	Persistent *bool
}

// WithToken returns the client as one who must show the token. One of less than 16 bytes is an error: it can be
// guessed.
func (c Client) WithToken(token string) (Client, error) {
	if len(token) < minToken {
		return Client{}, fmt.Errorf("want a token of at least %d bytes, got %d", minToken, len(token))
	}
	c.Tokens = append(slices.Clone(c.Tokens), Token{Hash: sha256.Sum256([]byte(token))})
	return c, nil
}

// anybody tells that the client needs no token.
func (c Client) anybody() bool { return len(c.Tokens) == 0 && c.Access == nil }

// isolated tells that each script of the client's has a machine of its own. persistent is what holds for all clients.
func (c Client) isolated(persistent bool) bool {
	if c.Persistent != nil {
		persistent = *c.Persistent
	}
	return !persistent
}

// called is how messages call the client; one that no file names is the only one there is.
func (c Client) called() string {
	if c.Name == "" {
		return "this client"
	}
	return "client " + c.Name
}

// narrow is the view of the client.
func (c Client) narrow(v *catalog.View, growing bool) (*catalog.View, error) {
	r := c.Rules
	r.Growing = growing
	if r.Name == "" {
		r.Name = c.called()
	}
	narrower, err := v.Narrow(r)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", r.Name, err)
	}
	for _, role := range c.Roles {
		for _, r := range role.View {
			r.Growing = r.Growing || growing
			if narrower, err = narrower.Narrow(r); err != nil {
				return nil, fmt.Errorf("role %s: %w", role.Name, err)
			}
		}
	}
	return narrower, nil
}

// Misfits are what the client's rules, roles and allowances name and the catalog of v does not have: warnings, since it
// may be of a source that could not be read.
func (c Client) Misfits(v *catalog.View) (all []error) {
	for _, err := range v.Misfits(c.Rules) {
		all = append(all, fmt.Errorf("client %s: %w", c.Name, err))
	}
	for _, role := range c.Roles {
		for _, r := range role.View {
			for _, err := range v.Misfits(r) {
				all = append(all, fmt.Errorf("client %s: role %s: %w", c.Name, role.Name, err))
			}
		}
	}
	for _, grant := range c.Policy.Allow {
		if _, err := grant.Fits(v); err != nil {
			all = append(all, fmt.Errorf("client %s: allow: %w", c.Name, err))
		}
	}
	return all
}

// clientFile is the configuration as TOML has it.
type clientFile struct {
	Client map[string]struct {
		tokenTable
		Tokens           []tokenTable   `toml:"tokens"`
		Scopes           []string       `toml:"scopes"`
		Claims           map[string]any `toml:"claims"`
		Roles            []string       `toml:"roles"`
		Actor            string         `toml:"actor"`
		Tenant           string         `toml:"tenant"`
		AgentName        string         `toml:"agent_name"`
		TeamID           string         `toml:"team_id"`
		Namespaces       []string       `toml:"namespaces"`
		DeniedNamespaces []string       `toml:"denied_namespaces"`
		Operations       []string       `toml:"operations"`
		DeniedOperations []string       `toml:"denied_operations"`
		DeniedIDs        []string       `toml:"denied_ids"`
		ReadOnly         bool           `toml:"read_only"`
		Policy           string         `toml:"policy"`
		Allow            []string       `toml:"allow"`
		Persistent       *bool          `toml:"persistent"`
		Monitor          bool           `toml:"monitor"`
		Calls            int            `toml:"calls"`
		Mutations        int            `toml:"mutations"`
		ResultBytes      int            `toml:"result_bytes"`
		CallSeconds      int            `toml:"call_seconds"`
		limitTable
	} `toml:"client"`
	Tenant map[string]limitTable `toml:"tenant"`
	OAuth  *oauthTable           `toml:"oauth"`
}

// oauthTable is oauth.Options.
type oauthTable struct {
	Issuer      string   `toml:"issuer"`
	Resource    string   `toml:"resource"`
	Audience    []string `toml:"audience"`
	Keys        string   `toml:"keys"`
	Algorithms  []string `toml:"algorithms"`
	ActorClaim  string   `toml:"actor_claim"`
	TenantClaim string   `toml:"tenant_claim"`
}

// tokenTable is a token: in the environment, or its hash.
type tokenTable struct {
	Env     string    `toml:"token_env"`
	SHA256  string    `toml:"token_sha256"`
	Expires time.Time `toml:"expires"`
}

// limitTable is Limits.
type limitTable struct {
	Sessions       int `toml:"sessions"`
	Connections    int `toml:"connections"`
	Running        int `toml:"running"`
	Rate           int `toml:"rate"`
	DailyCalls     int `toml:"daily_calls"`
	DailyMutations int `toml:"daily_mutations"`
}

func (t limitTable) limits(key string) (Limits, error) {
	l := Limits(t)
	for _, n := range []int{l.Sessions, l.Connections, l.Running, l.Rate, l.DailyCalls, l.DailyMutations} {
		if n < 0 {
			return l, fmt.Errorf("%s: a limit must not be negative", key)
		}
	}
	return l, nil
}

// maxClients is the size of the largest file of clients that is read, in bytes.
const maxClients = 16 << 20

// ReadClients reads the clients of a TOML file in the order of their names: a table [client.NAME] for each, and
// [tenant.NAME] for what all clients of a tenant may have. A key that is not known, a token that is not there and an
// empty list are errors: a rule that is misspelt would leave more open than was meant.
func ReadClients(file string, getenv func(string) (string, bool)) (Roster, error) {
	text, err := regular.Read(file, maxClients)
	if err != nil {
		return Roster{}, fmt.Errorf("clients: %w", err)
	}
	roster, err := parseClients(string(text), getenv)
	if err != nil {
		return Roster{}, fmt.Errorf("clients %s: %w", file, err)
	}
	return roster, nil
}

func parseClients(text string, getenv func(string) (string, bool)) (Roster, error) {
	var f clientFile
	roster := Roster{Tenants: map[string]Limits{}}
	meta, err := toml.Decode(text, &f)
	if err != nil {
		return roster, err
	}
	if unknown := meta.Undecoded(); len(unknown) > 0 {
		return roster, fmt.Errorf("%s: unknown key", unknown[0])
	}
	if len(f.Client) == 0 {
		return roster, errors.New("no [client.NAME] in it")
	}
	for _, name := range slices.Sorted(maps.Keys(f.Tenant)) {
		if roster.Tenants[name], err = f.Tenant[name].limits("tenant." + name); err != nil {
			return roster, err
		}
	}
	for _, name := range slices.Sorted(maps.Keys(f.Client)) {
		in := f.Client[name]
		for key, list := range map[string][]string{
			"namespaces": in.Namespaces, "operations": in.Operations, "scopes": in.Scopes, "roles": in.Roles,
		} {
			if meta.IsDefined("client", name, key) && len(list) == 0 {
				return roster,
					fmt.Errorf("client.%s.%s: the list is empty: list at least one, or omit the key to allow all", name, key)
			}
		}
		c := Client{
			Name: name, Persistent: in.Persistent,
			Rules: catalog.Rules{
				Name: "client " + name, Actor: in.Actor, Tenant: in.Tenant, Namespaces: in.Namespaces, ReadOnly: in.ReadOnly,
				Operations:       operations(in.Operations),
				DeniedNamespaces: in.DeniedNamespaces, DeniedIDs: in.DeniedIDs, DeniedOperations: operations(in.DeniedOperations),
			},
			Context:   catalog.Context{AgentName: in.AgentName, TeamID: in.TeamID},
			RoleNames: in.Roles, Monitor: in.Monitor,
			Budget: session.Budget{
				Calls: in.Calls, Mutations: in.Mutations, Result: in.ResultBytes, Wait: time.Duration(in.CallSeconds) * time.Second,
			},
		}
		if in.Calls < 0 || in.Mutations < 0 || in.ResultBytes < 0 || in.CallSeconds < 0 {
			return roster, fmt.Errorf("client.%s: a budget must not be negative", name)
		}
		if c.Limits, err = in.limits("client." + name); err != nil {
			return roster, err
		}
		if c.Policy.Allow, err = policy.ParseGrants(in.Allow, "client."+name); err != nil {
			return roster, err
		}
		if in.Policy != "" {
			if c.Policy.Mode, err = policy.ParseMode(in.Policy); err != nil {
				return roster, fmt.Errorf("client.%s: %w", name, err)
			}
		}
		if c.Access, err = access(in.Scopes, in.Claims); err != nil {
			return roster, fmt.Errorf("client.%s: %w", name, err)
		}
		for i, table := range append([]tokenTable{in.tokenTable}, in.Tokens...) {
			t, err := table.token(getenv)
			if err == nil && t == nil && i > 0 {
				err = errors.New("tokens: want token_env or token_sha256 in each")
			}
			if err != nil {
				return roster, fmt.Errorf("client.%s: %w", name, err)
			}
			if t != nil {
				c.Tokens = append(c.Tokens, *t)
			}
		}
		for _, other := range roster.Clients {
			for _, t := range c.Tokens {
				if slices.ContainsFunc(other.Tokens, func(o Token) bool { return o.Hash == t.Hash }) {
					return roster, fmt.Errorf("client.%s: same token as client.%s", name, other.Name)
				}
			}
		}
		roster.Clients = append(roster.Clients, c)
	}
	return roster, roster.takeOAuth(f.OAuth)
}

// takeOAuth checks that the table and the clients belong together.
func (r *Roster) takeOAuth(t *oauthTable) error {
	i := slices.IndexFunc(r.Clients, func(c Client) bool { return c.Access != nil })
	switch {
	case t == nil && i < 0:
		return nil
	case t == nil:
		return fmt.Errorf("client.%s: scopes and claims need an [oauth] table", r.Clients[i].Name)
	case i < 0:
		return errors.New("oauth: no client has scopes or claims: its tokens would be good for nothing")
	}
	o := oauth.Options(*t)
	r.OAuth = &o
	if err := o.Check(); err != nil {
		return fmt.Errorf("oauth.%w", err)
	}
	return nil
}

// access is what a client asks of access tokens; nil where it takes none.
func access(scopes []string, claims map[string]any) (*Access, error) {
	if len(scopes) == 0 && len(claims) == 0 {
		return nil, nil
	}
	made := &Access{Scopes: scopes, Claims: map[string][]string{}}
	for name, value := range claims {
		list, many := value.([]any)
		if !many {
			list = []any{value}
		}
		if len(list) == 0 {
			return nil, fmt.Errorf("claims.%s: the list is empty", name)
		}
		for _, item := range list {
			text, ok := item.(string)
			if !ok || text == "" {
				return nil, fmt.Errorf("claims.%s: want a text, or a list of them", name)
			}
			made.Claims[name] = append(made.Claims[name], text)
		}
	}
	return made, nil
}

func operations(names []string) []catalog.Operation {
	var list []catalog.Operation
	for _, name := range names {
		list = append(list, catalog.Operation(strings.ToLower(name)))
	}
	return list
}

// minToken is the shortest token that is accepted, in bytes.
const minToken = 16

// token is the token; nil where the table names none.
func (t tokenTable) token(getenv func(string) (string, bool)) (*Token, error) {
	made := &Token{Expires: t.Expires}
	switch {
	case t.Env != "" && t.SHA256 != "":
		return nil, errors.New("give token_env or token_sha256, not both")
	case t.SHA256 != "":
		sum, err := hex.DecodeString(t.SHA256)
		if err != nil || len(sum) != sha256.Size {
			return nil, errors.New("token_sha256: want 64 hex digits: printf %s \"$TOKEN\" | sha256sum")
		}
		copy(made.Hash[:], sum)
		return made, nil
	case t.Env == "" && !t.Expires.IsZero():
		return nil, errors.New("expires: there is no token that could expire")
	case t.Env == "":
		return nil, nil
	}
	if err := secret.CheckVariable(t.Env); err != nil {
		return nil, fmt.Errorf("token_env: %w", err)
	}
	token, _ := getenv(t.Env)
	if len(token) < minToken {
		return nil, fmt.Errorf("token_env: the variable %s must hold a token of at least %d bytes", t.Env, minToken)
	}
	made.Hash = sha256.Sum256([]byte(token))
	return made, nil
}
