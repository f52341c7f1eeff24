//go:build unix

package regular

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// TryLock locks an open file exclusively until it is closed; false if another process holds the lock.
func TryLock(f *os.File) (bool, error) {
	err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	if errors.Is(err, unix.EWOULDBLOCK) || errors.Is(err, unix.EINTR) {
		return false, nil
	}
	return err == nil, err
}
