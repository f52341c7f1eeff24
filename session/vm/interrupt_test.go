package vm

import (
	"slices"
	"testing"
	"time"
)

// busy are scripts that never end, each in another part of the machine. The setup is not timed.
func busy() []struct{ name, setup, source string } {
	return []struct{ name, setup, source string }{
		{"loop", "", "while true do end"},
		{"pcall", "", "while true do pcall(function() while true do end end) end"},
		{"recursion", "", "local function f(n) if n > 0 then f(n - 1) f(n - 1) end end while true do f(30) end"},
		{"coroutines", "", "while true do coroutine.wrap(function() for i = 1, 10 do coroutine.yield(i) end end)() end"},
		{"nested coroutines", "", "local function f(n) if n == 0 then while true do end end return coroutine.wrap(function() return f(n - 1) end)() end f(150)"},
		{"protected coroutines", "",
			"while true do pcall(coroutine.wrap(function() while true do pcall(coroutine.yield) end end)) end"},
		{"index chain", "t = {} for i = 1, 90 do t = setmetatable({}, {__index = t}) end",
			"while true do local x = t.none end"},
		{"index functions",
			"t = {} for i = 1, 50 do local u = t t = setmetatable({}, {__index = function(_, k) return u[k] end}) end",
			"while true do local x = t.none end"},
		{"length", "t = setmetatable({}, {__len = function() return 1e15 end})",
			"while true do pcall(table.concat, t) pcall(table.unpack, t) pcall(table.sort, t) pcall(table.insert, t, 1, 1) end"},
		{"finalisers", "", "while true do setmetatable({}, {__gc = function() while true do end end}) collectgarbage() end"},
		{"metamethods", "",
			"local t = setmetatable({}, {__index = function(t, k) return k end}) while true do local x = t.x end"},
		{"sort", "t = range(50000)", "while true do table.sort(t) end"},
		{"sort by", "t = range(50000)", "while true do table.sort(t, function(a, b) return a > b end) end"},
		{"sort without order", "t = range(50000)", "while true do pcall(table.sort, t, function(a, b) return true end) end"},
		{"sort by metamethod", "m = {__lt = function(a, b) while true do end end} t = {setmetatable({}, m), setmetatable({}, m)}", "table.sort(t)"},
		{"insert", "t = range(50000)", "while true do table.insert(t, 1, 0) table.remove(t, 1) end"},
		{"concat", "t = map(range(50000), tostring)", "while true do table.concat(t, ',') end"},
		{"unpack", "t = range(90000)", "while true do table.pack(table.unpack(t)) end"},
		{"pairs", "t = {} for i = 1, 50000 do t['k' .. i] = i end",
			"while true do for k in pairs(t) do t.x = t.x and nil or 1 break end end"},
		{"next", "t = {} for i = 1, 50000 do t['k' .. i] = i end", "while true do t.x = t.x and nil or 1 next(t) end"},
		{"pattern", "", "(('a'):rep(40)):find(('a*'):rep(20) .. 'b')"},
		{"balance", "s = ('('):rep(1000000)", "while true do s:find('%b()') end"},
		{"find", "s = ('ab'):rep(2000000)", "while true do s:find('abb', 1, true) end"},
		{"gsub", "s = ('ab'):rep(500000)", "while true do s:gsub('a', 'b') end"},
		{"gsub callback", "s = ('ab'):rep(500000)", "while true do s:gsub('.', function() pcall(error) end) end"},
		{"gsub stuck", "", "pcall(string.gsub, 'x', '.', function() while true do end end)"},
		{"backtracking", "s = ('a'):rep(5000)", "while true do s:find('.-.-.-.-b') end"},
		{"gmatch", "s = ('ab'):rep(500000)", "while true do for w in s:gmatch('b') do end end"},
		{"rep", "", "while true do ('ab'):rep(10000000) end"},
		{"reverse", "s = ('ab'):rep(10000000)", "while true do s:reverse() s:upper() s:lower() end"},
		{"join", "s = ('ab'):rep(5000000)", "while true do local x = s .. s end"},
		{"compare", "a = ('ab'):rep(1000000) b = ('ab'):rep(1000000)", "while true do local x = a == b or a < b end"},
		{"compare largest", "a = ('a'):rep(2^26) b = ('a'):rep(2^26)", "while true do local x = a == b or a < b end"},
		{"as key", "s = ('ab'):rep(2^23) t = {}", "while true do t[s] = 1 t[s] = nil end"},
		{"format width", "", "while true do pcall(string.format, '%99999999d', 1) string.format('%99.99f', 1) end"},
		{"concat largest", "t = map(range(60), function() return ('x'):rep(2^20) end)", "while true do table.concat(t) end"},
		{"format", "s = ('ab'):rep(5000000)", "while true do string.format('%s%q', s, s) end"},
		{"byte", "s = ('ab'):rep(40000)", "while true do s:byte(1, -1) end"},
		{"encode", "t = map(range(20000), function(i) return {id = i} end)", "while true do json.encode(t) end"},
		{"decode", "s = json.encode(map(range(20000), function(i) return {id = i} end))", "while true do json.decode(s) end"},
		{"repr", "t = map(range(20000), function(i) return {id = i} end)", "while true do repr(t) end"},
		{"repr nested", "t = {} for i = 1, 100 do t = {t, t} end", "while true do repr(t) tostring(t) end"},
		{"repr itself", "t = {} t.t = t for i = 1, 20000 do t[i] = t end", "while true do repr(t) tostring(t) end"},
		{"encode largest", "t = map(range(7), function() return ('\\n'):rep(2^20) end)", "while true do json.encode(t) end"},
		{"decode largest", "s = '[' .. ('0,'):rep(500000) .. '0]'", "while true do json.decode(s) end"},
		{"decode string", "s = '\"' .. ('\\\\n'):rep(2^22) .. '\"'", "while true do json.decode(s) end"},
		{"copy", "t = map(range(20000), function(i) return {id = i} end)", "while true do copy(t) end"},
		{"split", "s = ('a,'):rep(500000)", "while true do split(s, ',') end"},
		{"argument", "t = map(range(20000), function(i) return {id = i} end)", "while true do test.echo({t = t}) end"},
		{"print", "s = ('x'):rep(1000000)", "while true do print(s) end"},
		{"tonumber", "s = ('1'):rep(10000000)", "while true do tonumber(s) tonumber(s, 2) end"},
		{"equal", "a = range(50000) b = range(50000)", "while true do equal(a, b) end"},
	}
}

// interrupted runs a script, interrupts it when it is well on its way and tells how long it then took to end.
func interrupted(t testing.TB, r *rig, source string) time.Duration {
	t.Helper()
	asked := make(chan time.Time, 1)
	// An interrupt before the run is on has no effect.
	r.begun = func() {
		time.AfterFunc(20*time.Millisecond, func() {
			asked <- time.Now()
			r.Interrupt("stop")
		})
	}
	reply := r.run("test.begun{}; " + source)
	end := time.Now()
	if reply.Err == nil || reply.Err.Kind != Interrupt {
		t.Fatalf("%s: %v", source, reply.Err)
	}
	return end.Sub(<-asked)
}

// TestInterruptsAreQuick finds what takes no notice; how quick the rest is, of 200 ms, BenchmarkInterrupt shows:
// machines that run tests are busy.
func TestInterruptsAreQuick(t *testing.T) {
	for _, b := range busy() {
		t.Run(b.name, func(t *testing.T) {
			r := newRig(t, Limits{Steps: 1 << 50, Time: time.Minute})
			r.must(b.setup)
			if took := interrupted(t, r, b.source); took > 10*time.Second {
				t.Errorf("took %v", took)
			}
			r.must("return 1")
		})
	}
}

// BenchmarkInterrupt shows the longest of several interrupts as max-ms; an operation is a whole run of 20 ms and more.
func BenchmarkInterrupt(b *testing.B) {
	for _, s := range busy() {
		b.Run(s.name, func(b *testing.B) {
			r := newRig(b, Limits{Steps: 1 << 50, Time: time.Minute})
			r.must(s.setup)
			var all []time.Duration
			for b.Loop() {
				all = append(all, interrupted(b, r, s.source))
			}
			b.ReportMetric(float64(slices.Max(all).Microseconds())/1000, "max-ms")
		})
	}
}
