package session

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"almanac/catalog"
	"almanac/session/policy"
	"almanac/session/trace"
	"almanac/session/vm"
)

// newStock is a bench whose policy lets the stock be changed.
func newStock(t *testing.T, change func(*Options)) *bench {
	t.Helper()
	b := newBench(t, func(o *Options) {
		o.Policy.Mode = policy.Session
		if change != nil {
			change(o)
		}
	})
	b.openStock()
	return b
}

// takenBack are what a run wrote and, behind a bar, what it took back, each sorted.
func (b *bench) takenBack(source string) string {
	b.t.Helper()
	first := len(b.shop.acts)
	out := b.run(User, source)
	back := 0
	for _, c := range out.Calls {
		if c.Compensates != nil && c.Verdict == trace.OK {
			back++
		}
	}
	acts := slices.Clone(b.shop.acts[first:])
	made, undone := acts[:len(acts)-back], acts[len(acts)-back:]
	slices.Sort(made)
	text := strings.Join(made, ", ") + " | " + strings.Join(undone, ", ")
	if out.Err != nil {
		text += " | " + out.Err.Message
	}
	return text
}

// What is inside of with_compensation is told by where the script makes it, also where it is made side by side.
func TestCompensationScope(t *testing.T) {
	b := newStock(t, func(o *Options) { o.UserLimits.Steps, o.UserBudget.Mutations = 1_000_000, 7 })
	for _, c := range []struct{ source, want string }{
		{`with_compensation(function()
			parallel({1, 2}, function(n) stock.add{id = "p" .. n, n = n} end)
			async(stock.add, {id = "async", n = 3})
			coroutine.wrap(function() stock.add{id = "co", n = 4} end)()
			async(shop.item.get, {item_id = "none"})
		end)`,
			"add async 3, add co 4, add p1 1, add p2 2 | add co -4, add async -3, add p2 -2, add p1 -1 | " +
				"shop.item.get: no item none"},
		{`local before = async(stock.add, {id = "before", n = 9})
		parallel({1, 2}, function(n)
			stock.add{id = "out" .. n, n = n}
			await(before)
			if n == 1 then stock.add{id = "other", n = 1} return end
			local ok = pcall(with_compensation, function()
				stock.add{id = "in", n = n}
				parallel({1}, function() stock.add{id = "deep", n = n} end)
				async(stock.add, {id = "started", n = n})
				error("two")
			end)
		end)`,
			"add before 9, add deep 2, add in 2, add other 1, add out1 1, add out2 2, add started 2 | " +
				"add started -2, add deep -2, add in -2"},
		{`with_compensation(function() stock.add{id = "a", n = 1} while true do end end)`,
			"add a 1 | add a -1 | the script ran more than 1000000 instructions"},
		{`with_compensation(function() for i = 1, 30 do stock.add{id = "a", n = i % 2 + 1} end end)`,
			"add a 1, add a 1, add a 1, add a 2, add a 2, add a 2, add a 2 | " +
				"add a -2, add a -1, add a -2, add a -1, add a -2, add a -1, add a -2 | stock.add: the run has used all 7 mutations"},
	} {
		if got := b.takenBack(c.source); got != c.want {
			t.Errorf("%s\ngot  %s\nwant %s", c.source, got, c.want)
		}
	}
}

// A write that ran is taken back also where a hook behind it failed.
func TestCompensationLate(t *testing.T) {
	b := newStock(t, func(o *Options) {
		o.Hooks = &catalog.Hooks{After: []catalog.Hook{{Name: "late", Do: func(_ context.Context, h *catalog.HookCall) error {
			if h.Call.Args["n"] == int64(1) {
				return errors.New("too late")
			}
			return nil
		}}}}
	})
	got := b.takenBack(`with_compensation(function() stock.add{id = "a", n = 1} end)`)
	if !strings.HasPrefix(got, "add a 1 | add a -1 | stock.add: ") {
		t.Error(got)
	}
}

// Nor does a result that is other than declared keep a write from being taken back, where that is an error.
func TestCompensationMisfit(t *testing.T) {
	for _, check := range []bool{true, false} {
		b := newStock(t, func(o *Options) { o.CheckResults = check })
		send, _ := b.session.View().Lookup("stock.send")
		drop, _ := b.session.View().Lookup("stock.drop")
		strict := *send
		strict.Output = catalog.MustSchema(`{"type":"object","properties":{"id":{"type":"integer"}}}`)
		all, _ := catalog.New([]catalog.Entry{strict, *drop}, catalog.Options{})
		b.replace(all.View())
		out := b.run(User, `with_compensation(function() stock.send{id = "a", n = 1} end)`)
		want := "send a 1"
		if check {
			want = "send a 1, drop a <nil>"
		}
		if got := strings.Join(b.shop.acts, ", "); got != want || (out.Err != nil) != check {
			t.Errorf("checked %v: %s, want %s\n%s", check, got, want, show(out))
		}
	}
}

// An interrupt compensates, too; after it nobody is asked.
func TestCompensationInterrupted(t *testing.T) {
	for _, ask := range []bool{false, true} {
		asked := 0
		ctx, cancel := context.WithCancel(t.Context())
		b := newStock(t, func(o *Options) {
			if ask {
				o.Policy.Mode = policy.Ask
			}
			o.Acting = func(id string, begins bool) {
				if id == "shop.item.hang" && begins {
					cancel()
				}
			}
			o.Approve = func(context.Context, Request) (Approval, error) {
				asked++
				return Approval{Verdict: Once}, nil
			}
		})
		out, err := b.session.Run(ctx, Script{Author: User,
			Source: `with_compensation(function() stock.add{id = "a", n = 1} shop.item.hang{item_id = "a"} end)`})
		if err != nil || out.Err == nil || out.Err.Kind != vm.Interrupt {
			t.Fatalf("%v, %+v", err, out)
		}
		want, told := "add a 1, add a -1", "compensated: stock.add by stock.add\n"
		if ask {
			want = "add a 1"
			told = "not compensated: stock.add: denied: mutations need approval, and nobody is asked after an interrupt\n"
		}
		if got := strings.Join(b.shop.acts, ", "); got != want || out.Stderr != told || asked > 1 {
			t.Errorf("got %s, %d questions, told %q; want %s, told %q", got, asked, out.Stderr, want, told)
		}
	}
}

// The end of the Lua process inside of with_compensation compensates as an error does.
func TestCompensationLost(t *testing.T) {
	var b *bench
	b = newStock(t, func(o *Options) {
		o.Acting = func(id string, begins bool) {
			if id == "shop.item.slow" && begins {
				b.kill()
			}
		}
	})
	out := b.run(User, `with_compensation(function() stock.add{id = "a", n = 1} shop.item.slow{item_id = "a"} end)`)
	if got := strings.Join(b.shop.acts, ", "); got != "add a 1, add a -1" || out.Lost == "" {
		t.Errorf("got %s, lost %q", got, out.Lost)
	}
}

// A script that makes started calls and compensates comes to the same when its log answers.
func TestCompensationReplayed(t *testing.T) {
	for _, source := range []string{
		`local a = async(shop.item.get, {item_id = "a"}) local b = async(stock.make, {}) return await(b, a)`,
		`local h = async(shop.item.slow, {item_id = "a"}) shop.item.list{} return cancel(h), pcall(await, h)`,
		`return await{async(shop.item.slow, {item_id = "a"}), async(shop.item.get, {item_id = "none"})}, async(stock.make)`,
		`with_compensation(function() stock.add{id = "a", n = 1} stock.burn{} stock.make{} stock.send{id = "made"} error("no") end)`,
		`return pcall(with_compensation, function() stock.add{id = "a", n = -13} stock.add{id = "b", n = 2} stock.plain{} error("no") end)`,
		`with_compensation(function() stock.add{id = "a", n = 1} pcall(with_compensation, function() stock.batch{} error(1) end)
			stock.add{id = "a", n = -1} error("no") end)`,
		`return stock.guarded{id = "a"}`,
		`with_compensation(function() stock.add{id = "a", n = 1} admin.shop.purge{item_id = "a"} end)`,
	} {
		b := newStock(t, nil)
		first := b.run(User, source)
		tapes := b.taped()
		again := newReplay(t)
		again.openStock()
		out := tapes[len(tapes)-1].again(again)
		if strings.Contains(source, "guarded") { // what a composed action prints is not in a replay
			first.Stderr = ""
		}
		if got, want := show(out), show(first); got != want {
			t.Errorf("%s\nagain:\n%s\nfirst:\n%s", source, got, want)
		}
		if len(again.shop.acts) > 0 {
			t.Errorf("%s: the replay did %v", source, again.shop.acts)
		}
	}
}
