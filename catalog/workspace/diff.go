package workspace

import (
	"bytes"

	"github.com/rogpeppe/go-internal/diff"
)

// unified is the diff from one text to another, empty when they are the same.
func unified(from, to, old, new string) string {
	out := diff.Diff(from, []byte(old), to, []byte(new))
	_, out, _ = bytes.Cut(out, []byte("\n")) // a line that names both, as the diff program does for folders
	return string(out)
}
