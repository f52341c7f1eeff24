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
func Words(name string) []string { return split(name, false) }

// Terms are Words with the letters of every script. A word that mixes Latin letters with others, which may look the
// same, is split between them; only Chinese, Japanese and Korean ones stand beside Latin ones.
func Terms(name string) []string { return split(name, true) }

// folded are Latin letters that are not a letter and a mark, and a word that is written as if it were two.
var folded = strings.NewReplacer("OAuth", "Oauth", "oAuth", "oauth",
	"ß", "ss", "ẞ", "SS", "æ", "ae", "Æ", "AE", "œ", "oe", "Œ", "OE", "ø", "o", "Ø", "O",
	"đ", "d", "Đ", "D", "ł", "l", "Ł", "L", "ı", "i", "þ", "th", "Þ", "Th")

func split(name string, all bool) []string {
	var out []string
	var word []rune
	latin, other := false, false // letters of the word
	flush := func() {
		if len(word) > 0 {
			out = append(out, norm.NFC.String(strings.ToLower(string(word))))
			word, latin, other = word[:0], false, false
		}
	}
	runes := []rune(norm.NFKD.String(folded.Replace(name)))
	for i, r := range runes {
		switch {
		case unicode.IsMark(r) && all && len(word) > 0 && word[len(word)-1] >= utf8.RuneSelf:
		case unicode.Is(unicode.Mn, r), r == '\'', r == '’':
			continue
		case r >= utf8.RuneSelf && !all, !unicode.IsLetter(r) && !unicode.IsDigit(r):
			flush()
			continue
		case !unicode.IsDigit(r) && (latin && apart(r) || other && r < utf8.RuneSelf):
			flush() // Latin letters beside those of a script that could pass for Latin
		case unicode.IsUpper(r):
			lowerBefore := i > 0 && (unicode.IsLower(runes[i-1]) || unicode.IsDigit(runes[i-1]))
			lowerAfter := i+1 < len(runes) && unicode.IsLower(runes[i+1]) && i > 0 && unicode.IsUpper(runes[i-1])
			plural := lowerAfter && runes[i+1] == 's' && (i+2 == len(runes) || !unicode.IsLower(runes[i+2]))
			if lowerBefore || lowerAfter && !plural {
				flush()
			}
		}
		word = append(word, r)
		if unicode.IsLetter(r) {
			latin, other = latin || r < utf8.RuneSelf, other || apart(r)
		}
	}
	flush()
	return out
}

// apart says whether a letter is of a script that could pass for Latin.
func apart(r rune) bool {
	return r >= utf8.RuneSelf &&
		!unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Bopomofo)
}
