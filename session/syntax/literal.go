package syntax

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"almanac/catalog/text"
)

// This file scans strings and numbers and computes their values.

// strayByte is the error for a byte that begins no token, with hints about what other languages and word processors
// write.
func strayByte(s string) badToken {
	b := badToken{message: "unexpected symbol near '" + s + "'"}
	if r, _ := utf8.DecodeRuneInString(s); r == utf8.RuneError || r < ' ' {
		b.message = fmt.Sprintf("unexpected symbol near char(%d)", s[0])
	}
	switch s {
	case "!":
		b.hint = "Lua writes 'not x' and 'a ~= b'"
	case "\u201c", "\u201d", "\u2018", "\u2019":
		b.hint = "use straight quotes"
	case "@", "$", "`", "?":
		b.hint = "'" + s + "' means nothing in Lua"
	case "\u00a0":
		b.hint = "this is a no-break space: use a plain one"
	}
	return b
}

// shortString scans a quoted string.
func (lx *lexer) shortString(quote byte) {
	start, line, src := lx.pos, lx.line, lx.src
	var bad *badToken
	for lx.pos++; lx.pos < len(src); {
		switch c := src[lx.pos]; c {
		case quote:
			lx.pos++
			if bad != nil {
				lx.addBad(start, line, *bad)
			} else {
				lx.add(tkString, start, line)
			}
			return
		case '\n', '\r':
			if bad != nil {
				lx.addBad(start, line, *bad)
				return
			}
			lx.addBad(start, line, badToken{message: "unfinished string near '" + clip(src[start:lx.pos]) + "'"})
			return
		case '\\':
			if b := lx.escape(); b != nil && bad == nil {
				bad = b
			}
		default:
			lx.pos++
		}
	}
	if bad != nil {
		lx.addBad(start, line, *bad)
		return
	}
	// A line break that is escaped at the very end leaves the string open for another line.
	open := strings.HasSuffix(src, "\\") || skipsSpace(src[start:])
	lx.addBad(start, line, badToken{message: "unfinished string near <eof>", incomplete: open})
}

// skipsSpace reports whether s ends in \z and white space, or in an escaped line break.
func skipsSpace(s string) bool {
	t := strings.TrimRight(s, " \t\v\f\r\n")
	switch {
	case strings.HasSuffix(t, "\\z"):
		return oddBackslashes(t[:len(t)-1])
	case len(t) < len(s) && strings.HasSuffix(t, "\\"):
		rest := s[len(t):]
		return oddBackslashes(t) && (rest == "\n" || rest == "\r\n" || rest == "\r")
	}
	return false
}

func oddBackslashes(s string) bool {
	return (len(s)-len(strings.TrimRight(s, "\\")))%2 == 1
}

func clip(s string) string {
	if len(s) > 30 {
		return text.HeadBytes(s, 30) + "..."
	}
	return s
}

// escape skips one escape sequence and returns what is wrong with it, or nil.
func (lx *lexer) escape() *badToken {
	at, line, src := lx.pos, lx.line, lx.src
	wrong := func(message string) *badToken {
		return &badToken{at: at, line: line, message: message + " near '" + clip(src[at:min(lx.pos, len(src))]) + "'"}
	}
	lx.pos++
	switch c := lx.peek(0); {
	case lx.pos >= len(src):
		return nil
	case c == '\n' || c == '\r':
		lx.newline()
	case strings.IndexByte("abfnrtv\\\"'", c) >= 0:
		lx.pos++
	case c == 'z':
		for lx.pos++; lx.pos < len(src) && classes[src[lx.pos]]&cSpace != 0; {
			if src[lx.pos] == '\n' || src[lx.pos] == '\r' {
				lx.newline()
			} else {
				lx.pos++
			}
		}
	case c == 'x':
		lx.pos++
		for range 2 {
			if classes[lx.peek(0)]&cHex == 0 {
				lx.pos++ // the message shows the byte too
				b := wrong("hexadecimal digit expected")
				lx.pos--
				return b
			}
			lx.pos++
		}
	case c == 'u':
		lx.pos++
		if _, n := codePoint(src[lx.pos:]); n > 0 {
			lx.pos += n
			return nil
		}
		return wrong("'\\u{XXX}' expected")
	case classes[c]&cDigit != 0:
		n := 0
		for i := 0; i < 3 && classes[lx.peek(0)]&cDigit != 0; i++ {
			n = n*10 + int(lx.peek(0)-'0')
			lx.pos++
		}
		if n > 255 {
			return wrong("decimal escape too large")
		}
	default:
		_, n := utf8.DecodeRuneInString(src[lx.pos:])
		lx.pos += n
		return wrong("invalid escape sequence")
	}
	return nil
}

// codePoint reads {XXX} at the start of s: the value, below 2^31, and the bytes read; 0 bytes when it is malformed.
func codePoint(s string) (v uint32, n int) {
	end := strings.IndexByte(s, '}')
	if end < 2 || end > 40 || s[0] != '{' {
		return 0, 0
	}
	for i := 1; i < end; i++ {
		if classes[s[i]]&cHex == 0 {
			return 0, 0
		}
	}
	u, err := strconv.ParseUint(s[1:end], 16, 31)
	if err != nil {
		return 0, 0
	}
	return uint32(u), end + 1
}

// encodeUTF8 encodes v as Lua does: up to six bytes, surrogates and values beyond Unicode too.
func encodeUTF8(v uint32) []byte {
	if v < 0x80 {
		return []byte{byte(v)}
	}
	var tail []byte
	first := uint32(0x3f)
	for {
		tail = append(tail, byte(0x80|v&0x3f))
		v >>= 6
		first >>= 1
		if v <= first {
			break
		}
	}
	out := []byte{byte(^first<<1 | v)}
	for i := len(tail) - 1; i >= 0; i-- {
		out = append(out, tail[i])
	}
	return out
}

// number scans a numeral as Lua does: all that could belong to one, judged afterwards.
func (lx *lexer) number() {
	start, src := lx.pos, lx.src
	exponents := "eE"
	if src[start] == '0' && (lx.peek(1) == 'x' || lx.peek(1) == 'X') {
		exponents = "pP"
		lx.pos += 2
	}
	for lx.pos < len(src) {
		c := src[lx.pos]
		switch {
		case strings.IndexByte(exponents, c) >= 0:
			lx.pos++
			if n := lx.peek(0); n == '+' || n == '-' {
				lx.pos++
			}
		case classes[c]&cHex != 0 || c == '.':
			lx.pos++
		default:
			lx.finishNumber(start)
			return
		}
	}
	lx.finishNumber(start)
}

func (lx *lexer) finishNumber(start int) {
	text := lx.src[start:lx.pos]
	if wellFormed(text) {
		lx.add(tkNumber, start, lx.line)
		return
	}
	b := badToken{message: "malformed number near '" + clip(text) + "'"}
	if i := strings.Index(text, ".."); i > 0 {
		b.hint = "put a space between the number and '..'"
	}
	lx.addBad(start, lx.line, b)
}

// wellFormed reports whether text is a Lua numeral.
func wellFormed(text string) bool {
	class, exponent := uint8(cDigit), byte('e')
	if len(text) > 1 && text[0] == '0' && text[1]|0x20 == 'x' {
		class, exponent, text = cHex, 'p', text[2:]
	}
	i, digits := 0, 0
	for dot := false; i < len(text); i++ {
		if text[i] == '.' && !dot {
			dot = true
		} else if classes[text[i]]&class != 0 {
			digits++
		} else {
			break
		}
	}
	if digits == 0 {
		return false
	}
	if i < len(text) && text[i]|0x20 == exponent {
		if i++; i < len(text) && (text[i] == '+' || text[i] == '-') {
			i++
		}
		from := i
		for i < len(text) && classes[text[i]]&cDigit != 0 {
			i++
		}
		if i == from {
			return false
		}
	}
	return i == len(text)
}

// numberValue is the value of a well-formed numeral as a double; beyond the range it is infinite.
func numberValue(text string) float64 {
	if len(text) > 1 && text[0] == '0' && text[1]|0x20 == 'x' && !strings.ContainsAny(text, "pP") {
		text += "p0"
	}
	v, _ := strconv.ParseFloat(text, 64)
	return v
}

// isBigInteger reports whether text is an integer literal that a double may not hold: over 2^53, and within 64 bits.
func isBigInteger(text string) bool {
	if len(text) > 1 && text[0] == '0' && text[1]|0x20 == 'x' {
		v, err := strconv.ParseUint(text[2:], 16, 64)
		return err == nil && v > 1<<53
	}
	v, err := strconv.ParseInt(text, 10, 64)
	return err == nil && v > 1<<53
}
