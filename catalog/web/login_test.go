package web

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"almanac/catalog/web/login"
	"almanac/internal/oauthtest"
)

// loggedIn is a server that wants a login, with one, and a client of its source. next gets what it lets through.
func loggedIn(t *testing.T, next http.HandlerFunc, more ...string) (*oauthtest.Server, *Client, *Vault) {
	t.Helper()
	s := oauthtest.New(oauthtest.Options{}, next)
	t.Cleanup(s.Close)
	store := login.NewStore(t.TempDir(), login.Keyring{})
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	target := login.Target{Resource: s.Resource.URL + "/mcp", Probes: []login.Probe{{Body: "{}"}}}
	if _, err := store.Login(ctx, "shop", target, login.Options{Open: oauthtest.Browse}); err != nil {
		t.Fatal(err)
	}
	v := NewVault(func(name string) string { return map[string]string{"SHOP_TOKEN": "from-the-environment"}[name] }, nil)
	c, err := New(Options{Origins: append(more, s.Resource.URL), Vault: v, Access: Access{Login: store.Of("shop")}})
	if err != nil {
		t.Fatal(err)
	}
	return s, c, v
}

// TestLoginToken: the token of the login goes in the place of the source's credential, is taken out of the answer, and
// where the server refuses it, a write is sent again with a new one, once, and done once.
func TestLoginToken(t *testing.T) {
	var done atomic.Int32
	s, c, _ := loggedIn(t, func(w http.ResponseWriter, r *http.Request) {
		done.Add(1)
		body, _ := io.ReadAll(r.Body)
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(map[string]any{"sent": r.Header.Get("Authorization"), "body": string(body)})
	})
	for round, renewed := range []int{0, 1} {
		if round == 1 {
			s.Revoke(false)
		}
		answer, err := c.Do(t.Context(), Request{Method: http.MethodPost, URL: s.Resource.URL + "/orders",
			Body: []byte("tea"), Auth: [][]Auth{{{Kind: Bearer, Names: []string{"SHOP_TOKEN"}}}}})
		if err != nil {
			t.Fatal(err)
		}
		data := answer.Data.(map[string]any)
		if data["sent"] != "Bearer [redacted]" || data["body"] != "tea" || int(done.Load()) != round+1 ||
			s.Count("refresh_token") != renewed {
			t.Errorf("round %d: %v, done %d times, %d renewals", round, data, done.Load(), s.Count("refresh_token"))
		}
	}
	s.Revoke(true)
	_, err := c.Do(t.Context(), Request{Method: http.MethodPost, URL: s.Resource.URL + "/orders"})
	const want = "shop: its login has ended (invalid_grant): run almanac login shop in a terminal"
	if err == nil || err.Error() != want || done.Load() != 2 {
		t.Errorf("got %v, done %d times", err, done.Load())
	}
}

// TestLoginStays: the token goes to no other server, redirected or called, and what was done before a redirect is not
// done again because of a refusal behind it.
func TestLoginStays(t *testing.T) {
	var seen []string
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		seen = append(seen, r.URL.Path+r.Header.Get("Authorization"))
		w.WriteHeader(http.StatusUnauthorized)
	}))
	defer other.Close()
	var done atomic.Int32
	s, c, _ := loggedIn(t, func(w http.ResponseWriter, r *http.Request) {
		done.Add(1)
		http.Redirect(w, r, other.URL+"/elsewhere", http.StatusSeeOther)
	}, other.URL)
	for _, address := range []string{s.Resource.URL + "/orders", other.URL + "/orders"} {
		_, err := c.Do(t.Context(), Request{Method: http.MethodPost, URL: address, Auth: [][]Auth{nil}})
		if err == nil || !strings.HasPrefix(err.Error(), "401") {
			t.Errorf("%s: %v", address, err)
		}
	}
	if got := strings.Join(seen, " "); got != "/elsewhere /orders" || done.Load() != 1 {
		t.Errorf("the other server saw %q, and the write was done %d times", got, done.Load())
	}
}

// TestLoginWanted: a server that says who gives tokens is worth a login, and what the configuration has goes before
// one.
func TestLoginWanted(t *testing.T) {
	s, c, v := loggedIn(t, func(w http.ResponseWriter, r *http.Request) {})
	u, _ := url.Parse(s.Resource.URL)
	none, err := New(Options{Origins: []string{s.Resource.URL}, Access: Access{
		Login: login.NewStore(t.TempDir(), login.Keyring{}).Of("shop")}})
	if err != nil {
		t.Fatal(err)
	}
	_, err = none.Do(t.Context(), Request{Method: http.MethodGet, URL: s.Resource.URL})
	if err == nil || !strings.HasSuffix(err.Error(), "; shop: it wants a login: run almanac login shop in a terminal") {
		t.Errorf("got %v", err)
	}
	if !c.o.Access.At(u).LoggedIn() || none.o.Access.At(u).LoggedIn() {
		t.Error("one has a login, the other has none")
	}
	own := c.o.Access
	own.Auth = []Auth{{Kind: Bearer, Names: []string{"SHOP_TOKEN"}}}
	configured, err := New(Options{Origins: []string{s.Resource.URL}, Vault: v, Access: own})
	if err != nil {
		t.Fatal(err)
	}
	if _, err = configured.Do(t.Context(), Request{Method: http.MethodGet, URL: s.Resource.URL}); err == nil {
		t.Error("the token of the login was sent in place of the configured one")
	}
}
