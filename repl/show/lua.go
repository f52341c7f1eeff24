package show

// This file writes data as Lua.

import (
	"almanac/catalog"
	"almanac/catalog/lua"
	"almanac/catalog/text/cells"
)

// LuaText writes data as Lua: keys sorted, strings quoted and escaped. What fits into width cells stays on one line;
// width 0 keeps everything on one. Nothing is left out.
func LuaText(v any, width int) string {
	return ArgsInOrder(v, width, nil)
}

// ArgsText writes arguments as LuaText does, but in the order in which e declares them; others, and all of an unknown
// action, nil, sorted behind those.
func ArgsText(e *catalog.Entry, args map[string]any, width int) string {
	return ArgsInOrder(args, width, ArgOrder(e))
}

// ArgOrder names the arguments of an action as its signature does, required ones first; none of nil.
func ArgOrder(e *catalog.Entry) []string {
	if e == nil {
		return nil
	}
	return e.Input.Names()
}

// ArgsInOrder is LuaText with the names in first, as far as they are there, before the others.
func ArgsInOrder(v any, width int, first []string) string {
	return lua.Literal(v, lua.Options{Width: width, Cells: cells.Width, First: first})
}
