//go:build unix

package regular

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestPipe shows that a pipe is refused at once: opening it would wait for a writer.
func TestPipe(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(path); err == nil || !strings.Contains(err.Error(), "not a regular file") {
		t.Errorf("a pipe: %v", err)
	}
}
