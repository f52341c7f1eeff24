package syntax

import (
	"almanac/catalog/lua"
)

// This file holds the tokens: the coarse kinds that callers see and the exact ones that the parser reads.

// A TokenKind decides the colour of a token.
type TokenKind uint8

// The kinds. Bad is what is no token: a stray byte, an unfinished string, a malformed number, a reserved name.
const (
	Bad TokenKind = iota
	Name
	Keyword
	Number
	String
	Comment
	Operator // operators and punctuation
)

func (k TokenKind) String() string {
	return [...]string{"bad", "name", "keyword", "number", "string", "comment", "operator"}[k]
}

// A Pos is a place in a text. Offset counts bytes from 0; Line and Column count from 1, Column in bytes.
type Pos struct {
	Offset, Line, Column int
}

// A Token is one piece of a text: Text is exactly what stands there.
type Token struct {
	Kind TokenKind
	Text string
	Pos  Pos
}

// Tokens splits src into its tokens, comments included, white space left out. It never fails: bad input gives tokens
// of kind Bad.
func Tokens(src string) []Token {
	lx := newLexer(src, true, 64)
	out := make([]Token, 0, tokensIn(src))
	line, from := 1, 0
	for more := true; more; {
		// A few at a time: their memory stays near.
		more = lx.read(32)
		for _, t := range lx.toks {
			if int(t.line) != line {
				line, from = int(t.line), lineStart(src, int(t.start))
			}
			out = append(out, Token{
				Kind: t.kind.coarse(),
				Text: src[t.start:t.end],
				Pos:  Pos{Offset: int(t.start), Line: line, Column: int(t.start) - from + 1},
			})
		}
		lx.toks = lx.toks[:0]
	}
	return out
}

// lineStart is the offset of the first byte of the line that holds offset.
func lineStart(src string, offset int) int {
	for offset > 0 && src[offset-1] != '\n' && src[offset-1] != '\r' {
		offset--
	}
	return offset
}

// A kind is an exact token kind.
type kind uint8

const (
	tkEOF kind = iota
	tkBad
	tkName
	tkNumber
	tkString
	tkComment

	// The reserved words, in the order of lua.Keywords.
	tkAnd
	tkBreak
	tkDo
	tkElse
	tkElseif
	tkEnd
	tkFalse
	tkFor
	tkFunction
	tkGoto
	tkIf
	tkIn
	tkLocal
	tkNil
	tkNot
	tkOr
	tkRepeat
	tkReturn
	tkThen
	tkTrue
	tkUntil
	tkWhile

	// Operators and punctuation.
	tkAdd
	tkSub
	tkMul
	tkDiv
	tkMod
	tkPow
	tkLen
	tkBAnd
	tkTilde
	tkBOr
	tkShl
	tkShr
	tkIDiv
	tkEq
	tkNe
	tkLe
	tkGe
	tkLt
	tkGt
	tkAssign
	tkLParen
	tkRParen
	tkLBrace
	tkRBrace
	tkLBracket
	tkRBracket
	tkLabel
	tkSemi
	tkColon
	tkComma
	tkDot
	tkConcat
	tkDots
)

// keyword returns the reserved word's kind, or tkName.
func keyword(s string) kind {
	if place, is := lua.Keyword(s); is {
		return tkAnd + kind(place)
	}
	return tkName
}

func (k kind) coarse() TokenKind {
	switch {
	case k == tkName:
		return Name
	case k == tkNumber:
		return Number
	case k == tkString:
		return String
	case k == tkComment:
		return Comment
	case k >= tkAdd:
		return Operator
	case k >= tkAnd:
		return Keyword
	}
	return Bad
}

// A token is a Token as the parser reads it: bytes start to end of the text, line of its first byte.
type token struct {
	kind       kind
	start, end int32
	line       int32
}

func (t token) span() span { return span{t.start, t.end} }
