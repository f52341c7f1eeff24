package session

import (
	"context"
	"testing"

	"almanac/catalog"
)

// BenchmarkCall is a call of an action on its way through the checks, and what a contract adds to it: an output schema,
// an effect, a hook. A run has 500 calls; "bare" is that run without them, for each of them.
func BenchmarkCall(b *testing.B) {
	const calls = 500
	row := map[string]any{"id": "a", "cents": int64(100)}
	entry := catalog.Entry{
		ID:     "shop.get",
		Input:  catalog.MustSchema(`{"type":"object","properties":{"id":{"type":"string"}},"required":["id"]}`),
		Action: func(context.Context, catalog.Call) (catalog.Result, error) { return catalog.Result{Data: row}, nil },
	}
	for _, c := range []struct {
		name, line string
		change     func(e *catalog.Entry)
	}{
		{"bare", `local v = {id = "a"}`, func(*catalog.Entry) {}},
		{"plain", `shop.get{id = "a"}`, func(*catalog.Entry) {}},
		{"output", `shop.get{id = "a"}`, func(e *catalog.Entry) {
			e.Output = catalog.MustSchema(`{"type":"object","properties":{"id":{"type":"string"},"cents":{"type":"integer"}}}`)
		}},
		{"effect", `shop.get{id = "a"}`, func(e *catalog.Entry) {
			e.Action = func(context.Context, catalog.Call) (catalog.Result, error) {
				return catalog.Result{Data: row, Effects: []catalog.Effect{{Kind: "state.set", Target: "last", Value: "a"}}}, nil
			}
		}},
		{"hook", `shop.get{id = "a"}`, func(e *catalog.Entry) {
			e.Hooks = &catalog.Hooks{After: []catalog.Hook{
				{Name: "pass", Do: func(context.Context, *catalog.HookCall) error { return nil }},
			}}
		}},
	} {
		b.Run(c.name, func(b *testing.B) {
			e := entry
			c.change(&e)
			all, _ := catalog.New([]catalog.Entry{e}, catalog.Options{})
			s, err := New(all.View(), Options{})
			if err != nil {
				b.Fatal(err)
			}
			defer s.Close()
			script := Script{Source: "for i = 1, 500 do " + c.line + " end", Author: User}
			for b.Loop() {
				if out, err := s.Run(b.Context(), script); err != nil || out.Err != nil {
					b.Fatal(err, out.Err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*calls), "µs/call")
		})
	}
}
