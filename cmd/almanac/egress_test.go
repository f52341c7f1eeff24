package main

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"almanac/llm/openai/openaitest"
)

// The credential of these tests, and where a server that echoes it parts it.
const (
	leaked   = "tok-7f3a9e41-b2c8"
	leakedAt = 9
)

// joined is Lua that puts the two halves together.
const joined = `(echo.halves{}.a .. echo.halves{}.b)`

// leaking prepares a manifest whose action is answered with the halves of the credential that it was called with,
// looked up from the environment when it is called. It returns the folder of everything that the program leaves.
func leaking(t *testing.T) (dir, manifest string) {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		token := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"a":%q,"b":%q}`, token[:leakedAt], token[leakedAt:])
	}))
	t.Cleanup(server.Close)
	dir = t.TempDir()
	manifest = filepath.Join(dir, "echo.yaml")
	text := fmt.Sprintf("almanac: 1\nname: echo\nactions:\n  halves:\n    description: Two halves.\n    http:\n      url: %s/\n      auth: {bearer: LEAKED_TOKEN}\n"+
		"  put:\n    description: Change.\n    mutates: true\n    risk: low\n    input: {text: str}\n    http:\n      url: %s/\n      method: POST\n      auth: {bearer: LEAKED_TOKEN}\n", server.URL, server.URL)
	if err := os.WriteFile(manifest, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, value := range map[string]string{
		"LEAKED_TOKEN": leaked, "ALMANAC_DATA": filepath.Join(dir, "data"), "ALMANAC_CONFIG": os.DevNull,
		"XDG_CACHE_HOME": filepath.Join(dir, "cache"), "OPENAI_API_KEY": "sk-very-secret", "ALMANAC_BASE_URL": "",
		"ALMANAC_MODEL": "scripted",
	} {
		t.Setenv(name, value)
	}
	return dir, manifest
}

// noLeak fails for every text, and every file below dir, that has the credential in some form.
func noLeak(t *testing.T, dir string, texts map[string]string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		texts[path] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for where, text := range texts {
		for _, form := range []string{
			leaked, "sk-very-secret", leaked[leakedAt-6:][:12], base64.StdEncoding.EncodeToString([]byte(leaked)),
			hex.EncodeToString([]byte(leaked)),
		} {
			if at := strings.Index(text, form); at >= 0 {
				t.Errorf("%s has %s: %s", where, form, text[max(0, at-200):min(len(text), at+100)])
			}
		}
	}
}

// TestEgressTerminal walks the ways out of a terminal session: a script puts a credential together and returns it,
// prints it whole and in pieces, logs it, raises it, keeps it, calls with it, denied and allowed; the session is
// written out in all forms.
func TestEgressTerminal(t *testing.T) {
	dir, manifest := leaking(t)
	model := openaitest.New(
		openaitest.Reply{Calls: []openaitest.Call{{Name: "lua_tools_execute",
			Args: `{"script":"print(x) return ` + joined + `","actions":["echo.halves"]}`}}},
		openaitest.Reply{Reasoning: "I saw " + leaked + ".", Text: "It is " + leaked + ", says the server.", Chunk: 4},
		openaitest.Reply{Status: 401, Body: `{"error":{"message":"bad key sk-very-secret, and ` + leaked + `"}}`},
	)
	t.Cleanup(model.Close)
	at := func(name string) string { return filepath.Join(dir, name) }
	lines := []string{
		`!return ` + joined, `!return {deep = {[` + joined + `] = {` + joined + `}}}`, `!x = ` + joined,
		`!for i = 1, #x do io.write(x:sub(i, i)) end print()`, `!print(x:sub(1, 8)) print(x:sub(9))`,
		`!log(x) warn(x) eprint(x)`, `!error(x)`, `!error({code = x})`, `!local function f() error("in " .. x) end f()`,
		`!call(x, {})`, `!echo.put{text = x}`, `/policy allow echo.put`, `!echo.put{text = x}`, `/policy`, `/why echo.put`,
		`!return json.encode({x, x .. '"'})`, `!("x"):rep(50000, x)`, `!_G[x] = 1`, `!return catalog.search(x)`,
		`!return catalog.explain("echo.halves", x)`, `/vars`, `/vars x`, `/look x`, `/history`, `/trace`, `/preview return x`,
		`/preview echo.put{text = x}`, `/status`, `/why ` + leaked, `what is x?`, `and now, with ` + leaked + `?`,
		`!return #x`, `/expand`, `/transcript`, `/export ` + at("out.md"), `/export ` + at("out.lua"),
		`/export ` + at("out.jsonl"), `/trace export ` + at("calls.jsonl"), `/lua save ` + at("saved.lua"),
		`!rows = {{a = x, [x] = 1}, {a = "b", deep = {x}}}`, `/view rows`, `/less rows`, `/less x`, `/less 1`,
		`/export rows ` + at("rows.csv"), `/export rows ` + at("rows.json"), `/export rows ` + at("rows.md"),
		`/export x .. "!" ` + at("x.txt"), `/export 1.1 ` + at("halves.lua"),
		`!return x .. " at the end"`, `/copy`,
	}
	var out, errs bytes.Buffer
	code := run([]string{"--plain", "--ask", "--catalog", manifest, "--base-url", model.URL()},
		strings.NewReader(strings.Join(lines, "\n")+"\n"), &out, &errs)
	texts := map[string]string{"standard output": out.String(), "standard error": errs.String()}
	for i, r := range model.Requests() {
		texts[fmt.Sprintf("request %d", i)] = string(r.Body)
	}
	if !strings.Contains(out.String(), "[redacted] at the end") || len(model.Requests()) < 3 ||
		!strings.Contains(out.String(), "It is [redacted], says the server.") ||
		!strings.Contains(out.String(), "I saw [redacted].") || !strings.Contains(out.String(), "✓ echo.put W") ||
		strings.Contains(out.String(), "Acme") {
		t.Errorf("exit %d\n%s\n%s", code, out.String(), errs.String())
	}
	for _, name := range []string{"out.md", "out.lua", "out.jsonl", "calls.jsonl", "rows.csv", "rows.json",
		"rows.md", "x.txt", "halves.lua"} {
		if _, err := os.Stat(at(name)); err != nil {
			t.Error(err)
		}
	}
	noLeak(t, dir, texts)

	for _, form := range []string{"md", "lua", "jsonl"} {
		out.Reset()
		errs.Reset()
		if code := run([]string{"sessions", "show", "20", "--form", form},
			strings.NewReader(""), &out, &errs); code != exitOK {
			t.Errorf("sessions show: exit %d, %s", code, errs.String())
		}
		noLeak(t, dir, map[string]string{form: out.String() + errs.String()})
	}
}

// TestEgressHeadless does the same for one expression, a query, one prompt, and the gateway.
func TestEgressHeadless(t *testing.T) {
	dir, manifest := leaking(t)
	for _, args := range [][]string{
		{"-e", `io.write(` + joined + `:sub(1, 8)) io.write(` + joined + `:sub(9)) eprint(` + joined + `) return ` + joined},
		{"--output", "json", "-e", `print(` + joined + `) return {[` + joined + `] = ` + joined + `}`},
		{"-e", `error(` + joined + `)`},
		{"--output", "jsonl", "-e", `log(` + joined + `) error({a = ` + joined + `})`},
	} {
		var out, errs bytes.Buffer
		run(append([]string{"--catalog", manifest}, args...), strings.NewReader(""), &out, &errs)
		if !strings.Contains(out.String()+errs.String(), "[redacted]") {
			t.Errorf("%q: %s%s", args, out.String(), errs.String())
		}
		noLeak(t, dir, map[string]string{fmt.Sprint(args): out.String() + errs.String()})
	}
	requests := []string{
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`,
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
		`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"lua_tools_execute","arguments":{"actions":["echo.halves"],"script":"print(` + joined + `) return {x = ` + joined + `}"}}}`,
		`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"lua_tools_execute","arguments":{"actions":["echo.halves"],"script":"error(` + joined + `)"}}}`,
		`{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"lua_tools_describe","arguments":{"ids":["` +
			leaked + `"]}}}`,
		`{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"lua_tools_query","arguments":{"script":"return catalog.search('` + leaked + `')"}}}`,
	}
	in, feed := pipe(t)
	answers := &answering{to: feed, requests: requests}
	answers.next()
	defer time.AfterFunc(30*time.Second, func() { feed.Close() }).Stop()
	var errs bytes.Buffer
	run([]string{"--catalog", manifest, "serve"}, in, answers, &errs)
	if got := answers.text.String(); strings.Count(got, "[redacted]") < 3 {
		t.Errorf("answers: %s%s", got, errs.String())
	}
	noLeak(t, dir, map[string]string{"answers": answers.text.String() + errs.String()})
}

// An answering is the output of a server: it sends the next request when one is answered, and closes the input after
// the last.
type answering struct {
	text     bytes.Buffer
	to       *os.File
	requests []string
}

func (a *answering) Write(b []byte) (int, error) {
	n, err := a.text.Write(b)
	if bytes.HasSuffix(b, []byte("\n")) {
		a.next()
	}
	return n, err
}

func (a *answering) next() {
	for len(a.requests) > 0 {
		request := a.requests[0]
		a.requests = a.requests[1:]
		fmt.Fprintln(a.to, request)
		if strings.Contains(request, `"id"`) {
			return
		}
	}
	a.to.Close()
}

// pipe is a pipe of the system: what is written waits in it.
func pipe(t *testing.T) (r, w *os.File) {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close(); w.Close() })
	return r, w
}
