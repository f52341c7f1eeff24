package mcp

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"

	"almanac/catalog"
)

func environ(name string) (string, bool) {
	value, ok := map[string]string{"API_TOKEN": "tok-123456", "EMPTY": "", "HOST": "h"}[name]
	return value, ok
}

func TestParseCommand(t *testing.T) {
	for _, c := range []struct{ line, want string }{
		{"npx -y @modelcontextprotocol/server-memory", `memory [npx -y @modelcontextprotocol/server-memory] map[]`},
		{"npx -y @acme/mcp-server-git@1.2.0 /repo", `git [npx -y @acme/mcp-server-git@1.2.0 /repo] map[]`},
		{"uvx mcp-server-fetch", `fetch [uvx mcp-server-fetch] map[]`},
		{"docker run -i --rm mcp/time:latest", `time [docker run -i --rm mcp/time:latest] map[]`},
		{"node a/node_modules/server-everything/dist/index.js",
			`everything [node a/node_modules/server-everything/dist/index.js] map[]`},
		{`python "my server/main.py" --name 'a "b"' ''`, `my_server [python my server/main.py --name a "b" ] map[]`},
		{"TOKEN=${API_TOKEN} X=1 ./crm-mcp", `crm [./crm-mcp] map[TOKEN:tok-123456 X:1]`},
		{"", "error: no command: write mcp:COMMAND ARGS"},
		{"A=1", "error: no command: write mcp:COMMAND ARGS"},
		{"x 'y", "error: the command has an unclosed '"},
		{"A=${NOT_SET} x", "error: the variable NOT_SET is not set"},
	} {
		s, err := parseCommand("", c.line, environ)
		got := fmt.Sprint(s.Name, " ", s.Command, " ", s.Env)
		if err != nil {
			got = "error: " + err.Error()
		}
		if got != c.want {
			t.Errorf("%s:\ngot  %s\nwant %s", c.line, got, c.want)
		}
	}
}

func TestParseURL(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"https://mcp.linear.app/mcp", "linear https://mcp.linear.app/mcp map[]"},
		{"https://example.com/mcp#bearer=API_TOKEN", "example https://example.com/mcp map[Authorization:Bearer tok-123456]"},
		{"http://localhost:3000/mcp#bearer=API_TOKEN", "mcp http://localhost:3000/mcp map[Authorization:Bearer tok-123456]"},
		{"http://example.com/mcp#bearer=API_TOKEN",
			"error: example.com: a token must not go over plain http to another machine: use https"},
		{"https://example.com/mcp#bearer=NOT_SET", "error: the variable NOT_SET is not set: it must hold the token"},
		{"https://example.com/mcp#token",
			"error: the part behind # is not shown, since it may be a secret: want #bearer=NAME, where NAME is a variable of " +
				"the environment that holds the token"},
		{"https://u:p@example.com/",
			"error: the URL has a password in it: put a token into the environment and write #bearer=NAME"},
		{"ftp://example.com/", `error: the URL "ftp://example.com/": want http://HOST/PATH or https://HOST/PATH`},
	} {
		s, err := parseURL("", c.text, environ)
		got := fmt.Sprint(s.Name, " ", s.URL, " ", s.Header)
		if err != nil {
			got = "error: " + err.Error()
		}
		if got != c.want {
			t.Errorf("%s:\ngot  %s\nwant %s", c.text, got, c.want)
		}
	}
}

func TestParseConfig(t *testing.T) {
	const file = `{
  // as Claude Desktop, Cursor and others write it
  "mcpServers": {
    "memory": {"command": "npx", "args": ["-y", "server-memory"], "env": {"PORT": 3000}},
    "GitHub Copilot": {"type": "http", "url": "https://${HOST}.example/mcp", "headers": {"Authorization": "Bearer ${API_TOKEN}"}},
    "old": {"type": "sse", "url": "https://example.org/sse", "autoApprove": ["x"],},
    "off": {"command": "x", "disabled": true},
    "unset": {"command": "x", "env": {"A": "${env:NOT_SET}", "B": "${ALSO_NOT:-default}"}},
    "asks": {"command": "x", "args": ["${input:key}"]},
    "both": {"command": "x", "url": "https://example.org"},
    "neither": {}, /* nothing */
    "here": {"command": "./run", "cwd": "sub", "env": {"MY_KEY": "literal-key", "ROOT": "${workspaceFolder}"}},
  },
}`
	servers, skipped, err := parseConfig([]byte(file), "/etc/almanac/mcp.json", environ)
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, s := range servers {
		lines = append(lines, fmt.Sprint(s.Name, " ", s.Command, s.URL, " sse=", s.SSE, " ", s.Env, " ", s.Header, " dir=",
			s.Dir, " secrets=", s.Secrets))
	}
	for _, s := range skipped {
		lines = append(lines, s.ID+": "+s.Reason)
	}
	want := `github_copilot []https://h.example/mcp sse=false map[] map[Authorization:Bearer tok-123456] dir= secrets=[tok-123456]
here [./run] sse=false map[MY_KEY:literal-key ROOT:/etc/almanac] map[] dir=/etc/almanac/sub secrets=[literal-key]
memory [npx -y server-memory] sse=false map[PORT:3000] map[] dir= secrets=[]
old []https://example.org/sse sse=true map[] map[] dir= secrets=[]
asks: ${input:key}: want an environment variable: write ${NAME} or ${env:NAME}
both: give a command or a URL
neither: give a command or a URL
off: disabled in the file
unset: the variable NOT_SET is not set`
	if diff := cmp.Diff(want, strings.Join(lines, "\n")); diff != "" {
		t.Error(diff)
	}
	if _, _, err := parseConfig([]byte(`{"openapi":"3.1.0"}`), "x", environ); err == nil {
		t.Error("no error")
	}
}

func FuzzParseConfig(f *testing.F) {
	f.Add([]byte(`{"mcpServers":{"a":{"command":"x","args":["${A}"]}}}`))
	f.Add([]byte(`{"servers":{"a":{"url":"http://x"},},} // end`))
	f.Fuzz(func(t *testing.T, text []byte) {
		servers, _, err := parseConfig(text, "f", environ)
		if err != nil && len(servers) > 0 {
			t.Error("servers with an error")
		}
		for _, s := range servers {
			if err := s.check(); err != nil {
				t.Errorf("%+v: %v", s, err)
			}
		}
	})
}

// An id is a path of words whatever the names are, and the same for every order of them.
func FuzzNames(f *testing.F) {
	f.Add("getUser", "get-user", "end")
	f.Add("a.b", "a/b", "日本")
	f.Fuzz(func(t *testing.T, a, b, c string) {
		if a == b || b == c || a == c {
			return
		}
		give := func(names ...string) map[string]string {
			n := naming{prefix: "s.", taken: map[string]bool{}}
			ids, _ := n.assign(names)
			m := map[string]string{}
			for i, name := range names {
				m[name] = ids[i]
			}
			return m
		}
		one := give(a, b, c)
		seen := map[string]bool{}
		for _, id := range one {
			if seen[id] || len(id) > 256 {
				t.Errorf("%q", one)
			}
			seen[id] = true
			for _, part := range strings.Split(id, ".") {
				plain := strings.TrimFunc(part, func(r rune) bool {
					return r == '_' || r >= '0' && r <= '9' || unicode.IsLetter(r) || unicode.IsMark(r) || unicode.IsDigit(r)
				})
				if plain != "" || part == "" || part[0] >= '0' && part[0] <= '9' || strings.ContainsAny(part, "ABCXYZ") {
					t.Errorf("%q", one)
				}
			}
			if err := catalog.CheckID(id); err != nil {
				t.Errorf("%q: %v", one, err)
			}
		}
	})
}

func FuzzText(f *testing.F) {
	f.Add(`{"a":1}`)
	f.Add(`[9007199254740993]`)
	f.Fuzz(func(t *testing.T, s string) {
		v, note := textValue(s)
		if note == "" && v != any(s) {
			t.Errorf("%q became %v", s, v)
		}
		if note == noteParsed && !json.Valid([]byte(s)) {
			t.Errorf("%q is no JSON and became %v", s, v)
		}
	})
}

// Whatever a server writes, only messages are passed on, all of them, in their order.
func FuzzMessageReader(f *testing.F) {
	f.Add("hello\n", "[]\n{}\n")
	f.Add("", "\n\n\xff")
	f.Fuzz(func(t *testing.T, before, between string) {
		const one, two = `{"jsonrpc":"2.0","id":1,"result":{}}`, `{"jsonrpc":"2.0","method":"x"}`
		for _, noise := range []string{before, between} {
			for line := range strings.Lines(noise) {
				if text := strings.TrimSpace(line); text != "" && isMessage([]byte(text)) {
					return
				}
			}
		}
		r := &messageReader{lines: bufio.NewReaderSize(strings.NewReader(before+"\n"+one+"\n"+between+"\n"+two), 16),
			noise: &tail{}}
		got, err := io.ReadAll(r)
		if err != nil || string(got) != one+"\n"+two+"\n" {
			t.Errorf("%q, %v", got, err)
		}
	})
}
