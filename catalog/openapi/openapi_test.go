package openapi

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"almanac/catalog"
	"almanac/catalog/source"
	"almanac/catalog/tree"
	"almanac/catalog/web"
	"almanac/internal/golden"
)

// A talk is a server in the test and what it was asked.
type talk struct {
	t       *testing.T
	server  *httptest.Server
	entries map[string]catalog.Entry
	batch   catalog.Batch
	api     *api
	asked   []string
}

// listen loads a document with a server that answers by handle and keeps each request as one line.
func listen(t *testing.T, from string, o options, handle http.HandlerFunc) *talk {
	k := &talk{t: t, entries: map[string]catalog.Entry{}}
	k.server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		line := r.Method + " " + r.URL.RequestURI()
		if len(body) > 0 {
			line += " " + string(body)
		}
		k.asked = append(k.asked, line)
		handle(w, r)
	}))
	t.Cleanup(k.server.Close)
	o.From = from
	if o.Base == "" {
		o.Base = k.server.URL + "/v1"
	}
	o.Sleep = func(context.Context, time.Duration) error { return nil }
	k.api = New(o)
	t.Cleanup(func() { k.api.ready.Close() })
	var err error
	if k.batch, err = k.api.load(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	for _, e := range k.kept() {
		k.entries[e.ID] = e
	}
	return k
}

// kept are the entries as a later start finds them, which calls the same: they are written and opened again.
func (k *talk) kept() []catalog.Entry {
	k.t.Helper()
	health := k.api.Health()
	attach, notes, err := k.api.recall(k.batch.Kept)
	if diff := cmp.Diff(k.batch.Notes, notes); err != nil || diff != "" {
		k.t.Fatalf("recalled, error %v, other notes:\n%s", err, diff)
	}
	if fmt.Sprint(health) != fmt.Sprint(k.api.Health()) {
		k.t.Errorf("health is %v, and when recalled %v", health, k.api.Health())
	}
	made, _ := catalog.NewSegment(slices.Clone(k.batch.Entries), catalog.Options{})
	var image bytes.Buffer
	if err := made.WriteImage(&image, k.batch.Kept); err != nil {
		k.t.Fatal(err)
	}
	for _, value := range k.api.o.Secrets() {
		if bytes.Contains(image.Bytes(), []byte(value)) {
			k.t.Errorf("what is kept has the secret %q", value)
		}
	}
	opened, _, err := catalog.OpenSegment(image.Bytes(), catalog.OpenOptions{Attach: attach})
	if err != nil {
		k.t.Fatal(err)
	}
	return opened.Entries()
}

func (k *talk) call(id string, args map[string]any) (catalog.Result, error) {
	k.t.Helper()
	e, ok := k.entries[id]
	if !ok {
		k.t.Fatalf("no entry %s; there are %v", id, slices.Sorted(maps.Keys(k.entries)))
	}
	checked, err := e.Input.Check(args)
	if err != nil {
		return catalog.Result{}, err
	}
	return e.Action(k.t.Context(), catalog.Call{ID: id, Args: checked})
}

func answer(text string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		io.WriteString(w, text)
	}
}

type table = map[string]any

func TestRequests(t *testing.T) {
	k := listen(t, "testdata/library.yaml", options{}, answer(`[]`))
	for _, test := range []struct {
		id   string
		args table
		want string
	}{
		{"library.books.list", table{"tag": []any{"a,b", "c"}, "filter": table{"author": "Le Guin", "year": 1969}},
			"GET /v1/books?page=1&per_page=2&tag=a%2Cb,c&filter%5Bauthor%5D=Le%20Guin&filter%5Byear%5D=1969"},
		{"library.books.get", table{"id": "7"}, "GET /v1/books/7"},
		{"library.books.create", table{"title": "Dune", "year": nil, "media": table{"kind": "paper", "pages": 412}},
			`POST /v1/books {"media":{"kind":"paper","pages":412},"title":"Dune","year":null}`},
		{"library.books.update", table{"id": 7, "title": "Dune"}, `PATCH /v1/books/7 {"title":"Dune"}`},
		{"library.books.delete", table{"id": 7}, "DELETE /v1/books/7"},
		{"library.books.search", table{"words": "sand"}, `POST /v1/books/search {"words":"sand"}`},
	} {
		if _, err := k.call(test.id, test.args); err != nil {
			t.Errorf("%s: %v", test.id, err)
			continue
		}
		if got := k.asked[len(k.asked)-1]; got != test.want {
			t.Errorf("%s:\n got %s\nwant %s", test.id, got, test.want)
		}
	}
}

// TestEntries shows what becomes of each operation of a document.
func TestEntries(t *testing.T) {
	for _, name := range []string{"library.yaml", "older.json", "newer.yaml"} {
		t.Run(name, func(t *testing.T) { entriesOf(t, name) })
	}
}

func entriesOf(t *testing.T, name string) {
	k := listen(t, "testdata/"+name, options{Site: web.Site{Source: name}}, answer(`[]`))
	all, report := catalog.New(k.batch.Entries, catalog.Options{})
	if len(report.Skipped) > 0 || k.batch.Found != len(k.batch.Entries)+len(k.batch.Skipped) {
		t.Fatalf("skipped %v, found %d, %d entries", report.Skipped, k.batch.Found, len(k.batch.Entries))
	}
	var b strings.Builder
	var lines []string
	for _, e := range k.batch.Entries {
		fmt.Fprintf(&b, "%s\n  %s, mutates %v, risk %s, entities %v\n", all.View().Line(e.ID),
			e.Operation, e.Mutates, e.Risk, e.Entities)
		if name != "library.yaml" {
			fmt.Fprintf(&b, "  %s\n", e.Input.JSON())
		}
		for _, example := range e.Examples {
			fmt.Fprintf(&b, "  %s\n", example)
		}
	}
	for what, skips := range map[string][]catalog.Skip{"renamed": k.batch.Renamed,
		"mended": k.batch.Mended, "skipped": k.batch.Skipped} {
		for _, s := range skips {
			lines = append(lines, fmt.Sprintf("%s %s: %s\n", what, s.ID, s.Reason))
		}
	}
	slices.Sort(lines)
	golden.Equal(t, "testdata/"+strings.TrimSuffix(strings.TrimSuffix(name, ".yaml"), ".json")+".golden",
		b.String()+strings.Join(lines, ""))
}

// TestRefresh: a document that is read again may change its operations, not where credentials go.
func TestRefresh(t *testing.T) {
	file := filepath.Join(t.TempDir(), "api.yaml")
	write := func(server, path string) {
		text := "openapi: 3.0.0\nservers: [{url: " + server + "}]\npaths: {" + path + ": {get: {responses: {}}}}\n"
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("https://one.example", "/a")
	api := New(options{Site: web.Site{From: file}})
	defer api.ready.Close()
	if _, err := api.load(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	write("https://one.example/v2", "/b")
	if b, err := api.load(t.Context(), nil); err != nil || len(b.Entries) != 1 || b.Entries[0].ID != "api.b.list" {
		t.Errorf("got %v, %v", b.Entries, err)
	}
	write("https://two.example", "/b")
	if _, err := api.load(t.Context(), nil); err == nil ||
		!strings.Contains(err.Error(), "https://two.example:443 is a new server") {
		t.Errorf("got %v", err)
	}
}

// TestCredentialNames shows by which names the values of each scheme are looked up.
func TestCredentialNames(t *testing.T) {
	const text = `{"openapi": "3.0.0", "paths": {}, "components": {"securitySchemes": {
		"bearer": {"type": "http", "scheme": "Bearer"}, "login": {"type": "http", "scheme": "basic"}, "key": {"type": "apiKey", "in": "query", "name": "k"},
		"machine": {"type": "oauth2", "flows": {"clientCredentials": {"tokenUrl": "/token"}}}, "person": {"type": "oauth2", "flows": {"implicit": {}}},
		"own": {"type": "apiKey", "in": "header", "name": "Authorization"}, "odd": {"type": "mutualTLS"}}}}`
	for _, test := range []struct{ source, scheme, want string }{
		{"git-hub", "bearer", "bearer [ALMANAC_GIT_HUB_TOKEN]"},
		{"x", "login", "basic [ALMANAC_X_USER ALMANAC_X_PASSWORD]"},
		{"x", "key", "key [ALMANAC_X_KEY_KEY]"},
		{"x", "own", "key [ALMANAC_X_TOKEN]"},
		{"x", "machine", "oauth2 [ALMANAC_X_CLIENT_ID ALMANAC_X_CLIENT_SECRET ALMANAC_X_TOKEN]"},
		{"x", "person", "bearer [ALMANAC_X_TOKEN]"},
		{"x", "odd", "none"},
		{"x", "missing", "none"},
	} {
		root, err := tree.Parse([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		d, err := newDocument(root)
		if err != nil {
			t.Fatal(err)
		}
		got := "none"
		if a, ok := d.scheme(test.scheme, nil, nil, options{}, test.source); ok {
			got = fmt.Sprint(a.Kind, " ", a.Names)
		}
		if got != test.want {
			t.Errorf("%s of %s: got %s, want %s", test.scheme, test.source, got, test.want)
		}
	}
	if got := web.EnvName("API", "KEY"); got == "ALMANAC_API_KEY" {
		t.Error("a source called api gets the key of the model's provider")
	}
}

func BenchmarkYAML(b *testing.B) {
	text, err := os.ReadFile("testdata/library.yaml")
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if _, err := tree.Parse(text); err != nil {
			b.Fatal(err)
		}
	}
}

// TestFetched: a document from an address is called where it came from, and it must come from there.
func TestFetched(t *testing.T) {
	var asked []string
	handler := http.NewServeMux()
	handler.HandleFunc("/docs/api.json", func(w http.ResponseWriter, _ *http.Request) {
		io.WriteString(w,
			`{"openapi": "3.1.0", "info": {"title": "Tide Tables API"}, "servers": [{"url": "../v{n}", "variables": {"n": {"default": "2"}}}],
			"paths": {"/tides": {"get": {"responses": {"200": {"description": "ok", "content": {"application/json": {}}}}}}}}`)
	})
	handler.HandleFunc("/v2/tides", func(w http.ResponseWriter, r *http.Request) {
		asked = append(asked, r.URL.Path)
		answer(`["high"]`)(w, r)
	})
	handler.HandleFunc("/away", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "http://localhost:1/api.json", http.StatusFound)
	})
	handler.HandleFunc("/text", func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "hello") })
	server := httptest.NewServer(handler)
	defer server.Close()
	api := New(options{Site: web.Site{From: server.URL + "/docs/api.json"}})
	defer api.ready.Close()
	batch, err := api.load(t.Context(), nil)
	if err != nil || len(batch.Entries) != 1 || batch.Entries[0].ID != "tide_tables.tides.list" {
		t.Fatalf("got %v, %v", batch.Entries, err)
	}
	got, err := batch.Entries[0].Action(t.Context(), catalog.Call{Args: table{}})
	if err != nil || fmt.Sprint(got.Data) != "[high]" || fmt.Sprint(asked) != "[/v2/tides]" {
		t.Errorf("got %v, %v; asked %v", got.Data, err, asked)
	}
	for path, want := range map[string]string{"/away": "not a server of this source", "/text": "want an OpenAPI document",
		"/none": "the document: 404 Not Found"} {
		if _, err := New(options{Site: web.Site{From: server.URL + path}}).load(t.Context(), nil); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %s", path, err, want)
		}
	}
}

// TestNoServer: what cannot be called can be described, and says what is missing.
func TestNoServer(t *testing.T) {
	file := filepath.Join(t.TempDir(), "plan.json")
	text := `{"openapi": "3.0.0", "paths": {"/a": {"get": {"responses": {}}}, "/b": {"servers": [{"url": "ftp://x.example"}], "get": {"responses": {}}}}}`
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	api := New(options{Site: web.Site{From: file}})
	batch, err := api.load(t.Context(), nil)
	if err != nil || len(batch.Entries) != 2 {
		t.Fatalf("got %v, %v", batch.Entries, err)
	}
	for i, want := range []string{"the document has no server: set one with --base",
		"the server ftp://x.example is not an http address"} {
		if _, err := batch.Entries[i].Action(t.Context(), catalog.Call{Args: table{}}); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	if api.Health() == nil {
		t.Error("a source that cannot be called says that it can")
	}
}

// Where a credential is missing for some operations only, these are named and the others count.
func TestPartlyHealthy(t *testing.T) {
	file := filepath.Join(t.TempDir(), "t.json")
	write := func(paths string) {
		t.Helper()
		document := `{"openapi":"3.0.0","info":{"title":"t","version":"1"},"servers":[{"url":"https://t.example"}],
			"components":{"securitySchemes":{"k":{"type":"apiKey","in":"header","name":"X-Key"}}},"paths":{` + paths + `}}`
		if err := os.WriteFile(file, []byte(document), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	const locked = `"/locked":{"get":{"operationId":"locked","tags":["a"],"security":[{"k":[]}]}}`
	api := New(options{Site: web.Site{From: file, Name: "t", Vault: web.NewVault(func(string) string { return "" }, nil)}})
	health := func(paths string) string {
		t.Helper()
		write(paths)
		if _, err := api.load(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
		if api.Health() == nil {
			return ""
		}
		var b strings.Builder
		if err := (source.Status{Name: "t", State: source.Ready, Health: api.Health()}).WriteReport(&b, 0); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	some := health(locked +
		`,"/open":{"get":{"operationId":"open","tags":["a"]}},"/free":{"get":{"operationId":"free","tags":["a"]}}`)
	for _, want := range []string{"; 1 of 3 actions unavailable: no credential", "ALMANAC_T_KEY",
		"  unavailable: t.a.locked\n", "  the other 2 are available\n"} {
		if !strings.Contains(some, want) {
			t.Errorf("%q is not in:\n%s", want, some)
		}
	}
	if none := health(locked); !strings.Contains(none, "; unavailable: no credential") {
		t.Error(none)
	}
	if all := health(`"/open":{"get":{"operationId":"open","tags":["a"]}}`); all != "" {
		t.Error(all)
	}
}

// What has been read of a document so far can be called; the call waits for the rest, with which its server is known.
func TestCallWhileReading(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, "%q", r.URL.Path)
	}))
	defer server.Close()
	var paths []string
	for i := range 300 {
		paths = append(paths, fmt.Sprintf(`"/things%d":{"get":{"operationId":"things%d","tags":["a"]}}`, i, i))
	}
	file := filepath.Join(t.TempDir(), "t.json")
	document := `{"openapi":"3.0.0","info":{"title":"t","version":"1"},"paths":{` + strings.Join(paths, ",") + `}}`
	if err := os.WriteFile(file, []byte(document), 0o600); err != nil {
		t.Fatal(err)
	}
	api := New(options{Site: web.Site{From: file, Name: "t", Base: server.URL}})
	defer api.ready.Close()
	answers := make(chan string)
	percent := 0
	batch, err := api.load(t.Context(), func(r source.Reading) {
		if r.Percent < percent || r.Percent > 99 {
			t.Errorf("%d %% after %d %%", r.Percent, percent)
		}
		percent = r.Percent
		if r.Entries == nil || len(r.Entries()) != 101 {
			return
		}
		go func() {
			result, err := r.Entries()[0].Action(t.Context(), catalog.Call{})
			answers <- fmt.Sprint(result.Data, err)
		}()
	})
	if err != nil || len(batch.Entries) != 300 || percent == 0 {
		t.Fatalf("%d entries, %d %%, error %v", len(batch.Entries), percent, err)
	}
	if got := <-answers; !strings.HasPrefix(got, `"/things`) || !strings.HasSuffix(got, "<nil>") {
		t.Errorf("got %s", got)
	}
}
