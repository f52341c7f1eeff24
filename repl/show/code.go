package show

// This file colours code of common languages: comments, strings, numbers and keywords, which is what helps to read an
// answer. Lua has its own tokens. A library of lexers would add 5 MB to the program and 20 ms to each start.

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A language is how the code of a language is read.
type language struct {
	names    string // as a code block may call it
	keywords string
	comments []string // each up to the end of the line
	block    [2]string
	quotes   []string // longer ones first
	// plain are quotes without escapes, tall those that may hold line ends.
	plain, tall string
	// keys tells that a name or a string in front of a colon is a key.
	keys bool
	// fold tells that keywords are known in any case.
	fold bool
}

func languages() []language {
	const c = "break case const continue default else for if return switch var while true false "
	return []language{
		{names: "json jsonc json5 jsonl", keywords: "true false null", comments: []string{"//"},
			quotes: []string{`"`}, keys: true},
		{names: "yaml yml toml ini", keywords: "true false null yes no on off", comments: []string{"#"},
			quotes: []string{`"`, "'"}, plain: "'",
			keys: true},
		{names: "sh bash zsh shell console fish", comments: []string{"#"}, quotes: []string{`"`, "'"}, plain: "'", tall: `"'`,
			keywords: "if then else elif fi for in do done while until case esac function return export local exit set unset echo cd"},
		{names: "python py python3", comments: []string{"#"}, quotes: []string{`"""`, "'''", `"`, "'"}, tall: `"""'''`,
			keywords: "and as assert async await break class continue def del elif else except False finally for from global if import in " +
				"is lambda None nonlocal not or pass raise return True try while with yield match case"},
		{names: "js javascript ts typescript jsx tsx mjs", comments: []string{"//"}, block: [2]string{"/*", "*/"},
			quotes: []string{`"`, "'", "`"}, tall: "`",
			keywords: c +
				"async await class delete do export extends finally from function import in instanceof interface let new null of " +
				"static super this throw try type typeof undefined void yield"},
		{names: "go golang", comments: []string{"//"}, block: [2]string{"/*", "*/"},
			quotes: []string{`"`, "'", "`"}, plain: "`", tall: "`",
			keywords: c + "chan defer fallthrough func go goto import interface map nil package range select struct type"},
		{names: "sql postgresql mysql sqlite", comments: []string{"--"}, block: [2]string{"/*", "*/"},
			quotes: []string{"'", `"`}, plain: `"'`,
			tall: `"'`, fold: true,
			keywords: "select from where and or not in is null like between join left right inner outer full on as group by order having limit " +
				"offset union all distinct insert into values update set delete create table index view drop alter add primary key " +
				"references default case when then else end exists with asc desc true false"},
	}
}

func languageOf(name string) (language, bool) {
	for _, l := range languages() {
		if slices.Contains(strings.Fields(l.names), strings.ToLower(name)) {
			return l, true
		}
	}
	return language{}, false
}

// codeLines is clean source of the named language as lines; of one that is not known without colours.
func codeLines(source, name string) []Line {
	if strings.EqualFold(name, "lua") {
		return LuaLines(source)
	}
	l, ok := languageOf(name)
	if !ok {
		return plainLines(source, Code)
	}
	keywords := map[string]bool{}
	for _, word := range strings.Fields(l.keywords) {
		keywords[word] = true
	}
	var p painted
	bare, before := 0, ' ' // where the text without a colour begins, and what stands in front of the next token
	for at := 0; at < len(source); {
		role, n := l.token(source[at:], before, keywords)
		if role != Code {
			p.put(Code, source[bare:at])
			p.put(role, source[at:at+n])
			bare = at + n
		}
		at += n
		before, _ = utf8.DecodeLastRuneInString(source[:at])
	}
	p.put(Code, source[bare:])
	return p.whole()
}

// token returns what s begins with and how long that is; before is what stands in front of it.
func (l language) token(s string, before rune, keywords map[string]bool) (Role, int) {
	if open := l.block[0]; open != "" && strings.HasPrefix(s, open) {
		return Dim, closing(s, len(open), l.block[1])
	}
	for _, mark := range l.comments {
		if strings.HasPrefix(s, mark) && (mark != "#" || unicode.IsSpace(before)) {
			return Dim, lineEnd(s)
		}
	}
	for _, quote := range l.quotes {
		if strings.HasPrefix(s, quote) {
			n := l.quoted(s, quote)
			if l.keys && isKey(s[n:]) {
				return Keyword, n
			}
			return String, n
		}
	}
	r, n := utf8.DecodeRuneInString(s)
	switch {
	case r >= '0' && r <= '9':
		return Number, wordEnd(s, ".")
	case !isWordRune(r):
		return Code, n
	}
	n = wordEnd(s, "")
	if l.keys && (unicode.IsSpace(before) || before == '-') {
		if long := wordEnd(s, "-./"); isKey(s[long:]) {
			return Keyword, long
		}
	}
	word := s[:n]
	if l.fold {
		word = strings.ToLower(word)
	}
	if keywords[word] {
		return Keyword, n
	}
	return Code, n
}

// quoted is how long the string is that s begins with: to its end, or that of the line where it may have none within.
func (l language) quoted(s, quote string) int {
	for i := len(quote); i < len(s); i++ {
		switch {
		case strings.HasPrefix(s[i:], quote):
			return i + len(quote)
		case s[i] == '\\' && !strings.Contains(l.plain, quote):
			i++
		case s[i] == '\n' && !strings.Contains(l.tall, quote):
			return i
		}
	}
	return len(s)
}

// isKey tells whether a colon, or the equals sign of an assignment, follows a name.
func isKey(s string) bool {
	s = strings.TrimLeft(s, " ")
	return strings.HasPrefix(s, ":") && !strings.HasPrefix(s, "://") || strings.HasPrefix(s, "= ")
}

func closing(s string, from int, mark string) int {
	if i := strings.Index(s[from:], mark); i >= 0 {
		return from + i + len(mark)
	}
	return len(s)
}

func lineEnd(s string) int {
	if i := strings.IndexByte(s, '\n'); i >= 0 {
		return i
	}
	return len(s)
}

func isWordRune(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }

// wordEnd is how long the word is that s begins with; more are characters that belong to it.
func wordEnd(s, more string) int {
	i := strings.IndexFunc(s, func(r rune) bool { return !isWordRune(r) && !strings.ContainsRune(more, r) })
	if i < 0 {
		return len(s)
	}
	return i
}

// painted is code on its way to lines. The zero painted is empty and ready.
type painted struct {
	lines []Line
	open  Line
}

func (p *painted) put(role Role, text string) {
	for i, part := range strings.Split(text, "\n") {
		if i > 0 {
			p.lines, p.open = append(p.lines, p.open), nil
		}
		if part != "" {
			p.open = append(p.open, Span{role, part})
		}
	}
}

func (p *painted) whole() []Line { return append(p.lines, p.open) }
