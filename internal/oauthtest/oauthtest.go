// Package oauthtest is an authorisation server for tests. It is as strict as the specifications let a server be: codes
// and refresh tokens are taken once, a second use takes back all that came of them, redirects are compared as written,
// PKCE with S256 is required, and the resource of each request has to be the one that the token is for.
package oauthtest

import (
	"crypto/rand"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"
)

// Options say what the server is like. The zero value has everything, and tokens of an hour.
type Options struct {
	Lifetime time.Duration
	// Interval is how often a device may ask, in seconds; zero means 1.
	Interval int
	// NoRegistration has only the client "known" with the secret "client-secret-1".
	NoRegistration bool
	// Bare leaves everything out that a server may say of itself.
	Bare bool
	// Issuer is what it calls itself; empty tells the truth.
	Issuer string
	// Returned is the iss of what the browser brings back; empty tells the truth.
	Returned string
	// Whole has tokens for the whole protected server, which takes gRPC without TLS, too. Else they are for /mcp.
	Whole bool
	// Deny refuses everybody.
	Deny bool
}

// A Server gives tokens for a protected server. Its Counts are those of requests that were granted, by grant type, and
// of "refused" ones.
type Server struct {
	*httptest.Server
	// Resource is the address of the protected server, which is the same process at another port.
	Resource *httptest.Server

	mu      sync.Mutex
	options Options
	clients map[string]client
	codes   map[string]*grant
	access  map[string]*grant
	refresh map[string]*grant
	devices map[string]*grant
	users   map[string]*grant // by the code that they type
	Counts  map[string]int
	// Secrets are all that it ever gave out.
	Secrets []string
}

type client struct {
	secret    string
	redirects []string
	grants    []string
}

// A grant is what a person has allowed, or a program.
type grant struct {
	client, redirect, challenge, resource, scope string
	used, revoked, approved                      bool
	until                                        time.Time
}

// New starts a server that protects what next serves; next is called with the scope of the token in the header Scope.
func New(o Options, next http.Handler) *Server {
	s := &Server{
		options: o, clients: map[string]client{}, codes: map[string]*grant{}, access: map[string]*grant{},
		refresh: map[string]*grant{}, devices: map[string]*grant{}, users: map[string]*grant{}, Counts: map[string]int{},
	}
	s.clients["known"] = client{secret: "client-secret-1", grants: []string{
		"authorization_code", "refresh_token", "client_credentials", "urn:ietf:params:oauth:grant-type:device_code"},
		redirects: []string{"http://127.0.0.1:0/callback"}}
	s.Secrets = append(s.Secrets, "client-secret-1")
	mux := http.NewServeMux()
	mux.HandleFunc("GET /.well-known/oauth-authorization-server", s.metadata)
	mux.HandleFunc("GET /.well-known/openid-configuration", s.metadata)
	mux.HandleFunc("POST /register", s.register)
	mux.HandleFunc("GET /authorize", s.authorize)
	mux.HandleFunc("POST /token", s.token)
	mux.HandleFunc("POST /device", s.device)
	mux.HandleFunc("GET /verify", s.verify)
	mux.HandleFunc("POST /revoke", s.revoke)
	s.Server = httptest.NewServer(mux)
	protected := http.NewServeMux()
	protected.HandleFunc("GET "+wellKnown+"/", func(w http.ResponseWriter, r *http.Request) {
		say(w, 200, map[string]any{"resource": s.resource(), "authorization_servers": []string{s.URL},
			"scopes_supported": []string{"read", "write"}})
	})
	protected.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) { s.protect(w, r, next) })
	s.Resource = httptest.NewUnstartedServer(protected)
	s.Resource.Config.Protocols = new(http.Protocols)
	s.Resource.Config.Protocols.SetHTTP1(true)
	s.Resource.Config.Protocols.SetUnencryptedHTTP2(o.Whole)
	s.Resource.Start()
	return s
}

// wellKnown is where the protected server says who gives tokens for it.
const wellKnown = "/.well-known/oauth-protected-resource"

// resource is what tokens are for.
func (s *Server) resource() string {
	if s.options.Whole {
		return s.Resource.URL
	}
	return s.Resource.URL + "/mcp"
}

// Close ends both servers.
func (s *Server) Close() {
	s.Server.CloseClientConnections()
	s.Resource.CloseClientConnections()
	s.Server.Close()
	s.Resource.Close()
}

// Change changes what the server is like from now on.
func (s *Server) Change(change func(o *Options)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change(&s.options)
}

// Count is how often something was granted.
func (s *Server) Count(what string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.Counts[what]
}

// Revoke takes back what was given: access tokens, or with all also refresh tokens.
func (s *Server) Revoke(all bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.access)
	if all {
		clear(s.refresh)
	}
}

// Given are all tokens and codes that were given out.
func (s *Server) Given() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.Secrets)
}

func say(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v)
}

func (s *Server) refuse(w http.ResponseWriter, code, why string) {
	s.Counts["refused"]++
	status := http.StatusBadRequest
	if code == "invalid_client" {
		status = http.StatusUnauthorized
	}
	say(w, status, map[string]any{"error": code, "error_description": why})
}

func (s *Server) secret() string {
	value := rand.Text()
	s.Secrets = append(s.Secrets, value)
	return value
}

func (s *Server) issuer() string {
	if s.options.Issuer != "" {
		return s.options.Issuer
	}
	return s.URL
}

func (s *Server) metadata(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.options.Bare {
		http.NotFound(w, r)
		return
	}
	all := map[string]any{
		"issuer": s.issuer(), "authorization_endpoint": s.URL + "/authorize", "token_endpoint": s.URL + "/token",
		"device_authorization_endpoint": s.URL + "/device", "revocation_endpoint": s.URL + "/revoke",
		"scopes_supported": []string{"read", "write", "offline_access"}, "response_types_supported": []string{"code"},
		"token_endpoint_auth_methods_supported": []string{"none", "client_secret_basic"},
		"code_challenge_methods_supported":      []string{"S256"}, "authorization_response_iss_parameter_supported": true,
	}
	if !s.options.NoRegistration {
		all["registration_endpoint"] = s.URL + "/register"
	}
	say(w, 200, all)
}

func (s *Server) register(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var asked struct {
		Redirects []string `json:"redirect_uris"`
		Method    string   `json:"token_endpoint_auth_method"`
		Grants    []string `json:"grant_types"`
		Type      string   `json:"application_type"`
	}
	if json.NewDecoder(r.Body).Decode(&asked) != nil || asked.Method != "none" || asked.Type != "native" ||
		len(asked.Redirects) != 1 || !strings.HasPrefix(asked.Redirects[0], "http://127.0.0.1") {
		s.refuse(w, "invalid_client_metadata", "want a native public client with a loopback redirect")
		return
	}
	id := rand.Text()
	s.clients[id] = client{redirects: asked.Redirects, grants: asked.Grants}
	s.Counts["register"]++
	say(w, http.StatusCreated, map[string]any{"client_id": id, "redirect_uris": asked.Redirects,
		"token_endpoint_auth_method": "none"})
}

// allowed reports whether the client may come back to the address. Those registered by hand may use any loopback port.
func (c client) allowed(redirect string) bool {
	if slices.Contains(c.redirects, redirect) {
		return true
	}
	u, err := url.Parse(redirect)
	return c.secret != "" && err == nil && u.Hostname() == "127.0.0.1" && u.Path == "/callback" && u.Scheme == "http"
}

func (s *Server) authorize(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	q := r.URL.Query()
	c, ok := s.clients[q.Get("client_id")]
	if !ok || !c.allowed(q.Get("redirect_uri")) {
		s.refuse(w, "invalid_client", "unknown client or redirect") // and nobody is sent there
		return
	}
	back := url.Values{"state": {q.Get("state")}, "iss": {s.issuer()}}
	if s.options.Returned != "" {
		back.Set("iss", s.options.Returned)
	}
	switch {
	case s.options.Deny:
		back.Set("error", "access_denied")
		back.Set("error_description", "the owner said no")
	case q.Get("response_type") != "code", len(q.Get("state")) < 16, q.Get("code_challenge_method") != "S256",
		len(q.Get("code_challenge")) != 43, !slices.Contains(c.grants, "authorization_code"):
		back.Set("error", "invalid_request")
	case q.Get("resource") != s.resource() && !s.options.Bare && !(c.secret != "" && q.Get("resource") == ""):
		back.Set("error", "invalid_target")
	default:
		code := s.secret()
		s.codes[code] = &grant{client: q.Get("client_id"), redirect: q.Get("redirect_uri"), scope: q.Get("scope"),
			challenge: q.Get("code_challenge"), resource: q.Get("resource"), until: time.Now().Add(time.Minute)}
		back.Set("code", code)
	}
	http.Redirect(w, r, q.Get("redirect_uri")+"?"+back.Encode(), http.StatusFound)
}

func (s *Server) device(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, ok := s.clients[r.PostFormValue("client_id")]
	if !ok {
		s.refuse(w, "invalid_client", "unknown")
		return
	}
	code, typed := s.secret(), rand.Text()[:8]
	g := &grant{client: r.PostFormValue("client_id"), scope: r.PostFormValue("scope"),
		resource: r.PostFormValue("resource"), until: time.Now().Add(time.Minute)}
	s.devices[code], s.users[typed] = g, g
	say(w, 200, map[string]any{"device_code": code, "user_code": typed, "verification_uri": s.URL + "/verify",
		"verification_uri_complete": s.URL + "/verify?user_code=" + typed, "expires_in": 60,
		"interval": max(1, s.options.Interval)})
}

func (s *Server) verify(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if g := s.users[r.URL.Query().Get("user_code")]; g != nil {
		g.approved = !s.options.Deny
		g.revoked = s.options.Deny
	}
}
