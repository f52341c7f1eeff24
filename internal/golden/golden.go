// Package golden compares what tests get with files of expected text, and rewrites those with -update. Only tests use
// it.
package golden

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"
)

var update = flag.Bool("update", false, "rewrite the expected text in testdata")

// Updating reports whether expected text is to be rewritten, for tests whose files are compared elsewhere.
func Updating() bool { return *update }

// Equal compares got with a file.
func Equal(t *testing.T, file, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("%v: run with -update", err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s, -want +got:\n%s", file, diff)
	}
}

// Files are the files that match the pattern, of which there must be some.
func Files(t *testing.T, pattern string) []string {
	t.Helper()
	files, err := filepath.Glob(pattern)
	if err != nil || len(files) == 0 {
		t.Fatalf("%s: no files: %v", pattern, err)
	}
	return files
}

// Archives plays the txtar files that match the pattern, each as a subtest. What play leaves in the archive is compared
// with the file.
func Archives(t *testing.T, pattern string, play func(*testing.T, *txtar.Archive)) {
	t.Helper()
	for _, file := range Files(t, pattern) {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			a, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			play(t, a)
			Equal(t, file, string(txtar.Format(a)))
		})
	}
}
