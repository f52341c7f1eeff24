package input

// This file indents Lua as it is typed.

import (
	"strings"

	"almanac/session/syntax"
)

const indentStep = "  "

// Indent is the white space that a new line behind line begins with.
func Indent(line string) string {
	margin := line[:len(line)-len(strings.TrimLeft(line, " \t"))]
	depth := 0
	for i, t := range syntax.Tokens(line) {
		switch {
		case t.Kind == syntax.Keyword:
			switch n := opens(t.Text); {
			case i > 0 || n > 0:
				depth += n
			case t.Text == "else":
				depth++ // it opens a block, and the one that it closes has moved it to the left already
			}
		case t.Kind == syntax.Operator && strings.Contains("({[", t.Text):
			depth++
		case t.Kind == syntax.Operator && strings.Contains(")}]", t.Text):
			if i > 0 {
				depth--
			}
		}
	}
	if depth > 0 {
		margin += indentStep
	}
	if depth < 0 {
		margin = strings.TrimSuffix(margin, indentStep)
	}
	return margin
}

// opens is how a keyword changes the depth of blocks. The do of a loop and the then of a condition count for them.
func opens(word string) int {
	switch word {
	case "function", "do", "then", "repeat":
		return 1
	case "end", "until", "elseif":
		return -1
	}
	return 0
}

// Outdents tells whether a line that holds nothing but text belongs one step further left: it closes a block.
func Outdents(text string) bool {
	switch text {
	case "end", "else", "elseif", "until", "}", ")", "]":
		return true
	}
	return false
}
