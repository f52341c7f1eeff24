package vm_test

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"almanac/prelude"
	"almanac/session/vm"
)

var compiledPrelude = sync.OnceValues(func() (vm.Compiled, error) {
	var chunks []vm.Chunk
	for _, c := range prelude.Chunks() {
		chunks = append(chunks, vm.Chunk(c))
	}
	return vm.Compile(chunks)
})

// machine makes one with the prelude that sessions have.
func machine(t testing.TB) *vm.Machine {
	t.Helper()
	compiled, err := compiledPrelude()
	if err != nil {
		t.Fatal(err)
	}
	h := vm.Host{
		Call: func(id string, args map[string]any, _ int) (any, error) {
			return map[string]any{"id": id, "args": args}, nil
		},
		Op: func(string, []any) (any, error) {
			return map[string]any{"set": int64(1), "total": int64(1), "hits": []any{map[string]any{"id": "demo.x"}}}, nil
		},
	}
	m, err := vm.New(vm.Limits{}, h, compiled)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(m.Close)
	return m
}

func lua(t testing.TB, m *vm.Machine, source string) string {
	t.Helper()
	r := m.Run(vm.Script{Source: source, Name: "test", Surface: vm.Execute, Roots: []string{"demo", "fs"}, Expr: true})
	if r.Err != nil {
		t.Fatalf("%s: %v", source, r.Err)
	}
	text := ""
	for i, v := range r.Values {
		if i > 0 {
			text += " "
		}
		text += v.Repr
	}
	return text
}

// copied gives another machine what m has.
func copied(t testing.TB, m *vm.Machine) *vm.Machine {
	t.Helper()
	s, err := m.Snapshot(vm.SnapshotLimits{Time: time.Minute})
	if err != nil || len(s.Left) > 0 {
		t.Fatalf("left %v, %v", s.Left, err)
	}
	to := machine(t)
	if err := to.Restore(s.Data); err != nil {
		t.Fatal(err)
	}
	return to
}

func TestSnapshotKeeps(t *testing.T) {
	for _, test := range []struct{ name, set, check, want string }{
		{"plain values", "a, b, c, d, e = 1, -0.5, 'x\\0\\255', true, false",
			"a, b, #c, c:byte(3), d, e", "1 -0.5 3 255 true false"},
		{"odd numbers", "a, b, c, d = 0/0, 1/0, -0.0, 2^53", "a ~= a, b == math.huge, 1/c, d",
			"true true -math.huge 9007199254740992"},
		{"exact integers", "a = 9007199254740993 t = {[a] = a}",
			"a, t[9007199254740993] == a, math.type and 1 or 1", "9007199254740993 true 1"},
		{"null and empty lists", "a = {null, json.array{}, {}}", "json.encode(a)", `"[null,[],{}]"`},
		{"cycles and identity", "a = {} a.a = a b = {a, a}", "a.a == a, b[1] == b[2], b[1] == a", "true true true"},
		{"lists with gaps", "a = {1, nil, 3, nil, nil, 6} a[2^40] = 7", "a[3], a[6], a[2^40], #a", "3 6 7 6"},
		{"tables as keys", "k = {} a = {[k] = 1, [print] = 2, [true] = 3, [0.5] = 4}",
			"a[k], a[print], a[true], a[0.5]", "1 2 3 4"},
		{"metatables", "P = {__add = function(a, b) return a.n + b.n end} P.__index = P p = setmetatable({n = 2}, P)",
			"p + p, getmetatable(p) == P, p.__add == P.__add", "4 true true"},
		{"shared variables", "do local n = 0 function inc() n = n + 1 return n end function get() return n end end inc()",
			"inc(), get()", "2 2"},
		{"separate variables",
			"local function mk(n) return function() n = n + 1 return n end end a, b = mk(1), mk(1)", "a(), a(), b()", "2 3 2"},
		{"recursion",
			"local function fib(n) if n < 2 then return n end return fib(n-1) + fib(n-2) end f = fib", "f(15)", "610"},
		{"functions in functions", "function outer(a) return function(b) return function(c) return a .. b .. c .. -7 % 3 end end end h = outer('x')('y')",
			"h('z'), outer(1)(2)(3)", `"xyz2" "1232"`},
		{"varargs", "f = function(...) return select('#', ...), ... end", "f(nil, 2)", "2 nil 2"},
		{"an environment", "local env = {} do local _ENV = env function f() x = (x or 0) + 1 return x end f() end f = env.f",
			"f(), x", "2 nil"},
		{"actions", "a = demo.x.y", "type(a), tostring(a), a == demo.x.y, a{n = 1}.id",
			`"action" "<action demo.x.y>" true "demo.x.y"`},
		{"a helper among the actions", "f = fs.find r = fs.read",
			"f == fs.find, type(f), type(r), r == fs.read, type(fs.found)", `true "function" "action" true "action"`},
		{"the prelude by name", "m, s, f, j = map, string, string.format, json",
			"m == map, s == string, f == string.format, j == json", "true true true true"},
		{"closures of the prelude", "d = catalog.describe('demo.x') s = catalog.search('x')",
			"tostring(d) ~= nil, tostring(s), getmetatable(s)", `true "complete (1)\ndemo.x" "set"`},
		{"error values", "_, e = pcall(call, 1)",
			"type(e), tostring(e):match('takes an action id') ~= nil", `"string" true`},
		{"the globals themselves", "g = _G env = {_G = _G}", "g == _G, env._G.g == g", "true true"},
		{"integer keys far apart", "t = {} for i = 2000, 1, -1 do t[i * 1000] = i end",
			"t[1000], t[2000000], getmetatable(t), #t", "1 2000 nil 0"},
		{"streams by name", "o = io.stdout", "o == io.stdout, o:write() == io.stdout", "true true"},
		{"a shadowed library", "print = function() return 'mine' end string = {}", "print(), next(string)", `"mine" nil`},
	} {
		t.Run(test.name, func(t *testing.T) {
			m := machine(t)
			lua(t, m, test.set)
			once := copied(t, m)
			twice := copied(t, once)
			for _, m := range []*vm.Machine{twice, once, m} {
				if got := lua(t, m, test.check); got != test.want {
					t.Errorf("got %s, want %s", got, test.want)
				}
			}
		})
	}
}

// The two sides of a copy have nothing in common.
func TestCopiesAreApart(t *testing.T) {
	m := machine(t)
	lua(t, m, "local n = 0 function inc() n = n + 1 return n end t = {list = {1}}")
	o := copied(t, m)
	lua(t, m, "inc() inc() t.list[2] = 2")
	lua(t, o, "inc() t.x = 1")
	if got := lua(t, m, "inc(), #t.list, t.x"); got != "3 2 nil" {
		t.Errorf("the model has %s", got)
	}
	if got := lua(t, o, "inc(), #t.list, t.x"); got != "2 1 1" {
		t.Errorf("the copy has %s", got)
	}
}

// What cannot be kept takes its global with it, by name, and nothing else.
func TestSnapshotLeaves(t *testing.T) {
	m := machine(t)
	lua(t, m, `
fine = {1, {2}}
co = coroutine.create(function() coroutine.yield() end)
both = {fine = fine, own = {text = "only here"}, deep = {{co}}}
gen = string.gmatch("a b", "%a")
also = {own = {text = "only here"}, fine = fine}
function uses() return co end
do local c = co function holds() return c end end
_G[both] = 1`)
	s, err := m.Snapshot(vm.SnapshotLimits{Time: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	var left []string
	for _, l := range s.Left {
		name, _, _ := strings.Cut(l.Name, ":")
		left = append(left, name+" "+l.Reason)
	}
	want := "both holds a coroutine|co holds a coroutine|gen holds an iterator or a wrapped coroutine|holds holds a coroutine|table holds a coroutine"
	if got := strings.Join(left, "|"); got != want {
		t.Errorf("left %s, want %s", got, want)
	}
	o := machine(t)
	if err := o.Restore(s.Data); err != nil {
		t.Fatal(err)
	}
	if got := lua(t, o,
		"fine == also.fine, also.own.text, uses(), co, both, gen, holds"); got != `true "only here" nil nil nil nil nil` {
		t.Errorf("got %s", got)
	}
}

func TestSnapshotLimits(t *testing.T) {
	m := machine(t)
	m.SetLimits(vm.Limits{Steps: 1 << 40, Time: time.Minute})
	lua(t, m, "rows = {} for i = 1, 100000 do rows[i] = {i} end text = ('x'):rep(1e6)")
	for want, l := range map[string]vm.SnapshotLimits{
		"larger than 500.0 KiB":         {Bytes: 500 << 10},
		"slower than 1ns to write down": {Time: 1},
	} {
		_, err := m.Snapshot(l)
		var bad *vm.SnapshotError
		if !errors.As(err, &bad) || bad.Reason != want {
			t.Errorf("error %v, want %s", err, want)
		}
	}
	if got := lua(t, m, "return #rows"); got != "100000" {
		t.Errorf("the machine has %s rows", got)
	}
}

// Nesting of any depth is no matter of the stack.
func TestSnapshotOfALongChain(t *testing.T) {
	m := machine(t)
	m.SetLimits(vm.Limits{Steps: 1 << 40, Time: time.Minute})
	lua(t, m, `
for i = 1, 200000 do links = {links} end
local f = function() return 0 end
for i = 1, 1000 do local g = f f = function() return g end end
fs = f`)
	o := copied(t, m)
	o.SetLimits(vm.Limits{Steps: 1 << 40, Time: time.Minute})
	if got := lua(t, o, "local n = 0 while links do n = n + 1 links = links[1] end local f = fs for i = 1, 1000 do f = f() end return n, f()"); got != "200000 0" {
		t.Errorf("got %s", got)
	}
}

// A run after a restore counts as changed only what it changed, and errors in old functions still show where.
func TestRunsAfterARestore(t *testing.T) {
	m := machine(t)
	r := m.Run(vm.Script{
		Source: "x = 1\nfunction bad()\n  local t\n  return t.x\nend", Name: "cell 1", Keep: []string{"_"},
	})
	if r.Err != nil {
		t.Fatal(r.Err)
	}
	o := copied(t, m)
	r = o.Run(vm.Script{Source: "y = 2", Name: "cell 2"})
	if r.Err != nil || len(r.Changed.Added) != 1 ||
		len(r.Changed.Changed)+len(r.Changed.Removed) != 0 || len(r.Globals) != 3 {
		t.Errorf("%v, changed %+v, globals %v", r.Err, r.Changed, r.Globals)
	}
	source := "return bad() + 1"
	want := m.Run(vm.Script{Source: source, Name: "cell 3"}).Err
	got := o.Run(vm.Script{Source: source, Name: "cell 3"}).Err
	if got == nil || want == nil || got.Error() != want.Error() ||
		strings.Join(got.Traceback, "|") != strings.Join(want.Traceback, "|") {
		t.Errorf("error %+v, want %+v", got, want)
	}
}

// A state that differs little from another has most of its bytes in common with it, wherever the difference is.
func TestSnapshotsHaveBytesInCommon(t *testing.T) {
	const width = 32
	snapshot := func(m *vm.Machine) string {
		s, err := m.Snapshot(vm.SnapshotLimits{Time: time.Minute})
		if err != nil {
			t.Fatal(err)
		}
		return string(s.Data)
	}
	for _, change := range []string{
		"rows[500].cents = 7", "rows[1].id = 'another'", "rows[501] = {id = 'new', cents = 1, tags = {'a', 'z'}}",
		"table.remove(rows, 1)", "rows[250].more = {1, {2}}", "a_first = {list = {1, 2, rows[3]}}",
		"function a_function() return rows end", "rows[9], rows[400] = rows[400], rows[9]", "zzz = 'a text'",
	} {
		m := machine(t)
		lua(t, m, "local currency = {code = 'EUR'} function total() return #rows end"+
			small+"for _, row in ipairs(rows) do row.currency = currency end")
		before := snapshot(m)
		lua(t, m, change)
		after, parts, known := snapshot(m), map[string]bool{}, 0
		for i := range len(before) - width {
			parts[before[i:i+width]] = true
		}
		for i := range len(after) - width {
			if parts[after[i:i+width]] {
				known++
			}
		}
		if known < len(after)*98/100 {
			t.Errorf("%s: %d of %d bytes are those of before", change, known, len(after))
		}
	}
}

// Kept results come after what scripts have set, newest first, so that a new one leaves those bytes as they were.
func TestSnapshotOwn(t *testing.T) {
	m := machine(t)
	var own []string
	for i, source := range []string{"x = {1, 2} return 1", "return x", "return {3}", "x[1] = 2 return 3"} {
		r := m.Run(vm.Script{Source: source, Surface: vm.Execute, Keep: []string{"_", fmt.Sprint("_", i+1)}})
		s, err := m.Snapshot(vm.SnapshotLimits{})
		if r.Err != nil || err != nil || s.Globals != i+3 {
			t.Fatal(r.Err, err, s.Globals)
		}
		own = append(own, string(s.Data[:s.Own]))
	}
	if own[0] != own[1] || own[0] != own[2] || own[2] == own[3] {
		t.Errorf("own states %q", own)
	}
}
