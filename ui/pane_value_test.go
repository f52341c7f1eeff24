package ui

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// By value, numbers are ordered as numbers, also inside of records.
func TestCompareBriefs(t *testing.T) {
	for _, want := range [][]string{
		{"12", "10.5", "3", "1.5", "-2"},
		{"{ n = -2 }", "{ n = 1.5 }", "{ n = 3 }", "{ n = 10.5 }", "{ n = 12 }"},
		{`"a2"`, `"a10"`, `"b"`},
		{`{ id = "inv_2" }`, `{ id = "inv_2", total = 1 }`, `{ id = "inv_10" }`},
	} {
		got := slices.Clone(want)
		slices.Reverse(got)
		slices.SortStableFunc(got, compareBriefs)
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("-want +got:\n%s", d)
		}
	}
}
