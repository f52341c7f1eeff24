package syntax

// This file walks a tree for code that searches it. Code that writes or measures a text (normalize.go, limits.go) walks
// by itself, because it treats each kind of statement differently.

// A visitor searches a tree. Each method decides whether to visit what is inside.
type visitor interface {
	expr(e expr)
	function(f *function)
	// assign is given an assignment or a function statement.
	assign(s *stmt)
	// loop is given a for whose bounds were visited, before its body.
	loop(s *stmt)
}

// walk visits what stands in b in the order in which it is evaluated.
func walk(v visitor, b *block) {
	if b == nil {
		return
	}
	for _, s := range b.stmts {
		if s.kind == stmtAssign || s.kind == stmtFunction {
			v.assign(s)
			continue
		}
		each(v, s.targets)
		if s.kind != stmtRepeat {
			each(v, s.values)
		}
		if s.kind == stmtFor || s.kind == stmtForIn {
			v.loop(s)
		}
		for _, c := range s.clauses() {
			v.expr(c.cond)
			walk(v, c.body)
		}
		walk(v, s.body)
		if s.kind == stmtRepeat {
			each(v, s.values)
		}
		if s.fn != nil {
			v.function(s.fn)
		}
	}
}

func each(v visitor, list []expr) {
	for _, e := range list {
		v.expr(e)
	}
}

// inside visits what stands directly in e.
func inside(v visitor, e expr) {
	switch e := e.(type) {
	case *paren:
		v.expr(e.inner)
	case *unary:
		v.expr(e.x)
	case *binary:
		each(v, e.operands)
	case *suffixed:
		v.expr(e.base)
		for i := range e.parts {
			each(v, e.parts[i].args)
		}
	case *table:
		for _, it := range e.items {
			if it.key != nil {
				v.expr(it.key)
			}
			v.expr(it.value)
		}
	case *function:
		v.function(e)
	}
}
