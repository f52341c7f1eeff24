package host_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"almanac/catalog"
	"almanac/catalog/remote"
	"almanac/catalog/source"
	"almanac/catalog/team/bus"
	"almanac/session"
	"almanac/session/host"
	"almanac/session/kernel"
	"almanac/session/policy"
)

func TestMain(m *testing.M) {
	if kernel.Main() {
		return
	}
	if url, dir, ok := strings.Cut(os.Getenv(hostEnv), " "); ok {
		if err := hostMain(url, dir); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// A shop is what a host serves in the tests, and what was done there.
type shop struct {
	mu      sync.Mutex
	done    []string
	waiting chan struct{} // told when shop.wait has begun
	ended   chan error    // told why shop.wait has ended
}

func (s *shop) entries() []catalog.Entry {
	input := catalog.MustSchema(`{"type":"object","properties":{"item":{"type":"string"},"n":{"type":"integer"}}}`)
	entry := func(id string, mutates bool, a catalog.Action) catalog.Entry {
		return catalog.Entry{ID: "shop." + id, Description: "It is " + id + ".", Mutates: mutates, Input: input, Action: a}
	}
	get := entry("get", false, func(_ context.Context, c catalog.Call) (catalog.Result, error) {
		return catalog.Result{
			Data: map[string]any{"item": c.Args["item"], "n": c.Args["n"], "half": 0.5, "list": []any{}}, Note: "from the shelf",
			Effects: []catalog.Effect{{Kind: "state.set", Target: "last", Value: c.Args["item"]}}, Next: map[string]any{"n": 2},
		}, nil
	})
	get.Paged = true
	who := entry("who", false, func(_ context.Context, c catalog.Call) (catalog.Result, error) {
		return catalog.Result{Data: map[string]any{
			"actor": c.Context.Actor, "agent": c.Context.AgentName, "team": c.Context.TeamID, "heard": c.Args["heard"],
		}}, nil
	})
	who.Inject = []catalog.Injection{{Field: "heard", From: "messages"}}
	pay := entry("pay", true, func(_ context.Context, c catalog.Call) (catalog.Result, error) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.done = append(s.done, fmt.Sprint("pay ", c.Args["item"]))
		return catalog.Result{Data: len(s.done)}, nil
	})
	pay.Preview = func(_ context.Context, c catalog.Call) (string, error) {
		return fmt.Sprint("would pay ", c.Args["item"]), nil
	}
	pay.Effects = []catalog.Effect{{Kind: "state.set", Target: "paid", Value: "$args.item"}}
	pay.Compensate = &catalog.Compensation{ID: "shop.get", Args: map[string]any{"item": "$args.item"}}
	wait := entry("wait", false, func(ctx context.Context, c catalog.Call) (catalog.Result, error) {
		<-time.After(remote.SignAfter + remote.SignAfter/5) // the caller has just heard that it is under way
		catalog.Tell(ctx, catalog.Progress{ID: c.ID, Done: 1, Total: 2, Text: "half"})
		s.waiting <- struct{}{}
		<-ctx.Done()
		s.ended <- context.Cause(ctx)
		return catalog.Result{}, ctx.Err()
	})
	large := entry("large", false, func(_ context.Context, c catalog.Call) (catalog.Result, error) {
		return catalog.Result{Data: strings.Repeat("x", 3<<20)}, nil
	})
	fail := entry("fail", false, func(context.Context, catalog.Call) (catalog.Result, error) {
		return catalog.Result{}, &catalog.CallError{Message: "no such shelf", Code: "shelf", Hint: "look at another"}
	})
	sum := entry("sum", false, nil)
	sum.Lua = `return shop.get(args).n + 1`
	book := entry("book", true, func(_ context.Context, c catalog.Call) (catalog.Result, error) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.done = append(s.done, "book")
		return catalog.Result{Data: strings.Repeat("x", 1<<20)}, nil
	})
	return []catalog.Entry{get, who, pay, wait, large, fail, sum, book}
}

// onBus opens a bus for the test alone.
func onBus(t testing.TB) *bus.Bus {
	t.Helper()
	b, err := bus.Open(t.Context(), bus.Options{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.Close() })
	return b
}

// serve runs a host over the entries.
func serve(t testing.TB, b *bus.Bus, name string, entries []catalog.Entry, mode policy.Mode,
	trust ...string) *host.Host {
	t.Helper()
	all, report := catalog.New(entries, catalog.Options{})
	if len(report.Skipped) > 0 {
		t.Fatal(report.Skipped)
	}
	s, err := session.New(all.View(), session.Options{
		Host: name, Policy: policy.Policy{Mode: mode}, Context: catalog.Context{Actor: "the host"},
	})
	if err != nil {
		t.Fatal(err)
	}
	h, err := host.Start(t.Context(), b, s, host.Options{Name: name, Trust: trust, Logf: t.Logf})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		if err := errors.Join(h.Close(ctx), s.Close()); err != nil {
			t.Error(err)
		}
	})
	return h
}

// opened is the source nats:NAME.
func opened(t testing.TB, b *bus.Bus, data, spec string) source.Source {
	t.Helper()
	kind := remote.Kind(func(context.Context) (*bus.Bus, error) { return b, nil }, "")
	all, _, err := source.Kinds{kind}.Open(spec, source.Host{Data: data})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { all[0].Close() })
	return all[0]
}

// calling is a session over what the hosts serve.
func calling(t testing.TB, b *bus.Bus, spec string, o session.Options) *session.Session {
	t.Helper()
	src := opened(t, b, t.TempDir(), spec)
	batch, err := src.Load(t.Context(), func(source.Reading) {})
	if err != nil || len(batch.Skipped) > 0 {
		t.Fatal(err, batch.Skipped)
	}
	all, _ := catalog.New(batch.Entries, catalog.Options{})
	s, err := session.New(all.View(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}
