package kernel

// This file works out why a process ended.

import (
	"fmt"
	"strings"
	"sync"

	"almanac/session/vm"
)

// Lost is the error of a dead kernel: its process ended, or violated the protocol and was ended. All later calls return
// the same error.
type Lost struct {
	// Reason says why, in words for a person: "signal: killed".
	Reason string
	// Memory is true when the process ran out of memory.
	Memory bool
	// kind and limit are for the error of the run.
	kind    vm.Kind
	limit   string
	message string
}

func (l *Lost) Error() string { return "the Lua process ended: " + l.Reason }

// reply is the outcome of the run in which the kernel died.
func (l *Lost) reply() vm.Reply {
	e := &vm.Error{Kind: vm.Lost, Message: l.Error()}
	if l.kind != "" {
		e.Kind, e.Limit, e.Message = l.kind, l.limit, l.message
	}
	return vm.Reply{Err: e}
}

// lastWords explains the end of a process from its stderr and exit state.
func lastWords(stderr string, err error, memory int64) *Lost {
	if outOfMemory(stderr) {
		return &Lost{Reason: "out of memory", Memory: true, kind: vm.Limit, limit: "memory",
			message: "the script used more than " + mib(memory)}
	}
	// The Go runtime says why in one line, among others.
	first := ""
	for line := range strings.Lines(stderr) {
		line = strings.TrimSpace(line)
		for _, sign := range []string{"fatal error: ", "panic: ", "runtime: "} {
			if strings.HasPrefix(line, sign) {
				return &Lost{Reason: line}
			}
		}
		if first == "" {
			first = line
		}
	}
	if first != "" {
		return &Lost{Reason: first}
	}
	if err == nil {
		return &Lost{Reason: "exit status 0"}
	}
	return &Lost{Reason: err.Error()}
}

// outOfMemory reports whether a process ended for lack of memory. Most of the Go runtime says so. Some of it uses
// memory it did not get and crashes at once, on the system stack.
func outOfMemory(stderr string) bool {
	for _, sign := range []string{
		"out of memory", "cannot allocate", "failed to allocate", "cannot map pages", "failed to create new OS thread",
		"unexpected signal during runtime execution",
	} {
		if strings.Contains(stderr, sign) {
			return true
		}
	}
	return strings.HasPrefix(stderr, "SIGSEGV") && strings.Contains(stderr, "\ngoroutine 0 ")
}

func mib(n int64) string { return fmt.Sprintf("%d MiB", n>>20) }

// A head keeps the first bytes written to it and drops the rest. It may be used concurrently.
type head struct {
	mu  sync.Mutex
	buf []byte
}

const headSize = 16 << 10

func (h *head) Write(p []byte) (int, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.buf = append(h.buf, p[:min(len(p), headSize-len(h.buf))]...)
	return len(p), nil
}

func (h *head) String() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return string(h.buf)
}
