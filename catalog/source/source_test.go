package source

import (
	"context"
	"errors"
	"fmt"
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

func nothing(context.Context, catalog.Call) (catalog.Result, error) { return catalog.Result{}, nil }

func entry(id string, mutates bool) catalog.Entry {
	return catalog.Entry{ID: id, Description: "About " + id + ".", Mutates: mutates, Action: nothing}
}

// A shelf is a source whose content a test changes.
type shelf struct {
	mu      sync.Mutex
	entries []catalog.Entry
	err     error
	read    bool
	changed func()
}

// put changes what the shelf holds. Where it has been read already, somebody watches it or will soon.
func (s *shelf) put(err error, entries ...catalog.Entry) {
	s.mu.Lock()
	s.entries, s.err = entries, err
	read, changed := s.read, s.changed
	s.mu.Unlock()
	for read && changed == nil {
		time.Sleep(time.Millisecond)
		s.mu.Lock()
		changed = s.changed
		s.mu.Unlock()
	}
	if changed != nil {
		changed()
	}
}

func (s *shelf) source(name string) Source {
	return Source{
		Name: name,
		Load: func(_ context.Context, progress func(Reading)) (catalog.Batch, error) {
			s.mu.Lock()
			defer s.mu.Unlock()
			progress(Reading{Found: len(s.entries)})
			s.read = true
			return catalog.Batch{Entries: slices.Clone(s.entries), Found: len(s.entries)}, s.err
		},
		Watch: func(ctx context.Context, changed func()) {
			s.mu.Lock()
			s.changed = changed
			s.mu.Unlock()
			<-ctx.Done()
		},
	}
}

func start(t *testing.T, o Options, sources ...Source) *Loader {
	t.Helper()
	l, err := Start(t.Context(), sources, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	})
	if err := l.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	return l
}

// until waits for what a background change brings about.
func until(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for range 500 {
		if ok() {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatalf("never: %s", what)
}

func report(t *testing.T, l *Loader) string {
	t.Helper()
	var b strings.Builder
	for _, s := range l.Status() {
		s.Took = 0
		if err := s.WriteReport(&b, 0); err != nil {
			t.Fatal(err)
		}
	}
	return b.String()
}

func TestSourcesMeet(t *testing.T) {
	first, second := &shelf{}, &shelf{}
	first.put(nil, entry("a.one", false), entry("a.two", true))
	second.put(nil, entry("a.two", false), entry("b.three", false), entry("b four", false))
	dead := Source{Name: "dead", Load: func(context.Context, func(Reading)) (catalog.Batch, error) {
		return catalog.Batch{}, errors.New("connection refused: is the server running?")
	}}
	broken := Source{
		Name: "broken", Load: func(context.Context, func(Reading)) (catalog.Batch, error) { panic("index out of range") },
	}
	l := start(t, Options{}, first.source("first"), dead, broken, second.source("second"))
	e, ok := l.View().Lookup("a.two")
	if !ok || !e.Mutates || e.Source != "first" {
		t.Errorf("the source named first should win: %+v", e)
	}
	want := `first: 2 actions (<1 ms)
  found 2 = loaded 2 + skipped 0
dead: failed: connection refused: is the server running?
broken: failed: its reader panicked: index out of range
second: 1 action, 2 skipped (<1 ms)
  found 3 = loaded 1 + skipped 2
  skipped: catalog: a.two: first has an action with this id: rename the source with NAME=second
  skipped: catalog: b four: the id has the character ' '; use printable characters without spaces
`
	if diff := cmp.Diff(want, report(t, l)); diff != "" {
		t.Error(diff)
	}
}

// What a source reserves is its own, also where another is named first and read before it, and an id is new.
func TestReserved(t *testing.T) {
	first, owner := &shelf{}, &shelf{}
	first.put(nil,
		entry("peer.message", false), entry("peer.other", false), entry("peer", false), entry("peers.list", false))
	owner.put(nil, entry("peer.message", true))
	reserving := owner.source("team")
	reserving.Reserves = []string{"peer"}
	l := start(t, Options{}, first.source("first"), reserving)
	if e, ok := l.View().Lookup("peer.message"); !ok || e.Source != "team" || l.View().Len() != 2 {
		t.Errorf("peer.message is of %+v, of %d actions", e, l.View().Len())
	}
	want := `first: 1 action, 3 skipped (<1 ms)
  found 4 = loaded 1 + skipped 3
  skipped: catalog: peer: ids of peer.* are those of team alone: rename the source with NAME=first
  skipped: catalog: peer.message: ids of peer.* are those of team alone: rename the source with NAME=first
  skipped: catalog: peer.other: ids of peer.* are those of team alone: rename the source with NAME=first
team: 1 action (<1 ms)
  found 1 = loaded 1 + skipped 0
`
	if diff := cmp.Diff(want, report(t, l)); diff != "" {
		t.Error(diff)
	}
}

func TestNothingNewWithoutConsent(t *testing.T) {
	dir := t.TempDir()
	s := &shelf{}
	s.put(nil, entry("shop.get", false), entry("shop.list", false), entry("shop.drop", true))
	l := start(t, Options{Ledger: dir}, s.source("shop"))
	if l.View().Len() != 3 {
		t.Fatalf("the first reading is accepted as it is; got %d", l.View().Len())
	}
	s.put(nil, entry("shop.get", true), entry("shop.list", false), entry("shop.buy", true))
	until(t, "the change is noticed", func() bool { return l.Status()[0].Change.Waiting() == 2 })
	until(t, "the view has it", func() bool { return l.View().Len() == 1 })
	if why := l.View().Why("shop.get"); why.Rule != "sources: its effect or schema changed in shop: /sources accept shop" {
		t.Errorf("why: %+v", why)
	}

	again := start(t, Options{Ledger: dir}, s.source("shop"))
	if diff := cmp.Diff(Change{Added: []string{"shop.buy"}, Changed: []string{"shop.get"},
		Removed: []string{"shop.drop"}, What: map[string]string{
			"shop.buy": "update, mutates, medium risk",
			"shop.get": "operation read -> update; changes nothing -> mutates; risk low -> medium",
		}}, again.Status()[0].Change); diff != "" {
		t.Error(diff)
	}
	change, err := again.Accept("shop")
	if err != nil || change.Waiting() != 2 {
		t.Fatalf("accept: %+v, %v", change, err)
	}
	if again.View().Len() != 3 {
		t.Error("what was accepted is not seen at once")
	}

	third := start(t, Options{Ledger: dir}, s.source("shop"))
	if third.View().Len() != 3 || !third.Status()[0].Change.empty() {
		t.Errorf("what was accepted is not remembered: %s", report(t, third))
	}
	if _, err := third.Accept("shoe"); err == nil || !strings.Contains(err.Error(), `not found among ["shop"]`) {
		t.Errorf("got %v", err)
	}
}

func TestTrustUpdates(t *testing.T) {
	dir := t.TempDir()
	s := &shelf{}
	s.put(nil, entry("shop.get", false))
	start(t, Options{Ledger: dir}, s.source("shop"))
	s.put(nil, entry("shop.get", true))
	if l := start(t, Options{Ledger: dir, TrustUpdates: true}, s.source("shop")); l.View().Len() != 1 {
		t.Error("a trusted change is hidden")
	}
	if l := start(t, Options{Ledger: dir}, s.source("shop")); l.View().Len() != 1 {
		t.Error("a trusted change is not remembered")
	}
}

// A ledger that cannot be read must not let everything in.
func TestDamagedLedger(t *testing.T) {
	dir := t.TempDir()
	s := &shelf{}
	s.put(nil, entry("shop.get", false))
	if err := os.WriteFile(ledgerFile(dir, "shop"), []byte(`{"source":`), 0o600); err != nil {
		t.Fatal(err)
	}
	l := start(t, Options{Ledger: dir}, s.source("shop"))
	if st := l.Status()[0]; st.State != Failed || l.View().Len() != 0 ||
		!strings.Contains(st.Err.Error(), filepath.Base(ledgerFile(dir, "shop"))) {
		t.Errorf("%s", report(t, l))
	}
}

func TestFailedRefreshKeepsWhatWas(t *testing.T) {
	s := &shelf{}
	s.put(nil, entry("shop.get", false))
	l := start(t, Options{}, s.source("shop"))
	s.put(errors.New("gone"))
	until(t, "the failure is noticed", func() bool { return l.Status()[0].State == Failed })
	if l.View().Len() != 1 {
		t.Error("a failed refresh took the actions away")
	}
	s.put(nil, entry("shop.get", false), entry("shop.list", false))
	until(t, "it comes back", func() bool { return l.View().Len() == 2 })
}

func TestSlowSourceHoldsNothingUp(t *testing.T) {
	quick := &shelf{}
	quick.put(nil, entry("quick.get", false))
	slow := Source{Name: "slow", Load: func(ctx context.Context, progress func(Reading)) (catalog.Batch, error) {
		progress(Reading{Found: 17, Percent: 40})
		<-ctx.Done()
		return catalog.Batch{}, ctx.Err()
	}}
	l, err := Start(t.Context(), []Source{slow, quick.source("quick")}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	until(t, "the quick source is there", func() bool { return l.View().Len() == 1 })
	if line := l.Status()[0].Line(); line != "slow: loading, 40 %, 17 actions so far" || !l.Loading() {
		t.Errorf("got %q", line)
	}
	if err := l.Close(); err != nil {
		t.Error(err)
	}

	bounded := start(t, Options{Timeout: 20 * time.Millisecond}, slow)
	if line := bounded.Status()[0].Line(); line != "slow: failed: not read within 20ms" {
		t.Errorf("got %q", line)
	}
}

// How far the first reading is shows as a share of the source that is read, then of the index.
func TestProgress(t *testing.T) {
	told, read := make(chan struct{}), make(chan struct{})
	large := Source{Name: "x=openapi:dir/large.json",
		Load: func(_ context.Context, progress func(Reading)) (catalog.Batch, error) {
			progress(Reading{Found: 17, Percent: 40})
			close(told)
			<-read
			batch := catalog.Batch{}
			for i := range 5000 {
				batch.Entries = append(batch.Entries, entry(fmt.Sprintf("large.get%d", i), false))
			}
			return batch, nil
		}}
	quick := &shelf{}
	quick.put(nil, entry("quick.get", false))
	var mu sync.Mutex
	var seen []string
	var started atomic.Pointer[Loader]
	l, err := Start(t.Context(), []Source{quick.source("quick"), large}, Options{Changed: func() {
		if l := started.Load(); l != nil {
			mu.Lock()
			defer mu.Unlock()
			seen = append(seen, l.Progress().Doing)
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	<-told
	until(t, "the quick source is there", func() bool { return l.View().Len() == 1 })
	if want := (Progress{Answered: 1, Sources: 2, Doing: "reading large.json: 40 %"}); l.Progress() != want {
		t.Errorf("got %+v, want %+v", l.Progress(), want)
	}
	started.Store(l)
	close(read)
	if err := l.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	if want := (Progress{Answered: 2, Sources: 2}); l.Progress() != want {
		t.Errorf("got %+v, want %+v", l.Progress(), want)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	for _, doing := range seen {
		if !strings.HasPrefix(doing, "reading large.json: 40 %") && !strings.HasPrefix(doing, "indexing: ") && doing != "" {
			t.Errorf("told %q", doing)
		}
	}
}

// Nothing is seen before a source that may hide actions has been read; then what it says of others holds for whatever
// they come to hold.
func TestOverlay(t *testing.T) {
	shop, rules := &shelf{}, &shelf{}
	shop.put(nil, entry("shop.get", false), entry("shop.drop", true))
	rules.put(errors.New("line 3: unknown key hyde"))
	over := rules.source("rules")
	over.Overlays = true
	load := over.Load
	over.Load = func(ctx context.Context, progress func(Reading)) (catalog.Batch, error) {
		batch, err := load(ctx, progress)
		batch.Overlay = func(entries []catalog.Entry) catalog.Overlaid {
			said := catalog.Overlaid{
				Hidden: map[string]string{}, Remarks: []catalog.Skip{{Source: "rules:7", Reason: "matches nothing"}},
			}
			for i := range entries {
				entries[i].Title = "seen"
				if entries[i].ID == "shop.drop" {
					said.Hidden["shop.drop"] = "rules:2"
				}
			}
			return said
		}
		return batch, err
	}
	l := start(t, Options{}, shop.source("shop"), over)
	if why := l.View().Why("shop.get"); l.View().Len() != 0 || !strings.Contains(why.Rule, "rules has not loaded") {
		t.Fatalf("seen before it may be: %+v", why)
	}
	rules.put(nil)
	until(t, "what is left is seen", func() bool { return l.View().Len() == 1 })
	if e, ok := l.View().Lookup("shop.get"); !ok || e.Title != "seen" ||
		l.View().Why("shop.drop").Rule != "sources: rules:2" {
		t.Errorf("got %+v, why %+v", e, l.View().Why("shop.drop"))
	}
	if !strings.Contains(report(t, l), "  overlay: rules:7: matches nothing\n") {
		t.Error(report(t, l))
	}
	shop.put(nil, entry("shop.get", false), entry("shop.list", false), entry("shop.drop", true))
	until(t, "the new one is seen", func() bool { return l.View().Len() == 2 })
	rules.put(errors.New("gone"))
	until(t, "the failure is noticed", func() bool { return l.Status()[1].State == Failed })
	if l.View().Len() != 2 {
		t.Error("a failed refresh changed what is hidden")
	}
}

// What a reading failed of and what keeps the actions from being called is told once when it is the same, as it is now.
func TestFailedLine(t *testing.T) {
	away := errors.New("mcp server x is down: exit status 3")
	again := errors.New("mcp server x is down: exit status 3; next attempt at 21:14:20")
	other := errors.New("no credential")
	for _, test := range []struct {
		status Status
		want   string
	}{
		{Status{Err: away, Health: again}, "x: failed: " + again.Error()},
		{Status{Err: away, Health: again, Loaded: 2}, "x: failed: " + again.Error() + "; keeping the previous 2 actions"},
		{Status{Err: away, Health: other}, "x: failed: " + away.Error() + "; unavailable: no credential"},
	} {
		test.status.Name, test.status.State = "x", Failed
		if got := test.status.Line(); got != test.want {
			t.Errorf("got %s\nwant %s", got, test.want)
		}
	}
}

func TestNames(t *testing.T) {
	s := &shelf{}
	for _, names := range [][]string{{""}, {"a", "a"}} {
		var sources []Source
		for _, name := range names {
			sources = append(sources, s.source(name))
		}
		if l, err := Start(t.Context(), sources, Options{}); err == nil {
			l.Close()
			t.Errorf("%q: no error", names)
		}
	}
}
