//go:build !linux

package kernel

// This file confines a child on other systems than Linux: an empty environment and a memory limit that the runtime
// enforces.

import (
	"os"
	"runtime/debug"
	"runtime/metrics"
	"time"
)

// memoryPoll is how often a child measures itself. A single huge allocation between two checks goes unnoticed.
const memoryPoll = 20 * time.Millisecond

func ownExecutable() (string, error) { return os.Executable() }

func childPipes() (in, out *os.File) { return os.Stdin, os.Stdout }

// confine limits this process's memory and names the restrictions that this system lacks.
func confine(memory int64) (missing []string) {
	debug.SetMemoryLimit(memory - memory/8)
	debug.SetMaxStack(64 << 20)
	go watchMemory(uint64(memory))
	return []string{"a hard memory limit", "a filter on files and system calls (not on this system)"}
}

// watchMemory ends the process when it uses more than limit. It lives as long as the process.
func watchMemory(limit uint64) {
	sample := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	for range time.Tick(memoryPoll) {
		metrics.Read(sample)
		if sample[0].Value.Uint64()-sample[1].Value.Uint64() > limit {
			os.Stderr.WriteString("fatal error: out of memory\n")
			os.Exit(2)
		}
	}
}
