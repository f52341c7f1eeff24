package event

import (
	"strings"
	"testing"
)

// Results are kept up to a size; the oldest go first.
func TestKeptResults(t *testing.T) {
	var r results
	big := strings.Repeat("x", keptResultBytes/2)
	r.put(1, 1, "a")
	r.put(1, 2, big)
	r.put(2, 1, big)
	r.put(0, 1, "of no cell")
	r.put(3, 1, big+big+big)
	for _, test := range []struct {
		cell, call int
		want       bool
	}{{1, 1, false}, {1, 2, false}, {2, 1, true}, {0, 1, false}, {3, 1, false}} {
		if _, ok := r.get(test.cell, test.call); ok != test.want {
			t.Errorf("[%d.%d] is kept: %v, want %v", test.cell, test.call, ok, test.want)
		}
	}
	for i := range 2 * keptResults {
		r.put(9, i, "small")
	}
	if len(r.kept) != keptResults {
		t.Errorf("%d results are kept", len(r.kept))
	}
}
