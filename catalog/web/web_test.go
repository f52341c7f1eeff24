package web

import (
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"almanac/catalog"
)

// client returns a client for servers.
func client(t *testing.T, o Options, servers ...*httptest.Server) *Client {
	t.Helper()
	for _, s := range servers {
		o.Origins = append(o.Origins, s.URL)
	}
	c, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

func serve(t *testing.T, handle http.HandlerFunc) *httptest.Server {
	s := httptest.NewServer(handle)
	t.Cleanup(s.Close)
	return s
}

func get(t *testing.T, c *Client, address string) (Answer, error) {
	return c.Do(t.Context(), Request{Method: http.MethodGet, URL: address, JSON: true})
}

// TestFaults is what servers do wrong. Nothing hangs, and each error says what to do.
func TestFaults(t *testing.T) {
	release := make(chan struct{})
	defer close(release)
	hijack := func(text string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			conn, _, err := w.(http.Hijacker).Hijack()
			if err != nil {
				panic(err)
			}
			io.WriteString(conn, text)
			conn.Close()
		}
	}
	reply := func(status int, kind, text string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", kind)
			w.WriteHeader(status)
			io.WriteString(w, text)
		}
	}
	for _, test := range []struct {
		name   string
		handle http.HandlerFunc
		want   string
		again  bool
	}{
		{"hang", func(_ http.ResponseWriter, r *http.Request) {
			select {
			case <-r.Context().Done():
			case <-release:
			}
		}, "no answer within 300ms", false},
		{"drop", hijack(""), "closed the connection: try again later", true},
		{"half a body", hijack("HTTP/1.1 200 OK\r\nContent-Length: 100\r\nContent-Type: application/json\r\n\r\n{\"a\":"),
			"the response broke off after 5 bytes: unexpected EOF", true},
		{"flood", func(w http.ResponseWriter, _ *http.Request) {
			block := []byte(strings.Repeat("x", 1<<20))
			for range 100 {
				if _, err := w.Write(block); err != nil {
					return
				}
			}
		}, "the response exceeds 1 MiB: ask for less, with a filter or a smaller page", false},
		{"bomb", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", "gzip")
			z := gzip.NewWriter(w)
			for range 100 {
				z.Write(make([]byte, 1<<20))
			}
			z.Close()
		}, "the response exceeds 1 MiB", false},
		{"endless headers", hijack("HTTP/1.1 200 OK\r\nX: " + strings.Repeat("x", 2<<20)), "did not answer", true},
		{"wrong type", reply(200, "text/html", "<html>Log in"),
			`want JSON, got text/html, starting "<html>Log in"; check the server's address`, false},
		{"invalid JSON", reply(200, "application/json", `{"a": nope}`),
			"the response is declared application/json but is not: invalid character 'o'", false},
		{"two values", reply(200, "application/json", `{} {}`), "unexpected text after the value", false},
		{"no HTTP", hijack("SSH-2.0\r\n"), "did not answer: ", true},
		{"429 for ever", reply(429, "application/json", `{"message":"slow down"}`),
			"429 Too Many Requests: slow down; rate limited: try again later, with fewer calls at a time", true},
		{"429 with a long wait", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", "3600")
			w.WriteHeader(429)
		}, "429 Too Many Requests; rate limited: try again in 1 hour", true},
		{"broken server", reply(503, "text/html", "<html>oops"),
			"503 Service Unavailable; the server failed: try again later", true},
		{"refusal", reply(422, "application/problem+json", `{"errors":[{"detail":"no\u001b[2J such\npet"}]}`),
			"422 Unprocessable Entity: no such pet", false},
	} {
		t.Run(test.name, func(t *testing.T) {
			var sent atomic.Int32
			s := serve(t, func(w http.ResponseWriter, r *http.Request) {
				sent.Add(1)
				test.handle(w, r)
			})
			o := Options{MaxBody: 1 << 20}
			if test.name == "hang" {
				o.Timeout = 300 * time.Millisecond
			}
			c := client(t, o, s)
			_, err := get(t, c, s.URL+"/a?key=very-secret")
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got  %v\nwant %s", err, test.want)
			}
			if err != nil && strings.Contains(err.Error(), "very-secret") {
				t.Errorf("the error shows the query: %v", err)
			}
			if sent.Load() != 1 {
				t.Errorf("sent %d times", sent.Load())
			}
			if transient := (*catalog.Transient)(nil); errors.As(err, &transient) != test.again {
				t.Errorf("another attempt may help: want %v", test.again)
			}
		})
	}
}

// TestTransient: what another attempt may help against says so, and how long the server asked to wait.
func TestTransient(t *testing.T) {
	for _, test := range []struct {
		status int
		after  string
		want   time.Duration // below zero where another attempt cannot help
	}{
		{502, "", 0}, {429, "7", 7 * time.Second}, {500, "", 0}, {429, "", 0}, {501, "", -1}, {404, "", -1},
	} {
		s := serve(t, func(w http.ResponseWriter, _ *http.Request) {
			if test.after != "" {
				w.Header().Set("Retry-After", test.after)
			}
			w.WriteHeader(test.status)
		})
		_, err := client(t, Options{}, s).Do(t.Context(), Request{Method: http.MethodPost, URL: s.URL, Body: []byte("{}")})
		var status *StatusError
		if !errors.As(err, &status) || status.Status != test.status {
			t.Errorf("%d: got %v", test.status, err)
		}
		got := time.Duration(-1)
		if transient := (*catalog.Transient)(nil); errors.As(err, &transient) {
			got = transient.After
		}
		if got != test.want {
			t.Errorf("%d: another attempt after %v, want %v", test.status, got, test.want)
		}
	}
}

// TestRedirects: they are followed among the source's own servers, and credentials do not go along to another.
func TestRedirects(t *testing.T) {
	var seen []string
	note := func(w http.ResponseWriter, r *http.Request) {
		seen = append(seen, r.Method+" "+r.Header.Get("Authorization")+r.Header.Get("X-Key"))
		fmt.Fprint(w, `"here"`)
	}
	other := serve(t, note)
	foreign := serve(t, note)
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		status := http.StatusTemporaryRedirect
		switch r.URL.Path {
		case "/other":
			http.Redirect(w, r, other.URL+"/x", http.StatusFound)
		case "/foreign":
			http.Redirect(w, r, foreign.URL+"/x", status)
		case "/loop":
			http.Redirect(w, r, "/loop", status)
		case "/moved":
			http.Redirect(w, r, "/end", http.StatusMovedPermanently)
		case "/see":
			http.Redirect(w, r, "/end", http.StatusSeeOther)
		case "/same":
			http.Redirect(w, r, "/end", status)
		default:
			note(w, r)
		}
	})
	vault := NewVault(func(name string) string { return map[string]string{"T": "token-1", "K": "key-22"}[name] }, nil)
	c := client(t, Options{Vault: vault}, s, other)
	auth := [][]Auth{{{Kind: Bearer, Names: []string{"T"}},
		{Kind: Key, Place: "header", Field: "X-Key", Names: []string{"K"}}}}
	for _, test := range []struct{ method, path, seen, want string }{
		{"GET", "/other", "GET ", ""},
		{"GET", "/same", "GET Bearer token-1key-22", ""},
		{"POST", "/same", "POST Bearer token-1key-22", ""},
		{"POST", "/see", "GET Bearer token-1key-22", ""},
		{"GET", "/foreign", "", "not a server of this source: not followed; if it may be reached, add it to allow"},
		{"POST", "/moved", "", "a write is not redirected to another server"},
		{"GET", "/loop", "", "redirected more than 10 times"},
	} {
		seen = nil
		_, err := c.Do(t.Context(),
			Request{Method: test.method, URL: s.URL + test.path, Body: []byte("{}"), Auth: auth})
		if got := strings.Join(seen, "; "); got != test.seen {
			t.Errorf("%s %s: the end saw %q, want %q", test.method, test.path, got, test.seen)
		}
		if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
			t.Errorf("%s %s: got %v, want %q", test.method, test.path, err, test.want)
		}
	}
	if _, err := get(t, c, foreign.URL); err == nil || !strings.Contains(err.Error(), "is not a server of this source") {
		t.Errorf("a foreign host: %v", err)
	}
	if _, err := get(t, c, "file:///etc/passwd"); err == nil {
		t.Error("a file was read")
	}
}

// TestRedirectsTellNothing: a key in the query of an address does not go along as the Referer of the next request.
func TestRedirectsTellNothing(t *testing.T) {
	var seen []string
	other := serve(t, func(w http.ResponseWriter, r *http.Request) {
		seen = append(seen, r.URL.RequestURI()+" "+r.Referer())
		fmt.Fprint(w, `"here"`)
	})
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/here" {
			http.Redirect(w, r, "/there", http.StatusFound)
			return
		}
		http.Redirect(w, r, other.URL+"/x", http.StatusFound)
	})
	vault := NewVault(func(name string) string { return map[string]string{"K": "key-22"}[name] }, nil)
	access := Access{Allow: []string{other.URL}, Query: map[string]string{"team": "7"}}
	c := client(t, Options{Vault: vault, Access: access}, s)
	auth := [][]Auth{{{Kind: Key, Place: "query", Field: "key", Names: []string{"K"}}}}
	for _, test := range []struct{ path, own, want string }{
		{"/x", "", "/x "}, {"/here", "", "/x "}, {"/here", "https://app.example.com/", "/x https://app.example.com/"},
	} {
		seen = nil
		r := Request{Method: "GET", URL: s.URL + test.path, Auth: auth, Header: http.Header{}}
		if test.own != "" {
			r.Header.Set("Referer", test.own)
		}
		if _, err := c.Do(t.Context(), r); err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(seen, "; "); got != test.want {
			t.Errorf("%s: the other server saw %q, want %q", test.path, got, test.want)
		}
	}
}

func TestAllows(t *testing.T) {
	for _, bad := range []string{"", "api.example.com", "ftp://x", "file:///etc", "https://"} {
		if _, err := New(Options{Origins: []string{bad}}); err == nil {
			t.Errorf("%q passes for a server", bad)
		}
	}
	c, err := New(Options{Origins: []string{"https://API.example.com/v1", "http://localhost:8080"}})
	if err != nil {
		t.Fatal(err)
	}
	for address, want := range map[string]bool{
		"https://api.example.com/x": true, "https://api.example.com:443/": true, "http://localhost:8080/": true,
		"http://api.example.com/": false, "https://api.example.com:444/": false,
		"https://api.example.com.evil.example/": false,
		"https://api.example.com@evil.example/": false, "http://localhost/": false, "https://user@api.example.com/": true,
	} {
		_, err := c.Do(canceled(), Request{Method: http.MethodGet, URL: address})
		if refused := strings.Contains(fmt.Sprint(err), "is not a server"); refused == want {
			t.Errorf("%s: allowed %v, want %v (%v)", address, !refused, want, err)
		}
	}
}

// canceled is a context in which nothing is sent.
func canceled() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return ctx
}

// TestCredentials shows where each kind goes, and that no value comes back.
func TestCredentials(t *testing.T) {
	var line string
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/token" {
			user, password, _ := r.BasicAuth()
			if user != "client-id" || password != "client-secret" {
				w.Header().Set("Content-Type", "application/json")
				w.WriteHeader(http.StatusUnauthorized)
				fmt.Fprint(w, `{"error":"invalid_client"}`)
				return
			}
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprint(w, `{"access_token":"issued-token","token_type":"bearer","expires_in":3600}`)
			return
		}
		cookie := ""
		if c, err := r.Cookie("sid"); err == nil {
			cookie = c.Value
		}
		line = strings.TrimSpace(r.Header.Get("Authorization") + " " + r.URL.RawQuery + " " +
			cookie + " " + r.Header.Get("X-Key"))
		if r.URL.Path == "/no" {
			w.WriteHeader(401)
		}
		fmt.Fprintf(w, `{"message": "you sent %s"}`, line)
	})
	values := map[string]string{"TOKEN": "sesame", "USER": "hannah", "PASSWORD": "pass&word", "KEY": "k y-123",
		"ID": "client-id", "SECRET": "client-secret", "BAD": "mistaken"}
	ring := map[string]string{"RING": "from-the-ring"}
	vault := NewVault(func(name string) string { return values[name] }, func(name string) (string, error) {
		if v, ok := ring[name]; ok {
			return v, nil
		}
		return "", errors.New("none")
	})
	c := client(t, Options{Vault: vault}, s)
	key := func(place, field, name string) Auth {
		return Auth{Kind: Key, Place: place, Field: field, Names: []string{name}}
	}
	missing := Auth{Kind: Bearer, Names: []string{"NOT_SET"}}
	for _, test := range []struct {
		name string
		auth [][]Auth
		want string
	}{
		{"none", nil, ""},
		{"bearer", [][]Auth{{{Kind: Bearer, Names: []string{"TOKEN"}}}}, "Bearer sesame"},
		{"basic", [][]Auth{{{Kind: Basic, Names: []string{"USER", "PASSWORD"}}}}, "Basic aGFubmFoOnBhc3Mmd29yZA=="},
		{"key in the query", [][]Auth{{key("query", "api key", "KEY")}}, "api+key=k+y-123"},
		{"key in a header", [][]Auth{{key("header", "X-Key", "KEY")}}, "k y-123"},
		{"key in a cookie", [][]Auth{{key("cookie", "sid", "TOKEN")}}, "sesame"},
		{"two together", [][]Auth{{{Kind: Bearer, Names: []string{"TOKEN"}}, key("header", "X-Key", "RING")}},
			"Bearer sesame   from-the-ring"},
		{"the alternative that is there",
			[][]Auth{{missing}, {key("header", "X-Key", "KEY"), missing}, {key("query", "k", "TOKEN")}}, "k=sesame"},
		{"nothing is there", [][]Auth{{missing}}, ""},
		{"client credentials", [][]Auth{{{Kind: OAuth2, Names: []string{"ID", "SECRET", "NOT_SET"},
			TokenURL: s.URL + "/token"}}}, "Bearer issued-token"},
		{"a token instead", [][]Auth{{{Kind: OAuth2, Names: []string{"NOT_SET", "NOT_SET", "TOKEN"}}}}, "Bearer sesame"},
	} {
		got, err := c.Do(t.Context(), Request{Method: http.MethodGet, URL: s.URL + "/", Auth: test.auth})
		if err != nil || line != test.want {
			t.Errorf("%s: the server got %q, want %q (%v)", test.name, line, test.want, err)
		}
		for _, secret := range vault.Secrets() {
			if strings.Contains(fmt.Sprint(got.Data), secret) {
				t.Errorf("%s: the answer holds %q: %v", test.name, secret, got.Data)
			}
		}
	}
	_, err := c.Do(t.Context(),
		Request{Method: http.MethodGet, URL: s.URL + "/no",
			Auth: [][]Auth{{missing}, {{Kind: Bearer, Names: []string{"OTHER"}}}}})
	if want := "check the credential: NOT_SET, OTHER in the environment or the system keyring"; err == nil ||
		!strings.Contains(err.Error(), want) {
		t.Errorf("got %v, want %s", err, want)
	}
	_, err = c.Do(t.Context(),
		Request{Method: http.MethodGet, URL: s.URL + "/",
			Auth: [][]Auth{{{Kind: OAuth2, Names: []string{"ID", "BAD"}, TokenURL: s.URL + "/token"}}}})
	if err == nil || !strings.Contains(err.Error(),
		"refused a token (401 Unauthorized, invalid_client): check ID and BAD") || strings.Contains(err.Error(), "mistaken") {
		t.Errorf("a wrong client secret: %v", err)
	}
	_, err = c.Do(t.Context(),
		Request{Method: http.MethodGet, URL: s.URL + "/",
			Auth: [][]Auth{{{Kind: OAuth2, Names: []string{"ID", "SECRET"}, TokenURL: "http://foreign.example/token"}}}})
	if err == nil || !strings.Contains(err.Error(), "no https token endpoint") {
		t.Errorf("a token over plain http: %v", err)
	}
}

// TestConfiguredValues: of several values of the configuration those that exist are sent, only what is missing is
// named, and what cannot be had or sent is an error before anything is.
func TestConfiguredValues(t *testing.T) {
	var seen []string
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		sent := r.Header.Get("Authorization") + " " + r.Header.Get("X-Key") + " " + r.URL.RawQuery
		seen = append(seen, strings.TrimSpace(sent))
		w.WriteHeader(http.StatusUnauthorized)
	})
	values := map[string]string{"KEY": "key-1", "TOKEN": "token-1", "LINES": "one\ntwo"}
	header := func(name string) Auth { return Auth{Kind: Key, Place: "header", Field: "X-Key", Names: []string{name}} }
	query := func(name string) Auth { return Auth{Kind: Key, Place: "query", Field: "q", Names: []string{name}} }
	bearer := func(name string) []Auth { return []Auth{{Kind: Bearer, Names: []string{name}}} }
	secrets := map[string]Secret{
		"fails": {Command: []string{"false"}}, "two": {Command: []string{"printf", "a\nb"}},
	}
	const hint = "check the credential: "
	for _, test := range []struct {
		name       string
		access     Access
		asked      [][]Auth
		seen, want string
	}{
		{"both", Access{Always: []Auth{header("KEY"), query("TOKEN")}}, nil, "key-1 q=token-1", hint + "KEY, TOKEN in"},
		{"one of two", Access{Always: []Auth{header("KEY"), query("NOT_SET")}}, nil, "key-1", hint + "NOT_SET in"},
		{"its own is not", Access{Always: []Auth{header("KEY")}}, [][]Auth{bearer("NOT_SET")}, "key-1",
			hint + "NOT_SET in"},
		{"none of its own", Access{Always: []Auth{query("NOT_SET")}}, [][]Auth{bearer("TOKEN")}, "Bearer token-1",
			hint + "NOT_SET in"},
		{"a failed command", Access{Auth: bearer("fails"), Always: []Auth{header("KEY")}}, nil, "",
			"fails: its command failed: false: exit status 1"},
		{"a failed password", Access{Auth: []Auth{{Kind: Basic, Names: []string{"KEY", "fails"}}}}, nil, "",
			"fails: its command failed"},
		{"two lines", Access{Always: []Auth{header("two")}}, nil, "",
			"two: its command failed: printf: want it to print one line"},
		{"a name", Access{Header: map[string]string{"Bad Name": "x"}}, nil, "", `header "Bad Name": a name has`},
		{"a value", Access{Always: []Auth{header("LINES")}}, nil, "", "header X-Key: the value has a line break"},
	} {
		seen = nil
		test.access.Secrets = secrets
		vault := NewVault(func(name string) string { return values[name] }, nil)
		vault.From(secrets)
		c := client(t, Options{Vault: vault, Access: test.access}, s)
		_, err := c.Do(t.Context(), Request{Method: http.MethodGet, URL: s.URL, Auth: test.asked})
		if err == nil || !strings.Contains(err.Error(), test.want) || errors.As(err, new(*catalog.Transient)) {
			t.Errorf("%s: %v, want %s", test.name, err, test.want)
		}
		if got := strings.Join(seen, "; "); got != test.seen {
			t.Errorf("%s: the server saw %q, want %q", test.name, got, test.seen)
		}
	}
}

func TestDecode(t *testing.T) {
	for _, test := range []struct {
		kind, text string
		wantJSON   bool
		data       any
		note       string
	}{
		{"application/json", `[1, 2.5, "x", null]`, true, []any{int64(1), 2.5, "x", nil}, ""},
		{"application/vnd.api+json; charset=utf-8", "\ufeff{}", true, map[string]any{}, ""},
		{"text/plain", `{"a": 1}`, true, map[string]any{"a": int64(1)}, "parsed from text/plain"},
		{"text/plain", `{"a": 1}`, false, `{"a": 1}`, ""},
		{"", `[1]`, false, []any{int64(1)}, "parsed from no declared type"},
		{"application/x-ndjson", "{\"a\":1}\n\n{\"a\":2}\n", false,
			[]any{map[string]any{"a": int64(1)}, map[string]any{"a": int64(2)}}, "parsed from lines of JSON"},
		{"image/png", "\x89PNG\xff", false, "\x89PNG\xff", "5 bytes of image/png"},
		{"application/json", " \n", true, nil, ""},
		{"application/json", `1e400`, true, "1e400", ""},
	} {
		data, note, err := decode(test.kind, []byte(test.text), test.wantJSON)
		if err != nil || !reflect.DeepEqual(data, test.data) || note != test.note {
			t.Errorf("%s %q: got %#v, %q, %v", test.kind, test.text, data, note, err)
		}
	}
}

func FuzzDecode(f *testing.F) {
	f.Add("application/json", []byte(`{"error": {"message": ["x"]}}`))
	f.Add("text/plain", []byte("\xff\x00"))
	f.Fuzz(func(t *testing.T, kind string, text []byte) {
		decode(kind, text, true)
		if got := message(kind, text); len(got) > maxMessage+len("…") {
			t.Errorf("a message of %d bytes", len(got))
		}
	})
}

func TestEvents(t *testing.T) {
	raw := ": hello\r\nevent: added\r\nid: 7\r\ndata: {\"a\":\r\ndata: 1}\r\n\r\ndata: plain\n\nevent: none\n\ndata: last"
	data, note, err := decode("text/event-stream; charset=utf-8", []byte(raw), false)
	want := "[map[data:map[a:1] event:added id:7] map[data:plain] map[data:last]]"
	if got := fmt.Sprint(data); got != want || note != "3 events" || err != nil {
		t.Errorf("got %s, %s, %v\nwant %s", got, note, err, want)
	}
	if data, _, err := decode("application/json-seq", []byte("\x1e1\n\x1e2\n"), true); fmt.Sprint(data) != "[1 2]" {
		t.Errorf("a sequence: %v, %v", data, err)
	}
}
