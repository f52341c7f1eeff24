package syntax

import (
	"fmt"
	"sort"
)

// This file holds the parser's frame; statements are in parser_stmt.go, expressions in parser_expr.go.
//
// At an error the parser remembers it (callers see the first one) and behaves as if the text ended, back to the
// innermost list of statements, which skips to where a statement may begin and continues. So tools get a tree even of
// broken text, in linear time.

// The limits of a text. Beyond them it is refused before the engine sees it.
const (
	// maxSource is the most bytes that a text may have.
	maxSource = 1 << 20
	// maxNesting is how deep blocks, functions, parentheses and operands may nest.
	maxNesting = 180
	// maxConstants is how many names, strings and numbers a text may hold.
	maxConstants = 250_000
	// maxTokens is how many tokens a text may have: its tree takes some hundred bytes for each.
	maxTokens = 400_000
	// maxSuffixes is how many fields, indexes and calls may follow one another: a.b[c]:d()().
	maxSuffixes = 10_000
)

type parser struct {
	src     string
	toks    []token
	bad     []badToken
	i       int
	tok     token // the current one; tkEOF while broken
	broken  bool
	stopped bool // a limit was hit: nothing more is read
	err     *Error
	depth   int
	fn      *function
	// functions are those read so far, in the order in which their texts begin.
	functions []*function
	names     resolver
	// top are the variables of the chunk itself that live at its end.
	top []*variable
	// hostEqual has the host compare all values that are no constants.
	hostEqual bool
	// recovered is where reading went on after the last error.
	recovered int

	// What the tree is made of.
	blocks     slab[block]
	stmts      slab[stmt]
	refs       slab[nameRef]
	literals   slab[literal]
	suffixeds  slab[suffixed]
	binaries   slab[binary]
	variables  slab[variable]
	statements stack[*stmt]
	exprs      stack[expr]
	parts      stack[part]
	items      stack[item]
	declared   stack[declaration]
}

// A declaration is a name that a statement is about to declare.
type declaration struct {
	name     token
	constant bool
}

// begin readies a parser for the main function of src, which is empty yet. p.err is set if src is too long.
func begin(src string) (main *function, p *parser) {
	p = &parser{src: src, recovered: -1}
	p.names.names = make(map[string]*variable)
	main = &function{span: span{0, int32(len(src))}, vararg: true, body: &block{}}
	if len(src) > maxSource {
		p.err = &Error{
			Pos:     Pos{Offset: 0, Line: 1, Column: 1},
			Message: fmt.Sprintf("source too long: %d bytes (limit is %d)", len(src), maxSource),
			Hint:    "run it in parts, or keep long data outside of the script",
		}
		return main, p
	}
	lx := scan(src, false)
	p.toks, p.bad = lx.toks, lx.bad
	p.tok = p.toks[0]
	p.limitConstants()
	p.fn = main
	p.names.open(main, nil)
	return main, p
}

// parse reads a whole chunk. The tree is never nil; it is only fit for tools when p.err is set.
func parse(src string) (*function, *parser) {
	main, p := begin(src)
	if p.toks == nil {
		return main, p
	}
	main.body = p.block()
	for p.tok.kind != tkEOF {
		// A word that closes a block that was never opened.
		p.fail(p.tok, "unexpected "+p.spell(p.tok))
		p.recover()
		more := p.block()
		main.body.stmts = append(main.body.stmts, more.stmts...)
	}
	p.top = p.names.vars
	p.closeScope()
	return main, p
}

func (p *parser) limitConstants() {
	if len(p.toks) <= maxConstants {
		return
	}
	if len(p.toks) > maxTokens {
		p.stop(p.toks[maxTokens], fmt.Sprintf("too many tokens (limit is %d)", maxTokens))
		p.err.Hint = "run it in parts, or keep long data outside of the script"
		return
	}
	n := 0
	for _, t := range p.toks {
		if t.kind == tkName || t.kind == tkNumber || t.kind == tkString {
			if n++; n > maxConstants {
				p.stop(t, fmt.Sprintf("too many names and literals (limit is %d)", maxConstants))
				return
			}
		}
	}
}

// next moves to the token after the current one.
func (p *parser) next() {
	if p.broken || p.toks[p.i].kind == tkEOF {
		return
	}
	p.i++
	p.tok = p.toks[p.i]
}

// ahead is the kind of the token after the current one.
func (p *parser) ahead() kind {
	if p.broken || p.i+1 >= len(p.toks) {
		return tkEOF
	}
	return p.toks[p.i+1].kind
}

// end is the end of the token before the current one.
func (p *parser) end() int32 {
	if p.i == 0 {
		return 0
	}
	return p.toks[p.i-1].end
}

func (p *parser) text(t token) string { return p.src[t.start:t.end] }

// spell shows a token in a message.
func (p *parser) spell(t token) string {
	if t.kind == tkEOF {
		return "<eof>"
	}
	return "'" + clip(p.text(t)) + "'"
}

// fail records an error at t and breaks off. The error of a bad token takes precedence over what the parser expected
// there.
func (p *parser) fail(t token, message string) *Error {
	if p.broken {
		return &Error{}
	}
	p.broken = true
	p.tok = token{kind: tkEOF, start: t.start, end: t.start, line: t.line}
	if p.err != nil {
		return &Error{} // its place would cost a look at the whole line, for each of many
	}
	e := &Error{Pos: p.pos(t), Message: message, Incomplete: t.kind == tkEOF}
	if t.kind == tkBad {
		for _, b := range p.bad {
			if b.start == int(t.start) {
				at := token{start: int32(b.at), line: b.line}
				e = &Error{Pos: p.pos(at), Message: b.message, Hint: b.hint, Incomplete: b.incomplete}
				break
			}
		}
	}
	p.err = e
	return e
}

// stop is fail for a limit: nothing more is read.
func (p *parser) stop(t token, message string) {
	p.fail(t, message).Incomplete = false
	p.stopped = true
	p.i = len(p.toks) - 1
}

// tokenAt is the first token that does not begin before start.
func (p *parser) tokenAt(start int32) token {
	i := sort.Search(len(p.toks)-1, func(i int) bool { return p.toks[i].start >= start })
	return p.toks[i]
}

func (p *parser) pos(t token) Pos {
	return Pos{Offset: int(t.start), Line: int(t.line), Column: int(t.start) - lineStart(p.src, int(t.start)) + 1}
}

// recover ends the broken state at the next place where a statement may begin or a block may end. It never stops
// twice at one token.
func (p *parser) recover() {
	p.broken = false
	line := p.toks[p.i].line
	for stuck := p.i == p.recovered; ; stuck = false {
		t := p.toks[p.i]
		fresh := t.kind == tkName && t.line > line && p.toks[p.i-1].kind != tkDot
		if t.kind == tkEOF || !stuck && (fresh || startsOrEnds(t.kind)) {
			p.tok, p.recovered = t, p.i
			return
		}
		p.i++
	}
}

func startsOrEnds(k kind) bool {
	switch k {
	case tkSemi, tkBreak, tkDo, tkElse, tkElseif, tkEnd, tkFor, tkGoto, tkIf, tkLocal, tkRepeat, tkReturn, tkUntil,
		tkWhile:
		return true
	}
	return false
}

// enter counts one more level of nesting; every enter needs a leave.
func (p *parser) enter() bool {
	p.depth++
	if p.depth > maxNesting && !p.broken {
		p.stop(p.tok, fmt.Sprintf("chunk nests too deep (limit is %d levels)", maxNesting))
	}
	return !p.broken
}

func (p *parser) leave() { p.depth-- }

// accept steps over a token of kind k.
func (p *parser) accept(k kind) bool {
	if p.tok.kind == k {
		p.next()
		return true
	}
	return false
}

// expect steps over a token of kind k or fails.
func (p *parser) expect(k kind, what string) token {
	t := p.tok
	if t.kind != k {
		e := p.fail(t, what+" expected near "+p.spell(t))
		if k == tkName && t.kind >= tkAnd && t.kind <= tkWhile {
			e.Hint = p.spell(t) + " is a reserved word"
		}
		return token{kind: tkBad, start: t.start, end: t.start, line: t.line}
	}
	p.next()
	return t
}

// expectEnd steps over the token that closes what opener opened.
func (p *parser) expectEnd(k kind, what string, opener token) token {
	if p.tok.kind != k && !p.broken {
		p.expectEndError(what, opener)
	}
	return p.expect(k, what)
}

func (p *parser) expectEndError(what string, opener token) *Error {
	return p.fail(p.tok, fmt.Sprintf("%s expected (to close %s at line %d) near %s", what, p.spell(opener), opener.line,
		p.spell(p.tok)))
}

func (p *parser) closeScope() {
	if g := p.names.close(); g != nil {
		e := p.semantic(g.at, fmt.Sprintf("no visible label '%s' for <goto> at line %d", g.name, g.at.line))
		// The label may come yet, unless the function of the goto has ended.
		e.Incomplete = p.fn.parent == nil
	}
}

// semantic records an error that does not disturb the parser.
func (p *parser) semantic(t token, message string) *Error {
	if p.err != nil {
		return &Error{}
	}
	p.err = &Error{Pos: p.pos(t), Message: message}
	return p.err
}

// blockEnds reports whether the current token ends a block.
func (p *parser) blockEnds() bool {
	switch p.tok.kind {
	case tkEOF, tkEnd, tkElse, tkElseif, tkUntil:
		return true
	}
	return false
}

// block reads statements up to what ends the block. The caller has opened the scope.
func (p *parser) block() *block {
	b, first := p.blocks.take(), p.statements.len()
	for {
		for !p.blockEnds() {
			last := p.tok.kind == tkReturn
			s := p.statement()
			if s.kind != stmtEmpty || s.end > s.start {
				p.statements.push(s)
			}
			if last && !p.broken {
				if !p.blockEnds() {
					p.fail(p.tok, "'end' or <eof> expected after return near "+p.spell(p.tok)).Hint =
						"return must be the last statement of its block; write 'do return end' to leave early"
				}
				break
			}
		}
		if !p.broken || p.stopped {
			break
		}
		p.recover()
	}
	b.stmts = p.statements.cut(first)
	for i := len(b.stmts) - 1; i >= 0; i-- {
		if k := b.stmts[i].kind; k != stmtEmpty {
			b.endsInLabel = k == stmtLabel
			break
		}
	}
	return b
}

// scoped reads a block with a scope of its own; loop is set when it is a loop's body.
func (p *parser) scoped(loop *stmt) *block {
	p.names.open(p.fn, loop)
	b := p.block()
	p.closeScope()
	return b
}
