package openapi

// This file writes arguments into addresses, headers and forms, in the styles of OpenAPI.

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// scalarText is a value as text. Tables are JSON.
func scalarText(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return v
	case bool:
		return strconv.FormatBool(v)
	case int64:
		return strconv.FormatInt(v, 10)
	}
	raw, err := json.Marshal(v)
	if err != nil {
		return ""
	}
	return string(raw)
}

// A pair is a name and a value of a query or a form.
type pair struct{ name, value string }

// escape escapes a text for any place in an address; reserved leaves :/?#[]@!$&'()*+,;= alone, except those that would
// end a query.
func escape(s string, reserved bool) string {
	const hex = "0123456789ABCDEF"
	var b strings.Builder
	for i := range len(s) {
		c := s[i]
		plain := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.IndexByte("-._~", c) >= 0
		if plain || reserved && strings.IndexByte(":/?[]@!$'()*,;", c) >= 0 {
			b.WriteByte(c)
			continue
		}
		b.WriteByte('%')
		b.WriteByte(hex[c>>4])
		b.WriteByte(hex[c&15])
	}
	return b.String()
}

// joined is a value in the style simple: lists with commas, objects as name,value or name=value.
func joined(v any, explode bool, separator string, escape func(string) string) string {
	switch v := v.(type) {
	case []any:
		parts := make([]string, len(v))
		for i, item := range v {
			parts[i] = escape(scalarText(item))
		}
		return strings.Join(parts, separator)
	case map[string]any:
		var parts []string
		for _, name := range slices.Sorted(maps.Keys(v)) {
			if explode {
				parts = append(parts, escape(name)+"="+escape(scalarText(v[name])))
			} else {
				parts = append(parts, escape(name), escape(scalarText(v[name])))
			}
		}
		return strings.Join(parts, separator)
	}
	return escape(scalarText(v))
}

// pathText writes a path parameter.
func pathText(p *param, v any) string {
	esc := func(s string) string { return escape(s, false) }
	if p.json {
		return esc(jsonText(v))
	}
	switch p.style {
	case "label":
		if p.explode {
			return "." + joined(v, true, ".", esc)
		}
		return "." + joined(v, false, ",", esc)
	case "matrix":
		return matrix(p, v, esc)
	}
	return joined(v, p.explode, ",", esc)
}

func matrix(p *param, v any, esc func(string) string) string {
	name := ";" + esc(p.name)
	switch list := v.(type) {
	case []any:
		if p.explode {
			var b strings.Builder
			for _, item := range list {
				b.WriteString(name + "=" + esc(scalarText(item)))
			}
			return b.String()
		}
	case map[string]any:
		if p.explode {
			return ";" + joined(v, true, ";", esc)
		}
	}
	return name + "=" + joined(v, false, ",", esc)
}

func jsonText(v any) string {
	raw, err := json.Marshal(v)
	if err != nil {
		return "null"
	}
	return string(raw)
}

// pairs writes a value as names and values of a query or a form.
func pairs(name, style string, explode bool, v any) []pair {
	switch value := v.(type) {
	case nil:
		return nil
	case []any:
		return listPairs(name, style, explode, value)
	case map[string]any:
		if style == "deepObject" {
			return deepPairs(name, value, 0)
		}
		if style == "form" && explode {
			var out []pair
			for _, key := range slices.Sorted(maps.Keys(value)) {
				out = append(out, pair{key, scalarText(value[key])})
			}
			return out
		}
		return []pair{{name, joined(value, false, separator(style), same)}}
	}
	return []pair{{name, scalarText(v)}}
}

func same(s string) string { return s }

func separator(style string) string {
	switch style {
	case "spaceDelimited":
		return " "
	case "pipeDelimited":
		return "|"
	case "tabDelimited":
		return "\t"
	}
	return ","
}

func listPairs(name, style string, explode bool, list []any) []pair {
	if style == "deepObject" {
		return deepList(name, list, 0)
	}
	if !explode {
		if len(list) == 0 {
			return nil
		}
		return []pair{{name, joined(list, false, separator(style), same)}}
	}
	var out []pair
	for _, item := range list {
		out = append(out, pair{name, scalarText(item)})
	}
	return out
}

// maxDeep bounds how deep brackets nest.
const maxDeep = 16

// deepPairs writes an object with brackets: filter[status]=open. The standard stops at one level; deeper levels and
// lists follow the convention of most servers.
func deepPairs(name string, object map[string]any, depth int) []pair {
	var out []pair
	for _, key := range slices.Sorted(maps.Keys(object)) {
		out = append(out, deep(name+"["+key+"]", object[key], depth)...)
	}
	return out
}

func deepList(name string, list []any, depth int) []pair {
	var out []pair
	for i, item := range list {
		out = append(out, deep(name+"["+strconv.Itoa(i)+"]", item, depth)...)
	}
	return out
}

func deep(name string, v any, depth int) []pair {
	if depth < maxDeep {
		switch v := v.(type) {
		case map[string]any:
			return deepPairs(name, v, depth+1)
		case []any:
			return deepList(name, v, depth+1)
		}
	}
	return []pair{{name, scalarText(v)}}
}

// encoded writes pairs as a query or a form.
func encoded(list []pair) string {
	var b strings.Builder
	for i, p := range list {
		if i > 0 {
			b.WriteByte('&')
		}
		b.WriteString(escape(p.name, false))
		b.WriteByte('=')
		b.WriteString(escape(p.value, false))
	}
	return b.String()
}
