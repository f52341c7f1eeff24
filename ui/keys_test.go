package ui

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/google/go-cmp/cmp"

	"almanac/catalog"
	"almanac/repl"
	"almanac/repl/event"
	"almanac/repl/input"
	"almanac/session"
	"almanac/session/vm"
)

// state is what the ladder tests look at: input, what runs, whether the exit is armed, whether the screen leaves.
func (s *screen) state() string {
	state := fmt.Sprintf("%q", s.edit.text)
	if s.work != nil {
		state += " running"
		if s.work.stopped {
			state += " stopped"
		}
	}
	if len(s.queue) > 0 {
		state += fmt.Sprintf(" queued %d", len(s.queue))
	}
	if s.clock.Before(s.armed) {
		state += " armed"
	}
	if s.leaving {
		state += " leaving"
	}
	return state
}

func TestKeys(t *testing.T) {
	for _, c := range []struct {
		name string
		keys []string
		want string
	}{
		{"Ctrl+C on empty input arms", []string{"ctrl+c"}, `"" armed`},
		{"twice leaves", []string{"ctrl+c", "ctrl+c"}, `"" leaving`},
		{"any other key disarms", []string{"ctrl+c", "a", "ctrl+c"}, `""`},
		{"a cursor key disarms too", []string{"ctrl+c", "left", "ctrl+c"}, `"" armed`},
		{"after 1.5 s it is armed anew", []string{"ctrl+c", "wait 1500ms", "ctrl+c"}, `"" armed`},
		{"within 1.5 s it leaves", []string{"ctrl+c", "wait 1400ms", "ctrl+c"}, `"" leaving`},
		{"Ctrl+C clears text", []string{"abc", "ctrl+c"}, `""`},
		{"which Up brings back", []string{"abc", "ctrl+c", "up"}, `"abc"`},
		{"Ctrl+C stops what runs and keeps text", []string{"f()", "enter", "abc", "ctrl+c"}, `"abc" running stopped`},
		{"a stopped run that goes on can be left", []string{"f()", "enter", "ctrl+c", "ctrl+c", "ctrl+c"}, `"" running stopped leaving`},
		{"Ctrl+D on empty input arms", []string{"ctrl+d"}, `"" armed`},
		{"Ctrl+D twice leaves", []string{"ctrl+d", "ctrl+d"}, `"" leaving`},
		{"Ctrl+D deletes to the right", []string{"abc", "home", "ctrl+d"}, `"bc"`},
		{"Esc stops what runs", []string{"f()", "enter", "esc"}, `"" running stopped`},
		{"Esc leaves text alone", []string{"abc", "esc"}, `"abc"`},
		{"Enter runs", []string{"f()", "enter"}, `"" running`},
		{"Enter on blank input does nothing", []string{"  ", "enter"}, `"  "`},
		{"Enter queues while something runs", []string{"f()", "enter", "g()", "enter", "h()", "enter"}, `"" running queued 2`},
		{"Ctrl+J is always a new line", []string{"a", "ctrl+j", "b"}, `"a\nb"`},
		{"Alt+Enter too", []string{"a", "alt+enter", "b"}, `"a\nb"`},
		{"Shift+Enter too", []string{"a", "shift+enter", "b"}, `"a\nb"`},
		{"? is a letter in text", []string{"a?"}, `"a?"`},
		{"F5 previews and keeps the input", []string{"x=2", "f5"}, `"x=2" running`},
		{"Ctrl+W cuts a word, Ctrl+Y brings it back", []string{"a bc", "ctrl+w", "ctrl+y", "ctrl+y"}, `"a bcbc"`},
		{"Ctrl+U cuts to the left", []string{"abc", "left", "ctrl+u"}, `"c"`},
		{"Ctrl+K cuts to the right", []string{"abc", "home", "right", "ctrl+k"}, `"a"`},
		{"Ctrl+_ undoes", []string{"abc", "ctrl+u", "ctrl+_"}, `"abc"`},
		{"Alt+B and Alt+F move by words", []string{"one two", "alt+b", "X", "alt+f", "Y"}, `"one XtwoY"`},
		{"Up moves inside text first", []string{"ab", "ctrl+j", "cd", "up", "X"}, `"abX\ncd"`},
		{"Down moves inside text first", []string{"ab", "ctrl+j", "cd", "up", "home", "down", "X"}, `"ab\nXcd"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newScreen(t, 80, 24)
			for _, k := range c.keys {
				if d, ok := strings.CutPrefix(k, "wait "); ok {
					d, err := time.ParseDuration(d)
					if err != nil {
						t.Fatal(err)
					}
					s.pass(d)
					continue
				}
				s.keys(k)
			}
			if got := s.state(); got != c.want {
				t.Errorf("after %q: got %s, want %s", c.keys, got, c.want)
			}
		})
	}
}

func TestHistoryKeys(t *testing.T) {
	s := newScreen(t, 80, 24)
	s.history.Add("one", input.LuaMode)
	s.history.Add("two\nlines", input.LuaMode)
	s.keys("draft")
	for _, step := range []struct{ key, want string }{
		{"up", "two\nlines"}, {"up", "two\nlines"}, {"up", "one"}, {"up", "one"},
		{"down", "two\nlines"}, {"down", "draft"}, {"down", "draft"},
	} {
		s.keys(step.key)
		if s.edit.text != step.want {
			t.Fatalf("%s: got %q, want %q", step.key, s.edit.text, step.want)
		}
	}
	s.keys("ctrl+r", "lin", "enter")
	if s.edit.text != "two\nlines" || s.work != nil {
		t.Errorf("search: got %q, running %v", s.edit.text, s.work != nil)
	}
	s.keys("ctrl+r", "one", "esc")
	if s.edit.text != "two\nlines" {
		t.Errorf("Esc changed the input to %q", s.edit.text)
	}
	s.keys("ctrl+r", "ctrl+r", "enter")
	if s.edit.text != "one" {
		t.Errorf("Ctrl+R again: got %q, want the older entry", s.edit.text)
	}
}

func TestPaste(t *testing.T) {
	s := newScreen(t, 80, 24)
	s.send(tea.PasteMsg{Content: "line1\rline2\r\n/quit\n\x1b[31mred\u202e"})
	if want := "line1\nline2\n/quit\n[31mred"; s.edit.text != want || s.work != nil || s.leaving {
		t.Errorf("got %s, want the input %q", s.state(), want)
	}
	s.keys("ctrl+c")
	long := strings.TrimSuffix(strings.Repeat("x = 1\n", 340), "\n")
	s.send(tea.PasteMsg{Content: long})
	if want := "[pasted 340 lines #1]"; s.folds.Show(s.edit.text) != want {
		t.Errorf("got %q, want %q", s.edit.text, want)
	}
	s.keys("enter")
	if s.work == nil || s.work.line != long {
		t.Errorf("what runs is not what was pasted: %s", s.state())
	}
}

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
	if typed, err := s.history.Load(10); err != nil || len(typed) != 1 || typed[0].Text != "y = 2" || typed[0].Mode != input.LuaMode {
		t.Errorf("the history has %v, %v", typed, err)
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

func TestApproval(t *testing.T) {
	edited := map[string]any{"invoice_id": "inv_1001", "amount_cents": int64(5), "reason": "duplicate"}
	toEnd := []string{"ctrl+u", `{ invoice_id = "inv_1001", amount_cents = 5, reason = 'duplicate' }`}
	for _, c := range []struct {
		name string
		keys []string
		want session.Approval
	}{
		{"y allows once", []string{"y", "pause"}, session.Approval{Verdict: session.Once}},
		{"and at once with Enter", []string{"y", "enter"}, session.Approval{Verdict: session.Once}},
		{"a asks once more", []string{"a", "pause", "enter"}, session.Approval{Verdict: session.ForSession}},
		{"which any key takes back", []string{"a", "pause", "left", "pause", "enter", "pause", "n", "enter", "enter"}, session.Approval{}},
		{"n asks why", []string{"n", "pause", "wrong customer", "enter"}, session.Approval{Reason: "wrong customer"}},
		{"Esc asks why", []string{"esc", "enter"}, session.Approval{}},
		{"Esc Esc denies", []string{"esc", "esc"}, session.Approval{}},
		{"e changes the arguments", append([]string{"e", "pause"}, append(toEnd, "enter")...), session.Approval{Verdict: session.Once, Args: edited}},
		{"what the action would refuse is not sent", []string{"e", "pause", "ctrl+u", `{ invoice_id = 5 }`, "enter", "esc", "pause", "n", "pause", "esc"}, session.Approval{}},
		{"what cannot be read is not sent", []string{"e", "pause", "ctrl+u", "{", "enter", "esc", "pause", "n", "pause", "esc"}, session.Approval{}},
		{"Enter is no answer", []string{"enter", "enter", " ", "pause", "n", "enter", "enter"}, session.Approval{}},
		{"Ctrl+C stops the run", []string{"ctrl+c"}, session.Approval{Reason: "interrupted"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newScreen(t, 80, 24)
			s.keys("f()", "enter", "draft")
			answer := s.ask()
			s.keys("pause")
			s.keys(c.keys...)
			if diff := cmp.Diff(c.want, answered(t, answer)); diff != "" {
				t.Errorf("answer (-want +got):\n%s", diff)
			}
			if s.edit.text != "draft" {
				t.Errorf("the draft became %q", s.edit.text)
			}
		})
	}
}

// Whether a run goes on is answered like all else: one key alone says yes, and there is nothing to grant or to edit.
func TestGoingOn(t *testing.T) {
	for _, c := range []struct {
		name string
		keys []string
		want session.Approval
		told string
	}{
		{"y goes on", []string{"y", "pause"}, session.Approval{Verdict: session.Once}, "went on, 1000 more calls"},
		{"n ends", []string{"n", "pause"}, session.Approval{}, "ended the run"},
		{"Esc ends", []string{"esc", "enter"}, session.Approval{}, "ended the run"},
		{"a is no answer", []string{"a", "pause", "enter", "pause", "n", "pause"}, session.Approval{}, "ended the run"},
		{"nor e and ?", []string{"e", "pause", "enter", "?", "pause", "enter", "pause", "n", "pause"}, session.Approval{}, "ended the run"},
		{"nor a word", []string{"yes", "pause", "enter", "pause", "n", "pause"}, session.Approval{}, "ended the run"},
		{"Ctrl+C stops the run", []string{"ctrl+c"}, session.Approval{Reason: "interrupted"}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newScreen(t, 80, 24)
			s.keys("f()", "enter", "draft")
			answer := s.ask(func(r *session.Request) { r.Over = &session.Overrun{Name: "calls", Used: 1000, More: 1000} })
			s.keys("y") // typed before
			s.keys("pause")
			if len(answer) > 0 {
				t.Fatal("a letter that was on its way answered")
			}
			for _, want := range []string{"go on? [9]", "1000 action calls used", "y goes on with 1000 more", "y go on · n end the run · v script"} {
				if !strings.Contains(s.picture(), want) {
					t.Errorf("no %q in\n%s", want, s.picture())
				}
			}
			s.keys(c.keys...)
			if diff := cmp.Diff(c.want, answered(t, answer)); diff != "" {
				t.Errorf("answer (-want +got):\n%s", diff)
			}
			if got := strings.Join(s.printed, "\n"); s.edit.text != "draft" || !strings.Contains(got, c.told) {
				t.Errorf("the draft became %q, told %q", s.edit.text, got)
			}
		})
	}
}

// Words at an open question, typed as fast as people do or slower, pasted, with an Enter behind them or in one write, answer
// nothing: no grant, no denial, nothing in the input or in a reason, and the box says so. Then y allows exactly one.
func TestWordsAreNoAnswers(t *testing.T) {
	for _, size := range []struct{ width, height int }{{100, 32}, {80, 24}, {40, 15}} {
		for _, word := range []string{"/trace", "/allow", "/policy", "/a", "yes", "yy", "away", "a lot", "a b", "aa", "no", "never", "edit it", "ya", "and", " y", "Y", "A", "äy"} {
			for _, gap := range []time.Duration{time.Millisecond, 40 * time.Millisecond, 400 * time.Millisecond, 650 * time.Millisecond} {
				if size.width != 80 && gap != 40*time.Millisecond {
					continue
				}
				s := newScreen(t, size.width, size.height)
				s.keys("f()", "enter", "draft")
				answer := s.ask()
				s.keys("pause")
				for _, r := range word {
					s.send(tea.KeyPressMsg{Code: r, Text: string(r)})
					s.pass(gap)
				}
				if row := s.picture(); !strings.Contains(row, "no answer") {
					t.Errorf("%q at %v: nothing says that it is no answer:\n%s", word, size, row)
				}
				s.send(tea.KeyPressMsg{Code: tea.KeyEnter})
				s.keys("pause", "enter", "pause")
				if len(answer) > 0 || len(s.asks) != 1 || s.asks[0].stage != deciding || s.asks[0].held != "" || s.edit.text != "draft" {
					t.Fatalf("%q, a key each %v: answered %d, input %q", word, gap, len(answer), s.edit.text)
				}
				s.keys("y", "pause")
				if got := answered(t, answer); got.Verdict != session.Once || len(s.asks) > 0 {
					t.Errorf("%q: then y gave %v", word, got)
				}
			}
		}
	}
}

func TestPastesAreNoAnswers(t *testing.T) {
	for _, text := range []string{"y", "y\n", "a\n", "yes", "n\nwrong customer\n"} {
		s := newScreen(t, 80, 24)
		s.keys("f()", "enter", "draft")
		answer := s.ask()
		s.keys("pause")
		s.send(tea.PasteMsg{Content: text})
		s.keys("enter", "pause")
		// The same without marks: keys and an Enter in one write.
		for _, r := range text {
			k := tea.KeyPressMsg{Code: r, Text: string(r)}
			if r == '\n' {
				k = tea.KeyPressMsg{Code: tea.KeyEnter}
			}
			s.send(k)
		}
		s.pass(quietTime / 2)
		s.keys("left", "pause", "enter", "pause")
		if len(answer) > 0 || len(s.asks) != 1 || s.asks[0].stage != deciding || s.edit.text != "draft" {
			t.Errorf("%q: answered %d, input %q", text, len(answer), s.edit.text)
		}
	}
	// An answer and its Enter, or an Enter and an answer, in one write: neither allows, at once or after the silence.
	for _, keys := range []string{"y\n", "a\n", "e\n", "n\n", "\ny"} {
		s := newScreen(t, 80, 24)
		s.keys("f()", "enter")
		answer := s.ask()
		s.keys("pause", "pause")
		for _, r := range keys {
			k := tea.KeyPressMsg{Code: r, Text: string(r)}
			if r == '\n' {
				k = tea.KeyPressMsg{Code: tea.KeyEnter}
			}
			s.send(k)
		}
		if box := s.picture(); !strings.Contains(box, "no answer") {
			t.Errorf("%q: nothing says that it is no answer:\n%s", keys, box)
		}
		s.keys("pause", "pause")
		if len(answer) > 0 || s.asks[0].stage != deciding || s.asks[0].held != "" {
			t.Errorf("%q in one write was an answer", keys)
		}
	}
	// A paste of arguments or of a reason allows and denies nothing by its own Enter.
	for _, stage := range []string{"e", "n"} {
		s := newScreen(t, 80, 24)
		s.keys("f()", "enter")
		answer := s.ask()
		s.keys("pause", stage, "pause")
		for _, r := range " x" {
			s.send(tea.KeyPressMsg{Code: r, Text: string(r)})
		}
		s.send(tea.KeyPressMsg{Code: tea.KeyEnter})
		if len(answer) > 0 {
			t.Errorf("%s: an Enter of a paste answered", stage)
		}
	}
}

// Letters that were still on their way when the question went are no text of the input.
func TestLettersOfAQuestionThatWent(t *testing.T) {
	s := newScreen(t, 80, 24)
	s.keys("f()", "enter", "draft")
	s.ask()
	s.keys("pause", "/tr")
	s.send(doneMsg{})
	s.keys("ace", "enter")
	if s.edit.text != "draft" || s.work != nil {
		t.Errorf("they became input: %s", s.state())
	}
	s.keys("pause", "s")
	if s.edit.text != "drafts" {
		t.Errorf("the input stays deaf: %q", s.edit.text)
	}
}

// A program that stood still hears the keys that waited before it takes their silence for an answer.
func TestStandstillIsNoSilence(t *testing.T) {
	s := newScreen(t, 80, 24)
	s.keys("f()", "enter")
	answer := s.ask()
	s.keys("pause", "y")
	s.clock = s.clock.Add(time.Minute)
	s.send(tickMsg{})
	if s.keys("es", "pause"); len(answer) > 0 {
		t.Error("the y of a yes was taken")
	}
}

// Panes, help, the script and scrolling are there while a question waits; their keys answer nothing, and it is there again
// when they close.
func TestPanesDuringAQuestion(t *testing.T) {
	for _, c := range []struct{ key, shows string }{
		{"f1", "Help"}, {"f2", "Variables"}, {"f3", "Trace"}, {"f4", "Catalog"}, {"f5", "Preview"}, {"f6", "Value"},
		{"v", "for _, i in ipairs(all) do"}, {"ctrl+o", "Pay money back to a customer. It cannot be taken back."},
	} {
		s := newScreen(t, 80, 24)
		s.keys("f()", "enter", "draft")
		s.open(event.TracePane)
		answer := s.ask()
		s.keys("pause")
		for range 2 {
			s.paneKeys(c.key)
			if got := s.picture(); !strings.Contains(got, c.shows) || strings.Contains(got, "y once") {
				t.Errorf("%s shows\n%s", c.key, got)
			}
			s.keys("y", "pause", "a", "pause", "pgdown", "n", "pause")
			s.keys("esc")
			if s.help != nil || s.overlay() != nil { // it ended a search
				s.keys("esc")
			}
			s.send(tea.KeyPressMsg{Code: 'y', Text: "y"})
			s.keys("pause")
		}
		if len(answer) > 0 || len(s.asks) != 1 || s.asks[0].stage != deciding || len(s.queue) > 0 {
			t.Fatalf("%s: answered %d, questions %d, queued %d", c.key, len(answer), len(s.asks), len(s.queue))
		}
		if got := s.picture(); !strings.Contains(got, "y once") {
			t.Errorf("after %s the question is not there:\n%s", c.key, got)
		}
		s.keys("y", "pause")
		answered(t, answer)
		if _, ok := s.overlay().(*tracePane); !ok {
			t.Errorf("%s: the pane that was open before is gone", c.key)
		}
	}
}

// The panes of a question close with the key that opened them, and with their question.
func TestPanesOfAQuestionClose(t *testing.T) {
	for _, key := range []string{"v", "ctrl+o"} {
		s := newScreen(t, 80, 24)
		s.keys("f()", "enter")
		s.ask()
		s.keys("pause", key, "pause")
		if s.overlay() == nil {
			t.Fatalf("%s opens nothing", key)
		}
		if s.keys(key, "pause"); s.overlay() != nil || !strings.Contains(s.picture(), "y once") {
			t.Errorf("%s again does not close it:\n%s", key, s.picture())
		}
		s.keys(key, "pause")
		if s.send(doneMsg{}); s.overlay() != nil || len(s.panes) > 0 {
			t.Errorf("%s: it stays without its question:\n%s", key, s.picture())
		}
	}
}

// The risk and the warnings are never cut, whatever the window, and high risk differs from low without colour.
func TestRiskIsAlwaysShown(t *testing.T) {
	for _, size := range []struct{ width, height int }{{100, 32}, {80, 24}, {60, 12}, {40, 15}, {40, 10}, {30, 15}} {
		s := newScreen(t, size.width, size.height)
		s.keys("f()", "enter")
		s.ask()
		for range 3 {
			text := strings.Join(strings.Fields(strings.ReplaceAll(s.View().Content, "┃", "")), " ")
			if !containsAll(text, "billing.refund.issue", "MUTATES", "HIGH RISK", "! It cannot be taken back.", "━━") {
				t.Errorf("%v: the box is\n%s", size, s.View().Content)
			}
			s.keys("pgdown")
		}
	}
	s := newScreen(t, 80, 24)
	s.keys("f()", "enter")
	s.ask()
	low := *s.asks[0].request.Entry
	low.Risk, low.Description = catalog.Low, "Write a note."
	s.asks[0].request.Entry = &low
	s.stale = true
	if text := s.View().Content; !strings.Contains(text, "mutates · low risk") || strings.Contains(text, "━") || strings.Contains(text, "!") {
		t.Errorf("low risk looks like this:\n%s", text)
	}
}

// Arguments that the box has no room for are printed whole above it.
func TestApprovalOfTallArguments(t *testing.T) {
	s := newScreen(t, 40, smallHeight)
	s.keys("f()", "enter")
	s.ask()
	if len(s.printed) == 0 || !strings.Contains(strings.Join(s.printed, "\n"), `invoice_id = "inv_1001"`) {
		t.Errorf("printed %q", s.printed)
	}
	s = newScreen(t, 80, 24)
	s.keys("f()", "enter")
	s.ask()
	if len(s.printed) != 0 {
		t.Errorf("printed %q although the box shows it", s.printed)
	}
}

// A window that becomes too small for the box has its text above, and y waits for that.
func TestApprovalInAWindowThatShrinks(t *testing.T) {
	for _, size := range []struct{ width, height int }{{40, 8}, {20, 8}, {20, 24}} {
		s := newScreen(t, 80, 24)
		s.keys("f()", "enter")
		answer := s.ask()
		s.pass(time.Second)
		if len(s.printed) > 0 {
			t.Fatalf("printed %q although the box shows it", s.printed)
		}
		s.Update(tea.WindowSizeMsg{Width: size.width, Height: size.height}) // and nothing is printed yet
		s.clock = s.clock.Add(time.Second)
		s.asks[0].quiet = quietTime
		s.Update(tea.KeyPressMsg{Code: 'y', Text: "y"})
		if s.asks[0].held != "" {
			t.Errorf("%v: y was taken before all could be read", size)
		}
		s.pass(time.Second)
		text := strings.Join(strings.Fields(strings.NewReplacer("┃", "", "\n", " ").Replace(strings.Join(s.printed, " "))), " ")
		if !containsAll(text, "billing.refund.issue", `invoice_id = "inv_1001"`, "duplicate", "asked by") {
			t.Errorf("%v: printed %q", size, s.printed)
		}
		s.keys("y", "pause")
		if len(answer) == 0 {
			t.Errorf("%v: y was not taken", size)
		}
	}
}

// Where the id and the risk have no room nothing is allowed, and the box says why; n and Esc deny.
func TestApprovalInATinyWindow(t *testing.T) {
	for _, size := range []struct{ width, height int }{{20, 6}, {20, 5}, {20, 3}, {10, 3}} {
		for _, deny := range [][]string{{"n", "pause", "esc"}, {"esc", "esc"}} {
			s := newScreen(t, size.width, size.height)
			s.keys("f()", "enter")
			answer := s.ask()
			for _, key := range []string{"y", "a", "e"} {
				s.keys("pause", key, "enter", "pause", "enter", "pause")
				if len(answer) > 0 || len(s.asks) != 1 || s.asks[0].stage != deciding {
					t.Fatalf("%v: %s was an answer:\n%s", size, key, s.View().Content)
				}
			}
			if box := s.View().Content; !containsAll(box, "too small") || size.height > 3 && !containsAll(box, "enlarge it, or n") {
				t.Errorf("%v: the box does not say why:\n%s", size, box)
			}
			s.keys(deny...)
			if got := answered(t, answer); got.Verdict != session.Refuse {
				t.Errorf("%v: %q gave %v", size, deny, got)
			}
		}
	}
	// In one that shrinks, what is held is not taken and edited arguments allow nothing, until it is large again.
	for _, key := range []string{"y", "e"} {
		s := newScreen(t, 80, 24)
		s.keys("f()", "enter")
		answer := s.ask()
		s.keys("pause", key)
		if key == "e" {
			s.keys("pause")
		}
		s.send(tea.WindowSizeMsg{Width: 20, Height: 6})
		s.keys("pause", "enter", "pause")
		if len(answer) > 0 {
			t.Errorf("%s: what cannot be seen was allowed", key)
		}
		s.send(tea.WindowSizeMsg{Width: 80, Height: 24})
		s.keys("pause", "y", "enter")
		if key == "e" {
			s.keys("backspace", "enter")
		}
		if got := answered(t, answer); got.Verdict != session.Once {
			t.Errorf("%s: in the large window it gave %v", key, got)
		}
	}
}

// Who answers several questions in a row loses no letter of what is typed next.
func TestAnswersAreNoText(t *testing.T) {
	s := newScreen(t, 80, 24)
	s.keys("f()", "enter", "draft")
	for range 6 {
		answer := s.ask()
		s.keys("pause", "y", "pause")
		answered(t, answer)
	}
	s.keys("yes")
	s.send(doneMsg{})
	s.keys("y")
	if s.edit.text != "draftyesy" {
		t.Errorf("the input became %q", s.edit.text)
	}
}

// Keys that were on their way when the box appeared answer nothing.
func TestApprovalIsDeafAtFirst(t *testing.T) {
	s := newScreen(t, 80, 24)
	s.keys("f()", "enter")
	answer := s.ask()
	s.keys("y", "a", "n", "enter")
	s.pass(deafTime - frameTime)
	s.keys("y")
	if len(answer) > 0 || len(s.asks) != 1 || s.asks[0].stage != deciding {
		t.Fatal("an early key was taken")
	}
	for range 20 {
		s.pass(quietTime / 5)
		s.keys("a")
	}
	if len(answer) > 0 {
		t.Fatal("somebody who was typing answered")
	}
	s.keys("pause", "y", "pause")
	if got := answered(t, answer); got.Verdict != session.Once {
		t.Errorf("got %v", got)
	}
	// One letter of what was typed before, alone in its time.
	s.keys("w")
	answer = s.ask()
	s.pass(quietTime - 2*frameTime)
	s.keys("y", "pause")
	if len(answer) > 0 {
		t.Error("the last letter of a word answered")
	}
}

// A question that arrives after the interrupt is refused at once; nobody would answer it.
func TestApprovalAfterInterrupt(t *testing.T) {
	s := newScreen(t, 80, 24)
	s.keys("f()", "enter", "esc")
	if got := answered(t, s.ask()); got.Verdict != session.Refuse {
		t.Errorf("got %v", got)
	}
}

func TestCompletion(t *testing.T) {
	items := []repl.Completion{{Text: "list_unpaid"}, {Text: "list_all"}}
	s := newScreen(t, 80, 24)
	s.keys("billing.invoice.l")
	s.send(completedMsg{version: s.edit.version, pos: s.edit.pos, list: repl.Completions{Start: 16, End: 17, Items: items}})
	if s.edit.text != "billing.invoice.list_" || s.menu == nil {
		t.Fatalf("common part: got %q", s.edit.text)
	}
	s.keys("tab", "enter")
	if s.edit.text != "billing.invoice.list_all" || s.menu != nil || s.work != nil {
		t.Errorf("got %s", s.state())
	}
	s.send(completedMsg{version: s.edit.version - 1, pos: s.edit.pos, list: repl.Completions{Start: 0, End: 3, Items: items[:1]}})
	if s.edit.text != "billing.invoice.list_all" {
		t.Errorf("an old answer was taken: %q", s.edit.text)
	}
}

// Where the window has no room for the menu there is none, and Enter runs the input.
func TestCompletionInSmallWindows(t *testing.T) {
	items := []repl.Completion{{Text: "print"}, {Text: "prune"}}
	for _, c := range []struct {
		height int
		input  string
		want   string
	}{
		{9, "pr", `"prune"`}, {4, "pr", `"prune"`}, {3, "pr", `"" running`}, {24, "pr", `"prune"`},
	} {
		s := newScreen(t, 40, c.height)
		s.keys(c.input)
		s.send(completedMsg{version: s.edit.version, pos: s.edit.pos, list: repl.Completions{End: 2, Items: items}})
		if shown := strings.Contains(s.View().Content, "print"); shown != (c.height > 3) {
			t.Errorf("%d rows: the menu is drawn: %v", c.height, shown)
		}
		s.keys("down", "enter")
		if got := s.state(); got != c.want {
			t.Errorf("%d rows: Enter gives %s, want %s", c.height, got, c.want)
		}
	}
}

func TestHelpAsksTheModel(t *testing.T) {
	s := newScreen(t, 80, 24)
	s.keys("?hi there", "enter")
	if s.work == nil || s.work.line != "?hi there" || s.help != nil {
		t.Errorf("got %s", s.state())
	}
	s = newScreen(t, 80, 24)
	s.keys("f1", "hi", "enter")
	if s.work != nil || s.help != nil {
		t.Errorf("F1: got %s", s.state())
	}
}

// Behind "?" stands a filter of help or a question: what is typed or pasted is edited as in the input, and becomes its text
// once it can be no filter.
func TestHelpLine(t *testing.T) {
	long := "how many invoices of the customer are overdue for more than thirty days, and why is that"
	for _, c := range []struct {
		name  string
		keys  []string
		paste string
		help  bool
		want  string // the words of the page, or the input
	}{
		{"a filter", []string{"?hist"}, "", true, "hist"},
		{"a slip", []string{"?histt", "left", "ctrl+d"}, "", false, "?hist"},
		{"cursor keys", []string{"?story", "home"}, "hi", true, "history"},
		{"a word is cut", []string{"?search histo", "ctrl+w"}, "", true, "search "},
		{"no help has it", []string{"?zebra"}, "", false, "?zebra"},
		{"no help has it, and the cursor stays", []string{"?hist", "left"}, "qq", false, "?hisqqt"},
		{"a paste", []string{"?"}, "hist\n", true, "hist"},
		{"a paste of a question", []string{"?"}, long, false, "?" + long},
		{"a paste of lines", []string{"?say "}, "a\nb", false, "?say a\nb"},
		{"F1 takes no question", []string{"f1"}, "zebra", true, "zebra"},
	} {
		s := newScreen(t, 80, 24)
		for _, k := range c.keys {
			s.keys(k)
		}
		if c.paste != "" {
			s.send(tea.PasteMsg{Content: c.paste})
		}
		got := s.edit.text
		if s.help != nil {
			got = s.help.edit.text
			if !strings.Contains(s.View().Content, "Help · "+got) || s.View().Cursor == nil {
				t.Errorf("%s: the page does not show its words", c.name)
			}
		}
		if (s.help != nil) != c.help || got != c.want {
			t.Errorf("%s: help is open: %v, text %q, want %v, %q", c.name, s.help != nil, got, c.help, c.want)
		}
	}
}

func TestMode(t *testing.T) {
	s := newScreen(t, 80, 24)
	s.keys("shift+tab")
	if got := s.View().Content; !strings.Contains(got, "ask ❯") {
		t.Errorf("got %q", got)
	}
}

// A paste without its marks, as from a terminal that has none, runs nothing.
func TestBurst(t *testing.T) {
	s := newScreen(t, 80, 24)
	type key struct {
		gap  time.Duration
		text string // "\r" is Enter
	}
	for _, c := range []struct {
		name string
		keys []key
		want string // the input after all is quiet
	}{
		{"typed", []key{{time.Second, "1"}, {time.Second, "\r"}}, ""},
		{"typed at once, with Enter at its end", []key{{time.Second, "1"}, {0, "+"}, {0, "1"}, {0, "\r"}}, ""},
		{"lines at once", []key{{time.Second, "a"}, {0, "\r"}, {0, "b"}}, "a\nb"},
		{"lines at once, the last one ended", []key{{time.Second, "a"}, {0, "\r"}, {0, "b"}, {0, "\r"}}, "a\nb\n"},
		{"a blank line in between", []key{{time.Second, "a"}, {0, "\r"}, {0, "\r"}, {0, "b"}}, "a\n\nb"},
		{"and then Enter", []key{{time.Second, "a"}, {0, "\r"}, {0, "b"}, {time.Second, "\r"}}, ""},
	} {
		s.edit = editor{}
		s.work = nil
		for _, k := range c.keys {
			s.clock = s.clock.Add(k.gap)
			if k.gap >= burstTime { // the timer of an Enter before it
				s.send(heldMsg{s.burst.holds})
			}
			if k.text == "\r" {
				s.send(tea.KeyPressMsg{Code: tea.KeyEnter})
			} else {
				s.send(tea.KeyPressMsg{Code: rune(k.text[0]), Text: k.text})
			}
		}
		s.send(heldMsg{s.burst.holds - 1})
		s.send(heldMsg{s.burst.holds})
		if s.edit.text != c.want {
			t.Errorf("%s: the input is %q, want %q", c.name, s.edit.text, c.want)
		}
		if ran := s.work != nil; ran != (c.want == "") {
			t.Errorf("%s: ran %v", c.name, ran)
		}
	}
}

// A configured key does what its action does, the keys that the action had do nothing, and Ctrl+C stays what it is.
func TestBindings(t *testing.T) {
	s := newScreen(t, 80, 24)
	s.model.keys = newBindings(map[string][]string{
		"toggle_mode": {"f7"}, "variables": {}, "trace": {"f2"}, "interrupt": {"ctrl+c", "f12"}, "clear": {"ctrl+l", "f8"},
	})
	s.keys("shift+tab")
	if s.status.Mode != input.LuaMode {
		t.Error("the old key still changes the mode")
	}
	s.send(tea.KeyPressMsg{Code: tea.KeyF7})
	if s.status.Mode != input.AskMode {
		t.Error("the new key does not change the mode")
	}
	s.keys("f2")
	if _, ok := s.overlay().(*tracePane); !ok {
		t.Errorf("F2 opened %T", s.overlay())
	}
	s.keys("esc")
	s.keys("f3")
	if s.overlay() != nil {
		t.Error("F3 still opens the trace")
	}
	s.keys("f()", "enter", "ctrl+c")
	if !s.work.stopped {
		t.Error("Ctrl+C did not stop what runs")
	}
}

// What is typed narrows an open menu; a name behind an @ opens one by itself, but not in the middle of a word.
func TestMenuNarrows(t *testing.T) {
	s := newScreen(t, 80, 24)
	for _, c := range []struct {
		text, key  string
		open, want bool
	}{
		{"x = bil", "l", true, true},
		{"x = bil", "l", false, false},
		{"x = billing.", ".", true, true},
		{"f(x) ", " ", true, false},
		{"x", "backspace", true, true},
		{"@", "@", false, true},
		{"look at @re", "e", false, true},
		{"f(@re", "e", false, true},
		{"bob@acme", "e", false, false},
		{"@a b", "b", false, false},
	} {
		s.edit.set(c.text)
		text := c.key
		if len(text) > 1 {
			text = ""
		}
		if got := s.narrows(c.key, text, c.open); got != c.want {
			t.Errorf("%q after %s, menu open %v: %v", c.text, c.key, c.open, got)
		}
	}
	items := []repl.Completion{{Text: "crm.customer.search"}}
	s.edit.set("@cust")
	s.send(completedMsg{version: s.edit.version, pos: 5, list: repl.Completions{Start: 0, End: 5, Items: items}, quiet: true})
	if s.edit.text != "@cust" || s.menu == nil {
		t.Fatalf("a lone hit while typing: %q", s.edit.text)
	}
	s.keys("enter")
	if s.edit.text != "crm.customer.search" || s.menu != nil || s.work != nil {
		t.Errorf("Enter: %s", s.state())
	}
}

// What was found by words is not lost to a beginning that all hits share.
func TestCompletionKeepsWords(t *testing.T) {
	s := newScreen(t, 80, 24)
	s.keys("unpaid")
	items := []repl.Completion{{Text: "billing.invoice.list_unpaid"}, {Text: "billing.bill.unpaid"}}
	s.send(completedMsg{version: s.edit.version, pos: s.edit.pos, list: repl.Completions{Start: 0, End: 6, Items: items}})
	if s.edit.text != "unpaid" || s.menu == nil {
		t.Errorf("got %q", s.edit.text)
	}
}

// The hits of a search are offered below an empty input: Enter inserts a call, typing and Up go on without.
func TestOffer(t *testing.T) {
	hits := []event.Hit{{ID: "crm.customer.search", Tag: "R"}, {ID: "billing.refund.issue", Tag: "!"}}
	for _, c := range []struct {
		keys []string
		want string
	}{
		{[]string{"enter"}, `"crm.customer.search{}"`},
		{[]string{"down", "enter"}, `"billing.refund.issue{invoice_id = , amount_cents = }"`},
		{[]string{"down", "up", "up"}, `"earlier"`},
		{[]string{"x"}, `"x"`},
		{[]string{"esc", "enter"}, `""`},
	} {
		s := newScreen(t, 80, 24)
		s.history.Add("earlier", input.LuaMode)
		s.emit(event.Event{Kind: event.Found, Hits: hits, Total: 2})
		if s.menu == nil {
			t.Fatal("nothing is offered")
		}
		s.keys(c.keys...)
		if got := s.state(); got != c.want {
			t.Errorf("%v: got %s, want %s", c.keys, got, c.want)
		}
	}
	s := newScreen(t, 80, 24)
	s.keys("x")
	if s.emit(event.Event{Kind: event.Found, Hits: hits, Total: 2}); s.menu != nil {
		t.Error("hits are offered below an input that is being typed")
	}
}

// A pair of keys is one key; Esc twice brings the last input back where nothing runs.
func TestPairs(t *testing.T) {
	s := newScreen(t, 80, 24)
	s.history.Add("f(1)\n", input.LuaMode)
	s.history.Add("/trace", input.LuaMode)
	s.history.Add("what is new", input.AskMode)
	for _, c := range []struct {
		name string
		keys []string
		want string
	}{
		{"twice", []string{"esc", "esc"}, `"f(1)"`},
		{"not with text", []string{"x", "esc", "esc"}, `"x"`},
		{"not slowly", []string{"esc", "wait 1s", "esc"}, `""`},
		{"not after another key", []string{"esc", "x", "backspace", "esc"}, `""`},
		{"not where something runs", []string{"f()", "enter", "esc", "esc"}, `"" running stopped`},
	} {
		s.edit, s.work, s.escaped = editor{}, nil, time.Time{}
		for _, k := range c.keys {
			if d, ok := strings.CutPrefix(k, "wait "); ok {
				d, _ := time.ParseDuration(d)
				s.clock = s.clock.Add(d)
				continue
			}
			s.keys(k)
		}
		if got := strings.ReplaceAll(s.state(), `\n`, ""); got != c.want {
			t.Errorf("%s: got %s, want %s", c.name, got, c.want)
		}
	}
	s.edit, s.work = editor{}, nil
	s.model.keys = newBindings(map[string][]string{"verbose": {"ctrl+x v"}, "editor": {}, "edit_previous": {}})
	if s.keys("ctrl+x", "v"); !s.verbose || s.edit.text != "" {
		t.Errorf("Ctrl+X v: verbose %v, %s", s.verbose, s.state())
	}
	if s.keys("ctrl+x", "a"); s.edit.text != "" {
		t.Errorf("a pair that is none typed %q", s.edit.text)
	}
	if s.keys("x", "ctrl+x", "ctrl+c"); s.edit.text != "" || s.first != "" {
		t.Errorf("Ctrl+C behind the first key of a pair: %s", s.state())
	}
	if s.keys("esc", "esc"); s.edit.text != "" {
		t.Errorf("Esc Esc is unbound and brought %q", s.edit.text)
	}
	if s.keys("ctrl+o"); !s.verbose {
		t.Error("the old key still does something")
	}
}

// What is bound elsewhere is what the help shows.
func TestHelpShowsBindings(t *testing.T) {
	s := newScreen(t, 80, 24)
	s.model.keys = newBindings(map[string][]string{"history_search": {"alt+r"}, "verbose": {}})
	text := strings.Join(s.helpLines(""), "\n")
	if !strings.Contains(text, "Alt+R") || strings.Contains(text, "Ctrl+R") || strings.Contains(text, "Ctrl+O") {
		t.Errorf("got\n%s", text)
	}
}

// The terminal around is told only what was asked for, once, and all of it is taken back.
func TestSignals(t *testing.T) {
	s := newScreen(t, 80, 24)
	s.keys("f()", "enter")
	if got := s.signal(); got != "" || s.ring() != nil {
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
	if got, want := s.quiet(), "\x1b]2;\a\x1b[0 q"; got != want || s.ring() == nil {
		t.Errorf("at last %q, want %q", got, want)
	}
}

// Tab goes on behind a lone namespace: one press shows the actions.
func TestTabGoesOn(t *testing.T) {
	s := screenOf(t, lived(t), 80, 24)
	s.keys("x = crm.no")
	msg := s.complete()()
	cmd := s.completed(msg.(completedMsg))
	if s.edit.text != "x = crm.note." || cmd == nil {
		t.Fatalf("the input is %q", s.edit.text)
	}
	if s.completed(cmd().(completedMsg)); s.menu == nil || len(s.menu.list.Items) < 12 {
		t.Error("the menu did not open")
	}
}

// Help and hints name the keys that are bound, also where the shell itself speaks of them.
func TestHelpNamesBoundKeys(t *testing.T) {
	s, err := shared()
	if err != nil {
		t.Fatal(err)
	}
	sh := repl.New(repl.Options{Session: s})
	m := newModel(t.Context(), sh, Options{NoColor: true, Keys: map[string][]string{"catalog": {"ctrl+t"}, "preview": {}}})
	m.width, m.height = 80, 24
	help := strings.Join(m.helpLines("browse"), "\n") + strings.Join(m.helpLines("preview"), "\n") + strings.Join(m.helpLines(""), "\n")
	if !containsAll(help, "browse (Ctrl+T)", "Ctrl+T F2 F3") || strings.Contains(help, "F4") || strings.Contains(help, "F5") {
		t.Errorf("help:\n%s", help)
	}
	m = newModel(t.Context(), sh, Options{NoColor: true})
	m.width, m.height = 80, 24
	if help := strings.Join(m.helpLines(""), "\n"); strings.Contains(help, "…") || strings.Count(help, "\n") > 21 {
		t.Errorf("help does not fit:\n%s", help)
	}
	m = newModel(t.Context(), sh, Options{NoColor: true, Keys: map[string][]string{"preview": {}}})
	preview := &previewPane{m: m}
	if rows := preview.rows(80, 5); !strings.Contains(rows[0], "then /preview") {
		t.Errorf("hint: %q", rows)
	}
}

// A folded paste comes back whole whatever brought it back, and its words typed by hand are words.
func TestFolds(t *testing.T) {
	text := strings.TrimSuffix(strings.Repeat("x = 1\n", 30), "\n")
	for _, c := range []struct {
		name string
		keys []string // "paste" pastes text
		want string   // what runs, with text as P
	}{
		{"as it is", []string{"paste", "enter"}, "P"},
		{"between words", []string{"do ", "paste", " end", "enter"}, "do P end"},
		{"undone after Ctrl+C", []string{"paste", "ctrl+c", "ctrl+_", "enter"}, "P"},
		{"Up after Ctrl+C", []string{"paste", "ctrl+c", "up", "enter"}, "P"},
		{"undone after a walk through the history", []string{"paste", "up", "ctrl+_", "enter"}, "P"},
		{"walked back to", []string{"paste", "up", "down", "enter"}, "P"},
		{"undone after a search", []string{"paste", "ctrl+r", "enter", "ctrl+_", "enter"}, "P"},
		{"cut and put back twice", []string{"paste", "ctrl+w", "ctrl+y", "ctrl+y", "enter"}, "PP"},
		{"deleted as one letter", []string{"y", "paste", "backspace", "enter"}, "y"},
		{"its words typed", []string{"paste", "backspace", `y = "[pasted 30 lines #1]"`, "enter"}, `y = "[pasted 30 lines #1]"`},
		{"put back in the next input", []string{"paste", "ctrl+u", "y", "enter", "ctrl+y", "enter"}, "P"},
	} {
		s := newScreen(t, 80, 24)
		s.history.Add("one", input.LuaMode)
		var ran []string
		for _, k := range c.keys {
			if k == "paste" {
				s.send(tea.PasteMsg{Content: text})
				continue
			}
			s.keys(k)
			if s.work != nil {
				ran = append(ran, s.work.line)
				s.send(doneMsg{})
			}
		}
		if got := strings.ReplaceAll(strings.Join(ran[max(len(ran)-1, 0):], "|"), text, "P"); got != c.want {
			t.Errorf("%s: runs %q, want %q; the input is %q", c.name, got, c.want, s.edit.text)
		}
	}
	s := newScreen(t, 24, 24)
	s.send(tea.PasteMsg{Content: text})
	if got := s.View().Content; !strings.Contains(got, "[pasted 30 lines") {
		t.Errorf("the sign is not drawn in a narrow window:\n%s", got)
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
