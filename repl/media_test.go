package repl

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"almanac/catalog/media"
	"almanac/session/policy"
)

// An image that a script holds by its handle is written as it is; what is no image in a format that is none is not.
func TestExportMedia(t *testing.T) {
	folder := media.In(t.TempDir())
	sh, _ := newShell(t, Options{Media: folder}, policy.Policy{})
	shot := folder.Put("image", "image/png", []byte("12345"))
	file := filepath.Join(t.TempDir(), "x.png")
	said := ""
	for _, line := range []string{fmt.Sprintf("shots = { { handle = %q } }", shot["handle"]),
		"/export shots[1] " + file, "/export shots " + file + ".png"} {
		said += typed(t.Context(), sh, line, nil)
	}
	if got, err := os.ReadFile(file); err != nil || string(got) != "12345" {
		t.Errorf("%q, %v: %s", got, err, said)
	}
	if _, err := os.Stat(file + ".png"); err == nil || !strings.Contains(said, "unknown format") {
		t.Errorf("%v: %s", err, said)
	}
}
