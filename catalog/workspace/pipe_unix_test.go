//go:build unix

package workspace

import (
	"syscall"
	"testing"
)

func makePipe(t testing.TB, path string) {
	if err := syscall.Mkfifo(path, 0o644); err != nil {
		t.Fatal(err)
	}
}
