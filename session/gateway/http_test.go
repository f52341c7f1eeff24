package gateway

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"almanac/catalog"
	"almanac/session/policy"
)

// anyone lets in every program of this machine.
var anyone = Roster{Clients: []Client{{}}}

const tokenA, tokenB = "token-aaaaaaaaaaaaaaaa", "token-bbbbbbbbbbbbbbbb"

func serveHTTP(t *testing.T, b *bench, o HTTPOptions) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- b.Serve(ctx, l, o) }()
	t.Cleanup(func() {
		stop()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	return "http://" + l.Addr().String() + Path
}

type bearer string

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	if b != "" {
		r.Header.Set("Authorization", "Bearer "+string(b))
	}
	return http.DefaultTransport.RoundTrip(r)
}

func with(t *testing.T, token string, c Client) Client {
	t.Helper()
	c, err := c.WithToken(token)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func dialHTTP(t *testing.T, url, token string, o *sdk.ClientOptions) (*sdk.ClientSession, error) {
	t.Helper()
	return dialVersion(t, url, token, withHandshake, o)
}

func dialVersion(t *testing.T, url, token, version string, o *sdk.ClientOptions) (*sdk.ClientSession, error) {
	t.Helper()
	cs, err := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, o).Connect(t.Context(),
		&sdk.StreamableClientTransport{Endpoint: url, HTTPClient: &http.Client{Transport: bearer(token)}},
		&sdk.ClientSessionOptions{ProtocolVersion: version})
	if err == nil {
		t.Cleanup(func() { cs.Close() })
	}
	return cs, err
}

// Each token has its own view; a session belongs to the token that began it.
func TestHTTPClients(t *testing.T) {
	b := newBench(t, Options{})
	url := serveHTTP(t, b, HTTPOptions{Roster: Roster{Clients: []Client{
		with(t, tokenA, Client{
			Name: "a", Rules: catalog.Rules{Actor: "ann", Namespaces: []string{"shop"}}, Policy: Policy{Mode: policy.Session},
		}),
		with(t, tokenB, Client{Name: "b", Rules: catalog.Rules{Operations: []catalog.Operation{catalog.Read}}}),
	}}})
	if _, err := dialHTTP(t, url, "", nil); err == nil {
		t.Error("no token, and let in")
	}
	if _, err := dialHTTP(t, url, "token-cccccccccccccccc", nil); err == nil {
		t.Error("a wrong token, and let in")
	}
	one, err := dialHTTP(t, url, tokenA, nil)
	if err != nil {
		t.Fatal(err)
	}
	two, err := dialHTTP(t, url, tokenB, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		cs           *sdk.ClientSession
		source, want string
	}{
		{one, `return shop.buy{id="x"}`, "ann bought x"},
		{one, `return call("office.list", {})`, "office.list: no such action"},
		{two, `return call("office.list", {})`, "north"},
		{two, `return call("shop.buy", {id="x"})`, "shop.buy: no such action"},
	} {
		call(t, c.cs, "describe", map[string]any{"ids": []string{"shop.buy", "office.list"}})
		if got := textOf(call(t, c.cs, "execute", script(c.source))); !strings.Contains(got, c.want) {
			t.Errorf("%s: %s", c.source, got)
		}
	}
	stolen, _ := http.NewRequest(http.MethodPost, url, strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`))
	stolen.Header = http.Header{
		"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"},
		"Authorization": {"Bearer " + tokenB}, "Mcp-Session-Id": {one.ID()},
	}
	answer, err := http.DefaultClient.Do(stolen)
	if err != nil {
		t.Fatal(err)
	}
	answer.Body.Close()
	if answer.StatusCode != http.StatusForbidden {
		t.Errorf("another's session: %s", answer.Status)
	}
}

// Questions and progress go over HTTP as well.
func TestHTTPElicitation(t *testing.T) {
	url := serveHTTP(t, newBench(t, Options{}), HTTPOptions{Roster: anyone})
	cs, err := dialHTTP(t, url, "", &sdk.ClientOptions{
		ElicitationHandler: func(context.Context, *sdk.ElicitRequest) (*sdk.ElicitResult, error) {
			return &sdk.ElicitResult{Action: "accept", Content: map[string]any{"decision": "once"}}, nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	if got := textOf(call(t, cs, "execute", script(`return shop.buy{id="x"}`, "shop.buy"))); !strings.Contains(got,
		"bought x") {
		t.Error(got)
	}
}

func TestHTTPGuards(t *testing.T) {
	b := newBench(t, Options{Sessions: 1})
	local := &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 1}
	far := &net.TCPAddr{IP: net.IPv4(10, 0, 0, 1), Port: 1}
	known := Roster{Clients: []Client{with(t, tokenA, Client{Name: "a"})}}
	if _, err := b.handler(far, HTTPOptions{Roster: anyone}); !errors.Is(err, ErrOpen) {
		t.Errorf("open beyond loopback: %v", err)
	}
	if _, err := b.handler(local, HTTPOptions{Roster: Roster{Clients: append(known.Clients, Client{})}}); err == nil {
		t.Error("a token for some only")
	}
	for _, c := range []struct {
		name, host, origin, path, token string
		addr                            net.Addr
		o                               HTTPOptions
		want                            int
	}{
		{"loopback", "localhost:1", "", Path, "", local, HTTPOptions{Roster: anyone}, 200},
		{"loopback by number", "[::1]:1", "", Path, "", local, HTTPOptions{Roster: anyone}, 200},
		{"rebound name", "evil.example", "", Path, "", local, HTTPOptions{Roster: anyone}, 403},
		{"rebound name with a token", "evil.example", "", Path, tokenA, local, HTTPOptions{Roster: known}, 403},
		{"own name", "box.example:1", "", Path, "", local,
			HTTPOptions{Roster: anyone, Hosts: []string{"box.example"}}, 200},
		{"own page", "localhost:1", "http://localhost:1", Path, "", local, HTTPOptions{Roster: anyone}, 200},
		{"another page", "localhost:1", "http://localhost:2", Path, "", local, HTTPOptions{Roster: anyone}, 403},
		{"no page", "localhost:1", "null", Path, "", local, HTTPOptions{Roster: anyone}, 403},
		{"named page", "localhost:1", "https://a.example", Path, "", local,
			HTTPOptions{Roster: anyone, Origins: []string{"https://a.example"}}, 200},
		{"elsewhere", "localhost:1", "", "/", "", local, HTTPOptions{Roster: anyone}, 404},
		{"far without token", "box:1", "", Path, "", far, HTTPOptions{Roster: known}, 401},
		{"far with token", "box:1", "", Path, tokenA, far, HTTPOptions{Roster: known}, 200},
		{"far by another name", "evil:1", "", Path, tokenA, far, HTTPOptions{Roster: known, Hosts: []string{"box"}}, 403},
	} {
		h, err := newBench(t, Options{}).handler(c.addr, c.o)
		if err != nil {
			t.Fatal(err)
		}
		if got := initialize(h, c.host, c.origin, c.path, c.token); got != c.want {
			t.Errorf("%s: %d, want %d", c.name, got, c.want)
		}
	}
	h, err := b.handler(local, HTTPOptions{Roster: anyone})
	if err != nil {
		t.Fatal(err)
	}
	for i := range connections + 1 {
		want := http.StatusOK
		if i == connections {
			want = http.StatusServiceUnavailable
		}
		if got := initialize(h, "localhost", "", Path, ""); got != want {
			t.Errorf("connection %d: %d, want %d", i, got, want)
		}
	}
}

func initialize(h http.Handler, host, origin, path, token string) int {
	r := httptest.NewRequest(http.MethodPost, path,
		strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`))
	r.Host = host
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	if origin != "" {
		r.Header.Set("Origin", origin)
	}
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w.Code
}

// The session of a client that says goodbye, and of one that says nothing any more, is closed.
func TestGone(t *testing.T) {
	b := newBench(t, Options{Idle: 2 * time.Second})
	url := serveHTTP(t, b, HTTPOptions{Roster: anyone})
	polite, err := dialHTTP(t, url, "", nil)
	if err != nil {
		t.Fatal(err)
	}
	silent, err := dialHTTP(t, url, "", nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, cs := range []*sdk.ClientSession{polite, silent} {
		if _, err := cs.CallTool(t.Context(),
			&sdk.CallToolParams{Name: "lua_tools_execute", Arguments: script("return 1")}); err != nil {
			t.Fatal(err)
		}
	}
	polite.Close()
	for range 1000 {
		b.mu.Lock()
		opened, gone := b.opened, b.gone
		b.mu.Unlock()
		if opened == 2 && gone == 2 {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("%d opened, %d gone", b.opened, b.gone)
}

// One session too many ends the one that has been idle for longest; when all are at work it is refused.
func TestTooMany(t *testing.T) {
	b := newBench(t, Options{Sessions: 1})
	url := serveHTTP(t, b, HTTPOptions{Roster: anyone})
	one, err := dialHTTP(t, url, "", nil)
	if err != nil {
		t.Fatal(err)
	}
	two, err := dialHTTP(t, url, "", nil)
	if err != nil {
		t.Fatal(err)
	}
	call(t, one, "execute", script("return 1"))
	call(t, two, "execute", script("return 1"))
	if got := textOf(call(t, one, "execute", script("return 1"))); got != "note: the session before this one was closed "+
		"because it was idle: its globals, descriptions and approvals are gone\n1" {
		t.Errorf("the first: %s", got)
	}
	ctx, cancel := context.WithCancel(t.Context())
	told, ended := make(chan struct{}, 10), make(chan struct{})
	three, err := dialHTTP(t, url, "", &sdk.ClientOptions{
		ProgressNotificationHandler: func(context.Context, *sdk.ProgressNotificationClientRequest) { told <- struct{}{} },
	})
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		defer close(ended)
		p := &sdk.CallToolParams{Name: "lua_tools_execute", Arguments: script("shop.wait()", "shop.wait")}
		p.SetProgressToken("t")
		_, _ = three.CallTool(ctx, p)
	}()
	<-told
	four, err := dialHTTP(t, url, "", nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := textOf(call(t, four, "execute", script("return 1"))); !strings.Contains(got,
		"all 1 sessions are busy: try again later") {
		t.Errorf("the fourth: %s", got)
	}
	cancel()
	<-ended
}

// Rules see the actor of the client, and count for all clients.
func TestRulesByActor(t *testing.T) {
	b := newBench(t, Options{Policy: Policy{Mode: policy.Session, Rules: []policy.Rule{
		{
			N: 1, Name: "ann buys nothing", Place: "policy.toml:1", Actors: []string{"ann"}, Calls: policy.Writes,
			Verdict: policy.Deny,
		},
	}, Tighter: []policy.Rule{{N: 1, Place: ".almanac.toml:1", Actors: []string{"bo*"}, Verdict: policy.Deny}}}})
	for actor, want := range map[string]string{
		"ann": `shop.buy: denied by rule 1 "ann buys nothing" (policy.toml:1)`, "cid": "cid bought x",
		"bob": "shop.buy: denied by rule 1 (.almanac.toml:1)",
	} {
		cs := b.dial(t, Client{Name: actor, Rules: catalog.Rules{Actor: actor}, Policy: Policy{Mode: policy.Session}}, nil)
		got := textOf(call(t, cs, "execute", script(`return shop.buy{id="x"}`, "shop.buy")))
		if !strings.Contains(got, want) {
			t.Errorf("%s: %s", actor, got)
		}
	}
}
