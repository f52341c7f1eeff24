package session

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"almanac/catalog"
	"almanac/internal/golden"
	"almanac/session/policy"
	"almanac/session/trace"
	"almanac/session/vm"
)

// TestScripts runs the files in testdata: each section but "want" is a step, and "want" is what the step shows.
func TestScripts(t *testing.T) {
	golden.Archives(t, "testdata/*.txtar", func(t *testing.T, a *txtar.Archive) {
		t.Parallel()
		b := newBench(t, func(o *Options) { o.Policy = policy.Policy{Mode: policy.ReadOnly} })
		var got string
		for i := range a.Files {
			if f := &a.Files[i]; f.Name == "want" {
				f.Data = []byte(got)
			} else {
				got = b.step(f.Name, strings.TrimSpace(string(f.Data)))
			}
		}
	})
}

func TestPersistence(t *testing.T) {
	b := newBench(t, nil)
	b.run(User, "x = 10; function double(n) return 2*n end; t = {1,2}")
	for source, want := range map[string]string{"return x": "10", "return double(x)": "20", "return #t": "2"} {
		if out := b.run(Model, source); len(out.Values) != 1 || out.Values[0].Repr != want {
			t.Errorf("%s: got %s, want %s", source, show(out), want)
		}
	}
	b.run(User, "print('one')")
	if out := b.run(User, "print('two')"); out.Stdout != "two\n" {
		t.Errorf("the buffers were not cleared: %q", out.Stdout)
	}
	if n, err := b.session.Reset(t.Context()); n != 3 || err != nil {
		t.Errorf("reset: %d globals, %v", n, err)
	}
	if out := b.run(User, "return x, type(map)"); out.Values[0].Repr != "nil" || out.Values[1].Data != "function" {
		t.Errorf("after reset: %s", show(out))
	}
}

// TestHostile runs lines that must not harm the session: after each, the next line works.
func TestHostile(t *testing.T) {
	b := newBench(t, func(o *Options) { o.UserLimits.Time, o.UserLimits.Steps = time.Minute, 3_000_000 })
	for _, c := range []struct {
		source string
		kind   vm.Kind // "" when the line ends well
		want   string
	}{
		{"while true do end", vm.Limit, "steps"},
		{"while true do pcall(function() while true do end end) end", vm.Limit, "steps"},
		{`s="x" while true do s=s..s end`, vm.Limit, ""},
		{`string.rep("x", 1e10)`, vm.Limit, "string"},
		{"error({code=7})", vm.Runtime, ""},
		{`os.execute("ls")`, vm.Runtime, ""},
		{`load("return 1")`, vm.Runtime, ""},
		{"shop.item.nothing()", vm.Runtime, ""},
		{"x = = 1", vm.Syntax, ""},
		{`local t = {} for i = 1, 1e9 do t[i] = ("x"):rep(1e6) .. i end`, vm.Limit, ""},
		{`for i = 1, 1e5 do print(("y"):rep(100)) end`, "", ""},
		{`shop.item.get{item_id = {}}`, vm.Runtime, ""},
		{`shop.item.huge{item_id = "a"}`, vm.Runtime, ""},
		{`shop.item.panic{item_id = "a"}`, vm.Runtime, ""},
		{`local function f() return f() + 1 end return f()`, vm.Runtime, ""},
	} {
		out := b.run(User, c.source)
		switch {
		case c.kind == "" && out.Err != nil:
			t.Errorf("%s: %v", c.source, out.Err)
		case c.kind != "" && (out.Err == nil || out.Err.Kind != c.kind):
			t.Errorf("%s: got %s, want kind %s", c.source, show(out), c.kind)
		case c.want != "" && out.Err.Limit != c.want:
			t.Errorf("%s: got limit %q, want %q", c.source, out.Err.Limit, c.want)
		}
		if next := b.run(User, "1 + 1"); next.Err != nil || next.Values[0].Repr != "2" {
			t.Fatalf("after %s the session is gone: %s", c.source, show(next))
		}
	}
}

func TestLuaTime(t *testing.T) {
	b := newBench(t, func(o *Options) { o.UserLimits.Time, o.UserLimits.Steps = 100*time.Millisecond, 1e15 })
	if out := b.run(User, "while true do end"); out.Err == nil || out.Err.Limit != "time" {
		t.Errorf("got %s", show(out))
	}
	out := b.run(User, `shop.item.slow{item_id = "a"} return "the clock stood still"`)
	if out.Err != nil {
		t.Errorf("the clock ran during a host call: %s", show(out))
	}
}

func TestInterrupt(t *testing.T) {
	b := newBench(t, func(o *Options) { o.UserLimits.Time, o.UserLimits.Steps = time.Minute, 1e15 })
	b.run(User, "x = 41")
	for _, source := range []string{"while true do x = x + 1 end",
		"while true do pcall(function() while true do end end) end", `shop.item.hang{item_id="a"}`} {
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(100*time.Millisecond, cancel)
		out, err := b.session.Run(ctx, Script{Source: source, Author: User})
		if err != nil || out.Err == nil || out.Err.Kind != vm.Interrupt {
			t.Fatalf("%s: %v, %+v", source, err, out)
		}
	}
	if out := b.run(User, "return x > 40"); out.Err != nil || out.Values[0].Repr != "true" {
		t.Errorf("the globals are gone: %s", show(out))
	}
}

func TestTimeout(t *testing.T) {
	b := newBench(t, func(o *Options) { o.Budget.Wait = 50 * time.Millisecond })
	out := b.run(User, `return pcall(shop.item.hang, {item_id = "a"})`)
	if out.Err != nil || !strings.Contains(out.Values[1].Repr, "no answer within 50ms") {
		t.Errorf("got %s", show(out))
	}
}

func TestBudget(t *testing.T) {
	b := newBench(t, func(o *Options) { o.UserBudget.Calls = 3 })
	out := b.run(User, `for i = 1, 9 do pcall(shop.item.get, {item_id = "a"}) end return "outlived"`)
	if out.Err == nil || out.Err.Kind != vm.Limit || out.Err.Limit != "calls" {
		t.Errorf("got %s", show(out))
	}
}

func TestMutationBudget(t *testing.T) {
	b := newBench(t, func(o *Options) { o.UserBudget.Mutations, o.Policy.Mode = 2, policy.Session })
	out := b.run(User, `for i = 1, 9 do pcall(shop.item.price, {item_id = "a", cents = i}) end return "outlived"`)
	if out.Err == nil || out.Err.Kind != vm.Limit || out.Err.Limit != "mutations" ||
		out.Err.Message != "shop.item.price: the run has used all 2 mutations" {
		t.Errorf("got %s", show(out))
	}
	if len(b.shop.acts) != 2 {
		t.Errorf("%d changes were made: %q", len(b.shop.acts), b.shop.acts)
	}
	// Reads are still to be had, and the next run has its own two.
	if out := b.run(User,
		`shop.item.price{item_id = "a", cents = 1} return shop.item.get{item_id = "a"}.cents`); out.Err != nil {
		t.Errorf("got %s", show(out))
	}
}

func TestAuthorize(t *testing.T) {
	b := newBench(t, func(o *Options) {
		o.Authorize = func(_ context.Context, e *catalog.Entry, c catalog.Call) error {
			if c.Context.Actor == "ann" && e.ID == "shop.item.get" {
				return errors.New("ann may not look at items")
			}
			return nil
		}
	})
	out := b.run(User, `return pcall(shop.item.get, {item_id = "a"})`)
	if out.Err == nil || out.Err.Kind != vm.Denied || !strings.Contains(out.Err.Message, "ann may not") {
		t.Errorf("got %s", show(out))
	}
}

// TestLogFails shows that nothing is changed that cannot be recorded.
func TestLogFails(t *testing.T) {
	full := false
	b := newBench(t, func(o *Options) {
		o.Policy.Mode = policy.Session
		keep := o.Record
		o.Record = func(r trace.Record) error {
			if full && r.Kind == trace.KindBegin {
				return errors.New("no space left on device")
			}
			return keep(r)
		}
	})
	full = true
	out := b.run(User, `shop.item.price{item_id = "a", cents = 5}`)
	if out.Err == nil || out.Err.Kind != vm.Denied || len(b.shop.acts) > 0 {
		t.Errorf("got %s, acts %q", show(out), b.shop.acts)
	}
}

func TestNarrowedHandle(t *testing.T) {
	b := newBench(t, nil)
	turn, err := b.session.Narrow(catalog.Rules{Name: "turn", Namespaces: []string{"admin"}})
	if err != nil {
		t.Fatal(err)
	}
	b.run(User, "saved = shop.item.get")
	out, err := turn.Run(t.Context(), Script{Source: `return saved{item_id = "a"}`, Author: User})
	if err != nil || out.Err == nil || out.Err.Kind != vm.Denied {
		t.Errorf("a saved handle outlived the narrowing: %v, %s", err, show(out))
	}
	if out := b.run(User, `return saved{item_id = "a"}.id`); out.Err != nil {
		t.Errorf("the session itself was narrowed: %s", show(out))
	}
	if turn.View().Len() >= b.session.View().Len() {
		t.Errorf("the turn sees %d entries of %d", turn.View().Len(), b.session.View().Len())
	}
}

func TestClose(t *testing.T) {
	b := newBench(t, nil)
	if err := b.session.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := b.session.Run(t.Context(), Script{Source: "return 1"}); !errors.Is(err, ErrClosed) {
		t.Errorf("got %v", err)
	}
}

// TestComposedErrorsHavePlaces: what fails in a call of async, or inside with_compensation, is shown where it stands.
func TestComposedErrorsHavePlaces(t *testing.T) {
	b := newBench(t, nil)
	const get = `async(shop.item.get, {item_id = "none"})`
	for _, c := range []struct{ source, want string }{
		{"local h, g = async(shop.item.get, {item_id = \"a\"}), " + get + "\nawait(h, g)",
			"1:53: shop.item.get: no item none"},
		{"x = 1\n  " + get, "2:3: shop.item.get: no item none"},
		{"local h = " + get + " pcall(shop.item.get, {item_id = 1})\nawait(h)", "1:11: shop.item.get: no item none"},
		{"local h = " + get + "\nwith_compensation(function() await(h) end)", "1:11: shop.item.get: no item none"},
		{"with_compensation(function()\n  local n = 1 + nothing\nend)",
			"2:17: attempt to perform arithmetic on a nil value (global 'nothing')"},
		{"x = 1\nchain{{shop.item.get, {item_id = \"none\"}}}", "2:1: chain: step 1: shop.item.get: no item none"},
	} {
		out := b.run(User, c.source)
		if got := fmt.Sprintf("%d:%d: %s", out.Err.Line, out.Err.Column, out.Err.Message); got != c.want {
			t.Errorf("%s: got %s, want %s", c.source, got, c.want)
		}
	}
}
