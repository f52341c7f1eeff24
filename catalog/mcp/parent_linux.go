package mcp

import "syscall"

// endWithParent has the system kill the process when this one dies, however it does: no server outlives a killed almanac
// because it takes no notice of the end of its input.
func endWithParent(attr *syscall.SysProcAttr) { attr.Pdeathsig = syscall.SIGKILL }
