package bus

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// Whoever runs the server and is stopped is named; nobody has to guess which terminal it is.
func TestStoppedHolder(t *testing.T) {
	dir := t.TempDir()
	holder := startChild(t, dir)
	holder.more(t, 1)
	states := make(chan State, 10)
	other, err := Open(t.Context(), Options{Dir: dir, State: func(s State) { states <- s }})
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	if err := holder.cmd.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	awaitStop(t, holder.cmd.Process.Pid)
	want := fmt.Sprintf("process %d runs it and is stopped: fg in its terminal", holder.cmd.Process.Pid)
	if _, err := Open(t.Context(), Options{Dir: dir}); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("joining: %v", err)
	}
	select {
	case s := <-states:
		if !strings.Contains(s.Text, want) {
			t.Errorf("told %q", s.Text)
		}
	case <-time.After(20 * time.Second):
		t.Error("nobody was told")
	}
	holder.kill(t)
}

// awaitStop returns when no thread of a process runs any more: a signal is sent before it is felt.
func awaitStop(t *testing.T, pid int) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); ; time.Sleep(time.Millisecond) {
		threads, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/stat", pid))
		running := slices.ContainsFunc(threads, func(file string) bool {
			stat, err := os.ReadFile(file)
			return err == nil && !strings.Contains(string(stat), ") T ")
		})
		if err == nil && len(threads) > 0 && !running {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("process %d does not stop", pid)
		}
	}
}

// A program that is about to be stopped hands the server over, and goes on as one of the others.
func TestRest(t *testing.T) {
	dir := t.TempDir()
	first, err := Open(t.Context(), Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	defer first.Close()
	second := startChild(t, dir)
	second.more(t, 5)
	for range 2 { // the second time there is nothing to hand over
		if err := first.Rest(); err != nil {
			t.Fatal(err)
		}
		second.more(t, 5)
		first.awaitHolder(t, second.cmd.Process.Pid)
		if err := first.Wake(); err != nil {
			t.Fatal(err)
		}
	}
	second.kill(t)
	for end := time.Now().Add(20 * time.Second); first.conn.FlushTimeout(time.Second) != nil; {
		if time.Now().After(end) {
			t.Fatal("it did not take the server back")
		}
		time.Sleep(10 * time.Millisecond) // it reconnects
	}
	first.awaitHolder(t, os.Getpid())
}

// awaitHolder returns when a process has signed that it runs the server, which it does after others can reach it.
func (b *Bus) awaitHolder(t *testing.T, pid int) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); b.shared.holder() != pid; time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("process %d runs it, not %d", b.shared.holder(), pid)
		}
	}
}

// A holder that is killed while a program joins costs it no more than another attempt.
func TestBrokenJoin(t *testing.T) {
	dir := t.TempDir()
	l, err := net.Listen("unix", filepath.Join(dir, "socket"))
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		defer l.Close()
		for range 2 {
			if c, err := l.Accept(); err == nil {
				c.Close()
			}
		}
	}()
	b, err := Open(t.Context(), Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	b.Close()
}
