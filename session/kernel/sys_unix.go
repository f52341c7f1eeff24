//go:build unix && !linux

package kernel

import (
	"errors"
	"syscall"
)

// childAttr puts a child into a process group of its own, out of reach of a terminal's Ctrl-C.
func childAttr() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

func isBrokenPipe(err error) bool { return errors.Is(err, syscall.EPIPE) }
