package syntax

import "sort"

// This file finds the places where an operation of the engine could silently mishandle an integer beyond 2^53: the
// engine's operators read the text of one as a float, hold it different from any float, and refuse to count with it.
// Only what looks like such a place becomes a host call: x + 0 and x * 1, by which programs make numbers of text,
// operators on a long literal text, equality with a number beyond 2^53, and a for whose start or step is neither a
// numeral nor computed from plain numbers.

// exactLoopLocals is how many variables forStmt adds.
const exactLoopLocals = 4

// The variables that a for over exact integers adds.
const (
	hostAt   = HostPrefix + "at"
	hostLast = HostPrefix + "last"
	hostStep = HostPrefix + "step"
)

// hostOf is the host function for operator i of a run, "" if the engine does it right.
func (p *parser) hostOf(e *binary, i int) string {
	k := e.ops[i].kind
	if name := hostNames[k]; name != "" {
		return name
	}
	right := e.operands[i+1]
	left := expr(nil)
	if i == 0 {
		left = e.operands[0]
	}
	has := func(match func(expr) bool) bool { return match(right) || left != nil && match(left) }
	switch k {
	case tkAdd:
		if p.isNumeral(right, "0") || p.isNumeral(left, "0") && !p.plain(right) || has(p.isLongText) {
			return HostAdd
		}
	case tkSub:
		if p.isNumeral(right, "0") || has(p.isLongText) {
			return HostSub
		}
	case tkMul:
		if p.isNumeral(right, "1") || p.isNumeral(left, "1") && !p.plain(right) || has(p.isLongText) {
			return HostMul
		}
	case tkEq:
		if has(p.isBeyond) || p.hostEqual && !has(isConstantWord) {
			return HostEq
		}
	case tkNe:
		if has(p.isBeyond) || p.hostEqual && !has(isConstantWord) {
			return HostNe
		}
	}
	return ""
}

// hostLine is the line where Lua does operator i of a run: a comparison is done behind its last operand.
func (p *parser) hostLine(e *binary, i int) int32 {
	if k := e.ops[i].kind; k != tkEq && k != tkNe {
		return e.ops[i].line
	}
	end := e.operands[i+1].where().end
	after := sort.Search(len(p.toks), func(i int) bool { return p.toks[i].start >= end })
	return p.toks[after-1].line
}

func (p *parser) isNumeral(e expr, text string) bool {
	l, ok := e.(*literal)
	return ok && l.kind == tkNumber && p.src[l.start:l.end] == text
}

// isLongText is true for a string literal that may be an integer beyond 2^53.
func (p *parser) isLongText(e expr) bool {
	l, ok := e.(*literal)
	return ok && l.kind == tkString && l.end-l.start >= 16
}

// isConstantWord is true for nil, true and false.
func isConstantWord(e expr) bool {
	l, ok := e.(*literal)
	return ok && (l.kind == tkNil || l.kind == tkTrue || l.kind == tkFalse)
}

// isBeyond is true for a numeral of 2^53 or more, with or without a minus.
func (p *parser) isBeyond(e expr) bool {
	switch e := e.(type) {
	case *literal:
		return e.kind == tkNumber && e.end-e.start > 3 && numberValue(p.src[e.start:e.end]) >= 1<<53
	case *unary:
		return e.fold && p.isBeyond(e.x)
	}
	return false
}

// plain is true for an expression that cannot give an integer beyond 2^53: numerals, lengths, counters of loops over
// plain numbers, and arithmetic with them.
func (p *parser) plain(e expr) bool {
	switch e := e.(type) {
	case *literal:
		return e.kind == tkNumber && !isBigInteger(p.src[e.start:e.end])
	case *nameRef:
		return e.v != nil && e.v.plain
	case *paren:
		return p.plain(e.inner)
	case *unary:
		return e.op.kind == tkLen || e.op.kind == tkSub && p.plain(e.x)
	case *binary:
		switch e.ops[0].kind {
		case tkAdd, tkSub, tkMul, tkDiv, tkIDiv, tkMod, tkPow:
			for _, x := range e.operands {
				if !p.plain(x) {
					return false
				}
			}
			return true
		}
	}
	return false
}

// plainLoop says whether the engine can count a for with these bounds: a loop that starts at a plain number comes to
// no number that is not, whatever its limit.
func (p *parser) plainLoop(values []expr) bool {
	return p.plain(values[0]) && (len(values) < 3 || p.plain(values[2])) && (!p.isBeyond(values[1]) || p.plain(values[1]))
}

// loopHead is the word do of a numeric for.
func (p *parser) loopHead(s *stmt) token {
	return p.after(s.values[len(s.values)-1].where().end, tkDo)
}

// after is the first token of a kind at or after a byte.
func (p *parser) after(start int32, k kind) token {
	i := sort.Search(len(p.toks)-1, func(i int) bool { return p.toks[i].start >= start })
	for p.toks[i].kind != k && p.toks[i].kind != tkEOF {
		i++
	}
	return p.toks[i]
}

// forStmt writes a numeric for. One that may meet an integer beyond 2^53 asks the host for its bounds, and for the
// value of each step where that is not the count itself:
//
//	for i = a, b do ... end
//	do local __host_at,i,__host_last,__host_step = __host_for(a, b) for i=i,__host_last,__host_step do
//	if __host_at then i=__host_at(i) end ... end end (all on one line)
func (w *writer) forStmt(s *stmt, depth int) {
	if !s.exact {
		w.list(s.values, depth)
		w.block(s.body, depth)
		return
	}
	counter, do := w.p.after(s.start+1, tkName), w.p.loopHead(s)
	name := w.p.text(counter)
	w.replace(s.start, s.start+int32(len("for")), "do local "+hostAt+",")
	w.put(counter.end, ","+hostLast+","+hostStep)
	w.call(s.values[0].where().start, HostFor, do.line)
	for _, e := range s.values {
		w.single(e, depth+2)
	}
	w.put(s.values[len(s.values)-1].where().end, ") for "+name+"="+name+","+hostLast+","+hostStep+" ")
	w.put(do.end, " if "+hostAt+" then "+name+"="+hostAt+"("+name+") end ")
	w.block(s.body, depth+1)
	w.put(s.end, " end")
}
