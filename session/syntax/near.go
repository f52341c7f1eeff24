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

const (
	declares = "Lua declares with 'local'"
	defines  = "Lua defines with 'function name(...) ... end'"
	catches  = "Lua catches errors with 'local ok, e = pcall(function() ... end)'"
	raises   = "Lua writes error(message)"
	inserts  = "Lua writes table.insert(list, value)"
)

// foreign are words of other languages, and what Lua has in their place.
var foreign = map[string]string{
	"var": declares, "let": declares, "const": declares, "def": defines, "func": defines, "fn": defines, "try": catches,
	"catch": catches, "elif": "Lua writes 'elseif'", "elsif": "Lua writes 'elseif'",
	"import": "there are no modules here: everything is a global already",
	"throw":  raises, "raise": raises, "push": inserts, "append": inserts, "len": "Lua writes #list or #text",
	"printf": "Lua writes print(string.format(...))", "str": "Lua writes tostring(x)",
	"int": "Lua writes math.floor(x) or tonumber(text)", "float": "Lua writes tonumber(text)",
	"console": "Lua writes print(...)", "range": "Lua writes for i = 1, n do", "typeof": "Lua writes type(x)",
	"JSON": "Lua writes json.encode(value) and json.decode(text)", "undefined": "Lua writes nil",
	"None": "Lua writes nil", "True": "Lua writes true", "False": "Lua writes false",
}

// Foreign says what Lua has in the place of a word of another language, "" if it is none.
func Foreign(word string) string { return foreign[word] }

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
