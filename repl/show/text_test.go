package show

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"almanac/catalog"
)

func TestLineBuffer(t *testing.T) {
	var b LineBuffer
	var got []string
	for _, piece := range []string{"a", "b\nc", "", "\n\nd", "e"} {
		got = append(got, b.Push(piece)...)
	}
	if diff := cmp.Diff([]string{"ab", "c", ""}, got); diff != "" {
		t.Errorf("lines, -want +got:\n%s", diff)
	}
	if b.Rest() != "de" || b.Flush() != "de" || b.Flush() != "" {
		t.Errorf("the rest is not kept until Flush")
	}
}

func TestLuaText(t *testing.T) {
	for _, c := range []struct {
		value any
		width int
		want  string
	}{
		{nil, 0, "null"},
		{map[string]any{}, 0, "{}"},
		{map[string]any{"b": int64(2), "a": "x\n\x1b\"", "end": true, "a b": 1.5}, 0,
			`{ a = "x\n\27\"", ["a b"] = 1.5, b = 2, ["end"] = true }`},
		{[]any{1e15, 0.1, []any{}, nil}, 0, "{ 1000000000000000, 0.1, {}, null }"},
		{map[string]any{"reason": "duplicate", "lines": []any{int64(1), int64(2)}}, 30,
			"{\n  lines = { 1, 2 },\n  reason = \"duplicate\",\n}"},
	} {
		if got := LuaText(c.value, c.width); got != c.want {
			t.Errorf("LuaText(%v, %d) = %s, want %s", c.value, c.width, got, c.want)
		}
	}
}

func TestArgsText(t *testing.T) {
	e := &catalog.Entry{Input: catalog.MustSchema(`{"type":"object","required":["id"],"properties":{
		"note":{"type":"string"},"id":{"type":"string"},"about":{"type":"object"}}}`)}
	for _, c := range []struct {
		entry *catalog.Entry
		args  map[string]any
		width int
		want  string
	}{
		{e, nil, 0, "{}"},
		{e, map[string]any{"about": map[string]any{"note": "n", "id": "i"}, "more": int64(2),
			"any": int64(1), "id": "x", "note": "y"}, 0,
			`{ id = "x", note = "y", about = { id = "i", note = "n" }, any = 1, more = 2 }`},
		{e, map[string]any{"about": map[string]any{}, "note": "y", "id": "x"}, 20,
			"{\n  id = \"x\",\n  note = \"y\",\n  about = {},\n}"},
		{nil, map[string]any{"b": true, "a": false}, 0, "{ a = false, b = true }"},
		{&catalog.Entry{}, map[string]any{"b": true, "a": false}, 0, "{ a = false, b = true }"},
	} {
		if got := ArgsText(c.entry, c.args, c.width); got != c.want {
			t.Errorf("ArgsText(%v, %d) = %s, want %s", c.args, c.width, got, c.want)
		}
	}
}
