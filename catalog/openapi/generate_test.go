package openapi

import (
	"encoding/json"
	"maps"
	"math"
	"reflect"
	"regexp"
	"regexp/syntax"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// A generator makes values from a schema, the same ones every time.
type generator struct{ root table }

// arguments fills in every argument of a schema; of what is inside one, what must be there and a little more.
func arguments(schema []byte) (table, error) {
	var root table
	if err := json.Unmarshal(schema, &root); err != nil {
		return nil, err
	}
	g := generator{root}
	args, _ := g.value(root, "", 0).(table)
	if args == nil {
		args = table{}
	}
	return args, nil
}

func (g *generator) follow(s table) table {
	for range 20 {
		ref, ok := s["$ref"].(string)
		if !ok {
			break
		}
		name := strings.TrimPrefix(ref, "#/$defs/")
		defs, _ := g.root["$defs"].(table)
		target, _ := defs[name].(table)
		if target == nil {
			return table{}
		}
		if more, ok := s["required"].([]any); ok { // beside the reference
			target = maps.Clone(target)
			have, _ := target["required"].([]any)
			target["required"] = append(slices.Clone(have), more...)
		}
		s = target
	}
	return s
}

// merged is a schema with the parts of its allOf, and the first of its choices that is no null, put together.
func (g *generator) merged(s table, depth int) table {
	s = g.follow(s)
	if depth > 12 {
		return s
	}
	out := table{}
	put := func(part table) {
		for name, v := range part {
			switch have := out[name].(type) {
			case table:
				if more, ok := v.(table); ok && name == "properties" {
					both := table{}
					for k, p := range have {
						both[k] = p
					}
					for k, p := range more {
						if old, twice := both[k].(table); twice {
							p = table{"allOf": []any{old, p}}
						}
						both[k] = p
					}
					out[name] = both
					continue
				}
			case []any:
				if more, ok := v.([]any); ok && name == "required" {
					out[name] = append(slices.Clone(have), more...)
					continue
				}
				if more, ok := v.([]any); ok && name == "enum" && len(more) > len(have) {
					continue
				}
			}
			out[name] = v
		}
	}
	for name, v := range s {
		if name != "allOf" && name != "anyOf" {
			put(table{name: v})
		}
	}
	parts, _ := s["allOf"].([]any)
	for _, part := range parts {
		if p, ok := part.(table); ok {
			put(g.merged(p, depth+1))
		}
	}
	choices, _ := s["anyOf"].([]any)
	for _, choice := range choices {
		c, _ := choice.(table)
		if c = g.merged(c, depth+1); c["type"] != "null" {
			put(c)
			break
		}
	}
	return out
}

func (g *generator) value(s table, name string, depth int) any {
	s = g.merged(s, 0)
	list, _ := s["enum"].([]any)
	if v, ok := s["const"]; ok && (len(list) == 0 || slices.Contains(list, v)) {
		return v
	}
	if len(list) > 0 {
		return list[0]
	}
	if v, ok := s["default"]; ok && depth > 0 {
		return v
	}
	kind, _ := s["type"].(string)
	if kinds, ok := s["type"].([]any); ok && len(kinds) > 0 {
		kind, _ = kinds[0].(string)
	}
	if _, ok := s["properties"]; ok && kind == "" {
		kind = "object"
	}
	if _, ok := s["items"]; ok && kind == "" {
		kind = "array"
	}
	switch kind {
	case "object":
		return g.object(s, depth)
	case "array":
		n := 2
		if least, ok := s["minItems"].(float64); ok {
			n = max(2, int(least))
		}
		if most, ok := s["maxItems"].(float64); ok {
			n = min(n, int(most))
		}
		items, _ := s["items"].(table)
		list := []any{}
		if depth > 16 {
			return list
		}
		for i := range min(n, 20) {
			v := another(g.merged(items, 0), g.value(items, name, depth+1), i)
			if s["uniqueItems"] == true && slices.ContainsFunc(list, func(have any) bool { return reflect.DeepEqual(have, v) }) {
				break
			}
			list = append(list, v)
		}
		return list
	case "integer", "number":
		return aNumber(s, kind)
	case "boolean":
		return true
	case "null":
		return nil
	}
	return aString(s)
}

// another is the i-th value of a list, another one than v where that is easy.
func another(s table, v any, i int) any {
	if list, ok := s["enum"].([]any); ok && i < len(list) {
		return list[i]
	}
	if pattern, ok := s["pattern"].(string); ok && i > 0 {
		if re, err := regexp.Compile(pattern); err == nil && re.MatchString(strconv.Itoa(i)) {
			return strconv.Itoa(i)
		}
	}
	if text, ok := v.(string); ok && i > 0 && text == "text" && s["pattern"] == nil &&
		s["maxLength"] == nil && s["enum"] == nil {
		return text + strconv.Itoa(i+1)
	}
	if n, ok := v.(int64); ok && i > 0 && s["maximum"] == nil && s["multipleOf"] == nil && s["enum"] == nil {
		return n + int64(i)
	}
	return v
}

func (g *generator) object(s table, depth int) any {
	out := table{}
	props, _ := s["properties"].(table)
	required, _ := s["required"].([]any)
	if depth > 16 {
		return out
	}
	names := make([]string, 0, len(props))
	for name := range props {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		p, _ := props[name].(table)
		if p == nil {
			continue
		}
		if must := slices.Contains(required, any(name)); must || depth == 0 {
			out[name] = g.value(p, name, depth+1)
		}
	}
	for _, name := range required {
		if n, ok := name.(string); ok && out[n] == nil && props[n] == nil {
			out[n] = "text"
		}
	}
	if least, ok := s["minProperties"].(float64); ok && len(out) < int(least) {
		for _, name := range names {
			if _, have := out[name]; !have && len(out) < int(least) {
				p, _ := props[name].(table)
				out[name] = g.value(p, name, depth+1)
			}
		}
		if more, ok := s["additionalProperties"].(table); ok && len(out) == 0 {
			out["a"] = g.value(more, "a", depth+1)
		} else if len(out) == 0 {
			out["a"] = "text"
		}
	}
	return out
}

func aNumber(s table, kind string) any {
	n := 1.0
	bound := func(name string) (float64, bool) {
		v, ok := s[name].(float64)
		return v, ok
	}
	if low, ok := bound("minimum"); ok {
		n = max(n, math.Ceil(low))
	}
	if low, ok := bound("exclusiveMinimum"); ok && n <= low {
		n = low + 1
	}
	if high, ok := bound("maximum"); ok && n > high {
		n = high
	}
	if high, ok := bound("exclusiveMaximum"); ok && n >= high {
		n = high - 1
	}
	if by, ok := bound("multipleOf"); ok && by > 0 {
		n = math.Ceil(n/by) * by
	}
	if kind == "integer" {
		return int64(n)
	}
	return n
}

func aString(s table) string {
	text := "text"
	switch format, _ := s["format"].(string); format {
	case "date-time":
		text = "2024-05-17T09:30:00Z"
	case "date":
		text = "2024-05-17"
	case "time":
		text = "09:30:00Z"
	case "uuid", "guid":
		text = "7d444840-9dc0-11d1-b245-5ffdce74fad2"
	case "email":
		text = "ann@example.com"
	case "uri", "url":
		text = "https://example.com/a"
	case "uri-reference":
		text = "/a"
	case "hostname":
		text = "example.com"
	case "ipv4", "ip":
		text = "192.0.2.1"
	case "ipv6":
		text = "2001:db8::1"
	case "duration":
		text = "P1D"
	case "byte":
		text = "dGV4dA=="
	case "json-pointer":
		text = "/a"
	}
	if pattern, ok := s["pattern"].(string); ok {
		if made, ok := matching(pattern); ok {
			text = made
		}
	}
	if least, ok := s["minLength"].(float64); ok {
		for utf8.RuneCountInString(text) < int(least) {
			text += "t"
		}
	}
	if most, ok := s["maxLength"].(float64); ok && utf8.RuneCountInString(text) > int(most) {
		text = string([]rune(text)[:int(most)])
	}
	return text
}

// matching makes a text that a pattern matches, the shortest that goes left to right.
func matching(pattern string) (string, bool) {
	re, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return "", false
	}
	var b strings.Builder
	write(&b, re)
	return b.String(), b.Len() < 4096
}

func write(b *strings.Builder, re *syntax.Regexp) {
	switch re.Op {
	case syntax.OpLiteral:
		b.WriteString(string(re.Rune))
	case syntax.OpCharClass:
		b.WriteRune(pick(re.Rune))
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		b.WriteByte('a')
	case syntax.OpCapture, syntax.OpPlus, syntax.OpQuest:
		write(b, re.Sub[0])
	case syntax.OpRepeat:
		for range re.Min {
			write(b, re.Sub[0])
		}
		if re.Min == 0 && re.Max != 0 {
			write(b, re.Sub[0])
		}
	case syntax.OpStar:
		write(b, re.Sub[0])
	case syntax.OpConcat:
		for _, sub := range re.Sub {
			write(b, sub)
		}
	case syntax.OpAlternate:
		write(b, re.Sub[0])
	}
}

// pick is a rune of a class: a letter or digit where it has one.
func pick(class []rune) rune {
	for _, want := range "a1AZ9_-" {
		for i := 0; i+1 < len(class); i += 2 {
			if class[i] <= want && want <= class[i+1] {
				return want
			}
		}
	}
	return max(class[0], '!')
}
