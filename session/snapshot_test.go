package session

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"almanac/catalog"
	"almanac/session/trace"
	"almanac/session/vm"
)

// world1 is a session with shared state of all kinds, as its first run leaves it.
const world1 = `
local n, log = 0, {}
function inc() n = n + 1 log[#log + 1] = n return n end
function peek() return n, #log end
Account = {} Account.__index = Account
function Account.new(b) return setmetatable({balance = b}, Account) end
function Account:add(x) self.balance = self.balance + x return self end
acc = Account.new(100)
ring = {id = 9007199254740993, none = null, empty = json.array{}} ring.ring = ring
price = shop.item.price
first = map
inc() inc()`

// check1 fails unless everything of world1 is there and still shares what it shared.
const check1 = `
local n, logged = peek()
assert(n == logged and inc() == n + 1 and select(2, peek()) == logged + 1, "the counter came apart")
assert(getmetatable(acc) == Account and acc:add(1) == acc, "the object lost its class")
assert(ring.ring == ring and tostring(ring.id) == "9007199254740993" and ring.none == null, "the ring broke")
assert(json.encode(ring.empty) == "[]" and first == map and type(price) == "action", "a name was lost")
return n`

// fine runs source and fails the test when it fails or something was lost.
func (b *bench) fine(source string) string {
	b.t.Helper()
	out := b.run(User, source)
	if out.Err != nil || out.Lost != "" || out.Unsaved != "" {
		b.t.Fatalf("%s: error %v, lost %q, unsaved %q", source, out.Err, out.Lost, out.Unsaved)
	}
	return strings.TrimSuffix(show(out), "\n")
}

func TestMemoryBomb(t *testing.T) {
	b := newBench(t, func(o *Options) { o.Kernel.Memory, o.UserLimits.Time = 64<<20, time.Minute })
	b.fine(world1)
	const bomb = `bomb = {} for i = 1, 1e9 do bomb[i] = ("x"):rep(1e6) .. i end`
	for want := 2; want < 5; want++ {
		out := b.run(User, bomb)
		if out.Err == nil || out.Err.Kind != vm.Limit || out.Err.Limit != "memory" {
			t.Fatalf("error %+v", out.Err)
		}
		if want := fmt.Sprintf("the Lua process ended (out of memory); globals restored as of run %d",
			2*want-3); out.Lost != want {
			t.Errorf("lost %q, want %q", out.Lost, want)
		}
		if len(b.session.Globals()) == 0 {
			t.Error("the session lists no globals")
		}
		if got := b.fine(check1); got != fmt.Sprint(want) {
			t.Errorf("counter %s, want %d", got, want)
		}
	}
}

func TestKilledBetweenRuns(t *testing.T) {
	b := newBench(t, nil)
	b.fine(world1)
	b.settle()
	b.kill()
	out := b.run(Model, check1)
	if out.Err != nil || show(out) != "2\n" {
		t.Errorf("%v, %s", out.Err, show(out))
	}
	if want := "the Lua process ended (signal: killed); globals restored as of run 1"; out.Lost != want {
		t.Errorf("lost %q, want %q", out.Lost, want)
	}
	if got := b.fine(check1); got != "3" {
		t.Errorf("then %s", got)
	}
	b.run(User, "half = {} error('stop')")
	b.kill()
	out = b.run(User, "return half, inc()")
	if want := "restored as of run 3"; !strings.HasSuffix(out.Lost, want) || show(out) != "nil\n5\n" {
		t.Errorf("lost %q, %s", out.Lost, show(out))
	}
	b.session.SetTransactional(false)
	b.run(User, "half = 1 Account = nil error('stop')")
	b.settle()
	b.kill()
	out = b.run(User, "return half, Account, inc()")
	if want := "restored as of run 6"; !strings.HasSuffix(out.Lost, want) || show(out) != "1\nnil\n6\n" {
		t.Errorf("lost %q, %s", out.Lost, show(out))
	}
}

func TestKilledInARun(t *testing.T) {
	var b *bench
	b = newBench(t, func(o *Options) {
		o.Write = func(_ vm.Stream, text string) {
			if text == "now\n" {
				b.kill()
			}
		}
	})
	b.fine(world1)
	for range 3 {
		out := b.run(User, "inc() lost = 1 print('now') while true do end")
		if out.Err == nil || out.Err.Kind != vm.Lost ||
			!strings.Contains(out.Lost, "(signal: killed); globals restored as of run ") {
			t.Errorf("error %+v, lost %q", out.Err, out.Lost)
		}
		b.fine(check1)
	}
	if got := b.fine("return peek()"); got != "5\n5" {
		t.Errorf("counter %s", got)
	}
	if got := b.fine("return lost"); got != "nil" {
		t.Errorf("lost = %s", got)
	}
}

// TestLogTellsOfLostGlobals shows that the log tells which run left the globals that are there after a kill, wherever
// that is not the last one: before the run that finds it out.
func TestLogTellsOfLostGlobals(t *testing.T) {
	b := newBench(t, nil)
	b.run(User, "x = 1")
	b.settle()
	b.kill()
	b.run(User, "x = 2") // nothing was lost
	b.settle()
	saved := b.session.world.saved
	b.run(User, "x = 3")
	b.settle()
	b.session.world.saved = saved // as if it was killed before the state was there
	b.kill()
	b.run(User, "x = 4")
	b.settle()
	b.session.world.saved = nil // as if none could be kept
	b.kill()
	b.run(User, "return x")
	var got []string
	for _, r := range b.records {
		switch r.Kind {
		case trace.KindRun:
			got = append(got, r.Text)
		case trace.KindBack, trace.KindReset:
			got = append(got, fmt.Sprint(r.Kind, ": ", r.Text))
		}
	}
	want := []string{"x = 1", "x = 2", "x = 3", "back: run 2", "x = 4",
		"reset: the Lua process ended (signal: killed); the next input starts a new one without x", "return x"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestResetForgetsTheState(t *testing.T) {
	b := newBench(t, nil)
	b.fine(world1)
	if n, err := b.session.Reset(t.Context()); err != nil || n != 7 {
		t.Fatal(n, err)
	}
	b.fine("return acc")
	b.settle()
	b.kill()
	if got := show(b.run(User, "return acc, inc")); got != "nil\nnil\n" {
		t.Errorf("after a reset: %s", got)
	}
}

func TestKilledBeforeAnythingIsKept(t *testing.T) {
	b := newBench(t, nil)
	b.fine("return 1")
	b.settle()
	b.session.world.saved = nil
	b.session.world.saver.skip = 10
	b.run(User, "x = 1 y = {}")
	b.kill()
	out := b.run(User, "return x, 'on'")
	if want := "the Lua process ended (signal: killed); the next input starts a new one without x, y"; out.Lost != want ||
		show(out) != "nil\n\"on\"\n" {
		t.Errorf("lost %q, %s", out.Lost, show(out))
	}
}

// A coroutine cannot be kept. The global that holds it is named, the rest is back.
func TestCoroutinesAreNamed(t *testing.T) {
	b := newBench(t, nil)
	b.fine(`gen = coroutine.wrap(function() for i = 1, 10 do coroutine.yield(i) end end)
job = {co = coroutine.create(print)} each_one = pairs{1} plain = {1, 2} function uses() return job end`)
	b.settle()
	b.kill()
	out := b.run(User, "return gen, job, each_one, #plain, type(uses), uses()")
	want := "the Lua process ended (signal: killed); globals restored as of run 1, without " +
		"each_one (holds an iterator or a wrapped coroutine), gen (holds an iterator or a wrapped coroutine), job (holds a coroutine)"
	if out.Lost != want || show(out) != "nil\nnil\nnil\n2\n\"function\"\nnil\n" {
		t.Errorf("lost %q, %s", out.Lost, show(out))
	}
}

// What is too large is said once, and the last state that was not is the one that comes back.
func TestTooLargeToKeep(t *testing.T) {
	b := newBench(t, func(o *Options) { o.Kernel.Memory = 64 << 20 })
	b.fine("small = 1")
	b.fine("big = ('x'):rep(9 * 2^20)")
	out := b.run(User, "small = 2")
	if want := "globals are no longer saved (larger than 8.0 MiB): if the Lua process ends, those of run 1 are restored"; out.Unsaved != want {
		t.Errorf("unsaved %q, want %q", out.Unsaved, want)
	}
	b.fine("small = 3")
	b.fine("small = 4")
	b.settle()
	b.kill()
	out = b.run(User, "return small")
	if want := "restored as of run 1, without big"; !strings.HasSuffix(out.Lost, want) || show(out) != "1\n" {
		t.Errorf("lost %q, %s", out.Lost, show(out))
	}
}

// Once what was too large is gone the state is kept again, however many runs would have been left out.
func TestKeptAgain(t *testing.T) {
	b := newBench(t, func(o *Options) { o.Kernel.Memory = 64 << 20 })
	const big = "big = ('x'):rep(9 * 2^20)"
	b.fine(big)
	for i := range 8 {
		b.run(User, fmt.Sprint("small = ", i))
	}
	b.fine("big = nil")
	b.settle()
	b.kill()
	out := b.run(User, "return small")
	if want := "restored as of run 10"; !strings.HasSuffix(out.Lost, want) || show(out) != "7\n" {
		t.Errorf("lost %q, %s", out.Lost, show(out))
	}
	b.fine(big)
	b.settle()
	if out := b.run(User, "return 1"); !strings.HasSuffix(out.Unsaved, "those of run 11 are restored") {
		t.Errorf("unsaved %q", out.Unsaved)
	}
}

// A kept state that is of no use does not stand in the way.
func TestStateThatCannotComeBack(t *testing.T) {
	b := newBench(t, nil)
	b.fine("x = 1")
	b.settle()
	data := b.session.world.saved.snapshot.Data
	data[len(data)/2] ^= 1
	b.kill()
	out := b.run(User, "return x")
	if want := "the globals of run 1 could not be restored (snapshot: garbled), lost: x"; !strings.HasSuffix(out.Lost,
		want) || show(out) != "nil\n" {
		t.Errorf("lost %q, %s", out.Lost, show(out))
	}
	b.fine("x = 2")
}

// Results that were kept come back as results, not as globals.
func TestKeptResultsComeBack(t *testing.T) {
	b := newBench(t, nil)
	if _, err := b.session.Run(t.Context(),
		Script{Source: "40 + 2", Expr: true, Cell: 7, Keep: []string{"_", "_7"}}); err != nil {
		t.Fatal(err)
	}
	b.settle()
	b.kill()
	out := b.run(User, "return _, _7")
	if !strings.HasSuffix(out.Lost, "as of cell 7") || show(out) != "42\n42\n" || len(b.session.Globals()) > 0 {
		t.Errorf("lost %q, %s, globals %v", out.Lost, show(out), b.session.Globals())
	}
}

// BenchmarkRun is a run in a session with 1,000 small tables, one right after the other. "not kept" is the same without
// keeping the state.
func BenchmarkRun(b *testing.B) {
	for _, name := range []string{"kept", "not kept"} {
		b.Run(name, func(b *testing.B) {
			all, _ := catalog.New(nil, catalog.Options{})
			s, err := New(all.View(), Options{})
			if err != nil {
				b.Fatal(err)
			}
			defer s.Close()
			run := func(source string) {
				if out, err := s.Run(b.Context(), Script{Source: source, Author: User}); err != nil || out.Err != nil {
					b.Fatal(err, out.Err)
				}
			}
			run(`rows = {} for i = 1, 500 do rows[i] = {id = "inv_" .. i, cents = i * 100, paid = true, tags = {"a", "b"}} end`)
			if name == "not kept" {
				s.world.saver.skip = 1 << 40
			}
			for b.Loop() {
				run("rows[1].cents = rows[1].cents + 1")
			}
		})
	}
}
