package eval

import (
	"context"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"almanac/catalog"
	"almanac/catalog/manifest"
)

// TestCatalogSpeed measures reading, building, memory and search on a catalog and sets that the environment names; see
// `make bench-catalog`.
func TestCatalogSpeed(t *testing.T) {
	file := os.Getenv("ALMANAC_BENCH_CATALOG")
	if file == "" {
		t.Skip("ALMANAC_BENCH_CATALOG names no catalog")
	}
	start := time.Now()
	entries, report, err := manifest.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("read     %7d entries in %v, %d skipped", len(entries), time.Since(start).Round(time.Millisecond), len(report.Skipped))
	start = time.Now()
	all, _ := catalog.New(entries, catalog.Options{})
	built := time.Since(start)
	entries = nil
	runtime.GC()
	var mem runtime.MemStats
	runtime.ReadMemStats(&mem)
	t.Logf("build    %7d entries in %v, %d MB on the heap", all.Len(), built.Round(time.Millisecond), mem.HeapAlloc>>20)
	view := all.View()
	for _, dir := range strings.Fields(os.Getenv("ALMANAC_BENCH_SETS")) {
		s, err := OpenSet(dir)
		if err != nil {
			t.Fatal(err)
		}
		p50, p99, err := latency(context.Background(), view, s.Queries)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%-18s p50 %6.0f us  p99 %6.0f us", s.Name, p50, p99)
	}
}
