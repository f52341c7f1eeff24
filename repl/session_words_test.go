package repl

import (
	"testing"
	"time"

	"almanac/session/policy"
	"almanac/session/trace"
)

// TestResumeWords shows that /resume offers the sessions that are kept, and says so when it leaves for one.
func TestResumeWords(t *testing.T) {
	archive := trace.Archive{Dir: t.TempDir()}
	start := time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC)
	log, err := trace.CreateLog(archive.Path("20261120-100000-abc", start), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	for _, r := range []trace.Record{
		{Time: start, Kind: trace.KindSession, About: &trace.About{ID: "20261120-100000-abc"}},
		{Time: start, Kind: trace.KindRun, Cell: 1, Text: "x = 1\ny = 2"},
	} {
		if err := log.Append(r); err != nil {
			t.Fatal(err)
		}
	}
	sh, _ := newShell(t, Options{Archive: &archive}, policy.Policy{})
	if items := sessionWords(sh, ""); len(items) != 1 || items[0].Text != "20261120-100000-abc" {
		t.Errorf("offered %v", items)
	}
	if got := typed(t.Context(), sh, "/resume abd",
		nil); got != "error: session \"abd\": not found; near it: 20261120-100000-abc\n  hint: almanac sessions lists them; in the terminal /sessions does\n" {
		t.Errorf("printed %q", got)
	}
	if got := typed(t.Context(), sh, "/resume", nil); got != "  20261120-100000-abc  N ms  1 cell  x = 1\n" {
		t.Errorf("printed %q", got)
	}
	if got := typed(t.Context(), sh, "/resume \"abc\"", nil); got != "[quit]\n" || sh.Next() != "20261120-100000-abc" {
		t.Errorf("printed %q, next %q", got, sh.Next())
	}
}
