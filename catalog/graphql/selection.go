package graphql

// This file says which fields of a result an operation asks for.

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"
	"github.com/vektah/gqlparser/v2/parser"
)

const (
	// maxLeaves bounds the plain fields of one table in a selection of ours, maxMembers the types of a union.
	maxLeaves  = 20
	maxMembers = 8
	// maxFields bounds a selection that a caller writes, in bytes.
	maxFields = 64 << 10
	// pageAlias is what the place of a page is called in what is sent. It is taken out of the result.
	pageAlias = "almanacPage"
)

// keys are plain fields that tell what a table inside of another is, in the order in which they are asked for.
var keys = []string{"id", "key", "slug", "code", "login", "name", "title", "label", "number", "email", "url", "status",
	"state", "type", "amount", "value", "currencyCode", "message", "createdAt"}

// A selector makes selections for the types of a schema.
type selector struct{ schema *ast.Schema }

// standard is the selection for a type where the caller gives none: its plain fields, and of the tables in it what
// tells them apart. Empty for types without fields.
func (s selector) standard(named string) string {
	def := s.schema.Types[named]
	if def == nil || !def.IsCompositeType() {
		return ""
	}
	if s.wraps(def) {
		return s.wrapped(def)
	}
	return s.table(def, maxLeaves, true)
}

// wraps reports whether a type carries others and has next to nothing of its own: a page of a list, the answer of a
// mutation.
func (s selector) wraps(def *ast.Definition) bool {
	leaves, tables := 0, 0
	for _, f := range s.open(def) {
		if s.leaf(f) {
			leaves++
		} else {
			tables++
		}
	}
	return isPage(def) || tables > 0 && leaves <= 2
}

// isPage reports whether a type is a page of a list in the way of Relay.
func isPage(def *ast.Definition) bool {
	return def.Fields.ForName("pageInfo") != nil &&
		(def.Fields.ForName("nodes") != nil || def.Fields.ForName("edges") != nil)
}

// wrapped is the selection of a type that carries others.
func (s selector) wrapped(def *ast.Definition) string {
	if isPage(def) {
		rows := ""
		if nodes := def.Fields.ForName("nodes"); nodes != nil {
			rows = "nodes" + s.braces(nodes, true)
		} else if edge := s.schema.Types[def.Fields.ForName("edges").Type.Name()]; edge != nil {
			if node := edge.Fields.ForName("node"); node != nil {
				rows = "edges{node" + s.braces(node, true) + "}"
			}
		}
		if rows != "" {
			if total := def.Fields.ForName("totalCount"); total != nil && s.leaf(total) && optional(total) {
				rows += " totalCount"
			}
			return rows
		}
	}
	var parts []string
	for _, f := range s.open(def) {
		if s.leaf(f) {
			parts = append(parts, f.Name)
		} else if inner := s.braces(f, true); inner != "" {
			parts = append(parts, f.Name+inner)
		}
	}
	if len(parts) == 0 {
		return "__typename"
	}
	return strings.Join(parts, " ")
}

// braces is the selection of a field in braces; whole says that all plain fields of its type are wanted. Empty where
// nothing can be asked for.
func (s selector) braces(f *ast.FieldDefinition, whole bool) string {
	def := s.schema.Types[f.Type.Name()]
	if def == nil || def.IsLeafType() {
		return ""
	}
	inner := s.table(def, 5, false)
	if whole {
		inner = s.table(def, maxLeaves, true)
	}
	if inner == "" {
		return ""
	}
	return "{" + inner + "}"
}

// table is the selection of one table: at most n plain fields, all kinds if whole, with those of tables in it, and else
// only those that tell it apart.
func (s selector) table(def *ast.Definition, n int, whole bool) string {
	var parts []string
	if def.IsAbstractType() {
		parts = append(parts, "__typename")
	}
	if def.Kind == ast.Union {
		return strings.Join(append(parts, s.members(def)...), " ")
	}
	open := s.open(def)
	for _, f := range open {
		if s.leaf(f) && (whole || slices.Contains(keys, f.Name)) && len(parts) < n {
			parts = append(parts, f.Name)
		}
	}
	if whole {
		for _, f := range open {
			inner := ""
			if !s.leaf(f) && f.Type.Elem == nil && !isPage(s.schema.Types[f.Type.Name()]) {
				inner = s.braces(f, false)
			}
			if inner != "" && len(parts) < n {
				parts = append(parts, f.Name+inner)
			}
		}
	}
	if len(parts) == 0 && whole {
		return "__typename"
	}
	return strings.Join(parts, " ")
}

// members are the selections of the types of a union. One name may not mean two types in them, so the first type that
// has a field decides what may stand under it.
func (s selector) members(def *ast.Definition) []string {
	var parts []string
	types := map[string]string{}
	for _, name := range def.Types[:min(maxMembers, len(def.Types))] {
		member := s.schema.Types[name]
		if member == nil {
			continue
		}
		var own []string
		for _, f := range s.open(member) {
			if !s.leaf(f) || !slices.Contains(keys, f.Name) || types[f.Name] != "" && types[f.Name] != f.Type.String() {
				continue
			}
			types[f.Name] = f.Type.String()
			own = append(own, f.Name)
		}
		if len(own) > 0 {
			parts = append(parts, "... on "+name+"{"+strings.Join(own, " ")+"}")
		}
	}
	return parts
}

// open are the fields that can be asked for without arguments and are not deprecated, keys first.
func (s selector) open(def *ast.Definition) []*ast.FieldDefinition {
	var list []*ast.FieldDefinition
	for _, f := range def.Fields {
		if optional(f) && f.Directives.ForName("deprecated") == nil && !strings.HasPrefix(f.Name, "__") &&
			f.Name != "clientMutationId" && s.schema.Types[f.Type.Name()] != nil {
			list = append(list, f)
		}
	}
	slices.SortStableFunc(list, func(a, b *ast.FieldDefinition) int { return cmp.Compare(rank(a.Name), rank(b.Name)) })
	return list
}

// rank is the place of a name among the keys; behind them for all others, which stay in the order of the schema.
func rank(name string) int {
	if i := slices.Index(keys, name); i >= 0 {
		return i
	}
	return len(keys)
}

// optional reports whether a field needs no arguments.
func optional(f *ast.FieldDefinition) bool {
	return !slices.ContainsFunc(f.Arguments, func(a *ast.ArgumentDefinition) bool {
		return a.Type.NonNull && a.DefaultValue == nil
	})
}

func (s selector) leaf(f *ast.FieldDefinition) bool {
	def := s.schema.Types[f.Type.Name()]
	return def != nil && def.IsLeafType()
}

// parsed reads a selection that a caller wrote: "id name orders(first: 3){nodes{total}}", with braces or without. It is
// one selection and nothing else: what would end it and begin another operation is refused, as are variables and
// fragments by name.
func parsed(fields string) (ast.SelectionSet, error) {
	if len(fields) > maxFields {
		return nil, fmt.Errorf("longer than %d bytes", maxFields)
	}
	trimmed := strings.TrimSpace(fields)
	if !strings.HasPrefix(trimmed, "{") {
		trimmed = "{" + trimmed + "\n}"
	}
	doc, err := parser.ParseQueryWithTokenLimit(&ast.Source{Input: trimmed}, maxFields)
	if err != nil {
		return nil, plain(err)
	}
	if len(doc.Operations) != 1 || len(doc.Fragments) > 0 || doc.Operations[0].Operation != ast.Query {
		return nil, errors.New("want one selection of fields, without braces of another")
	}
	return doc.Operations[0].SelectionSet, nil
}

// plain is a message of the parser or the validator without its place in a text that the caller does not see.
func plain(err error) error {
	var one *gqlerror.Error
	var list gqlerror.List
	switch {
	case errors.As(err, &list) && len(list) > 0:
		return errors.New(line(list[0].Message, 300))
	case errors.As(err, &one):
		return errors.New(line(one.Message, 300))
	}
	return err
}
