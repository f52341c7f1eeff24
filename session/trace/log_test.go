package trace

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestLogRoundTrip(t *testing.T) {
	path := filepath.Join(t.TempDir(), "2026", "11", "20", "a.jsonl")
	log, err := CreateLog(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	want := []Record{
		{Time: time.Unix(1, 0).UTC(), Kind: KindSession, About: &About{ID: "a", Sources: []string{"demo"}}},
		{Time: time.Unix(2, 0).UTC(), Kind: KindRun, Author: "you", Mode: ModeRun, Text: "x = \"\xe4\xb8\xad\"\nreturn x"},
		{Time: time.Unix(3, 0).UTC(), Kind: KindCall, Call: &Call{
			N: 1, ID: "crm.customer.get", Args: map[string]any{"id": "c"}, Verdict: OK, Start: time.Unix(3, 0).UTC(),
			Took: time.Second,
		}},
		{Time: time.Unix(4, 0).UTC(), Kind: KindOutcome, Ended: &Outcome{OK: true, Repr: "1"}},
	}
	for _, r := range want {
		if err := log.Append(r); err != nil {
			t.Fatal(err)
		}
	}
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}
	got, damage, err := Read(path)
	if err != nil || damage.Found() {
		t.Fatalf("damage: %v, %v", damage, err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if mode := must(os.Stat(path)).Mode().Perm(); mode != 0o600 {
		t.Errorf("others can read the log: %v", mode)
	}
}

// TestTornLine shows that a half-written line costs itself and nothing else.
func TestTornLine(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.jsonl")
	if err := os.WriteFile(path, []byte(`{"kind":"note","text":"one"}`+"\n"+`{"kind":"note","te`), 0o600); err != nil {
		t.Fatal(err)
	}
	records, damage, err := Read(path)
	if err != nil || damage.Torn != 1 || len(records) != 1 || records[0].Text != "one" {
		t.Errorf("got %d records, %v, %v", len(records), damage, err)
	}
}

// TestOneLogOneSession shows that a log is never opened again: not by a second program, and not to go on.
func TestOneLogOneSession(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.jsonl")
	log := must(CreateLog(path, nil))
	defer log.Close()
	if _, err := CreateLog(path, nil); !errors.Is(err, fs.ErrExist) {
		t.Errorf("the log of another was opened: %v", err)
	}
}

func TestTwoWriters(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.jsonl")
	var writers sync.WaitGroup
	long := strings.Repeat("\u4e2d", 5000)
	log := must(CreateLog(path, nil))
	defer log.Close()
	for range 2 {
		writers.Go(func() {
			for range 20 {
				if err := log.Append(Record{Kind: KindNote, Text: long}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	writers.Wait()
	records, damage, err := Read(path)
	if err != nil || damage.Found() || len(records) != 40 {
		t.Errorf("got %d records, %v, %v", len(records), damage, err)
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// TestFullLog: a log at its limit takes nothing that begins, and still the end of what has begun.
func TestFullLog(t *testing.T) {
	l, err := CreateLog(filepath.Join(t.TempDir(), "log.jsonl"), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	l.size = maxLog - 10
	for _, kind := range []Kind{KindRun, KindBegin, KindAsk, KindPrompt, KindNote} {
		if err := l.Append(Record{Kind: kind}); !errors.Is(err, errFull) {
			t.Errorf("%s: %v", kind, err)
		}
	}
	for _, kind := range []Kind{KindCall, KindOutcome} {
		if err := l.Append(Record{Kind: kind}); err != nil {
			t.Error(err)
		}
	}
	l.size = maxLog + endRoom
	if err := l.Append(Record{Kind: KindOutcome}); !errors.Is(err, errFull) {
		t.Errorf("beyond the room for ends: %v", err)
	}
}
