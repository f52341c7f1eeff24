//go:build unix

package e2e

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"almanac/llm/openai/openaitest"
)

// This file holds what a session promises: interrupts, nothing lost, approval, preview, resets, headless runs.

func TestR01InterruptAlwaysWorks(t *testing.T) {
	x := start(t, setup{model: []openaitest.Reply{{Text: "half an answer ", Hang: true}}})
	x.keys("BTab")
	x.want("lua ❯")
	x.line("x = 41")
	x.want("you set x")
	for _, loop := range []string{
		"while true do x=x+1 end",
		"while true do pcall(function() while true do x=x+1 end end) end",
	} {
		x.line(loop)
		x.want("running")
		x.keys("C-c")
		figure(t, "from Ctrl+C to interrupted", x.want(`^interrupted`), 200*time.Millisecond)
		x.line("x == 41")
		x.want(`^true`)
		x.line("/clear")
		x.gone(`^true`)
	}
	x.line("?hello")
	x.want("half an answer")
	x.keys("Escape")
	figure(t, "from Esc to the end of an answer", x.want(`^interrupted`), 200*time.Millisecond)
	x.want("half an answer")
	x.line("x == 41")
	x.want(`^true`)
}

func TestR02NothingIsLost(t *testing.T) {
	home := newHome(t)
	x := start(t, setup{home: home})
	x.line(`a = crm.customer.search{query="Acme", limit=1}`)
	x.want(`\[1\.1\]`)
	x.line(`b = 7`)
	x.want(`b = 7 +\[2\]`)
	x.signal(syscall.SIGKILL)
	x.want("RC=137")

	y := open(t, setup{home: home})
	y.keys("Up")
	y.want(`❯ b = 7 *$`)
	y.keys("Up")
	y.want(`❯ a = crm\.customer\.search`)
	y.keys("C-c")
	if log := x.log(); !strings.Contains(log, "crm.customer.search") || !strings.Contains(log, "b = 7") {
		t.Errorf("the log lost something:\n%s", log)
	}
	z := open(t, setup{home: home, args: []string{"--continue"}})
	z.line("/trace")
	z.want(`crm\.customer\.search.*\d+ ms`)
	z.keys("Escape")
	z.gone("Esc back")
	z.run("1 + 1", `^2$`)
	z.line("/quit")
	z.want(`resume: almanac --resume \S+`, `RC=0`)
}

func TestR05CtrlCLadder(t *testing.T) {
	x := start(t, setup{})
	x.text("some text")
	x.want("❯ some text")
	x.keys("C-c")
	x.want(`❯\s*$`)
	x.keys("Up")
	x.want("❯ some text")
	x.keys("C-c")
	x.gone("some text")
	x.keys("C-c")
	x.want("press Ctrl\\+C again to exit")
	x.keys("a", "C-c")
	x.want(`❯\s*$`)
	x.gone("again to exit")
	x.text("ab")
	x.keys("Home", "C-d")
	x.want(`❯ b\s*$`)
	x.keys("C-c")
	x.want(`❯\s*$`)
	x.keys("C-d")
	x.want("again to exit")
	x.gone("again to exit") // it is armed for a moment only
	x.line("/nope")
	x.want("unknown command")
	x.keys("C-c", "C-c")
	if code := x.ended(); code != 0 {
		t.Errorf("exit code %d", code)
	}
	for _, word := range []string{"/quit", "/exit"} {
		y := open(t, setup{})
		y.line(word)
		if code := y.ended(); code != 0 {
			t.Errorf("%s: exit code %d", word, code)
		}
	}
}

func TestR06MultiLineLua(t *testing.T) {
	x := start(t, setup{})
	x.line("for i=1,2 do")
	x.want(`^ +\.\.`)
	x.line("print(i)")
	x.line("end")
	x.want(`\[1\]`, `^1$`, `^2$`)
	x.run("1+1", `^2$`, `\[2\]`)
	x.run("_*10", `^20$`)
	x.run("_2 + 40", `^42$`)
	x.line("end")
	x.want("error", `❯\s*$`)
	for _, key := range []string{"C-j", "M-Enter"} {
		x.text("x = 1")
		x.keys(key)
		x.text("y = 2")
		x.want(`❯ x = 1`, `\.\. y = 2`)
		x.keys("C-c")
		x.gone(`\.\. y = 2`)
	}
}

// refund is what the model asks for in the tests of approvals.
const refundScript = `{"script":"return billing.refund.issue{invoice_id='inv_00001', amount_cents=100, reason='duplicate'}","actions":["billing.refund.issue"]}`

// silence is longer than what a box waits for before a key answers it.
const silence = 900 * time.Millisecond

func TestR08PreviewChangesNothing(t *testing.T) {
	x := start(t, setup{})
	before := x.refunds()
	x.run("x = 1", `x = 1 +\[1\]`)
	x.line(`/preview x=2; billing.refund.issue{invoice_id="inv_00001", amount_cents=100, reason="a"}`)
	x.want(`would call billing\.refund\.issue`, `preview: nothing was changed`)
	x.run("x", `^1$`)
	x.text("y = 5")
	x.keys("F5")
	x.want(`plan \d+: no writes`)
	x.want("Esc back")
	x.keys("Escape")
	x.gone("Esc back")
	x.idle()
	x.keys("C-c")
	x.gone("y = 5$")
	x.line("/preview nowhere.at_all = x")
	x.want("nowhere")
	x.run("y", `^nil$`)
	if after := x.refunds(); after != before {
		t.Errorf("refunds before %q, after %q", before, after)
	}
}

func TestR09LuaReset(t *testing.T) {
	x := start(t, setup{})
	x.run("x = 1", `\[1\]`)
	x.line("/lua vars")
	x.want(`x .*number`)
	x.keys("Escape")
	x.gone("Esc back")
	file := filepath.Join(x.home, "cells.lua")
	x.line("/lua save " + file)
	x.want("cells.lua")
	x.line("/lua reset")
	x.want(`reset.*1 global`)
	x.run("x", `^nil$`)
	x.run("type(map)", `"function"`)
	x.line("/lua load " + file)
	x.want(`cells\.lua.*\n`)
	x.run("x + 40", `^41$`)
}

func TestR13HeadlessDoesNotLie(t *testing.T) {
	t.Parallel()
	home := newHome(t)
	for _, c := range []struct {
		name, stdin string
		args        []string
		code        int
		stdout      string // a pattern for all of it
	}{
		{"value", "", []string{"-e", "1+1"}, 0, `^2\n$`},
		{"error", "", []string{"-e", `error("x")`}, 1, `^$`},
		{"code from stdin", "return 1+1", []string{"-e", "-"}, 0, `^2\n$`},
		{"unknown command", "", []string{"-p", "/nope"}, 2, `^$`},
		{"unknown flag", "", []string{"--nope"}, 2, `^$`},
		{"no model", "", []string{"-p", "hi"}, 3, `^$`},
		{"a change without leave", "",
			[]string{"-e", `billing.refund.issue{invoice_id="inv_00001", amount_cents=1, reason="x"}`}, 4, `^$`},
		{"a change with leave", "",
			[]string{"--allow", "crm.*", "-e", `return #crm.customer.search{query="Acme"} > 0`}, 0, `^true\n$`},
		{"json", "", []string{"--output", "json", "-e", "1+1"}, 0, `^2\n$`},
		{"too long", "", []string{"--lua-time", "100ms", "-e", "while true do end"}, 5, `^$`},
	} {
		r := headless(t, home, c.stdin, nil, c.args...)
		if r.code != c.code || !regexp.MustCompile(c.stdout).MatchString(r.stdout) {
			t.Errorf("%s: exit %d, want %d; stdout %q, stderr %q", c.name, r.code, c.code, r.stdout, r.stderr)
		}
		if r.code != 0 && r.stderr == "" {
			t.Errorf("%s: failed without a word", c.name)
		}
		if strings.Contains(r.stdout+r.stderr, "\x1b") {
			t.Errorf("%s: escapes without a terminal", c.name)
		}
	}
	for signal, code := range map[syscall.Signal]int{syscall.SIGTERM: 143, syscall.SIGINT: 130} {
		x := open(t, setup{home: newHome(t), args: []string{"--lua-time", "1m", "-e", `while true do end`}, first: "^"})
		x.wait("script in the log", func() bool { return strings.Contains(x.log(), "while true") })
		x.signal(signal)
		if got := x.ended(); got != code {
			t.Errorf("%v: exit %d, want %d", signal, got, code)
		}
	}
}

func TestR20Modes(t *testing.T) {
	x := start(t, setup{model: []openaitest.Reply{{Text: "from the model"}, {Text: "again the model"}}})
	x.want("ask ❯")
	x.line("!1+1")
	x.want(`^2$`)
	x.keys("BTab")
	x.want("lua ❯")
	x.line("?hello there")
	x.want("from the model", `lua ❯\s*$`)
	x.keys("BTab")
	x.want(`ask ❯\s*$`)
	x.line("hello")
	x.want("again the model")
	x.line("/mode")
	x.want("ask")

	y := open(t, setup{})
	y.want("lua ❯")
	y.line("?hi")
	y.want("OPENAI_API_KEY")
}

func TestR10InputStaysUsable(t *testing.T) {
	var text strings.Builder
	for i := range 6000 {
		fmt.Fprintf(&text, "w%05d ", i)
	}
	x := start(t,
		setup{model: []openaitest.Reply{{Text: text.String(), Delay: time.Millisecond}, {Text: "second answer"}}})
	x.line("begin")
	x.want(`w0\d{4}`)
	last := func() string {
		words := regexp.MustCompile(`w\d{5}`).FindAllString(x.screen(), -1)
		if len(words) == 0 {
			return ""
		}
		return words[len(words)-1]
	}
	at := last()
	x.text("abc")
	figure(t, "typed text seen while an answer streams", x.want("❯ abc"), 300*time.Millisecond)
	x.wait("stream that goes on", func() bool { return last() > at })
	x.keys("C-a")
	x.text("x")
	x.want("❯ xabc")
	x.keys("Enter")
	x.want("queued: 1")
	x.keys("Escape")
	x.want(`^interrupted`, "❯ xabc") // what was queued is given back
	x.keys("C-c")
	x.line("!1+1")
	x.want(`^2$`)
}

// A command that needs no model runs beside the stream.
func TestR10CommandsBesideTheModel(t *testing.T) {
	x := start(t, setup{model: []openaitest.Reply{{Text: "begun ", Hang: true}}})
	x.line("begin")
	x.want("begun")
	x.line("/help lua")
	x.want(`/lua reset`)
	x.want("writing")
	x.keys("C-c")
	x.want(`^interrupted`)
	x.line("/clear")
	x.gone("interrupted")
	x.line("!while true do end")
	x.want("working… [1-9]")
	x.line("/quit") // at once, whatever runs
	if code := x.ended(); code != 0 {
		t.Errorf("exit code %d", code)
	}
}

// Ctrl+Z goes back to a shell with job control and fg comes back, whoever stopped the program; without such a shell
// nothing is stopped.
func TestJobControl(t *testing.T) {
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("there is no bash")
	}
	x := start(t, setup{})
	x.keys("C-z")
	x.want("not started from a shell with job control")
	x.run("1+1", "^2$")

	x.tmux("respawn-pane", "-k", "-t", "s",
		"env -i PS1='shell: ' HISTFILE= HOME="+x.home+" TERM=xterm-256color PATH=$PATH LANG=C.UTF-8 bash --norc -i")
	x.want("^shell:")
	x.line(suite.program)
	x.want(prompt)
	x.line("print('pid' .. 1)")
	x.want("^pid1")
	x.text("x = 4")
	x.want("❯ x = 4")
	for _, stop := range []string{"C-z", "TSTP", "STOP"} {
		if stop == "C-z" {
			x.keys(stop)
		} else {
			x.tmux("run-shell", "kill -"+stop+" $(ps -o pid= --ppid #{pane_pid} | head -1)")
		}
		x.want(`Stopped.*\n(.*\n)*shell: *$`)
		x.keys("C-l")
		x.want(`^shell: *$`)
		x.line("fg")
		x.want("❯ x = 4")
	}
	x.line("2")
	x.run("x", "^42$")
	x.line("/quit")
	x.want("^shell: *$")
}
