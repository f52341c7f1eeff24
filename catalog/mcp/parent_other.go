//go:build unix && !linux

package mcp

import "syscall"

// endWithParent does nothing, since the system cannot: a server sees the end of its input.
func endWithParent(*syscall.SysProcAttr) {}
