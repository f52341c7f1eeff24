package syntax

import (
	"fmt"
	"math/rand/v2"
	"os/exec"
	"strings"
	"testing"
)

// hostInLua defines the host functions for lua5.2, on one line.
var hostInLua = strings.NewReplacer("H_", HostPrefix).Replace(
	"local H_concat = function(a, ...) local l = {a, ...} local n = select('#', a, ...)" +
		" if n == 1 then l, n = a, a.n end local r = l[n] for i = n - 1, 1, -1 do r = l[i] .. r end return r end;" +
		"local H_mod = function(a, b) return a % b end; local H_integer = function(s) return tonumber(s) end;" +
		"local H_add = function(a, b) return a + b end; local H_sub = function(a, b) return a - b end; local H_mul = function(a, b) return a * b end;" +
		"local H_eq = function(a, b) return a == b end; local H_ne = function(a, b) return a ~= b end;" +
		"local H_for = function(a, b, c) return nil, a, b, c or 1 end; ")

func runLua(t *testing.T, lua, src string) string {
	cmd := exec.Command(lua, "-")
	cmd.Stdin = strings.NewReader(src)
	out, _ := cmd.CombinedOutput()
	return string(out)
}

func lookLua(t *testing.T) string {
	lua, err := exec.LookPath("lua5.2")
	if err != nil {
		t.Skip("SKIPPED: lua5.2 is not installed, normalised programs are not compared with the reference")
	}
	return lua
}

// TestSameAsLua runs random programs through the reference interpreter, as they are and normalised. Many programs go
// into one run, each in its own pcall, so that the test stays quick.
func TestSameAsLua(t *testing.T) {
	lua := lookLua(t)
	const programs, runs = 60, 12
	errors := 0
	for run := range runs {
		var raw, changed strings.Builder
		raw.WriteString(randomRuntime)
		changed.WriteString(hostInLua + randomRuntime)
		var sources []string
		for i := range programs {
			g := &generator{r: rand.New(rand.NewPCG(uint64(run), uint64(i)))}
			src := g.program()
			sources = append(sources, src)
			out, _, err := Normalize(src)
			if err != nil {
				t.Fatalf("%v\n%s", err, src)
			}
			fmt.Fprintf(&raw, "check(%d, function(...) %s\nend)\n", i, src)
			fmt.Fprintf(&changed, "check(%d, function(...) %s\nend)\n", i, out)
		}
		want, got := runLua(t, lua, raw.String()), runLua(t, lua, changed.String())
		if strings.Count(want, "\nprogram ") < programs-1 {
			t.Fatalf("the reference did not run all programs:\n%s", want)
		}
		errors += strings.Count(want, "\nerror\n")
		wants, gots := strings.Split(want, "program "), strings.Split(got, "program ")
		for i := range wants {
			if i >= len(gots) || wants[i] != gots[i] {
				src := ""
				if i > 0 {
					src = sources[i-1]
				}
				out, _, _ := Normalize(src)
				t.Fatalf("run %d\n%s\nnormalised\n%s\nwant\n%s\ngot\n%s", run, src, out, wants[i], gots[min(i, len(gots)-1)])
			}
		}
	}
	if errors > programs*runs/4 {
		t.Errorf("%d of %d programs end in an error: they show too little", errors, programs*runs)
	}
}

// randomRuntime is what random programs use; all on one line, so that line numbers agree. Every type gets operators
// that say what they were applied to, so that programs do not end at the first nil, and the order of operations shows.
// Messages are not compared: who reports an error is not the same.
const randomRuntime = `local M = {} local function text(x) return type(x) == "table" and (rawget(x, "v") or "table") or type(x) == "function" and "function" or tostring(x) end ` +
	`local function obj(v) return setmetatable({v = type(v) == "table" and "{}" or tostring(v)}, M) end ` +
	`for _, op in ipairs{"add", "sub", "mul", "div", "mod", "pow", "concat"} do M["__" .. op] = function(a, b) return obj(("(" .. op .. " " .. text(a) .. " " .. text(b) .. ")"):sub(1, 300)) end end ` +
	`M.__unm = function(a) return obj("-" .. text(a)) end M.__len = function(a) return 5 end M.__call = function(f, ...) return "called", ... end M.__index = function() return nil end ` +
	`debug.setmetatable(nil, M) debug.setmetatable(true, M) debug.setmetatable(1, M) debug.setmetatable(print, M) for k, v in pairs(M) do if k ~= "__index" and k ~= "__len" then getmetatable("")[k] = v end end ` +
	`local function two() return 1, 2 end local function none() end local function id(...) return ... end ` +
	`local function show(...) local l = {...} for i = 1, select("#", ...) do l[i] = text(l[i]) end print(table.concat(l, " ")) return ... end ` +
	`local function check(n, f) print("program " .. n) local r = {pcall(f, 10, "v", 12)} if r[1] then show(table.unpack(r, 1, 9)) else print("error") end end
`

// A generator writes random programs whose every variable is one of a few names.
type generator struct {
	r      *rand.Rand
	b      strings.Builder
	depth  int
	vararg bool
}

func (g *generator) pick(s ...string) string { return s[g.r.IntN(len(s))] }

func (g *generator) program() string {
	g.vararg = true
	g.b.WriteString("local a, b, c = 1, \"s\", 3" + g.gap())
	for range 4 + g.r.IntN(8) {
		g.statement()
	}
	g.b.WriteString("return " + g.exprs())
	return g.b.String()
}

// gap is what may stand between two statements. A line break before a parenthesis is the interesting one.
func (g *generator) gap() string {
	return g.pick("\n", " ", "\n\n", " -- c\n", "; ", " --[[ ]] ", "\n")
}

func (g *generator) block() string {
	outer := g.b
	g.b = strings.Builder{}
	g.depth++
	for range 1 + g.r.IntN(3) {
		g.statement()
	}
	g.depth--
	s := g.b.String()
	g.b = outer
	return s
}

func (g *generator) name() string { return g.pick("a", "b", "c", "d") }

func (g *generator) statement() {
	n := g.r.IntN(14)
	if g.depth > 3 {
		n = g.r.IntN(5)
	}
	var s string
	switch n {
	case 0, 1:
		s = g.pick("local ", "") + g.name() + " = " + g.expr()
	case 2:
		s = "show(" + g.exprs() + ")"
	case 3:
		s = "(" + g.pick("show", "id") + ")(" + g.exprs() + ")"
	case 4:
		s = g.name() + ", " + g.name() + " = " + g.exprs()
	case 5:
		s = "if " + g.expr() + " then " + g.block() + g.pick("", "elseif "+g.expr()+" then "+g.block(), "else "+g.block()) + "end"
	case 6:
		s = "for i = " + g.pick("1", "1", "id(0, 3)", "tonumber('1')") + ", " + g.pick("2", "3 % 2", "-3 % 4", "2, two()") + " do " + g.block() + g.pick("", "if i == 2 then break end ", "goto on; ::on:: ") + "end"
	case 7:
		s = "do " + g.block() + "end"
	case 8:
		s = "repeat local d = " + g.expr() + " " + g.block() + "until d or true"
	case 9:
		s = g.pick("local function ", "function ") + g.name() + g.function()
	case 10:
		s = "for k, v in ipairs({" + g.exprs() + "}) do show(k, v) " + g.block() + "end"
	case 11:
		s = "local t = {" + g.expr() + ", k = " + g.expr() + ", [" + g.pick("\"x\"", "7 % 4", "\"y\" .. \"z\"") + "] = " + g.exprs() + "} show(#t, t.k, t[1], t.yz)"
	case 12:
		s = "local mk = function() local n = " + g.pick("0", "7 % 4") + " return function() return function() n = n + 1 return n end end end local p, q = mk()(), mk()() show(p == q, p(), p(), q())"
	case 13:
		s = "show((pcall(" + g.pick("id", "two") + ", function" + g.function() + ")))"
	}
	g.b.WriteString(s + g.gap())
}

func (g *generator) function() string {
	vararg := g.vararg
	g.vararg = g.r.IntN(2) == 0
	params := "(b)"
	if g.vararg {
		params = "(b, ...)"
	}
	body := g.block()
	if g.r.IntN(2) == 0 {
		body += "return " + g.exprs() + g.pick(" ", ";", "\n")
	}
	g.vararg = vararg
	return params + " " + body + "end"
}

func (g *generator) exprs() string {
	s := g.expr()
	for g.r.IntN(3) == 0 {
		s += ", " + g.expr()
	}
	return s
}

func (g *generator) expr() string {
	g.depth++
	defer func() { g.depth-- }()
	if g.depth > 5 {
		return g.atom()
	}
	switch g.r.IntN(12) {
	case 0, 1, 2:
		s := g.operand()
		for range 1 + g.r.IntN(4) {
			s += g.pick(" .. ", "..", "\n.. ", " ..\n") + g.operand()
		}
		return strings.ReplaceAll(s, "......", ".. ...")
	case 3, 4:
		return g.operand() + g.pick(" % ", "%", " * ", " - ", " / ") + g.operand() + g.pick(" % ", " + ", "%") + g.operand()
	case 5:
		return g.operand() + g.pick(" and ", " or ", " == ", " ~= ") + g.operand()
	case 6:
		return g.pick("not ", "-", "#", "- -") + g.operand()
	case 7:
		return "(" + g.expr() + ")"
	case 8:
		return g.operand() + "^" + g.operand() + g.pick("", "%3", " .. 1")
	case 9:
		return "(function" + g.function() + ")"
	case 10:
		return "id(" + g.exprs() + ")"
	}
	return g.atom()
}

func (g *generator) operand() string {
	if g.r.IntN(3) == 0 {
		return "(" + g.expr() + ")"
	}
	return " " + g.atom() + " "
}

func (g *generator) atom() string {
	if g.vararg && g.r.IntN(10) == 0 {
		return "..."
	}
	return g.pick("1", "2.5", "-3", "0", "\"s\"", "'7'", "[[l\n]]", "a", "b", "c", "d", "nil", "true", "two()", "none()", "obj(1)", "obj'o'",
		"obj{}", "9007199254740993", "0x10", "1e999", "\"x\\z\n  y\"", "(two())", "('u'):rep(2)", "id{1}[1]", "#\"abc\"")
}

// TestEngineCases are the inputs of the engine's known faults, and what they must print.
func TestEngineCases(t *testing.T) {
	lua := lookLua(t)
	for _, src := range []string{
		"local function mk(x) return function() return function() x=x+1 return x end end end; local a,b=mk(1),mk(1); local f,g=a(),b(); print(f==g,f(),g())",
		"local T = setmetatable({}, {__index = function(_, k) return k end})\nlocal t = {\"a \"..T.A..\" a\", \"b \"..T.B..\" b\"}\nprint(t[1], t[2])",
		"local a = -1; print(a % 3, -1 % 3, 5.5 % -2, a % -3)",
		"local n = 0 local function hit() n = n + 1 return n > 700 and n end\nprint(hit()" + strings.Repeat(" or hit()", 999) + ", n)",
		"local n = 0 local function hit() n = n + 1 return n < 700 end\nprint(hit()" + strings.Repeat(" and hit()", 999) + ", n)",
		"for _, x in ipairs{1, 51, 52, 100, 101, 102, 150, 999} do\nif x == 0 then print(0)" + elseifs(200) + "\nelse print('else', x) end print('after') end",
		"local s = 'a'" + strings.Repeat("..'b'", 150) + " print(#s)",
		"print(('x'):rep(3) .. 1 .. 2 == 'xxx12', 2^-3 .. 'y', -2^2 % 3)",
	} {
		out, _, err := Normalize(src)
		if err != nil {
			t.Errorf("%v\n%s", err, src)
			continue
		}
		if want, got := runLua(t, lua, src), runLua(t, lua, hostInLua+out); want != got || want == "" {
			t.Errorf("%s\nwant\n%s\ngot\n%s", src, want, got)
		}
	}
}

func elseifs(n int) string {
	var b strings.Builder
	for i := 1; i <= n; i++ {
		fmt.Fprintf(&b, "\nelseif x == %d then print('is', %d)", i, i)
	}
	return b.String()
}
