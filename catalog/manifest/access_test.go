package manifest

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"almanac/catalog/web"
)

// TestAccess: what the configuration says of requests goes with those of HTTP actions, in the place of what the
// manifest writes there, and a question can name the host.
func TestAccess(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, r.RequestURI, " ", r.Header.Get("Authorization"), " ", r.Header.Get("X-Version"))
	}))
	defer server.Close()
	access := web.Access{Timeout: time.Minute, Auth: []web.Auth{{Kind: web.Bearer, Names: []string{"MINE"}}},
		Header: map[string]string{"X-Version": "2"}, Query: map[string]string{"tenant": "a"}}
	text := strings.ReplaceAll(`
almanac: 1
actions:
  get: {input: {id: {required: true}}, timeout: 5s, http: {url: "URL/items/{id}", query: {tenant: b, q: c}, headers: {X-Version: "1"}, auth: {bearer: THEIRS}}}
  list: {http: {url: "URL/items"}}
`, "URL", server.URL)
	environment := map[string]string{"MINE": "hunter2", "THEIRS": "other"}
	vault := web.NewVault(func(name string) string { return environment[name] }, nil)
	batch, err := readManifest([]byte(text), "m.yaml", "", &outside{vault: vault, access: access})
	if err != nil || len(batch.Entries) != 2 {
		t.Fatalf("%v, %+v", err, batch)
	}
	get, list := batch.Entries[0], batch.Entries[1]
	if got, want := called(t, get, map[string]any{"id": "7"}), "/items/7?q=c&tenant=a Bearer [redacted] 2"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got, want := get.Target, "GET "+server.URL+"/items/{id}"; got != want {
		t.Errorf("target %s, want %s", got, want)
	}
	if get.Timeout != 5*time.Second || list.Timeout != time.Minute {
		t.Errorf("timeouts %s and %s", get.Timeout, list.Timeout)
	}
}
