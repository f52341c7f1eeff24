package openapi

import (
	"html"
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// clip is text on one line without control characters, at most n bytes and whole runes.
func clip(text string, n int) string {
	if len(text) <= n && plain(text) {
		return text
	}
	var b strings.Builder
	space := false
	for _, r := range text {
		if unicode.IsSpace(r) || !unicode.IsPrint(r) {
			space = b.Len() > 0
			continue
		}
		if b.Len()+utf8.RuneLen(r)+1 > n {
			b.WriteString("…")
			break
		}
		if space {
			b.WriteByte(' ')
			space = false
		}
		b.WriteRune(r)
	}
	return b.String()
}

func plain(text string) bool {
	for i := range len(text) {
		if text[i] < ' ' || text[i] > '~' {
			return false
		}
	}
	return true
}

// tags are those of HTML that descriptions have; what is in other brackets is text.
var tags = regexp.MustCompile(`(?i)</?(p|br|code|a|b|i|em|strong|ul|ol|li|div|span|pre|h[1-6]|table|tr|td|th|thead|tbody|hr)(\s[^<>]*)?/?>`)

// lines is clip for text of several lines, which it keeps. Tags of HTML go.
func lines(text string, n int) string {
	if strings.Contains(text, "</") || strings.Contains(text, "<br") || strings.Contains(text, "<p>") {
		text = html.UnescapeString(tags.ReplaceAllString(text, ""))
	}
	text = strings.Map(func(r rune) rune {
		switch {
		case r == '\n':
			return r
		case unicode.IsSpace(r):
			return ' '
		case !unicode.IsPrint(r):
			return -1
		}
		return r
	}, strings.ReplaceAll(text, "\r\n", "\n"))
	text = strings.TrimSpace(text)
	if len(text) <= n {
		return text
	}
	n -= len("…")
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n] + "…"
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return strconv.Itoa(n) + " " + what + "s"
}

func kb(n int) string { return strconv.Itoa(n>>10) + " KB" }
