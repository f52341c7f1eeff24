package vm

import (
	"testing"
	"time"

	lua "github.com/Shopify/go-lua"
)

// The benchmarks run each program in a machine and, where the bare engine can run it, in that: the difference is what
// the machine costs or saves.

const benchWork = 1 << 60

func BenchmarkProgram(b *testing.B) {
	programs := []struct {
		name, source string
		bare         bool
	}{
		{"fib", "local function fib(n) if n < 2 then return n end return fib(n-1) + fib(n-2) end fib(20)", true},
		{"loop", "local x = 0 for i = 1, 100000 do x = x + i end", true},
		{"append", "local t = {} for i = 1, 10000 do t[#t+1] = i end", true},
		{"insert", "local t = {} for i = 1, 10000 do table.insert(t, i) end", true},
		{"sort", "local t = {} for i = 1, 5000 do t[i] = (i * 7919) % 20011 end table.sort(t)", true},
		{"concat", "local t = {} for i = 1, 5000 do t[i] = 'item' end table.concat(t, ',')", true},
		{"join", "local s = '' for i = 1, 1000 do s = s .. 'x' end", true},
		{"format", "for i = 1, 2000 do string.format('%d %s %5.2f', i, 'x', i / 3) end", true},
		{"pairs", "local t = {} for i = 1, 2000 do t['k' .. i] = i end local n = 0 for k, v in pairs(t) do n = n + v end", true},
		{"closures", "for i = 1, 2000 do local a, b, c = i, i, i local f = function() return a + b + c end f() end", true},
		{"methods", "local o = {n = 0} function o:add(x) self.n = self.n + x end for i = 1, 20000 do o:add(i) end", true},
		{"gsub", "for i = 1, 200 do ('hello world from lua'):gsub('%w+', '<%0>') end", false},
		{"coroutine", "local co = coroutine.wrap(function() while true do coroutine.yield(1) end end) for i = 1, 2000 do co() end", false},
		{"call", "for i = 1, 1000 do test.nothing{a = 1} end", false},
	}
	for _, p := range programs {
		b.Run(p.name+"/machine", func(b *testing.B) {
			r := newRig(b, Limits{Steps: benchWork, Time: time.Hour})
			for b.Loop() {
				r.must(p.source)
			}
		})
		if !p.bare {
			continue
		}
		b.Run(p.name+"/engine", func(b *testing.B) {
			for b.Loop() {
				l := lua.NewState()
				lua.OpenLibraries(l)
				if err := lua.DoString(l, p.source); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkNew(b *testing.B) {
	for b.Loop() {
		newRig(b, Limits{})
	}
}

func BenchmarkEmptyRun(b *testing.B) {
	r := newRig(b, Limits{})
	for b.Loop() {
		r.must("return 1")
	}
}
