package vm

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// TestEachLimit hits every limit of a run that belongs to the machine, one at a time with the others wide open: the
// error names the limit, says the figure and cannot be caught, and the next run works. Memory is the kernel process's
// (session/kernel), calls and mutations are the session's (session).
func TestEachLimit(t *testing.T) {
	wide := Limits{Steps: 1 << 50, Time: time.Minute}
	tests := []struct {
		name    string
		limits  func(l *Limits)
		source  string
		limit   string
		message string
	}{
		{"instructions", func(l *Limits) { l.Steps = 100_000 }, "while true do end", "steps",
			"the script ran more than 100000 instructions"},
		{"instructions of the library", func(l *Limits) { l.Steps = 100_000 },
			"while true do ('x'):rep(1000):find('y') end", "steps",
			"the script ran more than 100000 instructions"},
		{"Lua time", func(l *Limits) { l.Time = 30 * time.Millisecond }, "while true do end", "time",
			"the script ran longer than 30ms of Lua time"},
		{"string", func(l *Limits) { l.String = 1 << 20 }, "local s = 'x' while true do s = s .. s end", "string",
			"the script asked for a string of more than 1.0 MiB"},
		{"coroutines", func(l *Limits) { l.Coroutines = 10 },
			"local k = {} while true do k[#k + 1] = coroutine.create(print) end",
			"coroutines", "more than 10 coroutines are alive"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			l := wide
			test.limits(&l)
			r := newRig(t, l)
			for _, form := range []string{"%s", "pcall(function() %s end) x = 1",
				"xpcall(function() %s end, function() x = 1 end) x = 1",
				"coroutine.wrap(function() %s end)() x = 1", "coroutine.wrap(function() pcall(function() %s end) x = 1 end)()"} {
				e := r.run(fmt.Sprintf(form, test.source)).Err
				if e == nil || e.Kind != Limit || e.Limit != test.limit || e.Message != test.message {
					t.Errorf("%s: %+v", form, e)
				}
				if got := r.must("return x"); got.Values[0].Type != "nil" {
					t.Fatalf("%s: the script went on", form)
				}
			}
		})
	}
}

// TestRecursion: too deep a call is an error that a script can catch, with a message that says what happened, whichever
// way the calls nest.
func TestRecursion(t *testing.T) {
	r := newRig(t, Limits{Steps: 1 << 50, Time: time.Minute})
	for _, source := range []string{
		"local function f() return 1 + f() end f()",
		"local function f() f() end f()",
		"function f() local x = f() return x end f()",
		"local g local function f() g() end function g() f() end f()",
		"local function f(n) if n % 1000 == 0 then coroutine.wrap(f)(n + 1) else f(n + 1) end end f(1)",
		"local function f() return select(2, assert(pcall(f))) end f()",
		"local t = setmetatable({}, {__index = function(t, k) return t[k .. 'x'] end}) return t.a",
		"local t = setmetatable({}, {__tostring = function(t) return tostring(t) end}) return tostring(t)",
		"local function f() map({1}, f) end f()",
		"local function f() table.sort({2, 1}, f) end f()",
		"local function f() ('x'):gsub('x', f) end f()",
		"local function f() coroutine.wrap(f)() end f()",
	} {
		got := r.must("return pcall(function() " + source + " end)")
		if got.Values[0].Repr != "false" || !strings.Contains(got.Values[1].Repr, "stack overflow") {
			t.Errorf("%s: %s", source, got.Values[1].Repr)
		}
	}
}

// stuck is longer than a busy machine with the race detector takes for what is a moment on an idle one, and shorter
// than what takes time that grows with the square of the source.
const stuck = 20 * time.Second

// TestPathologicalSources: text that takes the engine's parser seconds, or its stack, is refused or compiled in a
// moment, and the message says what is too much.
func TestPathologicalSources(t *testing.T) {
	n := func(s string, times int) string { return strings.Repeat(s, times) }
	tests := []struct{ name, source string }{
		{"parentheses", "return " + n("(", 30_000) + "1" + n(")", 30_000)},
		{"braces", "return " + n("{", 30_000) + n("}", 30_000)},
		{"brackets", "x = " + n("a[", 30_000)},
		{"functions", n("function f() ", 15_000) + n("end ", 15_000)},
		{"blocks", n("do ", 30_000) + n("end ", 30_000)},
		{"conditions", n("if a then ", 15_000) + n("end ", 15_000)},
		{"minus", "return " + n("- ", 60_000) + "1"},
		{"not", "return " + n("not ", 60_000) + "1"},
		{"or", "return " + n("a or ", 30_000) + "1"},
		{"and", "return " + n("a and b or ", 15_000) + "1"},
		{"concat", "return " + n("a .. ", 30_000) + "1"},
		{"power", "return " + n("a ^ ", 30_000) + "1"},
		{"plus", "return " + n("a + ", 30_000) + "1"},
		{"compare", "return " + n("a < ", 30_000) + "1"},
		{"elseif", "if a then " + n("elseif a then ", 15_000) + "end"},
		{"gotos", n("goto done ", 10_000) + "::done::"},
		{"labels", n("do ::a:: end ", 15_000)},
		{"breaks", "while true do " + n("if a then break end ", 10_000) + "end"},
		{"locals", n("local a ", 30_000)},
		{"local list", "local a" + n(", a", 30_000)},
		{"arguments", "f(a" + n(", a", 30_000) + ")"},
		{"parameters", "function f(a" + n(", a", 30_000) + ") end"},
		{"calls", "f" + n("()", 30_000)},
		{"fields", "x = a" + n(".a", 30_000)},
		{"strings", "f" + n("''", 30_000)},
		{"constants", "return {" + func() string {
			var b strings.Builder
			for i := range 30_000 {
				fmt.Fprintf(&b, "%d,", i)
			}
			return b.String()
		}() + "}"},
		{"many calls", "f" + n("()", 50_000)},
		{"many strings", "f" + n(`"a"`, 50_000)},
		{"most calls", "f" + n("()", 9_999)},
		{"most strings", "f" + n("''", 9_999)},
		{"indexes", "local t = {} t" + n(`["a"]`, 9_999) + " = 1"},
		{"bare elseifs", "if a then " + n("elseif ", 100_000)},
		{"semicolons", n(";", 900_000)},
		{"many ends", n("end ", 250_000)},
		{"long sum", "x = 1 x = x" + n(" + x", 100_000) + " + y"},
		{"long string", "return [" + n("=", 60_000) + "[x"},
		{"escapes", `return "` + n(`\z `, 60_000) + `"`},
		{"comments", n("--[==[", 30_000)},
		{"number", "return " + n("9", 500_000)},
		{"name", n("a", 900_000) + " = 1"},
		{"too long", n(" ", 2<<20)},
		{"bytes", n("\xff\x00\x80", 30_000)},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			r := newRig(t, Limits{})
			start := time.Now()
			reply := r.run("do return end " + test.source)
			took := time.Since(start)
			message := ""
			if reply.Err != nil {
				message = reply.Err.Error()
			}
			t.Logf("%v: %.100s", took, message)
			if took > stuck {
				t.Errorf("took %v", took)
			}
			if strings.Contains(message, "internal error") || strings.Contains(message, "goroutine") {
				t.Error(message)
			}
			r.must("return 1")
		})
	}
}

// TestLongLinesThatFail: to tell where a line of a hundred thousand calls failed takes a moment.
func TestLongLinesThatFail(t *testing.T) {
	n := strings.Repeat
	for _, test := range []struct{ source, message string }{
		{"local function f() end " + n("f() ", 100_000) + "g()", "attempt to call a nil value (global 'g')"},
		{n("f() ", 100_000), "attempt to call a nil value (global 'f')"},
		{"f" + n("()", 9_999), "attempt to call a nil value (global 'f')"},
		{"local t = {} t" + n(`["a"]`, 9_999) + " = 1", "attempt to index a nil value (field 'a')"},
		{"local x = 1 x = x" + n(" + x", 100_000) + " + y", "attempt to perform arithmetic on a nil value (global 'y')"},
		{"local s = '' " + n("s = s .. 'x' ", 30_000) + " s = s .. y", "attempt to concatenate a nil value (global 'y')"},
	} {
		r := newRig(t, Limits{Steps: 1 << 50, Time: time.Minute})
		start := time.Now()
		if e := r.run(test.source).Err; e == nil || e.Message != test.message {
			t.Errorf("%.40s: %.200v", test.source, e)
		}
		if took := time.Since(start); took > stuck {
			t.Errorf("%.40s took %v", test.source, took)
		}
	}
}

// TestConcatLimit: the sum of the pieces is looked at before any is copied.
func TestConcatLimit(t *testing.T) {
	r := newRig(t, Limits{Steps: 1 << 50, Time: time.Minute})
	e := r.run("local s = ('x'):rep(2^26) local t = {} for i = 1, 200 do t[i] = s end return #table.concat(t)").Err
	if e == nil || e.Limit != "string" || e.Message != "the script asked for a string of more than 64.0 MiB" {
		t.Errorf("%+v", e)
	}
}

// TestWorkIsCountedOnce: what a library function builds costs instructions by its size, not by its size times the
// number of its pieces.
func TestWorkIsCountedOnce(t *testing.T) {
	r := newRig(t, Limits{Steps: 1 << 50, Time: time.Minute})
	for _, source := range []string{
		`local s = ("x"):rep(%d) return #s:gsub("x", "yy")`,
		`local t = {} for i = 1, %d do t[i] = "item" end return #table.concat(t, ",")`,
		`local s = ("%%%%c"):rep(%d) return #os.date(s)`,
		`local t = {} for i = 1, %d do t[i] = tostring(i * 7919 %% 10007) end return #sort_by(t)`,
	} {
		steps := func(n int) int64 { return r.must(fmt.Sprintf(source, n)).Steps }
		small, large := steps(5_000), steps(50_000)
		if large > 20*small {
			t.Errorf("%s: %d instructions for ten times the work of %d", source, large, small)
		}
	}
}
