package syntax

import "strconv"

// This file writes runs of binary operators.

func (w *writer) binary(e *binary, depth int) {
	switch op := e.ops[0].kind; {
	case op == tkConcat:
		w.concat(e, depth)
	case op == tkAnd || op == tkOr:
		w.group(e, 0, len(e.operands), depth)
	default:
		w.fold(e, depth)
	}
}

// concat writes a..b..c as one call.
func (w *writer) concat(e *binary, depth int) {
	w.call(e.start, HostConcat, concatLine(e))
	n, closing := len(e.operands), ")"
	depth++
	if n > groupSize {
		w.out.WriteString("{n=" + strconv.Itoa(n) + ",")
		closing = "})"
		depth++
	}
	for i, x := range e.operands {
		if i > 0 {
			w.replace(e.ops[i-1].start, e.ops[i-1].end, ",")
		}
		if i < n-1 {
			w.expr(x, depth)
		} else {
			w.single(x, depth)
		}
	}
	w.put(e.end, closing)
}

// concatLine is the line where a..b..c is done: that of the last operator, also where that stands in parentheses.
func concatLine(e *binary) int32 {
	last := e.operands[len(e.operands)-1]
	for {
		switch inner := last.(type) {
		case *paren:
			last = inner.inner
			continue
		case *binary:
			if inner.ops[0].kind == tkConcat {
				return concatLine(inner)
			}
		}
		return e.ops[len(e.ops)-1].line
	}
}

// group writes operands from up to to of an and/or chain, the long ones in groups that are values of their own: and,
// or of more than two do not mind how they are grouped.
func (w *writer) group(e *binary, from, to, depth int) {
	n := to - from
	if n <= groupSize {
		for i := from; i < to; i++ {
			d := depth
			if i > 0 {
				d++
			}
			w.expr(e.operands[i], d)
		}
		return
	}
	size := max(groupSize, (n+groupSize-1)/groupSize)
	for i := from; i < to; i += size {
		end := min(i+size, to)
		if end-i == 1 {
			w.expr(e.operands[i], depth+1)
			continue
		}
		w.put(e.operands[i].where().start, "({")
		w.group(e, i, end, depth+3)
		w.put(e.operands[end-1].where().end, "})[1]")
	}
}

// hostOps counts the operators of e that become calls one inside the other.
func (p *parser) hostOps(e *binary) int {
	n := 0
	for i, op := range e.ops {
		if op.kind == tkConcat {
			return 1
		}
		if p.hostOf(e, i) != "" {
			n++
		}
	}
	return n
}

// fold writes a left-associative run: ((a * b) % c) // d opens as many calls in front of a as there are host operators.
func (w *writer) fold(e *binary, depth int) {
	left := 0
	for i := len(e.ops) - 1; i >= 0; i-- {
		if name := w.p.hostOf(e, i); name != "" {
			w.call(e.start, name, w.p.hostLine(e, i))
			left++
		}
	}
	if w.tooDeep(e.span, depth+left) {
		return
	}
	w.expr(e.operands[0], depth+left)
	for i, op := range e.ops {
		right := e.operands[i+1]
		if w.p.hostOf(e, i) == "" {
			w.expr(right, depth+left+1)
			continue
		}
		w.replace(op.start, op.end, ",")
		w.single(right, depth+left+1)
		w.put(right.where().end, ")")
		left--
	}
}
