//go:build linux && (amd64 || arm64)

package kernel

// This file lists the system calls that a confined child may make: what the Go runtime needs to compute, collect
// garbage, start threads and exit, and reading and writing open descriptors.

import (
	"runtime"

	"golang.org/x/sys/unix"
)

// Offsets in the kernel's struct seccomp_data.
const (
	dataNumber = 0
	dataArch   = 4
	dataArgs   = 16 // eight bytes each; the low half comes first on both architectures
)

// systemFilter builds the filter for the process with this id.
func systemFilter(pid int) ([]unix.SockFilter, error) {
	arch := uint32(unix.AUDIT_ARCH_X86_64)
	if runtime.GOARCH == "arm64" {
		arch = unix.AUDIT_ARCH_AARCH64
	}
	const (
		load  = unix.BPF_LD | unix.BPF_W | unix.BPF_ABS
		equal = unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K
		bits  = unix.BPF_JMP | unix.BPF_JSET | unix.BPF_K
		ret   = unix.BPF_RET | unix.BPF_K

		allow = unix.SECCOMP_RET_ALLOW
		deny  = unix.SECCOMP_RET_ERRNO | uint32(unix.EPERM)
		none  = unix.SECCOMP_RET_ERRNO | uint32(unix.ENOSYS)
	)
	// An instruction skips yes or no instructions after a test.
	f := []unix.SockFilter{
		{Code: load, K: dataArch},
		{Code: equal, K: arch, Jt: 1},
		{Code: ret, K: deny},
		{Code: load, K: dataNumber},
	}
	simple := func(numbers ...uint32) {
		for _, n := range numbers {
			f = append(f, unix.SockFilter{Code: equal, K: n, Jf: 1}, unix.SockFilter{Code: ret, K: allow})
		}
	}
	// checked allows call n when test, a jump on argument arg, goes where ok says.
	checked := func(n uint32, arg uint32, test uint16, k uint32, ok bool) {
		yes, no := uint32(allow), deny
		if !ok {
			yes, no = deny, allow
		}
		f = append(f,
			unix.SockFilter{Code: equal, K: n, Jf: 4},
			unix.SockFilter{Code: load, K: dataArgs + 8*arg},
			unix.SockFilter{Code: test, K: k, Jf: 1},
			unix.SockFilter{Code: ret, K: yes},
			unix.SockFilter{Code: ret, K: no},
		)
	}
	simple(
		unix.SYS_READ, unix.SYS_WRITE, unix.SYS_FUTEX, unix.SYS_EPOLL_PWAIT, unix.SYS_NANOSLEEP, unix.SYS_CLOCK_NANOSLEEP,
		unix.SYS_SCHED_YIELD, unix.SYS_GETPID, unix.SYS_GETTID, unix.SYS_MADVISE, unix.SYS_MUNMAP, unix.SYS_CLOCK_GETTIME,
		unix.SYS_RT_SIGRETURN, unix.SYS_RT_SIGPROCMASK, unix.SYS_RT_SIGACTION, unix.SYS_SIGALTSTACK,
		unix.SYS_EPOLL_CTL, unix.SYS_CLOSE, unix.SYS_RESTART_SYSCALL, unix.SYS_GETRANDOM, unix.SYS_SCHED_GETAFFINITY,
		unix.SYS_EXIT, unix.SYS_EXIT_GROUP,
		// What the C library needs for threads and memory in builds with cgo.
		unix.SYS_BRK, unix.SYS_MREMAP, unix.SYS_SET_ROBUST_LIST, unix.SYS_RSEQ,
	)
	// Memory, but no code; threads, but no processes; signals to itself alone.
	checked(unix.SYS_MMAP, 2, bits, unix.PROT_EXEC, false)
	checked(unix.SYS_MPROTECT, 2, bits, unix.PROT_EXEC, false)
	checked(unix.SYS_CLONE, 0, bits, unix.CLONE_THREAD, true)
	checked(unix.SYS_TGKILL, 0, equal, uint32(pid), true)
	// The arguments of clone3 cannot be seen; without it the C library takes clone.
	f = append(f,
		unix.SockFilter{Code: equal, K: unix.SYS_CLONE3, Jf: 1},
		unix.SockFilter{Code: ret, K: none},
		unix.SockFilter{Code: ret, K: deny},
	)
	return f, nil
}
