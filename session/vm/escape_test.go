package vm

import (
	"os"
	"strings"
	"testing"
)

// health is run after each escape in the same machine; it asks what a spoiled machine would get wrong.
const health = `
assert(getmetatable("") == "string" and ("x"):upper() == "X" and ("a").evil == nil)
assert("a" .. 1 .. "b" == "a1b" and -1 % 3 == 2 and 7 // 2 == 3 and 5 & 3 == 1)
local n = 0
for k, v in pairs({10, 20, x = 30}) do n = n + v end
for i, v in ipairs({1, 2}) do n = n + v end
assert(n == 63 and #table.pack(1, 2) == 2 and table.concat({1, 2}, ",") == "1,2")
assert(sort_by({3, 1, 2}, function(v) return v end)[1] == 1 and map({1}, tostring)[1] == "1" and split("a b")[2] == "b")
assert(not pcall(error) and select(2, pcall(error, "x", 0)) == "x" and tostring(print):find("function"))
assert(coroutine.wrap(function(v) return coroutine.yield(v) end)(7) == 7)
assert(json.encode({a = 1}) == '{"a":1}' and string.format("%5.1f", 2) == "  2.0" and type(os.time()) == "number")
assert(type(getmetatable(_G)) ~= "table" and _G.evil == nil and next(vars()) == nil)
assert(test.echo({a = 1}).a == 1 and type(billing.refund.issue) == "action" and not pcall(test.fails))
assert(catalog.search("x").total == 37 and type(help) == "function")
`

// TestEscapes runs the corpus in one machine. What a script sets in its session it may set; the rest must be as before.
func TestEscapes(t *testing.T) {
	text, err := os.ReadFile("testdata/escapes.lua")
	if err != nil {
		t.Fatal(err)
	}
	r := newRig(t, Limits{})
	wantKeys := len(r.Keys(nil))
	first := 0
	for _, source := range strings.Split(string(text), "\n---\n") {
		line, re := wanted(t, source)
		reply := r.run(source)
		switch err := reply.Err; {
		case (err == nil) != (re == nil):
			t.Errorf("line %d: %v, want %v", first+line+1, err, re)
		case err != nil && !re.MatchString(err.Error()):
			t.Errorf("line %d: %v, want %v", first+line+1, err, re)
		case err != nil && strings.Contains(err.Message, "internal error"):
			t.Errorf("line %d: %v", first+line+1, err)
		}
		for name := range r.session.hash {
			delete(r.session.hash, name)
		}
		if after := r.run(health); after.Err != nil {
			t.Fatalf("the machine is not well after line %d: %v", first+line+1, after.Err)
		}
		if n := len(r.Keys(nil)); n != wantKeys {
			t.Fatalf("%d names after line %d, want %d", n, first+line+1, wantKeys)
		}
		first += strings.Count(source, "\n") + 2
	}
}

func TestCompiledCodeIsNoSource(t *testing.T) {
	r := newRig(t, Limits{})
	l := r.newState()
	if err := r.load(l, "x", "return 1"); err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := l.Dump(&b); err != nil {
		t.Fatal(err)
	}
	for _, source := range []string{b.String(), "\x1bLua", "\x1b", " \x1bLua"} {
		for _, expr := range []bool{false, true} {
			reply := r.Run(Script{Source: source, Name: "x", Expr: expr})
			if reply.Err == nil || reply.Err.Kind != Syntax {
				t.Errorf("%.8q is taken: %v", source, reply.Err)
			}
		}
	}
	if err := r.run(health).Err; err != nil {
		t.Error(err)
	}
}

// TestSavedHandlesGiveNoRights keeps handles in one run and uses them in a query, where actions cannot be called.
func TestSavedHandlesGiveNoRights(t *testing.T) {
	r := newRig(t, Limits{})
	r.must(`h = test.echo
	co = coroutine.wrap(function() coroutine.yield() return h({}) end) co()
	t = setmetatable({}, {__index = function() return h({}) end, __tostring = function() return h({}) end})`)
	calls := len(r.calls)
	for _, source := range []string{"h({})", "co()", "return t.x", "return tostring(t)", "call('test.echo', {})",
		"pcall(h, {})  error('actions cannot be called')", "map({{}}, h)", "return sort_by({{}, {}}, h)"} {
		reply := r.Run(Script{Source: source, Name: "q", Surface: Query, Roots: []string{"test"}})
		if reply.Err == nil || !strings.Contains(reply.Err.Error(), "actions cannot be called") {
			t.Errorf("%s: %v", source, reply.Err)
		}
	}
	if len(r.calls) != calls {
		t.Errorf("calls went out: %v", r.calls[calls:])
	}
}

// TestNothingRunsAfterTheRun returns, keeps and raises values whose metamethods would go on for ever: making a reply of
// them must not run them.
func TestNothingRunsAfterTheRun(t *testing.T) {
	r := newRig(t, Limits{})
	r.must(`evil = setmetatable({}, {}) local m = getmetatable(evil)
	for _, event in ipairs({"__tostring", "__pairs", "__ipairs", "__index", "__len", "__eq", "__call", "__concat", "__lt", "__gc"}) do
		m[event] = function() call("test.echo", {}) while true do end end
	end`)
	for _, source := range []string{"return evil", "return {evil, x = evil}", "error(evil)",
		"error({evil})", "x = evil return 1"} {
		r.calls = nil
		reply := r.run(source)
		if reply.Err != nil && reply.Err.Kind != Runtime || len(r.calls) > 0 {
			t.Errorf("%s: %v, calls %v", source, reply.Err, r.calls)
		}
	}
}
