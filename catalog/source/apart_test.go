package source

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestApart gives sources in every order: what each is called never depends on that.
func TestApart(t *testing.T) {
	kinds := Kinds{{Prefix: "doc", Forms: []string{"doc:FILE-or-URL"}, Named: func(r Ref) string {
		name, _, _ := strings.Cut(filepath.Base(r.Rest), ".")
		return strings.TrimPrefix(name, "generic")
	}}, {Endings: []string{".list"}, Forms: []string{"FILE.list"}}}
	for _, tt := range []struct{ texts, want string }{
		{"doc:pets.json doc:shop.json", "doc:pets.json doc:shop.json"},
		{"doc:v1/pets.json doc:v2/pets.json", "pets_v1=doc:v1/pets.json pets_v2=doc:v2/pets.json"},
		{"doc:/a/pets/pets.json doc:/b/pets/pets.yaml", "pets_a=doc:/a/pets/pets.json pets_b=doc:/b/pets/pets.yaml"},
		{"doc:https://a.example.com/pets.json doc:https://b.example.com/pets.json",
			"pets_a_example_com=doc:https://a.example.com/pets.json pets_b_example_com=doc:https://b.example.com/pets.json"},
		{"doc:https://a.example.com/api/pets.json doc:/srv/pets.json",
			"pets_api=doc:https://a.example.com/api/pets.json pets_srv=doc:/srv/pets.json"},
		{"doc:/d/pets.json doc:/d/pets.yaml", "pets_11e1=doc:/d/pets.json pets_271c=doc:/d/pets.yaml"},
		{"pets=doc:/a/x.json doc:/d/pets.json", "pets=doc:/a/x.json pets_d=doc:/d/pets.json"},
		{"doc:/v1/pets.json doc:/v2/pets.json pets_v1=doc:/x.json",
			"pets_28f4=doc:/v1/pets.json pets_v2=doc:/v2/pets.json pets_v1=doc:/x.json"},
		{"doc:/v1/pets.json doc:/v2/pets.json doc:/x/pets_v2.json",
			"pets_v1=doc:/v1/pets.json pets_3016=doc:/v2/pets.json doc:/x/pets_v2.json"},
		{"doc:/v1/pets.json doc:/v2/pets.json doc:/v1/pets.json",
			"pets_v1=doc:/v1/pets.json pets_v2=doc:/v2/pets.json pets_v1=doc:/v1/pets.json"},
		{"doc:/a/generic.json doc:/b/generic.json", "doc:/a/generic.json doc:/b/generic.json"},
		{"a/x.list b/x.list", "a/x.list b/x.list"},
		{"doc:https://u:hunter22@a.io/v1/pets.json doc:https://u:hunter22@a.io/v2/pets.json",
			"pets_v1=doc:https://u:hunter22@a.io/v1/pets.json pets_v2=doc:https://u:hunter22@a.io/v2/pets.json"},
	} {
		texts := strings.Fields(tt.texts)
		got, told := kinds.Apart(texts)
		if strings.Join(got, " ") != tt.want {
			t.Errorf("%s:\ngot  %s\nwant %s", tt.texts, strings.Join(got, " "), tt.want)
		}
		if strings.Contains(strings.Join(told, " "), "hunter22") {
			t.Errorf("%s: told %q", tt.texts, told)
		}
		slices.Reverse(texts)
		turned, other := kinds.Apart(texts)
		slices.Reverse(turned)
		if !slices.Equal(turned, got) || !slices.Equal(other, told) {
			t.Errorf("%s: in another order got %s, told %q and %q", tt.texts, turned, told, other)
		}
	}
}

func TestTitle(t *testing.T) {
	for text, want := range map[string]string{
		`{"openapi": "3.1.0", "info": {"version": "1", "title": "Pet \"Store\""}}`: `Pet "Store"`,
		`{"info": {"contact": {"title": "no"}, "title": "Pets"}}`:                  "",
		"openapi: 3.1.0\ninfo:\n  version: 1\n  title: 'Pet Store' # ours\n":       "Pet Store",
		"paths: {}\ninfo:\n\n  description: |\n    long\n  title: Pets\n":          "Pets",
		"paths:\n  title: no\n": "",
	} {
		file := filepath.Join(t.TempDir(), "f")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := Title(file); got != want {
			t.Errorf("%s: got %q, want %q", text, got, want)
		}
	}
}
