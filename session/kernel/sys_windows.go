package kernel

import (
	"errors"
	"syscall"

	"golang.org/x/sys/windows"
)

// childAttr puts a child into a process group of its own, out of reach of a console's Ctrl-C, and without a window.
func childAttr() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{HideWindow: true, CreationFlags: windows.CREATE_NEW_PROCESS_GROUP}
}

func isBrokenPipe(err error) bool {
	return errors.Is(err, windows.ERROR_BROKEN_PIPE) || errors.Is(err, windows.ERROR_NO_DATA)
}
