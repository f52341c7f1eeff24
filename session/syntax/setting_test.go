package syntax

import (
	"fmt"
	"testing"
)

func TestSettingOf(t *testing.T) {
	for _, c := range []struct{ src, global, want string }{
		{"x = 1", "x", `"x = 1" 1-1, rests on line 1, reads []`},
		{"y = 2\nx = y + z\nprint(x)", "x", `"x = y + z" 2-2, rests on line 2, reads [y z]`},
		{"x = 1\nx = x + 1", "x", `"x = x + 1" 2-2, rests on line 2, reads [x]`},
		{"local rows = billing.list{}\nx = #rows", "x", `"x = #rows" 2-2, rests on line 1, reads [billing]`},
		{"for _, r in ipairs(rows) do\n  n = n + r.a\nend", "n",
			`"for _, r in ipairs(rows) do\n  n = n + r.a\nend" 1-3, rests on line 1, reads [ipairs rows n]`},
		{"function f(a)\n return a + g\nend", "f", `"function f(a)\n return a + g\nend" 1-3, rests on line 1, reads [g]`},
		{"a, b = h()", "b", `"a, b = h()" 1-1, rests on line 1, reads [h]`},
		{"_G.x = 3", "x", `"_G.x = 3" 1-1, rests on line 1, reads []`},
		{"local x = 1", "x", "none"},
		{"table.insert(x, 1)", "x", "none"},
		{"x = {}\nx.y = a", "x", `"x.y = a" 2-2, rests on line 2, reads [a x]`},
		{"x[1].y, z = 1, 2", "x", `"x[1].y, z = 1, 2" 1-1, rests on line 1, reads [x]`},
		{"function x.f() end print(x)", "x", `"function x.f() end" 1-1, rests on line 1, reads [x]`},
		{"local x = {} x.y = 1", "x", "none"},
		{"", "x", "none"},
		{"x = = 1", "x", `"x =" 1-1, rests on line 1, reads []`},
	} {
		got := "none"
		if s, ok := SettingOf(c.src, c.global); ok {
			got = fmt.Sprintf("%q %d-%d, rests on line %d, reads %v", s.Text, s.First, s.Last, s.Rests, s.Reads)
		}
		if got != c.want {
			t.Errorf("%s in %q: %s\nwant %s", c.global, c.src, got, c.want)
		}
	}
}
