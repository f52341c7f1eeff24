package syntax

import (
	"cmp"
	"slices"
	"strings"
)

// FunctionNames lists the functions of src in the order in which their texts begin, by what they are first known as:
// "f" for function f() and f = function(), "a.b:c" for function a.b:c(), "k" for {k = function()}, "" for those without
// a name. The engine numbers its functions in the same order.
func FunctionNames(src string) []string {
	all := Declarations(src)
	names := make([]string, len(all))
	for i, f := range all {
		names[i] = f.Name
	}
	return names
}

// A Declaration is one function of a source text.
type Declaration struct {
	// Name is as FunctionNames tells it.
	Name string
	// Params is what stands between its round brackets.
	Params string
	// Line is where it begins, counted from 1.
	Line int
}

// Declarations lists the functions of src in the order in which their texts begin.
func Declarations(src string) []Declaration {
	fn, _ := parse(src)
	n := &namer{src: src}
	n.block(fn.body)
	slices.SortFunc(n.found, func(a, b namedFunction) int { return cmp.Compare(a.start, b.start) })
	all := make([]Declaration, len(n.found))
	for i, f := range n.found {
		_, params, _ := strings.Cut(src[f.start:], "(")
		params, _, _ = strings.Cut(params, ")")
		all[i] = Declaration{Name: f.name, Params: strings.Join(strings.Fields(params), " "), Line: 1 + strings.Count(src[:f.start], "\n")}
	}
	return all
}

type namedFunction struct {
	start int32
	name  string
}

type namer struct {
	src   string
	found []namedFunction
}

func (n *namer) block(b *block) {
	if b == nil {
		return
	}
	for _, s := range b.stmts {
		n.list(s.targets)
		names := n.assigned(s)
		for i, e := range s.values {
			if i < len(names) {
				n.named(e, names[i])
			} else {
				n.expr(e)
			}
		}
		for _, c := range s.clauses() {
			n.expr(c.cond)
			n.block(c.body)
		}
		n.block(s.body)
		if s.fn != nil {
			n.function(s.fn, n.declared(s))
		}
	}
}

// assigned lists the names that the values of a statement are given.
func (n *namer) assigned(s *stmt) (names []string) {
	switch {
	case s.kind == stmtAssign:
		for _, e := range s.targets {
			names = append(names, n.variable(e))
		}
	case s.kind == stmtLocal && len(s.values) > 0:
		text := strings.TrimPrefix(n.src[s.start:s.values[0].where().start], "local")
		for name := range strings.SplitSeq(text, ",") {
			name, _, _ = strings.Cut(name, "<") // <const>
			name, _, _ = strings.Cut(name, "=")
			names = append(names, nameOnly(name))
		}
	}
	return names
}

// declared is the name behind the word function of a statement.
func (n *namer) declared(s *stmt) string {
	if s.kind == stmtFunction {
		return n.variable(s.targets[0])
	}
	name, _, _ := strings.Cut(strings.TrimPrefix(n.src[s.fn.start:s.fn.open], "function"), "(")
	return nameOnly(name)
}

// nameOnly is text without the white space around it, "" when more than one word is left.
func nameOnly(text string) string {
	text = strings.TrimSpace(text)
	if strings.ContainsAny(text, " \t\r\n-") {
		return ""
	}
	return text
}

func (n *namer) list(values []expr) {
	for _, e := range values {
		n.expr(e)
	}
}

// variable is the name that a target of an assignment has, "" for a computed one.
func (n *namer) variable(e expr) string {
	switch e := e.(type) {
	case *nameRef:
		return n.src[e.start:e.end]
	case *suffixed:
		for _, pt := range e.parts {
			if pt.kind != partField {
				return ""
			}
		}
		if _, ok := e.base.(*nameRef); ok {
			return n.src[e.start:e.end]
		}
	}
	return ""
}

func (n *namer) function(f *function, name string) {
	n.found = append(n.found, namedFunction{start: f.start, name: name})
	n.block(f.body)
}

// named walks an expression that gets a name.
func (n *namer) named(e expr, name string) {
	if f, ok := e.(*function); ok {
		n.function(f, name)
		return
	}
	n.expr(e)
}

func (n *namer) expr(e expr) {
	switch e := e.(type) {
	case *paren:
		n.expr(e.inner)
	case *unary:
		n.expr(e.x)
	case *binary:
		n.list(e.operands)
	case *suffixed:
		n.expr(e.base)
		for i := range e.parts {
			n.list(e.parts[i].args)
		}
	case *table:
		for _, it := range e.items {
			if it.key != nil {
				n.expr(it.key)
			}
			name := ""
			if it.named {
				key := it.key.where()
				name = n.src[key.start:key.end]
			}
			n.named(it.value, name)
		}
	case *function:
		n.function(e, "")
	}
}
