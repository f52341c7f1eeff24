package input

// This file reads an input line: which of its few forms it has, and what its prefix asks for.

import (
	"strings"
	"unicode"
)

// A Form is what an input is.
type Form int

// The forms.
const (
	// Nothing: blank input.
	Nothing Form = iota
	// Lua: Text is source.
	Lua
	// Words: Text is for the model.
	Words
	// Command: Name is the slash command without the slash, Text its argument as typed.
	Command
	// Question: Text is an id or a name to describe; Full asks for all there is.
	Question
)

// An Input is a line as Parse reads it.
type Input struct {
	Form Form
	Name string
	Text string
	Full bool
	// Bang tells that "!" asked for Lua.
	Bang bool
}

// Parse reads a submitted input in mode m. Line ends become LF; the columns of Lua source stay where they were
// typed, except for a prefix. It never fails: whatever has no prefix is Lua or words.
func Parse(line string, m Mode) Input {
	line = strings.ReplaceAll(line, "\r\n", "\n")
	line = strings.ReplaceAll(line, "\r", "\n")
	line = strings.TrimRightFunc(line, unicode.IsSpace)
	text := strings.TrimSpace(line)
	switch {
	case text == "":
		return Input{}
	case text == "?" || text == "/":
		return Input{Form: Command, Name: "help"}
	case text[0] == '/':
		name, arg := CutWord(text[1:])
		return Input{Form: Command, Name: name, Text: arg}
	case text[0] == '?':
		return worded(strings.TrimSpace(text[1:]))
	case text[0] == '!':
		in := luaInput(text[1:])
		in.Bang = in.Form == Lua
		return in
	}
	if id, full, ok := question(text, m); ok {
		return Input{Form: Question, Text: id, Full: full}
	}
	if m == AskMode {
		return worded(text)
	}
	return luaInput(line)
}

func worded(text string) Input {
	if text == "" {
		return Input{}
	}
	return Input{Form: Words, Text: text}
}

// luaInput takes "= 1+1" for the expression, as the shells of older Luas do. Its columns stay.
func luaInput(text string) Input {
	if rest, ok := strings.CutPrefix(strings.TrimLeftFunc(text, unicode.IsSpace), "="); ok {
		text = text[:len(text)-len(rest)-1] + " " + rest
	}
	if strings.TrimSpace(text) == "" {
		return Input{}
	}
	return Input{Form: Lua, Text: text}
}

// question reads "id?" and "id??". Where words are expected a lone word with a question mark is a question to the
// model, so there only dotted names count.
func question(text string, m Mode) (id string, full, ok bool) {
	id, ok = strings.CutSuffix(text, "?")
	if !ok {
		return "", false, false
	}
	id, full = strings.CutSuffix(id, "?")
	if id == "" || strings.ContainsAny(id, " \t\n?\"'()[]{}=,;") || strings.HasPrefix(id, "--") {
		return "", false, false
	}
	if m == AskMode && !strings.Contains(strings.Trim(id, "."), ".") {
		return "", false, false
	}
	return id, full, true
}

// cutSpace cuts s around its first run of blanks or newlines.
func CutWord(s string) (first, rest string) {
	i := strings.IndexAny(s, " \t\n")
	if i < 0 {
		return s, ""
	}
	return s[:i], strings.TrimLeft(s[i:], " \t\n")
}
