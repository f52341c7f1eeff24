package session

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"almanac/catalog"
	"almanac/catalog/lua"
	"almanac/session/policy"
	"almanac/session/vm"
)

// call makes a call without a script: words are an author, an id and the caller's context.
func (b *bench) call(words []string, args string) string {
	b.t.Helper()
	in := Invocation{Author: Author(words[0]), ID: words[1]}
	if args != "" {
		if err := json.Unmarshal([]byte(args), &in.Args); err != nil {
			b.t.Fatal(err)
		}
	}
	for _, word := range words[2:] {
		switch name, value, _ := strings.Cut(word, "="); name {
		case "actor":
			in.Context.Actor = value
		case "tenant":
			in.Context.Tenant = value
		case "heard":
			in.Context.Messages = []catalog.Message{{Role: "user", Text: value}}
		default:
			b.t.Fatalf("unknown context %q", word)
		}
	}
	result, err := b.session.Call(b.t.Context(), in)
	return showCalled(result, err)
}

func showCalled(result catalog.Result, err error) string {
	var w strings.Builder
	var host *vm.HostError
	switch {
	case errors.As(err, &host):
		fmt.Fprintf(&w, "%s: %s\n", host.Code, host.Message)
		if host.Hint != "" {
			fmt.Fprintf(&w, "hint: %s\n", host.Hint)
		}
	case err != nil:
		fmt.Fprintf(&w, "error without a code: %v\n", err)
	default:
		fmt.Fprintln(&w, lua.Literal(result.Data, lua.Options{}))
	}
	for _, e := range result.Effects {
		fmt.Fprintf(&w, "effect %s %s\n", e.Kind, e.Target)
	}
	return w.String()
}

// Calls of a Go program wait neither for each other nor for a run, and Close waits for them.
func TestCallsSideBySide(t *testing.T) {
	const calls = 20
	var all sync.WaitGroup
	all.Add(calls + 1)
	meet := catalog.Entry{ID: "shop.meet", Action: func(ctx context.Context, _ catalog.Call) (catalog.Result, error) {
		all.Done()
		all.Wait()
		return catalog.Result{Data: true}, ctx.Err()
	}}
	b := newBench(t, nil)
	open(t, b, meet)
	ran := make(chan *Outcome, 1)
	go func() {
		out, _ := b.session.Run(context.Background(), Script{Source: "return shop.meet{}", Author: User})
		ran <- out
	}()
	var made sync.WaitGroup
	for range calls {
		made.Go(func() {
			if got := showCalled(b.session.Call(t.Context(), Invocation{ID: "shop.meet"})); got != "true\n" {
				t.Error(got)
			}
		})
	}
	made.Wait()
	if out := <-ran; out == nil || out.Err != nil {
		t.Errorf("the run: %+v", out)
	}
}

func TestCloseWaitsForCalls(t *testing.T) {
	began, end, made := make(chan bool), make(chan bool), false
	b := newBench(t, nil)
	open(t, b, catalog.Entry{ID: "shop.wait", Action: func(context.Context, catalog.Call) (catalog.Result, error) {
		close(began)
		<-end
		made = true
		return catalog.Result{}, nil
	}})
	go b.session.Call(t.Context(), Invocation{ID: "shop.wait"})
	<-began
	go func() { // ends the call when the session takes no more
		for {
			if _, err := b.session.Call(t.Context(), Invocation{ID: "shop.none"}); errors.Is(err, ErrClosed) {
				close(end)
				return
			}
		}
	}()
	if err := b.session.Close(); err != nil || !made {
		t.Errorf("closed while a call was under way: %v", err)
	}
}

// The key of a caller goes to the action; an error that may be gone at the next attempt says so when it leaves.
func TestCallKeyAndTransient(t *testing.T) {
	b := newBench(t, func(o *Options) {
		o.Policy.Mode = policy.Session
		o.After = func(_ time.Duration, f func()) func() bool { f(); return func() bool { return false } }
	})
	var keys []any
	open(t, b, catalog.Entry{
		ID: "shop.pay", Mutates: true, Key: &catalog.Key{Argument: "key"},
		Action: func(_ context.Context, c catalog.Call) (catalog.Result, error) {
			keys = append(keys, c.Args["key"])
			return catalog.Result{}, &catalog.Transient{Err: errors.New("hunter2 is busy"), After: time.Second}
		},
	})
	_, err := b.session.Call(t.Context(), Invocation{ID: "shop.pay", Key: "k1"})
	var late *catalog.Transient
	if !errors.As(err, &late) || late.After != time.Second ||
		showCalled(catalog.Result{}, err) != "action_failed: shop.pay: [redacted] is busy (tried 4 times)\n" {
		t.Errorf("%#v", err)
	}
	if fmt.Sprint(keys) != "[k1 k1 k1 k1]" {
		t.Error(keys)
	}
}
