//go:build unix

// Package e2e drives the built program in a real tmux, as a person does: keys in, screens out. It has tests only.
//
//	start     opens the program in a terminal of its own, with a home of its own
//	terminal  takes keys and shows the screen, the scrollback and what a want waits for
//	gap       marks a requirement that is not met yet
//	figure    tells how long something took, at the end
//
// The tests are named after the requirements of the terminal, R1 to R25, and check what each promises. Without
// ALMANAC_E2E, the path of the program, nothing runs: see make e2e.
package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// The suite is what the tests share: the program, a home whose demo database is made, and what is told at the end.
var suite struct {
	program string
	seed    string

	mu      sync.Mutex
	left    []string // tests that were not run
	figures []string
}

func TestMain(m *testing.M) {
	if os.Getenv(bareEnv) != "" {
		bareMain()
		return
	}
	suite.program = os.Getenv("ALMANAC_E2E")
	if suite.program == "" {
		fmt.Println("NOT RUN: ALMANAC_E2E names no program: make e2e")
		return
	}
	os.Exit(runSuite(m))
}

func runSuite(m *testing.M) int {
	if _, err := exec.LookPath("tmux"); err != nil {
		fmt.Println("there is no tmux: apt-get install tmux")
		return 1
	}
	seed, err := os.MkdirTemp("", "almanac-seed")
	if err != nil {
		fmt.Println(err)
		return 1
	}
	defer os.RemoveAll(seed)
	suite.seed = seed
	cmd := exec.Command(suite.program, "-e", "return 1")
	cmd.Env = []string{"HOME=" + seed, "PATH=" + os.Getenv("PATH")}
	if out, err := cmd.CombinedOutput(); err != nil {
		fmt.Printf("%s: %v\n%s", suite.program, err, out)
		return 1
	}
	code := m.Run()
	slices.Sort(suite.figures)
	for _, line := range suite.figures {
		fmt.Println("FIGURE", line)
	}
	slices.Sort(suite.left)
	for _, line := range suite.left {
		fmt.Println("NOT RUN:", line)
	}
	return code
}

// notRun leaves a test out for want of a program, and says so at the end of the suite.
func notRun(t *testing.T, what string) {
	t.Helper()
	suite.mu.Lock()
	suite.left = append(suite.left, t.Name()+": "+what)
	suite.mu.Unlock()
	t.Skip(what)
}

// figure tells a time beside its aim. The aim is no test: the machine may be busy.
func figure(t *testing.T, what string, took, aim time.Duration) {
	t.Helper()
	note := ""
	if took > aim {
		note = "  OVER"
	}
	line := fmt.Sprintf("%-18s %-46s %8.1f ms  aim %5d ms%s", t.Name(), what,
		float64(took.Microseconds())/1000, aim.Milliseconds(), note)
	suite.mu.Lock()
	suite.figures = append(suite.figures, line)
	suite.mu.Unlock()
}

// newHome makes a home with the demo's database in it.
func newHome(t *testing.T) string {
	t.Helper()
	home := t.TempDir()
	const data = ".local/share/almanac"
	if err := os.MkdirAll(filepath.Join(home, data), 0o700); err != nil {
		t.Fatal(err)
	}
	db, err := os.ReadFile(filepath.Join(suite.seed, data, "office.db"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(home, data, "office.db"), db, 0o600); err != nil {
		t.Fatal(err)
	}
	return home
}

// A result is what a headless run left.
type result struct {
	code           int
	stdout, stderr string
}

// headless runs the program without a terminal.
func headless(t *testing.T, home, stdin string, env []string, args ...string) result {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), suite.program, args...)
	cmd.Env = append([]string{"HOME=" + home, "PATH=" + os.Getenv("PATH")}, env...)
	cmd.Stdin = strings.NewReader(stdin)
	var out, errs strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil && cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return result{cmd.ProcessState.ExitCode(), out.String(), errs.String()}
}
