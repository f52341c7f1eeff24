package repl

// This file measures, cuts and writes small pieces of text: widths, sizes, times, and data as Lua.

import (
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/rivo/uniseg"

	"almanac/catalog"
)

// textWidth is how many terminal cells one line of text takes.
func textWidth(s string) int {
	for i := 0; i < len(s); i++ {
		if s[i] >= 0x80 || s[i] < 0x20 {
			return uniseg.StringWidth(s)
		}
	}
	return len(s)
}

// cutText shortens s to at most width cells, ending in mark when something was cut. It never splits a character.
func cutText(s string, width int, mark string) string {
	if width <= 0 || textWidth(s) <= width {
		return s
	}
	room := width - textWidth(mark)
	if room < 0 {
		return ""
	}
	kept, used, state := 0, 0, -1
	rest := s
	for rest != "" {
		var cluster string
		var w int
		cluster, rest, w, state = uniseg.FirstGraphemeClusterInString(rest, state)
		if used+w > room {
			break
		}
		used += w
		kept += len(cluster)
	}
	return s[:kept] + mark
}

// textTail is the end of s in at most width cells. It never splits a character.
func textTail(s string, width int) string {
	over := textWidth(s) - width
	for state := -1; over > 0 && s != ""; {
		var w int
		_, s, w, state = uniseg.FirstGraphemeClusterInString(s, state)
		over -= w
	}
	return s
}

// bytesText writes a size: "312 B", "4.0 KiB", "1.5 MiB".
func bytesText(n int64) string {
	switch {
	case n < 1<<10:
		return fmt.Sprintf("%d B", n)
	case n < 1<<20:
		return fmt.Sprintf("%.1f KiB", float64(n)/(1<<10))
	case n < 1<<30:
		return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20))
	}
	return fmt.Sprintf("%.1f GiB", float64(n)/(1<<30))
}

// Took writes a duration as the transcript does: "84 ms".
func Took(d time.Duration) string { return tookText(d) }

// tookText writes a duration in the unit a person would use: "84 ms", "1.2 s", "3 m 5 s".
func tookText(d time.Duration) string {
	switch {
	case d < time.Millisecond:
		return "<1 ms"
	case d < time.Second:
		return fmt.Sprintf("%d ms", d.Milliseconds())
	case d < time.Minute:
		return fmt.Sprintf("%.1f s", d.Seconds())
	}
	return fmt.Sprintf("%d m %d s", int(d.Minutes()), int(d.Seconds())%60)
}

// LuaText writes data as Lua: keys sorted, strings quoted and escaped. What fits into width cells stays on one line;
// width 0 keeps everything on one. Nothing is left out.
func LuaText(v any, width int) string {
	return luaText(v, width, "", nil)
}

// ArgsText writes arguments as LuaText does, but in the order in which e declares them; others, and all of an unknown
// action, nil, sorted behind those.
func ArgsText(e *catalog.Entry, args map[string]any, width int) string {
	return argsText(args, width, argOrder(e))
}

// argOrder names the arguments of an action as its signature does, required ones first; none of nil.
func argOrder(e *catalog.Entry) []string {
	if e == nil {
		return nil
	}
	var names []string
	for _, f := range e.Input.Fields() {
		names = append(names, f.Name)
	}
	return names
}

// argsText is LuaText with the names in first, as far as they are there, before the others.
func argsText(args map[string]any, width int, first []string) string {
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
	if width <= 0 || textWidth(margin)+textWidth(flat) <= width {
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
			items = append(items, luaKey(k)+" = "+luaText(v[k], width, inner, nil))
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
		return luaNumber(v)
	case []any:
		items := make([]string, len(v))
		for i, item := range v {
			items[i] = luaFlat(item, nil)
		}
		return braced(items)
	case map[string]any:
		items := make([]string, 0, len(v))
		for _, k := range keysOf(v, first) {
			items = append(items, luaKey(k)+" = "+luaFlat(v[k], nil))
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

func luaNumber(f float64) string {
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

// luaName matches what may stand as a key without brackets; keywords are seen to apart.
var luaName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// luaKeywords are the words that are no names.
const luaKeywords = " and break do else elseif end false for function goto if in local nil not or repeat return then true until while "

func isKeyword(s string) bool {
	return strings.Contains(luaKeywords, " "+s+" ")
}

func luaKey(k string) string {
	if luaName.MatchString(k) && !isKeyword(k) {
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
		case r == utf8.RuneError && size == 1, r < 0x80 && unsafeRune(r) && r != '\r':
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
		case unsafeRune(r):
			fmt.Fprintf(&b, "\\u{%x}", r)
		default:
			b.WriteString(s[i : i+size])
		}
		i += size
	}
	b.WriteByte('"')
	return b.String()
}
