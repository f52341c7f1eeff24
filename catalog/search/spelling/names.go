package spelling

// This file normalises names of any style to one form.

import (
	"strings"
	"unicode/utf8"
)

// Fold normalises a field, tag or entity name for comparison: lower case, words joined by "_". "customerId",
// "customer.id" and "Customer-ID" are all "customer_id".
func Fold(name string) string {
	var b strings.Builder
	b.Grow(len(name) + 4)
	EachWord(name, func(word []byte, joined bool) {
		if b.Len() > 0 && !joined {
			b.WriteByte('_')
		}
		b.Write(word)
	})
	return b.String()
}

// Singular is a folded name with its last word in the singular, by the spelling alone.
func Singular(name string) string {
	switch {
	case len(name) < 4, strings.HasSuffix(name, "ss"), strings.HasSuffix(name, "us"), strings.HasSuffix(name, "is"):
		return name
	case strings.HasSuffix(name, "ies"):
		return name[:len(name)-3] + "y"
	case strings.HasSuffix(name, "sses"), strings.HasSuffix(name, "xes"), strings.HasSuffix(name, "ches"),
		strings.HasSuffix(name, "shes"):
		return name[:len(name)-2]
	case strings.HasSuffix(name, "s"):
		return name[:len(name)-1]
	}
	return name
}

// Plural is a folded name in the plural, by the spelling alone.
func Plural(thing string) string {
	switch {
	case strings.HasSuffix(thing, "y") && len(thing) > 1 && !strings.ContainsRune("aeiou", rune(thing[len(thing)-2])):
		return thing[:len(thing)-1] + "ies"
	case strings.HasSuffix(thing, "sis"):
		return thing[:len(thing)-2] + "es"
	case strings.HasSuffix(thing, "s"), strings.HasSuffix(thing, "x"), strings.HasSuffix(thing, "ch"),
		strings.HasSuffix(thing, "sh"):
		return thing + "es"
	}
	return thing + "s"
}

// HasLetters reports whether text has the letters of word in their order.
func HasLetters(text, word string) bool {
	for _, r := range word {
		i := strings.IndexRune(text, r)
		if i < 0 {
			return false
		}
		_, n := utf8.DecodeRuneInString(text[i:])
		text = text[i+n:]
	}
	return true
}
