package syntax

import "fmt"

// This file refuses valid Lua beyond the engine's limits: it does not check its registers, and its parser takes cubic
// time in the number of jumps to one place.

const (
	// maxRegisters is how many a function may use; beyond 255 the engine would compile nonsense.
	maxRegisters = 240
	// maxJumps bounds the sum of the cubes of the jump lists: some half a second of the engine's parser.
	maxJumps = 100_000_000
	// groupSize is how many alternatives of one chain stay together; longer chains are split by the normaliser.
	groupSize = 50
)

func cube(n int) int64 { return int64(n) * int64(n) * int64(n) }

// A meter measures a parsed chunk.
type meter struct {
	p     *parser
	jumps int64
}

// measure returns the first limit of the engine that fn exceeds, nil if none.
func measure(p *parser, fn *function) *Error {
	m := &meter{p: p, jumps: p.names.jumps}
	m.addJumps(span{}, 0) // gotos and nothing else
	m.block(fn.body)
	return p.err
}

// refuse records an error in valid Lua.
func (p *parser) refuse(at span, message, hint string) {
	p.semantic(p.tokenAt(at.start), message).Hint = hint
}

func (m *meter) addJumps(at span, n int) {
	if m.jumps += cube(n); m.jumps > maxJumps {
		m.p.refuse(at, "control structure too long: too many jumps to one place", "look the alternatives up in a table, "+
			"or split the function")
	}
}

// block measures a block and returns how many jumps wait at its end.
func (m *meter) block(b *block) int {
	tail := 0
	for i := range b.stmts {
		if s := b.stmts[i]; s.kind != stmtEmpty {
			tail = m.stmt(s)
		}
	}
	return tail
}

// stmt measures a statement and returns how many jumps wait at its end.
func (m *meter) stmt(s *stmt) int {
	need := 0
	for i, e := range s.targets {
		regs, _ := m.expr(e)
		need = max(need, 2*i+regs)
	}
	extra := 0
	if s.kind == stmtAssign {
		extra = 2 * len(s.targets)
	} else if s.kind == stmtFor || s.kind == stmtForIn {
		extra = 3
		if s.exact {
			extra += 1 + exactLoopLocals
		}
	}
	values, leaves := m.list(s.values)
	need = max(need, extra+values, extra+len(s.targets), s.locals)
	if s.fn != nil {
		m.block(s.fn.body)
		need = max(need, 2)
	}
	tail := 0
	switch s.kind {
	case stmtIf:
		tail, need = m.ifStmt(s, need)
	case stmtWhile, stmtFor, stmtForIn:
		m.addJumps(s.span, m.block(s.body))
		tail = int(s.count) + leaves
		m.addJumps(s.span, tail)
	case stmtRepeat:
		m.addJumps(s.span, m.block(s.body)+leaves)
		tail = int(s.count)
		m.addJumps(s.span, tail)
	case stmtDo:
		tail = m.block(s.body)
	}
	if int(s.active)+need > maxRegisters {
		m.p.refuse(s.span, fmt.Sprintf("function or expression needs too many registers (limit is %d)", maxRegisters),
			"split the statement: fewer arguments, or a table")
	}
	return tail
}

func (m *meter) ifStmt(s *stmt, need int) (tail, regs int) {
	n := 0
	for i, c := range s.clauses() {
		r, leaves := m.expr(c.cond)
		need = max(need, r)
		n += 1 + m.block(c.body)
		if i == len(s.clauses())-1 && s.body == nil {
			n += leaves
		}
		if i%groupSize == groupSize-1 {
			m.addJumps(s.span, n)
			tail, n = max(tail, n), 0
		}
	}
	if s.body != nil {
		n += m.block(s.body)
	}
	m.addJumps(s.span, n)
	return max(tail, n), need
}

// list gives the registers of an expression list, and the jumps of its last expression.
func (m *meter) list(values []expr) (regs, leaves int) {
	for i, e := range values {
		r, l := m.expr(e)
		regs, leaves = max(regs, i+r), l
	}
	return max(regs, len(values)), leaves
}

// expr gives the registers an expression needs at most, and how many operands its and/or chain has.
func (m *meter) expr(e expr) (regs, leaves int) {
	switch e := e.(type) {
	case *paren:
		return m.expr(e.inner)
	case *unary:
		r, l := m.expr(e.x)
		if e.op.kind == tkNot {
			return r, l
		}
		return r + 1, 1
	case *binary:
		return m.binary(e)
	case *suffixed:
		regs, _ = m.expr(e.base)
		for i := range e.parts {
			pt := &e.parts[i]
			r, _ := m.list(pt.args)
			if pt.kind == partIndex {
				regs = max(regs, 1+r)
			} else {
				regs = max(regs, 2+r)
			}
		}
		return regs, 1
	case *table:
		return m.table(e), 1
	case *function:
		m.block(e.body)
	}
	return 1, 1
}

func (m *meter) table(e *table) int {
	regs, listed := 1, 0
	for _, it := range e.items {
		r, _ := m.expr(it.value)
		if it.key != nil {
			k, _ := m.expr(it.key)
			regs = max(regs, 2+listed%groupSize+max(k, 1+r))
			continue
		}
		regs = max(regs, 2+listed%groupSize+r)
		listed++
	}
	return regs
}

func (m *meter) binary(e *binary) (regs, leaves int) {
	op := e.ops[0].kind
	for i, x := range e.operands {
		r, l := m.expr(x)
		switch op {
		case tkAnd, tkOr:
			regs = max(regs, 2+r)
			leaves += l
		case tkConcat:
			regs = max(regs, 2+i%groupSize+r)
		default:
			regs = max(regs, 1+min(i, 1)+r)
		}
	}
	if op != tkAnd && op != tkOr {
		return regs + m.p.hostOps(e), 1
	}
	n := len(e.operands)
	if n > groupSize {
		leaves = min(leaves, groupSize)
	}
	m.addJumps(e.span, leaves)
	return regs, leaves
}
