package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"almanac/catalog"
	"almanac/catalog/media"
)

// child is a source over this binary as a server of the kind.
func child(t *testing.T, kind string, env map[string]string, o options) *serverSource {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	s := endpoint{Name: "x", Source: "mcp:test", Command: []string{exe},
		Env:     map[string]string{"ALMANAC_TEST_SERVER": kind},
		Secrets: []string{"secret-value-1"}}
	for name, value := range env {
		s.Env[name] = value
	}
	if o.Pause == nil {
		o.Pause = func(int) time.Duration { return 20 * time.Millisecond }
	}
	return open(t, s, o)
}

func open(t *testing.T, s endpoint, o options) *serverSource {
	t.Helper()
	o.TrustHints = true
	src, err := newSource(s, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { src.Close() })
	return src
}

func load(t *testing.T, src *serverSource) map[string]catalog.Entry {
	t.Helper()
	b, err := src.load(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	entries := map[string]catalog.Entry{}
	for _, e := range b.Entries {
		entries[e.ID] = e
	}
	return entries
}

func call(ctx context.Context, e catalog.Entry, args map[string]any) (catalog.Result, error) {
	if args == nil {
		args = map[string]any{}
	}
	var result catalog.Result
	try := func(ctx context.Context) (err error) {
		result, err = e.Action(ctx, catalog.Call{ID: e.ID, Args: args})
		return err
	}
	retry := catalog.Retry{Wait: time.Millisecond} // as a session does
	if e.Mutates {
		retry.Tries = 1
	}
	err := retry.Do(ctx, nil, try)
	return result, err
}

func TestLoad(t *testing.T) {
	b, err := child(t, "good", nil, options{}).load(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, e := range b.Entries {
		lines = append(lines, fmt.Sprintf("%s %s mutates=%v risk=%s %q", e.ID, e.Operation, e.Mutates, e.Risk, e.Aliases))
	}
	want := `x.die read mutates=false risk=low []
x.environment read mutates=false risk=low []
x.fail read mutates=false risk=low []
x.grow update mutates=true risk=medium []
x.picture read mutates=false risk=low []
x.prompts.get read mutates=false risk=low []
x.prompts.list read mutates=false risk=low []
x.resources.notes_md read mutates=false risk=low ["file:///notes.md"]
x.resources.read read mutates=false risk=low []
x.resources.row read mutates=false risk=low ["row://{table}/{id}"]
x.slow read mutates=false risk=low []
x.sum read mutates=false risk=low []
x.text update mutates=true risk=medium []
x.wipe_everything delete mutates=true risk=high ["wipe-everything"]`
	if diff := cmp.Diff(want, strings.Join(lines, "\n")); diff != "" {
		t.Error(diff)
	}
	if b.Found != len(b.Entries) || len(b.Skipped)+len(b.Renamed)+len(b.Mended) > 0 {
		t.Errorf("report: %+v", b)
	}
	if e := b.Entries[0]; e.Guide != "Ask for the sum." ||
		fmt.Sprint(b.Notes) != "[{  the server says: Ask for the sum.}]" {
		t.Errorf("guide %q, notes %v", e.Guide, b.Notes)
	}
}

func TestCall(t *testing.T) {
	folder := media.In(t.TempDir())
	entries := load(t, child(t, "good", nil, options{Media: folder}))
	picture := []any{"look", folder.Put("image", "image/png", []byte("12345"))}
	for _, c := range []struct {
		id   string
		args map[string]any
		want any
		note string
		err  string
	}{
		{"x.sum", map[string]any{"a": int64(2), "b": int64(3)}, map[string]any{"sum": int64(5)}, "", ""},
		{"x.text", map[string]any{"text": `[{"id": 9007199254740993}]`},
			[]any{map[string]any{"id": int64(9007199254740993)}}, "parsed from text", ""},
		{"x.text", map[string]any{"text": `{"a":1} and more`}, `{"a":1} and more`, "", ""},
		{"x.text", map[string]any{"text": "42"}, "42", "", ""},
		{"x.wipe_everything", nil, nil, "no content", ""},
		{"x.picture", nil, picture, noteBinary, ""},
		{"x.prompts.list", nil, []any{map[string]any{"name": "greet", "title": "", "description": "Greets.",
			"arguments": []any{map[string]any{"name": "who", "description": "", "required": true}}}}, "", ""},
		{"x.prompts.get", map[string]any{"name": "greet", "arguments": map[string]any{"who": "Ann"}},
			map[string]any{"description": "", "messages": []any{
				map[string]any{"role": "user", "content": "hello Ann"}}}, "", ""},
		{"x.fail", nil, nil, "", "no such row"},
		{"x.resources.notes_md", nil, "# Notes", "", ""},
		{"x.resources.row", map[string]any{"table": "a b", "id": int64(7)},
			map[string]any{"uri": "row://a%20b/7"}, "parsed from text", ""},
		{"x.resources.row", map[string]any{"table": "t", "id": "0"}, nil, "not found", ""},
		{"x.resources.read", map[string]any{"uri": "file:///notes.md"}, "# Notes", "", ""},
	} {
		got, err := call(t.Context(), entries[c.id], c.args)
		if diff := cmp.Diff(c.want, got.Data); diff != "" || got.Note != c.note || c.err == "" && err != nil ||
			c.err != "" && (err == nil || err.Error() != c.err) {
			t.Errorf("%s %v: note %q, error %v, %s", c.id, c.args, got.Note, err, diff)
		}
	}
}

// Effects come in _meta: well-formed ones go with the result, and the data is as it is without them.
func TestCallEffects(t *testing.T) {
	entries := load(t, child(t, "good", nil, options{}))
	for _, c := range []struct {
		meta any
		want string
	}{
		{[]any{map[string]any{"kind": "state.set", "target": "n", "value": map[string]any{"n": int64(7)}}},
			"[{state.set n map[n:7]}] []"},
		{[]any{map[string]any{"kind": "notify", "at": 1}, "x"},
			"[] [{{notify  <nil>} effect 1: unknown key at} " +
				"{{  <nil>} effect 2: want a table of kind, target and value, got string \"x\"}]"},
		{[]any{map[string]any{"kind": "notify", "value": map[string]any{"n": []any{int64(9007199254740993)}}}},
			"[] [{{notify  map[n:[9.007199254740992e+15]]} value: " + inexact + "}]"},
		{"no list", `[] [{{  <nil>} want a list of effects, got string "no list"}]`},
	} {
		got, err := call(t.Context(), entries["x.text"], map[string]any{"text": "t", "effects": c.meta})
		if said := fmt.Sprint(got.Effects, got.Rejected); err != nil || got.Data != "t" || said != c.want {
			t.Errorf("%v %v %s", err, got.Data, said)
		}
	}
}

// An answer that nests too deep for the library is an error of its call at once; the next is answered.
func TestCallDeep(t *testing.T) {
	for _, deep := range []int{1100, 5000, 20_000} {
		nested := strings.Repeat("[", deep) + strings.Repeat("]", deep)
		raw, _ := json.Marshal(map[string]string{"tools/list": `{"tools":[{"name":"a"}]}`,
			"tools/call": `{"content":[],"_meta":{"almanac/effects":` + nested + `}}`})
		src := child(t, "answers="+string(raw), nil, options{})
		entries := load(t, src)
		for range 2 {
			if _, err := call(t.Context(), entries["x.a"], nil); err == nil ||
				err.Error() != "its answer nests deeper than 1000 levels" {
				t.Errorf("%d levels: %v", deep, err)
			}
		}
	}
}

// What the process sees is PATH, HOME, how deep it is, and what the configuration names.
func TestEnvironment(t *testing.T) {
	t.Setenv("ALMANAC_TEST_LEAK", "leaked")
	got, err := call(t.Context(),
		load(t, child(t, "good", map[string]string{"NAMED": "yes"}, options{}))["x.environment"], nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range strings.Split(got.Data.(string), "\n") {
		name, _, _ := strings.Cut(line, "=")
		switch name {
		case "PATH", "HOME", "NAMED", "ALMANAC_TEST_SERVER", depthVariable:
		default:
			t.Errorf("the server sees %s", line)
		}
	}
	if !strings.Contains(got.Data.(string), "NAMED=yes") {
		t.Error("NAMED is missing")
	}
}

func TestProgressAndCancel(t *testing.T) {
	mark := filepath.Join(t.TempDir(), "cancelled")
	entries := load(t, child(t, "good", map[string]string{"CANCELLED": mark}, options{}))
	ctx, cancel := context.WithCancel(t.Context())
	var seen catalog.Progress
	ctx = catalog.WithProgress(ctx, func(p catalog.Progress) {
		seen = p
		cancel()
	})
	_, err := call(ctx, entries["x.slow"], nil)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	if want := (catalog.Progress{ID: "x.slow", Done: 1, Total: 2, Text: "half"}); seen != want {
		t.Errorf("progress %+v", seen)
	}
	eventually(t, "the server is told", func() bool { _, err := os.Stat(mark); return err == nil })
}

func TestListChanged(t *testing.T) {
	src := child(t, "good", nil, options{})
	entries := load(t, src)
	ctx, stop := context.WithCancel(t.Context())
	changed, watching := make(chan struct{}, 10), make(chan struct{})
	go func() {
		defer close(watching)
		src.watch(ctx, func() { changed <- struct{}{} })
	}()
	if _, err := call(t.Context(), entries["x.grow"], nil); err != nil {
		t.Fatal(err)
	}
	<-changed
	if _, there := load(t, src)["x.grown"]; !there {
		t.Error("the new tool is not there")
	}
	stop()
	<-watching
}

// Whatever a server does, the reading ends, and its error says what was wrong.
func TestMisbehaviour(t *testing.T) {
	list := func(answers map[string]string) string {
		text, _ := json.Marshal(answers)
		return "answers=" + string(text)
	}
	for _, c := range []struct{ name, kind, want string }{
		{"crash", "crash", "exit status 3"},
		{"silence", "silent", "no answer within"},
		{"not reading", "deaf", "no answer within"},
		{"noise", "noise", "that are not messages: a server must write nothing else there; it"},
		{"a huge message", "huge", "a message of more than 16 MiB"},
		{"death at the list", list(map[string]string{"tools/list": "die"}), "went down during the call"},
		{"no handshake", list(map[string]string{"initialize": `{"protocolVersion":"1999-01-01"}`}), "1999-01-01"},
		{"a list that is none", list(map[string]string{"tools/list": `{"tools":"none"}`}), "tools/list"},
		{"a result that is none", list(map[string]string{"tools/list": `7`}), "tools/list"},
	} {
		t.Run(c.name, func(t *testing.T) {
			src := child(t, c.kind, nil, options{Start: 2 * time.Second, Pause: func(int) time.Duration { return time.Hour }})
			_, err := src.load(t.Context(), nil)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v", err)
			}
		})
	}
}

// What is odd but can be read is read.
func TestOddities(t *testing.T) {
	tool := func(text string) string {
		raw, _ := json.Marshal(map[string]string{"tools/list": `{"tools":[` + text + `]}`})
		return "answers=" + string(raw)
	}
	paged := func(cursor string) string {
		raw, _ := json.Marshal(map[string]string{"tools/list": `{"tools":[{"name":"a"}],"nextCursor":"` + cursor + `"}`})
		return "answers=" + string(raw)
	}
	null, _ := json.Marshal(map[string]string{"tools/list": `{"tools":null}`})
	for _, c := range []struct{ name, kind, want string }{
		{"talk on standard output", "talks", "14 found, 0 skipped, 0 renamed, 0 mended"},
		{"a null list", "answers=" + string(null), "0 found, 0 skipped, 0 renamed, 0 mended"},
		{"a flood of notices", "flood", "1 found, 0 skipped, 0 renamed, 0 mended: x.calm"},
		{"a null tool", tool(`null, {"name":"a","inputSchema":{"type":"object"}}`),
			"1 found, 0 skipped, 0 renamed, 0 mended: x.a"},
		{"no schema", tool(`{"name":"a"}`), "1 found, 0 skipped, 0 renamed, 0 mended: x.a"},
		{"a schema that is none", tool(`{"name":"a","inputSchema":{"type":7}}`),
			"1 found, 0 skipped, 0 renamed, 1 mended: x.a"},
		{"the same page", paged("a"), "3 found, 2 skipped, 0 renamed, 0 mended: x.a"},
		{"endless pages", "pages", "3 found, 2 skipped, 0 renamed, 0 mended: x.a"},
		{"a schema elsewhere", tool(`{"name":"a","inputSchema":{"$ref":"https://example.org/s"}}`),
			"1 found, 0 skipped, 0 renamed, 1 mended: x.a"},
		{"names that collide", tool(`{"name":"get-user"},{"name":"getUser"},{"name":"get_user"}`),
			"3 found, 0 skipped, 2 renamed, 0 mended: x.get_user x.get_user_5d95c2 x.get_user_e28ebf"},
		{"names that are odd", tool(`{"name":"end"},{"name":"3d"},{"name":"a/b.c"},{"name":"日本"},{"name":"HTTPServer"}`),
			"5 found, 0 skipped, 0 renamed, 0 mended: x._3d x.a.b.c x.end_ x.http_server x.日本"},
		{"a long description", tool(`{"name":"a","description":"` + strings.Repeat("x", 5000) + `"}`),
			"1 found, 0 skipped, 0 renamed, 1 mended: x.a"},
	} {
		t.Run(c.name, func(t *testing.T) {
			b, err := child(t, c.kind, nil, options{}).load(t.Context(), nil)
			if err != nil {
				t.Fatal(err)
			}
			got := fmt.Sprintf("%d found, %d skipped, %d renamed, %d mended", b.Found,
				len(b.Skipped), len(b.Renamed), len(b.Mended))
			if len(b.Entries) > 0 && strings.Contains(c.want, ": ") {
				got += ":"
				for _, e := range b.Entries {
					got += " " + e.ID
				}
			}
			if got != c.want {
				t.Errorf("got %s\nwant %s", got, c.want)
			}
		})
	}
}

// What is found is what is loaded and what is skipped, also where entries are made of prompts, resources and
// instructions; a server that lists no resources has no reader of them.
func TestFound(t *testing.T) {
	instructions := strings.Repeat("Read this. ", 100)
	for _, c := range []struct{ name, capabilities, prompts, resources, templates, want string }{
		{"all", `"tools":{},"prompts":{},"resources":{}`, `{"name":"a"},{"name":""},{"name":"b"}`, `{"uri":"a:b","name":"r"}`,
			`{"uriTemplate":"a://{x}","name":"t"},{"uriTemplate":"a://{","name":"broken"}`,
			"9 = 7 + 2: x.instructions x.prompts.get x.prompts.list x.resources.r x.resources.read x.resources.t x.tool"},
		{"empty lists", `"tools":{},"prompts":{},"resources":{}`, "", "", "", "2 = 2 + 0: x.instructions x.tool"},
	} {
		raw, _ := json.Marshal(map[string]string{
			"initialize": `{"protocolVersion":"2025-11-25","capabilities":{` + c.capabilities + `},"instructions":"` +
				instructions + `","serverInfo":{"name":"google-drive-mcp-server","title":"GDrive","version":"1"}}`,
			"tools/list":   `{"tools":[{"name":"tool"}]}`,
			"prompts/list": `{"prompts":[` + c.prompts + `]}`, "resources/list": `{"resources":[` + c.resources + `]}`,
			"resources/templates/list": `{"resourceTemplates":[` + c.templates + `]}`,
		})
		b, err := child(t, "answers="+string(raw), nil, options{}).load(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		got := fmt.Sprintf("%d = %d + %d:", b.Found, len(b.Entries), len(b.Skipped))
		for _, e := range b.Entries {
			got += " " + e.ID
		}
		if got != c.want {
			t.Errorf("%s: got  %s\nwant %s", c.name, got, c.want)
		}
		if p := b.Entries[0].Products; !slices.Equal(p, []string{"g drive", "google drive"}) {
			t.Errorf("%s: products %q", c.name, p)
		}
		if g := b.Entries[0].Guide; len(g) > maxGuide || !strings.HasPrefix(g, "Read this. Read") {
			t.Errorf("%s: guide %q", c.name, g)
		}
	}
}

// What of a schema cannot be checked is left open, and the rest is kept.
func TestSchemaMended(t *testing.T) {
	const schema = `{"type":"object","required":["mail","n"],"properties":{
		"mail":{"type":"string","pattern":"^(?!\\.)(?!.*\\.\\.)[a-z.]+@","minLength":3},
		"n":{"type":"integer","minimum":1,"exclusiveMinimum":true},
		"at":{"$ref":"#/$defs/none","description":"when"},"far":{"$ref":"https://example.org/s"},
		"loop":{"$ref":"#/$defs/a"},"good":{"$ref":"#/$defs/b"}},
		"$defs":{"a":{"$ref":"#/$defs/a"},"b":{"type":"boolean"}},"patternProperties":{"(?=x)":{}}}`
	raw, _ := json.Marshal(map[string]string{"tools/list": `{"tools":[{"name":"a","inputSchema":` +
		strings.Join(strings.Fields(schema), "") + `}]}`})
	src := child(t, "answers="+string(raw), nil, options{})
	b, err := src.load(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"$defs":{"a":{},"b":{"type":"boolean"}},"patternProperties":{},"properties":{"at":{"description":"when"},` +
		`"far":{},"good":{"$ref":"#/$defs/b"},"loop":{},"mail":{"minLength":3,"type":"string"},` +
		`"n":{"minimum":1,"type":"integer"}},"required":["mail","n"],"type":"object"}`
	if got := b.Entries[0].Input.Text(); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if len(b.Mended) != 1 || !strings.HasPrefix(b.Mended[0].Reason,
		"its input schema was left open at #/$defs/a/$ref: #/$defs/a refers to itself without end; #/patternProperties: ") {
		t.Errorf("%v", b.Mended)
	}
	if _, err := b.Entries[0].Input.Check(map[string]any{"mail": "a@b", "n": int64(0)}); err == nil {
		t.Error("what is left is not checked")
	}
}
