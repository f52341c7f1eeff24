package syntax

import (
	"fmt"
	"strings"
)

// This file reads statements.

func (p *parser) statement() *stmt {
	p.enter()
	s := p.stmts.take()
	p.fill(s)
	p.leave()
	return s
}

// fill reads a statement into s.
func (p *parser) fill(s *stmt) {
	first := p.tok
	s.active, s.start = int16(p.names.active()), first.start
	switch first.kind {
	case tkSemi:
		for p.tok.kind == tkSemi {
			p.next()
		}
	case tkIf:
		p.ifStatement(s)
	case tkWhile:
		p.whileStatement(s)
	case tkDo:
		s.kind = stmtDo
		p.next()
		s.body = p.scoped(nil)
		p.expectEnd(tkEnd, "'end'", first)
	case tkFor:
		p.forStatement(s)
	case tkRepeat:
		p.repeatStatement(s)
	case tkFunction:
		p.functionStatement(s)
	case tkLocal:
		p.localStatement(s)
	case tkLabel:
		p.labelStatement(s)
	case tkReturn:
		s.kind = stmtReturn
		p.next()
		if !p.blockEnds() && p.tok.kind != tkSemi {
			s.values = p.expressionList()
		}
		p.accept(tkSemi)
	case tkBreak:
		s.kind = stmtBreak
		if loop := p.names.breakLoop(); loop != nil {
			loop.count++
		} else {
			p.semantic(first, fmt.Sprintf("<break> at line %d not inside a loop", first.line))
		}
		p.next()
	case tkGoto:
		s.kind = stmtGoto
		p.next()
		if t := p.expect(tkName, "label name"); !p.broken {
			if !p.names.gotoLabel(p.text(t), first) {
				p.stop(first, fmt.Sprintf("too many gotos in front of their labels (limit is %d)", maxGotos))
			}
		}
	default:
		p.expressionStatement(s)
	}
	s.end = max(p.end(), s.start)
	s.split = p.tok.kind == tkLParen && first.kind != tkSemi && p.i > 0 && p.toks[p.i-1].kind != tkSemi
}

func (p *parser) ifStatement(s *stmt) {
	s.kind = stmtIf
	opener := p.tok
	s.rare = &rare{}
	for {
		c := clause{word: p.tok}
		p.next()
		c.cond = p.expression()
		p.expectThen(tkThen, "'then'")
		c.body = p.scoped(nil)
		s.rare.clauses = append(s.rare.clauses, c)
		if p.tok.kind != tkElseif {
			break
		}
	}
	if p.accept(tkElse) {
		s.body = p.scoped(nil)
	}
	p.expectEnd(tkEnd, "'end'", opener)
}

// expectThen is expect for the word after a condition, with a hint when an assignment stands there.
func (p *parser) expectThen(k kind, what string) {
	t := p.tok
	if t.kind != k && !p.broken {
		e := p.fail(t, what+" expected near "+p.spell(t))
		switch t.kind {
		case tkAssign:
			e.Hint = "compare with '=='"
		case tkName:
			e.Hint = keywordHint(p.text(t), strings.Trim(what, "'"))
		}
		return
	}
	p.next()
}

func (p *parser) whileStatement(s *stmt) {
	s.kind = stmtWhile
	opener := p.tok
	p.next()
	s.values = p.one(p.expression())
	p.expectThen(tkDo, "'do'")
	s.body = p.scoped(s)
	p.expectEnd(tkEnd, "'end'", opener)
}

func (p *parser) repeatStatement(s *stmt) {
	s.kind = stmtRepeat
	opener := p.tok
	p.next()
	p.names.open(p.fn, s)
	p.names.open(p.fn, nil)
	s.body = p.block()
	p.expectEnd(tkUntil, "'until'", opener)
	s.values = p.one(p.expression())
	p.closeScope()
	p.closeScope()
}

func (p *parser) forStatement(s *stmt) {
	opener := p.tok
	p.next()
	p.names.open(p.fn, s)
	hidden := 3
	p.names.hidden += hidden
	from := p.declared.len()
	p.declared.push(declaration{name: p.expect(tkName, "name")})
	switch p.tok.kind {
	case tkAssign:
		s.kind = stmtFor
		p.next()
		first := p.exprs.len()
		p.exprs.push(p.expression())
		p.expect(tkComma, "','")
		p.exprs.push(p.expression())
		if p.accept(tkComma) {
			p.exprs.push(p.expression())
		}
		s.values = p.exprs.cut(first)
		if s.exact = !p.plainLoop(s.values); s.exact {
			hidden += exactLoopLocals
			p.names.hidden += exactLoopLocals
		}
	case tkComma, tkIn:
		s.kind = stmtForIn
		for p.accept(tkComma) {
			p.declared.push(declaration{name: p.expect(tkName, "name")})
		}
		p.expect(tkIn, "'in'")
		s.values = p.expressionList()
	default:
		p.fail(p.tok, "'=' or 'in' expected near "+p.spell(p.tok))
	}
	p.expectThen(tkDo, "'do'")
	p.names.open(p.fn, nil)
	p.declareFrom(s, from)
	s.body = p.scoped(nil)
	p.closeScope()
	p.names.hidden -= hidden
	p.closeScope()
	p.expectEnd(tkEnd, "'end'", opener)
}

// declare makes a local variable of a name token.
func (p *parser) declare(t token) *variable {
	v := p.variables.take()
	v.name, v.fn = p.text(t), p.fn
	if t.kind != tkName {
		return v
	}
	p.names.declare(v)
	if p.names.active() > maxLocals && !p.broken {
		p.stop(t, fmt.Sprintf("too many local variables (limit is %d) in %s", maxLocals, p.where()))
		if p.err != nil && p.err.Hint == "" {
			p.err.Hint = "put them into a table, or into 'do ... end' blocks"
		}
	}
	return v
}

// declareFrom makes the local variables of s from what was pushed since p.declared had from names.
func (p *parser) declareFrom(s *stmt, from int) {
	for i := from; i < p.declared.len(); i++ {
		d := p.declared.open[i]
		v := p.declare(d.name)
		v.constant, v.plain = d.constant, s.kind == stmtFor && !s.exact
		s.locals++
	}
	p.declared.open = p.declared.open[:from]
}

// where names the current function in messages, as Lua does.
func (p *parser) where() string {
	if p.fn.parent == nil {
		return "main function"
	}
	return fmt.Sprintf("function at line %d", p.fn.line)
}

func (p *parser) functionStatement(s *stmt) {
	s.kind = stmtFunction
	opener := p.tok
	p.next()
	base := p.expect(tkName, "function name")
	target := p.nameRef(base)
	sx := &suffixed{span: target.span, base: target}
	method := false
	for !method && (p.tok.kind == tkDot || p.tok.kind == tkColon) {
		method = p.tok.kind == tkColon
		dot := p.tok
		p.next()
		name := p.expect(tkName, "name")
		sx.parts = append(sx.parts, part{span: span{dot.start, name.end}, kind: partField, name: name.span()})
		sx.end = name.end
	}
	if len(sx.parts) == 0 {
		s.targets = p.one(target)
		p.assignable(target)
	} else {
		s.targets = p.one(sx)
	}
	s.fn = p.function(opener, method)
	s.fn.name = p.variableName(s.targets[0])
}

func (p *parser) localStatement(s *stmt) {
	p.next()
	if p.tok.kind == tkFunction {
		s.kind = stmtLocalFunction
		opener := p.tok
		p.next()
		name := p.expect(tkName, "function name")
		p.declare(name)
		s.locals = 1
		s.fn = p.function(opener, false)
		s.fn.name = p.text(name)
		return
	}
	s.kind = stmtLocal
	from := p.declared.len()
	for {
		t := p.expect(tkName, "name")
		p.declared.push(declaration{name: t, constant: p.attrib(s)})
		if !p.accept(tkComma) {
			break
		}
	}
	if p.accept(tkAssign) {
		s.values = p.expressionList()
		for i := range min(len(s.values), p.declared.len()-from) {
			known(s.values[i], p.text(p.declared.open[from+i].name))
		}
	}
	p.declareFrom(s, from)
}

// attrib reads <const> or <close> after a name and reports whether the variable is constant.
func (p *parser) attrib(s *stmt) bool {
	if p.tok.kind != tkLt {
		return false
	}
	a := attrib{open: p.tok}
	p.next()
	a.name = p.expect(tkName, "'const'")
	a.close = p.expect(tkGt, "'>'")
	if p.broken {
		return false
	}
	switch name := p.text(a.name); name {
	case "const":
		if s.rare == nil {
			s.rare = &rare{}
		}
		s.rare.attribs = append(s.rare.attribs, a)
		return true
	case "close":
		p.semantic(a.name, "<close> is not supported").Hint = "close the value by hand at the end of the block, " +
			"after a pcall if the block may fail"
	default:
		p.semantic(a.name, "unknown attribute '"+name+"'").Hint = "Lua knows <const>"
	}
	return false
}

func (p *parser) labelStatement(s *stmt) {
	s.kind = stmtLabel
	p.next()
	name := p.expect(tkName, "label name")
	p.expect(tkLabel, "'::'")
	if len(p.names.labels) >= maxLabels && !p.broken {
		p.stop(name, fmt.Sprintf("too many labels (limit is %d)", maxLabels))
	}
	if p.broken {
		return
	}
	if err := p.names.defineLabel(p.text(name), name.line, p.labelIsLast()); err != nil {
		p.semantic(name, err.Error())
	}
}

// labelIsLast reports whether only labels and semicolons stand before what ends the block.
func (p *parser) labelIsLast() bool {
	for i := p.i; ; i++ {
		switch p.toks[i].kind {
		case tkSemi:
		case tkLabel:
			// ::name:: is three tokens.
			if i+2 >= len(p.toks) || p.toks[i+2].kind != tkLabel {
				return false
			}
			i += 2
		case tkEOF, tkEnd, tkElse, tkElseif:
			return true
		default:
			return false
		}
	}
}

func (p *parser) expressionStatement(s *stmt) {
	first := p.tok
	if first.kind != tkName && first.kind != tkLParen {
		s.kind = stmtBad
		p.unexpected(first)
		return
	}
	e := p.suffixedExpression()
	if p.tok.kind == tkAssign || p.tok.kind == tkComma {
		p.assignment(s, e)
		return
	}
	s.targets = p.one(e)
	if isCall(e) || p.broken {
		s.kind = stmtCall
		return
	}
	s.kind = stmtBad
	what := clip(p.src[e.where().start:e.where().end])
	err := p.fail(p.tok, "'=' or an argument list expected after '"+strings.Join(strings.Fields(what), " ")+"' near "+
		p.spell(p.tok))
	err.Incomplete = false
	if err.Hint = statementHint(p.src, p.toks[p.i], what); err.Hint == "" {
		err.Hint = keywordHint(what, "")
	}
}

// unexpected fails at a token that begins no statement.
func (p *parser) unexpected(t token) {
	e := p.fail(t, "unexpected symbol near "+p.spell(t))
	switch t.kind {
	case tkNumber, tkString, tkLBrace, tkNot, tkNil, tkTrue, tkFalse, tkSub, tkLen, tkDots:
		e.Hint = "a value alone is no statement: put it after 'return', or into a variable"
	case tkIDiv, tkAssign:
		e.Hint = foreignHint(p.src, t)
	}
}

// statementHint guesses what was meant where a name is followed by something that Lua does not have.
func statementHint(src string, t token, name string) string {
	rest := src[t.start:]
	switch {
	case strings.HasPrefix(rest, "+=") || strings.HasPrefix(rest, "-=") || strings.HasPrefix(rest, "*=") ||
		strings.HasPrefix(rest, "/="):
		return "Lua has no '" + rest[:2] + "': write " + name + " = " + name + " " + rest[:1] + " ..."
	case strings.HasPrefix(rest, "++"):
		return "Lua has no '++': write " + name + " = " + name + " + 1"
	}
	return Foreign(name)
}

// foreignHint guesses what was meant by a token that begins no expression and ends what another language writes.
func foreignHint(src string, t token) string {
	before, rest := src[:t.start], src[t.start:]
	switch {
	case strings.HasPrefix(rest, "&") && strings.HasSuffix(before, "&"):
		return "Lua writes 'and'"
	case strings.HasPrefix(rest, "|") && strings.HasSuffix(before, "|"):
		return "Lua writes 'or'"
	case strings.HasPrefix(rest, "//"):
		return "a comment begins with '--'"
	case strings.HasPrefix(rest, "=>"):
		return "Lua writes 'function(x) return ... end'"
	case strings.HasPrefix(rest, "=") && strings.HasSuffix(before, "="):
		return "Lua compares with '==' and '~='"
	}
	return ""
}

func (p *parser) assignment(s *stmt, first expr) {
	s.kind = stmtAssign
	from := p.exprs.len()
	p.exprs.push(first)
	p.assignable(first)
	for p.accept(tkComma) {
		at := p.tok
		e := p.suffixedExpression()
		p.exprs.push(e)
		p.assignable(e)
		if p.exprs.len()-from+p.depth > maxNesting && !p.broken {
			p.stop(at, fmt.Sprintf("too many variables in one assignment (limit is %d levels)", maxNesting-p.depth))
		}
	}
	s.targets = p.exprs.cut(from)
	p.expect(tkAssign, "'='")
	s.values = p.expressionList()
	for i := range min(len(s.values), len(s.targets)) {
		known(s.values[i], p.variableName(s.targets[i]))
	}
}

// assignable checks that e is a variable that may be set.
func (p *parser) assignable(e expr) {
	if p.broken {
		return
	}
	switch e := e.(type) {
	case *nameRef:
		if e.v != nil && e.v.constant && !e.field {
			p.semantic(p.tokenAt(e.start), "attempt to assign to const variable '"+e.v.name+"'")
		}
		return
	case *suffixed:
		if k := e.parts[len(e.parts)-1].kind; k == partField || k == partIndex {
			return
		}
	}
	p.fail(p.tok, "cannot assign to '"+clip(p.src[e.where().start:e.where().end])+"' near "+
		p.spell(p.tok)).Incomplete = false
}

func isCall(e expr) bool {
	s, ok := e.(*suffixed)
	return ok && s.parts[len(s.parts)-1].kind >= partCall
}
