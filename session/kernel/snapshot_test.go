//go:build unix

package kernel

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"almanac/session/vm"
)

func TestSnapshotGoesToAnotherKernel(t *testing.T) {
	p := newPool(t, options(t))
	from, to := get(t, p), get(t, p)
	ctx := context.Background()
	runLua(t, from, `
local n = 0
function inc() n = n + 1 return n end
function peek() return n end
text = ("x"):rep(5 * 2^20) .. "end"
co = coroutine.create(print)
inc()`, Host{})
	s, err := from.Snapshot(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if s.Globals != 3 || len(s.Left) != 1 ||
		s.Left[0] != (vm.Left{Name: "co", Reason: "holds a coroutine"}) || len(s.Data) < 5<<20 {
		t.Errorf("%d globals in %d bytes, left %v", s.Globals, len(s.Data), s.Left)
	}
	globals, err := to.Restore(ctx, s.Data)
	if err != nil || len(globals) != 3 {
		t.Fatal(globals, err)
	}
	if got := value(t, runLua(t, to,
		"assert(inc() == peek() and #text == 5 * 2^20 + 3 and co == nil) return inc()", Host{})); got != int64(3) {
		t.Errorf("inc() = %v", got)
	}
	if got := value(t, runLua(t, from, "return peek()", Host{})); got != int64(1) {
		t.Errorf("the first kernel's n = %v", got)
	}
}

func TestSnapshotThatCannotBe(t *testing.T) {
	k := get(t, newPool(t, options(t)))
	ctx := context.Background()
	runLua(t, k, "x = 1", Host{})
	for _, data := range [][]byte{nil, []byte("x"), []byte("LuaState\x01"), make([]byte, 3<<20)} {
		var bad *vm.SnapshotError
		if _, err := k.Restore(ctx, data); !errors.As(err, &bad) {
			t.Errorf("%d bytes: %v", len(data), err)
		}
	}
	if got := value(t, runLua(t, k, "return x", Host{})); got != int64(1) {
		t.Errorf("x = %v", got)
	}
	runLua(t, k, "big = ('x'):rep(33 * 2^20)", Host{})
	if _, err := k.Snapshot(ctx); err == nil || !strings.Contains(err.Error(), "larger than 32.0 MiB") {
		t.Errorf("error %v", err)
	}
	if err := k.Ping(ctx); err != nil {
		t.Error(err)
	}
}

// No size of the state makes the kernel run out of memory by being asked for it.
func TestSnapshotNeedsNoMemoryThatIsNotThere(t *testing.T) {
	o := options(t)
	o.Memory = 64 << 20
	o.Limits.Time, o.Limits.Steps = 20*time.Second, 1<<40
	ctx := context.Background()
	p := newPool(t, o)
	for name, grow := range map[string]string{
		"rows":     `rows = rows or {} for i = 1, n do rows[#rows + 1] = {id = "x" .. #rows, n = i} end`,
		"closures": `fs = fs or {} for i = 1, n do fs[#fs + 1] = function() return i end end`,
	} {
		k := get(t, p)
		kept, refused := 0, 0
		for range 60 {
			n := 30_000
			if kept == 0 {
				n = 100 // which is small as often as it takes a busy machine to write it down in time
			}
			if _, err := k.Run(ctx, script(fmt.Sprintf("local n = %d %s", n, grow)), o.Limits, Host{}); err != nil {
				break // the script itself asked for too much
			}
			_, err := k.Snapshot(ctx)
			var bad *vm.SnapshotError
			if errors.As(err, &bad) {
				if kept > 0 {
					refused++
				}
			} else if err == nil {
				kept++
			} else {
				t.Errorf("%s, after %d snapshots: %v", name, kept+refused, err)
				break
			}
			if refused == 2 {
				break
			}
		}
		if kept == 0 {
			t.Errorf("%s: nothing was kept", name)
		}
		t.Logf("%s: %d kept, %d refused", name, kept, refused)
	}
}

// The largest states that are kept do not run out of memory while they are written down.
func TestLargeSnapshots(t *testing.T) {
	if testing.Short() {
		t.Skip("the race detector takes memory of its own")
	}
	o := options(t)
	o.Memory = 128 << 20
	o.Limits.Time, o.Limits.Steps = time.Minute, 1<<40
	p := newPool(t, o)
	for _, source := range []string{
		`s = {} for i = 1, 15 do s[i] = ("x"):rep(2^20) .. i end`,
		`t = {} for i = 1, 90000 do t[i] = {a = i, b = "x" .. i} end`,
	} {
		k := get(t, p)
		if reply, err := k.Run(context.Background(), script(source), o.Limits, Host{}); err != nil || reply.Err != nil {
			t.Fatalf("%s: %v %v", source, err, reply.Err)
		}
		_, err := k.Snapshot(context.Background())
		if bad := (*vm.SnapshotError)(nil); err != nil && !errors.As(err, &bad) {
			t.Errorf("%s: %v", source, err)
		}
	}
}

// A kernel that sends more than was asked for, or anything else, is ended.
func TestHostileSnapshots(t *testing.T) {
	for _, part := range []string{"endless snapshot", "garbage", "out of turn", "two replies", "half a frame"} {
		t.Run(part, func(t *testing.T) {
			o := options(t)
			o.Command = acting(t, part)
			k := get(t, newPool(t, o))
			_, err := k.Snapshot(context.Background())
			var lost *Lost
			if !errors.As(err, &lost) {
				t.Errorf("error %v", err)
			}
			if err := k.Ping(context.Background()); !errors.As(err, &lost) {
				t.Errorf("then %v", err)
			}
		})
	}
}

// BenchmarkSnapshot is what a session with 1,000 small tables costs to fetch and to bring back.
func BenchmarkSnapshot(b *testing.B) {
	k := get(b, newPool(b, options(b)))
	ctx := context.Background()
	runLua(b, k,
		`rows = {} for i = 1, 500 do rows[i] = {id = "inv_" .. i, cents = i * 100, tags = {"a", "b"}} end`, Host{})
	var s vm.Snapshot
	b.Run("fetch", func(b *testing.B) {
		for b.Loop() {
			var err error
			if s, err = k.Snapshot(ctx); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("restore", func(b *testing.B) {
		for b.Loop() {
			if _, err := k.Restore(ctx, s.Data); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("ping", func(b *testing.B) {
		for b.Loop() {
			if err := k.Ping(ctx); err != nil {
				b.Fatal(err)
			}
		}
	})
}
