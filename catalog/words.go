package catalog

// This file has the small text helpers: names in one form, one-line and short versions of text that others wrote.

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// clip is at most n runes of text, with an ellipsis for the rest.
func clip(text string, n int) string {
	if utf8.RuneCountInString(text) <= n {
		return text
	}
	i := 0
	for at := range text {
		if i == n-1 {
			return strings.TrimRight(text[:at], " ") + "…"
		}
		i++
	}
	return text
}

// oneLine is text without control characters and runs of spaces, so that what a catalog says cannot draw on a
// screen or start a line of its own. Text beyond 4,000 bytes is not looked at.
func oneLine(text string) string {
	if len(text) > 4000 {
		text = text[:4000]
	}
	text = strings.ToValidUTF8(text, "")
	return strings.Join(strings.FieldsFunc(text, func(r rune) bool {
		return unicode.IsSpace(r) || unicode.IsControl(r) || r == '\u2028' || r == '\u2029' || unicode.Is(unicode.Cf, r)
	}), " ")
}

// firstSentence is the first sentence of a description in at most n runes.
func firstSentence(text string, n int) string {
	text = oneLine(text)
	for i := 0; i+1 < len(text); i++ {
		if (text[i] == '.' || text[i] == '!' || text[i] == '?') && text[i+1] == ' ' && i > 15 {
			text = text[:i+1]
			break
		}
	}
	return clip(text, n)
}
