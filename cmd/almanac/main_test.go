package main

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"almanac/catalog/demo"
	"almanac/internal/golden"
	"almanac/llm/openai/openaitest"
	"almanac/session/kernel"
	"almanac/session/trace"
)

func TestMain(m *testing.M) {
	if kernel.Main() {
		return
	}
	testscript.Main(m, map[string]func(){"almanac": main, "browser": browser})
}

// TestScripts runs the binary as a person does; the files in testdata/script read like its manual. The demo is made.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(env *testscript.Env) error {
			data := filepath.Join(env.WorkDir, "data")
			env.Setenv("ALMANAC_DATA", data)
			database, err := office()
			if err != nil {
				return err
			}
			if err := errors.Join(os.Mkdir(data, 0o700), os.WriteFile(demo.File(data), database, 0o600)); err != nil {
				return err
			}
			env.Setenv("USER", "ann")
			for _, name := range []string{"OPENAI_API_KEY", "OPENAI_BASE_URL", "ALMANAC_BASE_URL",
				"ALMANAC_MODEL", "ALMANAC_API_KEY"} {
				env.Setenv(name, "")
			}
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits": exits, "library": library, "crash": crash, "serves": serves, "protects": protects,
			"answers": answers, "signs": signs,
		},
		UpdateScripts: golden.Updating(),
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

// serves starts a scripted model server and puts its URL into a variable: serves VARIABLE REPLIES [MODELS]. REPLIES is
// a script of openaitest, MODELS what it lists.
func serves(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 || len(args) > 3 {
		ts.Fatalf("usage: serves VARIABLE REPLIES [MODELS]")
	}
	replies, err := openaitest.ParseScript([]byte(ts.ReadFile(args[1])))
	ts.Check(err)
	s := openaitest.New(replies...)
	ts.Defer(s.Close)
	if len(args) == 3 {
		list := ts.ReadFile(args[2])
		s.Models(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, list) })
	}
	ts.Setenv(args[0], s.URL())
}

// crash types the lines of a file into the program and kills it with SIGKILL, when the last line has run and its state
// was written, or while it runs where that has no end: crash FILE
func crash(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 {
		ts.Fatalf("usage: crash FILE")
	}
	var path string
	for _, dir := range filepath.SplitList(ts.Getenv("PATH")) {
		if _, err := os.Stat(filepath.Join(dir, "almanac")); err == nil {
			path = filepath.Join(dir, "almanac")
			break
		}
	}
	cmd := exec.Command(path, "--plain")
	for _, name := range []string{"HOME", "PATH", "ALMANAC_DATA", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME"} {
		cmd.Env = append(cmd.Env, name+"="+ts.Getenv(name))
	}
	cmd.Dir = ts.Getenv("WORK")
	in, err := cmd.StdinPipe()
	ts.Check(err)
	ts.Check(cmd.Start())
	text := strings.TrimSpace(ts.ReadFile(args[0]))
	_, err = io.WriteString(in, text+"\n")
	ts.Check(err)
	last := text[strings.LastIndexByte(text, '\n')+1:]
	endless := strings.Contains(last, "while true")
	reached := false
	for range 2400 { // a minute: the race detector makes the first start slow
		time.Sleep(25 * time.Millisecond)
		if reached = crashPoint(ts.Getenv("ALMANAC_DATA"), last, endless); reached {
			break
		}
	}
	ts.Check(cmd.Process.Kill())
	_ = cmd.Wait() // it was killed
	if !reached {
		ts.Fatalf("the last line did not run")
	}
}

// crashPoint tells whether the newest log has the line, and beside it the state that the run left; that of an endless
// one is the state of the run before.
func crashPoint(data, line string, endless bool) bool {
	s, _, err := trace.Archive{Dir: filepath.Join(data, "sessions")}.Latest("")
	if err != nil {
		return false
	}
	records, _, err := trace.Read(s.Path)
	if err != nil {
		return false
	}
	run, before := "", ""
	for _, r := range records {
		if r.Kind == trace.KindRun {
			if r.Text == line {
				run = r.Run
			} else {
				before = r.Run
			}
		}
	}
	state, err := trace.ReadState(trace.StatePath(s.Path))
	if endless {
		run, before = before, run
		return before != "" && err == nil && state.Run == run
	}
	return run != "" && err == nil && state.Run == run
}
