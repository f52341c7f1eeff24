package main

import (
	"errors"
	"os"
	"os/exec"
	"strconv"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"almanac/session/kernel"
)

func TestMain(m *testing.M) {
	if kernel.Main() {
		return
	}
	testscript.Main(m, map[string]func(){"almanac": main})
}

// TestScripts runs the binary as a person does; the files in testdata/script read like its manual.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(env *testscript.Env) error {
			env.Setenv("ALMANAC_DATA", env.WorkDir+"/data")
			env.Setenv("USER", "ann")
			for _, name := range []string{"OPENAI_API_KEY", "OPENAI_BASE_URL", "ALMANAC_BASE_URL", "ALMANAC_MODEL", "ALMANAC_API_KEY"} {
				env.Setenv(name, "")
			}
			return nil
		},
		Cmds:          map[string]func(*testscript.TestScript, bool, []string){"exits": exits, "library": library},
		UpdateScripts: os.Getenv("UPDATE") != "",
	})
}

// exits runs a command and wants its exit code: exits CODE PROGRAM ARGS...
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE PROGRAM ARGS...")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	var exit *exec.ExitError
	if err := ts.Exec(args[1], args[2:]...); errors.As(err, &exit) {
		got = exit.ExitCode()
	} else {
		ts.Check(err)
	}
	if got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
}
