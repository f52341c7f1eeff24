package session

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"almanac/catalog"
	"almanac/session/policy"
	"almanac/session/vm"
)

// A flaky action answers as its script says: "busy", "busy 7s", "no", "late", or anything else well.
type flaky struct {
	mu   sync.Mutex
	says []string
	keys []string // that the attempts sent
}

func (f *flaky) act(ctx context.Context, call catalog.Call) (catalog.Result, error) {
	f.mu.Lock()
	says := f.says[0]
	f.says = f.says[1:]
	argument, _ := call.Args["key"].(string)
	f.keys = append(f.keys, call.Key+argument)
	f.mu.Unlock()
	word, after, _ := strings.Cut(says, " ")
	switch word {
	case "busy":
		wait, _ := time.ParseDuration(after)
		return catalog.Result{}, &catalog.Transient{Err: errors.New("hunter2 is busy"), After: wait}
	case "no":
		return catalog.Result{}, errors.New("no")
	case "late":
		<-ctx.Done()
		return catalog.Result{}, ctx.Err()
	}
	return catalog.Result{Data: says}, nil
}

// Reads are tried again, and mutations with a key; the record has each attempt.
func TestAttempts(t *testing.T) {
	type entry = catalog.Entry
	argument, header := &catalog.Key{Argument: "key"}, &catalog.Key{Header: "K"}
	quick := &catalog.Retry{Tries: 3, Wait: time.Second, Most: 90 * time.Second}
	for _, c := range []struct {
		name   string
		entry  entry
		says   string
		want   string
		pauses string // each at least; the random part of one is up to a half
	}{
		{"well at once", entry{}, "fine", "fine", ""},
		{"a read", entry{}, "busy,busy,fine", "fine", "250ms 500ms"},
		{"a read for ever", entry{}, "busy,busy,busy,busy", "[redacted] is busy (tried 4 times)", "250ms 500ms 1s"},
		{"another error", entry{}, "busy,no", "no (tried 2 times)", "250ms"},
		{"not transient", entry{}, "no", "no", ""},
		{"as long as it asks", entry{}, "busy 7s,fine", "fine", "7s"},
		{"too long", entry{}, "busy 1h", "[redacted] is busy", ""},
		{"longer than the call may take", entry{Retry: quick}, "busy 80s", "[redacted] is busy", ""},
		{"as declared", entry{Retry: quick}, "busy,busy,busy", "[redacted] is busy (tried 3 times)", "1s 2s"},
		{"once", entry{Retry: &catalog.Retry{Tries: 1}}, "busy", "[redacted] is busy", ""},
		{"a timeout", entry{Timeout: 30 * time.Millisecond}, "late", "no answer within 30ms", ""},
		{"a timeout, declared", entry{Timeout: 30 * time.Millisecond, Retry: quick}, "late,fine", "fine", "1s"},
		{"a write", entry{Mutates: true, Retry: quick}, "busy", "[redacted] is busy", ""},
		{"a write with a key", entry{Mutates: true, Key: argument}, "busy,busy,fine", "fine", "250ms 500ms"},
		{"a header", entry{Mutates: true, Key: header, SendsKey: true}, "busy,fine", "fine", "250ms"},
		{"a header that nobody sends", entry{Mutates: true, Key: header}, "busy", "[redacted] is busy", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := &flaky{says: strings.Split(c.says, ",")}
			sent := len(f.says)
			c.entry.ID, c.entry.Action = "shop.flaky", f.act
			var pauses []time.Duration
			b := newBench(t, func(o *Options) {
				o.Policy.Mode = policy.Session
				o.After = func(d time.Duration, f func()) func() bool {
					pauses = append(pauses, d)
					f()
					return func() bool { return false }
				}
			})
			open(t, b, c.entry)
			out := b.run(User, "return shop.flaky{}")
			got := ""
			if out.Err != nil {
				got = strings.TrimPrefix(out.Err.Message, "shop.flaky: ")
			} else {
				got = fmt.Sprint(out.Values[0].Data)
			}
			if got != c.want {
				t.Errorf("got %s", got)
			}
			for i, word := range strings.Fields(c.pauses) {
				least, _ := time.ParseDuration(word)
				if i >= len(pauses) || pauses[i] < least || pauses[i] > least*3/2 {
					t.Errorf("paused %v, want %s", pauses, c.pauses)
					break
				}
			}
			call := out.Calls[0]
			switch n := len(call.Attempts); {
			case len(pauses) != len(strings.Fields(c.pauses)):
				t.Errorf("paused %v, want %s", pauses, c.pauses)
			case sent > 1 && n != sent || sent == 1 && n != 0:
				t.Errorf("%d attempts are recorded: %+v", n, call.Attempts)
			case n > 0 && (call.Attempts[0].Pause != pauses[0] || (call.Attempts[n-1].Error == "") != (out.Err == nil)):
				t.Errorf("recorded %+v", call.Attempts)
			}
			keyed := c.entry.Key != nil && (c.entry.SendsKey || c.entry.Key.Argument != "")
			f.mu.Lock() // an attempt that came too late may have been abandoned
			defer f.mu.Unlock()
			for _, key := range f.keys {
				if key != call.Key || (key != "") != keyed {
					t.Errorf("sent the keys %q, recorded %q", f.keys, call.Key)
				}
			}
			if k := c.entry.Key; k != nil && k.Argument != "" && call.Injected["key"] != call.Key {
				t.Errorf("injected %v", call.Injected)
			}
			b.shop.acts = nil
			if c.entry.Mutates && out.Err == nil {
				b.shop.acts = []string{"flaky"}
			}
		})
	}
}

// open gives the session one action beside the shop's.
func open(t *testing.T, b *bench, e catalog.Entry) {
	t.Helper()
	e.Input = catalog.MustSchema(`{"type":"object"}`)
	all, report := catalog.New(append(b.shop.entries(), e), catalog.Options{})
	if len(report.Skipped) > 0 {
		t.Fatalf("skipped: %v", report.Skipped)
	}
	if err := b.session.Replace(t.Context(), all.View()); err != nil {
		t.Fatal(err)
	}
}

// A caller may not send the key itself, and an interrupt ends a pause.
func TestAttemptsEnd(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	b := newBench(t, func(o *Options) {
		o.Policy.Mode = policy.Session
		o.After = func(time.Duration, func()) func() bool { cancel(); return func() bool { return true } }
	})
	f := &flaky{says: []string{"busy", "fine"}}
	open(t, b, catalog.Entry{ID: "shop.flaky", Action: f.act, Mutates: true, Key: &catalog.Key{Argument: "key"}})
	out := b.run(User, `shop.flaky{key = "mine"}`)
	if out.Err == nil || out.Err.Message != "shop.flaky: argument key: filled in by the host; leave it out" {
		t.Error(show(out))
	}
	out, err := b.session.Run(ctx, Script{Source: `pcall(shop.flaky, {})`, Author: User})
	f.mu.Lock()
	defer f.mu.Unlock()
	if err != nil || out.Err == nil || out.Err.Kind != vm.Interrupt || len(f.says) != 1 {
		t.Errorf("%v, %s, left %v", err, show(out), f.says)
	}
}

// Progress begins the time of a call again, ten times at most.
func TestPatience(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, c := range []struct{ every, want time.Duration }{
			{time.Hour, time.Minute}, {50 * time.Second, 10 * time.Minute},
		} {
			began := time.Now()
			ctx, stop := newPatient(t.Context(), time.Minute)
			for ctx.Err() == nil {
				select {
				case <-time.After(c.every):
					catalog.Tell(ctx, catalog.Progress{Done: 1})
				case <-ctx.Done():
				}
			}
			if took := time.Since(began); took != c.want || !errors.Is(context.Cause(ctx), context.DeadlineExceeded) {
				t.Errorf("progress every %v: ended after %v: %v", c.every, took, context.Cause(ctx))
			}
			stop()
		}
	})
}
