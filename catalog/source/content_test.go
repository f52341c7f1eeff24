package source

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"almanac/catalog"
)

// A recipe is a source whose actions can be called, and are made of recipes: an importer.
type recipe struct {
	paper
	recalls atomic.Int32
	broken  error
}

func (r *recipe) attach(e *catalog.Entry) {
	made := e.Recipe
	e.Action = func(context.Context, catalog.Call) (catalog.Result, error) { return catalog.Result{Note: made}, nil }
}

func (r *recipe) source(name string) Source {
	s := r.paper.source(name)
	load := s.Load
	s.Load = func(ctx context.Context, progress func(Reading)) (catalog.Batch, error) {
		b, err := load(ctx, progress)
		for i := range b.Entries {
			b.Entries[i].Recipe = "make " + b.Entries[i].ID
			r.attach(&b.Entries[i])
		}
		b.Kept, b.Attach, b.Notes = []byte("kept"), r.attach, []catalog.Skip{{Reason: "loaded"}}
		return b, err
	}
	s.Recall = func(kept []byte) (func(*catalog.Entry), []catalog.Skip, error) {
		r.recalls.Add(1)
		if string(kept) != "kept" {
			return nil, nil, fmt.Errorf("kept is %q", kept)
		}
		return r.attach, []catalog.Skip{{Reason: "recalled"}}, r.broken
	}
	return s
}

// noted calls an action and returns its note.
func noted(t *testing.T, l *Loader, id string) string {
	t.Helper()
	e, ok := l.View().Lookup(id)
	if !ok || e.Action == nil {
		return "none"
	}
	result, err := e.Action(t.Context(), catalog.Call{})
	if err != nil {
		t.Fatal(err)
	}
	return result.Note
}

// TestPartsAreKept starts with two sources that have keys beside one that has none: only what changed is read again,
// and what is joined answers like what was built.
func TestPartsAreKept(t *testing.T) {
	dir, ledger := t.TempDir(), t.TempDir()
	var p paper
	var r recipe
	p.write("p", nil, "p.one", "both.act")
	r.write("r", nil, "r.two", "both.act", "r.three")
	sources := func() []Source { return []Source{p.source("paper"), r.source("recipe"), live("live.act")} }
	var logged []string
	o := Options{Cache: dir, Ledger: ledger, Program: "1",
		Logf: func(format string, args ...any) { logged = append(logged, fmt.Sprintf(format, args...)) }}
	counts := func() string { return fmt.Sprint(p.reads.Load(), r.reads.Load(), r.recalls.Load()) }
	check := func(step, reads string, ids ...string) string {
		t.Helper()
		l := start(t, o, sources()...)
		for _, id := range ids {
			if got := noted(t, l, id); got != "make "+id {
				t.Errorf("%s: %s is made of %q", step, id, got)
			}
		}
		said := answers(t, l)
		if err := l.Close(); err != nil {
			t.Error(err)
		}
		if got := counts(); got != reads {
			t.Errorf("%s: reads and recalls are %s, want %s", step, got, reads)
		}
		return strings.NewReplacer("note: loaded", "note", "note: recalled", "note").Replace(said)
	}
	want := check("first", "1 1 0", "r.two")
	if diff := cmp.Diff(want, check("second", "1 1 1", "r.two", "r.three")); diff != "" {
		t.Errorf("the second start answers otherwise:\n%s", diff)
	}
	p.write("p2", nil, "p.one", "p.more", "both.act")
	if said := check("one changed", "2 1 2", "r.two"); !strings.Contains(said, "p.more") {
		t.Errorf("the change is not there:\n%s", said)
	}
	p.write("p", nil, "p.one", "both.act")
	if diff := cmp.Diff(want, check("back", "2 1 3", "r.two")); diff != "" {
		t.Errorf("what was changed and put back answers otherwise:\n%s", diff)
	}
	o.Program = "2"
	if diff := cmp.Diff(want, check("another program", "3 2 3", "r.two")); diff != "" {
		t.Errorf("another program answers otherwise:\n%s", diff)
	}
	r.broken = errors.New("no server")
	check("a source that cannot use what is kept", "3 3 4", "r.two")
	if len(logged) > 0 {
		t.Errorf("logged: %q", logged)
	}
}

// live is a source without a key, as a server is.
func live(ids ...string) Source {
	return Source{Name: "live", Load: func(context.Context, func(Reading)) (catalog.Batch, error) {
		b := catalog.Batch{Found: len(ids)}
		for _, id := range ids {
			b.Entries = append(b.Entries, catalog.Entry{ID: id, Description: "List things that live."})
		}
		return b, nil
	}}
}

// TestLoneSourceIsKeptForOthers starts with one source until all is kept, and then with another beside it.
func TestLoneSourceIsKeptForOthers(t *testing.T) {
	dir := t.TempDir()
	var p, q paper
	p.write("p", nil, "p.one", "p.two")
	q.write("q", nil, "q.one")
	l := start(t, Options{Cache: dir}, p.source("p"))
	<-l.Settled()
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	for i, more := range []Source{q.source("q"), live("live.act")} {
		l := start(t, Options{Cache: dir}, p.source("p"), more)
		if n := l.View().Len(); n != 3 || p.reads.Load() != 1 {
			t.Errorf("%d: %d actions, p was read %d times", i, n, p.reads.Load())
		}
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// TestKeptActionsAreAccepted keeps actions that can be called; what is accepted of them is asked at each start.
func TestKeptActionsAreAccepted(t *testing.T) {
	for name, more := range map[string][]Source{"whole": nil, "parts": {live("live.act")}} {
		t.Run(name, func(t *testing.T) {
			dir, ledger := t.TempDir(), t.TempDir()
			var r recipe
			r.write("1", nil, "r.one")
			o := Options{Cache: dir, Ledger: ledger}
			visible := func() (ids []string) {
				l := start(t, o, append([]Source{r.source("recipe")}, more...)...)
				for _, id := range []string{"r.one", "r.two"} {
					if _, ok := l.View().Lookup(id); ok {
						ids = append(ids, id)
					}
				}
				if err := l.Close(); err != nil {
					t.Error(err)
				}
				return ids
			}
			visible()
			r.write("2", nil, "r.one", "r.two")
			for range 3 { // read, and twice from the cache
				if got := visible(); !slices.Equal(got, []string{"r.one"}) {
					t.Fatalf("before it is accepted one sees %v", got)
				}
			}
			l := start(t, o, append([]Source{r.source("recipe")}, more...)...)
			if _, err := l.Accept("recipe"); err != nil {
				t.Fatal(err)
			}
			if err := l.Close(); err != nil {
				t.Fatal(err)
			}
			for range 2 {
				if got := visible(); len(got) != 2 {
					t.Fatalf("after it was accepted one sees %v", got)
				}
			}
			// What was accepted is taken back.
			none := []byte(`{"source":"recipe","version":2,"actions":{}}`)
			if err := os.WriteFile(ledgerFile(ledger, "recipe"), none, 0o600); err != nil {
				t.Fatal(err)
			}
			if got := visible(); len(got) != 0 {
				t.Errorf("with nothing accepted one sees %v", got)
			}
		})
	}
}

// TestOverlaysOfKeptParts changes an entry of two kept sources by an overlay, and hides one: the parts are kept as they
// are with it, and an overlay that changes is seen.
func TestOverlaysOfKeptParts(t *testing.T) {
	dir := t.TempDir()
	var p, q paper
	p.write("p", nil, "p.one", "p.two")
	q.write("q", nil, "q.one")
	title := "Overlaid rhubarb"
	over := Source{Name: "over", Own: true, Overlays: true,
		Load: func(context.Context, func(Reading)) (catalog.Batch, error) {
			return catalog.Batch{Overlay: func(entries []catalog.Entry) catalog.Overlaid {
				for i := range entries {
					if entries[i].ID == "p.one" {
						entries[i].Title = title
					}
				}
				return catalog.Overlaid{Hidden: map[string]string{"p.two": "said so"}, Remarks: []catalog.Skip{{Reason: "remark"}}}
			}}, nil
		}}
	ask := func(query string) string {
		l := start(t, Options{Cache: dir}, p.source("p"), q.source("q"), over)
		found, err := l.View().Search(query, catalog.SearchOptions{})
		if err != nil {
			t.Fatal(err)
		}
		said := l.View().FormatSet(found, 0) + report(t, l)
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
		return said
	}
	want := ask("rhubarb")
	if !strings.Contains(want, "p.one") || !strings.Contains(want, "overlay: remark") {
		t.Errorf("the overlay is not seen:\n%s", want)
	}
	if strings.Contains(ask("two"), "p.two") {
		t.Error("what the overlay hides is seen")
	}
	if diff := cmp.Diff(want, ask("rhubarb")); diff != "" || p.reads.Load() != 1 || q.reads.Load() != 1 {
		t.Errorf("the second start reads %d and %d times and says otherwise:\n%s", p.reads.Load(), q.reads.Load(), diff)
	}
	kept(t, dir, 3)
	title = "Overlaid quince"
	if said := ask("quince"); !strings.Contains(said, "p.one") || p.reads.Load() != 1 {
		t.Errorf("another overlay is not seen, or the source was read %d times:\n%s", p.reads.Load(), said)
	}
}

// TestDamagedPart damages every kept file: the sources are read anew, the doctor is told, and the next start is as
// before.
func TestDamagedPart(t *testing.T) {
	dir := t.TempDir()
	var p, q paper
	p.write("p", nil, "p.one")
	q.write("q", nil, "q.one")
	ask := func() string {
		l := start(t, Options{Cache: dir}, p.source("p"), q.source("q"), live("live.act"))
		defer l.Close()
		return answers(t, l)
	}
	want := ask()
	for _, file := range kept(t, dir, 3) { // of the two, and what the third said
		if err := os.Truncate(file, 1000); err != nil {
			t.Fatal(err)
		}
		if info, err := os.Stat(file); err != nil || info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s: mode %v, error %v", file, info.Mode(), err)
		}
	}
	if got := ask(); strings.Count(got, "cached copy was damaged") != 2 || p.reads.Load() != 2 {
		t.Errorf("read %d times:\n%s", p.reads.Load(), got)
	}
	if diff := cmp.Diff(want, ask()); diff != "" || p.reads.Load() != 2 {
		t.Errorf("after that, read %d times:\n%s", p.reads.Load(), diff)
	}
}
