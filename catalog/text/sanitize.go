package text

// This file keeps foreign text harmless: what scripts, actions and the model say is data, and a terminal obeys some
// data. Nothing reaches a screen that did not go through Sanitize.

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Sanitize makes every character visible that a terminal or a reader would obey instead of showing: control characters
// other than newline and tab, ESC, C1, bidirectional overrides and other invisible format characters, and bytes that
// are not UTF-8. They become escapes such as \27 or \u{202e}. CR LF becomes LF. Text without any of them is returned
// as it is. Sanitize(Sanitize(s)) == Sanitize(s).
func Sanitize(s string) string {
	if i := firstUnsafe(s); i < 0 {
		return s
	}
	var b strings.Builder
	b.Grow(len(s) + 16)
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&b, "\\%d", s[i])
		case r == '\r' && i+1 < len(s) && s[i+1] == '\n':
			// The newline that follows says it all.
		case !Unsafe(r):
			b.WriteString(s[i : i+size])
		case r < 0x80:
			fmt.Fprintf(&b, "\\%d", r)
		default:
			fmt.Fprintf(&b, "\\u{%x}", r)
		}
		i += size
	}
	return b.String()
}

// SanitizeLine is Sanitize for text that must stay on one line: newline and tab become \n and \t.
func SanitizeLine(s string) string {
	s = Sanitize(s)
	if !strings.ContainsAny(s, "\n\t") {
		return s
	}
	return strings.NewReplacer("\n", `\n`, "\t", `\t`).Replace(s)
}

func firstUnsafe(s string) int {
	for i, r := range s {
		if Unsafe(r) || (r == utf8.RuneError && !strings.HasPrefix(s[i:], "\uFFFD")) {
			return i
		}
	}
	return -1
}

// Unsafe tells which runes are never shown as they are. Joiners stay: Persian, Hindi and composed emoji need them.
func Unsafe(r rune) bool {
	switch {
	case r == '\n' || r == '\t':
		return false
	case r < 0x20 || (r >= 0x7f && r < 0xa0):
		return true
	case r < 0xa0:
		return false
	case r == 0x200c || r == 0x200d || r == 0xad:
		return false
	case r == 0x2028 || r == 0x2029:
		return true
	}
	return r >= 0x600 && unicode.Is(unicode.Cf, r) && !arabicSign(r)
}

// arabicSign tells the format characters that have a shape of their own.
func arabicSign(r rune) bool {
	return r >= 0x600 && r <= 0x605 || r == 0x6dd || r == 0x70f || r == 0x890 || r == 0x891 || r == 0x8e2
}

// SanitizeSource is SanitizeLine for a source line: tabs stay, they are its indentation.
func SanitizeSource(s string) string {
	return strings.ReplaceAll(Sanitize(s), "\n", `\n`)
}
