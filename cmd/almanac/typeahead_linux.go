package main

import (
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// dropTyped throws away what was typed at a terminal and not read yet.
func dropTyped(in io.Reader) {
	if file, ok := in.(*os.File); ok && typed(in) {
		_ = unix.IoctlSetInt(int(file.Fd()), unix.TCFLSH, unix.TCIFLUSH) // answerGrace is left
	}
}
