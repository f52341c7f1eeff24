// Package bench measures search beside two libraries that search text, on the same actions and requests in one run. It
// is a module of its own, so that the program depends on neither. `make bench-catalog` runs it.
//
// A time is the least of three tries of one request on one goroutine; p50 and p99 are over the requests. So a machine
// that has other work to do is told from a slow search, and a rare pause of the collector is not seen.
package bench

import (
	"bytes"
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"almanac/catalog"
	"almanac/catalog/eval"
	"almanac/catalog/manifest"
	"almanac/session"
	"almanac/session/kernel"
)

func TestMain(m *testing.M) {
	if kernel.Main() {
		return
	}
	os.Exit(m.Run())
}

const (
	tries = 3
	top   = 20
	// requests is how many requests ours is asked; the libraries, which take longer, are asked a fifth of them.
	requests = 1000
)

// TestCatalog prints the curve and what holds at the size of the catalog itself.
func TestCatalog(t *testing.T) {
	file := os.Getenv("ALMANAC_BENCH_CATALOG")
	if file == "" {
		t.Skip("ALMANAC_BENCH_CATALOG names no catalog")
	}
	queries := readQueries(t)
	start := time.Now()
	entries, report, err := manifest.ReadFile(t.Context(), file)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("read %d actions in %v, %d skipped; %d requests", len(entries), time.Since(start).Round(time.Millisecond),
		len(report.Skipped), len(queries))
	others := number(t, "ALMANAC_BENCH_OTHERS", 100_000)
	most := number(t, "ALMANAC_BENCH_MOST", 1_000_000)
	t.Logf("%-12s %9s %10s %8s %9s %9s", "engine", "actions", "build", "MB", "p50 ms", "p99 ms")
	for n := 100; n <= most; n *= 10 {
		some := sized(entries, n)
		row(t, "ours", n, func() (find, func()) {
			all, _ := catalog.New(some, catalog.Options{})
			return finder(t, all.View(), catalog.SearchOptions{}), func() {}
		}, queries)
		if n <= others {
			few := spread(queries, len(queries)/5)
			row(t, "Bleve", n, func() (find, func()) { return openBleve(t, some) }, few)
			row(t, "SQLite FTS5", n, func() (find, func()) { return openSQLite(t, some) }, few)
		}
	}
	all, _ := catalog.New(entries, catalog.Options{})
	entries = nil
	filtered(t, all.View(), queries)
	cached(t, all)
	scripted(t, all.View())
}

func number(t *testing.T, name string, standard int) int {
	text := os.Getenv(name)
	if text == "" {
		return standard
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return n
}

// readQueries are requests of all sets, spread evenly.
func readQueries(t *testing.T) []string {
	var texts []string
	for _, dir := range strings.Fields(os.Getenv("ALMANAC_BENCH_SETS")) {
		set, err := eval.OpenSet(dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, q := range set.Queries {
			texts = append(texts, q.Text)
		}
	}
	if len(texts) == 0 {
		t.Fatal("ALMANAC_BENCH_SETS names no requests")
	}
	return spread(texts, requests)
}

// spread is about n of the list, evenly over it.
func spread[T any](list []T, n int) []T {
	step := max(1, len(list)/max(1, n))
	var some []T
	for i := 0; i < len(list); i += step {
		some = append(some, list[i])
	}
	return some
}

// sized is n entries: evenly over the catalog, or the catalog again and again with other names.
func sized(entries []catalog.Entry, n int) []catalog.Entry {
	if n <= len(entries) {
		some := make([]catalog.Entry, n)
		for i := range some {
			some[i] = entries[i*len(entries)/n]
		}
		return some
	}
	more := make([]catalog.Entry, n)
	for i := range more {
		e := entries[i%len(entries)]
		if round := i / len(entries); round > 0 {
			e.ID = fmt.Sprintf("again%d.%s", round, e.ID)
			e.Namespace = append([]string{fmt.Sprintf("again%d", round)}, e.Namespace...)
		}
		more[i] = e
	}
	return more
}

// A find asks an engine and returns how many hits it had.
type find func(query string) int

func finder(t *testing.T, v *catalog.View, o catalog.SearchOptions) find {
	return func(query string) int {
		s, err := v.Search(query, o)
		if err != nil {
			t.Fatal(err)
		}
		return s.Len()
	}
}

// row builds an engine and prints its line of the table. Memory is what the heap has more of.
func row(t *testing.T, name string, n int, open func() (find, func()), queries []string) {
	before := heap()
	start := time.Now()
	ask, done := open()
	took := time.Since(start)
	grown := heap() - before
	p50, p99 := latency(ask, queries)
	done()
	t.Logf("%-12s %9d %10v %8d %9.3f %9.3f", name, n, took.Round(time.Millisecond), grown>>20, p50, p99)
}

func heap() int64 {
	runtime.GC()
	runtime.GC()
	var mem runtime.MemStats
	runtime.ReadMemStats(&mem)
	return int64(mem.HeapAlloc)
}

// latency is in milliseconds.
func latency(ask find, queries []string) (p50, p99 float64) {
	taken := make([]time.Duration, 0, len(queries))
	for _, query := range queries {
		least := time.Duration(1 << 62)
		for range tries {
			start := time.Now()
			ask(query)
			least = min(least, time.Since(start))
		}
		taken = append(taken, least)
	}
	slices.Sort(taken)
	at := func(share float64) float64 {
		return float64(taken[int(share*float64(len(taken)-1))].Microseconds()) / 1000
	}
	return at(.5), at(.99)
}

// filtered compares searches with options and in a narrow view with those without.
func filtered(t *testing.T, v *catalog.View, queries []string) {
	largest := slices.MaxFunc(v.Children(""), func(a, b catalog.Child) int { return cmp.Compare(a.Count, b.Count) }).Name
	everything, err := v.Search("", catalog.SearchOptions{Limit: 1000})
	if err != nil {
		t.Fatal(err)
	}
	tags := []string{}
	if counts := everything.Facets().Tags; len(counts) > 0 {
		tags = append(tags, counts[0].Name)
	}
	narrow, err := v.Narrow(catalog.Rules{Name: "bench", Namespaces: []string{largest}})
	if err != nil {
		t.Fatal(err)
	}
	mutates := false
	for _, c := range []struct {
		name string
		view *catalog.View
		o    catalog.SearchOptions
	}{
		{"no filter", v, catalog.SearchOptions{}},
		{"domains " + largest, v, catalog.SearchOptions{Domains: []string{largest}}},
		{"tags " + strings.Join(tags, ""), v, catalog.SearchOptions{Tags: tags}},
		{"needs_input id", v, catalog.SearchOptions{NeedsInput: []string{"id"}}},
		{"needs_output name", v, catalog.SearchOptions{NeedsOutput: []string{"name"}}},
		{"mutates false", v, catalog.SearchOptions{Mutates: &mutates}},
		{"unknown domain", v, catalog.SearchOptions{Domains: []string{"nowhere_at_all"}}},
		{"narrow view", narrow, catalog.SearchOptions{}},
	} {
		p50, p99 := latency(finder(t, c.view, c.o), spread(queries, len(queries)/2))
		t.Logf("filter %-24s p50 %6.3f ms  p99 %6.3f ms", c.name, p50, p99)
	}
}

// cached writes the catalog to a file and opens it, as a second start does.
func cached(t *testing.T, all *catalog.Catalog) {
	var image bytes.Buffer
	start := time.Now()
	if err := all.WriteImage(&image, nil); err != nil {
		t.Fatal(err)
	}
	wrote := time.Since(start)
	file := filepath.Join(t.TempDir(), "image")
	if err := os.WriteFile(file, image.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	best := time.Duration(1 << 62)
	for range 5 {
		start := time.Now()
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err := catalog.Open(b, catalog.OpenOptions{}); err != nil {
			t.Fatal(err)
		}
		best = min(best, time.Since(start))
	}
	t.Logf("image of %d MB: written in %v, opened in %v", image.Len()>>20,
		wrote.Round(time.Millisecond), best.Round(time.Millisecond))
}

// script uses ten primitives.
const script = `
local found = catalog.search("list unpaid invoices of a customer", {limit = 50})
local more = catalog.search("overdue bills", {limit = 50})
local all = catalog.union(found, more)
local reads = catalog.filter(all, {mutates = false})
local raised = catalog.boost(reads, {needs_input = "id", by = 2})
local best = catalog.top(raised, 10)
local both = catalog.intersect(found, best)
local shape = catalog.facets(all)
local step = catalog.pick(best, {limit = 3})
return catalog.plan{step}`

// scripted runs the script in the kernel, as the model's queries do.
func scripted(t *testing.T, v *catalog.View) {
	s, err := session.New(v, session.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	var taken []time.Duration
	for i := range 60 {
		start := time.Now()
		answer, err := s.Query(t.Context(), session.Script{Source: script, Author: session.Model})
		if err == nil && answer.Outcome.Err != nil {
			err = answer.Outcome.Err
		}
		if err != nil {
			t.Fatal(err)
		}
		if i >= 10 {
			taken = append(taken, time.Since(start))
		}
		time.Sleep(40 * time.Millisecond) // a spare machine is made meanwhile
	}
	slices.Sort(taken)
	t.Logf("script of ten primitives: least %v, median %v", taken[0].Round(10*time.Microsecond),
		taken[len(taken)/2].Round(10*time.Microsecond))
}

// TestSized keeps the copies apart.
func TestSized(t *testing.T) {
	entries := []catalog.Entry{{ID: "a.b", Namespace: []string{"a"}}, {ID: "c.d", Namespace: []string{"c"}}}
	c, report := catalog.New(sized(entries, 7), catalog.Options{})
	if c.Len() != 7 || len(report.Skipped) > 0 {
		t.Errorf("%d entries, %+v", c.Len(), report.Skipped)
	}
}
