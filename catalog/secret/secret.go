// Package secret takes known values out of texts, however they were escaped on their way.
//
//	Cutter   some values; Text, JSON, Data and Clean take them out
//	Filter   the values of now, for whatever leaves a program; Stream does so for text that comes in pieces
//	Address, Command   the values that somebody wrote into an address or a command
//
// Start at New.
package secret

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"html"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// Mark stands where a value was.
const Mark = "[redacted]"

// Least is the shortest value that is looked for in texts, in bytes: shorter ones are in many words.
const Least = 6

// A Cutter takes values out. The zero Cutter takes out nothing. It is safe for concurrent use.
type Cutter struct{ patterns *patterns }

// patterns are what a Cutter looks for.
type patterns struct {
	by    [256][]string  // by the first byte of each, longest first
	pairs [256][256]bool // the two bytes that one may begin with in a text
}

const (
	escaping = `\%&+`   // what an escaped character begins with
	breaking = "\n\r\t" // what may stand within a value that was printed in pieces
)

// New returns a Cutter of the values that have at least the given number of bytes, and one.
func New(values []string, least int) Cutter {
	var all []string
	for _, value := range values {
		if len(value) >= max(least, 1) {
			all = append(append(all, value), encodings(value)...)
		}
	}
	if len(all) == 0 {
		return Cutter{}
	}
	slices.Sort(all)
	all = slices.Compact(all)
	// Longest first, so that none hides inside another.
	slices.SortStableFunc(all, func(a, b string) int { return len(b) - len(a) })
	p := new(patterns)
	for _, value := range all {
		p.by[value[0]] = append(p.by[value[0]], value)
		for second := range 256 {
			if c := byte(second); len(value) == 1 || c == value[1] || strings.IndexByte(escaping+breaking, c) >= 0 {
				p.pairs[value[0]][c] = true
			}
		}
	}
	for _, first := range []byte(escaping) {
		for second := range p.pairs[first] {
			p.pairs[first][second] = true
		}
	}
	return Cutter{p}
}

// encodings are what a value looks like inside of a longer text that was encoded as a whole: in hexadecimal, and in
// base64 at each of the three places where it may begin in a group, without the letters that its neighbours share.
func encodings(value string) []string {
	if len(value) < Least {
		return nil
	}
	inHex := hex.EncodeToString([]byte(value))
	all := []string{inHex, strings.ToUpper(inHex)}
	for before := range 3 {
		bits := 8 * (before + len(value))
		text := base64.RawStdEncoding.EncodeToString([]byte("\x00\x00"[:before] + value))
		text = text[(8*before+5)/6 : bits/6]
		all = append(all, text, strings.NewReplacer("+", "-", "/", "_").Replace(text))
	}
	return all
}

// Text returns the text without the values, be they as they are, with any of their characters escaped as in JSON
// (\", \/, \u00e9), Lua and Go (\x2f), addresses and forms (%2F, %2f, + for a space) or HTML (&quot;, &#34;), over several
// lines, or in base64 or hexadecimal. The beginning of a value, of Least bytes or more, counts for it where the text was
// cut behind it with an ellipsis. Values that are split otherwise, or encoded in another way, are not found.
func (c Cutter) Text(text string) string {
	if c.patterns == nil {
		return text
	}
	var b strings.Builder
	kept := 0
	for i := 0; i < len(text); {
		if !c.patterns.may(text, i) {
			i++
			continue
		}
		n := c.patterns.find(text[i:]).size
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

// JSON does the same to the texts in a JSON document. What is no JSON is treated as text. Where there is nothing to take
// out the document is returned as it is.
func (c Cutter) JSON(document []byte) []byte {
	text := string(document)
	clean := c.Text(text)
	if clean == text {
		return document
	}
	dec := json.NewDecoder(strings.NewReader(text))
	dec.UseNumber() // a number that looks like a value is none
	var v any
	if !json.Valid(document) || dec.Decode(&v) != nil {
		return []byte(clean)
	}
	if plain, err := json.Marshal(c.Data(v)); err == nil {
		return plain
	}
	return []byte(clean)
}

// A match is what begins at some place of a text.
type match struct {
	size int  // of a whole value, as it stands in the text; zero where there is none
	open bool // the text ends before it can be told
	got  int  // how much of an open value is there, in its own bytes
}

// may tells whether something may begin at i.
func (p *patterns) may(text string, i int) bool {
	return i+1 == len(text) || p.pairs[text[i]][text[i+1]]
}

// find tells what begins where the text does.
func (p *patterns) find(text string) match {
	values := p.by[text[0]]
	plain := len(text) > 1 && strings.IndexByte(escaping+breaking, text[1]) < 0
	var open match
	first, whole := lead(text)
	if !whole {
		open.open = true // half of an escaped character
	}
	for {
		for _, value := range values {
			if plain && text[0] == value[0] && len(value) > 1 && text[1] != value[1] {
				continue
			}
			m := matched(text, value)
			if m.size > 0 {
				m.open, m.got = open.open, len(value)
				return m
			}
			if m.open {
				open = match{open: true, got: max(m.got, open.got)}
			}
		}
		if first == text[0] {
			return open
		}
		values = p.by[first]
		first = text[0]
	}
}

// lead is the byte that the text begins with when its first character is escaped, and else its first byte; whole is
// false when the text ends within what may be an escaped character.
func lead(text string) (first byte, whole bool) {
	first, whole = text[0], true
	switch first {
	case '+':
		return ' ', true
	case '\\':
		outer := nested(text)
		if text = text[outer:]; len(text) < 2 {
			return first, false
		}
		if i := strings.IndexByte(escapes, text[1]); i >= 0 {
			return escaped[i], true
		}
		if r, n := coded(text); n > 0 {
			var b [utf8.UTFMax]byte
			utf8.EncodeRune(b[:], r)
			return b[0], true
		}
		return first, len(text) > longestCode || text[1] != 'u' && text[1] != 'x'
	case '%':
		if len(text) < 3 {
			return first, false
		}
		if n, err := strconv.ParseUint(text[1:3], 16, 8); err == nil {
			return byte(n), true
		}
	case '&':
		end := strings.IndexByte(text[:min(len(text), longestCode)], ';')
		if end < 0 {
			return first, len(text) >= longestCode
		}
		if plain := html.UnescapeString(text[:end+1]); plain != "" {
			return plain[0], true
		}
	}
	return first, true
}

// longestCode is how many bytes one escaped character may have.
const longestCode = 12

// matched tells whether the value stands at the beginning of the text.
func matched(text, value string) match {
	if strings.HasPrefix(text, value) {
		return match{size: len(value)}
	}
	at, got, breaks := 0, 0, 0
	for got < len(value) {
		if at == len(text) {
			return match{open: true, got: got}
		}
		r, size := utf8.DecodeRuneInString(value[got:])
		if n := unit(text[at:], r, value[got:got+size]); n > 0 {
			at, got, breaks = at+n, got+size, 0
			continue
		}
		if n := lineBreak(text[at:]); n > 0 && got > 0 && breaks < maxBreaks {
			at, breaks = at+n, breaks+1
			continue
		}
		if got >= Least && (strings.HasPrefix(text[at:], "..") || strings.HasPrefix(text[at:], "…")) {
			return match{size: at}
		}
		if _, whole := lead(text[at:]); !whole {
			return match{open: true, got: got}
		}
		return match{}
	}
	return match{size: at}
}

// maxBreaks is how many line breaks there may be between two characters of a value.
const maxBreaks = 2

// lineBreak is the length of what parts two pieces of a value that were printed one after the other; 0 when there is none.
func lineBreak(text string) int {
	switch {
	case strings.IndexByte(breaking, text[0]) >= 0:
		return 1
	case len(text) > 1 && text[0] == '\\' && strings.IndexByte("nrt", text[1]) >= 0:
		return 2
	}
	return 0
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

// The characters that may stand behind a backslash, and what they stand for.
const (
	escapes = `"\/'nrtbf`
	escaped = "\"\\/'\n\r\t\b\f"
)

// backslashed is the length of a character as JSON, Lua and Go may have it.
func backslashed(text string, r rune) int {
	outer := 0
	if r != '\\' {
		outer = nested(text)
	}
	if text = text[outer:]; len(text) < 2 {
		return 0
	}
	if i := strings.IndexByte(escapes, text[1]); i >= 0 && r == rune(escaped[i]) {
		return outer + 2
	}
	if code, n := coded(text); n > 0 && code == r {
		return outer + n
	}
	return 0
}

// nested is how many backslashes stand before the one that escapes a character: those of texts in texts, such as Lua in
// JSON.
func nested(text string) int {
	n := 1
	for n < len(text) && n < 8 && text[n] == '\\' {
		n++
	}
	return n - 1
}

// coded is the character that stands at the beginning of the text as \x2f or \u002f, and the length of that; 0 when there
// is none.
func coded(text string) (r rune, n int) {
	first, ok := digits(text, 'x', 2)
	if ok {
		return first, 4
	}
	first, ok = digits(text, 'u', 4)
	switch {
	case !ok:
		return 0, 0
	case !utf16.IsSurrogate(first):
		return first, 6
	}
	if second, ok := digits(text[6:], 'u', 4); ok {
		return utf16.DecodeRune(first, second), 12
	}
	return 0, 0
}

// digits reads \x2f and \u002f.
func digits(text string, letter byte, n int) (rune, bool) {
	if len(text) < 2+n || text[0] != '\\' || text[1] != letter {
		return 0, false
	}
	code, err := strconv.ParseUint(text[2:2+n], 16, 16)
	return rune(code), err == nil
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
