package mcp

// This file tests servers of the version without a handshake, which refuse everything older.

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"
)

// A strictServer serves 2026-07-28 and nothing else, and notes what broke its rules.
type strictServer struct {
	mu     sync.Mutex
	broken []string
	asked  []string
	// answer gives the result of a method with its params.
	answer func(method string, params map[string]any) string
}

func (s *strictServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var m struct {
		ID     json.RawMessage
		Method string
		Params map[string]any
	}
	if r.Method != http.MethodPost || json.NewDecoder(r.Body).Decode(&m) != nil {
		http.Error(w, "want POST", http.StatusMethodNotAllowed)
		return
	}
	meta, _ := m.Params["_meta"].(map[string]any)
	version, _ := meta["io.modelcontextprotocol/protocolVersion"].(string)
	name, _ := m.Params["name"].(string)
	if uri, ok := m.Params["uri"].(string); ok {
		name = uri
	}
	refuse := func(code int, text string) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusBadRequest)
		fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":%q,"data":{"supported":[%q],"requested":%q}}}`,
			m.ID, code, text, modernVersion, version)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked = append(s.asked, m.Method)
	switch {
	case m.Method == "initialize" || version != modernVersion:
		refuse(-32022, "unsupported protocol version")
		return
	case r.Header.Get("MCP-Protocol-Version") != version || r.Header.Get("Mcp-Method") != m.Method ||
		name != "" && r.Header.Get("Mcp-Name") != name || meta["io.modelcontextprotocol/clientCapabilities"] == nil:
		s.broken = append(s.broken, fmt.Sprintf("%s: %v", m.Method, r.Header))
		refuse(-32020, "headers and body differ")
		return
	case r.Header.Get("Mcp-Session-Id") != "":
		s.broken = append(s.broken, m.Method+": there are no sessions")
	}
	if m.ID == nil {
		w.WriteHeader(http.StatusAccepted)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":%s}`, m.ID, s.answer(m.Method, m.Params))
}

func TestStrict(t *testing.T) {
	server := &strictServer{answer: func(method string, params map[string]any) string {
		switch method {
		case "server/discover":
			return `{"resultType":"complete","supportedVersions":["` + modernVersion + `"],"capabilities":{"tools":{},` +
				`"resources":{}},"instructions":"be kind","ttlMs":0,"cacheScope":"private",` +
				`"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"strict","version":"1"}}}`
		case "tools/list":
			return `{"resultType":"complete","ttlMs":0,"cacheScope":"private","tools":[` +
				`{"name":"get_sum","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}}]}`
		case "resources/list":
			return `{"resultType":"complete","resources":[{"uri":"a://b","name":"b"}]}`
		case "resources/templates/list":
			return `{"resultType":"complete","resourceTemplates":[]}`
		case "resources/read":
			return `{"resultType":"complete","contents":[{"uri":"a://b","text":"here"}]}`
		}
		return fmt.Sprintf(`{"resultType":"complete","content":[{"type":"text","text":"handle %v"}]}`,
			params["arguments"].(map[string]any)["handle"])
	}}
	web := httptest.NewServer(server)
	t.Cleanup(web.Close)
	for _, c := range []struct {
		modern bool
		asks   string
	}{{false, "initialize server/discover"}, {true, "server/discover tools/list"}} {
		server.asked = nil
		testStrict(t, endpoint{Name: "x", URL: web.URL}, c.modern)
		server.mu.Lock()
		if len(server.broken) > 0 || strings.Join(server.asked[:2], " ") != c.asks {
			t.Errorf("asked %v, broken: %v", server.asked, server.broken)
		}
		server.mu.Unlock()
	}
}

func testStrict(t *testing.T, at endpoint, modern bool) {
	src := open(t, at, options{Modern: modern, Pause: func(int) time.Duration { return time.Hour }})
	defer src.Close()
	entries := load(t, src)
	got, err := call(t.Context(), entries["x.get_sum"], map[string]any{"handle": "h-1"})
	if err != nil || got.Data != "handle h-1" {
		t.Errorf("%v, %v", got, err)
	}
	if got, err = call(t.Context(), entries["x.resources.read"], map[string]any{"uri": "a://b"}); err != nil ||
		got.Data != "here" {
		t.Errorf("%v, %v", got, err)
	}
}

// So is a process that refuses the handshake: it is started again for the other way.
func TestStrictProcess(t *testing.T) {
	for _, modern := range []bool{false, true} {
		entries := load(t, child(t, "modern", nil, options{Modern: modern}))
		if got, err := call(t.Context(), entries["x.get_sum"], nil); err != nil || got.Data != "42" {
			t.Errorf("%t: %v, %v", modern, got, err)
		}
	}
}

// A server that knows the handshake only is greeted with it, whatever it is asked first.
func TestModernFirst(t *testing.T) {
	entries := load(t, child(t, "good", nil, options{Modern: true}))
	if len(entries) == 0 {
		t.Error("nothing was read")
	}
}
