package show

// This file shows values: lists of records as aligned tables (table.go), all else as near-Lua text.

import (
	"fmt"
	"slices"
	"strings"

	"almanac/catalog/lua"
	"almanac/catalog/text"
	"almanac/catalog/text/cells"
	"almanac/session/vm"
)

// ValueLines shows one value. rest says where all of it can be seen, where it is not shown whole; it may be empty.
func ValueLines(v vm.Value, rest string, width int, o Options) []Line {
	if records, ok := tableRecords(v, width); ok && v.Whole && o.MaxRows >= 0 {
		return tableLines(records, v.Fields, rest, width, o)
	}
	shown := v.Repr
	if _, table := v.Data.(map[string]any); v.Whole && o.MaxRows >= 0 &&
		(table || isList(v.Data)) && deeper(v.Data, shownDepth) {
		shown = LuaText(cutDeep(v.Data, shownDepth, o.Marks()), max(width, 40))
	}
	if room := o.rows() * max(width, 80); o.rows() > 0 && len(shown) > room && !strings.Contains(shown[:room], "\n") {
		// One long line would fill the screen as well as many do.
		shown = cells.Clip(shown, room, "") + "\n" +
			fmt.Sprintf("%s %s more", o.Marks().Cut, text.Bytes(int64(len(v.Repr)-room)))
	}
	lines := Lines(Result, "", shown)
	if v.Prose {
		lines = Wrap(lines, width)
	}
	if most := o.rows(); most > 0 && len(lines) > most {
		left := len(lines) - most
		lines = append(lines[:most:most], moreLine("more "+text.Plural(left, "line", "lines"), left, rest, o.Marks()))
	}
	return lines
}

// shownDepth is how many levels of a value are shown.
const shownDepth = 3

func isList(v any) bool { _, ok := v.([]any); return ok }

// deeper tells whether data has tables below depth levels.
func deeper(v any, depth int) bool {
	switch v := v.(type) {
	case []any:
		return len(v) > 0 && (depth == 0 || slices.ContainsFunc(v, func(item any) bool { return deeper(item, depth-1) }))
	case map[string]any:
		if depth == 0 {
			return len(v) > 0
		}
		for _, field := range v {
			if deeper(field, depth-1) {
				return true
			}
		}
	}
	return false
}

// cutDeep is data with a mark in the place of each table below depth levels.
func cutDeep(v any, depth int, m Marks) any {
	switch v := v.(type) {
	case []any:
		if depth == 0 && len(v) > 0 {
			return lua.Raw(fmt.Sprintf("{%s%d}", m.Cut, len(v)))
		}
		out := make([]any, len(v))
		for i, item := range v {
			out[i] = cutDeep(item, depth-1, m)
		}
		return out
	case map[string]any:
		if depth == 0 && len(v) > 0 {
			return lua.Raw(fmt.Sprintf("{%s%d}", m.Cut, len(v)))
		}
		out := make(map[string]any, len(v))
		for k, field := range v {
			out[k] = cutDeep(field, depth-1, m)
		}
		return out
	}
	return v
}

// moreLine says how many more there are, and where.
func moreLine(what string, n int, rest string, m Marks) Line {
	text := fmt.Sprintf("%s %d %s", m.Cut, n, what)
	if rest != "" {
		text += " " + m.Dot + " " + rest
	}
	return Line{{Dim, text}}
}
