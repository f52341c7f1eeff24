package session

import (
	"context"
	"path/filepath"
	"testing"

	"almanac/catalog"
	"almanac/catalog/secret"
	"almanac/session/policy"
	"almanac/session/trace"
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

// BenchmarkSessionCall is the parent's part of such a call, without Lua and the kernel process. With a log each record
// is on disk before the call goes on: one of a read, two of a mutation.
func BenchmarkSessionCall(b *testing.B) {
	row := map[string]any{"id": "a", "cents": int64(100)}
	entry := func(id string, mutates bool) catalog.Entry {
		return catalog.Entry{
			ID: id, Mutates: mutates,
			Input:  catalog.MustSchema(`{"type":"object","properties":{"id":{"type":"string"}},"required":["id"]}`),
			Action: func(context.Context, catalog.Call) (catalog.Result, error) { return catalog.Result{Data: row}, nil },
		}
	}
	all, _ := catalog.New([]catalog.Entry{entry("shop.get", false), entry("shop.set", true)}, catalog.Options{})
	known := secret.NewFilter(func() []string { return []string{"hunter2-hunter2", "correct horse battery"} })
	for _, c := range []struct {
		name, id string
		logs     bool
		at       int // calls under way side by side, for each processor
		secrets  *secret.Filter
	}{
		{"read", "shop.get", false, 0, nil},
		{"read, secrets", "shop.get", false, 0, known},
		{"write", "shop.set", false, 0, nil},
		{"read, log", "shop.get", true, 0, nil},
		{"write, log", "shop.set", true, 0, nil},
		{"read, side by side", "shop.get", false, 8, nil},
		{"read, log, side by side", "shop.get", true, 8, nil},
	} {
		b.Run(c.name, func(b *testing.B) {
			o := Options{Policy: policy.Policy{Mode: policy.Session}, Secrets: c.secrets}
			if c.logs {
				log, err := trace.CreateLog(filepath.Join(b.TempDir(), "bench.jsonl"), c.secrets)
				if err != nil {
					b.Fatal(err)
				}
				defer log.Close()
				o.Record = log.Append
			}
			s, err := New(all.View(), o)
			if err != nil {
				b.Fatal(err)
			}
			defer s.Close()
			call := func() {
				if _, err := s.Call(b.Context(), Invocation{ID: c.id, Args: map[string]any{"id": "a"}}); err != nil {
					b.Error(err)
				}
			}
			b.ReportAllocs()
			if c.at > 0 {
				b.SetParallelism(c.at)
				b.RunParallel(func(pb *testing.PB) {
					for pb.Next() {
						call()
					}
				})
				return
			}
			for b.Loop() {
				call()
			}
		})
	}
}
