package ui

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"almanac/llm"
	"almanac/repl"
	"almanac/repl/event"
	"almanac/session/trace"
)

// kept is an archive of three sessions with a cell each.
func kept(t *testing.T) *trace.Archive {
	t.Helper()
	a := &trace.Archive{Dir: t.TempDir()}
	for i, source := range []string{"x = 1", "for i = 1, 9 do\n  print(i)\n  print(i)\n  print(i)\nend", "error('boom')"} {
		start := time.Date(2026, 11, 20, 10+i, 0, 0, 0, time.Local)
		id := fmt.Sprintf("20261120-1%d0000-abc", i)
		log, err := trace.CreateLog(a.Path(id, start), nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range []trace.Record{
			{Time: start, Kind: trace.KindSession, About: &trace.About{
				ID: id, Dir: "/home/ann", Front: []trace.Front{"", trace.FrontTerminal, trace.FrontPipe}[i],
			}},
			{Time: start, Kind: trace.KindRun, Cell: 1, Run: "r1", Author: "you", Mode: trace.ModeRun, Text: source},
			{Time: start, Kind: trace.KindOutcome, Cell: 1, Run: "r1", Ended: &trace.Outcome{
				OK: i < 2, Repr: []string{"", "9", ""}[i], Error: []string{"", "", "boom"}[i],
			}},
		} {
			if err := log.Append(r); err != nil {
				t.Fatal(err)
			}
		}
		if err := log.Close(); err != nil {
			t.Fatal(err)
		}
	}
	return a
}

// The picker lists what is kept, is narrowed by typing, shows what the chosen one was about, and goes on from it.
func TestSessionsPane(t *testing.T) {
	s, err := shared()
	if err != nil {
		t.Fatal(err)
	}
	for _, size := range sizes {
		sc := screenOf(t, repl.New(repl.Options{Session: s, Archive: kept(t)}), size.width, size.height)
		sc.open(event.SessionsPane)
		sc.paneKeys("down")
		sc.golden(fmt.Sprintf("pane_sessions_%dx%d", size.width, size.height))
	}
	sc := screenOf(t, repl.New(repl.Options{Session: s, Archive: kept(t)}), 80, 24)
	sc.open(event.SessionsPane)
	p := sc.overlay().(*sessionsPane)
	sc.paneKeys("tab")
	if got := sc.picture(); len(p.found) != 2 || !strings.Contains(got, "Sessions of the terminal") {
		t.Errorf("found %v:\n%s", p.found, got)
	}
	sc.paneKeys("tab", "x =")
	if len(p.found) != 1 || p.of != "20261120-100000-abc" || len(p.lines) < 2 {
		t.Fatalf("found %v, shows %s", p.found, p.of)
	}
	sc.paneKeys("zz")
	if got := sc.picture(); len(p.found) != 0 {
		t.Errorf("found %v:\n%s", p.found, got)
	}
	sc.paneKeys("backspace", "backspace", "enter")
	if sc.overlay() != nil || sc.work == nil || sc.work.line != "/resume 20261120-100000-abc" {
		t.Errorf("after Enter: %+v", sc.work)
	}
}

// The status row tells how many sources have been read, then how many actions there are; and that nothing may be
// changed whatever else it tells.
func TestStatusRow(t *testing.T) {
	s := newScreen(t, 80, 24)
	s.status.Loading, s.status.Progress.Answered, s.status.Progress.Sources = true, 3, 5
	if got := s.statusRow(false); !containsAll(got, "writes: denied ·", "catalog 3/5…") {
		t.Errorf("while sources are read: %q", got)
	}
	s.status.Progress.Doing = "reading big.jsonl: 43 %"
	if got := s.statusRow(false); !containsAll(got, "writes: denied ·", "reading big.jsonl: 43 %") {
		t.Errorf("with a share: %q", got)
	}
	s.status.Loading, s.status.Actions = false, 1204
	if got := s.statusRow(false); !containsAll(got, "1,204 actions", "? help") {
		t.Errorf("after that: %q", got)
	}
	s.status.Usage = llm.Usage{Input: 48_850, Output: 770, Cost: 0.0087, Priced: 21, Completions: 21, Estimated: 1}
	if got := s.statusRow(false); strings.Contains(got, " in ") {
		t.Errorf("no room for tokens: %q", got)
	}
	s.width = 120
	if got := s.statusRow(false); !containsAll(got, "1,204 actions · ~48k in ~770 out · cost ~0.0087", "? help") {
		t.Errorf("wide: %q", got)
	}
	s.notice = "press Ctrl+C again to exit"
	if got := s.statusRow(false); got != "writes: denied · press Ctrl+C again to exit" {
		t.Errorf("with a notice: %q", got)
	}
}

func containsAll(text string, words ...string) bool {
	for _, w := range words {
		if !strings.Contains(text, w) {
			return false
		}
	}
	return true
}
