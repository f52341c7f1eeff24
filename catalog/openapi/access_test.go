package openapi

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"almanac/catalog"
	"almanac/catalog/web"
)

// TestAccess: what the configuration says of requests goes with each, in place of arguments and of what the document
// asks for, and what looks like a credential and is used by nothing is noted.
func TestAccess(t *testing.T) {
	environment := map[string]string{"MINE": "s3cret-1", "ALMANAC_PAGES_TOKEN": "s3cret-2"}
	vault := func() *web.Vault {
		return web.NewVault(func(name string) string { return environment[name] }, func(name string) (string, error) {
			return map[string]string{"drawer": "s3cret-3"}[name], nil
		})
	}
	file := filepath.Join(t.TempDir(), "pages.json")
	if err := os.WriteFile(file, []byte(`{"openapi": "3.0.0", "components": {"securitySchemes": {
		"d": {"type": "http", "scheme": "digest"}}},
		"paths": {"/pages": {"get": {"operationId": "pages.list", "parameters": [
		{"name": "Notion-Version", "in": "header", "required": true, "schema": {"type": "string"}},
		{"name": "q", "in": "query", "schema": {"type": "string"}}]}}}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	var heard http.Header
	serve := func(w http.ResponseWriter, r *http.Request) {
		heard = r.Header
		answer(`{}`)(w, r)
	}
	access := web.Access{
		Auth:   []web.Auth{{Kind: web.Bearer, Names: []string{"MINE"}}},
		Header: map[string]string{"Notion-Version": "2022-06-28"},
		Always: []web.Auth{
			{Kind: web.Key, Place: "query", Field: "key", Names: []string{"drawer"}},
			{Kind: web.Key, Place: "header", Field: "X-Key", Names: []string{"printed"}},
		},
		Secrets: map[string]web.Secret{
			"drawer": {Keyring: "drawer"}, "printed": {Command: []string{"echo", "s3cret-4"}},
		},
	}
	v := vault()
	v.From(access.Secrets)
	k := listen(t, file, options{Site: web.Site{Name: "pages", Vault: v, Access: access}}, serve)
	if _, err := k.call("pages.pages.list", table{"q": "a"}); err != nil {
		t.Fatal(err)
	}
	if got := k.asked[0]; got != "GET /v1/pages?q=a&key=s3cret-3" {
		t.Errorf("got %s", got)
	}
	for name, want := range map[string]string{"Authorization": "Bearer s3cret-1", "Notion-Version": "2022-06-28",
		"X-Key": "s3cret-4"} {
		if got := heard.Get(name); got != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
	notes := func(all []catalog.Skip) string {
		var b strings.Builder
		for _, n := range all {
			fmt.Fprintf(&b, "%s: %s; ", n.ID, n.Reason)
		}
		return b.String()
	}
	for _, want := range []string{"ALMANAC_PAGES_TOKEN: it is set, and no action uses it", "d: digest is not supported"} {
		if got := notes(k.batch.Notes); !strings.Contains(got, want) {
			t.Errorf("%q is not in %s", want, got)
		}
	}
}
