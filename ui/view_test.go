package ui

import (
	"fmt"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"almanac/llm"
	"almanac/repl"
	"almanac/repl/event"
	"almanac/repl/input"
	"almanac/session"
	"almanac/session/syntax"
	"almanac/session/trace"
	"almanac/session/vm"
)

// sizes are the windows that golden pictures are kept for.
var sizes = []struct{ width, height int }{{80, 24}, {120, 40}, {60, 20}}

// scenes are what the golden pictures show.
var scenes = []struct {
	name string
	play func(s *screen)
}{
	{"empty", func(*screen) {}},
	{"chunk", func(s *screen) { s.keys("for i = 1, 2 do", "ctrl+j", "print(i)", "ctrl+j", "en", "d") }},
	{"signature", func(s *screen) { s.keys(`billing.refund.issue{invoice_id = "inv_1", am`) }},
	{"cell", func(s *screen) {
		s.emit(
			event.Event{
				Kind: event.Began, Cell: 7, Author: session.User, Text: `open = billing.invoice.list_unpaid{customer_id="c_81"}`,
			},
			event.Event{Kind: event.Called, Cell: 7,
				Call: &trace.Call{N: 1, ID: "billing.invoice.list_unpaid", Verdict: trace.OK,
					Brief: "12 rows", Took: 84 * time.Millisecond}},
			event.Event{Kind: event.Printed, Cell: 7, Stream: vm.Stdout, Text: "one\ntwo\nthr"},
			event.Event{Kind: event.Printed, Cell: 7, Stream: vm.Stdout, Text: "ee\n"},
			event.Event{Kind: event.Ended, Cell: 7},
		)
	}},
	{"running", func(s *screen) {
		s.keys("f()", "enter", "g()", "enter", "h")
		s.emit(
			event.Event{Kind: event.Began, Cell: 8, Author: session.User, Mode: input.AskMode, Text: "draft a note"},
			event.Event{
				Kind: event.Spoke, Cell: 8, Author: session.Model,
				Text: "A first line.\nThree drafts are in notes. The largest is inv_1001",
			},
		)
		s.pass(3200 * time.Millisecond)
	}},
	{"thinking", func(s *screen) {
		s.keys("f()", "enter")
		for _, piece := range []string{"They want a num", "ber.\n", "I look \x1b[2Jfor 3.5 of them. ", "Then I"} {
			s.observe(llm.Event{Kind: llm.Thinking, Text: piece})
		}
		s.pass(3200 * time.Millisecond)
	}},
	{"long", func(s *screen) {
		s.keys("f()", "enter")
		s.emit(event.Event{Kind: event.Printed, Cell: 8, Stream: vm.Stdout, Text: strings.Repeat("no end in sight ", 300)})
	}},
	{"approve", func(s *screen) { s.keys("f()", "enter"); s.ask() }},
	{"approve_details", func(s *screen) { s.keys("f()", "enter"); s.ask(); s.keys("pause", "?", "pause") }},
	{"approve_edit", func(s *screen) { s.keys("f()", "enter"); s.ask(); s.keys("pause", "e", "pause") }},
	{"approve_deny", func(s *screen) { s.keys("f()", "enter"); s.ask(); s.keys("pause", "n", "pause", "wrong customer") }},
	{"approve_held", func(s *screen) { s.keys("f()", "enter"); s.ask(); s.keys("pause", "y") }},
	{"approve_scope", func(s *screen) { s.keys("f()", "enter"); s.ask(); s.keys("pause", "a", "pause") }},
	{"approve_any", func(s *screen) {
		s.keys("f()", "enter")
		s.ask()
		s.keys("pause", "a", "pause", "pause", "3", "pause")
	}},
	{"approve_ignored", func(s *screen) { s.keys("f()", "enter"); s.ask(); s.keys("pause", "/trace") }},
	{"approve_script", func(s *screen) { s.keys("f()", "enter"); s.ask(); s.keys("pause", "v") }},
	{"approve_whole", func(s *screen) { s.keys("f()", "enter"); s.ask(); s.keys("pause", "ctrl+o") }},
	{"approve_list", func(s *screen) { s.keys("f()", "enter"); s.askList() }},
	{"approve_list_off", func(s *screen) {
		s.keys("f()", "enter")
		s.askList()
		s.keys("pause", "3", "enter", "beat", "down", "beat", "down", "pause", "2", "enter", "pause")
	}},
	{"approve_list_edit", func(s *screen) { s.keys("f()", "enter"); s.askList(); s.keys("pause", "e", "pause") }},
	{"menu", func(s *screen) {
		s.keys("billing.i")
		s.send(completedMsg{version: s.edit.version, pos: s.edit.pos,
			list: repl.Completions{Start: 8, End: 9, Items: []repl.Completion{
				{Text: "invoice", Detail: "31 actions"}, {Text: "issue", Detail: "(invoice_id*:str)", Tag: "!"},
			}}})
		s.keys("tab")
	}},
	{"search", func(s *screen) {
		s.history.Add("billing.invoice.list_unpaid{}", input.LuaMode)
		s.history.Add("for i = 1, 2 do\n  print(i)\nend", input.LuaMode)
		s.keys("ctrl+r", "print")
	}},
	{"armed", func(s *screen) { s.keys("ctrl+c") }},
}

func TestGolden(t *testing.T) {
	for _, size := range sizes {
		for _, scene := range scenes {
			name := fmt.Sprintf("%s_%dx%d", scene.name, size.width, size.height)
			t.Run(name, func(t *testing.T) {
				s := newScreen(t, size.width, size.height)
				scene.play(s)
				s.golden(name)
			})
		}
	}
}

// No scene may draw outside its window, whatever the window's size: the terminal would scroll and the renderer would
// lose its place.
func TestRegionFitsTheWindow(t *testing.T) {
	for _, width := range []int{1, 20, 59, 200} {
		for _, height := range []int{1, 3, 9, 10, 24} {
			for _, scene := range scenes {
				s := newScreen(t, width, height)
				scene.play(s)
				v := s.View()
				rows := strings.Split(v.Content, "\n")
				limit := max(height-1, 1)
				if v.AltScreen {
					limit = max(height, 3)
				}
				if len(rows) > limit {
					t.Errorf("%s at %dx%d: %d rows", scene.name, width, height, len(rows))
				}
				for _, row := range rows {
					if w := ansi.StringWidth(row); width >= 20 && w > width {
						t.Errorf("%s at %dx%d: row of %d columns: %q", scene.name, width, height, w, row)
					}
				}
				if c := v.Cursor; c != nil && (c.Y >= len(rows) || c.Y < 0) {
					t.Errorf("%s at %dx%d: cursor on row %d of %d", scene.name, width, height, c.Y, len(rows))
				}
			}
		}
	}
}

// The help page fits a small window, says how to search, and is narrowed by typing.
func TestHelp(t *testing.T) {
	s := newScreen(t, 80, 24)
	s.keys("?")
	v := s.View()
	if rows := strings.Split(v.Content, "\n"); len(rows) > 24 || !v.AltScreen {
		t.Errorf("%d rows, alternate screen %v", len(rows), v.AltScreen)
	}
	for _, want := range []string{"Ctrl+R", "Shift+Tab", "/lua reset", "/quit"} {
		if !strings.Contains(v.Content, want) {
			t.Errorf("%s is missing:\n%s", want, v.Content)
		}
	}
	s.keys("histo")
	rows := strings.Split(s.View().Content, "\n")
	if len(rows) > 6 || !strings.Contains(rows[1], "Up Down") {
		t.Errorf("narrowed to %q", rows)
	}
	if foot := rows[len(rows)-1]; !strings.Contains(foot, "Enter asks the model: histo") {
		t.Errorf("the foot says %q", foot)
	}
	s.keys("esc")
	if v := s.View(); v.AltScreen || s.edit.text != "" {
		t.Errorf("after Esc: alternate screen %v, input %q", v.AltScreen, s.edit.text)
	}
}

// At heights under 10 there is the input and the status line, and the status line says what runs.
func TestSmallWindow(t *testing.T) {
	s := newScreen(t, 80, 9)
	s.keys("f()", "enter", "x")
	rows := strings.Split(s.View().Content, "\n")
	if len(rows) != 2 || !strings.HasPrefix(rows[0], "lua ❯ x") || !strings.Contains(rows[1], "Esc stops") {
		t.Errorf("got %q", rows)
	}
}

// A frame is drawn once for as long as nothing changes.
func TestViewIsCached(t *testing.T) {
	s := newScreen(t, 80, 24)
	s.keys("x")
	s.edit.text = "changed behind the model's back"
	if got := s.View().Content; strings.Contains(got, "behind") {
		t.Error("the frame was drawn although no message came")
	}
	s.Update(tea.KeyReleaseMsg{})
	if got := s.View().Content; strings.Contains(got, "behind") {
		t.Error("the frame was drawn although the message changed nothing")
	}
}

// An idle screen asks for no tick: it writes nothing.
func TestNoIdleTick(t *testing.T) {
	s := newScreen(t, 80, 24)
	s.pass(time.Second)
	if s.ticking || s.scroll.pending() {
		t.Error("a tick was asked for although nothing runs")
	}
	if !s.waiting {
		t.Error("nobody waits for the feed")
	}
	s.keys("f()", "enter")
	if !s.ticking {
		t.Error("no tick was asked for although something runs")
	}
}

// Every printed line is in the transcript once and in order, with resizes and the help page in between.
func TestTranscriptIsWhole(t *testing.T) {
	s := newScreen(t, 80, 24)
	s.keys("f()", "enter")
	for i := range 500 {
		s.feed.Emit(event.Event{Kind: event.Printed, Cell: 1, Stream: vm.Stdout, Text: fmt.Sprintf("line %d\n", i)})
		switch i % 100 {
		case 20:
			s.send(tea.WindowSizeMsg{Width: 60 + i/10, Height: 15 + i/50})
		case 50:
			s.keys("f1")
		case 70:
			s.keys("esc")
		}
		if i%7 == 0 {
			s.pass(frameTime)
		}
	}
	s.pass(time.Second)
	s.send(doneMsg{})
	s.pass(time.Second)
	if len(s.printed) != 500 {
		t.Fatalf("got %d lines, want 500", len(s.printed))
	}
	for i, line := range s.printed {
		if want := fmt.Sprintf("line %d", i); line != want {
			t.Fatalf("line %d is %q", i, line)
		}
	}
}

func TestGrouped(t *testing.T) {
	for n, want := range map[int]string{0: "0", 999: "999", 1204: "1,204", 1000000: "1,000,000"} {
		if got := grouped(n); got != want {
			t.Errorf("grouped(%d) = %q, want %q", n, got, want)
		}
	}
}

// The model's Markdown is drawn block by block, and goes to the scrollback when the region is full or the answer ends.
// Of a code block that is still open the lines are drawn too.
func TestMarkdownStreams(t *testing.T) {
	s := newScreen(t, 80, 24)
	s.keys("f()", "enter")
	say := func(text string) {
		s.emit(event.Event{Kind: event.Spoke, Cell: 8, Author: session.Model, Text: text})
	}
	say("# Head\n\nSome **wo")
	if view := s.View().Content; !strings.Contains(view, "  Head") || len(s.printed) > 0 {
		t.Errorf("printed %q, drawn:\n%s", s.printed, view)
	}
	say("rds** here\n\n```lua\nlocal x = 1\n")
	if view := s.View().Content; !strings.Contains(view, "  Some words here\n") ||
		!strings.Contains(view, "    local x = 1") {
		t.Errorf("drawn:\n%s", view)
	}
	say("return x\x1b[31m\n```\nand")
	s.send(doneMsg{})
	s.pass(time.Second)
	want := "  Head|  Some words here|    local x = 1|    return x\\27[31m|  and"
	var got []string
	for _, line := range s.printed {
		if strings.TrimSpace(line) != "" {
			got = append(got, line)
		}
	}
	if strings.Join(got, "|") != want {
		t.Errorf("printed %q", got)
	}
}

func TestBrackets(t *testing.T) {
	for text, want := range map[string]string{
		"|f(a[1])":     "",
		"f|(a[1])":     "( )",
		"f(a[1])|":     ") (",
		"f(a|[1])":     "[ ]",
		"f(|a[1]":      "",
		`f|(")", "(")`: "( )",
	} {
		pos := strings.IndexByte(text, '|')
		tokens := syntax.Tokens(text[:pos] + text[pos+1:])
		here, there := brackets(tokens, pos)
		got := ""
		if there >= 0 {
			got = tokens[here].Text + " " + tokens[there].Text
		}
		if got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}

// The progress line names the action under way, what was used, and always how to stop; in a small window less.
func TestProgress(t *testing.T) {
	s := newScreen(t, 100, 24)
	s.keys("f()", "enter")
	s.emit(
		event.Event{Kind: event.Called, Cell: 1, Call: &trace.Call{N: 1, ID: "crm.customer.search", Verdict: trace.OK}},
		event.Event{Kind: event.Printed, Cell: 1, Stream: vm.Stdout, Text: strings.Repeat("x", 4096) + "\n"},
	)
	acting := s.feed.Session(session.Options{}, false).Acting
	acting("billing.refund.issue", true)
	acting("crm.customer.search", true)
	acting("crm.customer.search", false)
	if got := s.doing(); !strings.HasPrefix(got, "calling billing.refund.issue… ") ||
		!strings.HasSuffix(got, " s · calls 0/1000 · 4.0 KiB · Esc stops") {
		t.Error(got)
	}
	s.keys("f3")
	if got := s.View().Content; !strings.Contains(got, " · Ctrl+C stops · Esc back · ") ||
		strings.Contains(got, "Esc stops") {
		t.Errorf("below a pane:\n%s", got)
	}
	s.keys("esc")
	if s.work == nil || s.work.stopped || s.overlay() != nil {
		t.Error("Esc in a pane does more than to close it")
	}
	s.send(tea.WindowSizeMsg{Width: 50, Height: 24})
	if got := s.doing(); strings.Contains(got, "KiB") || !strings.HasSuffix(got, "Esc stops") {
		t.Error(got)
	}
	acting("billing.refund.issue", false)
	if got := s.doing(); !strings.HasPrefix(got, "running… ") {
		t.Error(got)
	}
}

// In a window too small for more than input and status the input has the rows there are, but for those of an open menu.
func TestInputInASmallWindow(t *testing.T) {
	s := newScreen(t, 40, smallHeight-2)
	s.send(tea.PasteMsg{Content: "a = {\n1,\n2,\n3,\n}"})
	want := strings.Join([]string{"lua ❯ a = {", "   .. 1,", "   .. 2,", "   .. 3,", "   .. }"}, "\n")
	if got := s.View().Content; !strings.HasPrefix(got, want) {
		t.Errorf("drawn:\n%s", got)
	}
	s.send(tea.PasteMsg{Content: "\n4\n5\n6"})
	if rows := strings.Split(s.View().Content, "\n"); len(rows) != smallHeight-3 || rows[len(rows)-2] != "   .. 6" {
		t.Errorf("drawn: %q", rows)
	}
}

// TestRetryCountsDown shows that a retry is a countdown in the region, without a line above it, until it is over.
func TestRetryCountsDown(t *testing.T) {
	s := newScreen(t, 80, 24)
	s.keys("f()", "enter")
	for n := 1; n <= 2; n++ {
		s.observe(llm.Event{
			Kind: llm.Retrying, Err: &llm.Error{Kind: llm.ServerFault, Status: 500},
			Retry: llm.Retry{Wait: time.Hour, N: n, Of: 3},
		})
	}
	s.pass(time.Second)
	if got := s.View().Content; strings.Count(got, "server error (500); retrying in ") != 1 ||
		!strings.Contains(got, " s (2/3) · Esc stops") {
		t.Errorf("region:\n%s", got)
	}
	before := len(s.printed)
	s.observe(llm.Event{Kind: llm.Delta, Text: "Hello.\n\nIt is"})
	s.pass(time.Second)
	if got := strings.Join(s.printed[before:], "\n"); got != "server error (500); answered at retry 2 of 3" {
		t.Errorf("printed:\n%s", got)
	}
	if got := s.View().Content; strings.Contains(got, "retrying") || !strings.Contains(got, "  Hello.") {
		t.Errorf("region:\n%s", got)
	}
}
