package show

// This file writes and reads paths into a value, and the entries on the way.

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"almanac/catalog/lua"
	"almanac/catalog/text"
	"almanac/session/syntax"
	"almanac/session/vm"
)

// PathText writes a path as Lua: `open[1].id`.
func PathText(path []vm.Step) string {
	var b strings.Builder
	for i, s := range path {
		switch {
		case s.Numeric:
			b.WriteString("[" + lua.Number(s.Index) + "]")
		case lua.IsName(s.Name):
			if i > 0 {
				b.WriteByte('.')
			}
			b.WriteString(s.Name)
		case i == 0:
			b.WriteString("_G[" + lua.Quote(s.Name) + "]")
		default:
			b.WriteString("[" + lua.Quote(s.Name) + "]")
		}
	}
	return b.String()
}

// ParsePath reads a path as Lua writes it: a name, then names behind dots and constants in brackets. It is false for
// any other expression.
func ParsePath(text string) ([]vm.Step, bool) {
	var path []vm.Step
	tokens := slices.DeleteFunc(syntax.Tokens(text), func(t syntax.Token) bool {
		return t.Kind == syntax.Comment || t.Text == ""
	})
	for i := 0; i < len(tokens); {
		t := tokens[i]
		switch {
		case i == 0 && t.Kind == syntax.Name:
			path = append(path, vm.Step{Name: t.Text})
			i++
		case i == 0:
			return nil, false
		case t.Text == "." && i+1 < len(tokens) && tokens[i+1].Kind == syntax.Name:
			path = append(path, vm.Step{Name: tokens[i+1].Text})
			i += 2
		case t.Text == "[" && i+2 < len(tokens) && tokens[i+2].Text == "]":
			step, ok := constant(tokens[i+1])
			if !ok {
				return nil, false
			}
			path = append(path, step)
			i += 3
		default:
			return nil, false
		}
	}
	return path, len(path) > 0
}

// constant reads a key in brackets.
func constant(t syntax.Token) (vm.Step, bool) {
	switch t.Kind {
	case syntax.Number:
		n, err := strconv.ParseFloat(t.Text, 64)
		return vm.Step{Index: n, Numeric: true}, err == nil
	case syntax.String:
		args, err := ParseArgs("{ v = " + t.Text + " }")
		s, ok := args["v"].(string)
		return vm.Step{Name: s}, err == nil && ok
	}
	return vm.Step{}, false
}

// StepText is a key as a list shows it: a name, a number in brackets, other keys in quotes.
func StepText(n vm.Node) string {
	switch {
	case n.Odd:
		return "[" + text.SanitizeLine(n.Step.Name) + "]"
	case n.Step.Numeric:
		return "[" + lua.Number(n.Step.Index) + "]"
	case lua.IsName(n.Step.Name):
		return n.Step.Name
	}
	return lua.Quote(n.Step.Name)
}

// NodeKind is a node's type with its size.
func NodeKind(n vm.Node) string { return KindText(vm.Global{Type: n.Type, Size: n.Size}) }

// NodeText is a key and its value as a tree shows them: `name = "Acme"`.
func NodeText(n vm.Node) string { return fmt.Sprintf("%s = %s", StepText(n), n.Brief) }

// kindText is a global's type with its size.
func KindText(g vm.Global) string {
	if g.Type == "table" {
		return fmt.Sprintf("table[%d]", g.Size)
	}
	return g.Type
}
