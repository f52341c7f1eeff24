package ui

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"almanac/repl/event"
	"almanac/session/vm"
)

// spaciously is a full screen over a shell in which something has happened.
func spaciously(t *testing.T, width, height int) *screen {
	t.Helper()
	s := screenOf(t, lived(t), width, height)
	s.space.on = true
	s.pass(time.Second)
	s.emit(
		event.Event{Kind: event.Began, Cell: 5, Text: "for i = 1, 50 do print(i) end"},
		event.Event{Kind: event.Printed, Cell: 5, Stream: vm.Stdout, Text: strings.Repeat("a line of output\n", 50)},
		event.Event{Kind: event.Ended, Cell: 5},
	)
	return s
}

func TestWorkspace(t *testing.T) {
	for name, play := range map[string]func(s *screen){
		"workspace":        func(*screen) {},
		"workspace_focus":  func(s *screen) { s.paneKeys("f3", "down"); s.keys("pgup") },
		"workspace_hidden": func(s *screen) { s.paneKeys("f9", "pgup"); s.keys("x = {") },
		"workspace_ask":    func(s *screen) { s.keys("f()", "enter"); s.ask() },
	} {
		t.Run(name, func(t *testing.T) {
			s := spaciously(t, 120, 30)
			play(s)
			s.golden(name + "_120x30")
		})
	}
	s := spaciously(t, 160, 34)
	s.golden("workspace_160x34")
}

// The workspace fills its window exactly, and a small window is drawn inline.
func TestWorkspaceFits(t *testing.T) {
	for _, width := range []int{119, 120, 160, 200} {
		for _, height := range []int{29, 30, 60} {
			s := spaciously(t, width, height)
			s.ascii, s.theme = true, newTheme(true, true)
			s.keys("x = ")
			v := s.View()
			rows := strings.Split(v.Content, "\n")
			large := width >= 120 && height >= 30
			if v.AltScreen != large {
				t.Fatalf("%dx%d: alternate screen %v", width, height, v.AltScreen)
			}
			if !large {
				continue
			}
			if len(rows) != height {
				t.Errorf("%dx%d: %d rows", width, height, len(rows))
			}
			for _, row := range rows {
				if w := ansi.StringWidth(row); w > width {
					t.Errorf("%dx%d: row of %d columns: %q", width, height, w, row)
				}
			}
		}
	}
}

// Keys go to the input until a pane has them; Esc gives them back. What was on the workspace is printed at the end.
func TestWorkspaceKeys(t *testing.T) {
	s := spaciously(t, 120, 30)
	step := func(want int, keys ...string) {
		t.Helper()
		s.paneKeys(keys...)
		if s.space.focus != want {
			t.Fatalf("after %v: focus %d, want %d", keys, s.space.focus, want)
		}
	}
	step(1, "ctrl+down")
	step(0, "ctrl+up")
	step(3, "ctrl+up")
	step(0, "esc")
	step(2, "f3")
	step(0, "f3")
	step(1, "f2")
	s.paneKeys("f10")
	if s.overlay() != s.space.panes[0] {
		t.Error("F10 did not zoom")
	}
	s.paneKeys("esc")
	s.paneKeys("down", "i")
	if s.edit.text != "t" || s.space.focus != 0 {
		t.Errorf("the input is %q, focus %d", s.edit.text, s.space.focus)
	}
	if len(s.printed) != 0 {
		t.Errorf("printed %d lines below the workspace", len(s.printed))
	}
	s.send(stopMsg{})
	for range 100 {
		s.pass(time.Second)
	}
	if n := len(s.printed); n != 51 {
		t.Errorf("printed %d lines at the end, want 51", n)
	}
}

// Without an alternate screen a pane is a list in the transcript.
func TestNoAltScreen(t *testing.T) {
	s := screenOf(t, lived(t), 120, 40)
	s.flat = true
	s.keys("f2", "f3", "f4", "f6")
	if got := fmt.Sprintf("%v%v", s.work.line, s.queue); got != "/vars[{/trace 0} {/catalog 0} {/view 0}]" {
		t.Errorf("ran %s", got)
	}
	s.emit(event.Event{Kind: event.Opened, Pane: event.VariablesPane, Text: "x  number"})
	if got := strings.Join(s.printed, "|"); got != "x  number" || s.View().AltScreen {
		t.Errorf("printed %q, alternate screen %v", got, s.View().AltScreen)
	}
}
