//go:build unix

package ui

import (
	"io"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// newKeyboard reads file, with its pastes marked.
func newKeyboard(file *os.File) io.Reader {
	fds := []unix.PollFd{{Fd: int32(file.Fd()), Events: unix.POLLIN}}
	more := func(d time.Duration) bool {
		for until := time.Now().Add(d); ; {
			n, err := unix.Poll(fds, int(max(time.Until(until), 0).Milliseconds()))
			if err != unix.EINTR {
				return n > 0 || err != nil
			}
		}
	}
	return &keyboard{File: file, read: file.Read, more: more, now: time.Now}
}
