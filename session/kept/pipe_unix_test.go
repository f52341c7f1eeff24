//go:build unix

package kept

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestPipe shows that a pipe is refused at once, in the place of the store and of a file beside it.
func TestPipe(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.kept")
	for _, end := range []string{"-wal", ""} {
		if err := syscall.Mkfifo(path+end, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(path); err == nil || !strings.Contains(err.Error(), "not a") {
			t.Errorf("%q: %v", end, err)
		}
	}
}
