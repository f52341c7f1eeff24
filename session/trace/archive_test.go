package trace

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// keep writes a session's log with one cell for each text, and returns where it is.
func keep(t *testing.T, a Archive, id string, about About, texts ...string) string {
	t.Helper()
	start := must(time.Parse("20060102-150405", id[:15]))
	log := must(CreateLog(a.Path(id, start), nil))
	defer log.Close()
	about.ID = id
	records := []Record{{Time: start, Kind: KindSession, About: &about}}
	for i, text := range texts {
		run := id + "-run"
		records = append(records,
			Record{Time: start, Kind: KindRun, Run: run, Cell: i + 1, Author: "you", Mode: ModeRun, Text: text},
			Record{Time: start, Kind: KindOutcome, Run: run, Cell: i + 1, Ended: &Outcome{OK: true}})
	}
	for _, r := range records {
		if err := log.Append(r); err != nil {
			t.Fatal(err)
		}
	}
	return log.Path()
}

func ids(all []Summary) []string {
	var names []string
	for _, s := range all {
		names = append(names, s.ID)
	}
	return names
}

func TestArchive(t *testing.T) {
	a := Archive{Dir: t.TempDir()}
	if _, _, err := a.Latest("/w"); err == nil {
		t.Error("there is a latest of none")
	}
	keep(t, a, "20260101-100000-aaaa1111", About{Dir: "/w"}, "invoices = 1", "x = 2")
	keep(t, a, "20260102-100000-bbbb2222", About{Dir: "/elsewhere"}, "tickets = 'Ünpaid'")
	keep(t, a, "20260103-100000-cccc3333", About{Dir: "/w"}) // nothing was done in it
	bad := a.Path("20260104-100000-dddd4444", time.Date(2026, 1, 4, 0, 0, 0, 0, time.UTC))
	if err := errors.Join(os.MkdirAll(filepath.Dir(bad), 0o700),
		os.WriteFile(bad, []byte("\x00garbage\n"), 0o600)); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		filter string
		want   []string
	}{
		{"", []string{"20260102-100000-bbbb2222", "20260101-100000-aaaa1111"}},
		{"ünpaid", []string{"20260102-100000-bbbb2222"}},
		{"x INVOICES", []string{"20260101-100000-aaaa1111"}},
		{"x tickets", nil},
	} {
		all, skipped := a.List(Filter{Words: c.filter})
		if diff := cmp.Diff(c.want, ids(all)); diff != "" || len(skipped) != 1 {
			t.Errorf("%q: skipped %v: %s", c.filter, skipped, diff)
		}
	}
	if s, skipped, err := a.Latest("/w"); err != nil || len(skipped) != 1 || s.ID != "20260101-100000-aaaa1111" ||
		s.Cells != 2 || s.First != "invoices = 1" {
		t.Errorf("the latest of /w is %+v, %v", s, err)
	}
	if s, _, err := a.Latest("/unknown"); err != nil || s.ID != "20260102-100000-bbbb2222" {
		t.Errorf("the latest is %+v, %v", s, err)
	}
}

// TestFronts shows that sessions of pipes and scripts are listed but not gone on from, unless there are no others.
func TestFronts(t *testing.T) {
	a := Archive{Dir: t.TempDir()}
	latest := func(dir string) string { return must2(a.Latest(dir)).ID[9:15] }
	keep(t, a, "20260101-100000-aaaa1111", About{Dir: "/w", Front: FrontPipe}, "x = 1")
	keep(t, a, "20260101-110000-aaaa1112", About{Dir: "/v", Front: FrontAsk}, "x = 1")
	if here, there := latest("/w"), latest("/u"); here != "100000" || there != "110000" {
		t.Errorf("of pipes alone the latest are %s and %s", here, there)
	}
	keep(t, a, "20260102-100000-bbbb2222", About{Dir: "/v", Front: FrontTerminal}, "x = 1")
	keep(t, a, "20260102-110000-bbbb2223", About{Dir: "/w", Front: FrontServe}, "x = 1")
	if got := latest("/w"); latest("/v") != got || got != "100000" {
		t.Errorf("the latest is %s", got)
	}
	keep(t, a, "20260102-120000-bbbb2224", About{Dir: "/w"}, "a log of old") // says nothing of what it was run from
	if latest("/w") != "120000" || latest("/v") != "100000" {
		t.Errorf("the latest are %s and %s", latest("/w"), latest("/v"))
	}
	all, _ := a.List(Filter{})
	typed, _ := a.List(Filter{Interactive: true})
	if len(all) != 5 || len(typed) != 2 || all[1].Front != FrontServe {
		t.Errorf("listed %d and %d: %+v", len(all), len(typed), all)
	}
}

func must2[T, U any](v T, _ U, err error) T { return must(v, err) }

func TestFind(t *testing.T) {
	a := Archive{Dir: t.TempDir()}
	keep(t, a, "20260101-100000-aaaa1111", About{}, "x = 1")
	path := keep(t, a, "20260102-100000-bbbb2222", About{}, "x = 1")
	file := must(os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0))
	must(file.WriteString(`{"time":"2026-01-02T10:00:00Z","kind":"name","text":"refund round"}` + "\n" + `{"time":"2026`))
	file.Close()
	for i, name := range []string{"First try", "first refund", "First try", "2026-review", "bbb"} {
		path := keep(t, a, fmt.Sprintf("20270102-10000%d-cccc333%d", i, i), About{}, "x = 1")
		file := must(os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0))
		must(fmt.Fprintf(file, `{"time":"2026-01-02T10:00:00Z","kind":"name","text":%q}`+"\n", name))
		file.Close()
	}
	for _, c := range []struct{ name, want, message string }{
		{"20260101-100000-aaaa1111", "20260101-100000-aaaa1111", ""},
		{"20260102", "20260102-100000-bbbb2222", ""},
		{"aaaa", "20260101-100000-aaaa1111", ""},
		{"refund round", "20260102-100000-bbbb2222", ""},
		{"REFUND", "20260102-100000-bbbb2222", ""},
		{"first t", "20270102-100002-cccc3332", ""}, // the newest of that name
		{"first", "",
			`session "first": ambiguous: 20270102-100001-cccc3331 (first refund), 20270102-100002-cccc3332 (First try)`},
		{"bbb", "20270102-100004-cccc3334", ""}, // a name before the beginning of an id
		{"2026", "", `session "2026": ambiguous: 20260101-100000-aaaa1111, 20260102-100000-bbbb2222 (refund round), 20270102-100003-cccc3333 (2026-review)`},
		{"aaab1111", "", `session "aaab1111": not found; near it: 20260101-100000-aaaa1111`},
		{"zzzzzzzzzzzz", "", `session "zzzzzzzzzzzz": not found`},
		{"*", "", `session "*": not found`},
		{"", "", `no saved sessions`},
	} {
		s, err := a.Find(c.name)
		message := ""
		if err != nil {
			message = err.Error()
		}
		if s.ID != c.want || message != c.message {
			t.Errorf("%q: %q, %q", c.name, s.ID, message)
		}
	}
}

// TestThread shows that sessions that go on from each other are read as one, and that the old logs stay as they were.
func TestThread(t *testing.T) {
	a := Archive{Dir: t.TempDir()}
	first := keep(t, a, "20260101-100000-aaaa1111", About{}, "x = 1")
	before := must(os.ReadFile(first))
	keep(t, a, "20260102-100000-bbbb2222", About{Resumes: "20260101-100000-aaaa1111"}, "y = 2")
	last := keep(t, a, "20260103-100000-cccc3333", About{Resumes: "20260102-100000-bbbb2222"}, "z = 3")
	thread := func() Thread { return must(a.Thread(must(a.Find("cccc3333")))) }
	texts := func(th Thread) (all string) {
		for _, r := range th.Records {
			if r.Kind == KindRun {
				all += r.Text + ";"
			}
		}
		return all
	}
	if th := thread(); texts(th) != "x = 1;y = 2;z = 3;" || len(th.Notices) > 0 {
		t.Errorf("read %q, notices %q", texts(th), th.Notices)
	}
	if _, covers, _ := thread().State(); covers != 0 {
		t.Errorf("there is no state, and it covers %d records", covers)
	}
	// A state counts when it belongs to a run of the thread, wherever it is kept.
	file := KeepState(StatePath(first), nil)
	file.Put(State{Run: "20260101-100000-aaaa1111-run", Label: "cell 1", Bytes: []byte("state")})
	file.Close()
	if s, covers, _ := thread().State(); string(s.Bytes) != "state" || covers != 3 {
		t.Errorf("state %q covers %d records", s.Bytes, covers)
	}
	foreign := KeepState(StatePath(last), nil)
	foreign.Put(State{Run: "of another", Bytes: []byte("foreign")})
	foreign.Close()
	if s, _, _ := thread().State(); string(s.Bytes) != "state" {
		t.Errorf("a state of another session was taken: %q", s.Bytes)
	}
	// A log that is gone costs itself and what came before it.
	if err := os.Remove(a.Path("20260102-100000-bbbb2222", time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC))); err != nil {
		t.Fatal(err)
	}
	if th := thread(); texts(th) != "z = 3;" || len(th.Notices) != 1 ||
		!strings.Contains(th.Notices[0], "20260102-100000-bbbb2222") {
		t.Errorf("read %q, notices %q", texts(th), th.Notices)
	}
	if after := must(os.ReadFile(first)); string(after) != string(before) {
		t.Error("the old log was written to")
	}
}

// TestLatestWithoutCells: a session in which the globals or the conversation were emptied or went back, and nothing
// else was done, is the one to go on from; one in which nothing was done is not.
func TestLatestWithoutCells(t *testing.T) {
	for _, kind := range []Kind{KindReset, KindBack, KindForget, KindName} {
		a := Archive{Dir: t.TempDir()}
		keep(t, a, "20260101-100000-aaaa1111", About{}, "x = 1")
		keep(t, a, "20260102-100000-bbbb2222", About{})
		log := must(CreateLog(a.Path("20260103-100000-cccc3333", time.Date(2026, 1, 3, 0, 0, 0, 0, time.UTC)), nil))
		if err := errors.Join(log.Append(Record{Kind: KindSession, About: &About{}}), log.Append(Record{Kind: kind}),
			log.Close()); err != nil {
			t.Fatal(err)
		}
		want := "20260103-100000-cccc3333"
		if kind == KindName {
			want = "20260101-100000-aaaa1111"
		}
		if s, _, err := a.Latest("/w"); err != nil || s.ID != want {
			t.Errorf("%s: %s, %v", kind, s.ID, err)
		}
	}
}

// TestReset shows that a state from before a reset does not come back.
func TestReset(t *testing.T) {
	a := Archive{Dir: t.TempDir()}
	path := keep(t, a, "20260101-100000-aaaa1111", About{}, "x = 1")
	file := KeepState(StatePath(path), nil)
	file.Put(State{Run: "20260101-100000-aaaa1111-run", Bytes: []byte("state")})
	file.Close()
	log := must(os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0))
	must(log.WriteString(`{"time":"2026-01-01T10:00:00Z","kind":"reset"}` + "\n"))
	log.Close()
	s, covers, _ := must(a.Thread(must(a.Find("aaaa1111")))).State()
	if s.Run != "" || covers != 4 {
		t.Errorf("state of %q, covers %d", s.Run, covers)
	}
}

func TestState(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.state")
	if _, err := ReadState(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a state that is not there: %v", err)
	}
	file := KeepState(path, func(err error) { t.Error(err) })
	for _, label := range []string{"cell 1", "cell 2", "cell 3"} {
		file.Put(State{Run: "r", Label: label, Prelude: "p", Globals: 2, Bytes: []byte("a\nb\x00" + label)})
	}
	file.Close()
	want := State{Run: "r", Label: "cell 3", Prelude: "p", Globals: 2, Bytes: []byte("a\nb\x00cell 3")}
	got, err := ReadState(path)
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v %s", err, diff)
	}
	whole := must(os.ReadFile(path))
	for text, name := range map[string]string{
		string(whole[:len(whole)-1]):                                "damaged",
		strings.Replace(string(whole), `"run":"r"`, `"run":"s"`, 1): "damaged",
		"junk": "not a session state",
		strings.Replace(string(whole), `"almanac_state":1`, `"almanac_state":9`, 1): "version 9, want version 1",
	} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := ReadState(path); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if left, _ := filepath.Glob(path + ".*"); len(left) != 1 {
		t.Errorf("left behind: %v, want the one before", left)
	}
}

// TestStateBefore: a kill may come after a state was written and before the log has its run as ended, and amid the
// writing. The one before it is there then.
func TestStateBefore(t *testing.T) {
	records := []Record{{Kind: KindRun, Run: "first"}, {Kind: KindOutcome, Run: "first"}, {Kind: KindRun, Run: "second"}}
	ended := append(slices.Clone(records), Record{Kind: KindOutcome, Run: "second"})
	wentBack := append(slices.Clone(ended), Record{Kind: KindBack, Run: "first"})
	log := filepath.Join(t.TempDir(), "a.jsonl")
	file := KeepState(StatePath(log), nil)
	file.Put(State{Run: "first", Bytes: []byte("state")})
	file.Put(State{Run: "second", Bytes: []byte("state")})
	file.Close()
	want := func(when string, records []Record, run string, covers int) {
		t.Helper()
		s, got, notices := Thread{Records: records, Logs: []string{log}}.State()
		if s.Run != run || got != covers || len(notices) > 0 {
			t.Errorf("%s: the state of %q covers %d, %v; want %q, %d", when, s.Run, got, notices, run, covers)
		}
	}
	want("the second run has no end", records, "first", 2)
	want("it has", ended, "second", 4)
	want("the globals went back", wentBack, "first", 5)
	if err := os.Remove(StatePath(log)); err != nil {
		t.Fatal(err)
	}
	want("between two renames", records, "first", 2)
}

// TestStateAfterBack: when the globals went back to those of an earlier run, its state covers what came after it too,
// and that of a later run is of no use.
func TestStateAfterBack(t *testing.T) {
	records := []Record{
		{Kind: KindOutcome, Run: "first"}, {Kind: KindOutcome, Run: "second"}, {Kind: KindBack, Run: "first"},
		{Kind: KindRun, Run: "third"},
	}
	for run, want := range map[string]int{"first": 3, "second": 0} {
		log := filepath.Join(t.TempDir(), "a.jsonl")
		file := KeepState(StatePath(log), nil)
		file.Put(State{Run: run, Bytes: []byte("state")})
		file.Close()
		s, covers, notices := Thread{Records: records, Logs: []string{log}}.State()
		if got := len(s.Bytes) > 0; got != (want > 0) || got && covers != want || len(notices) > 0 {
			t.Errorf("%s: state %q covers %d, %v", run, s.Bytes, covers, notices)
		}
	}
}

func FuzzReadState(f *testing.F) {
	f.Add([]byte(`{"almanac_state":1,"run":"r","bytes":1,"sha256":""}` + "\nx"))
	f.Fuzz(func(t *testing.T, text []byte) {
		path := filepath.Join(t.TempDir(), "a.state")
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		if s, err := ReadState(path); err == nil && len(s.Bytes) > len(text) {
			t.Error("more came out than went in")
		}
	})
}
