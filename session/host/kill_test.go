package host_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"almanac/catalog"
	"almanac/catalog/remote"
	"almanac/catalog/task"
	"almanac/catalog/team/bus"
	"almanac/session"
	"almanac/session/host"
	"almanac/session/policy"
)

// hostEnv makes the test program a host: it holds the address of the bus and a folder.
const hostEnv = "ALMANAC_TEST_HOST"

// hostMain runs a host in a process of its own until SIGTERM.
func hostMain(url, dir string) error {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	b, err := bus.Open(ctx, bus.Options{URL: url})
	if err != nil {
		return err
	}
	defer b.Close()
	all, _ := catalog.New(deskEntries(dir), catalog.Options{})
	s, err := session.New(all.View(), session.Options{Policy: policy.Policy{Mode: policy.Session}})
	if err != nil {
		return err
	}
	defer s.Close()
	h, err := host.Start(ctx, b, s, host.Options{Name: "desk"})
	if err != nil {
		return err
	}
	fmt.Println("serving")
	<-ctx.Done()
	draining, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	return h.Close(draining)
}

// deskEntries write what they do into files of dir: a read, a write, and a write that takes a key.
func deskEntries(dir string) []catalog.Entry {
	input := catalog.MustSchema(`{"type":"object","properties":{"item":{"type":"string"}},"required":["item"]}`)
	entry := func(id string, mutates bool) catalog.Entry {
		return catalog.Entry{
			ID: "desk." + id, Mutates: mutates, Input: input,
			Action: func(ctx context.Context, c catalog.Call) (catalog.Result, error) {
				item := c.Args["item"].(string)
				f, err := os.OpenFile(filepath.Join(dir, id), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
				if err == nil {
					_, err = fmt.Fprintf(f, "%s %v\n", item, c.Args["key"])
					err = errors.Join(err, f.Close())
				}
				if err != nil || !strings.HasPrefix(item, "stuck") {
					return catalog.Result{Data: item}, err
				}
				// The first attempt waits here for its end.
				mark := filepath.Join(dir, item)
				if err := os.Mkdir(mark, 0o700); err != nil {
					return catalog.Result{Data: item}, nil
				}
				if err := os.WriteFile(filepath.Join(mark, strconv.Itoa(os.Getpid())), nil, 0o600); err != nil {
					return catalog.Result{}, err
				}
				<-ctx.Done()
				return catalog.Result{}, ctx.Err()
			},
		}
	}
	charge := entry("charge", true)
	charge.Key = &catalog.Key{Argument: "key"}
	return []catalog.Entry{entry("read", false), entry("pay", true), charge}
}

// done counts, in a file of deskEntries, how often each item was done, and under how many keys.
func done(t *testing.T, dir, id string) (times, keys map[string]int) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, id))
	if err != nil {
		t.Fatal(err)
	}
	times, keys = map[string]int{}, map[string]int{}
	seen := map[string]bool{}
	for line := range strings.Lines(string(text)) {
		item, _, _ := strings.Cut(line, " ")
		if times[item]++; !seen[line] {
			keys[item]++
		}
		seen[line] = true
	}
	return times, keys
}

// startHost starts a host in a process of its own and returns when it serves.
func startHost(t *testing.T, url, dir string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), hostEnv+"="+url+" "+dir)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err == nil {
		_, err = bufio.NewReader(out).ReadString('\n')
	}
	if err != nil {
		t.Fatal(err)
	}
	return cmd
}

// startServer runs a server on data in dir, with port -1 on any port. The caller ends it.
func startServer(t *testing.T, port int, dir string) *server.Server {
	t.Helper()
	nats, err := server.NewServer(&server.Options{Host: "127.0.0.1", Port: port, JetStream: true, StoreDir: dir,
		NoSigs: true, NoLog: true})
	if err != nil {
		t.Fatal(err)
	}
	nats.Start()
	if !nats.ReadyForConnections(10 * time.Second) {
		t.Fatal("no server")
	}
	return nats
}

// A server that goes away in the middle of calls is told as that, with what is known of each. Once it is back calls
// are made, and a write that was under way has been made once.
func TestLostServer(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	nats := startServer(t, -1, dir)
	t.Cleanup(func() { nats.Shutdown(); nats.WaitForShutdown() }) // after the host, whose end it has to hear
	url, port := nats.ClientURL(), nats.Addr().(*net.TCPAddr).Port
	began, release := make(chan string, 10), make(chan struct{})
	entry := func(id string, mutates bool) catalog.Entry {
		wait := func(context.Context, catalog.Call) (catalog.Result, error) {
			began <- id
			<-release
			return catalog.Result{Data: id}, nil
		}
		return catalog.Entry{ID: "desk." + id, Mutates: mutates, Action: wait}
	}
	open := func() *bus.Bus {
		b, err := bus.Open(t.Context(), bus.Options{URL: url})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { b.Close() })
		return b
	}
	serve(t, open(), "desk", []catalog.Entry{entry("read", false), entry("pay", true)}, policy.Session)
	here := calling(t, open(), "nats:desk", session.Options{
		Policy: policy.Policy{Mode: policy.Session},
		After:  func(_ time.Duration, f func()) func() bool { f(); return func() bool { return false } }, // no pauses
	})
	call := func(id string) string {
		return strings.ReplaceAll(said(here.Call(t.Context(), session.Invocation{ID: "desk." + id, Key: id})), url, "URL")
	}
	said := map[string]chan string{}
	for _, id := range []string{"read", "pay"} {
		came := make(chan string, 1)
		said[id] = came
		go func() { came <- call(id) }()
		<-began
	}
	nats.Shutdown()
	nats.WaitForShutdown()
	for id, want := range map[string]string{
		"read": "action_failed: desk.read: host desk: not called: URL: connection lost: " +
			"call again once it is connected (tried 4 times)",
		"pay": "may_have_happened: desk.pay: host desk: URL: connection lost during the call, " +
			"which may or may not have taken effect (tried 4 times)\nlook whether it has before you call again",
	} {
		if got := <-said[id]; got != want {
			t.Errorf("%s\nwant %s", got, want)
		}
	}
	nats = startServer(t, port, dir)
	close(release)
	got := ""
	for n := 0; n < 500 && got != `"pay"`; n++ {
		_ = task.Sleep(t.Context(), 20*time.Millisecond)
		got = call("pay")
	}
	if got != `"pay"` {
		t.Error(got)
	}
	if n := len(began); n != 0 {
		t.Errorf("%d calls were made again", n)
	}
}

// Hosts are killed in the middle of calls: reads come to their end elsewhere, and so do writes whose action takes a
// key; other writes may or may not have happened, which is said, and none has happened twice. A host that is told to
// end ends its calls.
func TestKilledHosts(t *testing.T) {
	nats := startServer(t, -1, t.TempDir())
	defer nats.WaitForShutdown()
	defer nats.Shutdown()
	dir := t.TempDir()
	hosts := map[int]*exec.Cmd{}
	for range 4 {
		h := startHost(t, nats.ClientURL(), dir)
		hosts[h.Process.Pid] = h
		t.Cleanup(func() { _ = h.Process.Kill(); _ = h.Wait() })
	}
	b, err := bus.Open(t.Context(), bus.Options{URL: nats.ClientURL()})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	here := calling(t, b, "nats:desk", session.Options{Policy: policy.Policy{Mode: policy.Session}})
	call := func(id, item string) string {
		return said(here.Call(t.Context(), session.Invocation{ID: "desk." + id, Args: map[string]any{"item": item}}))
	}
	uncertain := func(said string) bool { return strings.HasPrefix(said, remote.CodeUncertain+": ") }

	var all sync.WaitGroup
	all.Go(func() {
		for _, id := range []string{"read", "pay", "charge"} { // one after the other: none is killed before its call is there
			item := "stuck-" + id
			came := make(chan string, 1)
			go func() { came <- call(id, item) }()
			names := []os.DirEntry{}
			for len(names) == 0 && len(came) == 0 {
				_ = task.Sleep(t.Context(), 5*time.Millisecond)
				names, _ = os.ReadDir(filepath.Join(dir, item))
			}
			if len(names) > 0 { // the host that has it is killed
				pid, _ := strconv.Atoi(names[0].Name())
				_ = hosts[pid].Process.Kill()
			}
			if got := <-came; len(names) == 0 || id == "pay" && !uncertain(got) || id != "pay" && got != `"`+item+`"` {
				t.Errorf("%s at a host that was killed (%v): %s", id, names, got)
			}
		}
	})
	for n := range 4 {
		all.Go(func() {
			for i := range 50 {
				item := fmt.Sprintf("item-%d-%d", n, i)
				if got := call("pay", item); got != `"`+item+`"` && !uncertain(got) {
					t.Errorf("pay %s: %s", item, got)
				}
				if got := call("charge", item); got != `"`+item+`"` {
					t.Errorf("charge %s: %s", item, got)
				}
			}
		})
	}
	all.Wait()
	paid, _ := done(t, dir, "pay")
	for item, times := range paid {
		if times != 1 {
			t.Errorf("%s was paid %d times", item, times)
		}
	}
	charged, keys := done(t, dir, "charge")
	for item := range charged {
		if keys[item] != 1 {
			t.Errorf("%s was charged under %d keys", item, keys[item])
		}
	}
	if len(charged) != 201 || charged["stuck-charge"] != 2 {
		t.Errorf("%d were charged, the one that was stuck %d times", len(charged), charged["stuck-charge"])
	}
	left := 0
	for _, h := range hosts {
		if h.Process.Signal(syscall.SIGTERM) == nil {
			if err := h.Wait(); err == nil {
				left++
			}
		}
	}
	if left == 0 {
		t.Error("no host ended well")
	}
}
