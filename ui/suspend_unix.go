//go:build unix

package ui

import (
	"bytes"
	"fmt"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// stopTime is how long it may take until the program has stopped.
const stopTime = 300 * time.Millisecond

// A job is the program as its shell sees it.
type job struct{ signals chan os.Signal }

// Heed has the shell's signals sent to the program's channel.
func (j job) Heed() { signal.Notify(j.signals, syscall.SIGTSTP, syscall.SIGCONT) }

// Ignore leaves them to the system, as a program needs that runs another one in its terminal.
func (j job) Ignore() { signal.Reset(syscall.SIGTSTP, syscall.SIGCONT) }

// Stop stops the program and what runs with it until the shell lets it go on. It returns errNoJobControl where nobody
// could.
func (j job) Stop() error {
	if !controlled() {
		return errNoJobControl
	}
	goesOn := make(chan os.Signal, 1)
	signal.Notify(goesOn, syscall.SIGCONT)
	defer signal.Stop(goesOn)
	// Not SIGTSTP: the runtime keeps its handler for a signal that was heeded once, and the program would not stop.
	if err := syscall.Kill(0, syscall.SIGSTOP); err != nil {
		return err
	}
	select {
	case <-goesOn:
	case <-time.After(stopTime):
	}
	return nil
}

// controlled tells whether somebody could let the program go on: an ancestor of its session that is in another process
// group, as a shell with job control is. Stopped without one, the program would never go on.
func controlled() bool {
	session, _ := unix.Getsid(0)
	group := syscall.Getpgrp()
	for pid := os.Getppid(); pid > 0; pid = parent(pid) {
		if s, err := unix.Getsid(pid); err != nil || s != session {
			return false
		}
		if g, err := syscall.Getpgid(pid); err != nil || g != group {
			return err == nil
		}
	}
	return false
}

// parent is the parent of a process as /proc tells it, 0 where it does not.
func parent(pid int) int {
	stat, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	// The name of the program stands in parentheses, and may hold some.
	fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
	if len(fields) < 2 {
		return 0
	}
	n, _ := strconv.Atoi(fields[1])
	return n
}

// message is what a signal of the shell's tells the screen; nil for other signals.
func (j job) message(s os.Signal) any {
	switch s {
	case syscall.SIGTSTP:
		return suspendMsg{}
	case syscall.SIGCONT:
		return continuedMsg{}
	}
	return nil
}
