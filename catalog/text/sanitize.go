package text

// This file makes foreign text harmless. What sources, scripts, actions and the model say is data, but a terminal obeys
// some of it, and some characters hide text from a reader or a model. One rule says which characters those are: Unsafe,
// with joins below. Text on its way to a screen shows them as escapes, since a person who approves a call must see that
// something is there (Sanitize). Text that is taken in, such as the description of an action, loses them, so that it is
// read, found and given to a model as it looks (Clean).

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Sanitize makes visible, in text of any number of lines, what a terminal would obey or a reader would not see: control
// characters but newline and tab, the characters of Unsafe, joiners that join nothing, and bytes that are not UTF-8
// become escapes such as \27 or \u{202e}. CR LF becomes LF, and a keycap loses the selector within it, for which some
// terminals make the digit wide and others do not. Nothing else changes: Sanitize(Sanitize(s)) == Sanitize(s).
func Sanitize(s string) string {
	return harmless(s, func(b *strings.Builder, r rune, bytes string) {
		switch {
		case r == '\r' && bytes == "\r\n":
			// The newline that follows is enough.
		case r == utf8.RuneError || r < 0x80:
			fmt.Fprintf(b, "\\%d", bytes[0])
		default:
			fmt.Fprintf(b, "\\u{%x}", r)
		}
	})
}

// SanitizeLine is Sanitize for text that must stay on one line: newline and tab become \n and \t.
func SanitizeLine(s string) string {
	s = Sanitize(s)
	if !strings.ContainsAny(s, "\n\t") {
		return s
	}
	return strings.NewReplacer("\n", `\n`, "\t", `\t`).Replace(s)
}

// SanitizeSource is SanitizeLine for a line of source: tabs stay, they are its indentation.
func SanitizeSource(s string) string {
	return strings.ReplaceAll(Sanitize(s), "\n", `\n`)
}

// Clean prepares text of any number of lines that is taken in: without surrounding space, CR LF as LF, and without what
// Sanitize would escape. Whole control sequences of terminals, control characters and line separators become a space;
// invisible characters are removed, so that words that look whole are whole; bytes that are not UTF-8 become U+FFFD.
func Clean(s string) string {
	if strings.ContainsAny(s, "\x1b\u009b") {
		s = sequences.ReplaceAllString(s, " ")
	}
	return strings.TrimSpace(harmless(s, func(b *strings.Builder, r rune, bytes string) {
		switch {
		case r == utf8.RuneError:
			b.WriteRune(r)
		case unicode.IsSpace(r) && bytes != "\r\n" || unicode.IsControl(r) && r != '\r':
			b.WriteByte(' ')
		}
	}))
}

// sequences are what ESC and CSI introduce: colours, titles, clipboards.
var sequences = regexp.MustCompile("\x1b(?:\\[[0-?]*[ -/]*[@-~]|[\\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\\\)|[ -/]*[0-~])|" +
	"\u009b[0-?]*[ -/]*[@-~]")

// OneLine is Clean for text that must stay on one line: all runs of space become one blank.
func OneLine(s string) string {
	if isPlain(s) && !strings.ContainsAny(s, "\n\t") && !strings.Contains(s, "  ") {
		return strings.Trim(s, " ")
	}
	return strings.Join(strings.Fields(Clean(s)), " ")
}

// harmless copies s and calls write to replace each unsafe character. bytes are those of the character; a CR before LF
// is included.
func harmless(s string, write func(b *strings.Builder, r rune, bytes string)) string {
	if isPlain(s) {
		return s
	}
	var b strings.Builder
	b.Grow(len(s) + 16)
	last := rune(-1) // what was written before
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		bytes := s[i : i+size]
		switch {
		case r == utf8.RuneError && size == 1 || Unsafe(r):
			if strings.HasPrefix(s[i:], "\r\n") {
				bytes = "\r\n"
			}
		case joins(r) && !joined(last, r, s[i+size:]):
		case r == asEmoji && strings.HasPrefix(s[i+size:], string(keycap)):
			i += size
			continue
		default:
			b.WriteString(bytes)
			last, i = r, i+size
			continue
		}
		before := b.Len()
		write(&b, r, bytes)
		if b.Len() > before {
			last, _ = utf8.DecodeLastRuneInString(b.String())
		}
		i += size
	}
	return b.String()
}

// isPlain reports, quickly, that s is only printable ASCII, newlines and tabs.
func isPlain(s string) bool {
	for i := range len(s) {
		if c := s[i]; c >= 0x7f || c < ' ' && c != '\n' && c != '\t' {
			return false
		}
	}
	return true
}

// Unsafe reports characters that are never shown or taken in unchanged:
//
//	control characters (C0, DEL, C1) but newline and tab   a terminal obeys them: ESC begins a command, CR hides a line
//	bidirectional overrides, embeddings, isolates, marks   text reads in another order than it runs
//	zero-width characters, tags, soft hyphens, fillers     nobody sees them; a model reads them, and names look alike
//	line and paragraph separators                          they begin a line where none begins
//	private and unassigned characters                      they look like anything or nothing, and have no known width
//
// Some format characters have a shape of their own and stay, such as the number signs of Arabic. Joiners and variation
// selectors depend on their neighbours; see joined.
func Unsafe(r rune) bool {
	switch {
	case r < 0x7f:
		return r < ' ' && r != '\n' && r != '\t'
	case joins(r):
		return false
	case unicode.IsPrint(r):
		return unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r) || unicode.Is(unicode.Variation_Selector, r)
	}
	return !unicode.Is(unicode.Zs, r) && !unicode.Is(unicode.Prepended_Concatenation_Mark, r)
}

const (
	nonJoiner     = '\u200c'
	joiner        = '\u200d'
	asText        = '\ufe0e'
	asEmoji       = '\ufe0f'
	keycap        = '\u20e3'
	firstSkinTone = '\U0001f3fb'
	lastSkinTone  = '\U0001f3ff'
)

// joins reports the invisible characters that some scripts and emoji need.
func joins(r rune) bool { return r == nonJoiner || r == joiner || r == asText || r == asEmoji }

// joined reports whether a joiner has an effect between the character before and the rest: composes an emoji, or shapes
// a letter of a script with joined forms. Anywhere else it would be invisible.
func joined(before, r rune, rest string) bool {
	after, _ := utf8.DecodeRuneInString(rest)
	switch {
	case r == asText || r == asEmoji:
		return isPicture(before) || after == keycap && (before == '#' || before == '*' || before >= '0' && before <= '9')
	case unicode.In(before, shaped...):
		return true
	}
	return r == joiner && (isPicture(before) || before == asEmoji) && isPicture(after)
}

// isPicture reports the symbols that emoji are made of.
func isPicture(r rune) bool {
	switch {
	case r == '©' || r == '®' || r == '‼' || r == '⁉' || r >= firstSkinTone && r <= lastSkinTone:
		return true
	}
	return r >= '←' && r != utf8.RuneError && unicode.In(r, unicode.So, unicode.Sm)
}

// shaped are the scripts whose letters change form when joined.
var shaped = []*unicode.RangeTable{
	unicode.Arabic, unicode.Syriac, unicode.Nko, unicode.Mandaic, unicode.Mongolian, unicode.Devanagari, unicode.Bengali,
	unicode.Gurmukhi, unicode.Gujarati, unicode.Oriya, unicode.Tamil, unicode.Telugu, unicode.Kannada, unicode.Malayalam,
	unicode.Sinhala, unicode.Khmer, unicode.Myanmar, unicode.Tibetan,
}
