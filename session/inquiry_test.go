package session

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"almanac/catalog"
)

// What a server asks in a call goes to the person, and to a model only where the person lets it.
func TestInquiries(t *testing.T) {
	form := catalog.MustSchema(`{"type":"object","properties":{"who":{"type":"string"},` +
		`"n":{"type":"integer","default":3}},"required":["who"],"additionalProperties":false}`)
	values := map[string]any{"who": "Ann", "n": int64(2)}
	yes := Approval{Verdict: Once, Args: values}
	for _, c := range []struct {
		name   string
		nobody bool
		sample bool
		answer Approval
		want   string
		asked  int
	}{
		{"filled in", false, false, yes, "true map[n:2 who:Ann]", 1},
		{"a yes without what is required", false, false, Approval{Verdict: Once}, "the answer does not fit the form", 1},
		{"for the session is no answer", false, false, Approval{Verdict: ForSession, Args: values}, "false", 1},
		{"declined", false, false, Approval{Reason: "none of yours"}, "none of yours", 1},
		{"nobody there", true, false, yes, "nobody can be asked here", 0},
		{"a model", false, true, Approval{Verdict: Once}, "model-1 says: hello", 1},
		{"no model", false, true, Approval{}, "false", 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			var asked []Request
			b := newBench(t, func(o *Options) {
				o.Approve = func(_ context.Context, r Request) (Approval, error) {
					asked = append(asked, r)
					return c.answer, nil
				}
				if c.nobody {
					o.Approve = nil
				}
				o.Complete = func(context.Context, catalog.Sample) (string, string, error) { return "hello", "model-1", nil }
			})
			open(t, b, catalog.Entry{ID: "shop.asks", Action: func(ctx context.Context, _ catalog.Call) (catalog.Result, error) {
				q := catalog.Inquiry{Server: "shop", Text: "Who?", Form: form}
				if c.sample {
					q = catalog.Inquiry{Server: "shop", Sample: &catalog.Sample{Text: "user: hello?"}}
				}
				reply := catalog.Inquire(ctx, q)
				if c.sample && reply.Accepted {
					return catalog.Result{Data: reply.Model + " says: " + reply.Text}, nil
				}
				return catalog.Result{Data: fmt.Sprint(reply.Accepted, " ", reply.Values, " ", reply.Reason)}, nil
			}})
			out := b.run(User, `return shop.asks{}`)
			if got := show(out); !strings.Contains(got, c.want) || len(asked) != c.asked {
				t.Errorf("asked %d times, got %s", len(asked), got)
			}
			if note := out.Calls[0].Note; !strings.HasPrefix(note, "its server asked ") {
				t.Errorf("note %q", note)
			}
			if c.asked > 0 && (asked[0].Inquiry == nil || asked[0].Entry.ID != "shop" || asked[0].Reason != "during shop.asks" ||
				!c.sample && asked[0].Args["n"] != int64(3)) {
				t.Errorf("asked %+v", asked[0])
			}
		})
	}
}

// A server asks ten times in a call at most, five times for a model.
func TestInquiriesEnd(t *testing.T) {
	count := 0
	b := newBench(t, func(o *Options) {
		o.Approve = func(context.Context, Request) (Approval, error) { count++; return Approval{Verdict: Once}, nil }
		o.Complete = func(context.Context, catalog.Sample) (string, string, error) { return "", "", nil }
	})
	ask := func(sample *catalog.Sample) catalog.Action {
		return func(ctx context.Context, _ catalog.Call) (catalog.Result, error) {
			var last catalog.Reply
			for range 20 {
				last = catalog.Inquire(ctx, catalog.Inquiry{Server: "shop", Text: "?", Sample: sample})
			}
			return catalog.Result{Data: last.Reason}, nil
		}
	}
	for most, sample := range map[int]*catalog.Sample{maxInquiries: nil, maxSamples: {Text: "user: x"}} {
		count = 0
		open(t, b, catalog.Entry{ID: "shop.asks", Action: ask(sample)})
		if out := b.run(User, `return shop.asks{}`); count != most || !strings.Contains(show(out), "it asks too often") {
			t.Errorf("asked %d times, want %d: %s", count, most, show(out))
		}
	}
}

// The time of a call stands still while the person is asked, in the attempts around it as well.
func TestStandStill(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		outer, stop := newPatient(t.Context(), 2*time.Minute)
		defer stop()
		inner, stop := newPatient(outer, time.Minute)
		defer stop()
		time.Sleep(30 * time.Second)
		goOn := standStill(inner)
		time.Sleep(time.Hour)
		if inner.Err() != nil {
			t.Fatal("it ended while the person was asked")
		}
		goOn()
		<-inner.Done()
		if took := time.Since(began); took != time.Hour+time.Minute || outer.Err() != nil {
			t.Errorf("it ended after %v; the outer one: %v", took, outer.Err())
		}
	})
}
