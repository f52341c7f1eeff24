package vm

import "testing"

// BenchmarkNew is what a kernel does: the prelude was compiled by its parent.
func BenchmarkNew(b *testing.B) {
	code, err := Compile(preludeChunks())
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		m, err := New(Limits{}, Host{}, code)
		if err != nil {
			b.Fatal(err)
		}
		m.Close()
	}
}

func BenchmarkEmptyRun(b *testing.B) {
	r := newRig(b, Limits{})
	for b.Loop() {
		r.must("return 1")
	}
}
