package syntax

import "fmt"

// This file resolves names during parsing: which variable a name means, what each function captures, where the gotos
// go.

const (
	maxLocals   = 200 // of one function, with three hidden ones for each loop around
	maxCaptures = 240 // the engine's 255, less those the normaliser may add

	// The engine looks through all labels of a block for each goto, and through all waiting gotos for each label.
	maxLabels = 1000
	maxGotos  = 5000
)

// A scope holds the names of a block.
type scope struct {
	first  int // index in resolver.vars
	labels int // index in resolver.labels
	gotos  int // index in resolver.gotos
	loop   *stmt
	outer  *scope
	fn     *function
}

type label struct {
	name   string
	line   int32
	active int
	count  int // gotos that go to it
}

type pending struct {
	name   string
	at     token
	active int
}

// A resolver knows the variables in scope at the parser's place.
type resolver struct {
	vars   []*variable
	names  map[string]*variable
	labels []label
	gotos  []pending
	scope  *scope
	scopes slab[scope]
	base   int // index in vars of the first of the current function
	hidden int // hidden loop variables of the current function
	jumps  int64
}

func (r *resolver) open(fn *function, loop *stmt) {
	s := r.scopes.take()
	*s = scope{first: len(r.vars), labels: len(r.labels), gotos: len(r.gotos), loop: loop, outer: r.scope, fn: fn}
	r.scope = s
}

// close ends the innermost scope. It returns the goto that no label answers when the scope is a function's.
func (r *resolver) close() *pending {
	s := r.scope
	for i := len(r.vars) - 1; i >= s.first; i-- {
		if v := r.vars[i]; v.shadow != nil {
			r.names[v.name] = v.shadow
		} else {
			delete(r.names, v.name)
		}
	}
	r.vars = r.vars[:s.first]
	for _, l := range r.labels[s.labels:] {
		r.jumps += cube(l.count)
	}
	r.labels = r.labels[:s.labels]
	r.scope = s.outer
	var lost *pending
	for i := s.gotos; i < len(r.gotos); i++ {
		r.gotos[i].active = min(r.gotos[i].active, s.first)
	}
	if s.outer == nil || s.outer.fn != s.fn {
		if len(r.gotos) > s.gotos {
			p := r.gotos[s.gotos]
			lost = &p
		}
		r.gotos = r.gotos[:s.gotos]
		return lost
	}
	// The block around may have the label already: a goto backwards.
	kept := r.gotos[:s.gotos]
	for _, g := range r.gotos[s.gotos:] {
		if l := r.visible(g.name, r.scope.labels); l != nil {
			l.count++
		} else {
			kept = append(kept, g)
		}
	}
	r.gotos = kept
	return nil
}

func (r *resolver) visible(name string, from int) *label {
	for i := from; i < len(r.labels); i++ {
		if r.labels[i].name == name {
			return &r.labels[i]
		}
	}
	return nil
}

// active counts the current function's live variables.
func (r *resolver) active() int { return len(r.vars) - r.base + r.hidden }

func (r *resolver) declare(v *variable) {
	v.shadow = r.names[v.name]
	r.names[v.name] = v
	r.vars = append(r.vars, v)
}

// lookup resolves a name that fn uses and notes the capture. It returns false when fn captures too many.
func (r *resolver) lookup(n *nameRef, name string, fn *function) bool {
	v := r.names[name]
	if v == nil {
		if v = r.names["_ENV"]; v == nil {
			for f := fn; f != nil && !f.env; f = f.parent {
				f.env = true
			}
			return true
		}
		n.field = true
	}
	n.v = v
	for f := fn; f != v.fn; f = f.parent {
		added, ok := f.capture(v)
		if !ok {
			return false
		}
		if !added {
			break
		}
	}
	return true
}

// capture records that f uses v of an enclosing function.
func (f *function) capture(v *variable) (added, ok bool) {
	if f.captured != nil {
		if _, known := f.captured[v]; known {
			return false, true
		}
		f.captured[v] = struct{}{}
	} else {
		for _, c := range f.captures {
			if c == v {
				return false, true
			}
		}
	}
	f.captures = append(f.captures, v)
	if len(f.captures) == 16 {
		f.captured = make(map[*variable]struct{}, 32)
		for _, c := range f.captures {
			f.captured[c] = struct{}{}
		}
	}
	return true, len(f.captures) <= maxCaptures
}

// defineLabel adds a label and sends the waiting gotos of its block to it. last is true when the label ends its block.
func (r *resolver) defineLabel(name string, line int32, last bool) error {
	if l := r.visible(name, r.scope.labels); l != nil {
		return fmt.Errorf("label '%s' already defined on line %d", name, l.line)
	}
	l := label{name: name, line: line, active: len(r.vars)}
	if last {
		l.active = r.scope.first
	}
	kept := r.gotos[:r.scope.gotos]
	for _, g := range r.gotos[r.scope.gotos:] {
		if g.name != name {
			kept = append(kept, g)
			continue
		}
		if g.active < l.active {
			return fmt.Errorf("<goto %s> at line %d jumps into the scope of local '%s'", name, g.at.line, r.vars[g.active].name)
		}
		l.count++
	}
	r.gotos = kept
	r.labels = append(r.labels, l)
	return nil
}

// gotoLabel notes a goto; its label may come later. It returns false when too many wait for theirs.
func (r *resolver) gotoLabel(name string, at token) bool {
	if l := r.visible(name, r.scope.labels); l != nil {
		l.count++
		return true
	}
	r.gotos = append(r.gotos, pending{name: name, at: at, active: len(r.vars)})
	return len(r.gotos) <= maxGotos
}

// breakLoop returns the loop that a break leaves, nil outside of one.
func (r *resolver) breakLoop() *stmt {
	for s := r.scope; s != nil && s.fn == r.scope.fn; s = s.outer {
		if s.loop != nil {
			return s.loop
		}
	}
	return nil
}
