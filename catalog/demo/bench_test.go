package demo

import (
	"fmt"
	"path/filepath"
	"testing"
)

// BenchmarkFirstStart makes a new back office each time.
func BenchmarkFirstStart(b *testing.B) {
	dir := b.TempDir()
	for i := 0; b.Loop(); i++ {
		o, err := Open(b.Context(), filepath.Join(dir, fmt.Sprintf("%d.db", i)))
		if err != nil {
			b.Fatal(err)
		}
		if err := o.Close(); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkOpen opens one that is there.
func BenchmarkOpen(b *testing.B) {
	path := filepath.Join(b.TempDir(), "office.db")
	first, err := Open(b.Context(), path)
	if err != nil {
		b.Fatal(err)
	}
	if err := first.Close(); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		o, err := Open(b.Context(), path)
		if err != nil {
			b.Fatal(err)
		}
		if err := o.Close(); err != nil {
			b.Fatal(err)
		}
	}
}
