package mcp

// This file tests servers that are reached by HTTP.

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	access "almanac/catalog/web"
)

func TestHTTP(t *testing.T) {
	server := goodServer()
	var requests, unauthorised atomic.Int64
	handler := sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return server }, nil)
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests.Add(1)
		if r.Header.Get("Authorization") != "Bearer tok-123456" {
			unauthorised.Add(1)
			http.Error(w, "who are you", http.StatusUnauthorized)
			return
		}
		handler.ServeHTTP(w, r)
	}))
	t.Cleanup(web.Close)
	env := func(name string) (string, bool) { return "tok-123456", name == "TOKEN" }
	s, err := parseURL("x", web.URL+"#bearer=TOKEN", env)
	if err != nil {
		t.Fatal(err)
	}
	entries := load(t, open(t, s, options{}))
	got, err := call(t.Context(), entries["x.sum"], map[string]any{"a": 1, "b": 2})
	if err != nil || got.Data.(map[string]any)["sum"] != int64(3) {
		t.Errorf("%v, %v", got, err)
	}
	if requests.Load() == 0 || unauthorised.Load() > 0 {
		t.Errorf("%d requests, %d without the token", requests.Load(), unauthorised.Load())
	}
	// The configuration's credential goes in the place of the one in the address.
	s.Header["Authorization"] = "Bearer old"
	configured := access.Access{Auth: []access.Auth{{Kind: access.Bearer, Names: []string{"MINE"}}}, Timeout: time.Minute}
	entries = load(t, open(t, s, options{Access: configured,
		Vault: access.NewVault(func(name string) string { return map[string]string{"MINE": "tok-123456"}[name] }, nil)}))
	if unauthorised.Load() > 0 || entries["x.sum"].Timeout != time.Minute {
		t.Errorf("%d requests without the token, %s", unauthorised.Load(), entries["x.sum"].Timeout)
	}
	bare := open(t, endpoint{Name: "x", URL: web.URL}, options{Pause: func(int) time.Duration { return time.Hour }})
	if _, err := bare.load(t.Context(), nil); err == nil || !strings.Contains(err.Error(), "Unauthorized") {
		t.Errorf("without a token: %v", err)
	}
}

// A server over HTTP that forgot its sessions, as after a restart, is asked for a new one.
func TestHTTPRestart(t *testing.T) {
	var handler atomic.Pointer[sdk.StreamableHTTPHandler]
	fresh := func() {
		server := goodServer()
		handler.Store(sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return server }, nil))
	}
	fresh()
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		handler.Load().ServeHTTP(w, r)
	}))
	t.Cleanup(web.Close)
	src := open(t, endpoint{Name: "x", URL: web.URL},
		options{Pause: func(int) time.Duration { return 20 * time.Millisecond }})
	entries := load(t, src)
	fresh()
	if _, err := call(t.Context(), entries["x.text"], map[string]any{"text": "a"}); err == nil ||
		!strings.Contains(err.Error(), "went down during the call") {
		t.Errorf("error %v", err)
	}
	fresh()
	if got, err := call(t.Context(), entries["x.sum"], map[string]any{"a": 1, "b": 2}); err != nil {
		t.Errorf("a read is asked again: %v, %v", got, err)
	}
	eventually(t, "it answers again", func() bool {
		got, err := call(t.Context(), entries["x.text"], map[string]any{"text": "here"})
		return err == nil && got.Data == "here"
	})
}

// The token goes to the server's own host only.
func TestRedirect(t *testing.T) {
	var elsewhere atomic.Bool
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { elsewhere.Store(true) }))
	t.Cleanup(other.Close)
	web := httptest.NewServer(http.RedirectHandler(other.URL, http.StatusTemporaryRedirect))
	t.Cleanup(web.Close)
	src := open(t, endpoint{Name: "x", URL: web.URL, Header: map[string]string{"Authorization": "Bearer t"}}, options{})
	if _, err := src.load(t.Context(), nil); err == nil || !strings.Contains(err.Error(), "another host is not followed") {
		t.Errorf("error %v", err)
	}
	if elsewhere.Load() {
		t.Error("the other host was asked")
	}
}

// Whatever an HTTP server does, the reading ends, and its error says what was wrong.
func TestHTTPFaults(t *testing.T) {
	for _, c := range []struct {
		name, want string
		answer     http.HandlerFunc
	}{
		{"hangs", "no answer within", func(_ http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body) // then the end of the connection is noticed
			<-r.Context().Done()
		}},
		{"drops", "EOF", func(w http.ResponseWriter, _ *http.Request) {
			conn, _, err := w.(http.Hijacker).Hijack()
			if err == nil {
				conn.Close()
			}
		}},
		{"half a body", "unexpected EOF", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			w.Header().Set("Content-Length", "1000")
			_, _ = io.WriteString(w, `{"jsonrpc":"2.0",`)
		}},
		{"100 MB", "more than 16 MiB", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			for range 100 {
				if _, err := w.Write(make([]byte, 1<<20)); err != nil {
					return
				}
			}
		}},
		{"a web page", "text/html", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			_, _ = io.WriteString(w, "<html>")
		}},
		{"no JSON", "initialize", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(w, "{")
		}},
		{"429 for ever", "Too Many Requests", func(w http.ResponseWriter, _ *http.Request) {
			http.Error(w, "slow down", http.StatusTooManyRequests)
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			web := httptest.NewServer(c.answer)
			t.Cleanup(web.Close)
			src := open(t, endpoint{Name: "x", URL: web.URL},
				options{Start: 2 * time.Second, Pause: func(int) time.Duration { return time.Hour }})
			_, err := src.load(t.Context(), nil)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v", err)
			}
			src.Close()
		})
	}
}

// An answer that nests too deep for the library is an error of its call at once, in one message and in a stream.
func TestHTTPDeep(t *testing.T) {
	nested := strings.Repeat("[", 1100) + strings.Repeat("]", 1100)
	answers := map[string]string{
		"initialize": `{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},` +
			`"serverInfo":{"name":"deep","version":"1"}}`,
		"tools/list": `{"tools":[{"name":"a","inputSchema":{"type":"object"}}]}`,
		"tools/call": `{"content":[],"_meta":{"almanac/effects":` + nested + `}}`,
	}
	for _, form := range []struct{ kind, begin, end string }{
		{"application/json", "", ""}, {"text/event-stream", "data: ", "\n\n"},
	} {
		web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			var asked struct {
				ID     json.RawMessage
				Method string
			}
			switch err := json.NewDecoder(r.Body).Decode(&asked); {
			case err != nil:
				w.WriteHeader(http.StatusMethodNotAllowed)
			case asked.ID == nil:
				w.WriteHeader(http.StatusAccepted)
			default:
				w.Header().Set("Content-Type", form.kind)
				fmt.Fprintf(w, `%s{"jsonrpc":"2.0","id":%s,"result":%s}%s`, form.begin, asked.ID, answers[asked.Method], form.end)
			}
		}))
		t.Cleanup(web.Close)
		entries := load(t, open(t, endpoint{Name: "x", URL: web.URL}, options{}))
		for range 2 {
			if _, err := call(t.Context(), entries["x.a"], nil); err == nil ||
				err.Error() != "its answer nests deeper than 1000 levels" {
				t.Errorf("%s: %v", form.kind, err)
			}
		}
	}
}
