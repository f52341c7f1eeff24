//go:build luasuite

package vm

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// This file runs the official test suite of Lua 5.2.2, which is not part of this repository:
//
//	LUA_TESTS=/path/to/lua-tests go test -tags luasuite -run TestOfficialSuite -v ./session/vm
//
// It prints for each file how many assertions ran and passed. What a file needs from its harness and scripts do not
// have (load, require, a little of debug, one file in memory) is in suitehost_test.go.

// outOfScope says why a file is not run.
var outOfScope = map[string]string{
	"all.lua":        "the suite's own driver",
	"api.lua":        "tests the C API through T, which only a C host has",
	"big.lua":        "needs a source text of 1.7 MB and a string of 4 GiB, which the limits refuse",
	"checktable.lua": "looks into tables through T, which only a C host has",
	"db.lua":         "tests the debug library: scripts cannot look into the machine",
	"files.lua":      "tests io and os: scripts have no files",
	"main.lua":       "tests the lua command",
}

// A cut leaves a passage of a file out: from the line that holds From to the one at or after it that holds To.
type cut struct{ from, to, why string }

var cuts = map[string][]cut{
	"calls.lua": {
		{"f = load(string.dump(function () return 1 end)", `assert(type(f) == "function"`, "binary chunks"},
		{`x = string.dump(load("x = 1; return x"))`, "assert(not pcall(string.dump, print))", "binary chunks"},
		{"-- load when _ENV is not first upvalue", "assert(x() == 123)", "binary chunks"},
		{"-- test for dump/undump with upvalues", "assert(x() == 24)", "binary chunks"},
	},
	"coroutine.lua": {
		{"assert(C[1] == nil)", "", "waits for a weak table to be cleared"},
		{"assert(not pcall(table.sort,{1,2,3}, coroutine.yield))", "", "a comparator may yield here"},
	},
	"verybig.lua": {
		{"file = os.tmpname()", "return result", "needs a source text of 2 MB, which the limits refuse"},
	},
	"errors.lua": {
		{"-- passing light userdata instead of full userdata", "_G.D = nil", "the debug library"},
		{`checkmessage("getmetatable(io.stdin).__gc()", "no value")`, "", "there are no files"},
		{"local res, msg = pcall(loop)", `assert(string.find(msg, "error handling"))`,
			"a handler runs when the stack is unwound, so that the stack has room again"},
		{`testrep("a=", "a..")`, "", "a chain of .. may be of any length"},
		{"f1 = function () table.sort({1,2,3}, coroutine.yield) end", "yield across", "a comparator may yield here"},
	},
	"events.lua": {
		{"-- testing metatables for basic types", "debug.setmetatable(nil, {})", "debug.setmetatable"},
	},
	"gc.lua": {
		{"  repeat u = {} until finish", "", "__gc"},
		{"repeat i = i + 1; u = i .. i until finish", "", "__gc"},
		{"repeat local i; u = function", "", "__gc"},
		{`print("steps")`, `print("clearing tables")`, "waits for memory to be freed, which a script cannot see here"},
		{"print('weak tables')", "-- testing userdata", "weak tables and __gc"},
		{"-- __gc x weak tables", "assert(not pcall(collectgarbage))", "weak tables and __gc"},
		{"  repeat", "until gcinfo() > 2 * x", "waits for memory to grow, which a script cannot see here"},
	},
	"closure.lua": {
		{"assert(a[3] == a[4] and a[4] == a[5])", "assert",
			"whether closures made at one place are equal, which the manual leaves open"},
		{"local function f()", "assert(f() == f())", "whether closures made at one place are equal"},
		{"while x[1] do", "end", "waits for a weak table to be cleared"},
		{"local debug = require'debug'", "debug.upvaluejoin, foo1, 1, print, 1)", "the debug library"},
	},
}

// wantResults is what a file must return.
var wantResults = map[string]string{"attrib.lua": "27", "events.lua": "12", "locals.lua": "5"}

func TestOfficialSuite(t *testing.T) {
	folder := os.Getenv("LUA_TESTS")
	if folder == "" {
		t.Skip("SKIPPED: set LUA_TESTS to the folder of the official Lua 5.2.2 test suite (lua-5.2.2-tests)")
	}
	files, err := filepath.Glob(filepath.Join(folder, "*.lua"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no Lua files in %s: %v", folder, err)
	}
	ran, passed := 0, 0
	for _, file := range files {
		name := filepath.Base(file)
		if why := outOfScope[name]; why != "" {
			t.Logf("%-16s out of scope: %s", name, why)
			continue
		}
		t.Run(name, func(t *testing.T) {
			h := newSuiteHost(t)
			err := h.runFile(file)
			ran, passed = ran+h.ran, passed+h.passed
			verdict := "whole"
			if err != nil {
				verdict = "FAILED: " + err.Error()
				t.Fail()
			}
			t.Logf("%-16s %6d ran, %6d passed  %s", name, h.ran, h.passed, verdict)
			for _, c := range cuts[name] {
				t.Logf("%-16s cut at %q: %s", name, c.from, c.why)
			}
		})
	}
	t.Logf("%d assertions ran, %d passed", ran, passed)
}

// readSuiteFile reads a file and blanks what is cut, every line where it was.
func readSuiteFile(t testing.TB, file string) string {
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(text), "\n")
	for _, c := range cuts[filepath.Base(file)] {
		i := 0
		for i < len(lines) && !strings.Contains(lines[i], c.from) {
			i++
		}
		if i == len(lines) {
			t.Fatalf("%s: nothing to cut at %q", file, c.from)
		}
		for done := false; i < len(lines) && !done; i++ {
			done = strings.Contains(lines[i], c.to)
			lines[i] = ""
		}
	}
	return strings.Join(lines, "\n")
}

var suiteLimits = Limits{Steps: 1 << 50, Time: time.Minute, Coroutines: 20_000}
