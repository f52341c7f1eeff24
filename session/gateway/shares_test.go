package gateway

// This file tests that clients cannot lock out each other, and that no call is left without an answer.

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"almanac/catalog"
)

// Every call of many clients at once is answered, over connections and without, though there are fewer sessions and
// turns than clients: with its value, or with the reason why not.
func TestCrowd(t *testing.T) {
	b := newBench(t, Options{Sessions: 8, Running: 4})
	url := serveHTTP(t, b, HTTPOptions{Roster: Roster{Clients: []Client{
		with(t, tokenA, Client{Name: "a"}), with(t, tokenB, Client{Name: "b"}),
	}}})
	const clients, calls = 24, 4
	var mu sync.Mutex
	counted := map[string]int{}
	var wait sync.WaitGroup
	for i := range clients {
		wait.Go(func() {
			token, version := []string{tokenA, tokenB}[i%2], []string{withHandshake, noHandshake}[i/2%2]
			cs, err := dialVersion(t, url, token, version, nil)
			if err != nil {
				t.Error(err)
				return
			}
			for n := range calls {
				r, err := cs.CallTool(t.Context(), &sdk.CallToolParams{
					Name: "lua_tools_execute", Arguments: script(fmt.Sprintf("return %d * 1000 + %d", i, n)),
				})
				if err != nil {
					t.Errorf("client %d: %v", i, err)
					return
				}
				text := textOf(r)
				mu.Lock()
				switch {
				case strings.Contains(text, fmt.Sprint(i*1000+n)):
					counted["done"]++
				case strings.Contains(text, "sessions are busy: try again later"):
					counted["refused"]++
				default:
					t.Errorf("client %d: %s", i, text)
				}
				mu.Unlock()
			}
		})
	}
	wait.Wait()
	if counted["done"]+counted["refused"] != clients*calls || counted["done"] == 0 {
		t.Errorf("%v", counted)
	}
}

// A client that takes all that it can leaves the others their share.
func TestShares(t *testing.T) {
	b := newBench(t, Options{Sessions: 4, Running: 2})
	url := serveHTTP(t, b, HTTPOptions{Roster: Roster{Clients: []Client{
		with(t, tokenA, Client{Name: "a"}), with(t, tokenB, Client{Name: "b"}),
	}}})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	told := make(chan struct{}, 100)
	var wait sync.WaitGroup
	defer wait.Wait()
	for range 2 { // its sessions, and more than its turns
		cs, err := dialHTTP(t, url, tokenA, &sdk.ClientOptions{
			ProgressNotificationHandler: func(context.Context, *sdk.ProgressNotificationClientRequest) { told <- struct{}{} },
		})
		if err != nil {
			t.Fatal(err)
		}
		wait.Go(func() {
			p := &sdk.CallToolParams{Name: "lua_tools_execute", Arguments: script("shop.wait()", "shop.wait")}
			p.SetProgressToken("t")
			_, _ = cs.CallTool(ctx, p)
		})
	}
	<-told
	<-told
	third, err := dialHTTP(t, url, tokenA, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := textOf(call(t, third, "execute", script("return 1"))); !strings.Contains(got,
		"client a: all 2 sessions are busy") {
		t.Errorf("a's third session: %s", got)
	}
	for i := range 2 {
		cs, err := dialHTTP(t, url, tokenB, nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := textOf(call(t, cs, "execute", script("return 42"))); got != "42" {
			t.Errorf("b's session %d: %s", i, got)
		}
	}
	for i := range 9 { // b has two connections already, of eight
		_, err := dialHTTP(t, url, tokenB, nil)
		if refused := err != nil; refused != (i >= 6) {
			t.Errorf("b's connection %d: %v", i+3, err)
		}
	}
	if _, err := dialHTTP(t, url, tokenA, nil); err != nil {
		t.Errorf("a cannot connect: %v", err)
	}
	cancel()
}

// Rates and quotas count for the client and its tenant.
func TestQuotas(t *testing.T) {
	b := newBench(t, Options{})
	roster := Roster{Tenants: map[string]Limits{"acme": {DailyCalls: 3}}, Clients: []Client{
		with(t, tokenA, Client{Name: "a", Limits: Limits{Rate: 12}, Rules: catalog.Rules{Tenant: "acme"}}),
		with(t, tokenB, Client{Name: "b", Rules: catalog.Rules{Tenant: "acme"}}),
	}}
	url := serveHTTP(t, b, HTTPOptions{Roster: roster})
	list := func(token string) string {
		cs, err := dialHTTP(t, url, token, nil)
		if err != nil {
			t.Fatal(err)
		}
		return textOf(call(t, cs, "execute", script("return #office.list{}", "office.list")))
	}
	for i, c := range []struct{ token, want string }{
		{tokenA, "2"}, {tokenA, "2"},
		{tokenA, "client a: 12 calls a minute are used up: try again in 5 s"},
		{tokenB, "2"}, {tokenB, "tenant acme: 3 calls a day are used up: try again after midnight UTC"},
	} {
		if got := list(c.token); !strings.Contains(got, c.want) {
			t.Errorf("%d: %s", i, got)
		}
	}
}

// Tokens expire, and a new roster drops those who are gone and nobody else.
func TestRoster(t *testing.T) {
	b := newBench(t, Options{Persistent: true})
	old := with(t, tokenA, Client{Name: "a"})
	old.Tokens[0].Expires = time.Now().Add(time.Hour)
	roster := Roster{Clients: []Client{old, with(t, tokenB, Client{Name: "b"})}}
	url := serveHTTP(t, b, HTTPOptions{Roster: roster})
	a, err := dialHTTP(t, url, tokenA, nil)
	if err != nil {
		t.Fatal(err)
	}
	other, err := dialHTTP(t, url, tokenB, nil)
	if err != nil {
		t.Fatal(err)
	}
	call(t, a, "execute", script("x = 1"))
	call(t, other, "execute", script("x = 2"))
	roster.Clients[0].Rules = catalog.Rules{DeniedIDs: []string{"office.list"}}
	if err := b.SetRoster(roster); err != nil {
		t.Fatal(err)
	}
	if got := textOf(call(t, a, "execute", script("return x"))); !strings.Contains(got, "nil") ||
		!strings.HasPrefix(got, "note: what you may see and do has changed") {
		t.Errorf("a's view is another: %s", got)
	}
	if got := textOf(call(t, other, "execute", script("return x"))); got != "2" {
		t.Errorf("b is the same: %s", got)
	}
	if err := b.SetRoster(Roster{}); err == nil {
		t.Error("a roster of nobody")
	}
	if err := b.SetRoster(Roster{Clients: append(roster.Clients, Client{Name: "c"})}); !errors.Is(err, ErrAnybody) {
		t.Errorf("one without a token: %v", err)
	}
	for _, c := range []struct {
		name, challenge string
		clients         []Client
	}{
		{"expired", `Bearer realm="almanac", error="invalid_token"`, []Client{{Name: "a",
			Tokens: []Token{{Hash: old.Tokens[0].Hash, Expires: time.Now().Add(-time.Second)}}}, roster.Clients[1]}},
		{"gone", `Bearer realm="almanac", error="invalid_token"`, roster.Clients[1:]},
	} {
		if err := b.SetRoster(Roster{Clients: c.clients}); err != nil {
			t.Fatal(err)
		}
		r, _ := http.NewRequest(http.MethodPost, url, strings.NewReader("{}"))
		answer, err := (&http.Client{Transport: bearer(tokenA)}).Do(r)
		if err != nil {
			t.Fatal(err)
		}
		said, _ := io.ReadAll(answer.Body)
		answer.Body.Close()
		if answer.StatusCode != http.StatusUnauthorized || answer.Header.Get("WWW-Authenticate") != c.challenge {
			t.Errorf("%s: %s %s %s", c.name, answer.Status, answer.Header.Get("WWW-Authenticate"), said)
		}
		if expired := strings.Contains(string(said), "expired on"); expired != (c.name == "expired") {
			t.Errorf("%s: %s", c.name, said)
		}
	}
	if got := textOf(call(t, other, "execute", script("return x"))); got != "2" {
		t.Errorf("b is still the same: %s", got)
	}
	bare, err := http.Post(url, "application/json", strings.NewReader("{}"))
	if err != nil {
		t.Fatal(err)
	}
	bare.Body.Close()
	if got := bare.Header.Get("WWW-Authenticate"); got != `Bearer realm="almanac"` {
		t.Errorf("without a token: %s", got)
	}
}

// A body that does not come ends its request.
func TestSlowBody(t *testing.T) {
	b := newBench(t, Options{})
	b.bodyTime = 50 * time.Millisecond
	url := serveHTTP(t, b, HTTPOptions{Roster: anyone})
	conn, err := net.Dial("tcp", strings.TrimSuffix(strings.TrimPrefix(url, "http://"), Path))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{", Path)
	answer, err := io.ReadAll(conn) // until the gateway hangs up
	if err != nil || !strings.HasPrefix(string(answer), "HTTP/1.1 408 ") {
		t.Errorf("%v: %s", err, answer)
	}
}

// A gateway that is to end lets running calls end, and refuses others.
func TestDrain(t *testing.T) {
	b := newBench(t, Options{Drain: time.Minute})
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- b.Serve(ctx, l, HTTPOptions{Roster: anyone}) }()
	url := "http://" + l.Addr().String()
	cs, err := dialHTTP(t, url+Path, "", nil)
	if err != nil {
		t.Fatal(err)
	}
	status := func(path string) int {
		answer, err := http.Get(url + path)
		if err != nil {
			t.Fatal(err)
		}
		answer.Body.Close()
		return answer.StatusCode
	}
	if got := status(ReadyPath); got != http.StatusOK {
		t.Errorf("ready: %d", got)
	}
	begun, finish := make(chan struct{}), make(chan struct{})
	all, _ := catalog.New([]catalog.Entry{{ID: "shop.slow",
		Action: func(context.Context, catalog.Call) (catalog.Result, error) {
			close(begun)
			<-finish
			return catalog.Result{Data: "slow, but done"}, nil
		}}}, catalog.Options{})
	b.view = all.View()
	got := make(chan string, 1)
	go func() {
		r, err := cs.CallTool(t.Context(), &sdk.CallToolParams{
			Name: "lua_tools_execute", Arguments: script("return shop.slow{}", "shop.slow"),
		})
		if err != nil {
			got <- err.Error()
			return
		}
		got <- textOf(r)
	}()
	<-begun
	stop()
	for status(ReadyPath) == http.StatusOK {
		time.Sleep(time.Millisecond)
	}
	if got := status(HealthPath); got != http.StatusOK {
		t.Errorf("alive: %d", got)
	}
	if got := textOf(call(t, cs, "execute", script("return 1"))); !strings.Contains(got, "the gateway is shutting down") {
		t.Errorf("a new call: %s", got)
	}
	if _, err := dialHTTP(t, url+Path, "", nil); err == nil {
		t.Error("a new connection")
	}
	close(finish)
	if got := <-got; !strings.Contains(got, "slow, but done") {
		t.Errorf("the running call: %s", got)
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
}
