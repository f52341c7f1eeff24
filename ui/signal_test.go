package ui

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
)

// called is what tells the terminal of a question that comes up.
func (s *screen) called() string {
	s.t.Helper()
	cmd := s.call()
	if cmd == nil {
		return ""
	}
	return string(cmd().(tellMsg))
}

// TestCalls shows when a person is called to a question: never in a window with the keyboard, by default only where the
// terminal has told that it has none.
func TestCalls(t *testing.T) {
	const bell, notice = "\a", "\x1b]9;almanac: approve billing.refund.issue?\a"
	for _, c := range []struct {
		name         string
		focus        []tea.Msg
		notify, bell bool
		want         string
	}{
		{"nothing told", nil, true, false, ""},
		{"nothing told, bell", nil, true, true, bell},
		{"focused", []tea.Msg{tea.FocusMsg{}}, true, true, ""},
		{"not focused", []tea.Msg{tea.BlurMsg{}}, true, false, bell + notice},
		{"not focused, both", []tea.Msg{tea.BlurMsg{}}, true, true, bell + notice},
		{"not focused, bell", []tea.Msg{tea.BlurMsg{}}, false, true, bell},
		{"not focused, neither", []tea.Msg{tea.BlurMsg{}}, false, false, ""},
		{"focused again", []tea.Msg{tea.BlurMsg{}, tea.FocusMsg{}}, true, true, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newScreen(t, 80, 24)
			s.notify, s.bell = c.notify, c.bell
			s.passing = passing(func(string) string { return "" })
			for _, msg := range c.focus {
				s.send(msg)
			}
			s.keys("f()", "enter")
			s.ask()
			if got := s.called(); got != c.want {
				t.Errorf("told %q, want %q", got, c.want)
			}
			title := ""
			if strings.Contains(c.want, notice) {
				title = "\x1b[22;2t\x1b]2;almanac: approve billing.refund.issue?\a"
			}
			if got := s.signal(); got != title {
				t.Errorf("title %q, want %q", got, title)
			}
			if title == "" {
				return
			}
			s.send(tea.FocusMsg{})
			if got := s.signal(); got != "\x1b]2;\a\x1b[23;2t" {
				t.Errorf("when it is looked at: %q", got)
			}
		})
	}
}

// TestFocusLeavesTheInput shows that what the terminal tells of its window is no key, whatever goes on.
func TestFocusLeavesTheInput(t *testing.T) {
	s := newScreen(t, 80, 24)
	for _, msg := range []tea.Msg{tea.FocusMsg{}, tea.BlurMsg{}, tea.FocusMsg{}} {
		s.keys("x")
		s.send(msg)
	}
	if s.edit.text != "xxx" {
		t.Errorf("input %q", s.edit.text)
	}
	s.keys("enter")
	s.ask()
	s.keys("pause", "y")
	s.send(tea.BlurMsg{})
	s.send(tea.FocusMsg{})
	if s.asks[0].held != "y" {
		t.Error("the answer that was held is gone")
	}
}

func TestPassing(t *testing.T) {
	for name, want := range map[string]string{"": "\x1b]9;x\a", "TMUX": "\x1bPtmux;\x1b\x1b]9;x\a\x1b\\", "STY": ""} {
		pass := passing(func(asked string) string {
			if asked == name {
				return "set"
			}
			return ""
		})
		if got := pass("\x1b]9;x\a"); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}
