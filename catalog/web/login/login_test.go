package login

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"almanac/internal/oauthtest"
)

var hello = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, r.Header.Get("Scope")) })

// ring is a keyring in memory that takes values of at most limit bytes.
func ring(limit int) Keyring {
	var mu sync.Mutex
	kept := map[string]string{}
	return Keyring{
		Get: func(name string) (string, error) {
			mu.Lock()
			defer mu.Unlock()
			value, ok := kept[name]
			if !ok {
				return "", errors.New("not found")
			}
			return value, nil
		},
		Set: func(name, value string) error {
			mu.Lock()
			defer mu.Unlock()
			if len(value) > limit {
				return errors.New("too big")
			}
			kept[name] = value
			return nil
		},
		Delete: func(name string) error {
			mu.Lock()
			defer mu.Unlock()
			delete(kept, name)
			return nil
		},
	}
}

// target is the protected server of s as an MCP source names it.
func target(s *oauthtest.Server) Target {
	return Target{Resource: s.Resource.URL + "/mcp", Probes: []Probe{{Body: "{}"}}}
}

func browsing() Options { return Options{Open: oauthtest.Browse} }

// logged logs in, and fails the test where that fails.
func logged(t *testing.T, store *Store, s *oauthtest.Server, o Options) Login {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	l, err := store.Login(ctx, "shop", target(s), o)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// get asks the protected server, with what the account gives; again after a refusal.
func get(t *testing.T, a *Account, address string) (status int, body string, err error) {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	refused := ""
	for range 2 {
		token, err := a.Token(Refused(t.Context(), refused), u)
		if err != nil {
			return 0, "", err
		}
		req, _ := http.NewRequest(http.MethodGet, address, nil)
		if token != "" {
			req.Header.Set("Authorization", "Bearer "+token)
		}
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		text, _ := io.ReadAll(res.Body)
		res.Body.Close()
		status, body, refused = res.StatusCode, string(text), token
		if status != http.StatusUnauthorized {
			break
		}
	}
	return status, body, nil
}

func TestLogin(t *testing.T) {
	s := oauthtest.New(oauthtest.Options{}, hello)
	defer s.Close()
	for name, one := range map[string]struct {
		ring   Keyring
		inRing bool
	}{"keyring": {ring(1 << 20), true}, "no keyring": {Keyring{}, false}, "small keyring": {ring(100), false}} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "logins")
			store := NewStore(dir, one.ring)
			var shown string
			o := browsing()
			o.Show = func(address, _ string) { shown = address }
			l := logged(t, store, s, o)
			if l.InKeyring != one.inRing || l.Tokens != (tokens{}) || l.Issuer != s.URL || !strings.Contains(shown, s.URL) {
				t.Errorf("got %+v, shown %s", l, shown)
			}
			other := NewStore(dir, one.ring).Of("shop") // another session
			if status, body, err := get(t, other, s.Resource.URL+"/mcp/x"); status != 200 || body != "read offline_access" ||
				err != nil {
				t.Errorf("%d %q, %v", status, body, err)
			}
			info, err := os.Stat(store.File(l))
			if err != nil || info.Mode().Perm() != 0o600 {
				t.Errorf("%v, %v", info.Mode(), err)
			}
			text, _ := os.ReadFile(store.File(l))
			for _, secret := range store.Secrets() {
				if strings.Contains(string(text), secret) == one.inRing {
					t.Errorf("in the keyring %v, and the file is %s", one.inRing, text)
				}
			}
			if all := store.List(""); len(all) != 1 || all[0].Err != nil || !all[0].Renews || all[0].Tokens != (tokens{}) {
				t.Errorf("listed %+v", all)
			}
			before := s.Count("revoke")
			if n, err := store.Logout(t.Context(), "shop"); n != 1 || err != nil || s.Count("revoke") != before+1 {
				t.Errorf("logout of %d, %v, revoked %d", n, err, s.Count("revoke"))
			}
			if status, _, err := get(t, other, s.Resource.URL+"/mcp"); status != 401 || err != nil {
				t.Errorf("after the logout: %d, %v", status, err)
			}
		})
	}
	if s.Count("refused") > 0 {
		t.Errorf("the server refused %d requests", s.Count("refused"))
	}
}

// TestRenewedOnce has many sessions meet the end of a token: one renews it, and all go on with the new one.
func TestRenewedOnce(t *testing.T) {
	s := oauthtest.New(oauthtest.Options{Lifetime: time.Second}, hello)
	defer s.Close()
	dir := t.TempDir()
	logged(t, NewStore(dir, Keyring{}), s, browsing())
	var sessions []*Account
	for range 25 {
		sessions = append(sessions, NewStore(dir, Keyring{}).Of("shop"))
	}
	s.Change(func(o *oauthtest.Options) { o.Lifetime = time.Hour })
	at, _ := url.Parse(s.Resource.URL)
	for round, want := range []int{1, 2} {
		if round == 0 {
			time.Sleep(1100 * time.Millisecond)
		} else {
			s.Revoke(false) // the server takes the tokens back before their time
		}
		var all sync.WaitGroup
		for _, a := range sessions {
			all.Go(func() {
				if status, _, err := get(t, a, s.Resource.URL+"/mcp"); status != 200 || err != nil {
					t.Errorf("%d, %v", status, err)
				}
			})
		}
		all.Wait()
		if got := s.Count("refresh_token"); got != want || s.Count("reused") > 0 || s.Count("refused") > 0 {
			t.Errorf("round %d: %d renewals, %d reused, %d refused", round, got, s.Count("reused"), s.Count("refused"))
		}
	}
	elsewhere, _ := url.Parse("https://evil.example.com/mcp")
	plain := *at
	plain.Host = "127.0.0.1:1"
	for _, u := range []*url.URL{elsewhere, &plain} {
		if token, err := sessions[0].Token(t.Context(), u); token != "" || err != nil {
			t.Errorf("%s got the token (%v)", u, err)
		}
	}
}

func TestEnded(t *testing.T) {
	s := oauthtest.New(oauthtest.Options{}, hello)
	defer s.Close()
	dir := t.TempDir()
	logged(t, NewStore(dir, Keyring{}), s, browsing())
	s.Revoke(true)
	for range 3 { // the server is asked once
		_, _, err := get(t, NewStore(dir, Keyring{}).Of("shop"), s.Resource.URL+"/mcp")
		var needed *NeededError
		const want = "shop: its login has ended (invalid_grant): run almanac login shop in a terminal"
		if !errors.As(err, &needed) || err.Error() != want {
			t.Errorf("got %v", err)
		}
	}
	if got := s.Count("refused"); got != 1 {
		t.Errorf("the server was asked %d times", got)
	}
	logged(t, NewStore(dir, Keyring{}), s, browsing())
	a := NewStore(dir, Keyring{}).Of("shop")
	if status, _, err := get(t, a, s.Resource.URL+"/mcp"); status != 200 || err != nil {
		t.Errorf("logged in again: %d, %v", status, err)
	}
	s.Revoke(false)
	s.Server.Close() // and nobody renews it
	_, _, err := get(t, a, s.Resource.URL+"/mcp")
	if err == nil || !strings.Contains(err.Error(), "shop: its login could not be renewed: 127.0.0.1") {
		t.Errorf("got %v", err)
	}
}

func TestDevice(t *testing.T) {
	s := oauthtest.New(oauthtest.Options{}, hello)
	defer s.Close()
	store, o := NewStore(t.TempDir(), Keyring{}), browsing()
	o.Device = true
	var typed string
	o.Show = func(_, code string) { typed = code }
	if l := logged(t, store, s, o); l.Grant != "device" || len(typed) != 8 {
		t.Errorf("got %+v, typed %q", l, typed)
	}
	if status, _, err := get(t, store.Of("shop"), s.Resource.URL+"/mcp"); status != 200 || err != nil {
		t.Errorf("%d, %v", status, err)
	}
}

// A server that does not answer while a code is typed is asked again until the code ends.
func TestDeviceSilent(t *testing.T) {
	for _, c := range []struct {
		name          string
		lost, expires int // requests that get no answer; seconds
		want          string
	}{
		{"once", 1, 60, ""},
		{"always", 100, 2, "nobody typed the code in time, or it is not known: 127.0.0.1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var asked atomic.Int32
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", "application/json")
				if r.URL.Path == "/device" {
					fmt.Fprintf(w, `{"device_code":"d","user_code":"U","verification_uri":"http://%s/","expires_in":%d,`+
						`"interval":1}`, r.Host, c.expires)
				} else if asked.Add(1) <= int32(c.lost) {
					panic(http.ErrAbortHandler)
				} else {
					fmt.Fprint(w, `{"access_token":"token-of-device","token_type":"Bearer"}`)
				}
			}))
			defer s.Close()
			at := Target{Resource: s.URL + "/x", TokenURL: s.URL + "/token", DeviceURL: s.URL + "/device"}
			_, err := NewStore(t.TempDir(), Keyring{}).Login(t.Context(), "shop", at,
				Options{Device: true, Client: Client{ID: "known"}})
			if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
				t.Errorf("got %v, want %s", err, c.want)
			}
			if asked.Load() < 2 && c.want == "" {
				t.Error("it was asked once")
			}
		})
	}
}

// A file that is damaged, or that others can read, is named with its remedy: requests do not go without a login.
func TestBadFiles(t *testing.T) {
	s := oauthtest.New(oauthtest.Options{}, hello)
	defer s.Close()
	dir := t.TempDir()
	file := NewStore(dir, Keyring{}).File(logged(t, NewStore(dir, Keyring{}), s, browsing()))
	good, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		text string
		mode os.FileMode
		want string
	}{
		{"", 0o600, " is damaged"},
		{"null", 0o600, " is damaged"},
		{string(good[:len(good)/2]), 0o600, " is damaged"},
		{string(good), 0o644, " has its tokens, and others can read it"},
	} {
		if runtime.GOOS == "windows" && c.mode != 0o600 {
			continue
		}
		if err := errors.Join(os.WriteFile(file, []byte(c.text), 0o600), os.Chmod(file, c.mode)); err != nil {
			t.Fatal(err)
		}
		store := NewStore(dir, Keyring{})
		_, _, err := get(t, store.Of("shop"), s.Resource.URL+"/mcp")
		want := "shop: " + file + c.want + ": run almanac login shop in a terminal"
		if err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
		if all := store.List(""); len(all) != 1 || all[0].Source != "shop" || all[0].Err == nil {
			t.Errorf("listed as %+v", all)
		}
	}
	logged(t, NewStore(dir, Keyring{}), s, browsing())
	if status, _, err := get(t, NewStore(dir, Keyring{}).Of("shop"), s.Resource.URL+"/mcp"); status != 200 || err != nil {
		t.Errorf("logged in again: %d, %v", status, err)
	}
}

func TestPrograms(t *testing.T) {
	s := oauthtest.New(oauthtest.Options{NoRegistration: true, Lifetime: time.Second}, hello)
	defer s.Close()
	store := NewStore(t.TempDir(), Keyring{})
	o := Options{Scopes: []string{"read"}, Client: Client{ID: "known", Grant: "application",
		Secret: func() (string, error) { return "client-secret-1", nil }}}
	logged(t, store, s, o)
	time.Sleep(1100 * time.Millisecond)
	status, body, err := get(t, store.Of("shop"), s.Resource.URL+"/mcp")
	if status != 200 || body != "read" || err != nil {
		t.Errorf("%d %q, %v", status, body, err)
	}
	if n := s.Count("client_credentials"); n != 2 || s.Count("refused") > 0 {
		t.Errorf("%d tokens, %d refused", n, s.Count("refused"))
	}
}

// TestRefusedLogins has servers that lie or refuse: nothing is kept, no request carries a secret elsewhere, and the
// error says what is wrong.
func TestRefusedLogins(t *testing.T) {
	open := httptest.NewServer(hello)
	defer open.Close()
	for _, c := range []struct {
		name string
		o    oauthtest.Options
		with func(s *oauthtest.Server, t *Target, o *Options)
		want string
	}{
		{"denied", oauthtest.Options{Deny: true}, nil, "the login was refused (access_denied: the owner said no)"},
		{"a code is denied", oauthtest.Options{Deny: true}, func(_ *oauthtest.Server, _ *Target, o *Options) {
			o.Device = true
		}, "refuses (access_denied)"},
		{"another issuer answers", oauthtest.Options{Returned: "https://evil.example.com"}, nil,
			`the browser came back from "https://evil.example.com", want http://127.0.0.1`},
		{"the issuer lies", oauthtest.Options{Issuer: "https://bank.example.com"}, nil,
			"it calls itself https://bank.example.com: not trusted"},
		{"no registration", oauthtest.Options{NoRegistration: true}, nil,
			"programs cannot register themselves there: register one and set client_id in [sources.shop.auth.login]"},
		{"metadata of another server", oauthtest.Options{}, func(s *oauthtest.Server, t *Target, _ *Options) {
			t.Resource = s.Resource.URL + "/other"
		}, "/mcp, want http"},
		{"no login wanted", oauthtest.Options{}, func(_ *oauthtest.Server, t *Target, _ *Options) {
			t.Resource = open.URL
		}, "it answers without a login"},
		{"plain http", oauthtest.Options{}, func(_ *oauthtest.Server, t *Target, _ *Options) {
			t.Resource = "http://shop.example.com/mcp"
		}, "a token must not go over plain http"},
		{"a wrong secret", oauthtest.Options{}, func(_ *oauthtest.Server, _ *Target, o *Options) {
			o.Client = Client{ID: "known", Secret: func() (string, error) { return "wrong-secret-1", nil }}
		}, "refuses (invalid_client: unknown client or a wrong secret)"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := oauthtest.New(c.o, hello)
			defer s.Close()
			dir := t.TempDir()
			at, o := target(s), browsing()
			if c.with != nil {
				c.with(s, &at, &o)
			}
			_, err := NewStore(dir, Keyring{}).Login(t.Context(), "shop", at, o)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Fatalf("got %v\nwant %s", err, c.want)
			}
			for _, secret := range append(s.Given(), "wrong-secret-1") {
				if strings.Contains(err.Error(), secret) {
					t.Errorf("the error has a secret: %v", err)
				}
			}
			if kept, _ := os.ReadDir(dir); len(kept) > 0 {
				t.Errorf("kept %v", kept)
			}
		})
	}
}

// TestDocument logs in where a document says who gives tokens, which says nothing of itself.
func TestDocument(t *testing.T) {
	s := oauthtest.New(oauthtest.Options{Bare: true}, hello)
	defer s.Close()
	at := Target{Resource: s.Resource.URL + "/mcp", AuthURL: s.URL + "/authorize", TokenURL: s.URL + "/token",
		Scopes: []string{"read"}}
	store, o := NewStore(t.TempDir(), Keyring{}), browsing()
	o.Client = Client{ID: "known", Secret: func() (string, error) { return "client-secret-1", nil }}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	if _, err := store.Login(ctx, "shop", at, o); err != nil {
		t.Fatal(err)
	}
	s.Revoke(false)
	if status, body, err := get(t, store.Of("shop"), s.Resource.URL+"/x"); status != 200 || body != "read" || err != nil {
		t.Errorf("%d %q, %v", status, body, err)
	}
}

// TestForeignCallback sends the browser back with another state: nothing comes of it, and the login goes on.
func TestForeignCallback(t *testing.T) {
	s := oauthtest.New(oauthtest.Options{}, hello)
	defer s.Close()
	o := Options{Open: func(address string) error {
		u, _ := url.Parse(address)
		back := u.Query().Get("redirect_uri")
		for _, query := range []string{"?state=other&code=stolen", "?code=stolen", "?error=access_denied", "/../x?state="} {
			res, err := http.Get(back + query)
			if err != nil {
				return err
			}
			res.Body.Close()
			if res.StatusCode < 400 {
				t.Errorf("%s: %d", query, res.StatusCode)
			}
		}
		return oauthtest.Browse(address)
	}}
	if l := logged(t, NewStore(t.TempDir(), Keyring{}), s, o); l.Source != "shop" {
		t.Errorf("got %+v", l)
	}
}

// TestWait ends a login that nobody answers.
func TestWait(t *testing.T) {
	s := oauthtest.New(oauthtest.Options{}, hello)
	defer s.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	_, err := NewStore(t.TempDir(), Keyring{}).Login(ctx, "shop", target(s), Options{})
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
}

// A server may let everybody begin and refuse what comes then; what the first refusal says counts.
func TestProbes(t *testing.T) {
	for _, c := range []struct{ name, open, refused, place, scopes, err string }{
		{"all are refused", "", "first second", "", "first", ""},
		{"the first is open", "first", "second", "", "second", ""},
		{"all are open", "first second", "", "", "", "it answers without a login"},
		{"one is open, one is wrong", "first", "", "", "", "it answers without a login"},
		{"all are wrong", "", "", "", "", ""},
	} {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			switch {
			case strings.Contains(c.open, string(body)):
			case strings.Contains(c.refused, string(body)):
				w.Header().Set("WWW-Authenticate", fmt.Sprintf(`Bearer scope="%s"`, r.Header.Get("Version")))
				w.WriteHeader(http.StatusUnauthorized)
			default:
				w.WriteHeader(http.StatusBadRequest)
			}
		}))
		place, scopes, err := probe(t.Context(), Target{Resource: s.URL, Probes: []Probe{
			{Body: "first", Header: map[string]string{"Version": "first"}},
			{Body: "second", Header: map[string]string{"Version": "second"}},
		}})
		if place != c.place || strings.Join(scopes, " ") != c.scopes || (err == nil) != (c.err == "") ||
			err != nil && !strings.Contains(err.Error(), c.err) {
			t.Errorf("%s: %q, %q, %v", c.name, place, scopes, err)
		}
		s.Close()
	}
}

// What a server wants beyond a login is asked of the person, together with what the login has; a scope that would be
// more than a word in a command line is in none.
func TestWider(t *testing.T) {
	s := oauthtest.New(oauthtest.Options{}, hello)
	defer s.Close()
	store := NewStore(t.TempDir(), Keyring{})
	logged(t, store, s, browsing())
	a := store.Of("shop")
	at, _ := url.Parse(s.Resource.URL + "/mcp")
	token, err := a.Token(t.Context(), at)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		status                 int
		token, challenge, want string
	}{
		{403, token, `Bearer error="insufficient_scope", scope="read write:all"`,
			"shop: it wants more than the login may: run almanac login shop --scope read --scope offline_access " +
				"--scope write:all in a terminal"},
		{403, token, `Bearer error="insufficient_scope"`,
			"shop: it wants more than the login may: run almanac login shop --scope read --scope offline_access in a terminal"},
		{403, token, `Bearer error="insufficient_scope", scope="$(touch${IFS}x) -e"`,
			"shop: it wants more than the login may: run almanac login shop in a terminal"},
		{403, token, "", ""},
		{401, token, `Bearer error="insufficient_scope", scope="write"`, ""},
		{403, "another", `Bearer error="insufficient_scope", scope="write"`, ""},
	} {
		req := &http.Request{URL: at, Header: http.Header{"Authorization": {"Bearer " + c.token}}}
		got := ""
		if err := a.Wider(req, &http.Response{StatusCode: c.status,
			Header: http.Header{"Www-Authenticate": {c.challenge}}}); err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%d %s: %s", c.status, c.challenge, got)
		}
	}
}
