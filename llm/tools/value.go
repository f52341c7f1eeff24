package tools

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"almanac/catalog/lua"
	"almanac/catalog/text"
	"almanac/session/vm"
)

// This file writes returned values: whole where they fit, otherwise as type, size, keys and two samples.

const (
	maxRepr     = 16 << 10 // bytes of one value, some 4,000 tokens
	sampleBytes = 1 << 10  // bytes of one sample
	sampleKeys  = 40       // keys in one list
	keepHint    = "too large to show: keep it in a global and return a part, a count or selected fields"
	keptHint    = "too large to show: the whole value is in the global %s; return a part, a count or selected fields"
	heldHint    = "too large to show: the whole value is in the global %s until the next result; return a part, a count or selected fields"
	partHint    = "too large to show: return a part, a count or selected fields"
)

func renderValues(b *strings.Builder, values []vm.Value, how showing) {
	room, most := max(how.room, maxValues), maxRepr
	switch {
	case how.placeholders:
		room = maxPlaceholders
	case room > maxValues:
		most = room
	}
	for i, v := range values {
		text := v.Repr
		if len(text) > maxRepr && v.Whole && room > maxValues {
			text = literal(v.Data, room) // longer than the machine's own text of it
		}
		if len(text) > min(room, most) {
			hint := keepHint
			switch {
			case how.isolated:
				hint = partHint
			case i == 0 && how.kept != "" && how.lasting:
				hint = fmt.Sprintf(keptHint, how.kept)
			case i == 0 && how.kept != "":
				hint = fmt.Sprintf(heldHint, how.kept)
			}
			text = outline(v) + hint
		}
		room = max(room-len(text), 0)
		if len(values) > 1 {
			fmt.Fprintf(b, "%d: ", i+1)
		}
		fmt.Fprintln(b, text)
	}
}

// outline shows a large value in few lines.
func outline(v vm.Value) string {
	var b strings.Builder
	switch data := v.Data.(type) {
	case []any:
		fmt.Fprintf(&b, "table: a list of %d\n", len(data))
		if names := keysOf(data); names != "" {
			fmt.Fprintf(&b, "keys of each: %s\n", names)
		}
		for i := range min(2, len(data)) {
			fmt.Fprintf(&b, "[%d] = %s\n", i+1, literal(data[i], sampleBytes))
		}
	case map[string]any:
		names := sortedKeys(data)
		fmt.Fprintf(&b, "table: %d keys: %s\n", len(names), nameList(names, sampleKeys))
		for _, name := range names[:min(2, len(names))] {
			fmt.Fprintf(&b, "%s = %s\n", lua.Key(name), literal(data[name], sampleBytes))
		}
	case string:
		fmt.Fprintf(&b, "string of %d bytes, starts %s\n", len(data), literal(data, sampleBytes))
	default:
		fmt.Fprintf(&b, "%s of size %d, starts %s\n", v.Type, v.Size, text.LineBytes(v.Repr, 2*sampleBytes))
	}
	return b.String()
}

// keysOf names the keys of a list's first item that is a table with keys.
func keysOf(list []any) string {
	for _, item := range list[:min(3, len(list))] {
		if m, ok := item.(map[string]any); ok {
			return nameList(sortedKeys(m), sampleKeys)
		}
	}
	return ""
}

// literal writes data as Lua; of what is longer than about n bytes, how much is left out.
func literal(v any, n int) string { return lua.Literal(v, lua.Options{Limit: n}) }

func sortedKeys(m map[string]any) []string {
	return slices.Sorted(maps.Keys(m))
}
