package show

// This file reads a Lua table of plain values, as a person edits the arguments of a call. It is data, not a script:
// nothing is evaluated.

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"almanac/catalog"
	"almanac/catalog/lua"
	"almanac/catalog/text"
	"almanac/catalog/text/cells"
	"almanac/session/syntax"
)

// ParseArgs reads `{ id = "x", lines = { 1, 2 } }`, as LuaText writes it: strings, numbers, booleans, nil and tables of
// them. The error says what is wanted, and near what something else stands.
func ParseArgs(source string) (map[string]any, error) {
	p := &argParser{}
	for _, t := range syntax.Tokens(source) {
		if word := strings.TrimSpace(t.Text); word != "" && !strings.HasPrefix(word, "--") {
			p.tokens = append(p.tokens, t.Text)
		}
	}
	v, err := p.value(0)
	if err == nil && p.next < len(p.tokens) {
		err = unwanted(p.peek())
	}
	if err == nil && syntax.Check("return "+source) != nil { // such as a string without its end
		err = errors.New(wantArgs)
	}
	if err != nil {
		return nil, err
	}
	switch v := v.(type) {
	case map[string]any:
		return v, nil
	case []any:
		if len(v) == 0 {
			return map[string]any{}, nil
		}
	}
	return nil, errors.New(wantArgs)
}

// ReadArgs reads the arguments of a call of e as ParseArgs does, and checks them.
func ReadArgs(e *catalog.Entry, source string) (map[string]any, error) {
	args, err := ParseArgs(source)
	if err == nil {
		_, err = e.Input.Check(args)
	}
	return args, err
}

const wantArgs = "want a table of plain values such as { amount_cents = 100 }"

// unwanted is the error of a token where a plain value is wanted; "" is the end.
func unwanted(token string) error {
	if token == "" {
		return errors.New(wantArgs + "; it ends too early")
	}
	return fmt.Errorf("%s; near '%s'", wantArgs, cells.Clip(text.SanitizeLine(token), 40, "..."))
}

type argParser struct {
	tokens []string
	next   int
}

// maxNesting is how deep arguments may nest.
const maxNesting = 100

func (p *argParser) peek() string {
	if p.next < len(p.tokens) {
		return p.tokens[p.next]
	}
	return ""
}

func (p *argParser) take() string {
	t := p.peek()
	p.next++
	return t
}

func (p *argParser) value(depth int) (any, error) {
	if depth > maxNesting {
		return nil, errors.New("nested too deep")
	}
	t := p.take()
	switch {
	case t == "":
		return nil, unwanted(t)
	case t == "nil" || t == "null":
		return nil, nil
	case t == "true" || t == "false":
		return t == "true", nil
	case t == "-":
		v, err := p.value(depth + 1)
		switch n := v.(type) {
		case int64:
			return -n, err
		case float64:
			return -n, err
		}
		return nil, errors.New("- : want a number after it")
	case t == "{":
		return p.table(depth)
	case t[0] == '"' || t[0] == '\'' || strings.HasPrefix(t, "[[") || strings.HasPrefix(t, "[="):
		return unquoteLua(t)
	}
	if n, err := strconv.ParseInt(t, 10, 64); err == nil {
		return n, nil // a leading zero is no octal in Lua
	}
	if n, err := strconv.ParseInt(t, 0, 64); err == nil && len(t) > 2 && (t[1] == 'x' || t[1] == 'X') {
		return n, nil
	}
	if f, err := strconv.ParseFloat(t, 64); err == nil && t[0] <= '9' && !strings.Contains(t, "_") {
		return f, nil
	}
	return nil, unwanted(t)
}

// table reads what follows "{".
func (p *argParser) table(depth int) (any, error) {
	named := map[string]any{}
	var list []any
	for p.peek() != "}" {
		key, isNamed, err := p.key(depth)
		if err != nil {
			return nil, err
		}
		v, err := p.value(depth + 1)
		if err != nil {
			return nil, err
		}
		if isNamed {
			named[key] = v
		} else {
			list = append(list, v)
		}
		if sep := p.peek(); sep == "," || sep == ";" {
			p.next++
		} else if sep != "}" {
			return nil, unwanted(sep)
		}
	}
	p.next++
	switch {
	case len(named) > 0 && len(list) > 0:
		return nil, errors.New("a table has names or a list, not both")
	case len(named) > 0:
		return named, nil
	}
	return append([]any{}, list...), nil
}

// key reads `name =` or `["name"] =` where there is one.
func (p *argParser) key(depth int) (key string, ok bool, err error) {
	if p.peek() == "[" {
		p.next++
		v, err := p.value(depth + 1)
		name, isText := v.(string)
		if err == nil && (!isText || p.take() != "]" || p.take() != "=") {
			err = errors.New(`[: want ["name"] = value`)
		}
		return name, true, err
	}
	if p.next+1 < len(p.tokens) && p.tokens[p.next+1] == "=" && lua.IsName(p.peek()) {
		key = p.take()
		p.next++
		return key, true, nil
	}
	return "", false, nil
}

// unquoteLua reads a Lua string as it stands in source.
func unquoteLua(t string) (string, error) {
	if t[0] == '[' {
		level := strings.IndexByte(t[1:], '[') + 2
		if level < 2 || len(t) < 2*level {
			return "", errors.New("unfinished string")
		}
		return strings.TrimPrefix(t[level:len(t)-level], "\n"), nil
	}
	if len(t) < 2 || t[len(t)-1] != t[0] {
		return "", errors.New("unfinished string")
	}
	s := t[1 : len(t)-1]
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 == len(s) {
			b.WriteByte(s[i])
			continue
		}
		i++
		n, err := unescape(&b, s[i:])
		if err != nil {
			return "", err
		}
		i += n - 1
	}
	return b.String(), nil
}

// unescape writes the character that the escape after a backslash stands for, and returns its length.
func unescape(b *strings.Builder, s string) (int, error) {
	const letters, meant = "abfnrtv\\\"'\n", "\a\b\f\n\r\t\v\\\"'\n"
	if i := strings.IndexByte(letters, s[0]); i >= 0 {
		b.WriteByte(meant[i])
		return 1, nil
	}
	switch {
	case s[0] == 'x' && len(s) >= 3:
		n, err := strconv.ParseUint(s[1:3], 16, 8)
		b.WriteByte(byte(n))
		return 3, err
	case s[0] == 'z':
		return 1 + len(s[1:]) - len(strings.TrimLeft(s[1:], " \t\r\n\v\f")), nil
	case strings.HasPrefix(s, "u{"):
		end := strings.IndexByte(s, '}')
		if end < 0 {
			return 0, errors.New(`\u: want \u{XXX}`)
		}
		n, err := strconv.ParseUint(s[2:end], 16, 31)
		b.WriteRune(rune(n))
		return end + 1, err
	case s[0] >= '0' && s[0] <= '9':
		n := 1
		for n < 3 && n < len(s) && s[n] >= '0' && s[n] <= '9' {
			n++
		}
		code, err := strconv.ParseUint(s[:n], 10, 8)
		b.WriteByte(byte(code))
		return n, err
	}
	return 0, fmt.Errorf(`\%c: unknown escape`, s[0])
}
