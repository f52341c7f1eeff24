//go:build unix

package trace

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestNoPipe shows that a pipe in the place of a log or a state is refused at once: opening it would wait.
func TestNoPipe(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.jsonl")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, _, err := Read(path); err == nil || !strings.Contains(err.Error(), "not a regular file") {
		t.Errorf("read: %v", err)
	}
	if _, _, err := summarize(path, nil); err == nil || !strings.Contains(err.Error(), "not a regular file") {
		t.Errorf("summarized: %v", err)
	}
	if _, err := ReadState(path); err == nil || !strings.Contains(err.Error(), "not a regular file") {
		t.Errorf("state: %v", err)
	}
}
