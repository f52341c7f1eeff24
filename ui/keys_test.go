package ui

import (
	"fmt"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"almanac/repl/input"
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
		{"a stopped run that goes on can be left",
			[]string{"f()", "enter", "ctrl+c", "ctrl+c", "ctrl+c"}, `"" running stopped leaving`},
		{"Ctrl+D on empty input arms", []string{"ctrl+d"}, `"" armed`},
		{"Ctrl+D twice leaves", []string{"ctrl+d", "ctrl+d"}, `"" leaving`},
		{"Ctrl+D deletes to the right", []string{"abc", "home", "ctrl+d"}, `"bc"`},
		{"Esc stops what runs", []string{"f()", "enter", "esc"}, `"" running stopped`},
		{"Esc leaves text alone", []string{"abc", "esc"}, `"abc"`},
		{"Enter runs", []string{"f()", "enter"}, `"" running`},
		{"Enter on blank input does nothing", []string{"  ", "enter"}, `"  "`},
		{"Enter queues while something runs",
			[]string{"f()", "enter", "g()", "enter", "h()", "enter"}, `"" running queued 2`},
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

// Up and Down walk through what begins with what is typed, where anything does; what is changed begins anew.
func TestUpFiltersByWhatIsTyped(t *testing.T) {
	s := newScreen(t, 80, 24)
	for _, line := range []string{"crm.customer.get{}", "x = 1", "crm.note.list{}", "crm.note.list{}", "y = 2"} {
		s.history.Add(line, input.LuaMode)
	}
	s.keys("crm")
	for _, step := range []struct{ key, want string }{
		{"up", "crm.note.list{}"}, {"up", "crm.customer.get{}"}, {"up", "crm.customer.get{}"},
		{"down", "crm.note.list{}"}, {"down", "crm"}, {"ctrl+u", ""}, {"up", "y = 2"}, {"up", "crm.note.list{}"},
		{"ctrl+u", ""}, {"zzz", "zzz"}, {"up", "y = 2"}, {"down", "zzz"},
	} {
		s.keys(step.key)
		if s.edit.text != step.want {
			t.Fatalf("%s: got %q, want %q", step.key, s.edit.text, step.want)
		}
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
	if want := "[pasted 340 lines #1]"; s.folds.show(s.edit.text) != want {
		t.Errorf("got %q, want %q", s.edit.text, want)
	}
	s.keys("enter")
	if s.work == nil || s.work.line != long {
		t.Errorf("what runs is not what was pasted: %s", s.state())
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
		{"in one write", []string{"alt+esc"}, `"f(1)"`},
		{"in one write with text", []string{"x", "alt+esc"}, `"x"`},
		{"in one write where something runs", []string{"f()", "enter", "alt+esc"}, `"" running stopped`},
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
	if s.keys("alt+esc"); s.edit.text != "" {
		t.Errorf("Esc Esc is unbound and in one write brought %q", s.edit.text)
	}
	if s.keys("esc", "esc"); s.edit.text != "" {
		t.Errorf("Esc Esc is unbound and brought %q", s.edit.text)
	}
	if s.keys("ctrl+o"); !s.verbose {
		t.Error("the old key still does something")
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
		{"its words typed",
			[]string{"paste", "backspace", `y = "[pasted 30 lines #1]"`, "enter"}, `y = "[pasted 30 lines #1]"`},
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
