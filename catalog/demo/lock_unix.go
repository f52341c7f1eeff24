//go:build unix

package demo

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// tryLock locks an open file for its holder alone, until it is closed, and answers false when another has it.
func tryLock(f *os.File) (bool, error) {
	err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	if errors.Is(err, unix.EWOULDBLOCK) || errors.Is(err, unix.EINTR) {
		return false, nil
	}
	return err == nil, err
}
