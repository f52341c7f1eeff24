package vm

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	lua "github.com/Shopify/go-lua"
)

// This file measures. `make bench-lua` prints one table: each small program in a machine, in the bare engine where that
// can run it, and in lua5.2 where that is installed. BenchmarkProgram runs the same programs one by one, for profiles.

// A bound is what the speed of a program is held against.
type bound string

const (
	interpreter bound = "engine" // at most 1.3 times the bare engine
	library     bound = "lua5.2" // at most 4 times lua5.2
)

// A program is a chunk that does one thing often.
type program struct {
	name, source string
	bound        bound
	// bare and stock say whether the bare engine and lua5.2 can run it.
	bare, stock bool
}

func programs() []program {
	return []program{
		{"fib",
			"local function fib(n) if n < 2 then return n end return fib(n-1) + fib(n-2) end fib(22)", interpreter, true, true},
		{"loop", "local x = 0 for i = 1, 300000 do x = x + i * 2 end", interpreter, true, true},
		{"append", "local t = {} for i = 1, 40000 do t[#t+1] = i end", interpreter, true, true},
		{"hash", "local t = {} for i = 1, 200 do t['k' .. i] = i end " +
			"local ks = {} for i = 1, 200 do ks[i] = 'k' .. i end " +
			"for r = 1, 100 do for i = 1, 200 do local k = ks[i] t[k] = t[k] + 1 end end", interpreter, true, true},
		{"methods", "local o = {n = 0} function o:add(x) self.n = self.n + x end for i = 1, 60000 do o:add(i) end",
			interpreter, true, true},
		{"closures", "for i = 1, 30000 do local a = i local f = function() return a end f() end", interpreter, true, true},
		{"closures3", "for i = 1, 1000 do local a, b, c = i, i, i local f = function() return a + b + c end f() end",
			interpreter, true, true},
		{"insert", "local t = {} for i = 1, 40000 do table.insert(t, i) end", library, true, true},
		{"sort", "local t = {} for i = 1, 20000 do t[i] = (i * 7919) % 20011 end table.sort(t)", library, true, true},
		{"sort by", "local t = {} for i = 1, 5000 do t[i] = (i * 7919) % 20011 end table.sort(t, function(a, b) return a > b end)", interpreter, true, true},
		{"building", "local s = '' for i = 1, 5000 do s = s .. 'x' end", library, true, true},
		{"concat", "local t = {} for i = 1, 20000 do t[i] = 'item' end for i = 1, 3 do table.concat(t, ',') end", library,
			false, true},
		{"format", "for i = 1, 10000 do string.format('%d %s %5.2f', i, 'x', i / 3) end", library, true, true},
		{"pairs", "local t = {} for i = 1, 1000 do t['k' .. i] = i end local n = 0 for r = 1, 20 do for k, v in pairs(t) do n = n + v end end", library, false, true},
		{"ipairs", "local t = {} for i = 1, 1000 do t[i] = i end local n = 0 for r = 1, 20 do for k, v in ipairs(t) do n = n + v end end", library, true, true},
		{"gsub", "for i = 1, 1000 do ('hello world from lua'):gsub('%w+', '<%0>') end", library, false, true},
		{"find", "local s = ('x'):rep(1000) .. 'key=value' for i = 1, 500 do s:find('(%w+)=(%w+)', 900) s:find('key', 1, true) end", library, false, true},
		{"strings", "for i = 1, 20000 do local s = 'abc' .. i s:sub(2, 4) s:upper() s:byte(1) end", library, true, true},
		{"tostring", "for i = 1, 20000 do tostring(i) tonumber('12') end", library, true, true},
		{"coroutine", "local co = coroutine.wrap(function() while true do coroutine.yield(1) end end) for i = 1, 10000 do co() end", library, false, true},
		// the engine's own work
		{"pcall", "local f = function() end for i = 1, 20000 do pcall(f) end", interpreter, true, true},
		{"call", "for i = 1, 5000 do test.nothing{a = 1} end", "", false, false},
	}
}

// benchLimits let every program run to its end.
func benchLimits() Limits { return Limits{Steps: 1 << 60, Time: time.Hour} }

// runBare runs a program in the engine with its own libraries.
func runBare(source string) error {
	l := lua.NewState()
	lua.OpenLibraries(l)
	return lua.DoString(l, source)
}

func BenchmarkProgram(b *testing.B) {
	for _, p := range programs() {
		b.Run(p.name+"/machine", func(b *testing.B) {
			r := newRig(b, benchLimits())
			for b.Loop() {
				r.must(p.source)
			}
		})
		if !p.bare {
			continue
		}
		b.Run(p.name+"/engine", func(b *testing.B) {
			for b.Loop() {
				if err := runBare(p.source); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// TestSpeed prints the table. It runs when ALMANAC_SPEED is set only: figures of a machine under load say little.
func TestSpeed(t *testing.T) {
	if os.Getenv("ALMANAC_SPEED") == "" {
		t.Skip("ALMANAC_SPEED is not set")
	}
	defer debug.SetGCPercent(debug.SetGCPercent(400)) // what a kernel starts with
	reference, err := exec.LookPath("lua5.2")
	if err != nil {
		t.Log("lua5.2 is not installed: no ratios to it")
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%-10s %10s %10s %10s %9s %9s  %s\n", "program", "machine", "engine",
		"lua5.2", "/engine", "/lua5.2", "aim")
	for _, p := range programs() {
		mine, bare, stock := measure(t, p, reference)
		fmt.Fprintf(&b, "%-10s %10s %10s %10s %9s %9s  %s\n", p.name, inMilliseconds(mine),
			inMilliseconds(bare), inMilliseconds(stock),
			ratio(mine, bare), ratio(mine, stock), p.verdict(mine, bare, stock))
	}
	fmt.Print(b.String())
}

// measure takes the medians of several runs, taken in turn so that load hits all alike. Zero means not measured.
func measure(t *testing.T, p program, reference string) (mine, bare, stock time.Duration) {
	const rounds = 9
	var times [3][]time.Duration
	r := newRig(t, benchLimits())
	for range rounds {
		start := time.Now()
		r.must(p.source)
		times[0] = append(times[0], time.Since(start))
		if p.bare {
			start = time.Now()
			if err := runBare(p.source); err != nil {
				t.Fatal(p.name, err)
			}
			times[1] = append(times[1], time.Since(start))
		}
		if p.stock && reference != "" {
			times[2] = append(times[2], runStock(t, reference, p.source))
		}
	}
	median := func(d []time.Duration) time.Duration {
		if len(d) == 0 {
			return 0
		}
		slices.Sort(d)
		return d[len(d)/2]
	}
	return median(times[0]), median(times[1]), median(times[2])
}

// runStock runs a program in lua5.2 and gives the time that it took, without the start of the process.
func runStock(t *testing.T, reference, source string) time.Duration {
	t.Helper()
	command := exec.Command(reference, "-")
	command.Stdin = strings.NewReader("local start = os.clock() do " + source + " end io.write(os.clock() - start)")
	out, err := command.Output()
	if err != nil {
		t.Fatal(source, err)
	}
	seconds, err := strconv.ParseFloat(string(bytes.TrimSpace(out)), 64)
	if err != nil {
		t.Fatal(source, err)
	}
	return time.Duration(seconds * float64(time.Second))
}

func inMilliseconds(d time.Duration) string {
	if d == 0 {
		return "-"
	}
	return fmt.Sprintf("%.2f ms", float64(d)/float64(time.Millisecond))
}

func ratio(a, b time.Duration) string {
	if b == 0 {
		return "-"
	}
	return fmt.Sprintf("%.2f", float64(a)/float64(b))
}

// verdict names the aim of a program and whether it is met.
func (p program) verdict(mine, bare, stock time.Duration) string {
	against, most := bare, 1.3
	if p.bound == library {
		against, most = stock, 4
	}
	switch {
	case p.bound == "":
		return ""
	case against == 0:
		return "not measured"
	case float64(mine) <= most*float64(against):
		return fmt.Sprintf("ok, at most %g of %s", most, p.bound)
	}
	return fmt.Sprintf("OVER %g of %s", most, p.bound)
}
