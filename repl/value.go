package repl

// This file shows values: lists of records as aligned tables (table.go), all else as near-Lua text.

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"almanac/session/vm"
)

// valueLines shows one value. ref is what /expand knows the rest by: "7", or "7.2" for what a call returned.
func valueLines(v vm.Value, ref string, width int, o RenderOptions) []Line {
	if records, ok := tableRecords(v, width); ok && v.Whole && o.MaxRows >= 0 {
		return tableLines(records, v.Fields, ref, width, o)
	}
	text := v.Repr
	if _, table := v.Data.(map[string]any); v.Whole && o.MaxRows >= 0 && (table || isList(v.Data)) && deeper(v.Data, shownDepth) {
		text = luaText(cutDeep(v.Data, shownDepth, o.Marks()), max(width, 40), "", nil)
	}
	if room := o.rows() * max(width, 80); o.rows() > 0 && len(text) > room && !strings.Contains(text[:room], "\n") {
		// One long line would fill the screen as well as many do.
		text = cutText(text, room, "") + "\n" + fmt.Sprintf("%s %s more", o.Marks().Cut, bytesText(int64(len(v.Repr)-room)))
	}
	lines := textLines(RoleResult, "", text)
	if v.Prose {
		lines = wrapLines(lines, width)
	}
	if most := o.rows(); most > 0 && len(lines) > most {
		left := len(lines) - most
		lines = append(lines[:most:most], moreLine("more "+verb(left, "line", "lines"), left, ref, o))
	}
	return lines
}

// shownDepth is how many levels of a value are shown.
const shownDepth = 3

// A raw text stands for a value that is not shown.
type raw string

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
			return raw(fmt.Sprintf("{%s%d}", m.Cut, len(v)))
		}
		out := make([]any, len(v))
		for i, item := range v {
			out[i] = cutDeep(item, depth-1, m)
		}
		return out
	case map[string]any:
		if depth == 0 && len(v) > 0 {
			return raw(fmt.Sprintf("{%s%d}", m.Cut, len(v)))
		}
		out := make(map[string]any, len(v))
		for k, field := range v {
			out[k] = cutDeep(field, depth-1, m)
		}
		return out
	}
	return v
}

func moreLine(what string, n int, ref string, o RenderOptions) Line {
	m := o.Marks()
	text := fmt.Sprintf("%s %d %s", m.Cut, n, what)
	if ref != "" {
		text += fmt.Sprintf(" %s /expand %s", m.Dot, ref)
		if !o.model && !strings.Contains(ref, ".") {
			text += fmt.Sprintf(" %s /view %s", m.Dot, ref)
		}
	}
	return Line{{RoleDim, text}}
}

// cellRef is what /expand knows a cell by; empty for none.
func cellRef(cell int) string {
	if cell == 0 {
		return ""
	}
	return strconv.Itoa(cell)
}

// callRef is what /expand knows a call by; empty where its cell has no number.
func callRef(cell, call int) string {
	if cell == 0 {
		return ""
	}
	return fmt.Sprintf("%d.%d", cell, call)
}
