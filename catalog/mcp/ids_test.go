package mcp

import (
	"fmt"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

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

// A tool reads when it says so, does not say that it destroys, and has no name that says otherwise.
func TestEffects(t *testing.T) {
	yes := true
	for _, c := range []struct {
		name  string
		hints *sdk.ToolAnnotations
		want  string
	}{
		{"get_user", nil, "update medium"},
		{"get_user", &sdk.ToolAnnotations{ReadOnlyHint: true}, "read low"},
		{"get_user", &sdk.ToolAnnotations{ReadOnlyHint: true, DestructiveHint: &yes}, "update high"},
		{"delete_message", &sdk.ToolAnnotations{ReadOnlyHint: true}, "delete high"},
		{"start_trace", &sdk.ToolAnnotations{ReadOnlyHint: true}, "read low"},
		{"createIssue", nil, "create medium"},
		{"slack_delete_message", nil, "update high"},
		{"refund", nil, "update high"},
	} {
		got := effects(&sdk.Tool{Name: c.name, Annotations: c.hints})
		if text := fmt.Sprint(got.Operation, " ", got.Risk); text != c.want || got.Mutates != (c.want != "read low") {
			t.Errorf("%s %+v: got %s, mutates %v, want %s", c.name, c.hints, text, got.Mutates, c.want)
		}
	}
}
