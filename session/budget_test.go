package session

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"almanac/session/policy"
	"almanac/session/trace"
	"almanac/session/vm"
)

// calls is a script that makes n calls.
func calls(n int) string {
	return fmt.Sprintf(`for i = 1, %d do pcall(shop.item.get, {item_id = "a"}) end return "done"`, n)
}

func TestBudgetsOfAuthors(t *testing.T) {
	b := newBench(t, nil)
	if _, err := b.session.Describe(t.Context(), []string{"shop.item.get"}, ""); err != nil {
		t.Fatal(err)
	}
	user, model := b.session.Budget(User), b.session.Budget(Model)
	if user.Calls != 1000 || user.Mutations != 200 || model.Calls != 50 ||
		model.Mutations != 20 || user.Wait != model.Wait {
		t.Errorf("defaults: %+v, %+v", user, model)
	}
	for _, c := range []struct {
		author Author
		calls  int
		want   string
	}{
		{Model, 50, ""},
		{Model, 51, "shop.item.get: the run has used all 50 action calls"},
		{User, 1000, ""},
		{User, 1001, "shop.item.get: the run has used all 1000 action calls"},
	} {
		out := b.run(c.author, calls(c.calls))
		if got := message(out); got != c.want {
			t.Errorf("%s, %d calls: %q, want %q", c.author, c.calls, got, c.want)
		}
	}
	if len(b.asked) != 1 || b.asked[0].Over == nil || b.asked[0].Over.More != 1000 {
		t.Errorf("asked %+v", b.asked)
	}
}

func message(out *Outcome) string {
	if out.Err == nil {
		return ""
	}
	return out.Err.Message
}

// A yes is for as many again, each time; anything else ends the run, also one that makes calls side by side.
func TestGoOn(t *testing.T) {
	b := newBench(t, func(o *Options) { o.UserBudget.Calls = 3 })
	for _, c := range []struct {
		name    string
		source  string
		answers []Approval
		asked   int
		used    Usage
		want    vm.Kind
	}{
		{"enough", calls(3), nil, 0, Usage{Calls: 3, CallLimit: 3}, ""},
		{"as many again", calls(6), []Approval{{Verdict: Once}}, 1, Usage{Calls: 6, CallLimit: 6}, ""},
		{"twice", calls(7), []Approval{{Verdict: Once}, {Verdict: Once}}, 2, Usage{Calls: 7, CallLimit: 9}, ""},
		{"and no more", calls(7), []Approval{{Verdict: Once}, {}}, 2, Usage{Calls: 6, CallLimit: 6}, vm.Limit},
		{"no", calls(4), []Approval{{Reason: "stop"}}, 1, Usage{Calls: 3, CallLimit: 3}, vm.Limit},
		{"a grant is no yes", calls(4), []Approval{{Verdict: ForSession}}, 1, Usage{Calls: 3, CallLimit: 3}, vm.Limit},
		{
			"side by side", `parallel({1, 2, 3, 4, 5, 6}, function() return shop.item.get{item_id = "a"} end)`,
			[]Approval{{Verdict: Once}}, 1, Usage{Calls: 6, CallLimit: 6}, "",
		},
		{
			"side by side, no", `parallel({1, 2, 3, 4, 5, 6}, function() return shop.item.get{item_id = "a"} end)`,
			nil, 1, Usage{Calls: 3, CallLimit: 3}, vm.Limit,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			b.asked, b.answers = nil, c.answers
			out := b.run(User, c.source)
			if got := kind(out); got != c.want {
				t.Errorf("ended by %q, want %q: %s", got, c.want, show(out))
			}
			if c.used.MutationLimit = 200; b.session.Used() != c.used || len(b.asked) != c.asked {
				t.Errorf("used %+v, want %+v; asked %d times, want %d", b.session.Used(), c.used, len(b.asked), c.asked)
			}
			for _, r := range b.asked {
				if r.Over == nil || r.Source != c.source || len(r.Args) > 0 {
					t.Errorf("asked %+v", r)
				}
			}
		})
	}
}

func kind(out *Outcome) vm.Kind {
	if out.Err == nil {
		return ""
	}
	return out.Err.Kind
}

// The message names the setting that whoever reads it can change, and nobody is asked who cannot be.
func TestBudgetHints(t *testing.T) {
	for _, c := range []struct {
		name   string
		author Author
		change func(*Options)
		want   string
	}{
		{"terminal", User, func(*Options) {},
			"/limits calls 2000 lets a run of yours make more; kept as limits.your_calls in the configuration"},
		{"headless", User, func(o *Options) { o.Approve, o.Commands = nil, false },
			"the setting is limits.your_calls: --limits-your-calls 2000"},
		{"model", Model, func(*Options) {}, "do it in several runs; the setting is limits.calls"},
		{"model of a client", Model, func(o *Options) { o.Client = "bob" },
			"do it in several runs; the setting is calls of the client bob, or limits.calls where it has none"},
		{"no answer", User, func(o *Options) {
			o.Approve = func(context.Context, Request) (Approval, error) { return Approval{Verdict: Once}, errors.New("gone") }
		}, "/limits calls 2000 lets a run of yours make more; kept as limits.your_calls in the configuration"},
		{"role", User, func(o *Options) {
			o.Approve, o.Roles = nil, []Role{{Name: "reader"}, {Name: "clerk", UserBudget: Budget{Calls: 7}}}
		}, "the bound is limits.your_calls of the role clerk: do it in several runs"},
		{"model in a role", Model, func(o *Options) { o.Roles = []Role{{Name: "clerk", Budget: Budget{Calls: 7}}} },
			"do it in several runs; the bound is limits.calls of the role clerk"},
	} {
		b := newBench(t, c.change)
		if _, err := b.session.Describe(t.Context(), []string{"shop.item.get"}, ""); err != nil {
			t.Fatal(err)
		}
		if out := b.run(c.author, calls(1001)); out.Err == nil || out.Err.Hint != c.want {
			t.Errorf("%s: got %s", c.name, show(out))
		}
	}
}

// What is set holds from the next run on, is on record, and is the person's alone.
func TestSetUserBudget(t *testing.T) {
	full := false
	b := newBench(t, func(o *Options) {
		record := o.Record
		o.Policy.Mode = policy.Session
		o.Record = func(r trace.Record) error {
			if full && r.Kind == trace.KindNote {
				return errors.New("disk full")
			}
			return record(r)
		}
	})
	if err := b.session.SetUserBudget(Budget{Calls: 5}); err != nil {
		t.Fatal(err)
	}
	if err := b.session.SetUserBudget(Budget{Mutations: 2}); err != nil {
		t.Fatal(err)
	}
	if out := b.run(User, calls(6)); message(out) != "shop.item.get: the run has used all 5 action calls" {
		t.Errorf("got %s", show(out))
	}
	out := b.run(User, `for i = 1, 3 do shop.item.price{item_id = "a", cents = i} end`)
	if message(out) != "shop.item.price: the run has used all 2 mutations" ||
		!strings.HasPrefix(out.Err.Hint, "/limits mutations 4 ") {
		t.Errorf("got %s", show(out))
	}
	if got := b.session.Budget(Model); got.Calls != 50 || got.Mutations != 20 {
		t.Errorf("the model has %+v", got)
	}
	full = true
	if err := b.session.SetUserBudget(Budget{Calls: 9}); err == nil || b.session.Budget(User).Calls != 5 {
		t.Errorf("set without a record: %v, %d", err, b.session.Budget(User).Calls)
	}
	b.answers = []Approval{{Verdict: Once}}
	if out := b.run(User, calls(6)); kind(out) != vm.Denied {
		t.Errorf("went on without a record: %s", show(out))
	}
	var notes []string
	for _, r := range b.records {
		if r.Kind == trace.KindNote {
			notes = append(notes, r.Text)
		}
	}
	if want := "limits of your runs: 5 calls, 200 mutations|limits of your runs: 5 calls, 2 mutations"; strings.Join(notes,
		"|") != want {
		t.Errorf("noted %q, want %q", notes, want)
	}
}
