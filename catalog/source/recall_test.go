package source

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"almanac/catalog"
)

// A paper is a source with a key: what cannot be called, counted at each reading.
type paper struct {
	mu    sync.Mutex
	key   string
	ids   []string
	fails error
	reads atomic.Int32
}

func (p *paper) write(key string, fails error, ids ...string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.key, p.fails, p.ids = key, fails, ids
}

func (p *paper) source(name string) Source {
	return Source{
		Name: name,
		Key: func(context.Context) (string, error) {
			p.mu.Lock()
			defer p.mu.Unlock()
			return p.key, p.fails
		},
		Load: func(context.Context, func(Reading)) (catalog.Batch, error) {
			p.reads.Add(1)
			p.mu.Lock()
			defer p.mu.Unlock()
			b := catalog.Batch{Key: p.key, Found: len(p.ids) + 1,
				Skipped: []catalog.Skip{{Source: name + ":9", Reason: "broken"}}}
			for _, id := range p.ids {
				b.Entries = append(b.Entries, catalog.Entry{ID: id, Description: "List things of " + id})
			}
			return b, p.fails
		},
	}
}

// own is a source of the program's with one action.
func own(called *atomic.Int32) Source {
	return Source{Name: "own", Own: true, Load: func(context.Context, func(Reading)) (catalog.Batch, error) {
		act := func(context.Context, catalog.Call) (catalog.Result, error) {
			called.Add(1)
			return catalog.Result{}, nil
		}
		return catalog.Batch{Entries: []catalog.Entry{{ID: "own.act", Description: "Acts.", Action: act}}, Found: 1}, nil
	}}
}

// kept waits until a cache has n files.
func kept(t *testing.T, dir string, n int) []string {
	t.Helper()
	var files []string
	until(t, fmt.Sprintf("%d cached catalogs", n), func() bool {
		files, _ = filepath.Glob(filepath.Join(dir, "*"+cacheEnding))
		return len(files) == n
	})
	return files
}

func answers(t *testing.T, l *Loader) string {
	t.Helper()
	found, err := l.View().Search("list things", catalog.SearchOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return l.View().FormatSet(found, 0) + report(t, l)
}

func TestSecondStartReadsNothing(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "cache")
	var p paper
	var called atomic.Int32
	p.write("one", nil, "b.list", "a.list")
	var logged []string
	o := Options{
		Cache: dir, Logf: func(format string, args ...any) { logged = append(logged, fmt.Sprintf(format, args...)) },
	}
	first := start(t, o, p.source("paper"), own(&called))
	kept(t, dir, 2) // the catalog, and the source for a start with others
	want := answers(t, first)

	second := start(t, o, p.source("paper"), own(&called))
	if p.reads.Load() != 1 {
		t.Errorf("the source was read %d times", p.reads.Load())
	}
	if diff := cmp.Diff(want, answers(t, second)); diff != "" {
		t.Errorf("the recalled catalog answers otherwise:\n%s", diff)
	}
	e, ok := second.View().Lookup("own.act")
	if !ok || e.Action == nil {
		t.Fatal("the program's own action is not there or cannot be called")
	}
	if _, err := e.Action(t.Context(), catalog.Call{}); err != nil || called.Load() != 1 {
		t.Errorf("called %d times, error %v", called.Load(), err)
	}

	p.write("two", nil, "a.list", "c.list")
	third := start(t, o, p.source("paper"), own(&called))
	if _, ok := third.View().Lookup("c.list"); !ok || p.reads.Load() != 2 {
		t.Errorf("a source that changed was read %d times", p.reads.Load())
	}
	kept(t, dir, 4)
	if len(logged) > 0 {
		t.Errorf("logged: %q", logged)
	}
}

// An asked is a source without a key whose actions can be called, as a server is.
type asked struct {
	ids           []string
	about, secret string
}

func (a *asked) source() Source {
	return Source{Name: "live", Secrets: func() []string { return []string{a.secret} },
		Load: func(context.Context, func(Reading)) (catalog.Batch, error) {
			b := catalog.Batch{Found: len(a.ids)}
			for _, id := range a.ids {
				b.Entries = append(b.Entries, catalog.Entry{ID: id, Description: a.about, Mutates: true,
					Action: func(context.Context, catalog.Call) (catalog.Result, error) {
						return catalog.Result{Note: "done by " + id}, nil
					}})
			}
			return b, nil
		}}
}

// TestAnswersAreRecalled starts with a source that has to be asked beside one that is kept. Once it has said the same
// twice, the whole catalog is taken from the cache: what is kept of the other source alone is removed, so that it would
// be read anew otherwise.
func TestAnswersAreRecalled(t *testing.T) {
	dir, ledger := t.TempDir(), t.TempDir()
	var p paper
	p.write("p", nil, "p.one", "both.act")
	server := asked{ids: []string{"live.act", "both.act"}, about: "List things that live."}
	// again starts whole, after what is kept of p alone was removed, and tells what there is and how often p was read.
	again := func() string {
		t.Helper()
		l := &Loader{options: Options{Cache: dir, Program: "1"}, version: catalog.Version}
		os.Remove(l.cache().file(l.partKey("paper", "p")))
		l = start(t, Options{Cache: dir, Ledger: ledger, Program: "1", Whole: true}, p.source("paper"), server.source())
		said := fmt.Sprintf("read %d\n%s", p.reads.Swap(0), answers(t, l))
		for _, id := range server.ids {
			said += id + ": " + noted(t, l, id) + "\n"
		}
		if err := l.Close(); err != nil {
			t.Error(err)
		}
		return said
	}
	first := again()
	if !strings.Contains(first, "live.act: done by live.act") ||
		!strings.Contains(first, "paper has an action with this id") {
		t.Fatalf("the first start says\n%s", first)
	}
	if diff := cmp.Diff(first, again()); diff != "" {
		t.Errorf("the second start says otherwise:\n%s", diff)
	}
	whole := strings.Replace(first, "read 1", "read 0", 1)
	if diff := cmp.Diff(whole, again()); diff != "" {
		t.Errorf("the third start is not recalled:\n%s", diff)
	}
	server.ids = append(server.ids, "live.more")
	if said := again(); !strings.Contains(said, "read 1") || !strings.Contains(said, "live.more: none") {
		t.Errorf("an action that is new, and was not accepted, says\n%s", said)
	}
	server.ids, server.about = server.ids[:2], "List what still lives."
	for i := range 3 {
		if said := again(); !strings.Contains(said, server.about) || strings.Contains(said, "read 1") != (i < 2) {
			t.Errorf("start %d after the description changed says\n%s", i+1, said)
		}
	}
	// What was accepted is taken back.
	none := []byte(`{"source":"live","version":2,"actions":{}}`)
	if err := os.WriteFile(ledgerFile(ledger, "live"), none, 0o600); err != nil {
		t.Fatal(err)
	}
	if said := again(); !strings.Contains(said, "live.act: none") {
		t.Errorf("with nothing accepted it says\n%s", said)
	}
	server.secret, server.about = "hunter2-hunter2", "List hunter2-hunter2."
	if err := os.Remove(ledgerFile(ledger, "live")); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if said := again(); !strings.Contains(said, "read 1") {
			t.Errorf("what has a secret is kept:\n%s", said)
		}
	}
}

// TestAnswersAreRecalledLate starts with a source that has to be asked where something is to be shown before it has
// answered: once it has said the same twice, what is seen in the end is a catalog from the cache.
func TestAnswersAreRecalledLate(t *testing.T) {
	dir, ledger := t.TempDir(), t.TempDir()
	var r recipe
	r.write("r", nil, "r.one", "both.act")
	server := asked{ids: []string{"live.act", "both.act"}, about: "List things that live."}
	again := func() (said string, recalled bool) {
		t.Helper()
		l := start(t, Options{Cache: dir, Ledger: ledger, Program: "1"}, r.source("recipe"), server.source())
		l.building.Lock()
		recalled = l.sources[0].content.part == nil
		l.building.Unlock()
		for _, id := range []string{"r.one", "both.act", "live.act", "live.more"} {
			_, seen := l.View().Lookup(id)
			said += fmt.Sprintf("%s: %t %s\n", id, seen, noted(t, l, id))
		}
		said += answers(t, l)
		if err := l.Close(); err != nil {
			t.Error(err)
		}
		return strings.NewReplacer("note: loaded", "note", "note: recalled", "note").Replace(said), recalled
	}
	want, _ := again()
	for i, recalled := range []bool{false, true, true} {
		said, was := again()
		if diff := cmp.Diff(want, said); diff != "" || was != recalled {
			t.Errorf("start %d is recalled: %t, want %t; it says otherwise:\n%s", i+2, was, recalled, diff)
		}
	}
	server.ids = append(server.ids, "live.more")
	for range 3 {
		if said, recalled := again(); recalled || !strings.Contains(said, "live.more: false") {
			t.Errorf("recalled: %t with an action that was not accepted:\n%s", recalled, said)
		}
	}
	if r.reads.Load() != 1 {
		t.Errorf("what is kept was read %d times", r.reads.Load())
	}
}

// TestRefreshAfterRecall reads one of two recalled sources again: the entries of the other stay.
func TestRefreshAfterRecall(t *testing.T) {
	dir := t.TempDir()
	var p, q paper
	p.write("p", nil, "p.one")
	q.write("q", nil, "q.one")
	start(t, Options{Cache: dir}, p.source("p"), q.source("q"))
	kept(t, dir, 3) // the catalog and a segment of each
	l := start(t, Options{Cache: dir}, p.source("p"), q.source("q"))
	p.write("p2", nil, "p.one", "p.two")
	if err := l.Refresh("p"); err != nil {
		t.Fatal(err)
	}
	until(t, "the new action is there", func() bool { return l.View().Len() == 3 })
	if p.reads.Load() != 2 || q.reads.Load() != 1 {
		t.Errorf("read %d and %d times", p.reads.Load(), q.reads.Load())
	}
	kept(t, dir, 5)
	p.write("p3", errors.New("gone"))
	if err := l.Refresh("p"); err != nil {
		t.Fatal(err)
	}
	until(t, "the failure is noticed", func() bool { return l.Status()[0].State == Failed })
	if l.View().Len() != 3 {
		t.Errorf("a reading that failed left %d actions", l.View().Len())
	}
}

func TestDamagedCacheIsBuiltAnew(t *testing.T) {
	for name, damage := range map[string]func(b []byte) []byte{
		"cut":     func(b []byte) []byte { return b[:len(b)/2] },
		"flipped": func(b []byte) []byte { b[len(b)/2] ^= 1; return b },
		"empty":   func([]byte) []byte { return nil },
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			var p paper
			p.write("one", nil, "a.list")
			want := answers(t, start(t, Options{Cache: dir}, p.source("paper")))
			files := kept(t, dir, 2)
			for _, file := range files {
				whole, err := os.ReadFile(file)
				if err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(file, damage(slices.Clone(whole)), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			var logged []string
			l := start(t, Options{Cache: dir,
				Logf: func(format string, args ...any) { logged = append(logged, fmt.Sprintf(format, args...)) }},
				p.source("paper"))
			want += "  note: its cached copy was damaged; it was read anew, and a new copy is kept\n"
			if diff := cmp.Diff(want, answers(t, l)); diff != "" || p.reads.Load() != 2 {
				t.Errorf("read %d times\n%s", p.reads.Load(), diff)
			}
			if len(logged) == 0 || !strings.Contains(logged[0], "rebuilding") {
				t.Errorf("logged: %q", logged)
			}
			until(t, "the cache is whole again", func() bool {
				return !slices.ContainsFunc(files, func(file string) bool {
					b, _ := os.ReadFile(file)
					_, _, err := catalog.Open(slices.Clone(b), catalog.OpenOptions{})
					_, _, broken := catalog.OpenSegment(b, catalog.OpenOptions{})
					return err != nil && broken != nil
				})
			})
		})
	}
}

// TestCacheThatCannotBeWritten has a file where the folder should be.
func TestCacheThatCannotBeWritten(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(dir, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	var p paper
	p.write("one", nil, "a.list")
	l := start(t, Options{Cache: dir}, p.source("paper"))
	if l.View().Len() != 1 || l.Status()[0].State != Ready {
		t.Errorf("%d actions, %+v", l.View().Len(), l.Status()[0])
	}
}

func TestTwoProcessesOneCache(t *testing.T) {
	dir := t.TempDir()
	var p paper
	p.write("one", nil, "a.list", "b.list")
	var wait sync.WaitGroup
	for range 6 {
		wait.Go(func() {
			l, err := Start(t.Context(), []Source{p.source("paper")}, Options{Cache: dir})
			if err != nil {
				t.Error(err)
				return
			}
			if err := errors.Join(l.Wait(t.Context()), l.Close()); err != nil || l.View().Len() != 2 {
				t.Errorf("%d actions, error %v", l.View().Len(), err)
			}
		})
	}
	wait.Wait()
	if left, _ := filepath.Glob(filepath.Join(dir, cacheTemp+"*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestPrune(t *testing.T) {
	c := cache{dir: t.TempDir()}
	for i, key := range []string{"old", "older", "new"} {
		err := c.write(key, func(w io.Writer) error { _, err := w.Write(make([]byte, 100)); return err })
		if err != nil {
			t.Fatal(err)
		}
		used := time.Now().Add(time.Duration(-i) * time.Minute)
		if key == "new" {
			used = time.Now().Add(-time.Hour)
		}
		if err := os.Chtimes(c.file(key), used, used); err != nil {
			t.Fatal(err)
		}
	}
	stale := filepath.Join(c.dir, cacheTemp+"x")
	if err := os.WriteFile(stale, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	past := time.Now().Add(-2 * tempAge)
	if err := os.Chtimes(stale, past, past); err != nil {
		t.Fatal(err)
	}
	if err := c.prune("new", 250); err != nil {
		t.Fatal(err)
	}
	left, _ := filepath.Glob(filepath.Join(c.dir, "*"))
	hidden, _ := filepath.Glob(filepath.Join(c.dir, ".*"))
	if want := []string{c.file("new"), c.file("old")}; !slices.Equal(left, want) || len(hidden) > 0 {
		t.Errorf("left %v and %v, want %v", left, hidden, want)
	}
}
