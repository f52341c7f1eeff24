package vm

import (
	"slices"
	"strings"
)

// This file finds the existing name that was probably meant by one that is missing.

// nearHint says which existing name is nearest to n, which is missing.
func (m *Machine) nearHint(a *activation, n named) string {
	if n.kind == "global" {
		return m.nearGlobal(n.name)
	}
	path := n.path()
	if len(path) < 2 || n.name == "?" {
		return ""
	}
	root := n.root()
	var v any
	switch root.kind {
	case "global":
		v, _ = m.lookUp(path[:1])
	case "local":
		v = a.registers[root.register]
	case "upvalue":
		v = a.upvalueValue(root.register)
	}
	for _, name := range path[1 : len(path)-1] {
		t := m.open(v)
		if t == nil {
			return ""
		}
		v = t.hash[name]
	}
	t := m.open(v)
	if _, ok := v.(string); ok {
		t = m.libraries["string"]
	}
	if t == nil {
		return ""
	}
	if near := nearest(n.name, namesIn(t)); near != "" {
		sep := "."
		if n.kind == "method" {
			sep = ":"
		}
		return "did you mean " + strings.Join(path[:len(path)-1], ".") + sep + near + "?"
	}
	return ""
}

func namesIn(t *table) []string {
	var names []string
	for k := range t.hash {
		if s, ok := k.(string); ok {
			names = append(names, s)
		}
	}
	return names
}

// foreign says what Lua has in the place of names from other languages.
var foreign = map[string]string{
	"throw": "error(message)", "raise": "error(message)", "len": "#list or #text", "printf": "print(string.format(...))",
	"str": "tostring(x)", "int": "math.floor(x) or tonumber(text)", "float": "tonumber(text)", "console": "print(...)",
	"range": "for i = 1, n do", "JSON": "json.encode(value) and json.decode(text)", "push": "table.insert(list, value)",
	"append": "table.insert(list, value)", "typeof": "type(x)", "undefined": "nil", "None": "nil", "True": "true",
	"False": "false",
}

func (m *Machine) nearGlobal(name string) string {
	if means := foreign[name]; means != "" {
		return "Lua writes " + means
	}
	known := append(namesIn(m.session), namesIn(m.names)...)
	for root := range m.roots {
		known = append(known, root)
	}
	if near := nearest(name, known); near != "" {
		return "did you mean " + near + "?"
	}
	return ""
}

// nearest picks the name within a third of the word's length, at least one edit, or "".
func nearest(word string, names []string) string {
	slices.Sort(names)
	best, least := "", max(1, len(word)/3)+1
	for _, name := range names {
		if d := editDistance(word, name, least); d < least && !reserved(name) {
			best, least = name, d
		}
	}
	return best
}

// editDistance counts insertions, deletions, changes and swaps of neighbours; it gives up at limit.
func editDistance(a, b string, limit int) int {
	if d := len(a) - len(b); d >= limit || -d >= limit {
		return limit
	}
	var before, last []int
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		before, last, row = last, row, make([]int, len(b)+1)
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
	}
	return row[len(b)]
}
