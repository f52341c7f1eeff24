package event

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"almanac/llm"
	"almanac/repl/show"
)

// What the model reads of a tool is one line with its beginning, and whole where it is asked for; an answer of one line
// has none of its own.
func TestToolAnswers(t *testing.T) {
	f := NewFeed()
	f.Begin(Cell{N: 4})
	call := llm.ToolCall{Name: "lua_tools_describe", Args: json.RawMessage(`{"ids":["a.b"]}`)}
	f.observe(llm.Event{Kind: llm.ToolEnded, Call: call, Text: "done"})
	f.observe(llm.Event{Kind: llm.ToolEnded, Call: call, Text: "a.b(args)\n\x1b[2JArgs:\n- none"})
	f.observe(llm.Event{Kind: llm.ToolEnded, Call: call, Text: "long\n" + strings.Repeat("x", keptAnswer)})
	var got []string
	events := f.Take()
	for _, e := range events {
		for _, l := range Lines(e, 50, RenderOptions{Options: show.Options{ASCII: true}}) {
			got = append(got, l.String())
		}
	}
	want := []string{"  - the model read 3 lines: a.b(args) - /expand 4", "  - the model read 16.0 KiB: long - /expand 4"}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if c := f.cell.Course; len(c) != 3 || c[0].Text != "done" || c[2].Total != keptAnswer+5 {
		t.Errorf("kept: %d answers", len(c))
	}
	events[0].Full = true
	got = nil
	for _, l := range Lines(events[0], 50, RenderOptions{Options: show.Options{ASCII: true}}) {
		got = append(got, l.String())
	}
	if d := cmp.Diff("  - the model read 3 lines:\n    a.b(args)\n    \\27[2JArgs:\n    - none",
		strings.Join(got, "\n")); d != "" {
		t.Error(d)
	}
}
