package ui

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"almanac/repl"
	"almanac/repl/event"
	"almanac/session/trace"
)

// earlier are the records of a session with a cell for each n, the last of which asked the model.
func earlier(n int) []trace.Record {
	at := time.Date(2026, 11, 20, 10, 0, 0, 0, time.Local)
	records := []trace.Record{{Time: at, Kind: trace.KindSession, About: &trace.About{ID: "20261120-100000-abc"}}}
	for i := 1; i < n; i++ {
		run := fmt.Sprint("r", i)
		records = append(records, trace.Record{Kind: trace.KindRun, Cell: i, Run: run, Author: "you", Mode: trace.ModeRun, Text: fmt.Sprintf("x = %d\nreturn x", i)},
			trace.Record{Kind: trace.KindOutcome, Cell: i, Run: run, Ended: &trace.Outcome{OK: true, Repr: strings.TrimSpace(strings.Repeat(fmt.Sprint(i, "\n"), i)), Changed: []string{"x"}}})
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
		return repl.New(repl.Options{Session: s, Past: repl.Past{Records: records}, Log: func() ([]trace.Record, error) { return records, nil }})
	}
	for _, size := range sizes {
		sc := screenOf(t, shell(), size.width, size.height)
		sc.open(event.TranscriptPane)
		sc.golden(fmt.Sprintf("pane_transcript_%dx%d", size.width, size.height))
	}
	sc := screenOf(t, shell(), 60, 20)
	sc.open(event.TranscriptPane)
	p := sc.overlay().(*transcriptPane)
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
