package ui

// This file tests what runs, what waits for it, and how it is stopped.

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"almanac/repl"
	"almanac/repl/event"
	"almanac/repl/input"
	"almanac/session/vm"
)

// Queued input runs when its turn comes, and comes back for editing after an interrupt.
func TestQueue(t *testing.T) {
	s := newScreen(t, 80, 24)
	s.keys("f()", "enter", "g()", "enter")
	s.send(doneMsg{})
	if got := s.state(); got != `"" running` || s.work.line != "g()" {
		t.Errorf("got %s", got)
	}
	s.keys("h()", "enter", "i()", "enter", "draft", "esc")
	s.send(doneMsg{repl.Failed})
	if got, want := s.state(), `"h()\ni()\ndraft"`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// A queued input runs in the mode that it was typed in, and after an interrupt no prose becomes Lua.
func TestQueueKeepsModes(t *testing.T) {
	s := newScreen(t, 80, 24)
	ran := make(chan string, 3)
	s.handle = func(_ context.Context, mode input.Mode, line string) repl.Status {
		ran <- mode.String() + " " + line
		return repl.Done
	}
	s.keys("f()", "enter")
	s.keys("shift+tab", "draft a note", "enter", "shift+tab", "x = 1", "enter", "shift+tab")
	for _, want := range []string{"ask draft a note", "lua x = 1"} {
		next := s.queue[0]
		s.queue, s.work = s.queue[1:], nil
		s.start(next)()
		if got := <-ran; got != want {
			t.Errorf("ran %q, want %q", got, want)
		}
	}
	s.keys("shift+tab", "note", "enter", "alt+up")
	if s.edit.text != "note" || len(s.queue) > 0 {
		t.Errorf("taken back: %s", s.state())
	}
	s.keys("ctrl+u")
	s.keys("y = 2", "enter", "shift+tab", "tell me", "enter", "shift+tab")
	s.keys("esc")
	s.send(doneMsg{repl.Failed})
	if s.edit.text != "tell me" || s.shell.Mode() != input.AskMode || len(s.queue) > 0 {
		t.Errorf("came back: %q in %v mode", s.edit.text, s.shell.Mode())
	}
	if typed, err := s.history.Load(10); err != nil || len(typed) != 1 || typed[0].Text != "y = 2" ||
		typed[0].Mode != input.LuaMode {
		t.Errorf("the history has %v, %v", typed, err)
	}
}

// While something runs /queue lists what waits, and takes some or all of it out; nothing else of it runs.
func TestQueueCommand(t *testing.T) {
	for _, c := range []struct {
		typed, want string
		says        []string
	}{
		{"/queue", `"" running queued 3`,
			[]string{"  1  lua ❯ g()", "  2  ask ❯ say it", "  3  lua ❯ h() i()", "/queue drop N"}},
		{"/queue drop 2", `"" running queued 2`, []string{"1 input taken out"}},
		{"/queue drop 1 3 1", `"" running queued 1`, []string{"2 inputs taken out"}},
		{"/queue clear", `"" running`, []string{"3 inputs taken out"}},
		{"/queue edit 2", `"say it" running queued 2`, []string{"input 2 is back for editing"}},
		{"/queue drop 4", `"" running queued 3`, []string{`no input "4": 3 inputs waiting`}},
		{"/queue drop x", `"" running queued 3`, []string{`no input "x"`}},
		{"/queue edit 1 2", `"" running queued 3`, []string{"usage: /queue"}},
		{"/queue all", `"" running queued 3`, []string{"usage: /queue"}},
	} {
		s := newScreen(t, 80, 24)
		s.keys("f()", "enter", "g()", "enter", "shift+tab", "say it", "enter", "shift+tab", "h()", "ctrl+j", "i()", "enter")
		s.keys(c.typed, "enter")
		s.pass(time.Second)
		if got := s.state(); got != c.want {
			t.Errorf("%s: %s, want %s", c.typed, got, c.want)
		}
		if told := strings.Join(s.printed, "\n"); !containsAll(told, c.says...) {
			t.Errorf("%s: told %s", c.typed, told)
		}
		if c.typed == "/queue edit 2" && s.shell.Mode() != input.AskMode {
			t.Error("what came back has another mode")
		}
	}
}

func TestWorker(t *testing.T) {
	s := newScreen(t, 80, 24)
	s.handle = func(ctx context.Context, _ input.Mode, line string) repl.Status {
		if line == "panic()" {
			panic("out of cheese")
		}
		<-ctx.Done()
		return repl.Quit
	}
	cmd := s.submit("panic()")
	s.send(cmd())
	if text := strings.Join(s.printed, "\n"); !strings.Contains(text, "out of cheese") || s.leaving {
		t.Errorf("after a panic: %s, printed %q", s.state(), text)
	}
	cmd = s.submit("wait()")
	s.keys("esc")
	s.send(cmd())
	if got := s.state(); got != `"" leaving` {
		t.Errorf("after Quit: %s", got)
	}
	s.wait(time.Second)
}

// A signal prints what is known, stops what runs, and leaves.
func TestStop(t *testing.T) {
	s := newScreen(t, 80, 24)
	s.keys("f()", "enter")
	s.feed.Emit(event.Event{Kind: event.Printed, Cell: 1, Stream: vm.Stdout, Text: "half a li"})
	why := errors.New("why")
	s.send(stopMsg{why})
	if s.left || !s.work.stopped {
		t.Fatalf("left before the worker ended: %s", s.state())
	}
	s.send(doneMsg{})
	if diff := cmp.Diff([]string{"half a li"}, s.printed); diff != "" {
		t.Errorf("printed (-want +got):\n%s", diff)
	}
	if !s.left || s.err != why || strings.TrimSpace(s.View().Content) != "" {
		t.Errorf("left %v, error %v, live region %q", s.left, s.err, s.View().Content)
	}
}

// The terminal around is told only what was asked for, once, and all of it is taken back.
func TestSignals(t *testing.T) {
	s := newScreen(t, 80, 24)
	s.keys("f()", "enter")
	if got := s.signal(); got != "" || s.call() != nil {
		t.Errorf("told %q", got)
	}
	s.title, s.progress, s.bell, s.vi.on = true, true, true, true
	for _, step := range []struct {
		do   func()
		want string
	}{
		{func() {}, "\x1b]2;almanac: running\a\x1b]9;4;3\a\x1b[6 q"},
		{func() {}, ""},
		{func() { s.ask() }, "\x1b]2;almanac: approve billing.refund.issue?\a\x1b]9;4;4;100\a\x1b[0 q"},
		{func() { s.send(doneMsg{}) }, "\x1b]2;almanac\a\x1b]9;4;0\a\x1b[6 q"},
		{func() { s.keys("esc") }, "\x1b[2 q"},
	} {
		step.do()
		if got := s.signal(); got != step.want {
			t.Errorf("told %q, want %q", got, step.want)
		}
	}
	if got, want := s.quiet(), "\x1b]2;\a\x1b[0 q"; got != want || s.call() == nil {
		t.Errorf("at last %q, want %q", got, want)
	}
}

// What waits to be printed when a run is stopped is not printed: one line tells how much that is.
func TestInterruptDropsOutput(t *testing.T) {
	s := newScreen(t, 80, 24)
	s.keys("f()", "enter")
	text := strings.Repeat("line\n", 5000)
	printed := func(text string) {
		s.feed.Emit(event.Event{Kind: event.Printed, Cell: 1, Stream: vm.Stdout, Text: text})
	}
	printed("first\n")
	s.pass(frameTime)
	printed(text)
	s.pull() // and nothing of it is printed yet
	s.keys("ctrl+c")
	printed(text)
	s.pass(frameTime)
	printed("bye\n")
	s.feed.Emit(event.Event{Kind: event.Said, Level: event.Notice, Text: "interrupted"})
	s.pass(frameTime)
	s.send(doneMsg{})
	want := []string{"first", "… 10,001 lines of output not shown after the stop", "interrupted"}
	if diff := cmp.Diff(want, s.printed); diff != "" {
		t.Errorf("printed (-want +got):\n%s", diff)
	}

	s = newScreen(t, 80, 24)
	s.keys("f()", "enter", "ctrl+c")
	printed("a last word\n")
	s.pass(frameTime)
	s.send(doneMsg{})
	if diff := cmp.Diff([]string{"a last word"}, s.printed); diff != "" {
		t.Errorf("printed (-want +got):\n%s", diff)
	}
}
