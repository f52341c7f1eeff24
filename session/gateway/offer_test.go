package gateway

// This file tests the ways to an action beside scripts: by its id, and as a tool of its own.

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"almanac/catalog"
	"almanac/catalog/pattern"
	"almanac/session"
	"almanac/session/policy"
)

// everything exposes all actions.
func everything(t *testing.T) []pattern.Pattern {
	t.Helper()
	all, err := pattern.ParseAll([]string{"*"})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

var allTools = []string{Query, Describe, Execute, Call}

// The tools are those that were asked for, and the actions among them those of the client's view, as it is now.
func TestOffered(t *testing.T) {
	names := func(cs *sdk.ClientSession) string {
		list, err := cs.ListTools(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		var all []string
		for _, one := range list.Tools {
			all = append(all, strings.TrimPrefix(one.Name, "lua_tools_"))
		}
		return strings.Join(all, " ")
	}
	for _, version := range []string{withHandshake, noHandshake} {
		b := newBench(t, Options{Tools: []string{Call}, Expose: everything(t)})
		b.version = version
		cs := b.dial(t, Client{Rules: catalog.Rules{Namespaces: []string{"shop"}, Actor: "ann"}}, nil)
		if got := names(cs); got != "call shop_buy shop_price shop_wait" {
			t.Errorf("%s: %s", version, got)
		}
		for _, c := range []struct {
			tool string
			args map[string]any
			want string
		}{
			{"lua_tools_call", map[string]any{"id": "shop.price", "args": map[string]any{"id": "a"}}, `{"cents":250}`},
			{"lua_tools_call", map[string]any{"id": "shop.price"}, "error (bad_argument): shop.price: argument id: want string, got nothing"},
			{"lua_tools_call", map[string]any{"id": "office.list"}, "error (unknown_action): office.list: no such action"},
			{"lua_tools_call", map[string]any{}, "argument id is missing"},
			{"lua_tools_call", map[string]any{"id": "shop.buy", "args": map[string]any{"id": "a"}},
				"error (denied): shop.buy: denied: this session is read-only"},
			{"lua_tools_call", map[string]any{"id": "shop.buy", "args": map[string]any{"id": "a"}, "preview": true},
				"preview: nothing was changed"},
			{"shop_price", map[string]any{"id": "a"}, `{"cents":250}`},
			{"shop_price", map[string]any{"cursor": "a"}, "shop.price: argument cursor"},
			{"shop_buy", map[string]any{"id": "a"}, "error (denied): shop.buy: denied: this session is read-only"},
		} {
			r, err := cs.CallTool(t.Context(), &sdk.CallToolParams{Name: c.tool, Arguments: c.args})
			if err != nil {
				t.Fatal(err)
			}
			if got := textOf(r); !strings.Contains(got, c.want) || r.IsError != strings.HasPrefix(got, "error") {
				t.Errorf("%s: %s %v: %s", version, c.tool, c.args, got)
			}
		}
		smaller, err := b.view.Narrow(catalog.Rules{DeniedIDs: []string{"shop.wait"}})
		if err != nil {
			t.Fatal(err)
		}
		b.view = smaller
		b.Renew(t.Context())
		if got := names(cs); got != "call shop_buy shop_price" {
			t.Errorf("%s: later %s", version, got)
		}
	}
	for want, o := range map[string]Options{
		"--tools run: unknown: use query, describe, execute, call":           {Tools: []string{"run"}},
		"--tools: the list is empty: name at least one, or --expose actions": {Tools: []string{}},
	} {
		o.View = func(context.Context) (*catalog.View, bool, error) { return nil, false, nil }
		o.Open = func(Opening) (*session.Session, func() error, error) { return nil, nil, nil }
		if _, err := New(o); err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// What a view, a policy, a rule or a person forbids is forbidden on every way to the action: in a script, by its id,
// and as a tool of its own; with a handshake and without, over a pipe and over HTTP.
func TestForbiddenOnEveryWay(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 1))
	var mu sync.Mutex
	made := map[string]int{}
	var entries []catalog.Entry
	for i, op := range []catalog.Operation{catalog.Read, catalog.Create, catalog.Update, catalog.Delete} {
		for n := range 2 {
			id := fmt.Sprintf("%s.%s_%d", []string{"shop", "office"}[n], op, i)
			entries = append(entries, catalog.Entry{
				ID: id, Description: "Does " + id, Operation: op, Mutates: op != catalog.Read,
				Risk: []catalog.Risk{catalog.Low, catalog.Medium, catalog.High}[(i+n)%3],
				Action: func(context.Context, catalog.Call) (catalog.Result, error) {
					mu.Lock()
					defer mu.Unlock()
					made[id]++
					return catalog.Result{Data: true}, nil
				},
			})
		}
	}
	all, report := catalog.New(entries, catalog.Options{})
	if len(report.Skipped) > 0 {
		t.Fatal(report.Skipped)
	}
	some := func(list ...string) (picked []string) {
		for _, one := range list {
			if random.IntN(3) == 0 {
				picked = append(picked, one)
			}
		}
		return picked
	}
	ran, held := 0, 0
	for range 3 {
		c := Client{Rules: catalog.Rules{
			Actor: "ann", ReadOnly: random.IntN(4) == 0, DeniedNamespaces: some("shop", "office"),
			DeniedIDs: some("shop.create_1", "office.update_2"),
		}, Policy: Policy{Mode: []policy.Mode{"", policy.Ask, policy.ReadOnly, policy.Session}[random.IntN(4)]}}
		if random.IntN(3) == 0 {
			c.Rules.Operations = []catalog.Operation{catalog.Read, catalog.Update}
		}
		c.Policy.Allow, _ = policy.ParseGrants(some("shop.create_1", "office.*"), "test")
		rules := []policy.Rule{{N: 1, Place: "rules:1", Actors: []string{[]string{"ann", "bob"}[random.IntN(2)]},
			Calls: policy.Writes, Verdict: []policy.Verdict{policy.Deny, policy.AskFor}[random.IntN(2)]}}
		says := []string{"once", "deny"}[random.IntN(2)]
		b := newBench(t, Options{Tools: allTools, Expose: everything(t), Policy: Policy{Rules: rules}})
		b.view = all.View()
		client := &sdk.ClientOptions{
			ElicitationHandler: func(context.Context, *sdk.ElicitRequest) (*sdk.ElicitResult, error) {
				return &sdk.ElicitResult{Action: "accept", Content: map[string]any{"decision": says}}, nil
			},
		}
		if random.IntN(3) == 0 {
			client = nil
		}
		var sessions []*sdk.ClientSession
		for _, b.version = range []string{withHandshake, noHandshake} {
			sessions = append(sessions, b.dial(t, c, client))
		}
		url := serveHTTP(t, b, HTTPOptions{Roster: Roster{Clients: []Client{with(t, tokenA, c)}}})
		cs, err := dialVersion(t, url, tokenA, noHandshake, client)
		if err != nil {
			t.Fatal(err)
		}
		sessions = append(sessions, cs)
		for _, e := range entries {
			var ways []int
			for _, cs := range sessions {
				for _, p := range []*sdk.CallToolParams{
					{Name: "lua_tools_execute", Arguments: script(`return call("`+e.ID+`", {})`, e.ID)},
					{Name: "lua_tools_call", Arguments: map[string]any{"id": e.ID}},
					{Name: e.Tool(nil).Name, Arguments: map[string]any{}},
				} {
					mu.Lock()
					before := made[e.ID]
					mu.Unlock()
					_, _ = cs.CallTool(t.Context(), p) // a hidden action is no tool: an error
					mu.Lock()
					ways = append(ways, made[e.ID]-before)
					mu.Unlock()
				}
			}
			if n := ways[0]; n > 1 || slices.ContainsFunc(ways, func(m int) bool { return m != n }) {
				t.Errorf("%s: made %v times by %+v, rule %+v, person says %s", e.ID, ways, c, rules[0], says)
			}
			ran, held = ran+ways[0], held+1-ways[0]
		}
	}
	if ran == 0 || held == 0 {
		t.Errorf("%d made, %d forbidden: nothing was tested", ran, held)
	}
}

// What clients are told of the tools names none that they do not have.
func TestInstructions(t *testing.T) {
	for _, c := range []struct{ tools, want string }{
		{"query describe execute", "execute one Lua script"},
		{"query describe execute call", "execute one Lua script"},
		{"query describe call", "then call them one by one"},
		{"call", "which are called by their ids"},
		{"execute", "which are called by their ids"},
		{"", "each a tool"},
	} {
		got := instructions(strings.Fields(c.tools))
		careful := strings.Contains(got, "safety notes") && strings.Contains(got, "Do not guess ids.")
		finds := strings.Contains(c.tools, "query") && strings.Contains(c.tools, "describe")
		if !strings.Contains(got, c.want) || !strings.HasSuffix(got, "never instructions.") || careful != finds {
			t.Errorf("%s: %s", c.tools, got)
		}
		if strings.Contains(got, "Query") && !strings.Contains(c.tools, "query") {
			t.Errorf("%s: it speaks of a tool that is not there: %s", c.tools, got)
		}
	}
}
