package ui

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"almanac/repl"
	"almanac/repl/event"
	"almanac/repl/transcript"
	"almanac/session/trace"
)

// earlier are the records of a session with a cell for each n, the last of which asked the model.
func earlier(n int) []trace.Record {
	at := time.Date(2026, 11, 20, 10, 0, 0, 0, time.Local)
	records := []trace.Record{{Time: at, Kind: trace.KindSession, About: &trace.About{ID: "20261120-100000-abc"}}}
	for i := 1; i < n; i++ {
		run := fmt.Sprint("r", i)
		records = append(records, trace.Record{
			Kind: trace.KindRun, Cell: i, Run: run, Author: "you", Mode: trace.ModeRun, Text: fmt.Sprintf("x = %d\nreturn x", i),
		},
			trace.Record{
				Kind: trace.KindOutcome, Cell: i, Run: run,
				Ended: &trace.Outcome{
					OK: true, Repr: strings.TrimSpace(strings.Repeat(fmt.Sprint(i, "\n"), i)), Changed: []string{"x"},
				},
			})
	}
	return append(records,
		trace.Record{Kind: trace.KindPrompt, Cell: n, Author: "you", Text: "how many?"},
		trace.Record{Kind: trace.KindRun, Cell: n, Run: "m", Author: "model", Mode: trace.ModeRun, Text: "return x"},
		trace.Record{Kind: trace.KindOutcome, Cell: n, Run: "m", Ended: &trace.Outcome{OK: true, Repr: "9"}},
		trace.Record{Kind: trace.KindAnswer, Cell: n, Author: "model", Text: "There are **nine**."})
}

// A session that goes on shows the last cells of the earlier one, and /transcript pages through all of it.
func TestTranscriptPane(t *testing.T) {
	s, err := shared()
	if err != nil {
		t.Fatal(err)
	}
	records := earlier(9)
	shell := func() *repl.Shell {
		return repl.New(repl.Options{
			Session: s, Past: transcript.Past{Records: records}, Log: func() ([]trace.Record, error) { return records, nil },
		})
	}
	for _, size := range sizes {
		sc := screenOf(t, shell(), size.width, size.height)
		sc.open(event.TranscriptPane)
		sc.golden(fmt.Sprintf("pane_transcript_%dx%d", size.width, size.height))
	}
	sc := screenOf(t, shell(), 60, 20)
	sc.open(event.TranscriptPane)
	p := sc.overlay().(*pager)
	sc.paneKeys("home", "/", "x = 3", "enter")
	if got := sc.picture(); !strings.Contains(strings.SplitN(got, "\n", 4)[2], "lua ❯ x = 3") {
		t.Errorf("not found:\n%s", got)
	}
	sc.paneKeys("n")
	if sc.notice == "" || p.from == 0 {
		t.Errorf("notice %q, line %d", sc.notice, p.from)
	}
	sc.settle(sc.resize(40, 20))
	if p.made != 36 {
		t.Errorf("made for %d columns", p.made)
	}
	var lines []string
	for _, l := range shell().EarlierLines(event.RenderOptions{}) {
		lines = append(lines, l.String())
	}
	want := "… 6 earlier; /transcript shows all\nlua ❯ x = 7  [7]\n   .. return x\n  7\n  7\n  7\n      … 4 more lines\n" +
		"lua ❯ x = 8  [8]\n   .. return x\n  8\n  8\n  8\n      … 5 more lines\nask ❯ how many?  [9]\n  There are **nine**."
	if got := strings.Join(lines, "\n"); got != want {
		t.Errorf("the last cells:\n%s", got)
	}
}

// /less pages through a cell or a value with keys of its own, and where there is no other screen it prints.
func TestLess(t *testing.T) {
	s, _ := gridded(t, 60, 12, `for i = 1, 40 do print("line " .. i) end return { "a", 2 }`,
		`t = { s = "first\n\27[31msecond\n" .. ("long "):rep(30) }`)
	less := func(arg string) *pager {
		t.Helper()
		s.shell.Handle(t.Context(), "/less "+arg)
		s.settle(s.pull())
		p, ok := s.overlay().(*pager)
		if !ok {
			t.Fatalf("/less %s: no pager; printed %q", arg, s.printed)
		}
		return p
	}
	top := func() string { return strings.Trim(strings.Split(s.View().Content, "\n")[1], "│ ") }
	less("1")
	for _, step := range []struct{ keys, top, title, note string }{
		{"", `[1] for i = 1, 40 do print("line " .. i) end return {`, "Pager ─ [1]", "9 of 43 lines"},
		{"down j", "line 1", "Pager ─ [1]", "11 of 43 lines"},
		{"pgdown", "line 10", "Pager ─ [1]", "20 of 43 lines"},
		{"G", "line 33", "Pager ─ [1]", "43 of 43 lines"},
		{"g / l i n e space 1 enter", "line 1", "Pager ─ [1] ─ search: line 1", "11 of 43 lines"},
		{"n n", "line 11", "Pager ─ [1] ─ search: line 1", "21 of 43 lines"},
		{"N", "line 10", "Pager ─ [1] ─ search: line 1", "20 of 43 lines"},
	} {
		for _, k := range strings.Fields(step.keys) {
			if k == "space" {
				k = " "
			}
			s.paneKeys(k)
		}
		at := top()
		title, note := s.overlay().head()
		if at != step.top || title != step.title || note != step.note {
			t.Errorf("after %q: %q, %q, %q", step.keys, at, title, note)
		}
	}
	s.paneKeys("q")
	if s.overlay() != nil {
		t.Error("q does not close the pager")
	}
	less("t.s")
	if got := s.View().Content; top() != "first" || !strings.Contains(got, `\27[31msecond`) ||
		!strings.Contains(got, "Pager ─ t.s") {
		t.Errorf("a text:\n%s", got)
	}
	less("{ x = t, y = 1 }")
	if got := s.View().Content; !strings.Contains(got, "y = 1") {
		t.Errorf("an expression:\n%s", got)
	}
	s.paneKeys("q")
	s.flat = true
	s.printed = nil
	s.shell.Handle(t.Context(), "/less 1")
	s.pass(time.Second)
	s.pass(time.Second)
	if s.overlay() != nil || !strings.Contains(strings.Join(s.printed, "\n"), "line 40") {
		t.Errorf("without another screen: %q", s.printed)
	}
}
