package mcp

import (
	"encoding/json"
	"fmt"
	"strings"
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
		"日本語ツール":                        "日本語ツール",
		"поиск/Файлов":                  "поиск.файлов",
		"delet\u0435":                   "delet_\u0435",
		"getURLs":                       "get_urls",
		"💥":                             "",
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
		got, _ := effects(&sdk.Tool{Name: c.name, Annotations: c.hints}, true)
		if text := fmt.Sprint(got.Operation, " ", got.Risk); text != c.want || got.Mutates != (c.want != "read low") {
			t.Errorf("%s %+v: got %s, mutates %v, want %s", c.name, c.hints, text, got.Mutates, c.want)
		}
	}
}

// A server that is not trusted is believed where the name or the description of its tool says the same.
func TestUntrusted(t *testing.T) {
	for _, c := range []struct {
		name, text string
		doubtful   bool
	}{
		{"get_user", "", false}, {"frobnicate", "", true}, {"start_trace", "", true},
		{"tree", "Returns the files below a folder.", false}, {"tree", "Builds the files below a folder.", true},
	} {
		tool := &sdk.Tool{Name: c.name, Description: c.text, Annotations: &sdk.ToolAnnotations{ReadOnlyHint: true}}
		if does, doubtful := effects(tool, false); doubtful != c.doubtful || does.Mutates != c.doubtful {
			t.Errorf("%s, %q: mutates %v, doubtful %v", c.name, c.text, does.Mutates, doubtful)
		}
	}
}

// A tool with the id of the reader of resources keeps it; the reader takes another, and the report says so.
func TestReaderGivesWay(t *testing.T) {
	answers, _ := json.Marshal(map[string]string{
		"initialize": `{"protocolVersion":"2025-11-25","capabilities":{"tools":{},"resources":{}},` +
			`"serverInfo":{"name":"x","version":"1"}}`,
		"tools/list": `{"tools":[{"name":"resources.read"}]}`, "resources/list": `{"resources":[{"uri":"a:b","name":"b"}]}`,
	})
	b, err := child(t, "answers="+string(answers), nil, options{}).load(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, e := range b.Entries {
		ids = append(ids, e.ID)
	}
	if got := fmt.Sprintf("%v %v", ids, b.Renamed); !strings.HasPrefix(got,
		"[x.resources.b x.resources.read x.resources.read_]") ||
		!strings.Contains(got, "the reader of resources: a tool has the id x.resources.read") {
		t.Error(got)
	}
}
