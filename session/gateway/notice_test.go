//lint:file-ignore SA1019 log messages are deprecated in a later version of the protocol than the gateway speaks

package gateway

import (
	"context"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"almanac/catalog"
	"almanac/session"
	"almanac/session/effect"
)

// A line of an applied effect reaches a client that listens to log messages, with the action as its logger; a question
// is rejected, since the client has no prompt. Where nothing is kept from call to call, directives are applied all the
// same, also for later calls, and operations on the state are rejected with what would keep one; a preview says so too.
func TestNotices(t *testing.T) {
	kinds, err := effect.ParseKinds([]string{"state.*", "view.*", "context.*", "notify", "ask"})
	if err != nil {
		t.Fatal(err)
	}
	action := func(effects ...catalog.Effect) catalog.Action {
		return func(context.Context, catalog.Call) (catalog.Result, error) {
			return catalog.Result{Data: true, Effects: effects}, nil
		}
	}
	all, _ := catalog.New([]catalog.Entry{
		{ID: "shop.ship", Action: action(catalog.Effect{Kind: effect.Notify, Target: "parcels", Value: "7 left"})},
		{ID: "shop.size", Action: action(
			catalog.Effect{Kind: effect.Notify, Value: "never"},
			catalog.Effect{Kind: effect.Ask, Target: "size", Value: map[string]any{"question": "What size?"}},
		)},
		{ID: "shop.count", Action: action(
			catalog.Effect{Kind: effect.Notify, Value: "never"},
			catalog.Effect{Kind: effect.StateSet, Target: "n", Value: int64(1)},
		)},
		{ID: "shop.enter", Action: action(
			catalog.Effect{Kind: effect.ContextSet, Target: "region", Value: "eu"},
			catalog.Effect{Kind: effect.ViewNarrow, Value: map[string]any{"denied_ids": []any{"shop.size"}}},
		)},
		{ID: "shop.where", Inject: []catalog.Injection{{Field: "at", From: "set.region"}},
			Action: func(_ context.Context, c catalog.Call) (catalog.Result, error) {
				return catalog.Result{Data: c.Args["at"]}, nil
			}},
	}, catalog.Options{})
	g, err := New(Options{
		View: func(context.Context) (*catalog.View, bool, error) { return all.View(), false, nil },
		Open: func(o Opening) (*session.Session, func() error, error) {
			s, err := session.New(o.View, session.Options{
				ApplyEffects: kinds, Notify: o.Notify, Isolated: o.Isolated, ContextKeys: []string{"region"},
			})
			return s, func() error { return nil }, err
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { g.Close() })
	logged := make(chan *sdk.LoggingMessageParams, 10)
	yes := true
	const noState = "effect rejected: state.set: this client keeps no state: set persistent = true"
	const noPrompt = "effect rejected: nobody can be asked or reminded here: there is no prompt"
	for _, c := range []struct {
		client Client
		calls  [][2]string // an action and what its answer has; of a preview after a question mark
	}{
		{Client{}, [][2]string{
			{"?shop.count", noState}, {"shop.count", noState}, {"?shop.size", noPrompt}, {"shop.size", noPrompt},
			{"shop.where", "this session has no set.region"},
			{"?shop.enter", "effects that would be applied: context.set region"},
			{"shop.enter", "effects applied: context.set region, view.narrow"}, {"shop.where", "eu"},
			{"shop.size", "no such action"}, {"shop.ship", "effects applied: notify parcels"},
		}},
		{Client{Persistent: &yes}, [][2]string{
			{"shop.size", noPrompt}, {"?shop.count", "effects that would be applied: notify, state.set n"},
			{"shop.ship", "effects applied: notify parcels"},
		}},
	} {
		cs := (&bench{Gateway: g, version: withHandshake}).dial(t, c.client, &sdk.ClientOptions{
			LoggingMessageHandler: func(_ context.Context, r *sdk.LoggingMessageRequest) { logged <- r.Params },
		})
		if err := cs.SetLoggingLevel(t.Context(), &sdk.SetLoggingLevelParams{Level: "info"}); err != nil {
			t.Fatal(err)
		}
		for _, made := range c.calls {
			id, preview := strings.CutPrefix(made[0], "?")
			got := textOf(call(t, cs, "execute", map[string]any{
				"script": "return " + id + "{}", "actions": []string{id}, "preview": preview,
			}))
			if !strings.Contains(got, made[1]) {
				t.Errorf("%s: %s\nwant %s", made[0], got, made[1])
			}
		}
		if got := <-logged; got.Logger != "shop.ship" || got.Data != "parcels: 7 left" || len(logged) > 0 {
			t.Errorf("%+v", got)
		}
	}
}
