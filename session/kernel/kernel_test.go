//go:build unix

package kernel

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"almanac/session/vm"
)

func TestGlobalsLiveFromRunToRun(t *testing.T) {
	k := get(t, newPool(t, options(t)))
	runLua(t, k, "x = 10; function double(n) return 2 * n end; list = {1, 2}", Host{})
	if got := value(t, runLua(t, k, "list[3] = double(x); return list", Host{})); !cmp.Equal(got,
		[]any{int64(1), int64(2), int64(20)}) {
		t.Errorf("list = %#v", got)
	}
	globals, err := k.globals(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, g := range globals {
		names = append(names, g.Name)
	}
	if want := []string{"double", "list", "x"}; !cmp.Equal(names, want) {
		t.Errorf("Globals = %v, want %v", names, want)
	}
	keys, err := k.Keys(context.Background(), []string{"string"})
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(fmt.Sprint(keys), "format") {
		t.Errorf("Keys(string) = %v", keys)
	}
	page, err := k.Look(context.Background(), []vm.Step{{Name: "list"}}, 1, 1, 0)
	if err != nil || page.Size != 3 || len(page.Nodes) != 1 || page.Nodes[0].Brief != "2" {
		t.Errorf("Look(list) = %+v, %v", page, err)
	}
	rows, err := k.Rows(context.Background(), []vm.Step{{Name: "list"}}, 1, 5)
	if err != nil || !rows.List || rows.Size != 3 || !cmp.Equal(rows.Items, []any{int64(2), int64(20)}) {
		t.Errorf("Rows(list) = %+v, %v", rows, err)
	}
	if _, err := k.Keys(context.Background(), nil); err != nil {
		t.Fatal(err)
	}
}

// A script that does not end by itself is ended, and the kernel is as good as before.
func TestEndlessScripts(t *testing.T) {
	o := options(t)
	o.Limits.Time = 150 * time.Millisecond
	k := get(t, newPool(t, o))
	runLua(t, k, "x = 10", Host{})
	for _, source := range []string{
		"while true do end",
		"while true do pcall(function() while true do end end) end",
		"local function f() return pcall(f) or f() end f()",
		"for i = 1, 100 do coroutine.wrap(function() while true do end end)() end",
	} {
		reply := runLua(t, k, source, Host{})
		if reply.Err == nil || reply.Err.Kind != vm.Limit {
			t.Errorf("%s: error %+v, want a limit", source, reply.Err)
		}
		if got := value(t, runLua(t, k, "return x", Host{})); got != int64(10) {
			t.Errorf("%s: then x = %v", source, got)
		}
	}
}

func TestMemory(t *testing.T) {
	o := options(t)
	o.Limits.Time, o.Limits.Steps = 20*time.Second, 1<<40
	o.Memory = 64 << 20
	p := newPool(t, o)
	for _, source := range []string{
		`local t = {} for i = 1, 1e9 do t[i] = ("x"):rep(1e6) .. i end`,
		`local t = {} while true do t = {t, {}, {}, {}} end`,
		`local t = {} for i = 1, 1e9 do t[i] = function() return t, i end end`,
		`s = "x" while true do s = s .. s end`,
		`return ("x"):rep(1e10)`,
	} {
		k := get(t, p)
		reply, err := k.Run(context.Background(), script(source), o.Limits, Host{})
		if reply.Err == nil || reply.Err.Kind != vm.Limit {
			t.Errorf("%s: error %+v, want a limit; the child said %.4000s", source, reply.Err, k.stderr)
			continue
		}
		if err == nil {
			// The machine's own limit on strings came first.
			continue
		}
		var lost *Lost
		if !errors.As(err, &lost) || !lost.Memory {
			t.Errorf("%s: %v, want out of memory; the child said %.2000s", source, err, k.stderr)
		}
		if want := "the script used more than 64 MiB"; reply.Err.Message != want || reply.Err.Limit != "memory" {
			t.Errorf("%s: error %+v, want %q", source, reply.Err, want)
		}
	}
}

// An ordinary script may well use a good part of the memory.
func TestOrdinaryMemory(t *testing.T) {
	o := options(t)
	o.Limits.Time = 20 * time.Second
	k := get(t, newPool(t, o))
	const source = `local t = {} for i = 1, 100 do t[i] = ("x"):rep(1e6) .. i end return #t`
	if got := value(t, runLua(t, k, source, Host{})); got != int64(100) {
		t.Errorf("got %v", got)
	}
}

func TestKilledInARun(t *testing.T) {
	k := get(t, newPool(t, options(t)))
	h := Host{Call: func(ctx context.Context, c CallRequest) (any, error) {
		syscall.Kill(k.PID(), syscall.SIGKILL)
		<-ctx.Done() // the end of the process reaches the action
		return nil, context.Cause(ctx)
	}}
	reply, err := k.Run(context.Background(), script("demo.kill{}"), vm.Limits{}, h)
	var lost *Lost
	if !errors.As(err, &lost) || lost.Memory || lost.Reason != "signal: killed" {
		t.Fatalf("error %#v", err)
	}
	if reply.Err == nil || reply.Err.Message != "the Lua process ended: signal: killed" {
		t.Errorf("reply %+v", reply.Err)
	}
	checkLost(t, k)
}

func TestKilledBetweenRuns(t *testing.T) {
	k := get(t, newPool(t, options(t)))
	runLua(t, k, "x = 1", Host{})
	syscall.Kill(k.PID(), syscall.SIGKILL)
	reply, err := k.Run(context.Background(), script("return x"), vm.Limits{}, Host{})
	if lost := (*Lost)(nil); !errors.As(err, &lost) || reply.Err == nil {
		t.Fatalf("reply %+v, error %v", reply.Err, err)
	}
	checkLost(t, k)
}

// checkLost checks that every method says that the kernel is lost.
func checkLost(t *testing.T, k *Kernel) {
	t.Helper()
	var lost *Lost
	if _, err := k.Run(context.Background(), script("return 1"), vm.Limits{}, Host{}); !errors.As(err, &lost) {
		t.Errorf("Run: %v", err)
	}
	if _, err := k.Keys(context.Background(), nil); !errors.As(err, &lost) {
		t.Errorf("Keys: %v", err)
	}
	if _, err := k.globals(context.Background()); !errors.As(err, &lost) {
		t.Errorf("Globals: %v", err)
	}
	k.Close()
	k.Close()
}

func TestClosed(t *testing.T) {
	k := get(t, newPool(t, options(t)))
	k.Close()
	if alive(k.PID()) {
		t.Errorf("process %d is still there", k.PID())
	}
	checkLost(t, k)
}

func TestInterrupt(t *testing.T) {
	o := options(t)
	o.Limits.Time = time.Minute
	o.Limits.Steps = 1 << 40
	k := get(t, newPool(t, o))
	tests := []struct{ name, source string }{
		{"loop", "while true do end"},
		{"protected loop", "while true do pcall(function() while true do end end) end"},
		{"action", "demo.wait{}"},
		{"protected action", "while true do pcall(function() return demo.wait{} end) end"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(context.Background())
			h := Host{Call: func(ctx context.Context, c CallRequest) (any, error) {
				if c.ID == "demo.begin" {
					time.AfterFunc(20*time.Millisecond, cancel)
					return nil, nil
				}
				<-ctx.Done()
				return nil, ctx.Err()
			}}
			begun := time.Now()
			reply, err := k.Run(ctx, script("demo.begin{} "+test.source), o.Limits, h)
			if err != nil {
				t.Fatal(err)
			}
			if reply.Err == nil || reply.Err.Kind != vm.Interrupt || reply.Err.Message != "interrupted" {
				t.Errorf("error %+v, want an interrupt", reply.Err)
			}
			if took := time.Since(begun); took > time.Second {
				t.Errorf("took %v", took)
			}
		})
	}
	// A context that ended before changes nothing.
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if reply, err := k.Run(ctx, script("x = 1"), o.Limits, Host{}); !errors.Is(err, context.Canceled) ||
		reply.Err.Kind != vm.Interrupt {
		t.Errorf("ended context: %+v, %v", reply.Err, err)
	}
	if got := value(t, runLua(t, k, "return x == nil", Host{})); got != true {
		t.Errorf("x == nil is %v", got)
	}
}

// A process that takes no notice of anything is ended: by an interrupt, and by its time limit.
func TestStuck(t *testing.T) {
	tests := []struct {
		name    string
		ctx     func() (context.Context, context.CancelFunc)
		limit   time.Duration
		kind    vm.Kind
		message string
		soon    time.Duration
	}{
		{"interrupt", func() (context.Context, context.CancelFunc) {
			return context.WithTimeout(context.Background(), 50*time.Millisecond)
		}, time.Minute, vm.Interrupt, "interrupted", time.Second},
		{"time", func() (context.Context, context.CancelFunc) { return context.WithCancel(context.Background()) },
			50 * time.Millisecond, vm.Limit, "the script used more than 50ms of Lua time", 3 * timeGrace},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			k := get(t, newPool(t, options(t)))
			ctx, cancel := test.ctx()
			defer cancel()
			h := Host{Call: func(context.Context, CallRequest) (any, error) {
				return nil, syscall.Kill(k.PID(), syscall.SIGSTOP)
			}}
			begun := time.Now()
			reply, err := k.Run(ctx, script("demo.stop{} while true do end"), vm.Limits{Time: test.limit, Steps: 1 << 60}, h)
			if lost := (*Lost)(nil); !errors.As(err, &lost) {
				t.Fatalf("error %v", err)
			}
			if reply.Err.Kind != test.kind || reply.Err.Message != test.message {
				t.Errorf("reply %+v", reply.Err)
			}
			if took := time.Since(begun); took > test.soon {
				t.Errorf("took %v", took)
			}
			if alive(k.PID()) {
				t.Errorf("process %d is still there", k.PID())
			}
		})
	}
}

// The clock stands still while the parent works, however long that takes.
func TestHostTimeDoesNotCount(t *testing.T) {
	o := options(t)
	o.Limits.Time = 100 * time.Millisecond
	k := get(t, newPool(t, o))
	h := Host{Call: func(context.Context, CallRequest) (any, error) {
		time.Sleep(400 * time.Millisecond)
		return int64(1), nil
	}}
	reply := runLua(t, k, "return demo.slow{} + demo.slow{}", h)
	if got := value(t, reply); got != int64(2) {
		t.Errorf("got %v", got)
	}
	if reply.Elapsed > o.Limits.Time {
		t.Errorf("elapsed %v of Lua time", reply.Elapsed)
	}
}

func TestTwoKernels(t *testing.T) {
	p := newPool(t, options(t))
	a, b := get(t, p), get(t, p)
	turn := make(chan int)
	h := Host{Call: func(context.Context, CallRequest) (any, error) { turn <- 1; return nil, nil }}
	done := make(chan any, 1)
	go func() {
		reply, _ := a.Run(context.Background(), script("x = 1 demo.wait{} return x"), vm.Limits{}, h)
		done <- reply.Values
	}()
	// While a waits for its action, b runs and sees nothing of it.
	if got := value(t, runLua(t, b, "return x == nil", Host{})); got != true {
		t.Errorf("b sees x of a")
	}
	<-turn
	if got := fmt.Sprint(<-done); !strings.Contains(got, "1") {
		t.Errorf("a returned %v", got)
	}
	if a.PID() == b.PID() {
		t.Errorf("both kernels are process %d", a.PID())
	}
}

// A host function that panics takes the kernel with it, not the turn.
func TestHostPanics(t *testing.T) {
	k := get(t, newPool(t, options(t)))
	func() {
		defer func() { _ = recover() }()
		h := Host{Call: func(context.Context, CallRequest) (any, error) { panic("host") }}
		k.Run(context.Background(), script("demo.x{}"), vm.Limits{}, h)
		t.Error("the panic did not come through")
	}()
	checkLost(t, k)
}
