//go:build unix

package ui

import (
	"bytes"
	"os"
	"os/exec"
	"reflect"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/creack/pty"
	"golang.org/x/term"
)

// This file drives a real program through a pseudo-terminal: this test binary, started anew with the real session,
// its Lua process and the demo catalog.

// A terminal is the program and what it wrote so far.
type terminal struct {
	t    *testing.T
	cmd  *exec.Cmd
	pty  *os.File
	tty  *os.File
	mode *term.State

	mu   sync.Mutex
	out  bytes.Buffer
	from int // what was written before this, escape sequences left out, was looked at already
	done chan struct{}
}

func openTerminal(t *testing.T) *terminal {
	t.Helper()
	return openTerminalOf(t, &pty.Winsize{Rows: 24, Cols: 80})
}

func openTerminalOf(t *testing.T, size *pty.Winsize) *terminal {
	t.Helper()
	master, tty, err := pty.Open()
	if err != nil {
		t.Skipf("no pseudo-terminal: %v", err)
	}
	if err := pty.Setsize(master, size); err != nil {
		t.Fatal(err)
	}
	before, err := term.GetState(int(tty.Fd()))
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "TERM=xterm-256color", programEnv+"=1")
	cmd.Stdin, cmd.Stdout, cmd.Stderr = tty, tty, tty
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	x := &terminal{t: t, cmd: cmd, pty: master, tty: tty, mode: before, done: make(chan struct{})}
	go func() {
		defer close(x.done)
		buf := make([]byte, 32<<10)
		for {
			n, err := master.Read(buf)
			x.mu.Lock()
			x.out.Write(buf[:n])
			x.mu.Unlock()
			if err != nil {
				return
			}
		}
	}()
	t.Cleanup(func() {
		if cmd.ProcessState == nil {
			cmd.Process.Kill()
			cmd.Wait()
		}
		tty.Close()
		master.Close()
		<-x.done
	})
	return x
}

func (x *terminal) typed(text string) {
	x.t.Helper()
	if _, err := x.pty.WriteString(text); err != nil {
		x.t.Fatal(err)
	}
}

// want waits until text was written after what the last want saw.
func (x *terminal) want(text string) {
	x.t.Helper()
	for deadline := time.Now().Add(10 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		x.mu.Lock()
		all := ansi.Strip(x.out.String())
		x.mu.Unlock()
		fresh := all[min(x.from, len(all)):]
		if i := strings.Index(fresh, text); i >= 0 {
			x.from += i + len(text)
			return
		}
		if time.Now().After(deadline) {
			x.t.Fatalf("no %q in what was written:\n%s", text, fresh)
		}
	}
}

// line types one input and waits for what it prints.
func (x *terminal) line(input, want string) {
	x.t.Helper()
	x.typed(input + "\r")
	x.want(want)
}

// ended waits for the program's end, checks that the terminal is as it was, and returns the exit code.
func (x *terminal) ended() int {
	x.t.Helper()
	late := time.AfterFunc(time.Minute, func() {
		x.t.Error("the program did not end")
		x.cmd.Process.Kill()
	})
	x.cmd.Wait()
	late.Stop()
	after, err := term.GetState(int(x.tty.Fd()))
	if err != nil {
		x.t.Fatal(err)
	}
	if !reflect.DeepEqual(after, x.mode) {
		x.t.Error("the terminal was left in another mode")
	}
	x.tty.Close() // now nobody holds it, and the reader comes to its end
	<-x.done
	x.mu.Lock()
	defer x.mu.Unlock()
	out := x.out.String()
	if strings.LastIndex(out, "\x1b[?2004l") < strings.LastIndex(out, "\x1b[?2004h") {
		x.t.Error("bracketed paste was left on")
	}
	return x.cmd.ProcessState.ExitCode()
}

func TestProgram(t *testing.T) {
	x := openTerminal(t)
	x.want("? help")
	x.want("lua ❯")
	x.line("x = 41", "[1]")
	x.line("x + 1", "42")
	x.typed("for i = 1, 2 do\rprint('row', i * 10)\rend") // a paste without its marks
	x.want("end")
	time.Sleep(2 * burstTime)
	x.line("", "row    20")
	x.line("while true do x = x + 1 end", "running")
	x.typed("\x03")
	x.want("interrupted")
	x.line("x == 41", "true")

	x.typed("\x1b[200~print('pasted')\r/quit\x1b[201~")
	x.want("/quit")
	x.typed("\x03")

	x.line(`crm.customer.search{ query = "Acme", limit = 1 }[1].id`, "cus_")
	x.line(`billing.refund.issue{ invoice_id = "inv_00001", amount_cents = 1, reason = "duplicate" }`, "y once")
	time.Sleep(quietTime + 200*time.Millisecond)
	for _, key := range []string{"\r", "\r", "n"} {
		x.typed(key)
		time.Sleep(2 * burstTime)
	}
	x.want("denies with this reason")
	x.typed("wrong customer")
	x.want("wrong customer")
	time.Sleep(2 * burstTime)
	x.typed("\r")
	x.want("denied: wrong customer")
	x.want("lua ❯")
	x.line("/quit", "\n")
	if code := x.ended(); code != 0 {
		t.Errorf("exit code %d, want 0", code)
	}
}

// A terminal without a size is taken for one of 80 by 24, until it has one.
func TestProgramOfUnknownSize(t *testing.T) {
	t.Setenv("COLUMNS", "")
	t.Setenv("LINES", "")
	x := openTerminalOf(t, &pty.Winsize{})
	x.want(strings.Repeat("─", 79))
	x.want("? help")
	x.line("6 * 7", "42")
	x.want("? help")
	if err := pty.Setsize(x.pty, &pty.Winsize{Rows: 24, Cols: 60}); err != nil {
		t.Fatal(err)
	}
	x.line("'at 60'", `"at 60"`)                                // first: what is typed sooner would be a paste with it
	x.want("calls 0/1000" + strings.Repeat(" ", 16) + "? help") // without the fields for which there is no room
	x.line("/quit", "\n")
	if code := x.ended(); code != 0 {
		t.Errorf("exit code %d, want 0", code)
	}
}

func TestProgramIsTerminated(t *testing.T) {
	x := openTerminal(t)
	x.want("lua ❯")
	x.line("print('before') while true do end", "before")
	if err := x.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if code := x.ended(); code != 143 {
		t.Errorf("exit code %d, want 143", code)
	}
}

// An idle screen writes nothing at all.
func TestProgramIsSilentWhenIdle(t *testing.T) {
	x := openTerminal(t)
	x.want("lua ❯")
	x.line("1 + 1", "2")
	time.Sleep(500 * time.Millisecond)
	x.mu.Lock()
	before := x.out.Len()
	x.mu.Unlock()
	time.Sleep(time.Second)
	x.mu.Lock()
	defer x.mu.Unlock()
	if n := x.out.Len() - before; n > 0 {
		t.Errorf("%d bytes written while idle: %q", n, x.out.String()[before:])
	}
}

// A terminal tells its background in pieces, while somebody types: the typing comes to the input, and colours come that
// can be read on it. One that never tells is waited for neither at the start nor at the end.
func TestProgramAsksForTheBackground(t *testing.T) {
	for _, name := range []string{"STY", "TMUX", "NO_COLOR"} {
		t.Setenv(name, "")
	}
	t.Setenv(colorEnv, "1")
	t.Setenv("COLORTERM", "truecolor")
	x := openTerminal(t)
	x.want("lua ❯")
	x.line("'as' .. 'ked'", `"asked"`)
	if got := x.raw(); strings.Count(got, ansi.RequestBackgroundColor) != 1 || strings.Contains(got, "\x1b[1;38;") {
		t.Errorf("before the answer: %q", got)
	}
	for _, piece := range []string{"'7", "\x1b]11;rgb:ffff/", "ffff/ffff\a5", "3' ..", " 1"} {
		x.typed(piece)
		time.Sleep(5 * time.Millisecond)
	}
	time.Sleep(2 * burstTime)
	x.line("", `"7531"`)
	if got := x.raw(); !strings.Contains(got, "\x1b[1;38;5;24mlua") {
		t.Errorf("no colours for a white background: %q", got)
	}
	x.line("/theme auto", "* auto")
	x.typed("/quit\r")
	if code := x.ended(); code != 0 {
		t.Errorf("exit code %d, want 0", code)
	}
	if got := x.raw(); strings.Count(got, ansi.RequestBackgroundColor) != 2 {
		t.Errorf("/theme auto does not ask again")
	}
}

func (x *terminal) raw() string {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.out.String()
}
