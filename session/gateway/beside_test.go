package gateway

// This file measures the program beside mcpproxy-go, both in front of the same server: make bench-mcpproxy.

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"almanac/catalog/text"
)

// reliable has upstream serve besideTools tools, and neither die nor hang.
const (
	reliable    = "reliable"
	besideTools = 100
)

// manyTools is a server whose tools look like those that people have.
func manyTools() *sdk.Server {
	type issue struct {
		Project  string   `json:"project" jsonschema:"Key of the project, such as CORE"`
		Title    string   `json:"title,omitempty" jsonschema:"One line that says what it is about"`
		Labels   []string `json:"labels,omitempty" jsonschema:"Labels that it must have; all of them"`
		Assignee string   `json:"assignee,omitempty" jsonschema:"Login of the person who is to do it"`
		Limit    int      `json:"limit,omitempty" jsonschema:"Maximum number of results, 50 by default"`
	}
	server := sdk.NewServer(&sdk.Implementation{Name: "tracker", Version: "1"}, nil)
	for n := range besideTools {
		noun := []string{"issue", "sprint", "board", "release", "comment"}[n%5]
		sdk.AddTool(server, &sdk.Tool{
			Name:        fmt.Sprintf("get_%s_%02d", noun, n),
			Description: fmt.Sprintf("Get the %ss of a project, newest first, with their state and who works on them.", noun),
			Annotations: &sdk.ToolAnnotations{ReadOnlyHint: true},
		}, func(_ context.Context, _ *sdk.CallToolRequest, in issue) (*sdk.CallToolResult, issue, error) {
			return nil, in, nil
		})
	}
	return server
}

// TestBeside prints what a list of tools costs, how long one call takes after another, and how much memory it takes.
func TestBeside(t *testing.T) {
	almanac, proxy := os.Getenv("ALMANAC_BENCH_GATEWAY"), os.Getenv("MCPPROXY")
	if proxy == "" {
		t.Skip("SKIPPED: MCPPROXY is not set: make bench-mcpproxy MCPPROXY=...")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	write := func(name, content string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	direct, other := sdk.NewInMemoryTransports()
	if _, err := manyTools().Connect(t.Context(), other, nil); err != nil {
		t.Fatal(err)
	}
	cs, err := sdk.NewClient(&sdk.Implementation{Name: "beside", Version: "1"}, nil).Connect(t.Context(), direct, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("the server itself: %s", cost(t, cs))

	cmd := exec.Command(almanac, "serve", "--trust-updates", "--http", "127.0.0.1:0",
		"--tools", "query,describe,execute,call", "--catalog", "mcp:"+write("servers.json",
			fmt.Sprintf(`{"mcpServers": {"up": {"command": %q, "env": {%q: %q}}}}`, self, upstreamKey, reliable)))
	cmd.Env = append(os.Environ(), "ALMANAC_DATA="+dir)
	url := started(t, cmd)
	args := map[string]any{"project": "CORE", "limit": 5}
	measure(t, "almanac, call", url, cmd, "lua_tools_call", map[string]any{"id": "up.get_issue_00", "args": args})
	measure(t, "almanac, execute", url, cmd, "lua_tools_execute",
		script(`return up.get_issue_00{project = "CORE", limit = 5}`, "up.get_issue_00"))

	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := l.Addr().String()
	_ = l.Close()
	off := map[string]any{"enabled": false}
	config, err := json.Marshal(map[string]any{
		"listen": addr, "data_dir": filepath.Join(dir, "proxy"), "enable_socket": false, "quarantine_enabled": false,
		"telemetry": off, "update_check": off, "check_server_repo": false, "docker_isolation": off,
		"mcpServers": []any{map[string]any{
			"name": "up", "protocol": "stdio", "command": self, "env": map[string]string{upstreamKey: reliable},
			"enabled": true, "quarantined": false, "skip_quarantine": true,
		}},
	})
	if err != nil {
		t.Fatal(err)
	}
	cmd = exec.Command(proxy, "serve", "--config", write("proxy.json", string(config)))
	cmd.Env = append(os.Environ(), "HOME="+dir, "MCPPROXY_TELEMETRY=false", "DO_NOT_TRACK=1")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	measure(t, "mcpproxy-go", "http://"+addr+Path, cmd, "call_tool_read",
		map[string]any{"name": "up:get_issue_00", "args": args})
}

// cost is what the list of a client's tools takes.
func cost(t *testing.T, cs *sdk.ClientSession) string {
	list, err := cs.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := json.Marshal(list.Tools)
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%s, about %d tokens", text.Count(len(list.Tools), "tool"), text.Tokens(string(raw)))
}

// measure waits until the call works, and then makes it again and again.
func measure(t *testing.T, name, url string, cmd *exec.Cmd, tool string, args map[string]any) {
	t.Helper()
	var cs *sdk.ClientSession
	eventually(t, func() (ok bool) {
		var err error
		cs, err = dialHTTP(t, url, "", nil)
		return err == nil
	})
	var said string
	use := func() bool {
		r, err := cs.CallTool(t.Context(), &sdk.CallToolParams{Name: tool, Arguments: args})
		if err != nil {
			said = err.Error()
			return false
		}
		said = textOf(r)
		return !r.IsError && strings.Contains(said, "CORE")
	}
	for n := 0; !use(); n++ {
		if n == 100 {
			t.Fatalf("%s: %s", name, said)
		}
		time.Sleep(300 * time.Millisecond)
	}
	const calls = 300
	took := make([]time.Duration, calls)
	for i := range took {
		start := time.Now()
		if !use() {
			t.Fatalf("%s: %s", name, said)
		}
		took[i] = time.Since(start)
	}
	slices.Sort(took)
	t.Logf("%s: %s; one call: median %s, p99 %s; %s of memory with its processes", name, cost(t, cs),
		text.Took(took[calls/2]), text.Took(took[calls*99/100]), text.Bytes(int64(resident(t, cmd.Process.Pid))))
}
