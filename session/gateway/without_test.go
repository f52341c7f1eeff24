package gateway

// This file tests the version of the protocol without a handshake, where an answer names its session and a question is
// an answer.

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"almanac/catalog"
)

// A session goes with its handle, which is its client's alone.
func TestHandles(t *testing.T) {
	b := newBench(t, Options{Persistent: true, Page: 100})
	url := serveHTTP(t, b, HTTPOptions{Roster: Roster{Clients: []Client{
		with(t, tokenA, Client{Name: "a"}), with(t, tokenB, Client{Name: "b"}),
	}}})
	dial := func(token string) *sdk.ClientSession {
		cs, err := dialVersion(t, url, token, noHandshake, nil)
		if err != nil {
			t.Fatal(err)
		}
		return cs
	}
	a, other := dial(tokenA), dial(tokenB)
	handle := func(r *sdk.CallToolResult) string {
		h, _ := r.StructuredContent.(map[string]any)["session"].(string)
		if !strings.Contains(textOf(r), "[session "+h+": ") {
			t.Errorf("session %q is not in %s", h, textOf(r))
		}
		return h
	}
	with := func(args map[string]any, h string) map[string]any {
		args["session"] = h
		return args
	}
	first := handle(call(t, a, "execute", script(`x = 42`)))
	if again := handle(call(t, a, "execute", script(`return x`))); again == first {
		t.Error("a call without a session has that of another")
	}
	r := call(t, a, "execute", with(script(`return x`), first))
	if got := textOf(r); !strings.HasPrefix(got, "42\n") || handle(r) != first {
		t.Errorf("with its session: %s", got)
	}
	for _, h := range []string{"nosuchsession", first} {
		cs := a
		if h == first {
			cs = other // of another client
		}
		if got := textOf(call(t, cs, "execute", with(script(`return x`), h))); !strings.Contains(got,
			"unknown or closed: omit session to start a new one") {
			t.Errorf("%s: %s", h, got)
		}
	}
	opened := b.opened
	if r := call(t, a, "execute", map[string]any{"code": "x"}); !r.IsError ||
		!strings.Contains(textOf(r), `"code": it takes actions, cursor, fresh, plan, preview, script, session`) ||
		b.opened != opened {
		t.Errorf("an unknown argument opened a session: %s", textOf(r))
	}
	long := call(t, a, "execute", with(script(`return ("y"):rep(1000)`), first))
	cursor, _ := long.StructuredContent.(map[string]any)["cursor"].(string)
	next := call(t, a, "execute", map[string]any{"cursor": cursor, "session": handle(long)})
	if got := textOf(next); !strings.HasPrefix(got, "yyy") || handle(next) != first {
		t.Errorf("the next page: %s", got)
	}
}

// A yes is for what was asked about: it must come with the call again, once, and from the same client.
func TestQuestionIsAnswer(t *testing.T) {
	b := newBench(t, Options{})
	buy := func(id string) json.RawMessage {
		text, _ := json.Marshal(script(`return shop.buy{id="`+id+`"}`, "shop.buy"))
		return text
	}
	url := serveHTTP(t, b, HTTPOptions{Roster: Roster{Clients: []Client{
		with(t, tokenA, Client{Name: "a", Rules: catalog.Rules{Actor: "ann"}}), with(t, tokenB, Client{Name: "b"}),
	}}})
	dial := func(token string) *sdk.ClientSession {
		cs, err := dialVersion(t, url, token, noHandshake, &sdk.ClientOptions{
			MultiRoundTrip: &sdk.MultiRoundTripOptions{Disabled: true},
			ElicitationHandler: func(context.Context, *sdk.ElicitRequest) (*sdk.ElicitResult, error) {
				t.Error("asked by a request")
				return nil, errUndecided
			},
		})
		if err != nil {
			t.Fatal(err)
		}
		return cs
	}
	a, other := dial(tokenA), dial(tokenB)
	yes := sdk.InputResponseMap{questionName: &sdk.ElicitResult{
		Action: "accept", Content: map[string]any{"decision": "once"},
	}}
	send := func(cs *sdk.ClientSession, args json.RawMessage, state string,
		answers sdk.InputResponseMap) *sdk.CallToolResult {
		r, err := cs.CallTool(t.Context(), &sdk.CallToolParams{
			Name: "lua_tools_execute", Arguments: args, RequestState: state, InputResponses: answers,
		})
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	again := json.RawMessage(`{"script": "return shop.buy{id=\"x\"}", "actions": ["shop.buy"]}`) // in another order
	r := send(a, buy("x"), "", nil)
	if !r.NeedsInput() || r.RequestState == "" {
		t.Fatalf("no question: %+v", r)
	}
	for _, c := range []struct {
		name    string
		cs      *sdk.ClientSession
		args    json.RawMessage
		state   string
		answers sdk.InputResponseMap
		want    string
	}{
		{"other arguments", a, buy("y"), r.RequestState, yes, "a call of another tool or with other arguments"},
		{"another client", other, buy("x"), r.RequestState, yes, "unknown or expired"},
		{"another state", a, buy("x"), r.RequestState + "x", yes, "unknown or expired"},
		{"no answer", a, buy("x"), r.RequestState, nil, "want the answer to"},
		{"the call again", a, again, r.RequestState, yes, "ann bought x"},
		{"twice", a, buy("x"), r.RequestState, yes, "unknown or expired"},
	} {
		if got := textOf(send(c.cs, c.args, c.state, c.answers)); !strings.Contains(got, c.want) ||
			strings.Contains(got, "bought") != (c.name == "the call again") {
			t.Errorf("%s: %s", c.name, got)
		}
	}
}
