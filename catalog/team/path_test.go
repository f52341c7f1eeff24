package team

import (
	"os"
	"path/filepath"
	"testing"
)

// However a session names a file, and from wherever, there is one path of it; another file has another.
func TestClaimedPath(t *testing.T) {
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{"g/src/deep", "w/src", "w2/src"} {
		if err := os.MkdirAll(filepath.Join(base, dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for _, file := range []string{"g/src/rank.go", "w/src/rank.go", "w2/src/rank.go"} {
		if err := os.WriteFile(filepath.Join(base, file), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("g", filepath.Join(base, "link")); err != nil {
		t.Skip(err)
	}
	absolute := func(file string) string { return filepath.ToSlash(filepath.Join(base, file)) }
	for _, c := range []struct{ file, dir, root, want string }{
		{"src/rank.go", "g", "g", "src/rank.go"},
		{"rank.go", "g/src", "g", "src/rank.go"},
		{absolute("g/src/rank.go"), "g/src", "g", "src/rank.go"},
		{"../rank.go", "g/src/deep", "g", "src/rank.go"},
		{"src/rank.go", "g/src", "g", "src/rank.go"}, // as others' claims name it
		{"new.go", "g/src", "g", "src/new.go"},
		{"src/new.go", "g/src", "g", "src/new.go"},
		{"src/new/new.go", "g", "g", "src/new/new.go"},
		{"rank.go", "link/src", "g", "src/rank.go"},
		{absolute("link/src/rank.go"), "g", "link", "src/rank.go"},
		{"../w/src/rank.go", "g", "g", absolute("w/src/rank.go")},
		{"src/rank.go", "w", "", absolute("w/src/rank.go")},
		{"src/rank.go", "w2", "", absolute("w2/src/rank.go")},
	} {
		root := c.root
		if root != "" {
			root = filepath.Join(base, root)
		}
		if got := claimedPath(c.file, filepath.Join(base, c.dir), root); got != c.want {
			t.Errorf("%s in %s of %q: %s, want %s", c.file, c.dir, c.root, got, c.want)
		}
	}
	if got := claimedPath("./src//rank.go", "", ""); got != "src/rank.go" {
		t.Errorf("without a folder: %s", got)
	}
}
