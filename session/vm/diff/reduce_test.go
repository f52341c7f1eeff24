package diff

import "strings"

// reduce cuts a program down to the smallest one that differs still: statements are left out, and a piece becomes one of
// its own pieces or the simplest of its symbol.
func reduce(program *node, differs func(program string) bool) {
	for progress := true; progress; {
		progress = false
		program.shrink(func() bool {
			if !differs(program.String()) {
				return false
			}
			progress = true
			return true
		})
	}
}

// shrink changes n and what is in it and keeps the changes that keep says yes to.
func (n *node) shrink(keep func() bool) {
	for i := 0; n.symbol == "stmts" && i < len(n.parts); i++ {
		if child, ok := n.parts[i].(*node); ok && child.symbol == "stmt" {
			if parts := child.parts; len(parts) > 0 && parts[0] != "" {
				if child.parts = []any{""}; !keep() {
					child.parts = parts
				}
			}
		}
	}
	for _, parts := range n.smaller() {
		whole := n.parts
		if n.parts = parts; keep() {
			break
		}
		n.parts = whole
	}
	for i, p := range n.parts {
		switch p := p.(type) {
		case *node:
			p.shrink(keep)
		case string:
			if strings.TrimSpace(p) == "" && p != " " && p != "" || strings.HasPrefix(p, " --") {
				if n.parts[i] = " "; !keep() {
					n.parts[i] = p
				}
			}
		}
	}
}

// smaller lists what could stand in the place of n, the smallest first.
func (n *node) smaller() (all [][]any) {
	if simplest := grammar[n.symbol]; len(simplest) > 0 && n.symbol != "stmt" && n.String() != simplest[0] && !strings.Contains(simplest[0], "<") {
		all = append(all, []any{simplest[0]})
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
