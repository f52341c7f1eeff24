package syntax

import "strings"

// This file names the functions of a text.

// A Declaration is one function of a source text.
type Declaration struct {
	// Name is what it is first known as: "f" for function f() and f = function(), "a.b:c" for function a.b:c(), "k" for
	// {k = function()}, "" for one without a name.
	Name string
	// Params is the text between its parentheses.
	Params string
	// Line is where it begins, counted from 1.
	Line int
}

// Declarations lists the functions of src in the order in which their texts begin. The engine numbers its functions in
// the same order.
func Declarations(src string) []Declaration {
	_, p := parse(src)
	all := make([]Declaration, len(p.functions))
	for i, f := range p.functions {
		_, params, _ := strings.Cut(src[f.start:], "(")
		params, _, _ = strings.Cut(params, ")")
		all[i] = Declaration{Name: f.name, Params: strings.Join(strings.Fields(params), " "), Line: int(f.line)}
	}
	return all
}

// known gives a value that is a function its name.
func known(value expr, name string) {
	if f, ok := value.(*function); ok {
		f.name = name
	}
}

// variableName is the text of a target of an assignment, "" for one with a computed key.
func (p *parser) variableName(e expr) string {
	if s, ok := e.(*suffixed); ok {
		for _, pt := range s.parts {
			if pt.kind != partField {
				return ""
			}
		}
		if _, ok := s.base.(*nameRef); !ok {
			return ""
		}
	} else if _, ok := e.(*nameRef); !ok {
		return ""
	}
	at := e.where()
	return p.src[at.start:at.end]
}
