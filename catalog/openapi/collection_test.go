package openapi

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"almanac/catalog"
	"almanac/catalog/web"
)

// TestDocuments reads the documents that ALMANAC_BENCH_DOCS names, files and folders, and prints what became of them:
// see make bench-sources. No operation may get lost without a word, and every entry must be usable.
func TestDocuments(t *testing.T) {
	given := os.Getenv("ALMANAC_BENCH_DOCS")
	if given == "" {
		t.Skip("ALMANAC_BENCH_DOCS names no documents")
	}
	var files []string
	for _, place := range filepath.SplitList(given) {
		err := filepath.WalkDir(place, func(path string, d fs.DirEntry, err error) error {
			if ext := filepath.Ext(path); err == nil && !d.IsDir() &&
				(path == place || ext == ".json" || ext == ".yaml" || ext == ".yml") {
				files = append(files, path)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	var total struct {
		documents, refused, found, loaded, skipped, renamed, mended int
		slowest                                                     time.Duration
		slow                                                        string
	}
	reasons := map[string]int{}
	var all quality
	for _, file := range files {
		b, m, err := measure(t, file, len(files) <= 20)
		total.documents++
		if err != nil {
			total.refused++
			fmt.Printf("refused %s: %v\n", file, err)
			continue
		}
		if b.Found != len(b.Entries)+len(b.Skipped) {
			t.Errorf("%s: found %d, %d entries and %d skipped", file, b.Found, len(b.Entries), len(b.Skipped))
		}
		all.count(t, b)
		list(t, file, b.Entries)
		total.found += b.Found
		total.loaded += len(b.Entries)
		total.skipped += len(b.Skipped)
		total.renamed += len(b.Renamed)
		total.mended += len(b.Mended)
		for _, s := range b.Skipped {
			fmt.Printf("skipped %s: %s: %s\n", file, s.ID, s.Reason)
		}
		for _, s := range b.Mended {
			reasons[strings.TrimLeft(s.Reason, "0123456789")]++
		}
		if m.took > total.slowest {
			total.slowest, total.slow = m.took, file
		}
		broken := 0
		for _, e := range b.Entries {
			// A schema that cannot be used says so whatever it is given.
			if _, err := e.Input.Check(map[string]any{}); err != nil && strings.Contains(err.Error(), "cannot be checked") {
				if broken++; broken < 4 {
					t.Errorf("%s: %s: %v", file, e.ID, err)
				}
			}
		}
		if len(files) <= 20 {
			fmt.Printf("%-28s %6.1f MB %6d operations %5d skipped %4d renamed %5d mended  read %7v  index %7v  allocates %5d MB  keeps %4d MB\n",
				filepath.Base(file), float64(m.size)/1e6, b.Found, len(b.Skipped), len(b.Renamed), len(b.Mended),
				m.took.Round(time.Millisecond), m.index.Round(time.Millisecond), m.peak>>20, m.kept>>20)
		}
	}
	fmt.Printf("%d documents, %d refused; %d operations found, %d entries, %d skipped, %d renamed, %d remarks; slowest %v (%s)\n", total.documents, total.refused,
		total.found, total.loaded, total.skipped, total.renamed, total.mended,
		total.slowest.Round(time.Millisecond), total.slow)
	all.print()
	type count struct {
		reason string
		n      int
	}
	var counts []count
	for reason, n := range reasons {
		counts = append(counts, count{reason, n})
	}
	slices.SortFunc(counts, func(a, b count) int { return b.n - a.n })
	for _, c := range counts[:min(12, len(counts))] {
		fmt.Printf("%7d %s\n", c.n, c.reason)
	}
}

// A measured is what reading a document cost.
type measured struct {
	size, peak, kept uint64
	took, index      time.Duration
}

// measure reads a document, and indexes it when told to.
func measure(t *testing.T, file string, index bool) (catalog.Batch, measured, error) {
	var m measured
	info, err := os.Stat(file)
	if err != nil {
		return catalog.Batch{}, m, err
	}
	m.size = uint64(info.Size())
	var before, after, kept runtime.MemStats
	if index {
		runtime.GC()
	}
	runtime.ReadMemStats(&before)
	start := time.Now()
	b, err := New(options{Site: web.Site{From: file, Base: "https://api.example.com"}}).load(t.Context(), nil)
	m.took = time.Since(start)
	runtime.ReadMemStats(&after)
	m.peak = after.TotalAlloc - before.TotalAlloc
	if index {
		runtime.GC()
		runtime.ReadMemStats(&kept)
		m.kept = max(kept.HeapAlloc, before.HeapAlloc) - before.HeapAlloc
	}
	if index {
		start = time.Now()
		catalog.New(b.Entries, catalog.Options{})
		m.index = time.Since(start)
	}
	return b, m, err
}
