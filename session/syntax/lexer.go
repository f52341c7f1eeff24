package syntax

import "strings"

// This file splits a text into tokens. The scanner looks at each byte once and never stops at an error: an invalid
// token becomes one of kind tkBad, with its message kept beside it.

// A lexer holds the tokens of a text and the errors of the bad ones.
type lexer struct {
	src      string
	pos      int
	line     int32
	comments bool // keep them
	toks     []token
	bad      []badToken // in the order of toks
	last     token      // the last comment, kept or not
}

// A badToken says what is wrong with the token that starts at start; at is the exact place.
type badToken struct {
	start, at  int
	line       int32
	message    string
	hint       string
	incomplete bool
}

const byteOrderMark = "\xEF\xBB\xBF"

// tokensIn guesses how many tokens src has; scripts with indents and comments have fewer.
func tokensIn(src string) int { return len(src)/4 + 8 }

// scan returns src as tokens that end with tkEOF. A first line that begins with #! is a comment, as scripts that are
// files have it; #x is a length.
func scan(src string, comments bool) *lexer {
	lx := newLexer(src, comments, tokensIn(src))
	lx.read(len(src))
	lx.toks = append(lx.toks, token{kind: tkEOF, start: int32(len(src)), end: int32(len(src)), line: lx.line})
	return lx
}

// newLexer starts after what may precede the first token; tokens is the initial capacity.
func newLexer(src string, comments bool, tokens int) *lexer {
	lx := &lexer{src: src, line: 1, comments: comments, toks: make([]token, 0, tokens)}
	if strings.HasPrefix(src, byteOrderMark) {
		lx.pos = len(byteOrderMark)
	}
	if strings.HasPrefix(src[lx.pos:], "#!") {
		start := lx.pos
		lx.skipLine()
		lx.comment(start, 1)
	}
	return lx
}

// read adds up to n tokens and reports whether there may be more.
func (lx *lexer) read(n int) bool {
	for len(lx.toks) < n && lx.pos < len(lx.src) {
		lx.next()
	}
	return lx.pos < len(lx.src)
}

const (
	cSpace = 1 << iota
	cLetter
	cDigit
	cHex
)

// classes gives the class of each byte as the C locale has it.
var classes = func() (t [256]uint8) {
	for _, c := range []byte(" \t\v\f\n\r") {
		t[c] = cSpace
	}
	for c := 'a'; c <= 'z'; c++ {
		t[c], t[c-'a'+'A'] = cLetter, cLetter
	}
	for c := 'a'; c <= 'f'; c++ {
		t[c], t[c-'a'+'A'] = cLetter|cHex, cLetter|cHex
	}
	for c := '0'; c <= '9'; c++ {
		t[c] = cDigit | cHex
	}
	t['_'] = cLetter
	return t
}()

func (lx *lexer) next() {
	src, c := lx.src, lx.src[lx.pos]
	start := lx.pos
	switch class := classes[c]; {
	case c == '\n' || c == '\r':
		lx.newline()
	case class&cSpace != 0:
		lx.pos++
	case class&cLetter != 0:
		i := start + 1
		for i < len(src) && classes[src[i]]&(cLetter|cDigit) != 0 {
			i++
		}
		lx.word(start, i)
	case class&cDigit != 0 || c == '.' && classes[lx.peek(1)]&cDigit != 0:
		lx.number()
	case c == '"' || c == '\'':
		lx.shortString(c)
	case c == '-' && lx.peek(1) == '-':
		lx.skipComment()
	case c == '[' && (lx.peek(1) == '[' || lx.peek(1) == '='):
		lx.openBracket()
	default:
		lx.mark(c)
	}
}

// peek returns the byte n after the current one, zero beyond the end.
func (lx *lexer) peek(n int) byte {
	if lx.pos+n < len(lx.src) {
		return lx.src[lx.pos+n]
	}
	return 0
}

// newline steps over one line break: \n, \r, \r\n or \n\r.
func (lx *lexer) newline() {
	c := lx.src[lx.pos]
	lx.pos++
	if n := lx.peek(0); (n == '\n' || n == '\r') && n != c {
		lx.pos++
	}
	lx.line++
}

func (lx *lexer) add(k kind, start int, line int32) {
	lx.toks = append(lx.toks, token{kind: k, start: int32(start), end: int32(lx.pos), line: line})
}

func (lx *lexer) addBad(start int, line int32, b badToken) {
	b.start = start
	if b.line == 0 {
		b.at, b.line = start, line
	}
	lx.bad = append(lx.bad, b)
	lx.add(tkBad, start, line)
}

func (lx *lexer) comment(start int, line int32) {
	lx.last = token{kind: tkComment, start: int32(start), end: int32(lx.pos), line: line}
	if lx.comments {
		lx.toks = append(lx.toks, lx.last)
	}
}

func (lx *lexer) word(start, end int) {
	lx.pos = end
	s := lx.src[start:end]
	k := tkName
	if len(s) <= 8 {
		k = keyword(s)
	}
	if strings.HasPrefix(s, HostPrefix) {
		lx.addBad(start, lx.line, badToken{message: "'" + s + "' is a reserved name", hint: "names that begin with " +
			HostPrefix + " belong to the host"})
		return
	}
	lx.add(k, start, lx.line)
}

func (lx *lexer) skipLine() {
	for lx.pos < len(lx.src) && lx.src[lx.pos] != '\n' && lx.src[lx.pos] != '\r' {
		lx.pos++
	}
}

func (lx *lexer) skipComment() {
	start, line := lx.pos, lx.line
	lx.pos += 2
	if lx.peek(0) == '[' {
		if level := lx.longLevel(); level >= 0 {
			if lx.longText(level) {
				lx.comment(start, line)
			} else {
				lx.addBad(start, line, badToken{message: "unfinished long comment near <eof>", incomplete: true})
			}
			return
		}
	}
	lx.skipLine()
	lx.comment(start, line)
}

// longLevel returns the level of the long bracket that opens at the current byte, -1 when none does.
func (lx *lexer) longLevel() int {
	i := lx.pos + 1
	for i < len(lx.src) && lx.src[i] == '=' {
		i++
	}
	if i < len(lx.src) && lx.src[i] == '[' {
		return i - lx.pos - 1
	}
	return -1
}

// longText steps over a long bracket of the given level and reports whether it is closed.
func (lx *lexer) longText(level int) bool {
	src := lx.src
	for lx.pos += level + 2; lx.pos < len(src); {
		switch src[lx.pos] {
		case '\n', '\r':
			lx.newline()
		case ']':
			i := lx.pos + 1
			for i < len(src) && src[i] == '=' {
				i++
			}
			if i < len(src) && src[i] == ']' && i-lx.pos-1 == level {
				lx.pos = i + 1
				return true
			}
			lx.pos = i
		default:
			lx.pos++
		}
	}
	return false
}

func (lx *lexer) openBracket() {
	start, line := lx.pos, lx.line
	level := lx.longLevel()
	if level < 0 {
		for lx.pos++; lx.peek(0) == '='; {
			lx.pos++
		}
		lx.addBad(start, line, badToken{message: "invalid long string delimiter near '" + lx.src[start:lx.pos] + "'"})
		return
	}
	if lx.longText(level) {
		lx.add(tkString, start, line)
		return
	}
	lx.addBad(start, line, badToken{message: "unfinished long string near <eof>", incomplete: true})
}

// mark2 gives the two-byte marks.
func mark2(a, b byte) kind {
	switch string([]byte{a, b}) {
	case "==":
		return tkEq
	case "~=":
		return tkNe
	case "<=":
		return tkLe
	case ">=":
		return tkGe
	case "<<":
		return tkShl
	case ">>":
		return tkShr
	case "//":
		return tkIDiv
	case "::":
		return tkLabel
	case "..":
		return tkConcat
	}
	return tkBad
}

// mark1 gives the one-byte marks.
var mark1 = [128]kind{
	'+': tkAdd, '-': tkSub, '*': tkMul, '/': tkDiv, '%': tkMod, '^': tkPow, '#': tkLen, '&': tkBAnd, '~': tkTilde,
	'|': tkBOr, '<': tkLt, '>': tkGt, '=': tkAssign, '(': tkLParen, ')': tkRParen, '{': tkLBrace, '}': tkRBrace,
	'[': tkLBracket, ']': tkRBracket, ';': tkSemi, ':': tkColon, ',': tkComma, '.': tkDot,
}

func (lx *lexer) mark(c byte) {
	start := lx.pos
	if k := mark2(c, lx.peek(1)); k != tkBad {
		lx.pos += 2
		if k == tkConcat && lx.peek(0) == '.' {
			lx.pos++
			k = tkDots
		}
		lx.add(k, start, lx.line)
		return
	}
	lx.pos++
	if c < 128 && mark1[c] != tkEOF {
		lx.add(mark1[c], start, lx.line)
		return
	}
	for c >= 0x80 && lx.pos < len(lx.src) && lx.src[lx.pos]&0xC0 == 0x80 {
		lx.pos++
	}
	lx.addBad(start, lx.line, strayByte(lx.src[start:lx.pos]))
}
