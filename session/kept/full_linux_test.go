package kept

import (
	"errors"
	"io/fs"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// A full disk is told as one, not as the limit of the store.
func TestFullDisk(t *testing.T) {
	dir := t.TempDir()
	if err := unix.Mount("almanac", dir, "tmpfs", 0, "size=2m"); err != nil {
		t.Skipf("NOT RUN: a full disk, because no tmpfs can be mounted here: %v", err)
	}
	t.Cleanup(func() { _ = unix.Unmount(dir, unix.MNT_DETACH) })
	s, random := store(t, filepath.Join(dir, "x.kept")), rand.NewChaCha8([32]byte{})
	var err error
	for i := 0; i < 100 && err == nil; i++ {
		data := make([]byte, 100_000)
		_, _ = random.Read(data)
		_, err = s.Put(data)
	}
	var path *fs.PathError
	if !errors.Is(err, ErrFull) && !errors.As(err, &path) || !strings.Contains(err.Error(), "no space left on") {
		t.Errorf("got %v", err)
	}
}
