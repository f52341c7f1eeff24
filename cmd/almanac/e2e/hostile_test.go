//go:build unix

package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"almanac/llm/openai/openaitest"
)

// This file holds what others may try to do to the terminal: results, the model, descriptions, names of sources and
// errors are data, and nothing of it may be obeyed or break the layout.

// evil are sequences that a terminal would obey, each with the word that must stay readable.
const evil = "\x1b]0;evil-title\a\x1b]8;;http://evil.example\x1b\\evil-link\x1b]8;;\x1b\\\x1b]52;c;ZXZpbA==\a\x1b[2J\x1b[H\x1b[105mevil-colour" +
	"\x1b[?1049h\u009b31mevil-c1\u202eevil-bidi\u2066\x9b\xff\x00\x08\rmark-end"

// harmless checks that nothing of evil reached the terminal: what the program wrote has only its own sequences.
func (x *terminal) harmless() {
	x.t.Helper()
	out := string(x.bytes())
	for what, bad := range map[string]string{
		"title": "\x1b]0;evil", "title 2": "\x1b]2;evil", "link": "\x1b]8;", "clipboard": "\x1b]52;", "C1 as UTF-8": "\u009b",
		"bidi override": "\u202e", "bidi isolate": "\u2066", "erase all": "\x1b[2J\x1b[H\x1b[105m", "NUL": "\x00",
		"a colour of its own": "\x1b[105mevil",
	} {
		if strings.Contains(out, bad) {
			x.t.Errorf("%s: %q reached the terminal", what, bad)
		}
	}
	if strings.ToValidUTF8(out, "") != out {
		x.t.Error("bytes that are not UTF-8 reached the terminal")
	}
	if title := strings.TrimSpace(x.tmux("display", "-p", "-t", "s", "#{pane_title}")); strings.Contains(title, "evil") {
		x.t.Errorf("the title is %q", title)
	}
	if got := x.attributes(); got != "0 0" {
		x.t.Errorf("mouse and alternate screen: %s", got)
	}
	x.laidOut()
}

// laidOut checks that the live region stands at its place: one status line, and the prompt above it.
func (x *terminal) laidOut() {
	x.t.Helper()
	x.wait("prompt above one status line", func() bool {
		rows := x.rows()
		n := len(rows)
		return n >= 3 && strings.Contains(rows[n-1], "writes: ask") && regexp.MustCompile(prompt).MatchString(rows[n-2]) &&
			strings.Count(strings.Join(rows, "\n"), "writes: ask ·") == 1
	})
	for _, row := range x.rows() {
		if ansi.StringWidth(row) > x.width {
			x.t.Errorf("a row of %d cells: %q", ansi.StringWidth(row), row)
		}
	}
}

func TestHostileResults(t *testing.T) {
	x := start(t, setup{raw: true})
	quoted := ""
	for _, b := range []byte(evil) {
		quoted += fmt.Sprintf("\\%03d", b)
	}
	x.line(`e = "` + quoted + `"`)
	x.want(`\[1\]`)
	x.line("/clear")
	x.gone(`\[1\]`)
	for _, use := range []string{
		`print(e)`, `e`, `{[e] = e}`, `{{name=e, n=1}, {name=e, n=2}}`, `error(e)`, `io.stderr:write(e)`, `log(e)`,
		`crm.customer.get{customer_id=e}`, `crm.customer.search{query=e}`, `_G[e] = 1`,
	} {
		x.line(use)
		x.want(`mark-end|unknown|nil`, prompt+`\s*$`)
	}
	x.line("/trace")
	x.want("Esc back")
	x.keys("Escape")
	x.gone("Esc back")
	x.harmless()
}

func TestHostileModel(t *testing.T) {
	text := strings.ToValidUTF8(evil, "?") // JSON has no other bytes
	call, _ := json.Marshal(map[string]any{"script": "-- " + text + "\nreturn 'told'"})
	x := start(t, setup{raw: true, model: []openaitest.Reply{
		{Text: text + "\n\n# " + text + "\n\n- " + text + "\n\n```lua\n" + text + "\n```\n\n[" + text +
			"](http://evil.example/" + text + ")\n\nfirst answer", Chunk: 3},
		{Calls: []openaitest.Call{{Name: "lua_tools_execute", Args: string(call)},
			{Name: "evil\x1b[105m" + text, Args: "{}"}}},
		{Text: "second answer"},
		{Status: 400, Body: `{"error":{"message":` + quoteJSON(text) + `}}`},
	}})
	x.line("one")
	x.want("first answer", prompt+`\s*$`)
	x.line("two")
	x.want("second answer", prompt+`\s*$`)
	x.line("three")
	x.want("error", prompt+`\s*$`)
	x.harmless()
}

func quoteJSON(s string) string {
	text, _ := json.Marshal(s)
	return string(text)
}

func TestHostileCatalog(t *testing.T) {
	home := newHome(t)
	text := strings.ToValidUTF8(evil, "?")
	line, _ := json.Marshal(map[string]any{
		"id": "odd.thing.list_all", "description": text, "operation": "read", "aliases": []string{text},
		"input": map[string]any{
			"a": map[string]any{"type": "string", "description": text, "required": true}, text: map[string]any{"type": "string"},
		},
	})
	bad, _ := json.Marshal(map[string]any{"id": "odd." + text, "description": "x"})
	dir := filepath.Join(home, "dir"+strings.NewReplacer("/", "", "\x00", "").Replace(text))
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Skip(err)
	}
	file := filepath.Join(dir, "evil.jsonl")
	if err := os.WriteFile(file, []byte(string(line)+"\n"+string(bad)+"\nnot json "+evil+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	x := start(t, setup{
		home: home, raw: true,
		args: []string{"--catalog", "demo", "--catalog", file, "--catalog", filepath.Join(dir, "missing.jsonl")},
	})
	x.want(`142 actions +\? help`)
	for _, use := range []string{"/sources", "/catalog odd thing", "odd.thing.list_all?", "odd.thing.list_all??",
		"/describe odd.thing.list_all", "/why odd.thing.list_all", "odd.thing.list_all{}"} {
		x.line(use)
		x.want(prompt + `\s*$`)
	}
	x.text("odd.thing.")
	x.keys("Tab")
	x.want(`❯ odd\.thing\.list_all`)
	x.keys("C-c")
	x.harmless()
}

// Text that is hard to measure: wide letters, marks that take no room, joined emoji, tabs, and a line of a megabyte.
func TestHostileWidths(t *testing.T) {
	x := start(t, setup{raw: true})
	for _, use := range []string{
		`("語"):rep(100)`, `print(("語"):rep(100))`, `("e" .. ("\u{301}"):rep(50)):rep(20)`,
		`print(("e" .. ("\u{301}"):rep(50)):rep(20))`, `{{name=("語"):rep(60), n=1}, {name="x", n=2}, {name="👨‍👩‍👧‍👦", n=3}}`,
		`print(("a\tb"):rep(60))`, `print(("\u{200b}"):rep(500) .. "x")`,
	} {
		x.line(use)
		x.want(prompt + `\s*$`)
		x.laidOut()
	}
	x.line(`print(("x"):rep(1000000) .. "END")`)
	x.want(`xEND$`, prompt+`\s*$`)
	x.laidOut()
	if n := strings.Count(strings.ReplaceAll(x.scrollback(), "\n", ""), "x"); n < 1_000_000 {
		t.Errorf("%d letters of 1,000,000 came out", n)
	}
	// The same as input.
	x.paste("-- " + strings.Repeat("語", 70) + strings.Repeat("é", 70) + "👨‍👩‍👧‍👦")
	x.want("語語")
	x.keys("Home", "End", "Left", "Left", "BSpace")
	x.keys("C-c")
	x.gone("語語語語.*é")
	x.laidOut()
}
