package gateway

// This file measures the program with many clients: make bench-gateway.

import (
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// TestLoad connects 1,000 clients that have each made a call and then are idle, and has 100 more make calls as fast as
// they are answered. It prints what that takes.
func TestLoad(t *testing.T) {
	program := os.Getenv("ALMANAC_BENCH_GATEWAY")
	if program == "" {
		t.Skip("ALMANAC_BENCH_GATEWAY is not set: make bench-gateway")
	}
	const idle, active, calls = 1000, 100, 20
	cmd := exec.Command(program, "serve", "--http", "127.0.0.1:0", "--sessions", "1100")
	cmd.Env = append(os.Environ(), "ALMANAC_DATA="+t.TempDir())
	url := started(t, cmd)
	defer func() {
		_ = cmd.Process.Signal(os.Interrupt)
		_ = cmd.Wait()
		used := cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime() // with that of its Lua processes
		t.Logf("%.1f s of processor time, %d ms for each of %d calls", used.Seconds(),
			used.Milliseconds()/(idle+active*calls), idle+active*calls)
	}()
	use := func(cs *sdk.ClientSession) error {
		r, err := cs.CallTool(t.Context(), &sdk.CallToolParams{Name: "lua_tools_execute", Arguments: script(
			`local rows = billing.invoice.list_unpaid{customer_id = "cus_0001"} return #rows`, "billing.invoice.list_unpaid")})
		if err == nil && r.IsError {
			err = fmt.Errorf("%s", textOf(r))
		}
		return err
	}
	open := func(n int) []*sdk.ClientSession {
		all := make([]*sdk.ClientSession, n)
		var wait sync.WaitGroup
		room := make(chan struct{}, 32)
		for i := range all {
			room <- struct{}{}
			wait.Go(func() {
				defer func() { <-room }()
				cs, err := dialHTTP(t, url, "", nil)
				if err == nil {
					err = use(cs)
				}
				if err != nil {
					t.Error(err)
				}
				all[i] = cs
			})
		}
		wait.Wait()
		return all
	}
	one := open(1)
	before := resident(t, cmd.Process.Pid)
	open(idle)
	after := resident(t, cmd.Process.Pid)
	t.Logf("%d idle clients: %d MB, %d MB before; %d KB each", idle, after>>20, before>>20, (after-before)/idle>>10)

	clients := append(one, open(active-1)...)
	var mu sync.Mutex
	var took []time.Duration
	var wait sync.WaitGroup
	began := time.Now()
	for _, cs := range clients {
		wait.Go(func() {
			for range calls {
				start := time.Now()
				if err := use(cs); err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				took = append(took, time.Since(start))
				mu.Unlock()
			}
		})
	}
	wait.Wait()
	whole := time.Since(began)
	slices.Sort(took)
	if len(took) == 0 {
		t.Fatal("no call was answered")
	}
	t.Logf("%d active clients: %d calls in %.1f s, %.0f a second; median %d ms, p99 %d ms, longest %d ms; %d MB at the end",
		active, len(took), whole.Seconds(), float64(len(took))/whole.Seconds(), took[len(took)/2].Milliseconds(),
		took[len(took)*99/100].Milliseconds(), took[len(took)-1].Milliseconds(), resident(t, cmd.Process.Pid)>>20)
}

// resident is the memory of a process and of those that it started, in bytes. A page that several processes have in
// common, such as one of the program itself, is shared out among them.
func resident(t *testing.T, pid int) int {
	t.Helper()
	rollup, err := os.ReadFile(fmt.Sprintf("/proc/%d/smaps_rollup", pid))
	if err != nil {
		return 0
	}
	kb := 0
	for line := range strings.Lines(string(rollup)) {
		if rest, ok := strings.CutPrefix(line, "Pss:"); ok {
			fmt.Sscan(rest, &kb)
		}
	}
	sum := kb << 10
	for _, child := range childrenOf(pid) {
		sum += resident(t, child)
	}
	return sum
}
