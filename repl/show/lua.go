package show

// This file writes data as Lua.

import (
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"almanac/catalog"
	"almanac/catalog/text"
	"almanac/catalog/text/cells"
)

// LuaText writes data as Lua: keys sorted, strings quoted and escaped. What fits into width cells stays on one line;
// width 0 keeps everything on one. Nothing is left out.
func LuaText(v any, width int) string {
	return luaText(v, width, "", nil)
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
	var names []string
	for _, f := range e.Input.Fields() {
		names = append(names, f.Name)
	}
	return names
}

// ArgsInOrder is LuaText with the names in first, as far as they are there, before the others.
func ArgsInOrder(args map[string]any, width int, first []string) string {
	return luaText(args, width, "", first)
}

// keysOf are the keys of data: those in first in that order, then the others sorted.
func keysOf(v map[string]any, first []string) []string {
	keys := slices.Sorted(maps.Keys(v))
	if len(first) == 0 {
		return keys
	}
	place := func(k string) int {
		if i := slices.Index(first, k); i >= 0 {
			return i
		}
		return len(first)
	}
	slices.SortStableFunc(keys, func(a, b string) int { return place(a) - place(b) })
	return keys
}

// luaText writes data behind a margin; first are the keys of v, and of nothing in it, that come before the others.
func luaText(v any, width int, margin string, first []string) string {
	flat := luaFlat(v, first)
	if width <= 0 || cells.Width(margin)+cells.Width(flat) <= width {
		return flat
	}
	inner := margin + "  "
	var items []string
	switch v := v.(type) {
	case []any:
		for _, item := range v {
			items = append(items, luaText(item, width, inner, nil))
		}
	case map[string]any:
		for _, k := range keysOf(v, first) {
			items = append(items, LuaKey(k)+" = "+luaText(v[k], width, inner, nil))
		}
	}
	if len(items) == 0 {
		return flat
	}
	return "{\n" + inner + strings.Join(items, ",\n"+inner) + ",\n" + margin + "}"
}

func luaFlat(v any, first []string) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case raw:
		return string(v)
	case string:
		return LuaQuote(v)
	case bool:
		return strconv.FormatBool(v)
	case int64:
		return strconv.FormatInt(v, 10)
	case int:
		return strconv.Itoa(v)
	case float64:
		return LuaNumber(v)
	case []any:
		items := make([]string, len(v))
		for i, item := range v {
			items[i] = luaFlat(item, nil)
		}
		return braced(items)
	case map[string]any:
		items := make([]string, 0, len(v))
		for _, k := range keysOf(v, first) {
			items = append(items, LuaKey(k)+" = "+luaFlat(v[k], nil))
		}
		return braced(items)
	}
	return LuaQuote(fmt.Sprint(v))
}

func braced(items []string) string {
	if len(items) == 0 {
		return "{}"
	}
	return "{ " + strings.Join(items, ", ") + " }"
}

func LuaNumber(f float64) string {
	switch {
	case math.IsNaN(f):
		return "0/0"
	case math.IsInf(f, 1):
		return "1/0"
	case math.IsInf(f, -1):
		return "-1/0"
	case f == math.Trunc(f) && math.Abs(f) < 1<<53:
		return strconv.FormatFloat(f, 'f', -1, 64)
	}
	return strconv.FormatFloat(f, 'g', -1, 64)
}

// LuaName matches what may stand as a key without brackets; keywords are seen to apart.
var LuaName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// LuaKeywords are the words that are no names.
const LuaKeywords = " and break do else elseif end false for function goto if in local nil not or repeat return then true until while "

func IsKeyword(s string) bool {
	return strings.Contains(LuaKeywords, " "+s+" ")
}

func LuaKey(k string) string {
	if LuaName.MatchString(k) && !IsKeyword(k) {
		return k
	}
	return "[" + LuaQuote(k) + "]"
}

// LuaQuote writes s as a Lua string on one line, safe to show; read as Lua it is s again.
func LuaQuote(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && size == 1, r < 0x80 && text.Unsafe(r) && r != '\r':
			if i+1 < len(s) && s[i+1] >= '0' && s[i+1] <= '9' {
				fmt.Fprintf(&b, "\\%03d", s[i]) // or the digit would be read as part of it
			} else {
				fmt.Fprintf(&b, "\\%d", s[i])
			}
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case r == '\r':
			b.WriteString(`\r`)
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteByte(s[i])
		case text.Unsafe(r):
			fmt.Fprintf(&b, "\\u{%x}", r)
		default:
			b.WriteString(s[i : i+size])
		}
		i += size
	}
	b.WriteByte('"')
	return b.String()
}
