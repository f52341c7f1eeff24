package workspace

import (
	"bytes"

	"github.com/rogpeppe/go-internal/diff"
)

// unified is the unified diff between two texts, empty when they are equal.
func unified(from, to, old, new string) string {
	out := diff.Diff(from, []byte(old), to, []byte(new))
	_, out, _ = bytes.Cut(out, []byte("\n")) // a line that names both, as the diff program does for folders
	return string(out)
}
