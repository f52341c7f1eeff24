package catalog

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// crowd has more entries with a word than a set lists, and fewer with others.
func crowd(t *testing.T) *View {
	t.Helper()
	words := []string{"message", "invoice", "channel", "ticket", "refund"}
	var entries []Entry
	for i := range 2400 {
		about := fmt.Sprintf("Send a %s and archive the %s", words[i%7%5], words[i%11%5])
		if i%3 == 0 {
			about = fmt.Sprintf("Count %s number %d", words[i%5], i)
		}
		id := fmt.Sprintf("app%d.group%d.do_%d", i%40, i%9, i)
		entries = append(entries, Entry{ID: id, Description: about, Mutates: i%4 == 0, Tags: []string{fmt.Sprint("t", i%13)}})
	}
	c, report := New(entries, Options{})
	if len(report.Skipped) > 0 {
		t.Fatal(report.Skipped)
	}
	return c.View()
}

// whole is all that a set can list, in order.
func whole(s Set) []string { return ids(s.atLeast(mostHits)) }

// TestSetLaws holds the algebra to its laws for searches without a limit, sets of names, and sets made of them.
func TestSetLaws(t *testing.T) {
	v := crowd(t)
	random := rand.New(rand.NewPCG(1, 2))
	one := func() Set {
		switch random.IntN(4) {
		case 0:
			return v.Namespace(fmt.Sprintf("app%d", random.IntN(40)))
		case 1:
			return v.Tags(fmt.Sprintf("t%d", random.IntN(13)))
		case 2:
			return mustSearch(t, v, "", SearchOptions{})
		}
		query := []string{"send message", "refund", "archive channel", "count ticket number", "nothing at all"}
		return mustSearch(t, v, query[random.IntN(len(query))], SearchOptions{})
	}
	same := func(law string, a, b Set) {
		t.Helper()
		cut := a.search == nil && a.Len() < a.Total() && len(b.Notes()) > 0 // beyond what it lists, and b says so
		if a.Total() != b.Total() && !cut {
			t.Errorf("%s: total %d and %d", law, a.Total(), b.Total())
		}
		if diff := cmp.Diff(whole(a), whole(b)); diff != "" {
			t.Errorf("%s: %.600s", law, diff)
		}
	}
	for range 60 {
		a, b := one(), one()
		if random.IntN(3) == 0 {
			a = a.Union(one())
		}
		law := a.query + " | " + b.query
		same(law+": a and a", a, a.Intersect(a))
		same(law+": a or a", a, a.Union(a))
		same(law+": a or nothing", a, a.Union(v.SetOf(nil)))
		same(law+": nothing or a", a, v.SetOf(nil).Union(a))
		same(law+": filter by nothing", a, a.Filter(SearchOptions{}))
		same(law+": and turned round", a.Intersect(b), b.Intersect(a))
		same(law+": or turned round", a.Union(b), b.Union(a))
		if x, y := a.Boost(BoostOptions{SearchOptions: SearchOptions{Tags: []string{"t3"}}}), a; x.Total() != y.Total() {
			t.Errorf("%s: boost changes the total from %d to %d", law, y.Total(), x.Total())
		}
		if in, or := a.Intersect(b).Total(),
			a.Union(b).Total(); a.search != nil && b.search != nil && in+or != a.Total()+b.Total() {
			t.Errorf("%s: %d in both and %d in either of %d and %d", law, in, or, a.Total(), b.Total())
		}
	}
}

// TestSearchBeyondItsHits joins and narrows searches by what stands far below their first 20 hits.
func TestSearchBeyondItsHits(t *testing.T) {
	v := crowd(t)
	found := mustSearch(t, v, "send message", SearchOptions{})
	want := mustSearch(t, v, "send message", SearchOptions{Domains: []string{"app7"}, Limit: 1000})
	if want.Len() < 10 || len(found.Hits()) != defaultLimit {
		t.Fatalf("%d and %d hits", want.Len(), found.Len())
	}
	if diff := cmp.Diff(ids(want), ids(found.Intersect(v.Namespace("app7")))); diff != "" {
		t.Errorf("intersect: %s", diff)
	}
	narrowed := found.Filter(SearchOptions{Domains: []string{"app7"}})
	if diff := cmp.Diff(ids(want), whole(narrowed)); diff != "" || narrowed.Total() != want.Total() {
		t.Errorf("filter: %d of %d: %s", narrowed.Total(), want.Total(), diff)
	}
	raised := found.Boost(BoostOptions{SearchOptions: SearchOptions{Domains: []string{"app7"}}, By: 100})
	if diff := cmp.Diff(ids(want)[:10], ids(raised.Top(10))); diff != "" {
		t.Errorf("boost: %s", diff)
	}
	if got := found.Top(70); got.Len() != 70 || got.Total() != found.Total() {
		t.Errorf("top 70: %d of %d", got.Len(), got.Total())
	}
	if f := mustSearch(t, v, "refund", SearchOptions{Tags: []string{"t3"}}).Facets(); f.Total <= defaultLimit ||
		f.Of != 0 {
		t.Errorf("facets of all: %d of %d", f.Total, f.Of)
	}
	if got := found.Boost(BoostOptions{SearchOptions: SearchOptions{Limit: 3}}); got.Len() != 3 {
		t.Errorf("boost with a limit of 3 has %d hits", got.Len())
	}
}

// TestWhatALimitCutsIsSaid has sets whose hits are fewer than their matches.
func TestWhatALimitCutsIsSaid(t *testing.T) {
	v := crowd(t)
	two := mustSearch(t, v, "refund", SearchOptions{Limit: 2})
	note := fmt.Sprintf(`of "refund" only the best 2 of %d matches were looked at`, two.Total())
	for name, s := range map[string]Set{
		"filter": two.Filter(SearchOptions{Mutates: ptr(true)}), "intersect": v.Namespace("app1").Intersect(two),
		"union": two.Union(v.Namespace("app1")),
	} {
		if !slices.Contains(s.Notes(), note) || !strings.Contains(v.FormatSet(s, 5), note) {
			t.Errorf("%s: %q", name, s.Notes())
		}
	}
	if text := two.Facets().Text(); !strings.HasPrefix(text, fmt.Sprintf("2 actions of %d found", two.Total())) {
		t.Error(text)
	}
	wide := mustSearch(t, v, "send message", SearchOptions{}).Union(mustSearch(t, v, "archive", SearchOptions{}))
	if wide.Len() != mostHits || wide.Total() <= mostHits {
		t.Fatalf("%d of %d", wide.Len(), wide.Total())
	}
	if got := wide.Filter(SearchOptions{Mutates: ptr(true)}).Notes(); len(got) != 1 ||
		!strings.Contains(got[0], "only the best 1000 of") {
		t.Errorf("%q", got)
	}
}
