package openapi

import (
	"context"
	"encoding/json"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"almanac/catalog"
	"almanac/catalog/tree"
	"almanac/catalog/web"
)

// FuzzLoad reads anything as a document. Nothing may crash or get lost, and what comes out must be usable.
func FuzzLoad(f *testing.F) {
	for _, file := range []string{"library.yaml", "older.json", "newer.yaml"} {
		text, err := os.ReadFile(filepath.Join("testdata", file))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	f.Add([]byte(`{"openapi":"3.0.0","paths":{"/a":{"get":{"parameters":[{"$ref":"#/components/parameters/A"}]}}},"components":{"parameters":{"A":{"$ref":"#/components/parameters/A"}}}}`))
	f.Add([]byte("openapi: 3.1.0\npaths: {/a: {post: {requestBody: {content: {a/b: {schema: &x {properties: {y: *x}}}}}}}}"))
	f.Fuzz(func(t *testing.T, text []byte) {
		root, err := tree.Parse(text)
		if err != nil {
			return
		}
		d, err := newDocument(root)
		if err != nil {
			return
		}
		l := loader{d: d, o: options{Site: web.Site{Base: "http://127.0.0.1:1"}}, name: "x"}
		l.servers = servers{d: d, o: l.o}
		bind := &binding{bound: make(chan struct{})}
		if err := l.load(context.Background(), bind); err != nil {
			t.Fatal(err)
		}
		batch := l.batch
		for _, e := range batch.Entries {
			var r recipe
			if err := json.Unmarshal([]byte(e.Recipe), &r); err != nil {
				t.Fatalf("%s: %v: %s", e.ID, err, e.Recipe)
			}
		}
		if batch.Found != len(batch.Entries)+len(batch.Skipped) {
			t.Fatalf("found %d, %d entries, %d skipped", batch.Found, len(batch.Entries), len(batch.Skipped))
		}
		seen := map[string]bool{}
		for _, e := range batch.Entries {
			if err := catalog.CheckID(e.ID); err != nil || seen[e.ID] {
				t.Fatalf("the id %q: taken %v, %v", e.ID, seen[e.ID], err)
			}
			seen[e.ID] = true
			if _, err := e.Input.Check(nil); err != nil && strings.Contains(err.Error(), "cannot be checked") {
				t.Fatalf("%s: %v: %s", e.ID, err, e.Input.JSON())
			}
			if _, err := e.Output.Check(nil); err != nil && strings.Contains(err.Error(), "the schema is broken") {
				t.Fatalf("%s: output: %v: %s", e.ID, err, e.Output.JSON())
			}
		}
	})
}

// FuzzParameter writes a text into each place of an address. It must come back as it was, and change nothing else.
func FuzzParameter(f *testing.F) {
	for _, text := range []string{"a", "../b", "a/b?c=d&e#f", "%2e%2e", "ä\x00\xff", "a b+c",
		";x=y", "http://evil.example"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		op := &operation{method: "get", path: "/in/{p}/end", plan: plan{params: []param{
			{name: "p", arg: "p", in: "path", style: "simple"}, {name: "q", arg: "q", in: "query", style: "form", explode: true},
			{name: "d", arg: "d", in: "query", style: "deepObject", explode: true},
			{name: "l", arg: "l", in: "query", style: "form"},
			{name: "r", arg: "r", in: "query", style: "form", explode: true, reserved: true},
		}}}
		args := map[string]any{"p": text, "q": text, "d": map[string]any{"k": text}, "l": []any{text, "end"}, "r": text}
		r, err := op.request("https://api.example.com/v1", args)
		if err != nil {
			if text != "" && text != "." && text != ".." {
				t.Fatalf("%q: %v", text, err)
			}
			return
		}
		u, err := url.Parse(r.URL)
		if err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		if u.Host != "api.example.com" || u.Fragment != "" || !strings.HasPrefix(u.EscapedPath(), "/v1/in/") ||
			strings.Count(u.EscapedPath(), "/") != 4 {
			t.Fatalf("%q: went to %s", text, r.URL)
		}
		if got := strings.TrimSuffix(strings.TrimPrefix(u.Path, "/v1/in/"), "/end"); got != text {
			t.Fatalf("%q: the path has %q", text, got)
		}
		query, err := url.ParseQuery(strings.ReplaceAll(u.RawQuery, ";", "%3B"))
		if err != nil {
			t.Fatalf("%q: %v in %s", text, err, u.RawQuery)
		}
		if query.Get("q") != text || query.Get("d[k]") != text || query.Get("l") != text+",end" ||
			query.Get("r") != text || len(query) != 4 {
			t.Fatalf("%q: the query is %s", text, u.RawQuery)
		}
	})
}
