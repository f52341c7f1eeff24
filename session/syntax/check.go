package syntax

// This file checks whether a text is valid.

// Check returns nil if src is a complete chunk that the engine can run, else the first error. Empty text is a complete
// chunk.
func Check(src string) *Error {
	fn, p := parse(src)
	return p.verdict(fn)
}

func (p *parser) verdict(fn *function) *Error {
	if p.err != nil {
		return p.err
	}
	return measure(p, fn)
}

// IsExpression reports whether src is one complete expression list: "1+1", "f(), g()". "f()" is also a chunk.
func IsExpression(src string) bool {
	main, p := begin(src)
	if p.err != nil {
		return false
	}
	values := p.expressionList()
	if p.tok.kind != tkEOF || p.err != nil {
		return false
	}
	main.body.stmts = []*stmt{{kind: stmtReturn, values: values}}
	return measure(p, main) == nil
}
