package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"almanac/catalog/search"
)

// TestBuild reads a WordNet of two words, decide and decision.
func TestBuild(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"data.noun":  "  1 licence\n00000001 09 n 01 decision 0 001 + 00000002 v 0101 | the act of making up your mind\n",
		"data.verb":  "00000002 31 v 02 decide 0 make_up_one's_mind 0 001 + 00000001 n 0101 02 + 02 00 + 01 00 | reach a decision\n",
		"index.noun": "decision n 1 1 + 1 1 00000001\n",
		"index.verb": "decide v 1 1 + 1 1 00000002\nmake_up_one's_mind v 1 1 + 1 0 00000002\n",
		"data.adj":   "", "index.adj": "", "data.adv": "", "index.adv": "",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var out strings.Builder
	if err := buildRelations(dir, &out); err != nil {
		t.Fatal(err)
	}
	if want := "decid decis\ndecis decid\n"; out.String() != want {
		t.Errorf("got %q, want %q", out.String(), want)
	}
	out.Reset()
	if err := buildEnglish(dir, &out); err != nil {
		t.Fatal(err)
	}
	if want := string(search.EnglishSums([]string{"decide", "decision"})); out.String() != want || len(want) != 6 {
		t.Errorf("English words: got %q, want %q", out.String(), want)
	}
	if err := os.WriteFile(filepath.Join(dir, "data.adv"),
		[]byte("00000003 02 r zz broken 0 000 |\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := buildRelations(dir, &out); err == nil || !strings.Contains(err.Error(), "data.adv:1: ") {
		t.Errorf("a broken file: error %v", err)
	}
}
