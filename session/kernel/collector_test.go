//go:build unix

package kernel

import (
	"testing"

	"almanac/session/vm"
)

func TestGarbagePercent(t *testing.T) {
	tests := []struct {
		live uint64
		want int
	}{
		{0, 400}, {1 << 20, 400}, {8 << 20, 400}, {16 << 20, 200}, {32 << 20, 100}, {1 << 30, 100},
	}
	for _, test := range tests {
		if got := garbagePercent(test.live, 32<<20); got != test.want {
			t.Errorf("%d bytes live: %d, want %d", test.live, got, test.want)
		}
	}
}

// TestGarbageStaysUnderTheLimit makes some gigabytes of garbage beside a live heap, in small and in large pieces: a
// child that collects late must not die of it.
func TestGarbageStaysUnderTheLimit(t *testing.T) {
	k := get(t, newPool(t, options(t)))
	for _, source := range []string{
		`keep = {} for i = 1, 200 do keep[i] = ("x"):rep(200000) .. i end`, // 40 MB
		`for i = 1, 200 do local s = ("x"):rep(8000000 + i) end`,
		`for i = 1, 1000000 do local t = {i} end`,
		`for i = 1, 50 do local s = ("x"):rep(12000000 + i) local t = {} for j = 1, 1000 do t[j] = {} end end`,
	} {
		s := script(source)
		reply, err := k.Run(t.Context(), s, vm.Limits{Time: 30e9, Steps: 1 << 40}, Host{})
		if err != nil || reply.Err != nil {
			t.Fatalf("%s: %v %v", source, err, reply.Err)
		}
	}
}
