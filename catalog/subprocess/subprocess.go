// Package subprocess starts the programs that a person's configuration names.
//
//	Environment          what such a program gets of this one's environment
//	OwnGroup             gives it a process group, which EndGroup and KillGroup end
//	Output               what a program prints that ends soon
package subprocess

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"time"

	"almanac/catalog/text"
)

// Bounds of Output: how long the program may run, and how many bytes it may print.
const (
	outputTime = 10 * time.Second
	maxOutput  = 64 << 10
)

// Environment is PATH, HOME, what this system requires, and what the configuration sets.
func Environment(named map[string]string) []string {
	names := []string{"PATH", "HOME"}
	if runtime.GOOS == "windows" {
		names = append(names, "SystemRoot", "SystemDrive", "USERPROFILE", "APPDATA", "LOCALAPPDATA", "TEMP", "TMP",
			"PATHEXT", "ComSpec")
	}
	env := map[string]string{}
	for _, name := range names {
		if value, set := os.LookupEnv(name); set {
			env[name] = value
		}
	}
	maps.Copy(env, named)
	list := make([]string, 0, len(env))
	for _, name := range slices.Sorted(maps.Keys(env)) {
		list = append(list, name+"="+env[name])
	}
	return list
}

// Output runs a program that ends within 10 seconds and returns what it printed, at most 64 KiB. It reads nothing, and
// what is left of its group is killed. The error never quotes what it printed to its standard output.
func Output(ctx context.Context, command []string) (string, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, outputTime, fmt.Errorf("it did not end within %v", outputTime))
	defer cancel()
	// The system may tie the process to the thread that started it.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
	cmd.Env = Environment(nil)
	OwnGroup(cmd)
	cmd.Cancel = func() error { KillGroup(cmd); return nil }
	cmd.WaitDelay = time.Second // a grandchild may hold the streams
	var stdout, stderr limited
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	if cmd.Process != nil {
		KillGroup(cmd)
	}
	switch {
	case ctx.Err() != nil:
		err = context.Cause(ctx)
	case stdout.over:
		err = fmt.Errorf("it printed more than %d KiB", maxOutput>>10)
	case errors.Is(err, exec.ErrWaitDelay):
		err = nil // it has ended, and what it started is gone
	case err != nil:
		if said := text.LineBytes(strings.TrimSpace(stderr.kept.String()), 200); said != "" {
			err = fmt.Errorf("%w: %s", err, said)
		}
	}
	if err != nil {
		return "", fmt.Errorf("%s: %w", command[0], err)
	}
	return stdout.kept.String(), nil
}

// A limited keeps the first maxOutput bytes.
type limited struct {
	kept bytes.Buffer
	over bool
}

func (l *limited) Write(p []byte) (int, error) {
	fit := min(len(p), maxOutput-l.kept.Len())
	l.over = l.over || fit < len(p)
	l.kept.Write(p[:fit])
	return len(p), nil
}
