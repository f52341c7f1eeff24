package syntax

import (
	"slices"

	"almanac/catalog/search/spelling"
)

// This file guesses which word was meant by a wrong one.

// Nearest is spelling.Nearest for names in Lua, which are not abbreviated: one that is more than half as long again was
// not meant. Words of one or two bytes are near to too many. It sorts names and may drop some.
func Nearest(word string, names []string) string {
	if len(word) < 3 {
		return ""
	}
	names = slices.DeleteFunc(names, func(name string) bool { return len(name) > len(word)*3/2 })
	slices.Sort(names)
	return spelling.Nearest(word, names)
}

// keywordHint says which reserved word was probably meant by a name; want is the one that is needed there, "" for any.
func keywordHint(name, want string) string {
	words := []string{want}
	if want == "" {
		words = []string{"break", "else", "elseif", "end", "for", "function", "goto", "if", "local", "repeat", "return",
			"then", "until", "while", "do"}
	}
	near := Nearest(name, words)
	if near == "" && want != "" && len(name) == len(want) && spelling.Distance(name, want, 2) < 2 {
		near = want // "od" for "do"
	}
	if near == "" {
		return ""
	}
	return "did you mean '" + near + "'?"
}
