package session

import (
	"fmt"
	"testing"
	"time"

	"almanac/catalog"
	"almanac/session/kernel"
)

// stateSizes fill the global rows; the name is about how many bytes its snapshot has.
var stateSizes = []struct {
	name          string
	records, text int
}{{"1000 tables", 500, 10}, {"10 KB", 200, 30}, {"1 MB", 10_000, 80}, {"30 MB", 3000, 10_000}}

// BenchmarkState is `make bench-state`: what it costs to keep a state, by its size. "snapshot" is made after each run,
// while the session is idle; "run" is a run with the one that the next waits for; "swap" is a run that fails and is put
// back, "same" one that fails and has changed nothing; "copy" is the globals of a preview; "undo" is an undo and
// the redo of it.
func BenchmarkState(b *testing.B) {
	for _, size := range stateSizes {
		all, _ := catalog.New(nil, catalog.Options{})
		s, err := New(all.View(), Options{Kernel: kernel.Options{Memory: 1 << 30}})
		if err != nil {
			b.Fatal(err)
		}
		defer s.Close()
		w := s.world
		run := func(source string) *Outcome {
			out, err := s.Run(b.Context(), Script{Source: source, Author: User})
			if err != nil || w.settle(b.Context()) != nil {
				b.Fatal(err)
			}
			return out
		}
		out := run(fmt.Sprintf(`rows = {}
			for i = 1, %d do rows[i] = {id = "inv_" .. i, cents = i * 100, tags = {"a", "b"}, text = ("x"):rep(%d) .. i} end`,
			size.records, size.text))
		if out.Err != nil || w.saved == nil {
			b.Fatal(out.Err, w.unsaved)
		}
		for _, step := range []struct {
			name string
			do   func()
		}{
			{"snapshot", func() {
				if _, err := w.machine.Snapshot(b.Context()); err != nil {
					b.Fatal(err)
				}
			}},
			{"run", func() { run("rows[1].cents = rows[1].cents + 1") }},
			{"same", func() { run("error('no')") }},
			{"swap", func() {
				if out := run("rows[1].cents = 0 x = 1 error('no')"); !out.RolledBack {
					b.Fatal(out.NotPutBack)
				}
			}},
			{"copy", func() {
				m, err := w.pool.Get(b.Context())
				if err == nil {
					m, _, err = w.copyTo(b.Context(), m)
				}
				if err != nil {
					b.Fatal(err)
				}
				m.Close()
			}},
			{"undo", func() {
				_, err := s.Undo(b.Context(), 1)
				if err == nil {
					_, err = s.Redo(b.Context(), 1)
				}
				if err != nil {
					b.Fatal(err)
				}
			}},
		} {
			b.Run(size.name+"/"+step.name, func(b *testing.B) {
				for b.Loop() {
					if step.name == "swap" || step.name == "copy" {
						b.StopTimer()
						time.Sleep(50 * time.Millisecond) // the spare process starts
						b.StartTimer()
					}
					step.do()
				}
				b.ReportMetric(float64(len(w.saved.snapshot.Data)), "bytes")
			})
		}
	}
}
