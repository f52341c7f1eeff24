package ui

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// This file reads arguments that were edited as Lua. It reads constants only: what a person approves is what is on
// the screen.

// luaArgs reads a table of constants. Its errors name the place as "line 2: …".
func luaArgs(src string) (map[string]any, error) {
	p := &luaReader{src: src}
	v, err := p.value(0)
	if err != nil {
		return nil, err
	}
	p.space()
	if p.at < len(p.src) {
		return nil, p.errorf("unexpected %q after the table", p.src[p.at:p.at+1])
	}
	switch v := v.(type) {
	case map[string]any:
		return v, nil
	case []any:
		if len(v) == 0 {
			return map[string]any{}, nil
		}
	}
	return nil, p.errorf("arguments must be a table with names: { name = value }")
}

// A luaReader reads Lua constants from src.
type luaReader struct {
	src string
	at  int
}

// maxNesting bounds how deep tables may nest.
const maxNesting = 100

func (p *luaReader) errorf(format string, args ...any) error {
	line := 1 + strings.Count(p.src[:min(p.at, len(p.src))], "\n")
	return fmt.Errorf("line %d: %s", line, fmt.Sprintf(format, args...))
}

func (p *luaReader) space() {
	for p.at < len(p.src) && strings.IndexByte(" \t\r\n", p.src[p.at]) >= 0 {
		p.at++
	}
}

// take moves past s when it is next.
func (p *luaReader) take(s string) bool {
	p.space()
	if strings.HasPrefix(p.src[p.at:], s) {
		p.at += len(s)
		return true
	}
	return false
}

func (p *luaReader) word() string {
	from := p.at
	for p.at < len(p.src) && (isWord(rune(p.src[p.at])) && p.src[p.at] < utf8.RuneSelf) {
		p.at++
	}
	return p.src[from:p.at]
}

func (p *luaReader) value(depth int) (any, error) {
	p.space()
	if p.at >= len(p.src) {
		return nil, p.errorf("a value is missing")
	}
	switch c := p.src[p.at]; {
	case c == '{':
		if depth > maxNesting {
			return nil, p.errorf("tables nest too deep")
		}
		p.at++
		return p.table(depth + 1)
	case c == '"' || c == '\'':
		return p.quoted(c)
	case c == '-' || c == '.' || c >= '0' && c <= '9':
		return p.number()
	}
	from := p.at
	switch w := p.word(); w {
	case "true":
		return true, nil
	case "false":
		return false, nil
	case "nil", "null":
		return nil, nil
	default:
		p.at = from
		return nil, p.errorf("only constants can be approved: want a string, number, true, false, null or table")
	}
}

func (p *luaReader) number() (any, error) {
	from := p.at
	for p.at < len(p.src) && strings.IndexByte("+-.xXeEpP0123456789abcdefABCDEF", p.src[p.at]) >= 0 {
		p.at++
	}
	text := p.src[from:p.at]
	if i, err := strconv.ParseInt(text, 0, 64); err == nil && !strings.HasPrefix(strings.TrimPrefix(text, "-"), "0b") {
		if d, err := strconv.ParseInt(text, 10, 64); err == nil {
			return d, nil // a leading zero is no octal in Lua
		}
		return i, nil
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil {
		p.at = from
		return nil, p.errorf("%q is not a number", text)
	}
	return f, nil
}

func (p *luaReader) quoted(quote byte) (any, error) {
	p.at++
	var b []byte
	for p.at < len(p.src) {
		c := p.src[p.at]
		p.at++
		switch {
		case c == quote:
			return string(b), nil
		case c == '\n':
			return nil, p.errorf("the string has no end")
		case c != '\\':
			b = append(b, c)
			continue
		}
		if p.at >= len(p.src) {
			break
		}
		c = p.src[p.at]
		p.at++
		switch {
		case c == 'n':
			b = append(b, '\n')
		case c == 't':
			b = append(b, '\t')
		case c == 'r':
			b = append(b, '\r')
		case c >= '0' && c <= '9':
			n := int(c - '0')
			for i := 0; i < 2 && p.at < len(p.src) && p.src[p.at] >= '0' && p.src[p.at] <= '9'; i++ {
				n = n*10 + int(p.src[p.at]-'0')
				p.at++
			}
			if n > 255 {
				return nil, p.errorf("escape \\%d is too large", n)
			}
			b = append(b, byte(n))
		case c == 'u' && p.at < len(p.src) && p.src[p.at] == '{':
			digits, _, ok := strings.Cut(p.src[p.at+1:], "}")
			r, err := strconv.ParseUint(digits, 16, 21)
			if !ok || err != nil || !utf8.ValidRune(rune(r)) {
				return nil, p.errorf("escape \\u{...} wants a character's number")
			}
			p.at += len(digits) + 2
			b = utf8.AppendRune(b, rune(r))
		case strings.IndexByte("\\\"'\n", c) >= 0:
			b = append(b, c)
		default:
			return nil, p.errorf("escape \\%c is unknown", c)
		}
	}
	return nil, p.errorf("the string has no end")
}

// table reads the fields up to the closing brace. A table of values without names is a list.
func (p *luaReader) table(depth int) (any, error) {
	fields := map[string]any{}
	list := []any{}
	for {
		if p.take("}") {
			break
		}
		key, named, err := p.key()
		if err != nil {
			return nil, err
		}
		v, err := p.value(depth)
		if err != nil {
			return nil, err
		}
		if named {
			fields[key] = v
		} else {
			list = append(list, v)
		}
		if !p.take(",") && !p.take(";") {
			if !p.take("}") {
				return nil, p.errorf("want , or } after the value")
			}
			break
		}
	}
	if len(list) > 0 && len(fields) > 0 {
		return nil, p.errorf("the table mixes names and list items")
	}
	if len(fields) > 0 {
		return fields, nil
	}
	return list, nil
}

// key reads "name =" or ["name"] =; named is false when the field has no name.
func (p *luaReader) key() (key string, named bool, err error) {
	p.space()
	from := p.at
	if p.take("[") {
		p.space()
		if p.at >= len(p.src) || p.src[p.at] != '"' && p.src[p.at] != '\'' {
			return "", false, p.errorf("want a string in the brackets")
		}
		v, err := p.quoted(p.src[p.at])
		if err != nil {
			return "", false, err
		}
		if !p.take("]") || !p.take("=") {
			return "", false, p.errorf("want ] = after the name")
		}
		return v.(string), true, nil
	}
	if w := p.word(); w != "" && !strings.ContainsAny(w[:1], "0123456789") && p.take("=") {
		return w, true, nil
	}
	p.at = from
	return "", false, nil
}

// sameData reports whether a and b are the same data as Lua knows it: whole numbers are equal whatever their type, and
// an empty list is an empty table.
func sameData(a, b any) bool {
	switch a := a.(type) {
	case map[string]any:
		if l, ok := b.([]any); ok {
			return len(a) == 0 && len(l) == 0
		}
		b, ok := b.(map[string]any)
		if !ok || len(a) != len(b) {
			return false
		}
		for k, v := range a {
			if w, ok := b[k]; !ok || !sameData(v, w) {
				return false
			}
		}
		return true
	case []any:
		if m, ok := b.(map[string]any); ok {
			return len(a) == 0 && len(m) == 0
		}
		b, ok := b.([]any)
		return ok && slices.EqualFunc(a, b, sameData)
	case int64, int, float64:
		switch b.(type) {
		case int64, int, float64:
			return fmt.Sprint(a) == fmt.Sprint(b)
		}
		return false
	}
	return a == b
}
