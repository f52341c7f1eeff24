package syntax

import (
	"strings"
	"testing"
)

// TestNormalize shows what is changed, without the function around the text.
func TestNormalize(t *testing.T) {
	for _, c := range []struct{ src, want string }{
		{`print(1 + 2 * x ^ 2)`, `print(1 + 2 * x ^ 2)`},
		{`x=a..b..c`, `x= H_concat(a,b,c)`},
		{`x=a..f()`, `x= H_concat(a,(f()))`},
		{`x=f()..a`, `x= H_concat(f(),a)`},
		{`x=a.. ...`, `x= H_concat(a, (...))`},
		{`return"a"..b`, `return H_concat("a",b)`},
		{`x=-a..b+c..d^2`, `x= H_concat(-a,b+c,d^2)`},
		{`x=a..b==c..d`, `x= H_concat(a,b)== H_concat(c,d)`},
		{`x=(a..b)..c`, `x= H_concat(( H_concat(a,b)),c)`},
		{`f=function(...) return g(...) end`, `f=function(...) return  H_results(g(...)) end`},
		{`f=function(a) return g(a) end`, `f=function(a) return g(a) end`},
		{`x=a%b*c%d`, `x= H_mod( H_mod(a,b)*c,d)`},
		{`x=-a%b`, `x= H_mod(-a,b)`},
		{`x=a%f()`, `x= H_mod(a,(f()))`},
		{`x=-7%3`, `x= H_mod(-7,3)`},
		{`x=7%-3*y`, `x= H_mod(7,-3)*y`},
		{`x=5%0`, `x= H_mod(5,0)`},
		{`x=-2^2%3`, `x= H_mod(-2^2,3)`},
		{`x=a//b&c|~d~e<<f>>g`, `x= H_bor( H_band( H_idiv(a,b),c), H_bxor( H_bnot(d), H_shr( H_shl(e,f),g)))`},
		{`x=~f()`, `x= H_bnot((f()))`},
		{`x=9007199254740992`, `x=9007199254740992`},
		{`x=9007199254740993`, `x= H_integer("9007199254740993")`},
		{`x=0xffffffffffffffff`, `x= H_integer("0xffffffffffffffff")`},
		{`x=9223372036854775808`, `x=9223372036854775808`},
		{`x=-1e999`, `x=-(1/0)`},
		{`x="\u{48}\u{20AC}\\u{1}"`, `x="\072\226\130\172\\u{1}"`},
		{`x=[[\u{48}]]`, `x=[[\u{48}]]`},
		{"x=1%2\n(f)()", "x= H_mod(1,2);\n(f)()"},
		{"x=a..1\n(f or g)()", "x= H_concat(a,1);\n(f or g)()"},
		{"x=a..b\n(f or g)()", "x= H_concat(a,(b\n(f or g)()))"},
		{"x=9007199254740993;(f)()", "x= H_integer(\"9007199254740993\");(f)()"},
		{`local a<const>,b<const> =1,2`, `local a,b =1,2`},
		{"local a <\nconst\n> = 1", "local a \n\n = 1"},
		{`local x; f=function() return x end`, `local x; f=function() do return x  end H_barrier() end`},
		{`local x; f=function() x=1 end`, `local x; f=function() x=1  do return end H_barrier() end`},
		{`local x; f=function() goto e; x=1 ::e:: end`,
			`local x; f=function() if true then else H_barrier() end  goto e; x=1 ::e:: end`},
		{`f=function() return x end`, `f=function() return x end`},
		{"for i = a, b do f(i) end",
			"do local H_at, i,H_last,H_step =  H_for(a, b) for i=i,H_last,H_step  do if H_at then i=H_at(i) end  f(i) end end"},
		{"for i = 1, n do for j = i + 1, #t do end end", "for i = 1, n do for j = i + 1, #t do end end"},
		{"x = a + 0 == 1e17", "x =  H_eq( H_add(a , 0) , 1e17)"},
		{"#!lua\r\nx=a..b -- c", "--#!lua\nx= H_concat(a,b) -- c"},
		{"\xEF\xBB\xBFx=1", "x=1"},
		{"--[==[ a..b ]] ]==] x='a..b' .. [=[]]..]=]", "--[==[ a..b ]] ]==] x= H_concat('a..b' , [=[]]..]=])"},
	} {
		got, _, err := Normalize(c.src)
		if err != nil {
			t.Errorf("%q: %v", c.src, err)
			continue
		}
		if from := strings.Index(got, "local "+hostBarrier); from >= 0 {
			body := got[strings.Index(got, "(function(...) ")+len("(function(...) "):]
			got = got[:from] + strings.Replace(body, " end)(...)", "", 1)
		}
		if got = strings.ReplaceAll(got, HostPrefix, "H_"); got != c.want {
			t.Errorf("%q:\n got %s\nwant %s", c.src, got, c.want)
		}
	}
}

func TestNormalizeLongChains(t *testing.T) {
	for _, op := range []string{" or ", " and "} {
		got, _, err := Normalize("x = a" + strings.Repeat(op+"a", 999))
		if err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(got, "})[1]"); n != 20 {
			t.Errorf("%s: %d groups, want 20", op, n)
		}
	}
	got, _, err := Normalize("x = a" + strings.Repeat("..a", 99))
	if err != nil || !strings.Contains(got, HostConcat+"({n=100,a,") {
		t.Errorf("concat: %v %s", err, got)
	}
	got, _, err = Normalize("if x then" + strings.Repeat("\nelseif y then", 120) + "\nend\nf()")
	if err != nil || strings.Count(got, "else if") != 2 ||
		!strings.Contains(got, "\nend if nil then end end if nil then end end\nf()") {
		t.Errorf("elseif: %v %s", err, got)
	}
}

func countLines(s string) int {
	n := 1
	for i := 0; i < len(s); i++ {
		if s[i] == '\n' || s[i] == '\r' {
			if i+1 < len(s) && (s[i+1] == '\n' || s[i+1] == '\r') && s[i+1] != s[i] {
				i++
			}
			n++
		}
	}
	return n
}

func FuzzNormalize(f *testing.F) {
	for _, s := range []string{
		"", "x = a..b % c", "local x <const> = 9007199254740993\n(f)()", "for i=1,2 do goto c ::c:: end",
		"'\\u{7FFFFFFF}\\z \x85'", "#!x\nf()", "x = {[1]=2; a=3}", "return function(...) return ... end",
		"--[[x]] [=[\r\n]=]", "a.b:c'x'", "if x then elseif y then end", "x = 1 // ~2", "\xEF\xBB\xBF#",
		"repeat local x until x%2==1", "goto a ::a::", "((((((", "f(function() end, ", "\"\\z\n", "a = b c",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, src string) {
		err := Check(src)
		out, _, err2 := Normalize(src)
		if err != nil && err2 == nil {
			t.Fatalf("Check refuses what Normalize takes: %v", err)
		}
		if err != nil && (err.Pos.Line < 1 || err.Pos.Offset > len(src) || err.Message == "") {
			t.Fatalf("%+v", err)
		}
		for line := range min(countLines(src)+2, 50) {
			for _, u := range Uses(src, line) {
				for _, at := range u.At {
					if at.Offset < 0 || at.Offset > len(src) || at.Line < 1 || at.Column < 1 {
						t.Fatalf("%+v", u)
					}
				}
			}
		}
		if err2 == nil && countLines(out) != countLines(src) {
			t.Fatalf("%d lines became %d:\n%s", countLines(src), countLines(out), out)
		}
		if err2 == nil {
			// What comes out is Lua as the engine knows it.
			if again := Check(strings.ReplaceAll(out, HostPrefix, "host_")); again != nil && len(src) < maxSource/8 {
				t.Fatalf("output is refused: %v\n%s", again, out)
			}
		}
		end := 0
		for _, tok := range Tokens(src) {
			if tok.Pos.Offset < end || src[tok.Pos.Offset:tok.Pos.Offset+len(tok.Text)] != tok.Text || tok.Text == "" {
				t.Fatalf("token %+v", tok)
			}
			end = tok.Pos.Offset + len(tok.Text)
		}
		Names(src)
		IsExpression(src)
		for i := 0; i <= len(src); i += 1 + len(src)/16 {
			PathAt(src, i)
		}
	})
}
