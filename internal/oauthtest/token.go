package oauthtest

// This file gives tokens, and asks for them.

import (
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
)

// authenticate finds the client of a request: public ones by their id, others by Basic
// and their secret, or in the form where the server is bare.
func (s *Server) authenticate(r *http.Request) (id string, c client, ok bool) {
	id, given, basic := r.BasicAuth()
	id, _ = url.QueryUnescape(id)
	if !basic {
		id, given = r.PostFormValue("client_id"), r.PostFormValue("client_secret")
	}
	c, ok = s.clients[id]
	return id, c, ok && c.secret == given && (basic == (c.secret != "") || s.options.Bare)
}

func (s *Server) token(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if r.ParseForm() != nil || r.URL.RawQuery != "" {
		s.refuse(w, "invalid_request", "want a form, and no query")
		return
	}
	for name, values := range r.PostForm {
		if len(values) != 1 {
			s.refuse(w, "invalid_request", name+" comes twice")
			return
		}
	}
	id, c, ok := s.authenticate(r)
	kind := r.PostForm.Get("grant_type")
	switch {
	case !ok:
		s.refuse(w, "invalid_client", "unknown client or a wrong secret")
		return
	case !slices.Contains(c.grants, kind):
		s.refuse(w, "unauthorized_client", kind)
		return
	}
	g, code, why := s.find(kind, id, r.PostForm)
	if code != "" {
		s.refuse(w, code, why)
		return
	}
	if g.resource != r.PostForm.Get("resource") {
		s.refuse(w, "invalid_target", "the resource is another than the one that was allowed")
		return
	}
	s.Counts[kind]++
	lifetime := s.options.Lifetime
	if lifetime == 0 {
		lifetime = time.Hour
	}
	access := s.secret()
	s.access[access] = &grant{client: id, resource: g.resource, scope: g.scope, until: time.Now().Add(lifetime)}
	answer := map[string]any{"access_token": access, "token_type": "Bearer", "scope": g.scope,
		"expires_in": int(lifetime.Seconds())}
	if kind != "client_credentials" && slices.Contains(c.grants, "refresh_token") {
		again := s.secret()
		s.refresh[again] = &grant{client: id, resource: g.resource, scope: g.scope}
		answer["refresh_token"] = again
	}
	say(w, 200, answer)
}

// find is the grant that a request is made of.
func (s *Server) find(kind, id string, form url.Values) (g *grant, code, why string) {
	switch kind {
	case "client_credentials":
		return &grant{client: id, resource: form.Get("resource"), scope: form.Get("scope")}, "", ""
	case "refresh_token":
		g = s.refresh[form.Get("refresh_token")]
	case "authorization_code":
		g = s.codes[form.Get("code")]
		sum := sha256.Sum256([]byte(form.Get("code_verifier")))
		if g != nil && (g.redirect != form.Get("redirect_uri") || len(form.Get("code_verifier")) < 43 ||
			g.challenge != base64.RawURLEncoding.EncodeToString(sum[:]) || time.Now().After(g.until)) {
			return nil, "invalid_grant", "redirect, verifier or time"
		}
	default:
		g = s.devices[form.Get("device_code")]
		switch {
		case g == nil:
		case g.revoked:
			return nil, "access_denied", ""
		case !g.approved:
			return nil, "authorization_pending", ""
		}
	}
	if g == nil || g.client != id || g.revoked {
		return nil, "invalid_grant", "unknown"
	}
	if g.used { // somebody has stolen it: everything of this client is taken back
		s.Counts["reused"]++
		for _, all := range []map[string]*grant{s.access, s.refresh} {
			for _, other := range all {
				other.revoked = other.revoked || other.client == id
			}
		}
		return nil, "invalid_grant", "used twice"
	}
	g.used = true
	return g, "", ""
}

func (s *Server) revoke(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	id, _, ok := s.authenticate(r)
	if g := s.refresh[r.PostFormValue("token")]; ok && g != nil && g.client == id {
		g.revoked = true
		for _, other := range s.access {
			other.revoked = other.revoked || other.client == id
		}
		s.Counts["revoke"]++
	}
}

// protect lets requests with a token for this server through.
func (s *Server) protect(w http.ResponseWriter, r *http.Request, next http.Handler) {
	token, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	s.mu.Lock()
	g := s.access[token]
	ok = ok && g != nil && !g.revoked && time.Now().Before(g.until) &&
		(g.resource == "" || g.resource == s.resource())
	s.mu.Unlock()
	if !ok {
		w.Header().Set("WWW-Authenticate", `Bearer scope="read", resource_metadata="`+s.Resource.URL+
			wellKnown+`/mcp"`)
		http.Error(w, "no token, or one that does not hold", http.StatusUnauthorized)
		return
	}
	r.Header.Set("Scope", g.scope)
	next.ServeHTTP(w, r)
}

// Browse does what a person with a browser does: it opens the address and follows redirects.
func Browse(address string) error {
	res, err := http.Get(address)
	if err == nil {
		err = res.Body.Close()
	}
	return err
}
