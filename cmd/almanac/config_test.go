package main

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/BurntSushi/toml"
	"github.com/adrg/xdg"
)

func testConfig(t testing.TB) *config {
	t.Helper()
	parser, err := newParser(&commandLine{}, &program{stdout: &output{w: os.Stdout}, stderr: os.Stderr}, func(int) {})
	if err != nil {
		t.Fatal(err)
	}
	return &config{settings: settingsOf(parser.Model)}
}

// TestTemplate shows that the file of defaults is one that can be read, as it is and with every line in use.
func TestTemplate(t *testing.T) {
	c := testConfig(t)
	text := c.template()
	if f, err := c.parse("a", []byte(text)); err != nil || len(f.values) > 0 {
		t.Errorf("the template sets %v: %v", f.values, err)
	}
	var used []string
	for line := range strings.Lines(text) {
		body, ok := strings.CutPrefix(line, "# ")
		if ok && (strings.HasPrefix(body, "[") || keyLine.MatchString(body) && strings.Count(body, " = ") == 1) {
			line = body
		}
		used = append(used, line)
	}
	all := strings.Join(used, "")
	var tree map[string]any
	if _, err := toml.Decode(all, &tree); err != nil {
		t.Fatalf("%v\n%s", err, all)
	}
	f, err := c.parse("a", []byte(all))
	if err != nil {
		t.Fatalf("%v\n%s", err, all)
	}
	if len(f.models) != 1 {
		t.Errorf("%d models are in the template, want an example", len(f.models))
	}
	if len(f.roles) != 1 {
		t.Errorf("%d roles are in the template, want an example", len(f.roles))
	}
	for _, s := range c.settings {
		if _, ok := f.values[s.key]; !ok {
			t.Errorf("%s is not in the template", s.key)
		}
	}
}

// TestHarmless holds what a project's file may say without an approval. Whatever is not listed needs one.
func TestHarmless(t *testing.T) {
	for _, tt := range []struct {
		user, project string
		wants         string
	}{
		{"", `policy = "readonly"`, ""},
		{"", `policy = "ask"`, ""},
		{`policy = "readonly"`, `policy = "ask"`, "policy"},
		{`policy = "session"`, `policy = "session"`, ""},
		{"", `policy = "session"`, "policy"},
		{"", `allow = []`, "allow"},
		{"", `view = "v.toml"`, ""},
		{`view = "mine.toml"`, `view = "v.toml"`, "view"},
		{"", `base_url = "http://localhost"`, "base_url"},
		{"", `data = "/tmp"`, "data"},
		{"", `trust_updates = false`, "trust_updates"},
		{"", `check_results = true`, ""},
		{"", `check_results = false`, "check_results"},
		{"", `apply_effects = ["state.set"]`, "apply_effects"},
		{"", `transactional = true`, ""},
		{"", `transactional = false`, "transactional"},
		{"", `catalog = ["demo"]`, ""},
		{"", `catalog = ["demo", "a.jsonl"]`, "catalog"},
		{"", `catalog = ["mcp:sh -c id #.jsonl"]`, "catalog"},
		{"", `catalog = ["openapi:http://x/a.jsonl"]`, "catalog"},
		{"", `catalog = ["a.yaml"]`, "catalog"},
		{"", `catalog = ["demo:other.db"]`, "catalog"},
		{"", "[limits]\ncalls = 50\nmutations = 21", "limits.mutations"},
		{"[limits]\ncalls = 10", "[limits]\ncalls = 11", "limits.calls"},
		{"", "[limits]\nwait = \"61s\"", "limits.wait"},
		{"", "[limits]\nwait = \"1s\"", ""},
		{"", `lua_time = "5s"`, ""},
		{"", `lua_time = "1m"`, "lua_time"},
		{"", "model = 'm'\nprefix = 'p'\noutput = 'json'\ncolor = 'never'\n[ui]\ntheme = 'dark'\n[theme]\ndim = 'red'\n[keys]\nhelp = 'f1'", ""},
	} {
		c := testConfig(t)
		var err error
		if c.user, err = c.parse("user", []byte(tt.user)); err != nil {
			t.Fatal(err)
		}
		if c.project, err = c.parse("project", []byte(tt.project)); err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(c.loosens(), " "); got != tt.wants {
			t.Errorf("%q over %q: needs approval for %q, want %q", tt.project, tt.user, got, tt.wants)
		}
	}
	for _, s := range testConfig(t).settings {
		if s.flag.Help == "" {
			t.Errorf("%s: no help", s.key)
		}
	}
}

// TestAskApproval shows that only a clear yes counts, and for the text that was read only.
func TestAskApproval(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	xdg.Reload()
	defer xdg.Reload()
	for _, tt := range []struct {
		answer   string
		approves bool
	}{{"", false}, {"\n", false}, {"no\n", false}, {"yes please\nn\n", false}, {"Y\n", true}} {
		c := testConfig(t)
		var err error
		if c.project, err = c.parse(filepath.Join(t.TempDir(), projectConfig),
			[]byte("policy = \"session\"\nmodel = \"m\"\n")); err != nil {
			t.Fatal(err)
		}
		c.unapproved = c.loosens()
		var told bytes.Buffer
		rest := strings.NewReader(tt.answer + "next line")
		if err := c.askApproval(&program{stdin: rest, stderr: &told}); err != nil {
			t.Fatal(err)
		}
		if got := len(c.unapproved) == 0; got != tt.approves || approved(c.project) != tt.approves {
			t.Errorf("%q approves: %t", tt.answer, got)
		}
		if !strings.Contains(told.String(), `line 1: policy = "session"`) || strings.Contains(told.String(), "model") {
			t.Errorf("asked %q", told.String())
		}
		if left, _ := io.ReadAll(rest); tt.answer != "" && string(left) != "next line" {
			t.Errorf("%q: what was typed ahead is gone: %q left", tt.answer, left)
		}
		changed := c.project
		changed.text = append([]byte("# "), changed.text...)
		if approved(changed) {
			t.Errorf("%q: a changed text counts as approved", tt.answer)
		}
	}
}

func TestBesideFile(t *testing.T) {
	for source, want := range map[string]string{
		"demo": "demo", "a.jsonl": "/p/a.jsonl", "x=a.yaml": "x=/p/a.yaml", "/b/a.yaml": "/b/a.yaml",
		"openapi:a.json": "openapi:/p/a.json", "openapi:https://h/a.json": "openapi:https://h/a.json",
		"mcp:npx server": "mcp:npx server", "mcp:s.json": "mcp:/p/s.json",
	} {
		if got := filepath.ToSlash(kinds().Beside("/p", source)); got != want {
			t.Errorf("%s: %s, want %s", source, got, want)
		}
	}
}

// FuzzConfig holds that no text breaks the reading, and that a secret's value is in no message.
func FuzzConfig(f *testing.F) {
	f.Add("model = \"x\"\n[limits]\ncalls = 1\n[keys]\nhelp = [\"f1\"]\n")
	f.Add("api_key = \"sk-hidden\"\nlimits = 3\n[[ui]]\n[a.b.c]\nx = 1979-05-27")
	c := testConfig(f)
	f.Fuzz(func(t *testing.T, text string) {
		if _, err := c.parse("a", []byte(text)); err != nil && strings.Contains(err.Error(), "sk-hidden") {
			t.Error(err)
		}
	})
}
