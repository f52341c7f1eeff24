package gateway

// This file runs the program against servers that die, hang and come back, under load: make hour.

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"almanac/catalog/text"
)

// upstreamKey marks the processes of servers that this test has the program start.
const upstreamKey = "ALMANAC_HOUR_UPSTREAM"

// upstream serves over standard input and output, and now and then dies or hangs. It tells that it did.
func upstream() bool {
	switch os.Getenv(upstreamKey) {
	case "":
		return false
	case reliable:
		_ = manyTools().Run(context.Background(), &sdk.StdioTransport{})
		return true
	}
	_ = echoing(func() {
		switch n := rand.IntN(1000); {
		case n < 4:
			os.Exit(3)
		case n < 7:
			select {} // until the program gives up on this server
		}
	}).Run(context.Background(), &sdk.StdioTransport{})
	return true
}

// echoing is a server with one tool, which does what it is told to before it answers.
func echoing(before func()) *sdk.Server {
	type number struct {
		N int `json:"n"`
	}
	server := sdk.NewServer(&sdk.Implementation{Name: "echo", Version: "1"}, nil)
	sdk.AddTool(server, &sdk.Tool{Name: "get_echo", Description: "Get a number back.",
		Annotations: &sdk.ToolAnnotations{ReadOnlyHint: true}},
		func(_ context.Context, _ *sdk.CallToolRequest, in number) (*sdk.CallToolResult, number, error) {
			before()
			return nil, in, nil
		})
	return server
}

// A flapping server over HTTP listens, hangs, and goes away, on one address.
type flapping struct {
	addr string
	hang chan struct{} // closed while it answers
	mu   sync.Mutex
}

func (f *flapping) waits() {
	f.mu.Lock()
	hang := f.hang
	f.mu.Unlock()
	select {
	case <-hang:
	case <-time.After(20 * time.Second):
	}
}

// run goes on until ctx is done.
func (f *flapping) run(ctx context.Context, t *testing.T, ready chan<- struct{}) {
	answering := make(chan struct{})
	close(answering)
	f.hang = answering
	for round := 0; ctx.Err() == nil; round++ {
		var l net.Listener
		for {
			var err error
			if l, err = net.Listen("tcp", f.addr); err == nil {
				break
			}
			time.Sleep(100 * time.Millisecond)
		}
		f.addr = l.Addr().String()
		handler := sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return echoing(f.waits) }, nil)
		server := &http.Server{Handler: handler, ReadHeaderTimeout: time.Second}
		go func() { _ = server.Serve(l) }()
		if round == 0 {
			close(ready)
		}
		pause(ctx, 15*time.Second)
		f.mu.Lock()
		stuck := make(chan struct{})
		f.hang = stuck
		f.mu.Unlock()
		pause(ctx, 3*time.Second)
		f.mu.Lock()
		f.hang = answering
		f.mu.Unlock()
		close(stuck)
		pause(ctx, 5*time.Second)
		_ = server.Close()
		pause(ctx, 4*time.Second)
	}
	t.Log("the server over HTTP has ended")
}

func pause(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

// A count of what became of calls.
type results struct {
	mu       sync.Mutex
	answered int
	errors   map[string]int
	lost     []string
	took     []time.Duration
}

func (r *results) add(at time.Duration, failed string, lost error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.took = append(r.took, at)
	switch {
	case lost != nil:
		r.lost = append(r.lost, lost.Error())
	case failed != "":
		r.errors[failed]++
	default:
		r.answered++
	}
}

// TestHour calls three servers for so many minutes while they die, hang and come back. Every call has to be answered:
// by its number, or by an error. In the end nothing may be left: no session, file descriptor or process.
func TestHour(t *testing.T) {
	program := os.Getenv("ALMANAC_HOUR")
	if program == "" {
		t.Skip("ALMANAC_HOUR is not set: make hour")
	}
	minutes, err := strconv.ParseFloat(os.Getenv("MINUTES"), 64)
	if err != nil {
		t.Fatal("MINUTES: ", err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	ready, web := make(chan struct{}), &flapping{addr: "127.0.0.1:0"}
	var beside sync.WaitGroup
	beside.Go(func() { web.run(ctx, t, ready) })
	<-ready
	mark := rand.Uint64()
	dir := t.TempDir()
	config := filepath.Join(dir, "servers.json")
	server := fmt.Sprintf(`{"command": %q, "env": {"%s": "%d"}}`, self, upstreamKey, mark)
	if err := os.WriteFile(config, fmt.Appendf(nil, `{"mcpServers": {"one": %s, "two": %s, "web": {"url": "http://%s"}}}`,
		server, server, web.addr), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program, "serve", "--catalog", "mcp:"+config, "--http", "127.0.0.1:0", "--metrics",
		"--idle", "10s", "--sessions", "64", "--trust-updates", "--audit", filepath.Join(dir, "audit"))
	cmd.Env = append(os.Environ(), "ALMANAC_DATA="+dir)
	url := started(t, cmd)
	base := strings.TrimSuffix(url, Path)

	pids := func() (n int) { return len(marked(t, mark)) }
	done := &results{errors: map[string]int{}}
	load(ctx, t, url, 2*time.Second, 4, done) // what is opened once is open
	time.Sleep(12 * time.Second)              // sessions are closed by now
	before := gauges(t, base)
	t.Logf("before: %v, %d upstream processes", before, pids())
	load(ctx, t, url, time.Duration(minutes*float64(time.Minute)), 16, done)
	t.Logf("at the end of the load: %v, %d upstream processes", gauges(t, base), pids())

	var after map[string]float64
	for range 60 { // what is idle is closed
		time.Sleep(time.Second)
		after = gauges(t, base)
		if after["almanac_sessions"] == 0 && after["almanac_connections"] == 0 &&
			after["process_open_fds"] <= before["process_open_fds"]+4 {
			break
		}
	}
	t.Logf("after: %v, %d upstream processes", after, pids())
	for name, room := range map[string]float64{
		"almanac_sessions": 0, "almanac_connections": 0, "process_open_fds": 4, "go_goroutines": 30,
	} {
		if after[name] > before[name]+room {
			t.Errorf("%s: %v before, %v after", name, before[name], after[name])
		}
	}
	if n := pids(); n > 2 {
		t.Errorf("%d upstream processes: two servers were configured", n)
	}
	stop()
	beside.Wait()
	children := childrenOf(cmd.Process.Pid)
	_ = cmd.Process.Signal(os.Interrupt)
	if _ = cmd.Wait(); cmd.ProcessState.ExitCode() != 130 {
		t.Errorf("it ended with %v", cmd.ProcessState)
	}
	time.Sleep(time.Second)
	if left := marked(t, mark); len(left) > 0 {
		t.Errorf("upstream processes left: %v", left)
	}
	for _, pid := range children {
		if _, err := os.Stat(fmt.Sprintf("/proc/%d", pid)); err == nil {
			t.Errorf("process %d is left", pid)
		}
	}
	slices.Sort(done.took)
	total := len(done.took)
	t.Logf("%.1f minutes on %s: %d calls, %d answered by their numbers, %d by errors, %d lost; "+
		"median %s, p99 %s, longest %s",
		minutes, text.Count(runtime.NumCPU(), "processor"), total, done.answered, total-done.answered-len(done.lost),
		len(done.lost), text.Took(done.took[total/2]), text.Took(done.took[total*99/100]), text.Took(done.took[total-1]))
	for what, n := range done.errors {
		t.Logf("%6d %s", n, what)
	}
	for _, why := range done.lost[:min(len(done.lost), 10)] {
		t.Error("lost: ", why)
	}
	if len(done.errors) == 0 || done.answered < total/2 {
		t.Errorf("%d of %d answered, %d kinds of errors: that was not the test that was meant", done.answered, total,
			len(done.errors))
	}
}

// load has clients call for so long. Now and then one hangs up and connects again.
func load(ctx context.Context, t *testing.T, url string, long time.Duration, clients int, done *results) {
	end := time.Now().Add(long)
	var wait sync.WaitGroup
	for i := range clients {
		version := []string{withHandshake, noHandshake}[i%2]
		wait.Go(func() {
			for time.Now().Before(end) {
				cs, err := sdk.NewClient(&sdk.Implementation{Name: "hour", Version: "1"}, nil).Connect(ctx,
					&sdk.StreamableClientTransport{Endpoint: url}, &sdk.ClientSessionOptions{ProtocolVersion: version})
				if err != nil {
					done.add(0, "", fmt.Errorf("connecting: %w", err))
					time.Sleep(time.Second)
					continue
				}
				for range 20 + rand.IntN(200) {
					if !time.Now().Before(end) {
						break
					}
					started := time.Now()
					failed, lost := ask(ctx, cs)
					done.add(time.Since(started), failed, lost)
					if lost != nil {
						break
					}
				}
				_ = cs.Close()
			}
		})
	}
	wait.Wait()
}

// ask makes a call of one server, or of all in a script.
func ask(ctx context.Context, cs *sdk.ClientSession) (failed string, lost error) {
	ctx, cancel := context.WithTimeout(ctx, 3*time.Minute)
	defer cancel()
	n := rand.IntN(1 << 30)
	source := []string{"one", "two", "web"}[rand.IntN(3)]
	lua := fmt.Sprintf(`return %s.get_echo{n = %d}.n`, source, n)
	r, err := cs.CallTool(ctx, &sdk.CallToolParams{Name: "lua_tools_execute", Arguments: script(lua, source+".get_echo")})
	switch {
	case err != nil:
		return "", fmt.Errorf("%s: %w", source, err)
	case r.IsError:
		return source + ": " + kindOf(textOf(r)), nil
	}
	// Below it is which session it was, where the protocol has no connections.
	if got, _, _ := strings.Cut(textOf(r), "\n"); got != strconv.Itoa(n) {
		return "", fmt.Errorf("%s: %d was answered by %s", source, n, got)
	}
	return "", nil
}

// kindOf is an error without what differs each time.
func kindOf(message string) string {
	message, _, _ = strings.Cut(message, "\n")
	return text.ClipRunes(strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' {
			return '#'
		}
		return r
	}, message), 150)
}

// started starts the program and returns the address that it serves at.
func started(t *testing.T, cmd *exec.Cmd) string {
	t.Helper()
	out, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if _, at, ok := strings.Cut(lines.Text(), "serving "); ok {
			go func() { // what else it says must not block it
				for lines.Scan() {
				}
			}()
			return at
		}
	}
	t.Fatal("it does not serve")
	return ""
}

// gauges are some of the program's metrics.
func gauges(t *testing.T, base string) map[string]float64 {
	t.Helper()
	_, body, _ := look(t, base+MetricsPath, "", false)
	found := map[string]float64{}
	for _, name := range []string{"almanac_sessions", "almanac_connections", "process_open_fds", "go_goroutines",
		"process_resident_memory_bytes"} {
		for line := range strings.Lines(body) {
			if value, ok := strings.CutPrefix(line, name+" "); ok {
				found[name], _ = strconv.ParseFloat(strings.TrimSpace(value), 64)
			}
		}
	}
	return found
}

// marked are the processes that have the mark in their environment.
func marked(t *testing.T, mark uint64) (pids []string) {
	t.Helper()
	files, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, file := range files {
		env, err := os.ReadFile(file)
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			continue // it ended
		}
		if strings.Contains(string(env), fmt.Sprintf("%s=%d\x00", upstreamKey, mark)) {
			pids = append(pids, filepath.Base(filepath.Dir(file)))
		}
	}
	return pids
}

// childrenOf are the processes that one has started.
func childrenOf(pid int) (pids []int) {
	files, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	for _, file := range files {
		list, _ := os.ReadFile(file)
		for _, field := range strings.Fields(string(list)) {
			if n, err := strconv.Atoi(field); err == nil {
				pids = append(pids, n)
			}
		}
	}
	return pids
}
