package spelling

// This file splits text into words, the same way for entries, names and queries. "listUnpaidInvoices",
// "list_unpaid-invoices" and "List unpaid invoices" give the same words; accents are removed, letters and digits are
// separated, CJK runes stand alone.

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

const (
	// MaxWord is the longest word in bytes that is kept; anything longer is a key or encoded data.
	MaxWord = 48
	// MaxText is how much of one text is read, in bytes.
	MaxText = 16 << 10
)

// A Class is a kind of character for splitting words.
type Class uint8

// The classes.
const (
	Space Class = iota // parts words
	Lower
	Upper
	Digit
	Alone // a word by itself
)

// asciiClasses are the classes of the first 128 runes.
var asciiClasses = func() (classes [utf8.RuneSelf]Class) {
	for r := 'a'; r <= 'z'; r++ {
		classes[r] = Lower
		classes[r-'a'+'A'] = Upper
	}
	for r := '0'; r <= '9'; r++ {
		classes[r] = Digit
	}
	return classes
}()

// ClassOf is the class of a character.
func ClassOf(r rune) Class {
	if r < utf8.RuneSelf {
		return asciiClasses[r]
	}
	switch {
	case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai):
		return Alone
	case unicode.IsUpper(r):
		return Upper
	case unicode.IsLetter(r):
		return Lower
	case unicode.IsDigit(r):
		return Digit
	}
	return Space
}

// EachWord calls f with every word of text in lower case. joined is true if only a change between letters and digits
// separates the word from the one before. The bytes are valid until f returns.
func EachWord(text string, f func(word []byte, joined bool)) { new(Splitter).EachWord(text, f) }

// A Splitter splits texts, one after the other: f must not use it. The zero value is ready to use.
type Splitter struct {
	buf [MaxWord + utf8.UTFMax]byte
}

// EachWord is the function of this name.
func (s *Splitter) EachWord(text string, f func(word []byte, joined bool)) {
	text = Plain(text)
	buf := &s.buf
	n, long := 0, false
	prev, joined := Space, false
	flush := func(nextJoined bool) {
		if n > 0 && !long {
			f(buf[:n], joined)
		}
		n, long, joined = 0, false, nextJoined && n > 0 && !long
	}
	for i := 0; i < len(text); {
		r, size := rune(text[i]), 1
		if r >= utf8.RuneSelf {
			r, size = utf8.DecodeRuneInString(text[i:])
		}
		i += size
		class := ClassOf(r)
		switch class {
		case Space:
			flush(false)
		case Upper:
			switch {
			case prev == Digit:
				flush(true)
			case prev == Lower, prev == Upper && startsWord(text[i:]), prev == Alone:
				flush(false)
			}
		case Digit:
			if prev == Lower || prev == Upper {
				flush(true)
			} else if prev == Alone {
				flush(false)
			}
		case Lower:
			if prev == Digit {
				flush(true)
			} else if prev == Alone {
				flush(false)
			}
		case Alone:
			flush(false)
		}
		prev = class
		if class == Space || long {
			continue
		}
		if n >= MaxWord {
			long = true
			continue
		}
		if r < utf8.RuneSelf {
			if class == Upper {
				r += 'a' - 'A'
			}
			buf[n] = byte(r)
			// The rest of the letters of most words.
			for n++; n < MaxWord && i < len(text) && 'a' <= text[i] && text[i] <= 'z' && class == Lower; i++ {
				buf[n] = text[i]
				n++
			}
		} else {
			n += utf8.EncodeRune(buf[n:], unicode.ToLower(r))
		}
	}
	flush(false)
}

// startsWord reports whether rest begins with a lower-case letter other than the plural s of an acronym: the S of
// "HTTPServer" starts a word, that of "SLAs" does not.
func startsWord(rest string) bool {
	r, size := utf8.DecodeRuneInString(rest)
	if size == 0 || ClassOf(r) != Lower {
		return false
	}
	if r == 's' {
		next, _ := utf8.DecodeRuneInString(rest[size:])
		return ClassOf(next) == Lower
	}
	return true
}

// Plain is the part of text that is read, without accents.
func Plain(text string) string {
	if len(text) > MaxText {
		text = text[:MaxText]
	}
	for i := 0; i < len(text); i++ {
		if text[i] >= utf8.RuneSelf {
			return withoutAccents(text)
		}
	}
	return text
}

func withoutAccents(text string) string {
	text = norm.NFKD.String(strings.ToValidUTF8(text, " "))
	var b strings.Builder
	b.Grow(len(text))
	for _, r := range text {
		switch {
		case unicode.Is(unicode.Mn, r):
		case r == '\u2019':
			b.WriteByte('\'')
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}
