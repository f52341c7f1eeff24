package openapi

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"almanac/catalog"
	"almanac/catalog/web"
	"almanac/internal/golden"
)

// TestOthers reads a document in several files: cycles are fine, and nothing outside of the folder is read.
func TestOthers(t *testing.T) {
	dir := t.TempDir()
	archive, err := txtar.ParseFile("testdata/others.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range archive.Files {
		file := filepath.Join(dir, filepath.FromSlash(f.Name))
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, f.Data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(filepath.Join(dir, "secret.yaml"), filepath.Join(dir, "api", "link.yaml")); err != nil {
		t.Fatal(err)
	}
	o := options{Site: web.Site{Name: "shop", Vault: web.NewVault(nil, nil)}}
	k := listen(t, filepath.Join(dir, "api", "openapi.yaml"), o, answer("{}"))
	golden.Equal(t, "testdata/others.golden", strings.ReplaceAll(readOthers(k.batch), dir, "DIR"))
	if _, err := k.call("shop.pets.create", table{"name": "a", "parent": table{"name": "b"}}); err != nil {
		t.Error(err)
	}
	if _, err := k.call("shop.pets.create", table{"name": "a", "parent": table{"name": true}}); err == nil {
		t.Error("a pet in another file is not checked")
	}
	if k.batch.Key != "" {
		t.Error("a document of which a part is elsewhere is kept")
	}
	before := k.api.files.look()
	pets := filepath.Join(dir, "api", "parts", "pets.yaml")
	if text, err := os.ReadFile(pets); err != nil || os.WriteFile(pets, append(text, "\n# more\n"...), 0o600) != nil {
		t.Fatal(err)
	}
	if k.api.files.look() == before {
		t.Error("another file changed, and nobody is told")
	}
	if _, _, err := k.api.recall(k.batch.Kept); err == nil || !strings.Contains(err.Error(), "pets.yaml: it has changed") {
		t.Errorf("another file changed, and what was kept is used: %v", err)
	}
}

func readOthers(batch catalog.Batch) string {
	var b strings.Builder
	for _, e := range batch.Entries {
		fmt.Fprintf(&b, "%s\n  %s\n", e.ID, e.Input.JSON())
	}
	for _, s := range batch.Mended {
		fmt.Fprintf(&b, "mended %s %s: %s\n", s.Source, s.ID, s.Reason)
	}
	return b.String()
}

// TestOthersAtAddress reads a document at an address, whose neighbours have its origin, or another that is allowed.
func TestOthersAtAddress(t *testing.T) {
	serve := func(files map[string]string) *httptest.Server {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			text, ok := files[r.URL.Path]
			if !ok {
				http.NotFound(w, r)
			}
			fmt.Fprint(w, text)
		}))
		t.Cleanup(server.Close)
		return server
	}
	far := serve(map[string]string{"/far.json": `{"Far": {"type": "string", "enum": ["far"]}}`})
	files := map[string]string{"/api/near.json": `{"Near": {"type": "string", "enum": ["near"]}}`}
	near := serve(files)
	files["/api/doc.json"] = `{"openapi": "3.1.0", "paths": {"/a": {"get": {"operationId": "a.get", "parameters": [
		{"name": "near", "in": "query", "schema": {"$ref": "near.json#/Near"}},
		{"name": "own", "in": "query", "schema": {"$ref": "doc.json#/components/schemas/Own"}},
		{"name": "file", "in": "query", "schema": {"$ref": "file:///etc/passwd"}},
		{"name": "none", "in": "query", "schema": {"$ref": "/none.json#/None"}},
		{"name": "far", "in": "query", "schema": {"$ref": "` + far.URL + `/far.json#/Far"}}]}}},
		"components": {"schemas": {"Own": {"type": "string", "enum": ["own"]}}}}`
	for _, allow := range [][]string{nil, {far.URL}} {
		api := New(options{Site: web.Site{From: near.URL + "/api/doc.json", Name: "x", Access: web.Access{Allow: allow}}})
		batch, err := api.load(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		got := strings.NewReplacer(far.URL, "FAR", near.URL, "NEAR", origin(far.URL), "FAR").Replace(readOthers(batch))
		golden.Equal(t, fmt.Sprintf("testdata/others_%d.golden", len(allow)), got)
	}
}

func origin(url string) string { return strings.TrimSuffix(url, "/") }
