package vm

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	luasrc "almanac/catalog/lua"
)

// Every number that is written as Lua reads back as the same number, and what tostring makes of a whole one up to 2^53,
// too.
func TestNumbersReadBack(t *testing.T) {
	numbers := []float64{
		0, math.Copysign(0, -1), 1, -1, 0.1, 1e-4, 1e-5, 3703701.75, 1e14, 1e15, 1e16, 1 << 53, 1<<53 - 1, 1<<53 + 2, 1 << 60,
		1 << 63, 1 << 64,
		math.MaxFloat64, math.SmallestNonzeroFloat64, 4503599627370495.5, 1e22, 123456789012345678,
	}
	random := rand.New(rand.NewPCG(1, 2))
	for len(numbers) < 4000 {
		f := math.Float64frombits(random.Uint64())
		if math.IsNaN(f) || math.IsInf(f, 0) {
			continue
		}
		size := math.Pow(10, float64(random.IntN(20)-4))
		numbers = append(numbers, f, random.Float64()*size, math.Trunc(random.Float64()*size))
	}
	for len(numbers) > 0 {
		some := numbers[:min(200, len(numbers))]
		numbers = numbers[len(some):]
		var source strings.Builder
		for _, f := range some {
			fmt.Fprintf(&source, "print(('%%.17g'):format(%s), tostring(%s))\n", luasrc.Number(f), luasrc.Number(f))
		}
		r := newRig(t, Limits{})
		r.must(source.String())
		for i, line := range strings.Split(strings.TrimSpace(r.printed[Stdout]), "\n") {
			exact, text, _ := strings.Cut(line, "\t")
			f, same := some[i], func(s string) bool {
				g, err := strconv.ParseFloat(strings.TrimSpace(s), 64)
				return err == nil && math.Float64bits(g) == math.Float64bits(some[i])
			}
			if !same(exact) {
				t.Errorf("%v is written as %s, which reads as %s", f, luasrc.Number(f), exact)
			}
			if f == math.Trunc(f) && math.Abs(f) <= 1<<53 && !same(text) {
				t.Errorf("tostring(%v) is %s", f, text)
			}
		}
	}
	r := newRig(t, Limits{})
	r.must(fmt.Sprintf("local a, b, c = %s, %s, %s assert(a ~= a and b == math.huge and c == -math.huge)",
		luasrc.Number(math.NaN()), luasrc.Number(math.Inf(1)), luasrc.Number(math.Inf(-1))))
}
