// Package lua writes Lua source: reserved words, names, and data as literals. Whatever it writes reads back as the same
// value in a session. It runs nothing: that is session/vm.
//
//	IsName, Keyword   names and reserved words
//	Quote             a string literal on one line, safe to show
//	Number            a numeral that reads back as the same number
//	NumberText        what tostring and print make of a number
//	Key               how a field is written in a table: name, or ["any text"]
//	Call              how an action is called: billing.invoice.get(…), or call("…", …)
//	Literal           plain data as a literal, on one line or several, whole or cut
package lua

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"almanac/catalog/text"
)

// keywords are the reserved words of Lua 5.2, in order.
var keywords = [...]string{
	"and", "break", "do", "else", "elseif", "end", "false", "for", "function", "goto", "if", "in", "local", "nil", "not",
	"or", "repeat", "return", "then", "true", "until", "while",
}

// Keywords are the reserved words of Lua 5.2, sorted. goto is one of them since 5.2.
func Keywords() []string { return slices.Clone(keywords[:]) }

// Keyword is the place of s among the Keywords, and whether it is a keyword.
func Keyword(s string) (place int, is bool) { return slices.BinarySearch(keywords[:], s) }

// IsName reports whether s may name a variable or a field: ASCII letters, digits and _, not beginning with a digit, and
// not a reserved word.
func IsName(s string) bool {
	for i := range len(s) {
		c := s[i]
		letter := c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
		if !letter && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	_, reserved := Keyword(s)
	return s != "" && !reserved
}

// Key is a field name in a table constructor: name, or ["any text"].
func Key(s string) string {
	if IsName(s) {
		return s
	}
	return "[" + Quote(s) + "]"
}

// Call is the Lua that calls the action id with args: the dotted path if every segment is a name, else call("id",
// args).
func Call(id, args string) string {
	if strings.Contains(id, ".") &&
		!slices.ContainsFunc(strings.Split(id, "."), func(s string) bool { return !IsName(s) }) {
		return id + "(" + args + ")"
	}
	return "call(" + Quote(id) + ", " + args + ")"
}

// Quote is s as a string literal on one line. Control characters, bytes that are not UTF-8 and the characters of
// text.Unsafe are escaped, so that no value can move a terminal's cursor or reverse the direction of text. Joiners
// stay: Persian, Hindi and composed emoji need them.
func Quote(s string) string {
	var b strings.Builder
	b.Grow(len(s) + 2)
	b.WriteByte('"')
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case r == '\r':
			b.WriteString(`\r`)
		case r < ' ' || r == 0x7f:
			if i+1 < len(s) && s[i+1] >= '0' && s[i+1] <= '9' { // or the digit would be read as part of it
				fmt.Fprintf(&b, `\%03d`, r)
			} else {
				fmt.Fprintf(&b, `\%d`, r)
			}
		case r == utf8.RuneError && n == 1:
			fmt.Fprintf(&b, `\x%02x`, s[i])
		case text.Unsafe(r) || r > ' ' && unicode.IsSpace(r):
			fmt.Fprintf(&b, `\u{%x}`, r)
		default:
			b.WriteString(s[i : i+n])
		}
		i += n
	}
	b.WriteByte('"')
	return b.String()
}
