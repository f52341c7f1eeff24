package syntax

import (
	"fmt"
	"strings"
	"testing"
)

func TestCheckAccepts(t *testing.T) {
	for _, src := range []string{
		"", ";;;", "-- only a comment", "--[==[ long\n]] ]==]", "#!/usr/bin/lua\nx = 1", "\xEF\xBB\xBFx = 1",
		"local x", "return", "return;", "return 1, 2;", "x = 1 y = 2", "f()", "f{}'x'", "a.b:c'x'.d = 1",
		"goto done; local x; ::done::", "for i = 1, 2 do goto continue; local y ::continue:: end",
		"do ::a:: end do ::a:: end", "::top:: goto top", "while true do if x then break end end",
		"local x <const> = 1; local function f() return x end", "x = 1 // 2 & 3 | ~4 ~ 5 << 6 >> 7",
		"x = 0x.8p1 + 0xA + 3e-2 + .5 + 5.", "x = 10or 20", "x = '\\u{7FFFFFFF}\\z  \r\n  \\x41\\065\\\n'",
		"x = [==[\r\n]]]==]", "return ...", "function a.b.c:d(...) return self, ... end", "x = -2^-3 .. not y",
		"if a then elseif b then else end", "repeat local x until x", "for k, v in pairs(t) do end",
		"x = {1, 2; a = 3, [4] = 5,}", "return 1e999",
	} {
		if err := Check(src); err != nil {
			t.Errorf("%q: %v", src, err)
		}
	}
}

func TestCheckRefuses(t *testing.T) {
	for _, c := range []struct {
		src  string
		at   string // line:column
		want string
	}{
		{"end", "1:1", "unexpected 'end'"},
		{"x = 1\nuntil x", "2:1", "unexpected 'until'"},
		{"foo", "1:4", "'=' or an argument list expected after 'foo' near <eof>"},
		{"a = b c", "1:8", "'=' or an argument list expected after 'c' near <eof>"},
		{"x = 1 '<eof>'", "1:7", "unexpected symbol near ''<eof>''"},
		{"x = 'abc", "1:5", "unfinished string near <eof>"},
		{"x = 'abc\ny = 1", "1:5", "unfinished string near ''abc'"},
		{"x = 'a\\qb'", "1:7", "invalid escape sequence near '\\q'"},
		{"x = '\\300'", "1:6", "decimal escape too large near '\\300'"},
		{"x = '\\xZ'", "1:6", "hexadecimal digit expected near '\\xZ'"},
		{"x = '\\u{}'", "1:6", "'\\u{XXX}' expected near '\\u'"},
		{"x = 3..2", "1:5", "malformed number near '3..2'"},
		{"x = 1e", "1:5", "malformed number near '1e'"},
		{"x = [=a", "1:5", "invalid long string delimiter near '[='"},
		{"x = 1 !", "1:7", "unexpected symbol near '!'"},
		{"x = \x01", "1:5", "unexpected symbol near char(1)"},
		{"return 1 2", "1:10", "'end' or <eof> expected after return near '2'"},
		{"#x = 1", "1:1", "unexpected symbol near '#'"},
		{"break", "1:1", "<break> at line 1 not inside a loop"},
		{"function f() goto nowhere end", "1:14", "no visible label 'nowhere' for <goto> at line 1"},
		{"do goto a end; local x; ::a:: print(x)", "1:27", "<goto a> at line 1 jumps into the scope of local 'x'"},
		{"::a:: ::a::", "1:9", "label 'a' already defined on line 1"},
		{"function f() goto a; do ::a:: end end", "1:14", "no visible label 'a' for <goto> at line 1"},
		{"while true do local f = function() break end end", "1:36", "<break> at line 1 not inside a loop"},
		{"function f() return ... end", "1:21", "cannot use '...' outside a vararg function near '...'"},
		{"f() = 1", "1:5", "cannot assign to 'f()' near '='"},
		{"local x <const> = 1; x = 2", "1:22", "attempt to assign to const variable 'x'"},
		{"local x <close> = f()", "1:10", "<close> is not supported"},
		{"local x <what> = 1", "1:10", "unknown attribute 'what'"},
		{"x = __host_concat", "1:5", "'__host_concat' is a reserved name"},
		{"if x = 1 then end", "1:6", "'then' expected near '='"},
		{"t.end = 1", "1:3", "name expected near 'end'"},
		{"x += 1", "1:3", "'=' or an argument list expected after 'x' near '+'"},
		{"x = {a: 1}", "1:9", "method name expected near '1'"},
		{"x = {'a': 1}", "1:9", "'}' expected (to close '{' at line 1) near ':'"},
		{"function f(a,) end", "1:14", "parameter name or '...' expected near ')'"},
		{"if x then else elseif y then end", "1:16", "'end' expected (to close 'if' at line 1) near 'elseif'"},
	} {
		err := Check(c.src)
		if err == nil {
			t.Errorf("%q: accepted", c.src)
			continue
		}
		if at := fmt.Sprintf("%d:%d", err.Pos.Line, err.Pos.Column); err.Message != c.want || at != c.at || err.Incomplete {
			t.Errorf("%q:\n got %s %s (incomplete %v)\nwant %s %s", c.src, at, err.Message, err.Incomplete, c.at, c.want)
		}
	}
}

func TestCheckIncomplete(t *testing.T) {
	for _, c := range []struct{ src, want string }{
		{"for i=1,2 do", "'end' expected (to close 'for' at line 1) near <eof>"},
		{"if x then\n", "'end' expected (to close 'if' at line 1) near <eof>"},
		{"if x", "'then' expected near <eof>"},
		{"function f(", "parameter name or '...' expected near <eof>"},
		{"function f()\n  return 1", "'end' expected (to close 'function' at line 1) near <eof>"},
		{"x = 1 +", "expression expected near <eof>"},
		{"x = a ..", "expression expected near <eof>"},
		{"x =", "expression expected near <eof>"},
		{"f(1,", "expression expected near <eof>"},
		{"f(1", "')' expected (to close '(' at line 1) near <eof>"},
		{"x = {1,", "expression expected near <eof>"},
		{"x = {1", "'}' expected (to close '{' at line 1) near <eof>"},
		{"x = [[abc", "unfinished long string near <eof>"},
		{"--[[ abc", "unfinished long comment near <eof>"},
		{"x = 'abc\\\n", "unfinished string near <eof>"},
		{"x = 'abc\\z  \n ", "unfinished string near <eof>"},
		{"repeat f()", "'until' expected (to close 'repeat' at line 1) near <eof>"},
		{"local", "name expected near <eof>"},
		{"a.", "name expected near <eof>"},
		{"a:b", "function arguments expected near <eof>"},
		{"a, b", "'=' expected near <eof>"},
		{"local x <", "'const' expected near <eof>"},
		{"while x", "'do' expected near <eof>"},
		{"x = not", "expression expected near <eof>"},
		{"goto", "label name expected near <eof>"},
		{"goto later", "no visible label 'later' for <goto> at line 1"},
		{"for i = 1, 2 do goto later end", "no visible label 'later' for <goto> at line 1"},
	} {
		err := Check(c.src)
		if err == nil || !err.Incomplete || err.Message != c.want {
			t.Errorf("%q: got %v, want incomplete: %s", c.src, err, c.want)
		}
	}
	for _, src := range []string{"x = 'abc\\\\\n", "f(1\nend", "end [[abc", "x = 'a\\q [[", "break\nif x"} {
		if err := Check(src); err == nil || err.Incomplete && src != "break\nif x" {
			t.Errorf("%q: got %v, want wrong, not incomplete", src, err)
		}
	}
}

// Every prefix of a program that ends between tokens is either whole, or a lone name, or incomplete.
func TestPrefixesAreIncomplete(t *testing.T) {
	src := "local a, b = f(1, {2, x = 3, [4] = 5}), 'six'; for i = 1, #a do if a[i] then b = b .. a.x:y(i) elseif not c then " +
		"while true do break end else repeat local z = -1 until z end end function m.n:o(p, ...) return p, ... end goto e ::e::"
	for _, tok := range Tokens(src) {
		prefix := src[:tok.Pos.Offset]
		err := Check(prefix)
		if err == nil || err.Incomplete || strings.Contains(err.Message, "argument list expected") {
			continue
		}
		t.Errorf("%q: %v", prefix, err)
	}
}

func TestLimits(t *testing.T) {
	nest := func(open, close string, n int) string { return strings.Repeat(open, n) + close }
	for _, c := range []struct{ name, src, want string }{
		{"parentheses", nest("x = ", "", 1) + strings.Repeat("(", 100_000), "nests too deep"},
		{"braces", "x = " + strings.Repeat("{", 100_000), "nests too deep"},
		{"blocks", strings.Repeat("do ", 100_000), "nests too deep"},
		{"functions", strings.Repeat("x = function() ", 10_000), "nests too deep"},
		{"returns", strings.Repeat("return function() ", 61) + strings.Repeat("end ", 61),
			"nests too deep (limit is 180 levels)"},
		{"not", "x = " + strings.Repeat("not ", 100_000) + "y", "nests too deep"},
		{"power", "x = 2" + strings.Repeat("^2", 100_000), "nests too deep"},
		{"locals", "local a" + strings.Repeat(",a", 200), "too many local variables (limit is 200) in main function"},
		{"upvalues", upvalues(250), "too many upvalues (limit is 240) in function at line"},
		{"arguments", "f(1" + strings.Repeat(",1", 300) + ")", "needs too many registers"},
		{"targets", "a" + strings.Repeat(",a", 300) + " = 1", "too many variables in one assignment"},
		{"source", "x = '" + strings.Repeat("x", maxSource) + "'", "source too long"},
		{"constants", strings.Repeat("x=1 ", maxConstants/2+1), "too many names and literals"},
		{"tokens", "f{" + strings.Repeat("1,", maxTokens/2) + "}", "too many tokens (limit is 400000)"},
		{"semicolons", strings.Repeat(";", 900_000), "too many tokens"},
		{"calls", "f" + strings.Repeat("()", 50_000), "too many fields, indexes and calls in a row (limit is 10000)"},
		{"strings", "f" + strings.Repeat(`"a"`, 50_000), "too many fields, indexes and calls in a row"},
		{"indexes", "local t = {} t" + strings.Repeat(`["a"]`, 30_000) + " = 1",
			"too many fields, indexes and calls in a row"},
		{"labels", labels(2000, "::a%d:: "), "too many labels (limit is 1000)"},
		{"waiting gotos", labels(6000, "goto a%d "), "too many gotos in front of their labels (limit is 5000)"},
		{"breaks", "while 1 do " + strings.Repeat("if x then break end ", 2000) + "end", "too many jumps"},
		{"gotos", strings.Repeat("if x then goto e end ", 2000) + "::e::", "too many jumps"},
		{"tails", strings.Repeat("if x then "+strings.Repeat(" elseif y then ", 40), 80) + strings.Repeat(" end", 80),
			"too many jumps"},
		{"mod", "x = a" + strings.Repeat(" % a", 300), "needs too many registers"},
		{"elseif", "if x then" + strings.Repeat(" elseif y then", 20_000) + " end", "nests too deep"},
	} {
		_, _, err := Normalize(c.src)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %s", c.name, err, c.want)
		} else if err.(*Error).Incomplete {
			t.Errorf("%s: a limit is not mended by more input", c.name)
		}
	}
	for name, src := range map[string]string{
		"or":      "x = a" + strings.Repeat(" or a", 5000),
		"concat":  "x = a" + strings.Repeat(" .. a", 5000),
		"add":     "x = a" + strings.Repeat(" + a", 5000),
		"elseif":  "if x then" + strings.Repeat(" elseif y then", 1000) + " end",
		"fields":  "x = a" + strings.Repeat(".b", 5000),
		"calls":   "f" + strings.Repeat("()", 5000),
		"nested":  strings.Repeat("do ", 170) + strings.Repeat("end ", 170),
		"returns": "local x " + strings.Repeat("return function() ", 59) + "return x " + strings.Repeat("end ", 59),
		"locals":  "local a" + strings.Repeat(",a", 199),
	} {
		if _, _, err := Normalize(src); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// labels is n statements, each with a name of its own.
func labels(n int, form string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, form, i)
	}
	return b.String()
}

// TestErrorsOnOneLine: a text of many errors in one line is refused for the first, and read in linear time.
func TestErrorsOnOneLine(t *testing.T) {
	for src, want := range map[string]string{
		"if a then " + strings.Repeat("elseif ", 55_000): "unexpected symbol near 'elseif'",
		strings.Repeat("end ", 200_000):                  "unexpected 'end'",
		strings.Repeat("$", 200_000):                     "unexpected symbol near '$'",
	} {
		if err := Check(src); err == nil || err.Message != want || err.Pos.Line != 1 {
			t.Errorf("%.20s: %v", src, err)
		}
	}
}

// upvalues is a program whose innermost function captures n variables.
func upvalues(n int) string {
	var b strings.Builder
	for i := range n {
		if i%150 == 0 {
			b.WriteString("\nlocal function f()")
		}
		fmt.Fprintf(&b, " local v%d", i)
	}
	b.WriteString("\nlocal function g() return 1")
	for i := range n {
		fmt.Fprintf(&b, "+v%d", i)
	}
	return b.String() + " end" + strings.Repeat(" end", (n+149)/150)
}

func TestIsExpression(t *testing.T) {
	for src, want := range map[string]bool{
		"1+1": true, "f()": true, "a, b": true, "function() end": true, "...": true, "'x' -- end": true, "x": true,
		"#x": true, "#'abc'": true, "": false, "x = 1": false, "-- c": false, "1;": false, "1 +": false, "return 1": false,
		"a b": false, "(": false,
	} {
		if got := IsExpression(src); got != want {
			t.Errorf("IsExpression(%q) = %v", src, got)
		}
	}
}

func TestPlace(t *testing.T) {
	for src, want := range map[string]Pos{
		"x = 1\n\ty = = 2\nz = 3": {Offset: 11, Line: 2, Column: 6},
		"é = 1":                   {Offset: 0, Line: 1, Column: 1},
		"x = 'é' = 1":             {Offset: 9, Line: 1, Column: 10},
		"if x then":               {Offset: 9, Line: 1, Column: 10},
	} {
		if err := Check(src); err == nil || err.Pos != want {
			t.Errorf("%q: %+v, want %+v", src, err, want)
		}
	}
}
