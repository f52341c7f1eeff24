// Package pattern matches ids with patterns such as crm.*. It is the only place that does: policies, --allow, grants,
// overlays, views and the trace all use it, so that a pattern means the same in all of them.
//
//	crm.lead.create   that action, and nothing below it
//	crm.*             everything below crm, at any depth, but not an action named crm itself
//	crm.*.delete      one segment between the two, whatever it is
//	crm.lead.*_all    within a segment, * is any number of characters and ? is one
//	*                 every action
//
// A pattern is read as narrowly as possible, since most of them grant something: a * reaches beyond its segment only if
// it is the whole last one. Case matters, as it does in ids. The same holds for patterns that deny or hide; an invalid
// one is an error there, and the caller must close what it may have meant.
//
// An id has no characters with a meaning in patterns (catalog.CheckID refuses them), so every id is a pattern that
// matches itself.
package pattern

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	// Reserved are the characters that no id may have. The character classes and escapes of other pattern languages are
	// refused rather than taken literally: a [ab] that silently matched itself could leave open what it should close.
	Reserved  = `*?[]\`
	wildcards = "*?"
	maxLength = 500 // bytes
)

// A Pattern is a set of ids. The zero Pattern matches none. Patterns with the same text are equal.
type Pattern struct{ text string }

// Parse reads a pattern.
func Parse(text string) (Pattern, error) {
	wrong := ""
	switch {
	case text == "":
		return Pattern{}, errors.New("the pattern is empty; * matches every action")
	case len(text) > maxLength:
		return Pattern{}, fmt.Errorf("the pattern is longer than %d bytes", maxLength)
	case !utf8.ValidString(text):
		wrong = "not valid UTF-8"
	case strings.HasPrefix(text, "."), strings.HasSuffix(text, "."), strings.Contains(text, ".."):
		wrong = "a segment is empty"
	case strings.Contains(text, "**"):
		wrong = "write one *; as the last segment it matches everything below"
	case strings.ContainsAny(text, `[]\`):
		wrong = `[, ] and \ have no meaning; ? stands for one character`
	case strings.ContainsFunc(text, func(r rune) bool { return unicode.IsSpace(r) || !unicode.IsPrint(r) }):
		wrong = "use printable characters without spaces"
	default:
		return Pattern{text}, nil
	}
	return Pattern{}, fmt.Errorf("pattern %q: %s", text, wrong)
}

// Exact is the pattern for one id. If the text is not an id but a wider pattern, it matches nothing.
func Exact(id string) Pattern {
	if strings.ContainsAny(id, Reserved) {
		return Pattern{}
	}
	return Pattern{id}
}

// All matches every id.
func All() Pattern { return Pattern{"*"} }

// Match reports whether id is in p.
func (p Pattern) Match(id string) bool {
	if p.text == "" || id == "" {
		return false
	}
	if p.IsExact() {
		return p.text == id
	}
	text := p.text
	for {
		want, wantMore, more := strings.Cut(text, ".")
		have, haveMore, deeper := strings.Cut(id, ".")
		switch {
		case want == "*" && !more:
			return have != ""
		case !segment(want, have) || more != deeper:
			return false
		case !more:
			return true
		}
		text, id = wantMore, haveMore
	}
}

// segment matches one segment. It backtracks to the last * only, so that the work is bounded by the product of the
// lengths.
func segment(pattern, s string) bool {
	star, from := -1, 0 // behind the last *, and where in s what it took ends
	i, j := 0, 0
	for j < len(s) {
		_, size := utf8.DecodeRuneInString(s[j:])
		switch {
		case i < len(pattern) && pattern[i] == '*':
			star, from = i+1, j
			i++
		case i < len(pattern) && pattern[i] == '?':
			i, j = i+1, j+size
		case i < len(pattern) && pattern[i] == s[j]:
			i, j = i+1, j+1
		case star >= 0:
			_, skipped := utf8.DecodeRuneInString(s[from:])
			from += skipped
			i, j = star, from
		default:
			return false
		}
	}
	return strings.Trim(pattern[i:], "*") == ""
}

// Glob reports whether a text that is no id, such as a name or an argument, matches: * is any number of characters,
// dots included, and ? is one. Nothing else has a meaning.
func Glob(glob, text string) bool { return segment(glob, text) }

// IsExact reports whether p matches one id only.
func (p Pattern) IsExact() bool { return p.text != "" && !strings.ContainsAny(p.text, wildcards) }

// IsZero reports whether p is the zero Pattern, which matches nothing.
func (p Pattern) IsZero() bool { return p.text == "" }

// Prefix is what every matching id begins with: all of an exact pattern, else the text before the first wildcard.
func (p Pattern) Prefix() string {
	if i := strings.IndexAny(p.text, wildcards); i >= 0 {
		return p.text[:i]
	}
	return p.text
}

// String is p as it was written.
func (p Pattern) String() string { return p.text }

// MarshalText writes p as Parse reads it.
func (p Pattern) MarshalText() ([]byte, error) { return []byte(p.text), nil }

// UnmarshalText is Parse, for configuration files and flags.
func (p *Pattern) UnmarshalText(text []byte) (err error) {
	*p, err = Parse(string(text))
	return err
}

// ParseAll reads several patterns and stops at the first invalid one.
func ParseAll(texts []string) ([]Pattern, error) {
	all := make([]Pattern, 0, len(texts))
	for _, text := range texts {
		p, err := Parse(text)
		if err != nil {
			return nil, err
		}
		all = append(all, p)
	}
	return all, nil
}
