package openapi

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"
	"time"

	"almanac/catalog/web"
)

// TestRecipeHasAllFields finds a field of a plan that is not written: a call of a kept action would do without it.
func TestRecipeHasAllFields(t *testing.T) {
	for _, test := range []struct {
		of   any
		list []any
		// elsewhere are fields that a call finds elsewhere, or does not need.
		elsewhere []string
	}{
		{plan{}, (&plan{}).list(), []string{"keys", "needed", "accepts", "sends"}},
		{param{}, (&param{}).list(), nil}, {body{}, (&body{}).list(), nil}, {field{}, (&field{}).list(), nil},
	} {
		kind := reflect.TypeOf(test.of)
		var want, got []string
		for i := range kind.NumField() {
			if f := kind.Field(i); !slices.Contains(test.elsewhere, f.Name) {
				want = append(want, f.Type.String())
			}
		}
		for _, place := range test.list {
			got = append(got, reflect.TypeOf(place).Elem().String())
		}
		if !slices.Equal(want, got) {
			t.Errorf("%v: it has fields of\n%v, and written are\n%v", kind, want, got)
		}
	}
	if n := reflect.TypeFor[operation]().NumField(); n != 13 {
		t.Errorf("an operation has %d fields: does bound.caller need those that are new?", n)
	}
	for _, text := range []string{`[[],null,"a","",true]`, `[[["a"]],null,"a","",true,false]`, `{}`, `[]`,
		`[1,2,3,4,5,6]`} {
		if err := json.Unmarshal([]byte(text), &plan{}); err == nil {
			t.Errorf("%s was read as a plan", text)
		}
	}
}

// TestKey: the key changes with the document and all that says how it is read, not with what is looked up at each
// start.
func TestKey(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "a.json")
	write := func(text string) {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	seen := map[string]string{}
	key := func(s web.Site) string {
		t.Helper()
		k, err := New(options{Site: s}).key(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return k
	}
	differs := func(what string, s web.Site) {
		t.Helper()
		k := key(s)
		if k == "" || seen[k] != "" {
			t.Errorf("%s: the key %q is that of %s", what, k, seen[k])
		}
		seen[k] = what
	}
	write(`{"openapi":"3.0.0","paths":{}}`)
	plain := web.Site{From: file, Source: "s", Name: "n"}
	differs("plain", plain)
	differs("name", web.Site{From: file, Source: "s", Name: "m"})
	differs("source", web.Site{From: file, Source: "t", Name: "n"})
	differs("base", web.Site{From: file, Source: "s", Name: "n", Base: "https://a.example"})
	differs("places", web.Site{From: file, Source: "s", Name: "n",
		Access: web.Access{Header: map[string]string{"A": "b"}}})
	differs("timeout", web.Site{From: file, Source: "s", Name: "n", Access: web.Access{Timeout: time.Second}})
	write(`{"openapi":"3.0.0","paths": {}}`)
	differs("document", plain)
	other := plain
	other.Vault = web.NewVault(func(string) string { return "s3cret" }, nil)
	if got := key(other); seen[got] != "document" {
		t.Errorf("with other credentials the key is that of %q", seen[got])
	}
	write(`{"openapi":"3.0.0","paths":{"/a":{"$ref":"part.json"}}}`)
	part := filepath.Join(dir, "part.json")
	if err := os.WriteFile(part, []byte(`{"get":{"operationId":"one"}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	api := New(options{Site: plain})
	batch, err := api.load(t.Context(), nil)
	if err != nil || batch.Key != key(plain) || batch.Key == "" {
		t.Errorf("a document in two files has the key %q, error %v", batch.Key, err)
	}
	if _, _, err := api.recall(batch.Kept); err != nil {
		t.Error(err)
	}
	if err := os.Remove(part); err != nil {
		t.Fatal(err)
	}
	if _, _, err := api.recall(batch.Kept); err == nil {
		t.Error("a part of the document is gone, and what was kept is used")
	}
	if got := key(web.Site{From: file, Base: "https://user:pa55word@a.example"}); got != "" {
		t.Errorf("an address with a password in it has the key %s", got)
	}
}
