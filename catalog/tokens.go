package catalog

// This file cuts text into words: the same cut for entries and for queries. "listUnpaidInvoices", "list_unpaid-invoices"
// and "List unpaid invoices" give the same words; accents are taken off, letters and digits part, CJK runes stand alone.

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/kljensen/snowball/english"
	"golang.org/x/text/unicode/norm"
)

const (
	// maxWord is the longest word in bytes that is kept; longer runs are keys or encoded data.
	maxWord = 48
	// maxText is how much of one text is read, in bytes.
	maxText = 16 << 10
)

type runeClass uint8

const (
	spaceClass runeClass = iota
	lowerClass
	upperClass
	digitClass
	aloneClass
)

// asciiClasses are the classes of the first 128 runes.
var asciiClasses = func() (classes [utf8.RuneSelf]runeClass) {
	for r := 'a'; r <= 'z'; r++ {
		classes[r] = lowerClass
		classes[r-'a'+'A'] = upperClass
	}
	for r := '0'; r <= '9'; r++ {
		classes[r] = digitClass
	}
	return classes
}()

func classOf(r rune) runeClass {
	if r < utf8.RuneSelf {
		return asciiClasses[r]
	}
	switch {
	case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai):
		return aloneClass
	case unicode.IsUpper(r):
		return upperClass
	case unicode.IsLetter(r):
		return lowerClass
	case unicode.IsDigit(r):
		return digitClass
	}
	return spaceClass
}

// eachWord calls f with every word of text in lower case. joined says that only a change between letters and digits
// parts the word from the one before. The bytes are valid until f returns.
func eachWord(text string, f func(word []byte, joined bool)) {
	text = plainText(text)
	var buf [maxWord + utf8.UTFMax]byte
	n, long := 0, false
	prev, joined := spaceClass, false
	flush := func(nextJoined bool) {
		if n > 0 && !long {
			f(buf[:n], joined)
		}
		n, long, joined = 0, false, nextJoined && n > 0 && !long
	}
	for i, r := range text {
		class := classOf(r)
		switch class {
		case spaceClass:
			flush(false)
		case upperClass:
			switch {
			case prev == digitClass:
				flush(true)
			case prev == lowerClass, prev == upperClass && startsWord(text[i+utf8.RuneLen(r):]), prev == aloneClass:
				flush(false)
			}
		case digitClass:
			if prev == lowerClass || prev == upperClass {
				flush(true)
			} else if prev == aloneClass {
				flush(false)
			}
		case lowerClass:
			if prev == digitClass {
				flush(true)
			} else if prev == aloneClass {
				flush(false)
			}
		case aloneClass:
			flush(false)
		}
		prev = class
		if class == spaceClass || long {
			continue
		}
		if n >= maxWord {
			long = true
			continue
		}
		if r < utf8.RuneSelf {
			if class == upperClass {
				r += 'a' - 'A'
			}
			buf[n] = byte(r)
			n++
		} else {
			n += utf8.EncodeRune(buf[n:], unicode.ToLower(r))
		}
	}
	flush(false)
}

// startsWord reports whether rest begins with a lower-case letter that is no plural s of an acronym: the S of
// "HTTPServer" starts a word, that of "SLAs" does not.
func startsWord(rest string) bool {
	r, size := utf8.DecodeRuneInString(rest)
	if size == 0 || classOf(r) != lowerClass {
		return false
	}
	if r == 's' {
		next, _ := utf8.DecodeRuneInString(rest[size:])
		return classOf(next) == lowerClass
	}
	return true
}

// plainText is the part of text that is read, without accents.
func plainText(text string) string {
	if len(text) > maxText {
		text = text[:maxText]
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

// Stem is the form that a lower-case word is indexed under; "" for a word that is too common to be indexed.
func Stem(word string) string { return stem(word) }

// Stems are the stems of a text's words in their order, as they are indexed: without the words that are too common.
func Stems(text string) []string {
	var stems []string
	eachWord(text, func(word []byte, _ bool) {
		if st := stem(string(word)); st != "" {
			stems = append(stems, st)
		}
	})
	return stems
}

// stem is the English stem of a lower-case word; "" for a stop word. Words that are not plain letters stay.
func stem(word string) string {
	if english.IsStopWord(word) {
		return ""
	}
	for i := 0; i < len(word); i++ {
		if word[i] < 'a' || word[i] > 'z' {
			return word
		}
	}
	if len(word) < 3 {
		return word
	}
	return english.Stem(word, true)
}

// requestWords say that somebody wants something, not what; they count little in a query.
const requestWords = ` help know tell let give show able try hi hello hey thanks thank sure okay ok yes looking wondering
interested much many really us kindly assist possible wish love going im ive id don t s m re ve ll d provide new use using
used based regarding related specific first second finally next lastly additionally currently anyone something anything `

// verbClasses are verbs that catalogs use for one another, a class a line.
const verbClasses = `find get list search retrieve fetch show lookup look query check view read browse locate discover obtain see display access
create add new make post insert register generate build set start open
update edit modify set change adjust patch put replace rename alter amend revise
delete remove cancel destroy clear erase drop revoke unregister
send post deliver transmit submit push notify
calculate compute determine estimate evaluate measure
convert transform translate change
book reserve schedule order
buy purchase order
analyze analyse assess evaluate examine inspect review
verify validate check confirm test
recommend suggest propose advise
play stream listen watch
record log track monitor
compare contrast diff
upload import load
download export save`

// A lexicon holds the word lists as stems.
type lexicon struct {
	request map[string]bool
	verbs   map[string][]string // stem → stems of its classes, sorted
	intents map[string]intent
	leads   map[string]bool
	joins   map[string]bool
	then    map[string]bool
	names   map[string]bool // what a name may follow
	vectors vectorTable
}

func newLexicon() lexicon {
	l := lexicon{
		request: map[string]bool{}, verbs: map[string][]string{},
		intents: newIntents(), leads: wordSet(leadWords), joins: wordSet(clauseWords), then: wordSet(thenWords), names: wordSet(beforeNames), vectors: newVectorTable(vectorsText),
	}
	for _, word := range strings.Fields(requestWords) {
		l.request[word] = true
	}
	for _, line := range strings.Split(verbClasses, "\n") {
		words := strings.Fields(line)
		for i := range words {
			words[i] = stem(words[i])
		}
		for _, word := range words {
			l.verbs[word] = append(l.verbs[word], words...)
		}
	}
	for word, others := range l.verbs {
		l.verbs[word] = sortedSet(others)
	}
	return l
}
