//go:build linux

package kills

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// A life is one start of the program with lines of a pipe.
type life struct {
	t    *testing.T
	cmd  *exec.Cmd
	in   io.WriteCloser
	done chan struct{} // closed when all output was read and the process waited for

	mu    sync.Mutex
	shown []string // lines of both outputs, as they came
	more  chan struct{}
}

// patience is how long anything may take on a busy machine; what takes longer hangs.
const patience = time.Minute

func start(t *testing.T, program, data string, args []string) *life {
	t.Helper()
	l := &life{t: t, done: make(chan struct{}), more: make(chan struct{})}
	effects := filepath.Join(data, "effects.yaml")
	if err := os.WriteFile(effects, []byte(notes), 0o600); err != nil {
		t.Fatal(err)
	}
	l.cmd = exec.Command(program, append([]string{
		"--plain", "--policy", "session", "--catalog", "demo", "--catalog", effects, "--apply-effects", "state.*",
	}, args...)...)
	l.cmd.Dir = data
	l.cmd.Env = []string{
		"HOME=" + data, "PATH=" + os.Getenv("PATH"), "USER=ann", "ALMANAC_DATA=" + data, "ALMANAC_CONFIG=" + os.DevNull,
	}
	out, in, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	l.cmd.Stdout, l.cmd.Stderr = in, in
	if l.in, err = l.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	if err := l.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	_ = in.Close()
	go l.read(out)
	return l
}

func (l *life) read(out *os.File) {
	defer close(l.done)
	defer out.Close()
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		l.mu.Lock()
		l.shown = append(l.shown, lines.Text())
		close(l.more)
		l.more = make(chan struct{})
		l.mu.Unlock()
	}
	_ = l.cmd.Wait() // it was killed
}

// feed types lines; the program may be gone.
func (l *life) feed(lines ...string) { _, _ = io.WriteString(l.in, strings.Join(lines, "\n")+"\n") }

func (l *life) close() { _ = l.in.Close() }

// lines are all that was shown so far.
func (l *life) lines() (_ []string, more <-chan struct{}) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.shown[:len(l.shown):len(l.shown)], l.more
}

// idle is the last line of a life, and what it prints.
const idle = "idle"

// wait waits until a line was shown that is text, or the program has run all its lines, or has ended.
func (l *life) wait(text string) {
	late := time.NewTimer(patience)
	defer late.Stop()
	for seen := 0; ; {
		lines, more := l.lines()
		for _, line := range lines[seen:] {
			if line = strings.Trim(line, `"`); line == text || line == idle {
				return
			}
		}
		seen = len(lines)
		select {
		case <-more:
		case <-l.done:
			return
		case <-late.C:
			l.hangs("waiting for " + text)
		}
	}
}

// end waits for the end of the program and of its kernel processes.
func (l *life) end(kernels ...int) {
	l.t.Helper()
	select {
	case <-l.done:
	case <-time.After(patience):
		l.hangs("at its end")
	}
	for begun := time.Now(); ; time.Sleep(time.Millisecond) {
		left := 0
		for _, pid := range kernels {
			if alive(pid) {
				left = pid
			}
		}
		if left == 0 {
			return
		}
		if time.Since(begun) > patience {
			l.t.Fatalf("kernel process %d outlived the program", left)
		}
	}
}

func (l *life) hangs(when string) {
	l.t.Helper()
	_ = l.cmd.Process.Signal(syscall.SIGQUIT) // says where
	select {
	case <-l.done:
	case <-time.After(5 * time.Second):
		_ = l.cmd.Process.Kill()
	}
	lines, _ := l.lines()
	l.t.Fatalf("the program hangs %s:\n%s", when, strings.Join(lines, "\n"))
}

// kernels are the program's children: the kernel process in use, and the spare.
func (l *life) kernels() (pids []int) {
	tasks, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", l.cmd.Process.Pid))
	for _, name := range tasks {
		text, _ := os.ReadFile(name)
		for _, word := range strings.Fields(string(text)) {
			if pid, err := strconv.Atoi(word); err == nil {
				pids = append(pids, pid)
			}
		}
	}
	return pids
}

// alive tells whether a process runs; one that has ended and that nobody waits for does not.
func alive(pid int) bool {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return false
	}
	_, after, _ := strings.Cut(string(text), ") ")
	return !strings.HasPrefix(after, "Z") && !strings.HasPrefix(after, "X")
}
