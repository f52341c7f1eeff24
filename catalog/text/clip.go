package text

// This file shortens text. The unit is in the name: bytes bound memory and tokens, characters bound what people read;
// text that must fit on a screen is cut in cells (catalog/text/cells). No UTF-8 character is split.

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// HeadBytes is the beginning of s in at most n bytes.
func HeadBytes(s string, n int) string {
	if len(s) <= n {
		return s
	}
	n = max(n, 0)
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

// TailBytes is the end of s in at most n bytes.
func TailBytes(s string, n int) string {
	at := max(len(s)-max(n, 0), 0)
	for at < len(s) && !utf8.RuneStart(s[at]) {
		at++
	}
	return s[at:]
}

// ClipBytes is s in at most n bytes, ending in "…" if it was cut and there is room for that.
func ClipBytes(s string, n int) string {
	if len(s) <= n || n < len("…") {
		return HeadBytes(s, n)
	}
	return strings.TrimRight(HeadBytes(s, n-len("…")), " ") + "…"
}

// ClipRunes is s in at most n characters, the last of them "…" if it was cut.
func ClipRunes(s string, n int) string {
	if len(s) <= n || utf8.RuneCountInString(s) <= n {
		return s
	}
	i := 0
	for at := range s {
		if i == n-1 {
			return strings.TrimRight(s[:at], " ") + "…"
		}
		i++
	}
	return ""
}

// LineBytes is OneLine in at most n bytes, ending in "…" if it was cut. Only the beginning of a long s is looked at.
func LineBytes(s string, n int) string { return ClipBytes(OneLine(HeadBytes(s, max(longest, 4*n))), n) }

// LineRunes is OneLine in at most n characters, the last of them "…" if it was cut. Only the beginning of a long s is
// looked at.
func LineRunes(s string, n int) string { return ClipRunes(OneLine(HeadBytes(s, max(longest, 4*n))), n) }

// shortest is the least length of a sentence, in bytes: a full stop before that ends an abbreviation, "e.g. " or "No.
// ".
const shortest = 16

// longest is how much of a text is searched for a sentence or a short line, in bytes.
const longest = 4 << 10

// FirstSentence is the first sentence of text, or all of it, on one line.
func FirstSentence(s string) string {
	s = OneLine(HeadBytes(s, longest))
	for i := shortest; i+1 < len(s); i++ {
		if strings.IndexByte(".!?", s[i]) >= 0 && s[i+1] == ' ' {
			return s[:i+1]
		}
	}
	return s
}

// Capital is a text with a capital in front.
func Capital(s string) string {
	r, n := utf8.DecodeRuneInString(s)
	if n == 0 {
		return s
	}
	return string(unicode.ToUpper(r)) + s[n:]
}

// Quote is s as somebody else's words among others: each of its lines behind "> ", so that none can pass for a line of
// what it stands in.
func Quote(s string) string {
	return "> " + strings.ReplaceAll(strings.TrimRight(s, "\n"), "\n", "\n> ")
}
