package mcp

import "testing"

func TestDotted(t *testing.T) {
	for name, want := range map[string]string{
		"getUser":                       "get_user",
		"github/list-issues":            "github.list_issues",
		"weird/Name-X y\x1b[2J":         "weird.name_x_y",
		"a\x1b]0;title here\x07b":       "a_b",
		"a\x1b]8;;http://x\x1b\\b":      "a_b",
		"a\x1b7b\u009b1;2Hc":            "a_b_c",
		"\x1b[2J":                       "",
		"a\x1b[1;31mb.c\x1b[0m/d\x1bMe": "a_b.c.d_e",
	} {
		if got := dotted(name); got != want {
			t.Errorf("%q: got %q, want %q", name, got, want)
		}
	}
}
