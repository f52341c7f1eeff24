package syntax

import "strings"

// This file finds out which globals a text uses.

// Usage lists names in the order they first appear, each once. Globals of a scope with a local _ENV do not count;
// _G.x and _ENV.x count as x.
type Usage struct {
	// Reads and Writes are globals. A global that is only changed inside (x.y = 1) is read.
	Reads, Writes []string
	// Paths are the dotted paths from a global that are called, "billing.refund.issue", and the ids of
	// call("billing.refund.issue", ...). Methods (x:y()) and computed keys end a path.
	Paths []string
	// Handles are the dotted paths that are read without being called there, so that they may be called later.
	Handles []string
}

// Names returns the globals of src. Broken text is read as far as possible.
func Names(src string) Usage {
	fn, p := parse(src)
	f := &finder{src: src, p: p, seen: make(map[string]bool)}
	f.block(fn.body)
	return f.usage
}

type finder struct {
	src   string
	p     *parser
	usage Usage
	seen  map[string]bool
}

func (f *finder) note(list *[]string, mark, name string) {
	if name == "" || f.seen[mark+name] {
		return
	}
	f.seen[mark+name] = true
	*list = append(*list, name)
}

func (f *finder) block(b *block) {
	if b == nil {
		return
	}
	for i := range b.stmts {
		s := b.stmts[i]
		// What is on the right is evaluated first.
		if s.kind == stmtAssign || s.kind == stmtFunction {
			f.list(s.values)
			for _, e := range s.targets {
				f.target(e)
			}
		} else {
			f.list(s.targets)
			if s.kind != stmtRepeat {
				f.list(s.values)
			}
		}
		for _, c := range s.clauses {
			f.expr(c.cond)
			f.block(c.body)
		}
		f.block(s.body)
		if s.kind == stmtRepeat {
			f.list(s.values)
		}
		if s.fn != nil {
			f.block(s.fn.body)
		}
	}
}

func (f *finder) list(values []expr) {
	for _, e := range values {
		f.expr(e)
	}
}

// target notes a variable that is set.
func (f *finder) target(e expr) {
	switch e := e.(type) {
	case *nameRef:
		if e.v == nil && e.env == nil {
			f.note(&f.usage.Writes, "w", e.name)
		}
	case *suffixed:
		if path, n := globalPath(e.base, e.parts, f.src); len(path) == 1 && n == len(e.parts) {
			f.note(&f.usage.Writes, "w", path[0])
			return
		}
		f.suffixed(e, true)
	default:
		f.expr(e)
	}
}

func (f *finder) expr(e expr) {
	switch e := e.(type) {
	case *nameRef:
		if e.v == nil && e.env == nil {
			f.note(&f.usage.Reads, "r", e.name)
		}
	case *paren:
		f.expr(e.inner)
	case *unary:
		f.expr(e.x)
	case *binary:
		f.list(e.operands)
	case *suffixed:
		f.suffixed(e, false)
	case *table:
		for _, it := range e.items {
			if it.key != nil {
				f.expr(it.key)
			}
			f.expr(it.value)
		}
	case *function:
		f.block(e.body)
	}
}

func (f *finder) suffixed(e *suffixed, set bool) {
	path, n := globalPath(e.base, e.parts, f.src)
	if len(path) > 0 {
		f.note(&f.usage.Reads, "r", path[0])
		called := n < len(e.parts) && e.parts[n].kind == partCall
		switch whole := strings.Join(path, "."); {
		case called:
			f.note(&f.usage.Paths, "p", whole)
			if args := e.parts[n].args; whole == "call" && len(args) > 0 {
				f.note(&f.usage.Paths, "p", stringValue(args[0], f.src))
			}
		case len(path) > 1 && n == len(e.parts) && !set:
			f.note(&f.usage.Handles, "h", whole)
		}
	} else {
		f.expr(e.base)
	}
	for i := range e.parts {
		if pt := &e.parts[i]; pt.index != nil {
			f.expr(pt.index)
		}
		f.list(e.parts[i].args)
	}
}

// globalPath gives the names of base and of the fields after it when base is a global, and how many parts they take.
// ["name"] counts as .name.
func globalPath(base expr, parts []part, src string) (path []string, n int) {
	ref, ok := base.(*nameRef)
	if !ok || ref.v != nil || ref.env != nil {
		return nil, 0
	}
	path = []string{ref.name}
	for n < len(parts) {
		name := parts[n].name
		if parts[n].kind == partIndex {
			name = stringValue(parts[n].index, src)
		} else if parts[n].kind != partField {
			break
		}
		if name == "" {
			break
		}
		path = append(path, name)
		n++
	}
	if len(path) > 1 && (path[0] == "_G" || path[0] == "_ENV") {
		path = path[1:]
	}
	return path, n
}

// stringValue gives the text of a string literal without escapes, "" for anything else.
func stringValue(e expr, src string) string {
	l, ok := e.(*literal)
	if !ok || l.kind != tkString {
		return ""
	}
	text := src[l.start:l.end]
	if text[0] == '[' {
		level := strings.IndexByte(text[1:], '[') + 2
		return strings.TrimLeft(text[level:len(text)-level], "\r\n")
	}
	if strings.IndexByte(text, '\\') >= 0 {
		return ""
	}
	return text[1 : len(text)-1]
}
