package input

import "testing"

func TestIndent(t *testing.T) {
	for line, want := range map[string]string{
		"for i = 1, 2 do":           "  ",
		"  if x then":               "    ",
		"  else":                    "    ",
		"  elseif y then":           "    ",
		"end":                       "",
		"  end":                     "  ",
		"x = {":                     "  ",
		"f({":                       "  ",
		"})":                        "",
		"  x = 1 end":               "",
		"local f = function(a)":     "  ",
		"if x then y() end":         "",
		`print("do then {")`:        "",
		"-- do":                     "",
		"repeat":                    "  ",
		"t = { a = function() ":     "  ",
		"while x do while y do end": "  ",
	} {
		if got := Indent(line); got != want {
			t.Errorf("%q: %q, want %q", line, got, want)
		}
	}
}
