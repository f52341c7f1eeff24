//go:build unix

package kernel

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"almanac/session/vm"
)

// sparePID waits for the pool's spare and returns the id of its process.
func (p *Pool) sparePID(t *testing.T, except ...int) (pid int) {
	t.Helper()
	waitFor(t, "a spare", func() bool {
		p.mu.Lock()
		defer p.mu.Unlock()
		for k := range p.live {
			known := false
			for _, e := range except {
				known = known || e == k.PID()
			}
			if !known {
				pid = k.PID()
				return true
			}
		}
		return false
	})
	return pid
}

func TestPoolCloseLeavesNothing(t *testing.T) {
	before := runtime.NumGoroutine()
	p := NewPool(options(t))
	a, err := p.Get(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	b, err := p.Get(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	spare := p.sparePID(t, a.PID(), b.PID())
	b.Close()
	p.Close()
	p.Close()
	for _, pid := range []int{a.PID(), b.PID(), spare} {
		if alive(pid) {
			t.Errorf("process %d is still there", pid)
		}
	}
	if _, err := p.Get(context.Background()); !errors.Is(err, errClosed) {
		t.Errorf("Get after Close: %v", err)
	}
	waitFor(t, "the end of the goroutines", func() bool { return runtime.NumGoroutine() <= before })
}

// Closing while things start or run leaves nothing either.
func TestPoolCloseAtAnyTime(t *testing.T) {
	before := runtime.NumGoroutine()
	for i := range 10 {
		p := NewPool(options(t))
		var work sync.WaitGroup
		for range 2 {
			work.Go(func() {
				k, err := p.Get(context.Background())
				if err != nil {
					return
				}
				k.Run(context.Background(), script("while true do end"), vm.Limits{}, Host{})
			})
		}
		time.Sleep(time.Duration(i) * time.Millisecond)
		p.Close()
		work.Wait()
		if n := len(p.live); n != 0 {
			t.Errorf("%d kernels are left", n)
		}
	}
	waitFor(t, "the end of the goroutines", func() bool { return runtime.NumGoroutine() <= before })
}

func TestDeadSpareIsReplaced(t *testing.T) {
	o := options(t)
	var mu sync.Mutex
	var lines []string
	o.Logf = func(format string, args ...any) {
		mu.Lock()
		defer mu.Unlock()
		lines = append(lines, fmt.Sprintf(format, args...))
	}
	p := newPool(t, o)
	used := get(t, p)
	spare := p.sparePID(t, used.PID())
	syscall.Kill(spare, syscall.SIGKILL)
	waitFor(t, "the end of the spare", func() bool { return !alive(spare) })
	k := get(t, p)
	if k.PID() == spare {
		t.Errorf("got the dead process %d", spare)
	}
	mu.Lock()
	defer mu.Unlock()
	if log := strings.Join(lines, "\n"); !strings.Contains(log, "signal: killed") {
		t.Errorf("log: %q", log)
	}
	value(t, runLua(t, k, "return 1", Host{}))
}

// A spare that was stopped answers nothing; whoever asks gets another one without waiting for it.
func TestStoppedSpareIsReplaced(t *testing.T) {
	o := options(t)
	p := newPool(t, o)
	used := get(t, p)
	p.sparePID(t, used.PID())
	k := <-p.ready // it is up, and goes back as a stopped one
	syscall.Kill(k.kernel.PID(), syscall.SIGSTOP)
	// Each of its threads goes on until it is scheduled.
	if _, err := syscall.Wait4(k.kernel.PID(), nil, syscall.WUNTRACED, nil); err != nil {
		t.Fatal(err)
	}
	go func() { p.ready <- k }()
	begun := time.Now()
	for range 2 { // whichever of the two spares comes first
		got := get(t, p)
		if got.PID() == k.kernel.PID() {
			t.Errorf("got the stopped process %d", got.PID())
		}
		value(t, runLua(t, got, "return 1", Host{}))
	}
	if took := time.Since(begun); took > 5*time.Second {
		t.Errorf("took %v", took)
	}
	waitFor(t, "the end of the stopped spare", func() bool { return !alive(k.kernel.PID()) })
}

// A child that stops before it says a word is given up after a second, not after all the time that a start may take.
func TestStoppedStartIsReplaced(t *testing.T) {
	o := options(t)
	dir := t.TempDir()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	// The first one hangs, the ones after it do not.
	o.Command = []string{"/bin/sh", "-c", `mkdir "$0/once" 2>/dev/null && exec sleep 60; exec "$1" "$2" "$3"`, dir, self}
	p := newPool(t, o)
	begun := time.Now()
	value(t, runLua(t, get(t, p), "return 1", Host{}))
	if took := time.Since(begun); took < firstStart || took > 10*time.Second {
		t.Errorf("took %v", took)
	}
}

func TestGetGivesUp(t *testing.T) {
	o := options(t)
	o.Command = []string{"/bin/sh", "-c", "exec sleep 60"}
	p := newPool(t, o)
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Millisecond)
	defer cancel()
	if _, err := p.Get(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error %v", err)
	}
}

func TestStartFails(t *testing.T) {
	bad := options(t)
	bad.Prelude = []vm.Chunk{{Name: "bad", Source: "this is not Lua"}}
	absent, silent, version := options(t), options(t), options(t)
	absent.Command = []string{"/nowhere/almanac"}
	silent.Command = acting(t, "silent")
	version.Command = acting(t, "version")
	tests := []struct {
		name string
		o    Options
		want string
	}{
		{"no such program", absent, "no such file"},
		{"ends at once", silent, "nothing to say"},
		{"another version", version, "protocol version"},
		{"bad prelude", bad, "bad"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			test.o.Logf = nil
			p := newPool(t, test.o)
			_, err := p.Get(context.Background())
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v, want %q", err, test.want)
			}
		})
	}
}

// A kernel that breaks the protocol is ended and costs the parent neither its life nor its memory.
func TestHostileKernels(t *testing.T) {
	parts := []string{"garbage", "huge length", "empty frame", "half a frame", "huge list",
		"many empty lists", "deep", "tag",
		"unknown field", "unknown value", "wrong type", "out of turn", "request", "unknown stream", "closed pipe"}
	for _, part := range parts {
		t.Run(part, func(t *testing.T) {
			o := options(t)
			o.Command = acting(t, part)
			k := get(t, newPool(t, o))
			reply, err := k.Run(context.Background(), script("return 1"), vm.Limits{}, Host{})
			if lost := (*Lost)(nil); !errors.As(err, &lost) || lost.Memory || !strings.Contains(lost.Reason, "protocol") {
				t.Errorf("error %v", err)
			}
			if reply.Err == nil || reply.Err.Kind != vm.Lost {
				t.Errorf("reply %+v", reply)
			}
			if alive(k.PID()) {
				t.Errorf("process %d is still there", k.PID())
			}
			checkLost(t, k)
		})
	}
	t.Run("two replies", func(t *testing.T) {
		o := options(t)
		o.Command = acting(t, "two replies")
		k := get(t, newPool(t, o))
		if _, err := k.Run(context.Background(), script("return 1"), vm.Limits{}, Host{}); err != nil {
			t.Fatal(err)
		}
		if _, err := k.globals(context.Background()); err == nil {
			t.Error("the second reply passed for something else")
		}
		checkLost(t, k)
	})
}
