package source

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"almanac/catalog"
)

// A slowly is a source of many actions that has told of the first 2,500 and waits until it is let go on.
type slowly struct {
	told, goOn chan struct{}
	entries    []catalog.Entry
	err        error
}

func newSlowly(entries []catalog.Entry) *slowly {
	return &slowly{told: make(chan struct{}), goOn: make(chan struct{}), entries: entries}
}

func (s *slowly) source(name string) Source {
	return Source{Name: name, Key: func(context.Context) (string, error) { return "1", nil },
		Load: func(ctx context.Context, progress func(Reading)) (catalog.Batch, error) {
			progress(Reading{Found: 2500, Percent: 25, Entries: func() []catalog.Entry { return s.entries[:2500] }})
			close(s.told)
			select {
			case <-s.goOn:
			case <-ctx.Done():
				return catalog.Batch{}, ctx.Err()
			}
			if s.err != nil {
				return catalog.Batch{}, s.err
			}
			return catalog.Batch{Entries: s.entries, Found: len(s.entries), Key: "1"}, nil
		}}
}

func many(n int) []catalog.Entry {
	entries := make([]catalog.Entry, n)
	for i := range entries {
		entries[i] = entry(fmt.Sprintf("big.group%d.get%d", i/100, i), i%2 == 0)
	}
	return entries
}

// partly starts to load and waits until a part is seen.
func partly(t *testing.T, o Options, s *slowly) *Loader {
	t.Helper()
	o.Partly = true
	l, err := Start(t.Context(), []Source{s.source("big.jsonl")}, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	if how := l.View().Loading(); !strings.HasPrefix(how, "the catalog is still loading") {
		t.Errorf("before anything is there: %q", how)
	}
	<-s.told
	return l
}

// What has been read is found, described and told to be a part; it is never kept as the whole: not in the cache, and
// not among what was accepted.
func TestPartIsSeen(t *testing.T) {
	dir := t.TempDir()
	s := newSlowly(many(10_000))
	l := partly(t, Options{Ledger: dir + "/accepted", Cache: dir + "/cache"}, s)
	until(t, "a part is seen", func() bool { return l.View().Len() == 2500 })
	v := l.View()
	set, err := v.Search("get12", catalog.SearchOptions{})
	if err != nil || set.Total() == 0 {
		t.Fatalf("%d hits, error %v", set.Total(), err)
	}
	const how = "the catalog is still loading: 2500 actions so far, 25 % of big.jsonl"
	if text := v.FormatSet(set, 0); !strings.Contains(text, how) || !slices.Contains(set.Notes(), how) {
		t.Errorf("notes %q, got %s", set.Notes(), text)
	}
	_, err = v.Resolve("big.group99.get9999")
	var unknown *catalog.UnknownError
	if !errors.As(err, &unknown) || !strings.HasSuffix(unknown.Hint(), how) {
		t.Errorf("got %v, %+v", err, unknown)
	}
	if narrower, err := v.Narrow(catalog.Rules{ReadOnly: true}); err != nil || narrower.Loading() != how {
		t.Errorf("narrower: %q, %v", narrower.Loading(), err)
	}
	if e, ok := v.Lookup("big.group0.get1"); !ok || e.Source != "big.jsonl" {
		t.Errorf("got %+v", e)
	}
	for _, name := range []string{"/accepted", "/cache"} {
		if files, _ := os.ReadDir(dir + name); len(files) > 0 {
			t.Errorf("%s has %v of a part", name, files)
		}
	}
	if change, err := l.Accept("big.jsonl"); err != nil || !change.empty() {
		t.Errorf("accepted a part: %+v, %v", change, err)
	}
	close(s.goOn)
	if err := l.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	if v := l.View(); v.Len() != 10_000 || v.Loading() != "" {
		t.Errorf("%d actions at the end, %q", v.Len(), v.Loading())
	}
	if accepted, err := readLedger(dir+"/accepted", "big.jsonl"); err != nil || len(accepted.Actions) != 10_000 {
		t.Errorf("accepted %+v, %v", accepted, err)
	}
}

// A part hides what has to be accepted, as the whole does; and where one cannot tell what was, nothing of it is seen.
func TestPartHidesWhatIsNotAccepted(t *testing.T) {
	dir := t.TempDir()
	before := newSlowly(many(10_000))
	close(before.goOn)
	start(t, Options{Ledger: dir}, before.source("big.jsonl"))

	entries := many(10_001)
	entries[0], entries[10_000] = entries[10_000], entries[0] // one that is new is among the first
	entries[1].Mutates = true                                 // and one that is not what it was
	s := newSlowly(entries)
	l := partly(t, Options{Ledger: dir}, s)
	until(t, "a part is seen", func() bool { return l.View().Len() == 2498 })
	for _, id := range []string{"big.group100.get10000", "big.group0.get1"} {
		if why := l.View().Why(id); why.State != "hidden" || !strings.Contains(why.Rule, "new or changed in big.jsonl") {
			t.Errorf("%s: %+v", id, why)
		}
	}
	if accepted, err := readLedger(dir, "big.jsonl"); err != nil || len(accepted.Actions) != 10_000 {
		t.Errorf("what was accepted has become %d actions, %v", len(accepted.Actions), err)
	}
	close(s.goOn)
	if err := l.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n := l.View().Len(); n != 9999 || l.Status()[0].Change.Waiting() != 2 {
		t.Errorf("%d actions at the end, %+v", n, l.Status()[0].Change)
	}

	if err := os.WriteFile(ledgerFile(dir, "big.jsonl"), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	damaged := newSlowly(many(10_000))
	l = partly(t, Options{Ledger: dir}, damaged)
	close(damaged.goOn)
	if err := l.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n := l.View().Len(); n != 0 {
		t.Errorf("%d actions with a damaged ledger", n)
	}
}

// A source that breaks off leaves nothing of its part.
func TestPartOfWhatFails(t *testing.T) {
	s := newSlowly(many(10_000))
	s.err = errors.New("line 7: the file breaks off")
	l := partly(t, Options{}, s)
	until(t, "a part is seen", func() bool { return l.View().Len() == 2500 })
	close(s.goOn)
	if err := l.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	if v := l.View(); v.Len() != 0 || v.Loading() != "" {
		t.Errorf("%d actions, %q", v.Len(), v.Loading())
	}
	if line := l.Status()[0].Line(); line != "big.jsonl: failed: line 7: the file breaks off" {
		t.Errorf("got %s", line)
	}
}
