package manifest

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"almanac/catalog"
	"almanac/catalog/web"
)

// TestHTTP shows which request each call makes: an argument stays in its place whatever it holds.
func TestHTTP(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		switch {
		case strings.HasSuffix(r.URL.Path, "/none"):
			http.NotFound(w, r)
		case strings.HasSuffix(r.URL.Path, "/away"):
			http.Redirect(w, r, "http://example.invalid/", http.StatusFound)
		default:
			fmt.Fprintf(w, "%s %s %s %s %s", r.Method, r.RequestURI, r.Header.Get("X-Note"), r.Header.Get("Authorization"), body)
		}
	}))
	defer server.Close()
	vault := web.NewVault(func(name string) string {
		if name == "SHOP_TOKEN" {
			return "hunter2"
		}
		return ""
	}, nil)
	text := strings.ReplaceAll(`
almanac: 1
actions:
  get: {input: {id: {required: true}, q: str, tags: list, note: str}, http: {url: "URL/items/{id}/x", query: {q: "{q}", tag: "{tags}", like: "%{q}%", all: "1"}, headers: {X-Note: "n {note}"}}}
  none: {http: {url: "URL/none", not_found: true}}
  missing: {http: {url: "URL/none"}}
  away: {http: {url: "URL/away"}}
  post: {input: {n: {}, list: {}, s: str}, http: {method: POST, url: "URL/items", body: {n: "{n}", items: [1, "{list}", "<{s}>"], fixed: true}, auth: {bearer: SHOP_TOKEN}}}
  form: {input: {s: str}, http: {method: POST, url: "URL/form", form: {s: "{s}", t: "{{}}"}}}
`, "URL", server.URL)
	batch, err := readManifest([]byte(text), "m.yaml", "", &outside{vault: vault})
	if err != nil || len(batch.Skipped) > 0 {
		t.Fatalf("%v, %+v", err, batch.Skipped)
	}
	actions := map[string]catalog.Entry{}
	for _, e := range batch.Entries {
		actions[e.ID] = e
	}
	for _, c := range []struct {
		id   string
		args map[string]any
		want string
	}{
		{"get", map[string]any{"id": int64(7)}, "GET /items/7/x?all=1   "},
		{"get", map[string]any{"id": "../../admin?x=1#y"}, "GET /items/..%2F..%2Fadmin%3Fx=1%23y/x?all=1   "},
		{"get", map[string]any{"id": ".."}, `error: argument id: ".." cannot be a part of a path`},
		{"get", map[string]any{"id": ""}, `error: argument id: "" cannot be a part of a path`},
		{"get", map[string]any{"id": "a b", "q": "x&y=1", "tags": []any{"a", int64(2)}},
			"GET /items/a%20b/x?all=1&like=%25x%26y%3D1%25&q=x%26y%3D1&tag=a&tag=2   "},
		{"get", map[string]any{"id": true, "note": "größe"}, "GET /items/true/x?all=1 n größe  "},
		{"get", map[string]any{"id": "1", "note": "a\r\nX-Evil: 1"},
			"error: argument note: a header must not have control characters or line breaks"},
		{"none", nil, "<nil> (not found)"},
		{"missing", nil, "error: 404 Not Found: 404 page not found"},
		{"post", map[string]any{"n": 1.5, "list": []any{map[string]any{"a": nil}}, "s": `"}`},
			`POST /items  Bearer [redacted] {"fixed":true,"items":[1,[{"a":null}],"\u003c\"}\u003e"],"n":1.5}`},
		{"post", map[string]any{}, `POST /items  Bearer [redacted] {"fixed":true,"items":[1]}`},
		{"form", map[string]any{"s": "a&b=c"}, "POST /form   s=a%26b%3Dc&t=%7B%7D"},
	} {
		got := called(t, actions[c.id], c.args)
		if got, _, _ = strings.Cut(got, " (text"); got != c.want {
			t.Errorf("%s %v:\ngot  %q\nwant %q", c.id, c.args, got, c.want)
		}
	}
	if got := called(t, actions["away"], nil); !strings.Contains(got, "error: ") ||
		!strings.Contains(got, "example.invalid") {
		t.Errorf("a redirect to another host: %s", got)
	}
	shown, err := actions["post"].Preview(context.Background(), catalog.Call{Args: map[string]any{"n": int64(1)}})
	if err != nil || shown != "POST "+server.URL+"/items\n"+`{"fixed":true,"items":[1],"n":1}` {
		t.Errorf("got %q, %v", shown, err)
	}
}

// What a template holds comes back out of it.
func FuzzTemplate(f *testing.F) {
	f.Add("a {b} {{c}}", "x/../y")
	f.Add("{b}", "..")
	f.Fuzz(func(t *testing.T, text, value string) {
		tmpl, err := parseTemplate(text)
		if err != nil {
			return
		}
		args := map[string]any{}
		for _, name := range tmpl.names() {
			args[name] = value
		}
		filled, ok, err := tmpl.fill(args, asSegment)
		if err != nil {
			return
		}
		if !ok {
			t.Fatalf("%q: an argument is missing", text)
		}
		literal := 0
		for _, p := range tmpl.parts {
			literal += strings.Count(p.text, "/")
		}
		if strings.Count(filled, "/") != literal {
			t.Fatalf("%q with %q gives %q: another path", text, value, filled)
		}
	})
}
