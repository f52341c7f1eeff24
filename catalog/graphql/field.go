package graphql

// This file makes entries of the fields of the roots.

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"

	"almanac/catalog"
	"almanac/catalog/secret"
	"almanac/catalog/text"
	"almanac/catalog/verb"
)

// A loader makes the entries of one reading of a schema.
type loader struct {
	*api
	schema *ast.Schema
	taken  map[string]bool
	batch  catalog.Batch
}

func (l *loader) load(ctx context.Context) (catalog.Batch, error) {
	for _, root := range []struct {
		operation ast.Operation
		def       *ast.Definition
	}{{ast.Query, l.schema.Query}, {ast.Mutation, l.schema.Mutation}, {ast.Subscription, l.schema.Subscription}} {
		if root.def == nil {
			continue
		}
		fields := slices.Clone(root.def.Fields)
		slices.SortFunc(fields, func(a, b *ast.FieldDefinition) int { return cmp.Compare(a.Name, b.Name) })
		for _, f := range fields {
			if ctx.Err() != nil {
				return catalog.Batch{}, context.Cause(ctx)
			}
			if strings.HasPrefix(f.Name, "__") {
				continue
			}
			l.batch.Found++
			e, err := l.entry(root.operation, f)
			if err != nil {
				l.batch.Skipped = append(l.batch.Skipped, catalog.Skip{ID: string(root.operation) + " " + f.Name,
					Source: l.Source, Reason: err.Error()})
				continue
			}
			l.batch.Entries = append(l.batch.Entries, e)
		}
	}
	l.batch.Found++
	l.batch.Entries = append(l.batch.Entries, l.types())
	return l.batch, nil
}

// entry makes the entry of a field.
func (l *loader) entry(operation ast.Operation, f *ast.FieldDefinition) (catalog.Entry, error) {
	if operation == ast.Subscription {
		return catalog.Entry{}, errors.New("a subscription: only queries and mutations can be called")
	}
	e := catalog.Entry{ID: l.id(operation, f.Name), Source: l.Source}
	if err := catalog.CheckID(e.ID); err != nil {
		return e, err
	}
	c := &caller{api: l.api, schema: l.schema, operation: operation, field: f}
	c.standard = selector{l.schema}.standard(f.Type.Name())
	set, err := c.selection(c.standard)
	if err != nil {
		c.standard = "__typename"
		if set, err = c.selection(c.standard); err != nil {
			return e, fmt.Errorf("its result: %w", err)
		}
	}
	result := l.schema.Types[f.Type.Name()]
	remark := ""
	if c.standard != "" {
		c.argument = "fields"
		for f.Arguments.ForName(c.argument) != nil {
			c.argument = "select_" + c.argument
		}
		remark = l.selectable(result, c.standard)
	}
	in := &inputs{schema: l.schema, defs: object{}}
	if e.Input, err = in.of(f, c.argument, remark); err != nil {
		return e, fmt.Errorf("its arguments: %w", err)
	}
	raw, err := json.Marshal(output(l.schema, f.Type, set))
	if err == nil {
		e.Output, err = catalog.ParseSchema(raw)
	}
	if err != nil {
		return e, fmt.Errorf("its result: %w", err)
	}
	l.describe(&e, operation, f, result)
	shown, _ := secret.Address(l.address)
	e.Target = fmt.Sprintf("POST %s %s %s", cmp.Or(shown, "(no server)"), operation, f.Name)
	e.Action, e.Paged, e.SendsKey, e.Timeout = c.run, c.pages(), true, l.Access.Timeout
	return e, nil
}

// describe fills in what the entry says of itself.
func (l *loader) describe(e *catalog.Entry, operation ast.Operation, f *ast.FieldDefinition, result *ast.Definition) {
	e.Description = text.ClipBytes(text.Clean(f.Description), maxDescription)
	if strings.TrimSpace(e.Description) == "" {
		e.Description = fmt.Sprintf("GraphQL %s %s, which returns %s.", operation, f.Name, f.Type)
	}
	if d := f.Directives.ForName("deprecated"); d != nil {
		e.Description += "\nDeprecated."
	}
	hints := verb.Hints{ReadOnly: true, Names: []string{f.Name}, Text: text.FirstSentence(e.Description)}
	if operation == ast.Mutation {
		hints.ReadOnly, hints.Method = false, http.MethodPost
	}
	does := verb.Infer(hints)
	if operation == ast.Mutation && !does.Mutates {
		does = verb.Effect{Operation: catalog.Update, Mutates: true, Risk: catalog.Medium}
	}
	e.Operation, e.Mutates, e.Risk = does.Operation, does.Mutates, does.Risk
	if result != nil && result.IsCompositeType() {
		name := result.Name
		for _, ending := range []string{"Connection", "Payload", "Result", "Response", "Edge"} {
			name = strings.TrimSuffix(name, ending)
		}
		if words := verb.Words(name); len(words) > 0 && !verb.Known(words[0]) {
			e.Entities = []string{strings.Join(words, "_")}
		}
	}
}

// id is the id of a field. A mutation that is called like a query, and a name that differs from another only in its
// capitals, get an ending of their own.
func (l *loader) id(operation ast.Operation, name string) string {
	plain := l.name + "." + cmp.Or(verb.Segment(name), "_"+strings.ToLower(name))
	id := plain
	for n := 2; l.taken[id]; n++ {
		id = fmt.Sprintf("%s_%s", plain, operation)
		if n > 2 {
			id += fmt.Sprint("_", n)
		}
	}
	l.taken[id] = true
	if id != plain {
		l.batch.Renamed = append(l.batch.Renamed, catalog.Skip{ID: id, Source: l.Source,
			Reason: fmt.Sprintf("%s is taken (%s %s)", plain, operation, name)})
	}
	return id
}

// selectable describes the argument that takes a selection: what stands there without it, and what else can.
func (l *loader) selectable(def *ast.Definition, standard string) string {
	name := "its type"
	if def != nil {
		name = def.Name
	}
	s := fmt.Sprintf("GraphQL selection; %s.types{name = %q} lists what %s has; without it: %s", l.name, name, name,
		text.ClipBytes(standard, 600))
	if def == nil || def.Kind == ast.Union {
		return s
	}
	set, _ := parsed(standard)
	have := map[string]bool{}
	for _, one := range set {
		if f, ok := one.(*ast.Field); ok {
			have[f.Name] = true
		}
	}
	var more []string
	for _, f := range def.Fields {
		if !have[f.Name] && !strings.HasPrefix(f.Name, "__") && f.Directives.ForName("deprecated") == nil {
			more = append(more, signature(f))
		}
	}
	if len(more) > 0 {
		s += "; also " + text.ClipBytes(strings.Join(more, ", "), 600)
	}
	return s
}

// signature is a field with its arguments and its type: orders(first: Int): OrderConnection.
func signature(f *ast.FieldDefinition) string {
	var args []string
	for _, a := range f.Arguments {
		args = append(args, a.Name+": "+a.Type.String())
	}
	if len(args) > 0 {
		return f.Name + "(" + strings.Join(args, ", ") + "): " + f.Type.String()
	}
	return f.Name + ": " + f.Type.String()
}
