//lint:file-ignore SA1019 log messages are deprecated in a later version of the protocol than the gateway speaks

package gateway

import (
	"context"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"almanac/catalog"
	"almanac/session"
	"almanac/session/effect"
)

// A line of an applied effect reaches a client that listens to log messages, with the action as its logger; a question
// is rejected, since the client has no prompt.
func TestNotices(t *testing.T) {
	kinds, err := effect.ParseKinds([]string{"notify", "ask"})
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
	}, catalog.Options{})
	g, err := New(Options{
		Persistent: true,
		View:       func(context.Context) (*catalog.View, bool, error) { return all.View(), false, nil },
		Open: func(o Opening) (*session.Session, func() error, error) {
			s, err := session.New(o.View, session.Options{ApplyEffects: kinds, Notify: o.Notify})
			return s, func() error { return nil }, err
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { g.Close() })
	logged := make(chan *sdk.LoggingMessageParams, 10)
	cs := (&bench{Gateway: g}).dial(t, Client{}, &sdk.ClientOptions{
		LoggingMessageHandler: func(_ context.Context, r *sdk.LoggingMessageRequest) { logged <- r.Params },
	})
	if err := cs.SetLoggingLevel(t.Context(), &sdk.SetLoggingLevelParams{Level: "info"}); err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{"shop.size", "shop.ship"} {
		call(t, cs, "execute", map[string]any{"script": "return " + id + "{}", "actions": []string{id}})
	}
	if got := <-logged; got.Logger != "shop.ship" || got.Data != "parcels: 7 left" || len(logged) > 0 {
		t.Errorf("%+v", got)
	}
}
