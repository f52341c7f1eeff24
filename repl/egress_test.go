package repl

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"almanac/catalog"
	"almanac/catalog/secret"
	"almanac/repl/event"
	"almanac/repl/input"
	"almanac/repl/transcript"
	"almanac/session"
	"almanac/session/trace"
)

// What comes from the log of an earlier session, or from the texts of a catalog, is shown without the credentials of
// now.
func TestEgressOfWhatIsOld(t *testing.T) {
	const value = "tok-7f3a9e41-b2c8"
	c, report := catalog.New([]catalog.Entry{{ID: "echo.put", Description: "Send " + value + " to it.", Title: value}},
		catalog.Options{})
	if len(report.Skipped) > 0 {
		t.Fatal(report.Skipped)
	}
	s, err := session.New(c.View(), session.Options{Secrets: secret.NewFilter(func() []string { return []string{value} })})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	dir := t.TempDir()
	log, err := trace.CreateLog(filepath.Join(dir, "old.jsonl"), nil) // before it was known to be a credential
	if err != nil {
		t.Fatal(err)
	}
	old := []trace.Record{
		{Kind: trace.KindSession, Time: time.Now(), About: &trace.About{ID: "old", Dir: dir}},
		{Kind: trace.KindRun, Time: time.Now(), Run: "1", Cell: 1, Author: "you", Mode: trace.ModeRun,
			Text: "return '" + value + "'"},
		{Kind: trace.KindOutput, Time: time.Now(), Run: "1", Cell: 1, Stream: "stdout", Text: value + "\n"},
		{Kind: trace.KindOutcome, Time: time.Now(), Run: "1", Cell: 1, Ended: &trace.Outcome{Error: value}},
	}
	for _, r := range old {
		if err := log.Append(r); err != nil {
			t.Fatal(err)
		}
	}
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}
	feed := event.NewFeed()
	sh := New(Options{
		Session: s, Feed: feed, Past: transcript.Past{Records: old}, Log: func() ([]trace.Record, error) { return old, nil },
	})
	shown := map[string]string{"spec": sh.Spec("echo.put")}
	for _, l := range sh.EarlierLines(event.RenderOptions{}) {
		shown["earlier"] += l.String()
	}
	for _, l := range sh.SessionLines(trace.Summary{ID: "old", Path: log.Path()}, event.RenderOptions{}) {
		shown["session"] += l.String()
	}
	lines, err := sh.Transcript(80, event.RenderOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range lines {
		shown["transcript"] += l.String()
	}
	for _, line := range []string{"/catalog send", "echo.put?", "/expand 1", "/export " + filepath.Join(dir, "out.md"),
		"/export " + filepath.Join(dir, "out.jsonl")} {
		sh.HandleIn(context.Background(), input.LuaMode, line)
		shown[line] = fmt.Sprint(feed.Take())
	}
	for _, name := range []string{"out.md", "out.jsonl"} {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		shown[name] = string(text)
	}
	for where, text := range shown {
		if strings.Contains(text, value) || !strings.Contains(text, secret.Mark) && !strings.HasPrefix(where, "/e") {
			t.Errorf("%s: %s", where, text)
		}
	}
}
