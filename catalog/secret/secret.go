// Package secret takes known values out of texts, however they were escaped on their way.
//
//	Cutter   the values; Text and Data take them out
//
// Start at New.
package secret

import (
	"html"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// Mark stands where a value was.
const Mark = "[redacted]"

// A Cutter takes values out. The zero Cutter takes out nothing. It is safe for concurrent use.
type Cutter struct{ values []string }

// New returns a Cutter of the values that have at least the given number of bytes, and one.
func New(values []string, least int) Cutter {
	kept := slices.DeleteFunc(slices.Clone(values), func(s string) bool { return len(s) < max(least, 1) })
	slices.Sort(kept)
	kept = slices.Compact(kept)
	// Longest first, so that none hides inside another.
	slices.SortStableFunc(kept, func(a, b string) int { return len(b) - len(a) })
	return Cutter{kept}
}

// Text returns the text without the values, be they as they are or with any of their characters escaped as in JSON
// (\", \/, \u00e9), addresses and forms (%2F, %2f, + for a space) or HTML (&quot;, &#34;). Values that are split, or encoded
// as a whole, are not found.
func (c Cutter) Text(text string) string {
	for _, value := range c.values {
		// Escaped ones first: what stands in front of a character belongs to it.
		if strings.ContainsAny(text, `\%&+`) {
			text = escaped(text, value)
		}
		text = strings.ReplaceAll(text, value, Mark)
	}
	return text
}

// Data does the same to all texts in plain data and to the names in its tables, which it changes in place.
func (c Cutter) Data(v any) any {
	if len(c.values) == 0 {
		return v
	}
	switch v := v.(type) {
	case string:
		return c.Text(v)
	case []any:
		for i := range v {
			v[i] = c.Data(v[i])
		}
	case map[string]any:
		for name, inner := range v {
			inner = c.Data(inner)
			if plain := c.Text(name); plain != name {
				delete(v, name)
				name = plain
			}
			v[name] = inner
		}
	}
	return v
}

// escaped replaces the value where some of its characters are escaped.
func escaped(text, value string) string {
	var b strings.Builder
	kept := 0
	for i := 0; i < len(text); {
		n := 0
		if c := text[i]; c == value[0] || c == '\\' || c == '%' || c == '&' || c == '+' {
			n = match(text[i:], value)
		}
		if n == 0 {
			i++
			continue
		}
		b.WriteString(text[kept:i] + Mark)
		i += n
		kept = i
	}
	if kept == 0 {
		return text
	}
	return b.String() + text[kept:]
}

// match is the length of the value at the beginning of the text; 0 when it is not there.
func match(text, value string) int {
	at := 0
	for len(value) > 0 {
		r, size := utf8.DecodeRuneInString(value)
		n := unit(text[at:], r, value[:size])
		if n == 0 {
			return 0
		}
		at += n
		value = value[size:]
	}
	return at
}

// unit is the length of one character, in any of its forms, at the beginning of the text; 0 when it is not there.
func unit(text string, r rune, plain string) int {
	if text == "" {
		return 0
	}
	switch text[0] {
	case '\\':
		if n := backslashed(text, r); n > 0 {
			return n
		}
	case '%':
		if n := percented(text, plain); n > 0 {
			return n
		}
	case '&':
		if end := strings.IndexByte(text[:min(len(text), 12)], ';'); end > 0 && html.UnescapeString(text[:end+1]) == plain {
			return end + 1
		}
	case '+':
		if r == ' ' {
			return 1
		}
	}
	if strings.HasPrefix(text, plain) {
		return len(plain)
	}
	return 0
}

// backslashed is the length of a character as JSON may have it.
func backslashed(text string, r rune) int {
	if len(text) < 2 {
		return 0
	}
	if text[1] != 'u' {
		if i := strings.IndexByte(`"\/'nrtbf`, text[1]); i >= 0 && r == rune("\"\\/'\n\r\t\b\f"[i]) {
			return 2
		}
		return 0
	}
	first, ok := hex4(text)
	switch {
	case ok && first == r:
		return 6
	case ok && utf16.IsSurrogate(first):
		if second, ok := hex4(text[6:]); ok && utf16.DecodeRune(first, second) == r {
			return 12
		}
	}
	return 0
}

func hex4(text string) (rune, bool) {
	if len(text) < 6 || text[0] != '\\' || text[1] != 'u' {
		return 0, false
	}
	n, err := strconv.ParseUint(text[2:6], 16, 16)
	return rune(n), err == nil
}

// percented is the length of the bytes of a character as addresses have them.
func percented(text, plain string) int {
	for i := range len(plain) {
		at := 3 * i
		if len(text) < at+3 || text[at] != '%' {
			return 0
		}
		if n, err := strconv.ParseUint(text[at+1:at+3], 16, 8); err != nil || byte(n) != plain[i] {
			return 0
		}
	}
	return 3 * len(plain)
}
