package trace_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"almanac/session/trace"
)

func TestUsage(t *testing.T) {
	dir := t.TempDir()
	if counts, err := trace.Usage(filepath.Join(dir, "none"), ""); err != nil || len(counts) > 0 {
		t.Errorf("a folder that is not there: %v, %v", counts, err)
	}
	for day, calls := range map[string][]trace.Call{
		"2026/01/02": {{ID: "a.b", Verdict: trace.OK}, {ID: "a.b", Verdict: trace.OK}, {ID: "a.c", Verdict: trace.Denied}},
		"2026/01/03": {{ID: "a.b", Verdict: trace.OK}, {ID: "a.d", Verdict: trace.Failed},
			{ID: "a.e", Verdict: trace.Planned}, {ID: "a.c", Verdict: trace.OK}},
	} {
		log, err := trace.CreateLog(filepath.Join(dir, filepath.FromSlash(day), "s.jsonl"), nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, call := range calls {
			if err := log.Append(trace.Record{Kind: trace.KindBegin, Call: &call}); err != nil {
				t.Fatal(err)
			}
			if err := log.Append(trace.Record{Kind: trace.KindCall, Call: &call}); err != nil {
				t.Fatal(err)
			}
		}
		log.Close()
	}
	torn := `{"kind":"call","call":{"id":"a.b","verdict":"ok"`
	if err := os.WriteFile(filepath.Join(dir, "torn.jsonl"), []byte(torn), 0o600); err != nil {
		t.Fatal(err)
	}
	counts, err := trace.Usage(dir, "")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]int{"a.b": 3, "a.c": 1}, counts); diff != "" {
		t.Error(diff)
	}
	if counts, err = trace.Usage(dir, "s"); err != nil || len(counts) > 0 {
		t.Errorf("without the only session: %v, %v", counts, err)
	}
}
