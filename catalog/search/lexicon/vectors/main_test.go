package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// inputs writes a WordNet of a few words, an open document and a closed one.
func inputs(t *testing.T) options {
	dir := t.TempDir()
	var glosses strings.Builder
	for i := range 40 {
		fmt.Fprintf(&glosses,
			"%08d 09 n 01 word%c 0 000 | a gloss of a word with many letters and word%c\n", i, 'a'+i%7, 'a'+i%5)
	}
	const operations = `"paths":{"/a":{"get":{"operationId":"listLetters","summary":"Lists many letters of a word."}},"/b":"none"}}`
	for name, text := range map[string]string{
		"data.noun": "  1 licence\n" + glosses.String(), "data.verb": "", "data.adj": "", "data.adv": "",
		"api/open.example/one.json":   `{"info":{"title":"Letters","license":{"name":"Apache 2.0"}},` + operations,
		"api/closed.example/one.json": `{"info":{"title":"Letters","license":{"name":"Terms of use"}},` + operations,
	} {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return options{
		wordnet: dir, openapi: dir, out: filepath.Join(dir, "out"), sources: filepath.Join(dir, "sources"),
	}
}

// TestSameBytes builds twice from the same inputs.
func TestSameBytes(t *testing.T) {
	o := inputs(t)
	var built [2][]byte
	for i := range built {
		if err := run(o); err != nil {
			t.Fatal(err)
		}
		var err error
		if built[i], err = os.ReadFile(o.out); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(built[0], built[1]) {
		t.Error("two runs differ")
	}
	sources, err := os.ReadFile(o.sources)
	if want := "Apache-2.0\n  open.example\n"; err != nil || string(sources) != want {
		t.Errorf("sources %q, %v; want %q", sources, err, want)
	}
}

func TestOpenLicence(t *testing.T) {
	for _, test := range []struct{ name, url, want string }{
		{"Apache 2.0 License", "", "Apache-2.0"},
		{"MIT", "https://spdx.org/licenses/MIT", "MIT"},
		{"BSD-3-Clause", "", "BSD"},
		{"CC0 1.0", "", "public domain"},
		{"Creative Commons Attribution 3.0", "http://creativecommons.org/licenses/by/3.0/", "CC-BY"},
		{"CC BY-NC-ND 2.0", "http://creativecommons.org/licenses/by-nc-nd/2.0/", ""},
		{"CC-BY-SA 2.0", "", ""},
		{"AGPLv3.0", "", ""},
		{"No Permission", "", ""},
		{"Permit us", "", ""},
		{"", "", ""},
	} {
		if got := openLicence(test.name, test.url); got != test.want {
			t.Errorf("%q %q: got %q, want %q", test.name, test.url, got, test.want)
		}
	}
}
