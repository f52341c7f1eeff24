package kernel

// This file confines a child on Linux. The restrictions are independent: if a system lacks one, the others still hold.

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"strconv"
	"strings"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// ownExecutable is this program, even if its file was replaced or removed meanwhile.
func ownExecutable() (string, error) {
	const self = "/proc/self/exe"
	if _, err := os.Readlink(self); err == nil {
		return self, nil
	}
	return os.Executable()
}

// childAttr puts a child into a process group of its own, out of reach of a terminal's Ctrl-C, and makes it end with
// its parent, even if that is killed.
func childAttr() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

func isBrokenPipe(err error) bool { return errors.Is(err, syscall.EPIPE) }

// childPipes opens the child's end of the pipes for the runtime's poller, so that a goroutine waiting for a frame holds
// no thread.
func childPipes() (in, out *os.File) {
	// On failure reading still works, but blocks a thread.
	_ = syscall.SetNonblock(0, true)
	return os.NewFile(0, "stdin"), os.Stdout
}

// confine drops everything that a machine does not need from this process, and names the restrictions that failed.
func confine(memory int64) (missing []string) {
	need := func(wall string, err error) {
		if err != nil {
			missing = append(missing, fmt.Sprintf("%s (%v)", wall, err))
		}
	}
	need("closed descriptors", closeOthers())
	// Later the zone could not be read; scripts ask for local time.
	_, _ = time.Now().Zone()

	debug.SetMemoryLimit(memory - memory/8)
	debug.SetMaxStack(64 << 20)
	need("a memory limit", limitMemory(memory))
	for _, l := range []struct {
		name     string
		resource int
		max      uint64
	}{
		{"a limit on core files", unix.RLIMIT_CORE, 0},
		{"a limit on files", unix.RLIMIT_NOFILE, 16},
		{"a limit on file sizes", unix.RLIMIT_FSIZE, 0},
	} {
		need(l.name, unix.Setrlimit(l.resource, &unix.Rlimit{Cur: l.max, Max: l.max}))
	}
	need("landlock", restrictFiles())
	need("seccomp", filterCalls())
	return missing
}

// closeOthers closes inherited descriptors except its pipes, and those that the runtime opened for itself.
func closeOthers() error {
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return err
	}
	for _, e := range entries {
		fd, err := strconv.Atoi(e.Name())
		if err != nil || fd <= 2 {
			continue
		}
		// The directory itself is closed by now and has no target.
		target, err := os.Readlink("/proc/self/fd/" + e.Name())
		if err == nil && !strings.HasPrefix(target, "anon_inode:") {
			unix.Close(fd)
		}
	}
	return nil
}

// limitMemory sets the hard limit: allocations beyond it fail, which ends a Go program. It counts what the runtime
// counts, not the 70 MiB of address space that every process has and hardly uses, or the collector would start late.
func limitMemory(memory int64) error {
	limit := uint64(memory)
	if used, err := dataSize(); err == nil {
		if used > limit { // the race detector maps terabytes before main runs
			limit *= 2
		}
		counted := []metrics.Sample{{Name: "/memory/classes/total:bytes"}}
		metrics.Read(counted)
		limit += used - counted[0].Value.Uint64()
	}
	return unix.Setrlimit(unix.RLIMIT_DATA, &unix.Rlimit{Cur: limit, Max: limit})
}

// dataSize is how much the process has of what RLIMIT_DATA limits, in bytes.
func dataSize() (uint64, error) {
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0, err
	}
	fields := strings.Fields(string(text))
	if len(fields) < 6 {
		return 0, fmt.Errorf("statm %q is too short", text)
	}
	pages, err := strconv.ParseUint(fields[5], 10, 64)
	return pages * uint64(os.Getpagesize()), err
}

// restrictFiles denies all files and all TCP and UDP ports by an empty Landlock ruleset, on every thread. It makes the
// three system calls directly, since the library for them depends on a cgo package that nothing else here needs.
func restrictFiles() error {
	version, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	if errno != 0 {
		return errno
	}
	rules := unix.LandlockRulesetAttr{Handled_access_fs: landlockFiles(int(version))}
	size := unsafe.Sizeof(rules.Handled_access_fs)
	if version >= 4 {
		rules.Handled_access_net = unix.LANDLOCK_ACCESS_NET_BIND_TCP | unix.LANDLOCK_ACCESS_NET_CONNECT_TCP
		size += unsafe.Sizeof(rules.Handled_access_net)
	}
	fd, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, uintptr(unsafe.Pointer(&rules)), size, 0)
	if errno != 0 {
		return errno
	}
	defer unix.Close(int(fd))
	_, _, errno = syscall.AllThreadsSyscall6(unix.SYS_PRCTL, unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0, 0)
	if errno == syscall.ENOTSUP {
		return errors.New("not in a build with cgo")
	}
	if errno != 0 {
		return errno
	}
	if _, _, errno = syscall.AllThreadsSyscall(unix.SYS_LANDLOCK_RESTRICT_SELF, fd, 0, 0); errno != 0 {
		return errno
	}
	return nil
}

// landlockFiles is all file rights known to a version of Landlock.
func landlockFiles(version int) uint64 {
	rights := uint64(unix.LANDLOCK_ACCESS_FS_REFER - 1) // all of version 1
	if version >= 2 {
		rights |= unix.LANDLOCK_ACCESS_FS_REFER
	}
	if version >= 3 {
		rights |= unix.LANDLOCK_ACCESS_FS_TRUNCATE
	}
	if version >= 5 {
		rights |= unix.LANDLOCK_ACCESS_FS_IOCTL_DEV
	}
	return rights
}

// filterCalls restricts every thread to the system calls of systemFilter; all others fail with EPERM.
func filterCalls() error {
	filter, err := systemFilter(os.Getpid())
	if err != nil {
		return err
	}
	// The filter is copied to all threads, no_new_privs with it, but it must be this thread's first.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return err
	}
	program := unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}
	thread, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, unix.SECCOMP_FILTER_FLAG_TSYNC,
		uintptr(unsafe.Pointer(&program)))
	if errno != 0 {
		return errno
	}
	if thread != 0 {
		return fmt.Errorf("thread %d refused it", thread)
	}
	return nil
}
