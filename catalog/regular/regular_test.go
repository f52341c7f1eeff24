package regular

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestRead(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a")
	if err := os.WriteFile(path, []byte(strings.Repeat("x", 100)), 0o600); err != nil {
		t.Fatal(err)
	}
	if text, err := Read(path, 100); err != nil || len(text) != 100 {
		t.Errorf("at the limit: %d bytes, %v", len(text), err)
	}
	if text, err := Read(path, 99); err == nil || text != nil {
		t.Errorf("beyond the limit: %d bytes, %v", len(text), err)
	}
	if _, err := Read(dir, 100); err == nil || !strings.Contains(err.Error(), "a folder, not a file") {
		t.Errorf("a folder: %v", err)
	}
	if _, err := Read(filepath.Join(dir, "none"), 100); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a missing file: %v", err)
	}
}

func TestTryLock(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a")
	open := func() *os.File {
		f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	first, second := open(), open()
	defer second.Close()
	if free, err := TryLock(first); !free || err != nil {
		t.Fatalf("a new file: %v, %v", free, err)
	}
	if free, err := TryLock(second); free || err != nil {
		t.Errorf("a locked file: %v, %v", free, err)
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	if free, err := TryLock(second); !free || err != nil {
		t.Errorf("a file that was closed: %v, %v", free, err)
	}
}
