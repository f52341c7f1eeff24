// Package compare says where two things differ, for people.
//
//	Values   plain data: the paths at which they differ, with both values
//	Same     whether there are none
//	Lines    texts: the lines that differ, as a short diff
package compare

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"almanac/catalog/lua"
)

// A Difference is a place where two values differ, and what each has there as a Lua literal.
type Difference struct{ Path, Want, Got string }

// mostDifferences is how many are listed.
const mostDifferences = 20

// valueText is about how many bytes of a value are shown.
const valueText = 200

// Same tells whether two values are equal as data: 1 and 1.0 are, and empty tables.
func Same(a, b any) bool { return len(Values("", a, b)) == 0 }

// Values lists where plain data differs, by paths that begin with path: "result[2].name".
func Values(path string, want, got any) (all []Difference) {
	differ := func() []Difference {
		return []Difference{{path, literal(want), literal(got)}}
	}
	if Empty(want) && Empty(got) {
		return nil
	}
	switch w := want.(type) {
	case map[string]any:
		g, ok := got.(map[string]any)
		if !ok {
			return differ()
		}
		names := slices.Sorted(maps.Keys(w))
		for name := range g {
			if _, both := w[name]; !both {
				names = append(names, name)
			}
		}
		slices.Sort(names)
		for _, name := range names {
			at := lua.Key(name)
			if at == name {
				at = "." + name
			}
			all = append(all, Values(path+at, w[name], g[name])...)
		}
	case []any:
		g, ok := got.([]any)
		if !ok {
			return differ()
		}
		for i := range max(len(w), len(g)) {
			var a, b any
			if i < len(w) {
				a = w[i]
			}
			if i < len(g) {
				b = g[i]
			}
			all = append(all, Values(fmt.Sprintf("%s[%d]", path, i+1), a, b)...)
		}
	default:
		if !sameScalar(want, got) {
			return differ()
		}
	}
	if len(all) > mostDifferences {
		all = append(all[:mostDifferences:mostDifferences], Difference{path + " and more", "", ""})
	}
	return all
}

// Empty tells of a table that is empty, of which Lua does not say whether it is a list.
func Empty(v any) bool {
	switch v := v.(type) {
	case []any:
		return len(v) == 0
	case map[string]any:
		return len(v) == 0
	}
	return false
}

func sameScalar(a, b any) bool {
	x, isNumber := number(a)
	y, both := number(b)
	if isNumber && both {
		i, whole := a.(int64)
		j, wholes := b.(int64)
		return whole && wholes && i == j || !(whole && wholes) && x == y
	}
	switch b.(type) {
	case map[string]any, []any:
		return false
	}
	return !isNumber && !both && a == b
}

func number(v any) (float64, bool) {
	switch v := v.(type) {
	case int:
		return float64(v), true
	case int64:
		return float64(v), true
	case float64:
		return v, true
	case json.Number:
		f, err := v.Float64()
		return f, err == nil
	}
	return 0, false
}

func literal(v any) string {
	if v == nil {
		return "nothing"
	}
	return lua.Literal(v, lua.Options{Tight: true, Limit: valueText})
}

// noEnd follows a last line that has no end where the other text's has one.
const noEnd = " (no line end)"

// Lines is a diff of two texts without what they have in common at the beginning and the end: at most limit lines of
// each, "- " before those that only want has, "+ " before those of got. It is empty where the texts are the same.
func Lines(want, got string, limit int) []string {
	if want == got {
		return nil
	}
	w, g := strings.Split(strings.TrimSuffix(want, "\n"), "\n"), strings.Split(strings.TrimSuffix(got, "\n"), "\n")
	switch {
	case want == "":
		w = nil
	case got == "":
		g = nil
	case strings.HasSuffix(want, "\n") && !strings.HasSuffix(got, "\n"):
		g[len(g)-1] += noEnd
	case strings.HasSuffix(got, "\n") && !strings.HasSuffix(want, "\n"):
		w[len(w)-1] += noEnd
	}
	for len(w) > 0 && len(g) > 0 && w[0] == g[0] {
		w, g = w[1:], g[1:]
	}
	for len(w) > 0 && len(g) > 0 && w[len(w)-1] == g[len(g)-1] {
		w, g = w[:len(w)-1], g[:len(g)-1]
	}
	return append(marked("- ", w, limit), marked("+ ", g, limit)...)
}

func marked(mark string, lines []string, limit int) []string {
	more := len(lines) - limit
	if more > 0 {
		lines = lines[:limit]
	}
	all := make([]string, 0, len(lines)+1)
	for _, l := range lines {
		all = append(all, mark+l)
	}
	if more > 0 {
		all = append(all, fmt.Sprintf("%s… %d more", mark, more))
	}
	return all
}
