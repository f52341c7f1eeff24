package syntax

import (
	"strings"
	"testing"
)

// TestHints shows what other languages write and what is said to it.
func TestHints(t *testing.T) {
	for _, test := range []struct{ src, want string }{
		{"x += 1", "Lua has no '+=': write x = x + ..."},
		{"x++", "Lua has no '++': write x = x + 1"},
		{"if a && b then end", "Lua writes 'and'"},
		{"if a || b then end", "Lua writes 'or'"},
		{"if a != b then end", "Lua writes 'not x' and 'a ~= b'"},
		{"if a = 1 then end", "compare with '=='"},
		{"if a === 1 then end", "Lua compares with '==' and '~='"},
		{"// a comment", "a comment begins with '--'"},
		{"f = (x) => x", "Lua writes 'function(x) return ... end'"},
		{"let x = 1", "Lua declares with 'local'"},
		{"def f(x)", "Lua defines with 'function name(...) ... end'"},
		{"try { f() }\ncatch x", "Lua catches errors with 'local ok, e = pcall(function() ... end)'"},
		{"if a then elif b then end", "Lua writes 'elseif'"},
		{"import json", "there are no modules here: everything is a global already"},
		{"t = {a: 1}", "a key in a table is a name or [expression], with '=' behind it: { name = 1, [\"a key\"] = 2 }"},
		{"x = \u201ca\u201d", "use straight quotes"},
		{"retrun 5", "did you mean 'return'?"},
		{"fucntion f() end", "did you mean 'function'?"},
		{"locla x = 1", "did you mean 'local'?"},
		{"if x thn f() end", "did you mean 'then'?"},
		{"for i = 1, 2 od f() end", "did you mean 'do'?"},
		{"x y", ""},
		{"x = = 5", ""},
		{"x = | 5", ""},
	} {
		err := Check(test.src)
		if err == nil {
			t.Errorf("%s: no error", test.src)
		} else if err.Hint != test.want {
			t.Errorf("%s:\n got %s: %s\nwant %s", test.src, err.Message, err.Hint, test.want)
		}
	}
}

func TestNearest(t *testing.T) {
	for _, c := range []struct{ word, names, want string }{
		{"prnit", "print pairs", "print"}, {"form", "format find", "format"}, {"pint", "print point", "point"},
		{"z", "x", ""}, {"ab", "abc", ""}, {"foo", "for", "for"}, {"abcd", "wxyz", ""}, {"tot", "total", ""},
		{"custo", "customer", ""},
		{"custom", "customers customer", "customer"}, {"x", "", ""},
	} {
		if got := Nearest(c.word, strings.Fields(c.names)); got != c.want {
			t.Errorf("%s among %s: %q, want %q", c.word, c.names, got, c.want)
		}
	}
}
