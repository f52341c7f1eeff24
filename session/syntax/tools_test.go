package syntax

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestTokens(t *testing.T) {
	src := "local s = 'a' -- c\r\n  s = s..0x1F !\n__host_x [[l\nm]] 'open"
	var got strings.Builder
	for _, tok := range Tokens(src) {
		fmt.Fprintf(&got, "%d:%d %s %q\n", tok.Pos.Line, tok.Pos.Column, tok.Kind, tok.Text)
	}
	want := `1:1 keyword "local"
1:7 name "s"
1:9 operator "="
1:11 string "'a'"
1:15 comment "-- c"
2:3 name "s"
2:5 operator "="
2:7 name "s"
2:8 operator ".."
2:10 number "0x1F"
2:15 bad "!"
3:1 bad "__host_x"
3:10 string "[[l\nm]]"
4:5 bad "'open"
`
	if diff := cmp.Diff(want, got.String()); diff != "" {
		t.Error(diff)
	}
}

func TestLocals(t *testing.T) {
	for src, want := range map[string]string{
		"local y = 5": "y", "local a, b = f() local function c() local d end": "a b c", "x = 1 do local y end": "",
		"for i = 1, 2 do local j end": "", "local y = ": "y", "local y <const> = 5 return y": "y", "": "",
	} {
		if got := strings.Join(Locals(src), " "); got != want {
			t.Errorf("%s: %q, want %q", src, got, want)
		}
	}
}

func TestNames(t *testing.T) {
	for _, c := range []struct {
		src  string
		want Usage
	}{
		{"local x = 1; y = x + z", Usage{Reads: []string{"z"}, Writes: []string{"y"}}},
		{"for _, inv in ipairs(billing.invoice.list{id = id}) do out[1] = inv.x end", Usage{
			Reads: []string{"ipairs", "billing", "id", "out"}, Inside: []string{"out"},
			Paths: []string{"ipairs", "billing.invoice.list"}}},
		{"local f = billing.refund.issue; f{}", Usage{Reads: []string{"billing"}}},
		{"call('crm.x.y', {})", Usage{Reads: []string{"call"}, Paths: []string{"call", "crm.x.y"}}},
		{"a.b:c().d()", Usage{Reads: []string{"a"}}},
		{"a['b'].c[ [[d]] ]()", Usage{Reads: []string{"a"}, Paths: []string{"a.b.c.d"}}},
		{"_G.x = 1; _ENV.y.z()", Usage{Reads: []string{"y"}, Writes: []string{"x"}, Paths: []string{"y.z"}}},
		{"local _ENV = {}; x = y", Usage{}},
		{"function f() local g = g; return g() end function M.n() end", Usage{
			Reads: []string{"g", "M"}, Writes: []string{"f"}, Inside: []string{"M"},
		}},
		{"local a; do local b = a end; b()", Usage{Reads: []string{"b"}, Paths: []string{"b"}}},
		{"repeat local ok = f() until ok", Usage{Reads: []string{"f"}, Paths: []string{"f"}}},
		{"x = = y\nlocal z = a.b() if", Usage{Reads: []string{"a"}, Writes: []string{"x"}, Paths: []string{"a.b"}}},
	} {
		if diff := cmp.Diff(c.want, Names(c.src)); diff != "" {
			t.Errorf("%s\n%s", c.src, diff)
		}
	}
}

// In these texts | is the place.
func TestPathAt(t *testing.T) {
	for _, c := range []struct {
		text string
		want Cursor
	}{
		{"bil|", Cursor{Partial: "bil"}},
		{"x = billing.|", Cursor{Path: []string{"billing"}, Member: true}},
		{"x = billing.invoice.li|st", Cursor{Path: []string{"billing", "invoice"}, Partial: "li", Member: true}},
		{"s:up|", Cursor{Path: []string{"s"}, Partial: "up", Member: true}},
		{"f().x|", Cursor{Partial: "x", Member: true}},
		{"f().x.y|", Cursor{Partial: "y", Member: true}},
		{"'a.b|", Cursor{InString: true}},
		{"[[a.b|", Cursor{InString: true}},
		{"x = 'a'|", Cursor{}},
		{"-- a.b|", Cursor{InComment: true}},
		{"--[[ a|", Cursor{InComment: true}},
		{"-- a\nb|", Cursor{Partial: "b"}},
		{"a.b{|", Cursor{Call: "a.b", Key: true}},
		{"a.b{ cu|", Cursor{Call: "a.b", Partial: "cu", Key: true}},
		{"a.b({ x = 1, cu|", Cursor{Call: "a.b", Partial: "cu", Key: true}},
		{"a.b({ x = cu|", Cursor{Call: "a.b", Partial: "cu"}},
		{"a.b({ x = { y|", Cursor{Call: "a.b", Partial: "y"}},
		{"a.b(c.d(1), e.|", Cursor{Call: "a.b", Path: []string{"e"}, Member: true}},
		{"a.b('x|", Cursor{Call: "a.b", InString: true}},
		{"a.b(function() if x then return y end end, z|", Cursor{Call: "a.b", Partial: "z"}},
		{"a.b(function() z|", Cursor{Partial: "z"}},
		{"a.b() z|", Cursor{Partial: "z"}},
		{"en|", Cursor{Partial: "en"}},
		{"x.end|", Cursor{Path: []string{"x"}, Partial: "end", Member: true}},
	} {
		offset := strings.IndexByte(c.text, '|')
		src := c.text[:offset] + c.text[offset+1:]
		c.want.Start = offset - len(c.want.Partial)
		if diff := cmp.Diff(c.want, PathAt(src, offset)); diff != "" {
			t.Errorf("%s\n%s", c.text, diff)
		}
	}
}

func TestDeclaredNames(t *testing.T) {
	for src, want := range map[string]string{
		"local function a() end local function b() a() end b()":                            "a b",
		"function m.x:y() return function() end end":                                       "m.x:y ?",
		"local a, b <const> = function() end, function() end":                              "a b",
		"x, t.y, t[1] = function() end, function() f = function() end end, function() end": "x t.y f ?",
		"t = {k = function() end, [1] = function() end, function() end}":                   "k ? ?",
		"f(function() end) return function() end":                                          "? ?",
		"repeat local f = function() end until (function() end)()":                         "f ?",
		"if x then function g() end else g = function() end end":                           "g g",
		"function f(": "f",
		"":            "",
	} {
		var names []string
		for _, d := range Declarations(src) {
			if d.Name == "" {
				d.Name = "?"
			}
			names = append(names, d.Name)
		}
		if got := strings.Join(names, " "); got != want {
			t.Errorf("%s: %s, want %s", src, got, want)
		}
	}
}

func TestUnset(t *testing.T) {
	for src, want := range map[string]string{
		"x = 1 return x": "",
		"return x, y":    "x y",
		"x = x + 1":      "x",
		"local function f() return x end x = 1 return f()":   "",
		"local function f() return x end local y = x  x = 1": "x",
		"function g() return z end":                          "z",
		"local a = 1 return a":                               "",
	} {
		if got := strings.Join(Unset(src), " "); got != want {
			t.Errorf("%s: %q, want %q", src, got, want)
		}
	}
}
