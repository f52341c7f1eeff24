package openapi

// This file reads the links of responses: what of an operation's result is an argument of another.

import (
	"fmt"
	"slices"
	"strings"

	"almanac/catalog"
	"almanac/catalog/expression"
	"almanac/catalog/lua"
	"almanac/catalog/text"
	"almanac/catalog/tree"
)

// maxLinks is how many links of an operation are read, and how many arguments of each.
const maxLinks = 50

// A linker finds the operations that links lead to.
type linker struct {
	d      *document
	byID   map[string]*operation
	byPath map[string]*operation // "get /users/{id}"
}

func newLinker(d *document, ops []*operation) *linker {
	l := &linker{d: d, byID: map[string]*operation{}, byPath: map[string]*operation{}}
	for _, op := range ops {
		if op.operationID != "" {
			l.byID[op.operationID] = op
		}
		l.byPath[op.method+" "+op.path] = op
	}
	return l
}

// supplies are what an operation's successful responses say of arguments of others, and the links that lead nowhere.
// The plans of all operations have been made.
func (l *linker) supplies(op *operation) (all []catalog.Supply, lost []string) {
	seen := 0
	op.node.Get("responses").Each(func(status string, n *tree.Node) {
		if !strings.HasPrefix(status, "2") && status != "default" {
			return
		}
		l.d.soft(n).Get("links").Each(func(name string, link *tree.Node) {
			if seen++; seen > maxLinks {
				return
			}
			some, err := l.link(link)
			if err != nil {
				lost = append(lost, fmt.Sprintf("its link %s is left out: %v", text.LineBytes(name, 60), err))
			}
			for _, s := range some {
				if !slices.Contains(all, s) {
					all = append(all, s)
				}
			}
		})
	})
	if seen > maxLinks {
		lost = append(lost, fmt.Sprintf("of %d links %d are read", seen, maxLinks))
	}
	return all, lost
}

// link is what a link says; an error may come with a part.
func (l *linker) link(n *tree.Node) (all []catalog.Supply, err error) {
	if n, err = l.d.follow(n); err != nil {
		return nil, err
	}
	target, err := l.target(n)
	if err != nil {
		return nil, err
	}
	add := func(argument, value string) error {
		if !strings.HasPrefix(value, "$") {
			return nil // a constant
		}
		e, err := expression.Parse(value)
		if err != nil {
			return err
		}
		switch {
		case e.Root == "response" && e.Names[0] == "body":
			all = append(all, catalog.Supply{ID: target.id, Argument: argument, Field: fieldOf(e.Pointer)})
		case e.Root == "response":
			return fmt.Errorf("%s: headers are not in results", text.LineBytes(value, 100))
		}
		return nil // what was sent is known to whoever sent it
	}
	var errs []string
	count := 0
	n.Get("parameters").Each(func(name string, value *tree.Node) {
		if count++; count > maxLinks {
			return
		}
		argument, err := argumentOf(target, name)
		if err == nil {
			err = add(argument, value.Str())
		}
		if err != nil {
			errs = append(errs, err.Error())
		}
	})
	if body := n.Get("requestBody"); body.Is(tree.Text) && target.plan.body != nil && target.plan.body.whole != "" {
		if err := add(target.plan.body.whole, body.Text); err != nil {
			errs = append(errs, err.Error())
		}
	}
	if len(errs) > 0 {
		return all, fmt.Errorf("%s", strings.Join(errs, "; "))
	}
	return all, nil
}

// target is the operation that a link leads to.
func (l *linker) target(n *tree.Node) (*operation, error) {
	if id := n.Get("operationId").Str(); id != "" {
		if op := l.byID[id]; op != nil {
			return op, nil
		}
		return nil, fmt.Errorf("no operation %s", text.LineBytes(id, 100))
	}
	ref := n.Get("operationRef").Str()
	if ref == "" {
		return nil, fmt.Errorf("want an operationId or an operationRef")
	}
	if op := l.referred(ref); op != nil {
		return op, nil
	}
	return nil, fmt.Errorf("%s leads to no operation of this document", text.LineBytes(ref, 100))
}

// referred is the operation that "#/paths/~1users~1{id}/get" points to; nil for none.
func (l *linker) referred(ref string) *operation {
	at, ok := strings.CutPrefix(ref, "#/paths/")
	if i := strings.LastIndexByte(at, '/'); ok && i >= 0 {
		path := strings.NewReplacer("~1", "/", "~0", "~", "%7B", "{", "%7D", "}").Replace(at[:i])
		return l.byPath[at[i+1:]+" "+path]
	}
	return nil
}

// argumentOf is the argument that a parameter of an operation has become. Its name may have its place in front.
func argumentOf(op *operation, name string) (string, error) {
	place, rest, qualified := strings.Cut(name, ".")
	var found []string
	for _, p := range op.plan.params {
		if p.name == name || qualified && p.in == place && p.name == rest {
			found = append(found, p.arg)
		}
	}
	if len(found) != 1 {
		return "", fmt.Errorf("%s has %d parameters %s", op.id, len(found), text.LineBytes(name, 60))
	}
	return found[0], nil
}

// fieldOf is a JSON Pointer as a person writes what it points to in Lua: "items[1].id".
func fieldOf(pointer []string) string {
	var b strings.Builder
	for _, part := range pointer {
		n := 0
		digits := part != "" && strings.Trim(part, "0123456789") == "" && len(part) < 9
		for _, c := range part {
			n = n*10 + int(c-'0')
		}
		switch {
		case digits:
			fmt.Fprintf(&b, "[%d]", n+1)
		case lua.IsName(part) && b.Len() > 0:
			b.WriteString("." + part)
		case lua.IsName(part):
			b.WriteString(part)
		default:
			b.WriteString("[" + lua.Quote(part) + "]")
		}
	}
	return b.String()
}
