package gateway

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"almanac/catalog"
	"almanac/catalog/secret"
	"almanac/session"
	"almanac/session/kernel"
)

func TestMain(m *testing.M) {
	if kernel.Main() || upstream() {
		return
	}
	os.Exit(m.Run())
}

// shop is a catalog with a read, a mutation, one that takes until it is stopped, and one of another namespace.
func shop(stopped chan<- struct{}) *catalog.View {
	object := catalog.MustSchema(`{"type":"object","properties":{"id":{"type":"string"}},"required":["id"],"additionalProperties":false}`)
	entries := []catalog.Entry{
		{ID: "shop.price", Description: "Get the price of an item.", Input: object,
			Action: func(context.Context, catalog.Call) (catalog.Result, error) {
				return catalog.Result{Data: map[string]any{"cents": int64(250)}}, nil
			}},
		{ID: "shop.buy", Description: "Buy an item.", Input: object, Mutates: true,
			Risk: catalog.Medium, Operation: catalog.Create,
			Action: func(_ context.Context, c catalog.Call) (catalog.Result, error) {
				return catalog.Result{Data: c.Context.Actor + " bought " + c.Args["id"].(string)}, nil
			}},
		{ID: "shop.wait", Description: "Wait for ever.",
			Action: func(ctx context.Context, c catalog.Call) (catalog.Result, error) {
				catalog.Tell(ctx, catalog.Progress{ID: c.ID, Done: 1, Total: 4, Text: "waiting"})
				<-ctx.Done()
				stopped <- struct{}{}
				return catalog.Result{}, ctx.Err()
			}},
		{ID: "office.list", Description: "List the offices.",
			Action: func(context.Context, catalog.Call) (catalog.Result, error) {
				return catalog.Result{Data: []any{"north", "south"}}, nil
			}},
		{ID: "office.close", Description: "Close all offices.", Mutates: true, Risk: catalog.High,
			Action: func(context.Context, catalog.Call) (catalog.Result, error) {
				return catalog.Result{Data: "closed"}, nil
			}},
	}
	all, _ := catalog.New(entries, catalog.Options{})
	return all.View()
}

// secretItem knows one secret.
func secretItem() *secret.Filter {
	return secret.NewFilter(func() []string { return []string{"hidden-item"} })
}

// withHandshake is the last version of the protocol that has one.
const withHandshake = "2025-11-25"

// A bench is a gateway over the shop, and what became of its sessions.
type bench struct {
	*Gateway
	view    *catalog.View
	stopped chan struct{}
	version string // of the protocol that clients ask for
	// approve is what the last session asks with.
	approve func(context.Context, session.Request) (session.Approval, error)

	mu           sync.Mutex
	opened, gone int
}

// asks has the person of a client asked during a call of its own.
func (b *bench) asks(t *testing.T, cs *sdk.ClientSession, r session.Request) (a session.Approval, err error) {
	t.Helper()
	all, _ := catalog.New([]catalog.Entry{{ID: "shop.ask",
		Action: func(ctx context.Context, _ catalog.Call) (catalog.Result, error) {
			a, err = b.approve(ctx, r)
			return catalog.Result{}, nil
		}}}, catalog.Options{})
	b.view = all.View()
	call(t, cs, "execute", script(`shop.ask{}`, "shop.ask"))
	return a, err
}

func newBench(t *testing.T, o Options) *bench {
	t.Helper()
	b := &bench{stopped: make(chan struct{}, 10), version: withHandshake}
	pool := session.NewPool(session.Options{})
	t.Cleanup(pool.Close)
	b.view = shop(b.stopped)
	o.View = func(context.Context) (*catalog.View, bool, error) { return b.view, false, nil }
	o.Open = func(c Opening) (*session.Session, func() error, error) {
		b.mu.Lock()
		b.opened++
		b.approve = c.Approve
		b.mu.Unlock()
		s, err := session.New(c.View, session.Options{
			Policy: c.Policy, Budget: c.Budget, Approve: c.Approve, Authorize: c.Authorize, Observe: c.Observe, Pool: pool,
			Inquire: c.Inquire,
			Secrets: secretItem(),
		})
		return s, func() error {
			b.mu.Lock()
			b.gone++
			b.mu.Unlock()
			return nil
		}, err
	}
	g, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { g.Close() })
	b.Gateway = g
	return b
}

// dial connects a client over pipes, as over standard input and output.
func (b *bench) dial(t *testing.T, c Client, o *sdk.ClientOptions) *sdk.ClientSession {
	t.Helper()
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	done := make(chan error, 1)
	go func() { done <- b.ServeStdio(context.Background(), c, inR, outW) }()
	cs, err := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, o).Connect(t.Context(),
		&sdk.IOTransport{Reader: outR, Writer: inW}, &sdk.ClientSessionOptions{ProtocolVersion: b.version})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cs.Close()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	return cs
}

// call uses a tool and returns its text; the data must be as the tool's output schema says.
func call(t *testing.T, cs *sdk.ClientSession, tool string, args map[string]any) *sdk.CallToolResult {
	t.Helper()
	r, err := cs.CallTool(t.Context(), &sdk.CallToolParams{Name: "lua_tools_" + tool, Arguments: args})
	if err != nil {
		t.Fatal(err)
	}
	tools, err := cs.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, one := range tools.Tools {
		if one.Name == "lua_tools_"+tool {
			text, _ := json.Marshal(one.OutputSchema)
			var s jsonschema.Schema
			if err := json.Unmarshal(text, &s); err != nil {
				t.Fatal(err)
			}
			resolved, err := s.Resolve(nil)
			if err != nil {
				t.Fatal(err)
			}
			if err := resolved.Validate(r.StructuredContent); err != nil {
				t.Errorf("%s: %v: %v", tool, err, r.StructuredContent)
			}
		}
	}
	return r
}

func textOf(r *sdk.CallToolResult) string { return r.Content[0].(*sdk.TextContent).Text }

func script(source string, ids ...string) map[string]any {
	return map[string]any{"script": source, "actions": ids}
}

func TestTools(t *testing.T) {
	for _, persistent := range []bool{false, true} {
		cs := newBench(t, Options{Persistent: persistent}).dial(t, Client{}, nil)
		list, err := cs.ListTools(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, one := range list.Tools {
			names = append(names, one.Name)
			schema := one.InputSchema.(map[string]any)
			if len(one.Description) >= 1000 || schema["type"] != "object" || schema["anyOf"] != nil ||
				one.Annotations == nil || one.OutputSchema == nil {
				t.Errorf("%s: description of %d bytes, schema %v", one.Name, len(one.Description), schema)
			}
			if reads := one.Name != "lua_tools_execute"; one.Annotations.ReadOnlyHint != reads {
				t.Errorf("%s: read-only %v", one.Name, one.Annotations.ReadOnlyHint)
			}
		}
		if got := strings.Join(names, " "); got != "lua_tools_describe lua_tools_execute lua_tools_query" {
			t.Error(got)
		}
	}
}

func TestCalls(t *testing.T) {
	cs := newBench(t, Options{}).dial(t, Client{}, nil)
	for _, c := range []struct {
		tool string
		args map[string]any
		want string
		fail bool
	}{
		{"query",
			map[string]any{"script": `return catalog.search("price of an item", {limit=1})`}, "shop.price(id*:str)", false},
		{"describe", map[string]any{"ids": []string{"shop.price", "shop.prize"}}, "shop.prize: no such action", false},
		{"describe", map[string]any{"ids": []string{"none"}}, "none: no such action", true},
		{"execute", map[string]any{"script": `return shop.price{id="a"}.cents`}, "250", false},
		{"execute", script(`return office.list()`, "office.list"), `{ "north", "south" }`, false},
		{"execute", script(`error("no")`), "error (runtime) line 1: no", true},
		{"execute", script(`return shop.buy{id="a"}`, "shop.buy"), "this session is read-only", true},
		{"execute", map[string]any{"code": "1"}, `unknown argument "code"`, true},
		{"execute", map[string]any{}, "argument script is missing", true},
		{"execute", map[string]any{"script": "x", "cursor": "1-1"}, "pass it alone", true},
		{"execute", map[string]any{"cursor": "1-1"}, "expired: run the script again", true},
	} {
		r := call(t, cs, c.tool, c.args)
		if !strings.Contains(textOf(r), c.want) || r.IsError != c.fail {
			t.Errorf("%s %v: error %v: %s", c.tool, c.args, r.IsError, textOf(r))
		}
	}
	r := call(t, cs, "execute", script(`return 1, {a="x"}, nil, print`))
	values, _ := json.Marshal(r.StructuredContent.(map[string]any)["values"])
	if !strings.HasPrefix(string(values), `[1,{"a":"x"},null,"`) {
		t.Errorf("values %s", values)
	}
}

func TestIsolatedAndPersistent(t *testing.T) {
	yes := true
	b := newBench(t, Options{})
	for _, c := range []struct {
		client Client
		want   string
	}{{Client{}, "nil"}, {Client{Persistent: &yes}, "7"}} {
		cs := b.dial(t, c.client, nil)
		call(t, cs, "execute", script(`kept = 7`))
		if got := textOf(call(t, cs, "execute", script(`return kept`))); got != c.want {
			t.Errorf("kept is %s, want %s", got, c.want)
		}
	}
}

// Cancellation stops the script and its action; until then the client is told how far it is.
func TestProgressAndCancel(t *testing.T) {
	b := newBench(t, Options{})
	told := make(chan string, 10)
	cs := b.dial(t, Client{}, &sdk.ClientOptions{
		ProgressNotificationHandler: func(_ context.Context, r *sdk.ProgressNotificationClientRequest) {
			told <- r.Params.Message
		},
	})
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		p := &sdk.CallToolParams{Name: "lua_tools_execute", Arguments: script(`shop.wait()`, "shop.wait")}
		p.SetProgressToken("t")
		_, err := cs.CallTool(ctx, p)
		ended <- err
	}()
	for got := ""; !strings.HasSuffix(got, " s, 1 calls; shop.wait 1 of 4: waiting"); {
		got = <-told
	}
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	<-b.stopped
	if got := textOf(call(t, cs, "execute", script(`return 1`))); got != "1" {
		t.Errorf("after that: %s", got)
	}
}

// The pages of a long answer give all of it.
func TestPages(t *testing.T) {
	cs := newBench(t, Options{Page: 1000}).dial(t, Client{}, nil)
	var got strings.Builder
	args := script(`local t = {} for i = 1, 3000 do t[i] = "row " .. i end return table.concat(t, "\n")`)
	pages := 0
	for {
		r := call(t, cs, "execute", args)
		data := r.StructuredContent.(map[string]any)
		if r.IsError {
			t.Fatal(textOf(r))
		}
		page := data["page"].(string)
		got.WriteString(page)
		if pages++; len(page) > 4000 || !strings.HasPrefix(textOf(r), page) {
			t.Errorf("page %d of %d bytes", pages, len(page))
		}
		cursor, more := data["cursor"].(string)
		if !more {
			break
		}
		if !strings.Contains(textOf(r), cursor) {
			t.Errorf("the text does not name the cursor %s", cursor)
		}
		args = map[string]any{"cursor": cursor}
	}
	for i := 1; i <= 3000; i++ {
		if !strings.Contains(got.String(), fmt.Sprintf("row %d", i)) {
			t.Fatalf("row %d is missing in %d pages", i, pages)
		}
	}
}

// A catalog that changes reaches the sessions that are open.
func TestRenew(t *testing.T) {
	b := newBench(t, Options{})
	cs := b.dial(t, Client{Rules: catalog.Rules{Actor: "ann"}}, nil)
	call(t, cs, "execute", script(`return office.list()`, "office.list"))
	smaller, err := b.view.Narrow(catalog.Rules{DeniedIDs: []string{"office.list"}})
	if err != nil {
		t.Fatal(err)
	}
	b.view = smaller
	b.Renew(t.Context())
	if got := textOf(call(t, cs, "execute", script(`return office.list()`, "office.list"))); !strings.Contains(got,
		"no such action") {
		t.Errorf("got %s", got)
	}
}

// A line that is no message is answered, and the session goes on; nothing but the protocol comes out.
func TestGarbageIn(t *testing.T) {
	const hello = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"%s","capabilities":{},` +
		`"clientInfo":{"name":"x","version":"1"}}}`
	const ping, pong = `{"jsonrpc":"2.0","id":7,"method":"ping"}`, `{"jsonrpc":"2.0","id":7,"result":{}}`
	for _, c := range []struct{ version, line, want string }{
		{"2025-11-25", "hello", `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,` +
			`"message":"the line is not JSON: invalid character 'h' looking for beginning of value"}}`},
		{"2025-11-25", `{"jsonrpc":"2.0","id":2,`, "-32700"},
		{"2025-11-25", strings.Repeat("[", 20000), "-32700"},
		{"2025-11-25", "\ufeff" + ping, "-32700"},
		{"2025-11-25", "null", `"id":null,"error":{"code":-32600,"message":"want a message, got none"}`},
		{"2025-11-25", "5", "-32600"},
		{"2025-11-25", `{"jsonrpc":"1.0","id":9,"method":"ping"}`, `"id":9,"error":{"code":-32600`},
		{"2025-11-25", `{"jsonrpc":"2.0","id":{"a":1},"method":"ping"}`, `"id":null,"error":{"code":-32600`},
		{"2025-11-25", "[" + ping + "]", "want one message: there are no batches since 2025-06-18"},
		{"2025-03-26", "[" + ping + "," + ping + "]", "two requests have the id 7"},
		{"2025-03-26", "[" + strings.ReplaceAll(ping, "7", "8") + "]", `{"jsonrpc":"2.0","id":8,"result":{}}`},
		{"2025-11-25", "\r\n  ", ""},
	} {
		in, lines := io.Pipe()
		answers, out := io.Pipe()
		b := newBench(t, Options{})
		go func() {
			if err := b.ServeStdio(t.Context(), Client{}, in, out); err != nil {
				t.Errorf("%.50q: %v", c.line, err)
			}
			out.Close()
		}()
		go fmt.Fprintf(lines, hello+"\n%s\n%s\n", c.version, c.line, ping)
		defer time.AfterFunc(time.Minute, func() { lines.Close() }).Stop()
		got := ""
		for scan := bufio.NewScanner(answers); scan.Scan(); {
			if !json.Valid(scan.Bytes()) {
				t.Errorf("out came %q", scan.Text())
			}
			if got += scan.Text(); strings.Contains(got, pong) && strings.Contains(got, c.want) {
				lines.Close()
			}
		}
		if !strings.Contains(got, c.want) || !strings.Contains(got, pong) {
			t.Errorf("%.50q: got %s, want %s", c.line, got, c.want)
		}
	}
}

func TestParseClients(t *testing.T) {
	env := func(name string) (string, bool) {
		v, ok := map[string]string{"A": tokenA, "SHORT": "short"}[name]
		return v, ok
	}
	for _, c := range []struct{ text, want string }{
		{"[client.a]\ntoken_env = \"A\"\nactor = \"ann\"\ncalls = 5\noperations = [\"read\"]\n[client.b]\ntoken_sha256 = \"" +
			strings.Repeat("ab", 32) + "\"\n", "2 clients"},
		{"", "no [client.NAME] in it"},
		{"[client.a]\nnamespace = [\"x\"]", "client.a.namespace: unknown key"},
		{"[client.a]\nnamespaces = []",
			"client.a.namespaces: the list is empty: list at least one, or omit the key to allow all"},
		{"[client.a]\noperations = []",
			"client.a.operations: the list is empty: list at least one, or omit the key to allow all"},
		{"[client.a]\ntoken_env = \"NONE\"", "client.a: token_env: the variable NONE must hold a token of at least 16 bytes"},
		{"[client.a]\ntoken_env = \"SHORT\"",
			"client.a: token_env: the variable SHORT must hold a token of at least 16 bytes"},
		{"[client.a]\ntoken_env = \"A\"\n[client.b]\ntoken_env = \"A\"", "client.b: same token as client.a"},
		{"[client.a]\ntoken_sha256 = \"abc\"",
			"client.a: token_sha256: want 64 hex digits: printf %s \"$TOKEN\" | sha256sum"},
		{"[client.a]\npolicy = \"maybe\"", `client.a: policy "maybe": unknown: use ask, readonly or session`},
		{"[client.a]\ncalls = -1", "client.a: a budget must not be negative"},
	} {
		roster, err := parseClients(c.text, env)
		got := fmt.Sprintf("%d clients", len(roster.Clients))
		if err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%s\ngot  %s\nwant %s", c.text, got, c.want)
		}
	}
}

func FuzzPageEnd(f *testing.F) {
	f.Add("abc\ndef", 4)
	f.Add("日本語", 4)
	f.Fuzz(func(t *testing.T, text string, n int) {
		if n < 8 || n > 1000 {
			return
		}
		end := pageEnd(text, n)
		if end > n && end != len(text) || end > len(text) || end == 0 && text != "" {
			t.Errorf("%d of %d", end, len(text))
		}
	})
}

// TestEffects: effects stand beside the values, and without them an answer has no more than ever.
func TestEffects(t *testing.T) {
	b := newBench(t, Options{})
	plain := catalog.Entry{ID: "office.list", Description: "List.",
		Action: func(context.Context, catalog.Call) (catalog.Result, error) {
			return catalog.Result{Data: int64(7)}, nil
		}}
	with := plain
	with.ID = "office.seen"
	with.Effects = []catalog.Effect{
		{Kind: "state.set", Target: "n", Value: "$result"}, {Kind: "mail", Target: "hidden-item"},
		{Kind: "state.set", Target: "a b"},
	}
	all, _ := catalog.New([]catalog.Entry{plain, with}, catalog.Options{})
	b.view = all.View()
	cs := b.dial(t, Client{}, nil)
	for id, want := range map[string]string{
		"office.list": `{"calls":[{"id":"office.list","verdict":"ok"}],"ok":true,"values":[7]}`,
		"office.seen": `{"calls":[{"id":"office.seen","verdict":"ok"}],"effects":[` +
			`{"action":"office.seen","kind":"state.set","state":"recorded","target":"n","value":7},` +
			`{"action":"office.seen","kind":"mail","state":"recorded","target":"[redacted]"},` +
			`{"action":"office.seen","kind":"state.set","reason":"state.set: target \"a b\": want the name of a field; ` +
			`state.set_path takes a path","state":"rejected","target":"a b"}],"ok":true,"values":[7]}`,
	} {
		r := call(t, cs, "execute", script(`return `+id+`{}`, id))
		if data, _ := json.Marshal(r.StructuredContent); string(data) != want {
			t.Errorf("%s:\n%s, want\n%s", id, data, want)
		}
		told := strings.Contains(textOf(r), "effects recorded, not applied: state.set n, mail [redacted]\n"+
			"effect rejected: state.set: target")
		if told != (id == with.ID) {
			t.Errorf("%s: %s", id, textOf(r))
		}
	}
}
