package syntax

import "fmt"

// This file reads expressions.

// binding gives the left and right binding power of a binary operator, as Lua 5.3 ranks them; 0 for no operator.
func binding(k kind) (left, right int) {
	switch k {
	case tkOr:
		return 1, 1
	case tkAnd:
		return 2, 2
	case tkEq, tkNe, tkLt, tkLe, tkGt, tkGe:
		return 3, 3
	case tkBOr:
		return 4, 4
	case tkTilde:
		return 5, 5
	case tkBAnd:
		return 6, 6
	case tkShl, tkShr:
		return 7, 7
	case tkConcat:
		return 9, 9 // the loop in operand takes a chain at once, from the right
	case tkAdd, tkSub:
		return 10, 10
	case tkMul, tkDiv, tkIDiv, tkMod:
		return 11, 11
	case tkPow:
		return 14, 13
	}
	return 0, 0
}

const unaryBinding = 12

func (p *parser) expression() expr { return p.operand(0) }

// expressionList reads one expression or more, with commas between.
func (p *parser) expressionList() []expr {
	first := p.exprs.len()
	p.exprs.push(p.expression())
	for p.accept(tkComma) {
		p.exprs.push(p.expression())
	}
	return p.exprs.cut(first)
}

// one makes a list of one expression.
func (p *parser) one(e expr) []expr {
	first := p.exprs.len()
	p.exprs.push(e)
	return p.exprs.cut(first)
}

// operand reads an expression whose binary operators bind tighter than limit.
func (p *parser) operand(limit int) expr {
	p.enter()
	e := p.chain(limit)
	p.leave()
	return e
}

func (p *parser) chain(limit int) expr {
	var left expr
	switch t := p.tok; t.kind {
	case tkNot, tkSub, tkLen, tkTilde:
		p.next()
		x := p.operand(unaryBinding)
		_, number := x.(*literal)
		left = &unary{span: span{t.start, x.where().end}, op: t, x: x, fold: number && t.kind == tkSub}
	default:
		left = p.simple()
	}
	var chain *binary
	rank := 0
	for {
		op := p.tok
		l, r := binding(op.kind)
		if l == 0 || l <= limit {
			return left
		}
		p.next()
		right := p.operand(r)
		if chain == nil || l != rank || op.kind == tkPow {
			chain = p.binaries.take()
			chain.span, chain.operands, chain.ops = left.where(), append(chain.two[:0], left), chain.one[:0]
			left, rank = chain, l
		}
		chain.operands = append(chain.operands, right)
		chain.ops = append(chain.ops, op)
		chain.end = right.where().end
	}
}

func (p *parser) simple() expr {
	t := p.tok
	switch t.kind {
	case tkNumber, tkString, tkNil, tkTrue, tkFalse:
		p.next()
		return p.literal(t, t.kind)
	case tkDots:
		if !p.fn.vararg {
			p.semantic(t, "cannot use '...' outside a vararg function near '...'")
		}
		p.next()
		return p.literal(t, t.kind)
	case tkLBrace:
		return p.table()
	case tkFunction:
		p.next()
		return p.function(t, false)
	}
	return p.suffixedExpression()
}

func (p *parser) literal(t token, k kind) *literal {
	l := p.literals.take()
	l.span, l.kind = span{t.start, t.end}, k
	return l
}

// brokenExpr is what stands for an expression that could not be read.
func (p *parser) brokenExpr(t token) expr {
	return &literal{span: span{t.start, t.start}, kind: tkBad}
}

func (p *parser) nameRef(t token) *nameRef {
	n := p.refs.take()
	n.span = span{t.start, t.end}
	if t.kind == tkName && !p.names.lookup(n, p.text(t), p.fn) {
		p.stop(t, "too many upvalues (limit is 240) in "+p.where())
	}
	return n
}

func (p *parser) suffixedExpression() expr {
	t := p.tok
	var base expr
	switch t.kind {
	case tkName:
		p.next()
		base = p.nameRef(t)
	case tkLParen:
		p.next()
		inner := p.expression()
		p.expectEnd(tkRParen, "')'", t)
		base = &paren{span: span{t.start, max(p.end(), inner.where().end)}, inner: inner}
	default:
		if t.kind == tkEOF {
			p.fail(t, "expression expected near <eof>")
		} else {
			e := p.fail(t, "unexpected symbol near "+p.spell(t))
			if hint := foreignHint(p.src, t); hint != "" {
				e.Hint = hint
			}
		}
		return p.brokenExpr(t)
	}
	parts := p.suffixes()
	if len(parts) == 0 {
		return base
	}
	s := p.suffixeds.take()
	s.span, s.base, s.parts = span{t.start, parts[len(parts)-1].end}, base, parts
	return s
}

// suffixes reads what may follow a prefix expression.
func (p *parser) suffixes() []part {
	first := p.parts.len()
	for {
		t := p.tok
		s := part{span: span{t.start, t.end}}
		switch t.kind {
		case tkDot:
			p.next()
			s.kind, s.name = partField, p.expect(tkName, "name").span()
		case tkLBracket:
			p.next()
			s.kind, s.args = partIndex, p.one(p.expression())
			p.expectEnd(tkRBracket, "']'", t)
		case tkColon:
			p.next()
			if k := p.tok.kind; k != tkName && k != tkEOF && !p.broken {
				p.fail(p.tok, "method name expected near "+p.spell(p.tok)).Hint = keyHint
			}
			s.kind, s.name = partMethod, p.expect(tkName, "method name").span()
			if k := p.tok.kind; k != tkLParen && k != tkLBrace && k != tkString && !p.broken {
				p.fail(p.tok, "function arguments expected near "+p.spell(p.tok))
			}
			s.args = p.arguments()
		case tkLParen, tkLBrace, tkString:
			s.kind = partCall
			s.args = p.arguments()
		default:
			return p.parts.cut(first)
		}
		s.end = max(p.end(), s.end)
		p.parts.push(s)
		if p.parts.len()-first > maxSuffixes && !p.broken {
			p.stop(t, fmt.Sprintf("too many fields, indexes and calls in a row (limit is %d)", maxSuffixes))
		}
	}
}

func (p *parser) arguments() []expr {
	t := p.tok
	switch t.kind {
	case tkString:
		p.next()
		return p.one(p.literal(t, tkString))
	case tkLBrace:
		return p.one(p.table())
	}
	if !p.accept(tkLParen) {
		return nil
	}
	var args []expr
	if p.tok.kind != tkRParen {
		args = p.expressionList()
	}
	p.expectEnd(tkRParen, "')'", t)
	return args
}

func (p *parser) table() expr {
	opener := p.tok
	p.next()
	e, first := &table{span: span{opener.start, opener.end}}, p.items.len()
	for p.tok.kind != tkRBrace && !p.broken {
		var it item
		switch {
		case p.tok.kind == tkName && p.ahead() == tkAssign:
			t := p.tok
			p.next()
			p.next()
			it = item{named: true, key: p.literal(t, tkName), value: p.expression()}
			known(it.value, p.text(t))
		case p.tok.kind == tkLBracket:
			p.next()
			it.key = p.expression()
			p.expect(tkRBracket, "']'")
			p.expect(tkAssign, "'='")
			it.value = p.expression()
		default:
			it.value = p.expression()
		}
		p.items.push(it)
		if !p.accept(tkComma) && !p.accept(tkSemi) {
			break
		}
	}
	e.items = p.items.cut(first)
	if p.tok.kind == tkAssign || p.tok.kind == tkColon {
		e := p.expectEndError("'}'", opener)
		e.Hint = keyHint
	}
	p.expectEnd(tkRBrace, "'}'", opener)
	e.end = max(p.end(), e.end)
	return e
}

const keyHint = "a key in a table is a name or [expression], with '=' behind it: { name = 1, [\"a key\"] = 2 }"

// function reads parameters and body; opener is the word function.
func (p *parser) function(opener token, method bool) *function {
	fn := &function{parent: p.fn, line: opener.line}
	fn.start = opener.start
	p.functions = append(p.functions, fn)
	base, hidden := p.names.base, p.names.hidden
	p.fn, p.names.base, p.names.hidden = fn, len(p.names.vars), 0
	p.names.open(fn, nil)
	p.depth++ // for the block that the normaliser puts around a return
	p.expect(tkLParen, "'('")
	if method {
		p.names.declare(&variable{name: "self", fn: fn})
		fn.params++
	}
	p.parameters(fn)
	fn.open = p.expect(tkRParen, "')'").end
	fn.body = p.block()
	fn.close = p.expectEnd(tkEnd, "'end'", opener).start
	fn.end = max(p.end(), fn.start)
	p.depth--
	p.closeScope()
	p.fn, p.names.base, p.names.hidden = fn.parent, base, hidden
	return fn
}

func (p *parser) parameters(fn *function) {
	if p.tok.kind == tkRParen {
		return
	}
	for {
		switch t := p.tok; t.kind {
		case tkDots:
			fn.vararg = true
			p.next()
			return
		case tkName:
			p.next()
			p.declare(t)
			fn.params++
		default:
			p.fail(t, "parameter name or '...' expected near "+p.spell(t))
			return
		}
		if !p.accept(tkComma) {
			return
		}
	}
}
