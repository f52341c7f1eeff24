package syntax

import (
	"slices"
	"strconv"
	"strings"

	"almanac/catalog/lua"
)

// This file finds the literals of a text that parameters could stand for, and puts parameters in their place.

// A Literal is a string, a number or, as an argument of an action, true or false.
type Literal struct {
	Pos  Pos
	Text string // as it stands
	// Value is a string, an int64, a float64 or a bool.
	Value any
	// Name is what the text calls it: the field or the variable that it is given to, or what it is compared with; may be
	// empty.
	Name string
	// Call is the dotted path of the function in whose table of arguments it stands, and Path where in that; an item of a
	// list has an empty name, and Path is empty for the only argument. Call is empty elsewhere.
	Call string
	Path []string

	bare bool // the argument of a call without parentheses
	shut bool // what stands behind it begins a statement that would be read as a call of the parameter
}

// End is the byte behind it.
func (l Literal) End() int { return l.Pos.Offset + len(l.Text) }

// Literals lists the literals of src in the order of the text: not those that are keys or indexes, nor the id that call
// is given. Broken text has none.
func Literals(src string) []Literal {
	fn, p := parse(src)
	if p.err != nil {
		return nil
	}
	k := &picker{src: src, starts: lineStarts(src), names: finder{src: src, p: p, seen: map[string]bool{}}}
	walk(k, fn.body)
	slices.SortFunc(k.found, func(a, b Literal) int { return a.Pos.Offset - b.Pos.Offset })
	k.look(Tokens(src))
	return k.found
}

// Parameterize puts table.NAME in the place of each literal that has a name; names go with literals, which are all of
// src.
func Parameterize(src, table string, literals []Literal, names []string) string {
	var b strings.Builder
	at := 0
	for i, l := range literals {
		if names[i] == "" {
			continue
		}
		b.WriteString(src[at:l.Pos.Offset])
		text := table + "." + names[i]
		if !lua.IsName(names[i]) {
			text = table + "[" + lua.Quote(names[i]) + "]"
		}
		at = l.End()
		if n := l.Pos.Offset; l.bare {
			text = "(" + text + ")"
		} else if n > 0 && wordByte(src[n-1]) {
			text = " " + text
		}
		if l.shut {
			text += ";"
		}
		if at < len(src) && wordByte(src[at]) {
			text += " "
		}
		b.WriteString(text)
	}
	return b.String() + src[at:]
}

func wordByte(c byte) bool {
	return classes[c]&(cDigit|cHex) != 0 || c == '_' || c|0x20 >= 'a' && c|0x20 <= 'z'
}

// A picker collects literals.
type picker struct {
	src    string
	starts []int32
	names  finder // of what is called
	found  []Literal
	call   string
	path   []string
}

func (k *picker) assign(s *stmt) {
	for _, e := range s.targets {
		k.expr(e)
	}
	each(k, s.values)
	if s.fn != nil {
		k.function(s.fn)
	}
}

func (k *picker) loop(*stmt) {}

func (k *picker) function(f *function) {
	call, path := k.call, k.path
	k.call, k.path = "", nil
	walk(k, f.body)
	k.call, k.path = call, path
}

func (k *picker) expr(e expr) {
	switch e := e.(type) {
	case *literal:
		if e.kind == tkNumber || e.kind == tkString || k.call != "" && (e.kind == tkTrue || e.kind == tkFalse) {
			k.add(e.span, e.kind)
		}
	case *unary:
		if x, ok := e.x.(*literal); ok && e.fold && x.kind == tkNumber {
			k.add(e.span, tkNumber)
			return
		}
		inside(k, e)
	case *table:
		k.table(e)
	case *suffixed:
		k.suffixed(e)
	default:
		inside(k, e)
	}
}

func (k *picker) table(t *table) {
	path := k.path
	for _, it := range t.items {
		name := ""
		if it.named {
			key := it.key.where()
			name = k.src[key.start:key.end]
		} else if it.key != nil {
			if name = stringValue(it.key, k.src); name == "" {
				k.key(it.key)
			}
		}
		if k.call != "" {
			k.path = append(slices.Clip(path), name)
		}
		k.expr(it.value)
	}
	k.path = path
}

// key looks into a key or an index, which is no parameter itself.
func (k *picker) key(e expr) {
	if _, plain := e.(*literal); !plain {
		k.expr(e)
	}
}

func (k *picker) suffixed(e *suffixed) {
	path, n := k.names.globalPath(e)
	called := strings.Join(path, ".")
	k.within("", e.base)
	for i := range e.parts {
		pt := &e.parts[i]
		switch pt.kind {
		case partIndex:
			k.key(pt.args[0])
		case partCall, partMethod:
			of, args := "", pt.args
			if i == n && pt.kind == partCall {
				of = called
			}
			if of == "call" && len(args) > 0 {
				if id := stringValue(args[0], k.src); id != "" {
					of, args = id, args[1:]
				}
			}
			for _, a := range args {
				if s, ok := a.(*suffixed); ok { // paginate(crm.customer.list, {...})
					if inner, whole := k.names.globalPath(s); len(inner) > 1 && whole == len(s.parts) {
						of = strings.Join(inner, ".")
					}
				}
				_, ok := a.(*table)
				if !ok && len(args) == 1 { // or a value passed alone
					_, ok = a.(*literal)
				}
				if ok && strings.Contains(of, ".") {
					k.within(of, a)
				} else {
					k.within("", a)
				}
			}
		}
	}
}

// within looks into an expression that is the arguments of call, or of nothing.
func (k *picker) within(call string, e expr) {
	outer, path := k.call, k.path
	k.call, k.path = call, nil
	k.expr(e)
	k.call, k.path = outer, path
}

func (k *picker) add(s span, kind kind) {
	l := Literal{Text: k.src[s.start:s.end], Call: k.call, Path: k.path}
	l.Pos = (&user{starts: k.starts}).pos(s.start)
	switch kind {
	case tkString:
		l.Value = unquoted(l.Text)
	case tkNumber:
		l.Value = numeral(l.Text)
	default:
		l.Value = kind == tkTrue
	}
	if n := len(k.path); n > 0 {
		l.Name = k.path[n-1]
		if l.Name == "" && n > 1 {
			l.Name = k.path[n-2]
		}
	}
	k.found = append(k.found, l)
}

// look takes from the tokens around each literal what it is called and how it stands.
func (k *picker) look(tokens []Token) {
	tokens = slices.DeleteFunc(tokens, func(t Token) bool { return t.Kind == Comment })
	at := 0
	token := func(i int) Token {
		if i < 0 || i >= len(tokens) {
			return Token{}
		}
		return tokens[i]
	}
	for i := range k.found {
		l := &k.found[i]
		for token(at).Pos.Offset < l.Pos.Offset {
			at++
		}
		end := at
		for end < len(tokens) && tokens[end].Pos.Offset < l.End() {
			end++
		}
		before, name := token(at-1), token(at-2)
		if _, text := l.Value.(string); text {
			l.bare = before.Kind == Name || before.Kind == String || strings.Contains(")]}", before.Text) && before.Text != ""
		}
		l.shut = !l.bare && token(end).Text == "("
		if l.Name == "" && name.Kind == Name && token(at-3).Text != "," &&
			slices.Contains([]string{"=", "==", "~=", "<", "<=", ">", ">="}, before.Text) {
			l.Name = name.Text
		}
	}
}

// numeral is the value of a numeral with or without a minus before it.
func numeral(text string) any {
	digits, minus := strings.CutPrefix(text, "-")
	digits = strings.TrimLeft(digits, " \t\r\n")
	base := 10
	if len(digits) > 1 && digits[0] == '0' && digits[1]|0x20 == 'x' {
		base, digits = 16, digits[2:]
	}
	if v, err := strconv.ParseInt(digits, base, 64); err == nil {
		if minus {
			v = -v
		}
		return v
	}
	if base == 16 {
		digits = "0x" + digits
	}
	v := numberValue(digits)
	if minus {
		v = -v
	}
	return v
}

// unquoted is the value of a string literal.
func unquoted(text string) string {
	if text[0] == '[' {
		level := strings.IndexByte(text[1:], '[') + 2
		body := text[level : len(text)-level]
		body = strings.NewReplacer("\r\n", "\n", "\n\r", "\n", "\r", "\n").Replace(body)
		return strings.TrimPrefix(body, "\n")
	}
	var b strings.Builder
	text = text[1 : len(text)-1]
	for i := 0; i < len(text); i++ {
		if text[i] != '\\' {
			b.WriteByte(text[i])
			continue
		}
		i++
		switch c := text[i]; {
		case c == 'z':
			for i+1 < len(text) && classes[text[i+1]]&cSpace != 0 {
				i++
			}
		case c == 'x':
			v, _ := strconv.ParseUint(text[i+1:i+3], 16, 8)
			b.WriteByte(byte(v))
			i += 2
		case c == 'u':
			v, n := codePoint(text[i+1:])
			b.Write(encodeUTF8(v))
			i += n
		case classes[c]&cDigit != 0:
			n := 1
			for n < 3 && i+n < len(text) && classes[text[i+n]]&cDigit != 0 {
				n++
			}
			v, _ := strconv.Atoi(text[i : i+n])
			b.WriteByte(byte(v))
			i += n - 1
		case c == '\n' || c == '\r':
			b.WriteByte('\n')
			if i+1 < len(text) && text[i+1] != c && (text[i+1] == '\n' || text[i+1] == '\r') {
				i++
			}
		default:
			if j := strings.IndexByte("abfnrtv", c); j >= 0 {
				c = "\a\b\f\n\r\t\v"[j]
			}
			b.WriteByte(c)
		}
	}
	return b.String()
}

// HasVariable reports whether src has a variable called name, of whatever kind.
func HasVariable(src, name string) bool {
	tokens := Tokens(src)
	for i, t := range tokens {
		if t.Kind == Name && t.Text == name && (i == 0 || tokens[i-1].Text != "." && tokens[i-1].Text != ":") {
			return true
		}
	}
	return false
}
