package subprocess

import "syscall"

// endWithParent makes the system kill the process when this one dies, so that no server outlives a killed almanac by
// ignoring the end of its input.
func endWithParent(attr *syscall.SysProcAttr) { attr.Pdeathsig = syscall.SIGKILL }
