package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestSpawnedCommandLine starts an agent of a session with credentials in its options: none is on the command line of
// the process, which everybody can read. The agent reads them from a file of its user's alone, and removes it.
func TestSpawnedCommandLine(t *testing.T) {
	const secret = "hunter2"
	args := []string{"--data", t.TempDir(), "--team=shop", "--nats=nats://ann:" + secret + "@127.0.0.1:1", "version",
		"--catalog=pg=postgres://ann:" + secret + "@127.0.0.1/shop", "--base=pg=https://ann:" + secret + "@127.0.0.1",
		"--catalog=demo"}
	p := &program{stdout: &output{w: io.Discard}, stderr: io.Discard, credentials: newCredentials()}
	cli, _, err := parse(args, p, nil)
	if err != nil {
		t.Fatal(err)
	}
	s := cli.newSpawner(&app{})
	s.program = func(args ...string) (*exec.Cmd, error) {
		return exec.Command("sh", append([]string{"-c", "read line", "almanac"}, args...)...), nil
	}
	what := &spawned{Parent: "boss", Name: "clerk", Life: time.Hour, path: filepath.Join(t.TempDir(), "agent.json")}
	s.mu.Lock()
	err = s.start(nil, what)
	cmd := s.running["clerk"]
	s.mu.Unlock()
	defer s.Close()
	if err != nil {
		t.Fatal(err)
	}
	var shown []byte
	for err == nil && len(shown) == 0 { // for a moment after the start
		shown, err = os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", cmd.Process.Pid))
	}
	if err != nil || strings.Contains(string(shown), secret) {
		t.Errorf("%q: %v", shown, err)
	}
	if info, err := os.Stat(what.optionsFile()); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%+v: %v", info, err)
	}
	read, err := spawnedArgs(cmd.Args[len(cmd.Args)-3:])
	for _, want := range append(args[2:4:4], args[5:]...) {
		if err != nil || !slices.Contains(read, want) {
			t.Errorf("%q lack %s: %v", read, want, err)
		}
	}
	if _, err := os.Stat(what.optionsFile()); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the file is still there: %v", err)
	}
}
