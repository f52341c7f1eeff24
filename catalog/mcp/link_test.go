package mcp

// This file tests the connection to a server that dies, hangs, is away or comes back.

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// A server that dies says so, is started again, and answers as before.
func TestDeath(t *testing.T) {
	src := child(t, "good", nil, options{})
	entries := load(t, src)
	changed := make(chan struct{}, 10)
	ctx, stop := context.WithCancel(t.Context())
	watching := make(chan struct{})
	go func() {
		defer close(watching)
		src.watch(ctx, func() { changed <- struct{}{} })
	}()
	_, err := call(t.Context(), entries["x.die"], nil)
	if err == nil || !strings.Contains(err.Error(), "went down during the call") {
		t.Errorf("error %v", err)
	}
	eventually(t, "it answers again", func() bool {
		got, err := call(t.Context(), entries["x.text"], map[string]any{"text": "here"})
		return err == nil && got.Data == "here"
	})
	<-changed
	stop()
	<-watching
	if err := src.health(); err != nil {
		t.Error(err)
	}
}

// Calls that come while a process is being ended were not sent to it, and say so.
func TestAwayWhileEnding(t *testing.T) {
	src := child(t, "lingers", nil, options{})
	entries := load(t, src)
	if _, err := call(t.Context(), entries["x.a"], nil); err == nil {
		t.Error("a message that is too long is taken")
	}
	eventually(t, "it is known to be away", func() bool {
		_, err := src.link.get(t.Context())
		return err != nil && strings.Contains(err.Error(), errEnded.Error())
	})
	_, err := call(t.Context(), entries["x.a"], nil)
	if err == nil || !strings.Contains(err.Error(), "mcp server x is down") {
		t.Errorf("error %v", err)
	}
}

// A server that says nothing to what it does not know is greeted again as it was greeted first.
func TestSameHandshakeAgain(t *testing.T) {
	raw, _ := json.Marshal(map[string]string{
		"tools/list": `{"tools":[{"name":"a"},{"name":"look","annotations":{"readOnlyHint":true}}]}`, "tools/call": "die",
	})
	src := child(t, "strict="+string(raw), nil, options{})
	entries := load(t, src)
	first := src.link.conn
	if _, err := call(t.Context(), entries["x.a"], nil); err == nil ||
		!strings.Contains(err.Error(), "went down during the call") {
		t.Errorf("error %v", err)
	}
	eventually(t, "another session", func() bool {
		session, err := src.link.get(t.Context())
		return err == nil && session != first
	})
}

// A tool that is none does not take the others of its list away, and is reported.
func TestMalformedTools(t *testing.T) {
	raw, _ := json.Marshal(map[string]string{"tools/list": `{"tools":[{"name":5},{"name":"look"},null,7,` +
		`{"name":"a","annotations":{"readOnlyHint":"yes"}},{"name":"b","inputSchema":{"type":"object"}}]}`})
	b, err := child(t, "strict="+string(raw), nil, options{}).load(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	var ids, skipped []string
	for _, e := range b.Entries {
		ids = append(ids, e.ID)
	}
	for _, s := range b.Skipped {
		skipped = append(skipped, s.Reason)
	}
	why := "a tool without a name, or with a value of a wrong type"
	if want := []string{"x.b", "x.look"}; !slices.Equal(ids, want) || !slices.Equal(skipped, []string{why, why, why}) {
		t.Errorf("got %v, skipped %v", ids, skipped)
	}
}

// While a server is being started again its actions do not wait for it.
func TestAwayWhileStarting(t *testing.T) {
	flag := filepath.Join(t.TempDir(), "flag")
	src := child(t, "once="+flag, nil, options{})
	entries := load(t, src)
	_, err := call(t.Context(), entries["x.a"], nil)
	if err == nil || !strings.Contains(err.Error(), "went down during the call") {
		t.Errorf("error %v", err)
	}
	eventually(t, "it is being started", func() bool {
		health := src.health()
		return health != nil && strings.Contains(health.Error(), "restarting")
	})
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	_, err = call(ctx, entries["x.a"], nil)
	var down *downError
	if !errors.As(err, &down) || !down.Starting ||
		!strings.Contains(err.Error(), "call again in a moment") || ctx.Err() != nil {
		t.Errorf("error %v, context %v", err, ctx.Err())
	}
}

// While it is away its actions answer at once, with its last words and without its secrets.
func TestDown(t *testing.T) {
	src := child(t, "crash", nil, options{Pause: func(int) time.Duration { return time.Hour }})
	_, err := src.load(t.Context(), nil)
	var down *downError
	if !errors.As(err, &down) || down.Hint() == "" {
		t.Fatalf("error %v", err)
	}
	for _, want := range []string{"mcp server x is down", "exit status 3", "cannot open the database: [redacted]"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q is not in: %v", want, err)
		}
	}
	// When it is tried again is said of now, and not of the reading that failed.
	if health := src.health(); health == nil || !strings.HasPrefix(health.Error(), err.Error()) ||
		!strings.Contains(health.Error(), "next attempt at ") {
		t.Errorf("health %v", health)
	}
	src.Close()
	if _, err = src.load(t.Context(), nil); err == nil || !strings.Contains(err.Error(), "closed") {
		t.Errorf("after Close: %v", err)
	}
}

// A call that runs out of time ends, and a server that does not answer any more is started again.
func TestHang(t *testing.T) {
	raw, _ := json.Marshal(map[string]string{"tools/list": `{"tools":[{"name":"a"}]}`,
		"tools/call": "hang", "ping": "hang"})
	src := child(t, "answers="+string(raw), nil, options{Ping: 50 * time.Millisecond})
	entries := load(t, src)
	first := src.link.conn
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	long := make(chan error)
	go func() { // begins before, and would end with the test
		_, err := call(t.Context(), entries["x.a"], nil)
		long <- err
	}()
	if _, err := call(ctx, entries["x.a"], nil); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error %v", err)
	}
	// The next waits no longer than for the ping.
	if c, err := src.link.get(t.Context()); err == nil && c == first ||
		err != nil && !strings.Contains(err.Error(), "it does not answer") {
		t.Errorf("%v", err)
	}
	if err := <-long; err == nil || !strings.Contains(err.Error(), "went down during the call") {
		t.Errorf("a call that was under way: %v", err)
	}
	eventually(t, "another session", func() bool {
		session, err := src.link.get(t.Context())
		return err == nil && session != first
	})
}

// After a call that hung, on a server that answers pings, the next get less time, until one is answered or a while has
// passed. A sign of life gives them their whole time.
func TestHungLately(t *testing.T) {
	raw, _ := json.Marshal(map[string]string{"tools/list": `{"tools":[{"name":"a"},{"name":"b"}]}`,
		"tools/call": "hang", "ping": "{}"})
	src := child(t, "answers="+string(raw), nil, options{Hung: 50 * time.Millisecond})
	entries := load(t, src)
	hang := func(id string, whole time.Duration) error {
		ctx, cancel := context.WithTimeout(t.Context(), whole)
		defer cancel()
		_, err := call(ctx, entries[id], nil)
		return err
	}
	if err := hang("x.a", 50*time.Millisecond); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("the first: %v", err)
	}
	var short hungError
	for _, id := range []string{"x.a", "x.b", "x.a"} {
		if err := hang(id, time.Hour); !errors.As(err, &short) {
			t.Errorf("%s: %v", id, err)
		}
	}
	c := src.link.conn
	c.answered("b") // the server is well, this tool is in doubt
	if err := hang("x.a", time.Hour); !errors.As(err, &short) {
		t.Errorf("a tool that hung: %v", err)
	}
	if err := hang("x.b", 50*time.Millisecond); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a tool that did not: %v", err)
	}
	c.mu.Lock()
	c.lastHung, c.lastHungOf["a"] = time.Now().Add(-2*hungWhile), time.Now().Add(-2*hungWhile)
	c.mu.Unlock()
	if err := hang("x.a", 50*time.Millisecond); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("after a while: %v", err)
	}
	ctx, _, stop := c.begin(t.Context(), "a", nil)
	defer stop()
	c.calls[0].calm()
	time.Sleep(100 * time.Millisecond)
	if ctx.Err() != nil {
		t.Errorf("after a sign of life: %v", context.Cause(ctx))
	}
}

// Close ends a server that does not want to end, and what it started.
func TestClose(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no process groups")
	}
	file := filepath.Join(t.TempDir(), "pid")
	src := child(t, "refuses", map[string]string{"PID_FILE": file}, options{})
	if _, err := src.link.get(t.Context()); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(string(text))
	if err != nil {
		t.Fatal(err)
	}
	grandchild, err := os.FindProcess(pid)
	if err != nil || grandchild.Signal(syscall.Signal(0)) != nil {
		t.Fatal("it does not run")
	}
	src.Close()
	eventually(t, "the grandchild is gone", func() bool {
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		return grandchild.Signal(syscall.Signal(0)) != nil || err == nil && strings.Contains(string(stat), ") Z ")
	})
}

// eventually waits until ok, for as long as the test may run.
func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for i := 0; !ok(); i++ {
		if i > 1000 {
			t.Fatalf("never: %s", what)
		}
		time.Sleep(10 * time.Millisecond)
	}
}
