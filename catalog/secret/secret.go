// Package secret removes known values from texts, however they were escaped.
//
//	Cutter   some values; Text, JSON, Data and Clean take them out
//	Filter   the values of now, for whatever leaves a program; Stream does so for text that comes in pieces
//	Address, Command   the values that somebody wrote into an address or a command
//
// Start at New.
package secret

import (
	"cmp"
	"encoding/base32"
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

// Least is the shortest value that is searched for in texts, in bytes: shorter ones occur in ordinary words.
const Least = 6

// A Cutter removes values. The zero Cutter removes nothing. It is safe for concurrent use.
type Cutter struct{ patterns *patterns }

// patterns are the values that a Cutter searches for.
type patterns struct {
	by    [256][]pattern       // by the first byte of each, longest first
	next  [256]*[256][]pattern // of those by the second
	pairs [256][256]bool       // the two bytes that one may begin with in a text
	// broken are first bytes of patterns whose second could part two pieces.
	broken [256]bool
}

// A pattern is a value, a part of one, or one in another encoding.
type pattern struct {
	text string
	// loose is set where the case of its ASCII letters does not matter and blanks may stand in it.
	loose bool
}

// at tells whether a byte may be the i-th of the pattern.
func (p pattern) at(i int, b byte) bool { return p.text[i] == b || p.loose && swapped(p.text[i]) == b }

const (
	escaping = 1 // what an escaped character begins with
	breaking = 2 // what may stand within a value that was printed in pieces; blanks only in a loose one
	// loosely is from how many bytes on a value is found in another case, with blanks in it, and without its first or last
	// byte; halved from how many on each half of it is.
	loosely, halved = 16, 24
)

// class tells the bytes that may be more, or less, than themselves.
var class = [256]byte{'\\': escaping, '%': escaping, '&': escaping, '+': escaping, '\n': breaking, '\r': breaking,
	'\t': breaking, ' ': breaking}

// swapped is an ASCII letter in the other case; any other byte is itself.
func swapped(b byte) byte {
	if c := b | 0x20; c >= 'a' && c <= 'z' {
		return b ^ 0x20
	}
	return b
}

// New returns a Cutter of the values that have at least the given number of bytes, and at least one.
func New(values []string, least int) Cutter {
	var all []pattern
	for _, value := range values {
		if len(value) >= max(least, 1) {
			all = append(append(all, parts(value)...), encodings(value)...)
		}
	}
	if len(all) == 0 {
		return Cutter{}
	}
	// Longest first, so that none hides inside another.
	slices.SortFunc(all, func(a, b pattern) int {
		return cmp.Or(len(b.text)-len(a.text), strings.Compare(a.text, b.text))
	})
	all = slices.Compact(all)
	p := new(patterns)
	for _, value := range all {
		p.add(value, value.text[0])
		if other := swapped(value.text[0]); value.loose && other != value.text[0] {
			p.add(value, other)
		}
	}
	for first := range p.pairs {
		for second := range p.pairs[first] {
			p.pairs[first][second] = p.pairs[first][second] || class[first] == escaping
		}
	}
	return Cutter{p}
}

func (p *patterns) add(value pattern, first byte) {
	p.by[first] = append(p.by[first], value)
	if p.next[first] == nil {
		p.next[first] = new([256][]pattern)
	}
	for second := range 256 {
		c := byte(second)
		if len(value.text) == 1 || value.at(1, c) {
			p.next[first][c] = append(p.next[first][c], value)
			p.pairs[first][c] = true
			p.broken[first] = p.broken[first] || class[c] == breaking
		} else if (c != ' ' || value.loose) && class[c] != 0 {
			p.pairs[first][c] = true
		}
	}
}

// parts are a value and what is as good as it.
func parts(value string) []pattern {
	n := len(value)
	all := []pattern{{value, n >= loosely}}
	if n >= loosely {
		_, first := utf8.DecodeRuneInString(value)
		_, last := utf8.DecodeLastRuneInString(value)
		all = append(all, pattern{value[first:], true}, pattern{value[:n-last], true})
	}
	if n >= halved {
		half := n / 2
		for half > 0 && !utf8.RuneStart(value[half]) {
			half--
		}
		all = append(all, pattern{value[:max(half, 1)], true}, pattern{value[half:], true})
	}
	return all
}

// encodings are what a value looks like inside of a longer text that was encoded as a whole: in hexadecimal, and in
// base64 and base32 at each of the places where it may begin in a group, without the letters that its neighbours share.
func encodings(value string) []pattern {
	if len(value) < Least {
		return nil
	}
	var all []pattern
	add := func(texts ...string) {
		for _, text := range texts {
			all = append(all, pattern{text: text})
		}
	}
	inHex := hex.EncodeToString([]byte(value))
	add(inHex, strings.ToUpper(inHex))
	for before := range 3 {
		bits := 8 * (before + len(value))
		text := base64.RawStdEncoding.EncodeToString([]byte("\x00\x00"[:before] + value))
		text = text[(8*before+5)/6 : bits/6]
		add(text, strings.NewReplacer("+", "-", "/", "_").Replace(text))
	}
	for before := range 5 {
		bits := 8 * (before + len(value))
		text := base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString([]byte("\x00\x00\x00\x00"[:before] + value))
		text = text[(8*before+4)/5 : bits/5]
		add(text, strings.ToLower(text))
	}
	return all
}

// Text returns the text without the values, be they as they are, with any of their characters escaped as in JSON
// (\", \/, \u00e9), Lua and Go (\x2f), addresses and forms (%2F, %2f, + for a space) or HTML (&quot;, &#34;), over
// several lines, or in base64, base32 or hexadecimal. Long values count in any case, with blanks in them, and by parts
// of them that are as good. The beginning of a value, of Least bytes or more, counts for it where the text was cut
// behind it with an ellipsis. Values that are split otherwise, or encoded in another way, are not found.
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

// JSON does the same to the strings in a JSON document. Invalid JSON is treated as text. If there is nothing to remove,
// the document is returned unchanged.
func (c Cutter) JSON(document []byte) []byte {
	text := string(document)
	clean := c.Text(text)
	if clean == text {
		return document
	}
	dec := json.NewDecoder(strings.NewReader(text))
	dec.UseNumber() // a number is never a value
	var v any
	if !json.Valid(document) || dec.Decode(&v) != nil {
		return []byte(clean)
	}
	if plain, err := json.Marshal(c.Data(v)); err == nil {
		return plain
	}
	return []byte(clean)
}

// A match is what was found at a place of a text.
type match struct {
	size int  // of a whole value in the text; zero if there is none
	open bool // the text ends before this can be decided
	got  int  // how much of an open value matched, in its own bytes
}

// may reports whether a value may begin at i.
func (p *patterns) may(text string, i int) bool {
	return i+1 == len(text) || p.pairs[text[i]][text[i+1]]
}

// find matches the values at the beginning of the text.
func (p *patterns) find(text string) match {
	var open match
	first, whole := text[0], true
	if class[first] == escaping {
		first, whole = lead(text)
	}
	plain := len(text) > 2 && class[text[0]]+class[text[1]]+class[text[2]] == 0
	open.open = !whole // half of an escaped character
	for _, values := range [][]pattern{p.by[text[0]], p.by[first]} {
		if first == text[0] {
			values = p.likely(text)
		}
		for _, value := range values {
			if plain && len(value.text) > 2 && !value.at(2, text[2]) {
				continue
			}
			m := matched(text, value)
			if m.size > 0 {
				m.open, m.got = open.open, len(value.text)
				return m
			}
			if m.open {
				open = match{open: true, got: max(m.got, open.got)}
			}
		}
		if first == text[0] {
			return open
		}
	}
	return open
}

// likely are the patterns with the first byte of the text, and with the second where that can be told.
func (p *patterns) likely(text string) []pattern {
	next := p.next[text[0]]
	if next == nil || class[text[0]] == escaping {
		return p.by[text[0]]
	}
	second := 1
	for second < len(text) && !p.broken[text[0]] && class[text[second]] == breaking {
		second++
	}
	if second == len(text) || class[text[second]] == breaking {
		return p.by[text[0]]
	}
	if class[text[second]] == escaping {
		c, whole := lead(text[second:])
		if !whole || class[c] == breaking || next[c] != nil {
			return p.by[text[0]]
		}
	}
	return next[text[second]]
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

// matched matches one value at the beginning of the text.
func matched(text string, p pattern) match {
	value := p.text
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
		if size == 1 && p.loose && swapped(value[got]) != value[got] {
			other := [1]byte{swapped(value[got])}
			if n := unit(text[at:], rune(other[0]), string(other[:])); n > 0 {
				at, got, breaks = at+n, got+size, 0
				continue
			}
		}
		if n := pause(text[at:], p.loose); n > 0 && got > 0 && breaks < maxBreaks {
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

// pause is the length of what parts two pieces of a value that were printed one after the other: a line break with the
// blanks behind it, or where it is loose the blanks alone; 0 when there is none.
func pause(text string, loose bool) int {
	n := 0
	switch {
	case class[text[0]] == breaking && (text[0] != ' ' || loose):
		n = 1
	case len(text) > 1 && text[0] == '\\' && strings.IndexByte("nrt", text[1]) >= 0:
		n = 2
	default:
		return 0
	}
	for n < len(text) && text[n] == ' ' {
		n++
	}
	return n
}

// unit is the length of a character, in any of its forms, at the beginning of the text; 0 if it is not there.
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

// The characters that may follow a backslash, and their meanings.
const (
	escapes = `"\/'nrtbf`
	escaped = "\"\\/'\n\r\t\b\f"
)

// backslashed is the length of a character escaped as in JSON, Lua or Go.
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

// nested counts the backslashes before the one that escapes a character, as in texts within texts, such as Lua in JSON.
func nested(text string) int {
	n := 1
	for n < len(text) && n < 8 && text[n] == '\\' {
		n++
	}
	return n - 1
}

// coded decodes \x2f or \u002f at the beginning of the text, and returns its length; 0 if there is none.
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

// percented is the length of a percent-encoded character.
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
