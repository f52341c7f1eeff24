package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"almanac/llm/openai/openaitest"
)

// TestDirect: --direct gives the model each visible action as a tool, on the same call path, and says what that takes.
func TestDirect(t *testing.T) {
	view := filepath.Join(t.TempDir(), "view.toml")
	if err := os.WriteFile(view, []byte(`namespaces = ["crm.customer"]`), 0o600); err != nil {
		t.Fatal(err)
	}
	code, stdout, stderr, model := headless(t, []openaitest.Reply{
		{Calls: []openaitest.Call{{Name: "crm_customer_get", Args: `{"customer_id":"cus_0006"}`}}},
		{Calls: []openaitest.Call{{Name: "crm_customer_set_status", Args: `{"customer_id":"cus_0006","status":"closed"}`}}},
		{Text: "It is in Porto."},
	}, "--direct", "--view", view, "-p", "close Onyx Glass")
	if code != exitDenied || stdout != "It is in Porto.\n" {
		t.Errorf("%d, %q, %s", code, stdout, stderr)
	}
	asked := model.Requests()
	if len(asked) != 3 {
		t.Fatalf("%d requests", len(asked))
	}
	for i, want := range []string{
		`"name":"crm_customer_list"`, `\"city\":\"Porto\"`, "denied: this session is read-only",
	} {
		if !strings.Contains(string(asked[i].Body), want) {
			t.Errorf("request %d has no %s: %s", i+1, want, asked[i].Body)
		}
	}
	if strings.Contains(string(asked[0].Body), "lua_tools") || strings.Contains(string(asked[0].Body), "crm-lead") {
		t.Errorf("%s", asked[0].Body)
	}
	if !strings.Contains(stderr, "actions, each a tool of the model; about ") {
		t.Errorf("%s", stderr)
	}
}

// TestDirectRefuses more actions than servers take, before anything is sent.
func TestDirectRefuses(t *testing.T) {
	code, _, stderr, model := headless(t, nil, "--direct", "-p", "hello")
	if code != exitFailed || !strings.Contains(stderr, "at most 128 can be tools of the model: narrow the view with --view") {
		t.Errorf("%d, %s", code, stderr)
	}
	if asked := model.Requests(); len(asked) > 0 {
		t.Errorf("%s", asked[0].Body)
	}
}
