package diff

import "strings"

// A reducer cuts a program down to the smallest one that differs still: statements are left out, and a piece becomes
// one of its own pieces or the simplest of its symbol.
type reducer struct {
	grammar grammar
	program *node
	differs func(program string) bool
}

func (r *reducer) reduce() {
	for size := -1; size != len(r.program.String()); {
		size = len(r.program.String())
		r.shrink(r.program)
	}
}

// try sets what a place holds and says whether the program differs still; if not, the place has its old content.
func try[T any](r *reducer, place *T, content T) bool {
	old := *place
	*place = content
	if r.differs(r.program.String()) {
		return true
	}
	*place = old
	return false
}

// shrink cuts n and what is in it.
func (r *reducer) shrink(n *node) {
	if n.symbol == "stmts" {
		for _, p := range n.parts {
			if child, ok := p.(*node); ok && child.symbol == "stmt" && len(child.parts) > 0 {
				try(r, &child.parts, nil)
			}
		}
	}
	for _, parts := range r.smaller(n) {
		if try(r, &n.parts, parts) {
			break
		}
	}
	for i, p := range n.parts {
		switch p := p.(type) {
		case *node:
			r.shrink(p)
		case string:
			if space := strings.Trim(p, ";c-\n ") == ""; space && len(p) > 1 || p == "\n" {
				try[any](r, &n.parts[i], " ")
			}
		}
	}
}

// smaller lists what could stand in the place of n, the smallest first.
func (r *reducer) smaller(n *node) (all [][]any) {
	if simplest := r.grammar[n.symbol]; len(simplest) > 0 && n.symbol != "stmt" && len(simplest[0].holes) == 0 &&
		simplest[0].text != n.String() {
		all = append(all, []any{simplest[0].text})
	}
	var find func(in *node)
	find = func(in *node) {
		for _, p := range in.parts {
			if child, ok := p.(*node); ok {
				find(child)
				if child.symbol == n.symbol || n.symbol == "stmt" && child.symbol == "stmts" {
					all = append(all, child.parts)
				}
			}
		}
	}
	find(n)
	return all
}
