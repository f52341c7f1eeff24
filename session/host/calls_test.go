package host_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"almanac/catalog"
	"almanac/catalog/lua"
	"almanac/catalog/remote"
	"almanac/catalog/source"
	"almanac/session"
	"almanac/session/policy"
	"almanac/session/vm"
)

// said is what a call came to, in lines.
func said(r catalog.Result, err error) string {
	var host *vm.HostError
	if errors.As(err, &host) {
		return strings.TrimSuffix(fmt.Sprintf("%s: %s\n%s", host.Code, host.Message, host.Hint), "\n")
	}
	if err != nil {
		return err.Error()
	}
	text := lua.Literal(r.Data, lua.Options{})
	for _, e := range r.Effects {
		text += fmt.Sprintf("\neffect %s %v", e.Title(), e.Value)
	}
	if r.Note != "" {
		text += "\nnote " + r.Note
	}
	if r.Next != nil {
		text += "\nnext " + lua.Literal(r.Next, lua.Options{})
	}
	return text
}

// A call at a host comes to what it comes to in the host's own session.
func TestCalls(t *testing.T) {
	b := onBus(t)
	s := &shop{}
	serve(t, b, "shop", s.entries(), policy.ReadOnly)
	here := calling(t, b, "nats:shop", session.Options{
		Policy:  policy.Policy{Mode: policy.Session},
		Context: catalog.Context{Actor: "ann", AgentName: "scout", TeamID: "red"},
	})
	here.SetMessages(func() []catalog.Message { return []catalog.Message{{Role: "user", Text: "hello"}} })
	for _, c := range []struct {
		id   string
		args map[string]any
		want string
	}{
		{"shop.get", map[string]any{"item": "pen", "n": 3},
			"{ half = 0.5, item = \"pen\", list = {}, n = 3 }\neffect state.set last pen\nnote from the shelf\nnext { n = 2 }"},
		{"shop.get", map[string]any{"item": 3}, "bad_argument: shop.get: argument item: want string, got integer 3\n" +
			"write it as \"3\"\n- item: string, optional"},
		{"shop.who", nil, `{ actor = "the host", agent = "scout", heard = { { role = "user", text = "hello" } }, team = "" }`},
		{"shop.pay", map[string]any{"item": "pen"}, "denied: shop.pay: denied: host shop is read-only\n" +
			"host shop: this is a write; who runs the host can allow it there: almanac host shop --allow shop.pay"},
		{"shop.fail", nil, "shelf: shop.fail: no such shelf\nhost shop: look at another"},
		{"shop.sum", map[string]any{"n": 4, "item": "ink"}, "5\neffect state.set last ink"},
	} {
		got := said(here.Call(t.Context(), session.Invocation{ID: c.id, Args: c.args}))
		if got != c.want {
			t.Errorf("%s %v: got\n%s\nwant\n%s", c.id, c.args, got, c.want)
		}
	}
	large, err := here.Call(t.Context(), session.Invocation{ID: "shop.large"})
	if text, _ := large.Data.(string); err != nil || len(text) != 3<<20 {
		t.Errorf("a large result: %d bytes, %v", len(text), err)
	}
	stats, err := b.Conn().Request("$SRV.STATS.almanac-host-shop", nil, 5*time.Second)
	if err != nil || !strings.Contains(string(stats.Data), `"errors":2`) {
		t.Errorf("statistics: %s, %v", stats.Data, err)
	}
	if len(s.done) > 0 {
		t.Errorf("done: %v", s.done)
	}
	if keys, _ := b.JetStream().ObjectStore(t.Context(), "almanac_host_shop_results"); keys != nil {
		if left, _ := keys.List(t.Context()); len(left) > 0 {
			t.Errorf("%d results are left", len(left))
		}
	}
}

// A preview of a mutation is the host's, and the call is made once, also when it is repeated with its key.
func TestKeys(t *testing.T) {
	b := onBus(t)
	s := &shop{}
	serve(t, b, "shop", s.entries(), policy.Session)
	serve(t, b, "shop", s.entries(), policy.Session)
	var asked session.Request
	here := calling(t, b, "far=nats:shop", session.Options{
		Policy: policy.Policy{Mode: policy.Ask},
		Approve: func(_ context.Context, r session.Request) (session.Approval, error) {
			asked = r
			return session.Approval{Verdict: session.Once}, nil
		},
	})
	for range 20 {
		got := said(here.Call(t.Context(), session.Invocation{
			ID: "far.shop.pay", Args: map[string]any{"item": "pen"}, Key: "one",
		}))
		if got != "1\neffect state.set paid pen" {
			t.Fatal(got)
		}
	}
	preview, err := here.Preview(t.Context(), session.Script{Source: `far.shop.pay{item = "ink"}`, Author: session.User})
	if err != nil || fmt.Sprint(preview.Calls[0].Effects) != "[{state.set paid ink}]" {
		t.Errorf("effects of the preview: %v, %v", preview.Calls, err)
	}
	if e := asked.Entry; asked.Preview != "would pay pen" || e.Target != "host shop" || e.Compensate.ID != "far.shop.get" {
		t.Errorf("asked: %+v", asked)
	}
	if got := said(here.Call(t.Context(), session.Invocation{
		ID: "far.shop.pay", Args: map[string]any{"item": "ink"}, Key: "one",
	})); !strings.Contains(got, "its idempotency key was used for another call") {
		t.Error(got)
	}
	for range 2 { // what it came to is too large for a message, and kept for who asks again
		booked, err := here.Call(t.Context(), session.Invocation{ID: "far.shop.book", Key: "two"})
		if text, _ := booked.Data.(string); err != nil || len(text) != 1<<20 {
			t.Errorf("booked: %d bytes, %v", len(text), err)
		}
	}
	if fmt.Sprint(s.done) != "[pay pen book]" {
		t.Errorf("done: %v", s.done)
	}
}

// A write of which an attempt was lost may have happened, whatever hosts say to the attempts after it.
func TestLostAndRefused(t *testing.T) {
	b := onBus(t)
	all, _ := catalog.New((&shop{}).entries(), catalog.Options{})
	pages, o, _, err := remote.Pages(func(yield func(*catalog.Entry) bool) {
		if e, ok := all.View().Lookup("shop.pay"); ok {
			yield(e)
		}
	}, func(line json.RawMessage) json.RawMessage { return line })
	if err != nil {
		t.Fatal(err)
	}
	o.Instance = "x"
	attempts := 0
	for subject, answer := range map[string]func() any{
		remote.Subject("shop", remote.OutlineSubject):           func() any { return o },
		remote.InstanceSubject("shop", "x", remote.PageSubject): func() any { return pages[0] },
		remote.Subject("shop", remote.CallSubject): func() any {
			if attempts++; attempts == 1 {
				return nil
			}
			return remote.Answer{Error: &remote.Failure{Message: "the host is stopping", Transient: true}}
		},
	} {
		sub, err := b.Conn().Subscribe(subject, func(m *nats.Msg) {
			switch a := answer().(type) {
			case nil:
			case []byte:
				_ = m.Respond(a)
			default:
				data, _ := json.Marshal(a)
				_ = m.Respond(data)
			}
		})
		if err != nil {
			t.Fatal(err)
		}
		defer sub.Unsubscribe() //nolint:errcheck // the bus ends with the test
	}
	here := calling(t, b, "nats:shop", session.Options{
		Policy: policy.Policy{Mode: policy.Session},
		After:  func(_ time.Duration, f func()) func() bool { f(); return func() bool { return false } }, // no pauses
	})
	want := "may_have_happened: shop.pay: host shop went away during the call, which may or may not have taken effect, " +
		"and now the host is stopping (tried 4 times)\nlook whether it has before you call again"
	if got := said(here.Call(t.Context(), session.Invocation{ID: "shop.pay", Key: "one"})); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// Progress comes through, and who stops waiting ends the call at the host.
func TestCancel(t *testing.T) {
	b := onBus(t)
	const tries = 10 // a call that is lost on a busy machine is made again
	s := &shop{waiting: make(chan struct{}, tries), ended: make(chan error, tries)}
	serve(t, b, "shop", s.entries(), policy.ReadOnly)
	here := calling(t, b, "nats:shop", session.Options{})
	ctx, cancel := context.WithCancel(t.Context())
	told := make(chan catalog.Progress, tries)
	ctx = catalog.WithProgress(ctx, func(p catalog.Progress) { told <- p })
	go func() {
		<-s.waiting
		if p := <-told; p.Text != "half" || p.Total != 2 {
			t.Errorf("told: %+v", p)
		}
		cancel()
	}()
	if got := said(here.Call(ctx, session.Invocation{ID: "shop.wait"})); got != ": interrupted" {
		t.Error(got)
	}
	select {
	case err := <-s.ended:
		if !strings.Contains(err.Error(), "cancelled") {
			t.Error(err)
		}
	case <-time.After(10 * time.Second):
		t.Error("the host still makes the call")
	}
}

// TestCircle has two hosts offer what they have from each other: the call ends.
func TestCircle(t *testing.T) {
	b := onBus(t)
	var first, second catalog.Action
	handOn := func(to *catalog.Action) []catalog.Entry {
		return []catalog.Entry{{ID: "shop.get", Action: func(ctx context.Context, c catalog.Call) (catalog.Result, error) {
			return (*to)(ctx, c)
		}}}
	}
	serve(t, b, "first", handOn(&second), policy.ReadOnly)
	serve(t, b, "second", handOn(&first), policy.ReadOnly)
	for name, action := range map[string]*catalog.Action{"first": &first, "second": &second} {
		batch, err := opened(t, b, t.TempDir(), "nats:"+name).Load(t.Context(), func(source.Reading) {})
		if err != nil {
			t.Fatal(err)
		}
		*action = batch.Entries[0].Action
	}
	_, err := first(t.Context(), catalog.Call{ID: "shop.get", Args: map[string]any{}})
	if err == nil || !strings.Contains(err.Error(), "the call came through 4 hosts") {
		t.Errorf("error %v", err)
	}
}
