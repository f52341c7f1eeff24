package grammar

import "strings"

type reducer struct {
	grammar Grammar
	program *Node
	wrong   func(program string) bool
}

// Reduce cuts a program down to the smallest one that is still wrong: statements are left out, and a piece becomes one
// of its own pieces or the simplest of its symbol.
func (all Grammar) Reduce(program *Node, wrong func(program string) bool) {
	r := reducer{all, program, wrong}
	for size := -1; size != len(r.program.String()); {
		size = len(r.program.String())
		r.shrink(r.program)
	}
}

// try sets what a place holds and says whether the program is still wrong; if not, the place has its old content.
func try[T any](r *reducer, place *T, content T) bool {
	old := *place
	*place = content
	if r.wrong(r.program.String()) {
		return true
	}
	*place = old
	return false
}

// shrink cuts n and what is in it.
func (r *reducer) shrink(n *Node) {
	if n.Symbol == "stmts" {
		for _, p := range n.Parts {
			if child, ok := p.(*Node); ok && child.Symbol == "stmt" && len(child.Parts) > 0 {
				try(r, &child.Parts, nil)
			}
		}
	}
	for _, parts := range r.smaller(n) {
		if try(r, &n.Parts, parts) {
			break
		}
	}
	for i, p := range n.Parts {
		switch p := p.(type) {
		case *Node:
			r.shrink(p)
		case string:
			if space := strings.Trim(p, ";c-\n ") == ""; space && len(p) > 1 || p == "\n" {
				try[any](r, &n.Parts[i], " ")
			}
		}
	}
}

// smaller lists what could stand in the place of n, the smallest first.
func (r *reducer) smaller(n *Node) (all [][]any) {
	if simplest := r.grammar[n.Symbol]; len(simplest) > 0 && n.Symbol != "stmt" && len(simplest[0].holes) == 0 &&
		simplest[0].text != n.String() {
		all = append(all, []any{simplest[0].text})
	}
	var find func(in *Node)
	find = func(in *Node) {
		for _, p := range in.Parts {
			if child, ok := p.(*Node); ok {
				find(child)
				if child.Symbol == n.Symbol || n.Symbol == "stmt" && child.Symbol == "stmts" {
					all = append(all, child.Parts)
				}
			}
		}
	}
	find(n)
	return all
}
