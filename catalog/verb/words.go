package verb

// This file splits names into words.

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Words splits a name at capitals, digits that begin a word, and everything but letters and digits. The words are
// lower-case ASCII.
func Words(name string) []string {
	var out []string
	var word []rune
	flush := func() {
		if len(word) > 0 {
			out = append(out, strings.ToLower(string(word)))
			word = word[:0]
		}
	}
	runes := []rune(norm.NFKD.String(name))
	for i, r := range runes {
		switch {
		case unicode.Is(unicode.Mn, r), r == '\'', r == '’':
			continue
		case r >= utf8.RuneSelf || !unicode.IsLetter(r) && !unicode.IsDigit(r):
			flush()
			continue
		case unicode.IsUpper(r):
			lowerBefore := i > 0 && (unicode.IsLower(runes[i-1]) || unicode.IsDigit(runes[i-1]))
			lowerAfter := i+1 < len(runes) && unicode.IsLower(runes[i+1]) && i > 0 && unicode.IsUpper(runes[i-1])
			plural := lowerAfter && runes[i+1] == 's' && (i+2 == len(runes) || !unicode.IsLower(runes[i+2]))
			if lowerBefore || lowerAfter && !plural {
				flush()
			}
		}
		word = append(word, r)
	}
	flush()
	return out
}
