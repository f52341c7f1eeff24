package gateway

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"almanac/catalog"
	"almanac/catalog/secret"
	"almanac/internal/golden"
	"almanac/session/gateway/audit"
	"almanac/session/policy"
)

// told are lines of an audit log without what differs each time.
func told(t *testing.T, text string) (lines []string) {
	t.Helper()
	ids := map[string]string{}
	for line := range strings.Lines(text) {
		var r map[string]any
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		parts := []string{fmt.Sprint(r["event"])}
		for _, key := range []string{"client", "actor", "session", "tool_call", "tool", "run", "mode", "action", "args",
			"outcome", "rule", "error", "calls"} {
			switch v, ok := r[key]; {
			case !ok:
			case key == "session" || key == "tool_call" || key == "run":
				id := fmt.Sprint(v)
				if ids[id] == "" {
					ids[id] = fmt.Sprintf("%s%d", key[:1], len(ids)+1)
				}
				parts = append(parts, ids[id])
			default:
				said, _ := json.Marshal(v)
				parts = append(parts, key+"="+string(said))
			}
		}
		if _, ok := r["ms"]; strings.HasSuffix(parts[0], "_end") && !ok {
			t.Errorf("%s: no duration", line)
		}
		lines = append(lines, strings.Join(parts, " "))
	}
	return lines
}

// A buffer is written by several goroutines.
type buffer struct {
	mu   sync.Mutex
	text bytes.Buffer
	err  error
}

func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.err != nil {
		return 0, b.err
	}
	return b.text.Write(p)
}

func (b *buffer) take() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	defer b.text.Reset()
	return b.text.String()
}

// audited serves one client whose deeds go to the buffer.
func audited(t *testing.T) (*buffer, string) {
	out := &buffer{}
	log := audit.To(out, secret.NewFilter(func() []string { return []string{"hidden-item"} }))
	b := newBench(t, Options{Observe: func(r *audit.Record) error { return log.Write(*r) }})
	return out, serveHTTP(t, b, HTTPOptions{Roster: Roster{Clients: []Client{
		with(t, tokenA, Client{Name: "a", Rules: catalog.Rules{Actor: "ann"}, Policy: Policy{
			Mode: policy.Session, Allow: []policy.Grant{},
		}}),
	}}})
}

// Who did what, what was decided, and what came of it; large values and secrets are not told.
func TestAudit(t *testing.T) {
	out, url := audited(t)
	if _, err := dialHTTP(t, url, tokenB, nil); err == nil {
		t.Fatal("let in")
	}
	refused := out.take()
	if !strings.Contains(refused, `"event":"refused"`) || !strings.Contains(refused, `"error":"invalid token"`) ||
		strings.Contains(refused, tokenB) || !strings.Contains(refused, `"remote":"127.0.0.1:`) {
		t.Error(refused)
	}
	cs, err := dialHTTP(t, url, tokenA, nil)
	if err != nil {
		t.Fatal(err)
	}
	long := strings.Repeat("x", 600)
	call(t, cs, "execute", script(`shop.price{id="hidden-item"} shop.price{id="`+long+`"} return shop.buy{id="y"}`,
		"shop.price", "shop.buy"))
	call(t, cs, "execute", script(`return office.close{}`, "office.close"))
	text := out.take()
	got := strings.Join(told(t, text), "\n")
	golden.Equal(t, filepath.Join("testdata", "audit.golden"), got+"\n")
	if strings.Contains(text, "hidden-item") || strings.Contains(text, tokenA) {
		t.Error("a secret is told: " + text)
	}
}

// What cannot be told does not begin, and what has ended is not answered.
func TestAuditFails(t *testing.T) {
	out, url := audited(t)
	cs, err := dialHTTP(t, url, tokenA, nil)
	if err != nil {
		t.Fatal(err)
	}
	out.mu.Lock()
	out.err = errors.New("disk full")
	out.mu.Unlock()
	const want = "it cannot be recorded, and so it is not done: audit: disk full"
	if got := textOf(call(t, cs, "execute", script(`return 1`))); !strings.Contains(got, want) {
		t.Error(got)
	}
	out.mu.Lock()
	out.err = nil
	out.mu.Unlock()
	if got := textOf(call(t, cs, "execute", script(`return 1`))); got != "1" {
		t.Error(got)
	}
	// The disk is full when a mutation is about to be made.
	full := &limited{left: 2}
	log := audit.To(full, nil)
	bought := false
	b := newBench(t, Options{Observe: func(r *audit.Record) error {
		bought = bought || r.Event == audit.CallEnd && r.Outcome == "ok"
		return log.Write(*r)
	}, Policy: Policy{Mode: policy.Session}})
	url = serveHTTP(t, b, HTTPOptions{Roster: anyone})
	if cs, err = dialHTTP(t, url, "", nil); err != nil {
		t.Fatal(err)
	}
	if got := textOf(call(t, cs, "execute", script(`return shop.buy{id="y"}`, "shop.buy"))); bought ||
		!strings.Contains(got, "cannot be recorded") {
		t.Error(got)
	}
}

// limited takes so many lines.
type limited struct {
	mu   sync.Mutex
	left int
}

func (l *limited) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.left--; l.left < 0 {
		return 0, errors.New("disk full")
	}
	return len(p), nil
}

// Those who are refused do not fill a disk.
func TestAuditRefused(t *testing.T) {
	out, url := audited(t)
	for range 3 * refusedBurst {
		knock(t, url, tokenB)
	}
	if n := strings.Count(out.take(), "\n"); n < refusedBurst || n > refusedBurst+20*refusedPace {
		t.Errorf("%d lines", n)
	}
}

// A file that was moved away goes on elsewhere once it is opened again.
func TestAuditReopen(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit")
	log, err := audit.Open(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	write := func(tool string) {
		if err := log.Write(audit.Record{Tool: tool}); err != nil {
			t.Error(err)
		}
	}
	write("one")
	if err := os.Rename(path, path+".1"); err != nil {
		t.Fatal(err)
	}
	write("two")
	if err := log.Reopen(); err != nil {
		t.Fatal(err)
	}
	write("three")
	for name, want := range map[string]int{path + ".1": 2, path: 1} {
		text, err := os.ReadFile(name)
		if err != nil || strings.Count(string(text), "\n") != want {
			t.Errorf("%s: %s %v", name, text, err)
		}
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Error(info.Mode(), err)
	}
}

// The trace of a request is that of what it did.
func TestAuditTrace(t *testing.T) {
	out, url := audited(t)
	cs, err := dialHTTP(t, url, tokenA, nil)
	if err != nil {
		t.Fatal(err)
	}
	const trace = "4bf92f3577b34da6a3ce929d0e0e4736"
	_, err = cs.CallTool(t.Context(), &sdk.CallToolParams{Name: "lua_tools_execute", Arguments: script(`return 1`),
		Meta: sdk.Meta{"traceparent": "00-" + trace + "-00f067aa0ba902b7-01"}})
	if err != nil {
		t.Fatal(err)
	}
	text := out.take()
	if n := strings.Count(text, `"trace_id":"`+trace+`"`); n != 4 {
		t.Error(text)
	}
}
