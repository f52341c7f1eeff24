package catalog

// This file makes plausible values from schemas, for previews and examples, and writes them as Lua.

import (
	"almanac/catalog/search/spelling"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

const maxPlaceholderDepth = 5

// Placeholder is a plausible value of the schema's shape, for previews: strings "<name>", numbers 0 or the least
// allowed, the first value of an enumeration, lists of one item. Integers are int64. A nil schema gives nil.
func (s *Schema) Placeholder() any {
	if s == nil {
		return nil
	}
	return document(s.text).placeholder(s.text, "", 0, false)
}

// placeholder makes the value of a part. Of objects it fills in the required fields only, or all.
func (d document) placeholder(part []byte, name string, depth int, requiredOnly bool) any {
	o, _ := d.plain(part)
	switch {
	case o.constant != nil:
		return decode(o.constant)
	case len(o.enum) > 0:
		return decode(o.enum[0])
	case o.never:
		return nil
	case depth > maxPlaceholderDepth && (o.list() || len(o.props)+len(o.anyOf)+len(o.allOf) > 0):
		return nil
	case o.list():
		if o.items == nil {
			return []any{}
		}
		return []any{d.placeholder(o.items, spelling.Singular(name), depth+1, requiredOnly)}
	}
	if props := d.fields(o); len(props) > 0 {
		// Of a choice, only the first branch: all of them together would fit none.
		if len(o.anyOf) > 0 && len(o.props) == 0 && len(o.allOf) == 0 {
			return d.placeholder(o.anyOf[0], name, depth+1, requiredOnly)
		}
		object := make(map[string]any, len(props))
		for _, p := range props {
			if requiredOnly && !p.required {
				continue
			}
			object[p.name] = d.placeholder(p.text, p.name, depth+1, requiredOnly)
		}
		return object
	}
	for _, kind := range o.types {
		switch kind {
		case "integer":
			return int64(least(part))
		case "number":
			return least(part)
		case "boolean":
			return false
		case "object":
			return map[string]any{}
		case "string":
			return placeholderText(name, o.title)
		}
	}
	if len(o.anyOf) > 0 {
		return d.placeholder(o.anyOf[0], name, depth+1, requiredOnly)
	}
	if len(o.types) == 0 && name != "" {
		return placeholderText(name, o.title)
	}
	return nil
}

func placeholderText(name, title string) string {
	if name == "" {
		name = titleWord(title)
	}
	if name == "" {
		name = "text"
	}
	return "<" + clip(oneLine(name), 60) + ">"
}

// least is the smallest number a schema allows, or 0 when that will do.
func least(part []byte) float64 {
	n := 0.0
	s := scanner{b: part}
	s.object(func(name string) {
		value, err := strconv.ParseFloat(string(s.skip()), 64)
		switch {
		case err != nil:
		case name == "minimum":
			n = max(n, value)
		case name == "exclusiveMinimum" && value >= n:
			n = value + 1
		}
	})
	return n
}

// CallExpression is the Lua that calls id with a table: the dotted path where every segment is a Lua name, else
// call("id", …).
func CallExpression(id, table string) string {
	for _, segment := range strings.Split(id, ".") {
		if !isLuaName(segment) {
			return "call(" + luaString(id) + ", " + table + ")"
		}
	}
	if !strings.Contains(id, ".") {
		return "call(" + luaString(id) + ", " + table + ")"
	}
	return id + "(" + table + ")"
}

func isLuaName(s string) bool {
	for i := 0; i < len(s); i++ {
		c := s[i]
		letter := c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
		if !letter && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	switch s {
	case "", "and", "break", "do", "else", "elseif", "end", "false", "for", "function", "goto", "if", "in", "local", "nil",
		"not", "or", "repeat", "return", "then", "true", "until", "while":
		return false
	}
	return true
}

func luaKey(name string) string {
	if isLuaName(name) {
		return name
	}
	return "[" + luaString(name) + "]"
}

func luaString(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '"' || c == '\\':
			b.WriteByte('\\')
			b.WriteByte(c)
		case c == '\n':
			b.WriteString(`\n`)
		case c < ' ' || c == 0x7f:
			fmt.Fprintf(&b, `\%03d`, c)
		default:
			b.WriteByte(c)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// LuaLiteral is plain data as Lua source on one line; nil is written as null.
func LuaLiteral(v any) string { return luaLiteral(v) }

// luaLiteral is a value as Lua source on one line.
func luaLiteral(v any) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case string:
		return luaString(v)
	case []any:
		parts := make([]string, len(v))
		for i, item := range v {
			parts[i] = luaLiteral(item)
		}
		return "{" + strings.Join(parts, ", ") + "}"
	case map[string]any:
		var parts []string
		for _, name := range slices.Sorted(maps.Keys(v)) {
			parts = append(parts, luaKey(name)+" = "+luaLiteral(v[name]))
		}
		return "{" + strings.Join(parts, ", ") + "}"
	}
	out, err := json.Marshal(v)
	if err != nil {
		return "null"
	}
	return string(out)
}
