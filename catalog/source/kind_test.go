package source

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"almanac/catalog"
)

// testKinds are a kind with a prefix, one with an ending, and two that share files by their keys. What they open is
// named after them.
func testKinds() Kinds {
	open := func(kind string) func(Ref, Host) ([]Source, []catalog.Skip, error) {
		return func(r Ref, _ Host) ([]Source, []catalog.Skip, error) {
			return []Source{{Name: r.As(kind + "<" + r.Rest + ">")}}, nil, nil
		}
	}
	return Kinds{
		{Prefix: "own", Alone: true, Forms: []string{"own", "own:FILE"}, Beside: true, Open: open("own")},
		{Endings: []string{".list"}, Forms: []string{"FILE.list"}, Open: open("list")},
		{Endings: []string{".json"}, TopKeys: []string{"first"}, Forms: []string{"FILE.json"}, Open: open("first")},
		{Prefix: "second", TopKeys: []string{"second"}, Forms: []string{"second:URL"}, Open: open("second")},
	}
}

func TestKinds(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"a.json": `{"first": 1}`,
		"b.json": `{"second": 1}`, "c.json": `{"third": 1}`} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for text, want := range map[string]string{
		"own": "own<>", "own:x": "own<x>", "n=own:x": "n=own<x>", "x.list": "list<x.list>", "N=x.list": "list<N=x.list>",
		"second:u": "second<u>", "second:x.list": "second<x.list>", "DIR/a.json": "first<DIR/a.json>",
		"DIR/b.json": "second<DIR/b.json>", "n=DIR/b.json": "n=second<DIR/b.json>", "DIR/none.json": "first<DIR/none.json>",
		"DIR/c.json": "catalog DIR/c.json: none of the keys first, second is at its top level",
		"second":     "catalog second: unknown kind of source: use own, own:FILE, FILE.list, FILE.json or second:URL",
		"other:u":    "catalog other:u: unknown kind of source: use own, own:FILE, FILE.list, FILE.json or second:URL",
	} {
		var got string
		all, _, err := testKinds().Open(strings.Replace(text, "DIR", dir, 1), Host{})
		if err != nil {
			got = err.Error()
		} else {
			got = all[0].Name
		}
		if got = strings.ReplaceAll(got, dir, "DIR"); got != want {
			t.Errorf("%s: got %s, want %s", text, got, want)
		}
	}
}

func TestBeside(t *testing.T) {
	for text, want := range map[string]string{
		"own": "own", "own:a.db": "own:/d/a.db", "n=own:a.db": "n=own:/d/a.db", "own:/a.db": "own:/a.db",
		"own:a b.db": "own:a b.db", "a.list": "/d/a.list", "n=a.list": "n=/d/a.list", "second:a.json": "second:a.json",
		"x:a.list": "x:a.list", "own:http://h/a.db": "own:http://h/a.db",
	} {
		if got := filepath.ToSlash(testKinds().Beside("/d", text)); got != want {
			t.Errorf("%s: got %s, want %s", text, got, want)
		}
	}
}
