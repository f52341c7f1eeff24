package mcp

import (
	"os"
	"testing"
)

// Below one almanac no other is started, and below two no command at all.
func TestNested(t *testing.T) {
	for _, c := range []struct {
		line  string
		depth int
		want  bool
	}{
		{"almanac serve", 0, false}, {"almanac serve", 1, true}, {"/usr/bin/almanac serve", 1, true},
		{"env X=1 almanac.exe serve", 1, true}, {"other-server", 1, false}, {"other-server", 2, true},
		{"almanac serve", 9, true},
	} {
		s, err := parseCommand("x", c.line, os.LookupEnv)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := newSource(s, options{Depth: c.depth}); (err != nil) != c.want {
			t.Errorf("%s at %d: %v", c.line, c.depth, err)
		}
	}
	for text, want := range map[string]int{"": 0, "2": 2, "-1": -1, "x": -1} {
		n, err := depth(func(string) (string, bool) { return text, true })
		if err == nil && n != want || err != nil && want >= 0 {
			t.Errorf("%q: %d, %v", text, n, err)
		}
	}
}
