package graphql

// This file calls fields.

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/formatter"
	"github.com/vektah/gqlparser/v2/validator"
	"github.com/vektah/gqlparser/v2/validator/rules"

	"almanac/catalog"
	"almanac/catalog/web"
)

// A caller calls one field of a root.
type caller struct {
	*api
	schema    *ast.Schema
	operation ast.Operation
	field     *ast.FieldDefinition
	// standard is the selection where the caller gives none; empty for results without fields.
	standard string
	// argument is the name of the argument that takes a selection.
	argument string
}

// run is the entry's action.
func (c *caller) run(ctx context.Context, call catalog.Call) (catalog.Result, error) {
	fields := c.standard
	if given, ok := call.Args[c.argument].(string); ok && strings.TrimSpace(given) != "" {
		fields = given
	}
	set, err := c.selection(fields)
	if err != nil {
		return catalog.Result{}, fmt.Errorf("argument %s: %w", c.argument, err)
	}
	variables := maps.Clone(call.Args)
	delete(variables, c.argument)
	client := c.Client()
	if client == nil {
		return catalog.Result{}, c.Health()
	}
	req := c.request(written(c.document(set, variables)), variables, false)
	if call.KeyHeader != "" {
		req.Header.Set(call.KeyHeader, call.Key)
	}
	answer, err := client.Do(ctx, req)
	if err != nil {
		return catalog.Result{}, err
	}
	return c.result(answer)
}

// request is an operation as a request. raw returns the answer as text.
func (a *api) request(query string, variables map[string]any, raw bool) web.Request {
	body := map[string]any{"query": query}
	if len(variables) > 0 {
		body["variables"] = variables
	}
	encoded, err := json.Marshal(body)
	if err != nil {
		encoded = nil // arguments are plain data, which can always be written
	}
	return web.Request{Method: http.MethodPost, URL: a.address, Header: httpHeader(), Body: encoded, Auth: a.auth,
		JSON: !raw, Raw: raw}
}

// selection reads a selection and checks it against the schema, in the operation in which it will be sent. Nil for
// results without fields.
func (c *caller) selection(fields string) (ast.SelectionSet, error) {
	if c.standard == "" {
		return nil, nil
	}
	set, err := parsed(fields)
	if err != nil {
		return nil, err
	}
	all := map[string]any{}
	for _, a := range c.field.Arguments {
		all[a.Name] = nil
	}
	checked := rules.NewDefaultRules()
	if errs := validator.ValidateWithRules(c.schema, c.document(set, all), checked); len(errs) > 0 {
		return nil, plain(errs)
	}
	return set, nil
}

// document is the operation that asks for a selection with arguments of these names, each a variable of its type.
func (c *caller) document(set ast.SelectionSet, args map[string]any) *ast.QueryDocument {
	field := &ast.Field{Alias: c.field.Name, Name: c.field.Name, SelectionSet: set, Position: nowhere()}
	op := &ast.OperationDefinition{Operation: c.operation, SelectionSet: ast.SelectionSet{field}, Position: nowhere()}
	for _, a := range c.field.Arguments {
		if _, given := args[a.Name]; !given {
			continue
		}
		op.VariableDefinitions = append(op.VariableDefinitions, &ast.VariableDefinition{Variable: a.Name, Type: a.Type,
			Position: nowhere()})
		field.Arguments = append(field.Arguments, &ast.Argument{Name: a.Name, Position: nowhere(),
			Value: &ast.Value{Kind: ast.Variable, Raw: a.Name, Position: nowhere()}})
	}
	if set != nil && c.pages() {
		info := &ast.Field{Alias: pageAlias, Name: "pageInfo", Position: nowhere()}
		for _, name := range []string{"hasNextPage", "endCursor"} {
			info.SelectionSet = append(info.SelectionSet, &ast.Field{Alias: name, Name: name, Position: nowhere()})
		}
		field.SelectionSet = append(slices.Clone(set), info)
	}
	return &ast.QueryDocument{Operations: ast.OperationList{op}}
}

// pages reports whether the result is a page of a list, and the next one can be asked for.
func (c *caller) pages() bool {
	def := c.schema.Types[c.field.Type.Name()]
	after := c.field.Arguments.ForName("after")
	if def == nil || after == nil || after.Type.Elem != nil || c.field.Type.Elem != nil || !isPage(def) {
		return false
	}
	info := c.schema.Types[def.Fields.ForName("pageInfo").Type.Name()]
	return info != nil && info.Fields.ForName("hasNextPage") != nil && info.Fields.ForName("endCursor") != nil
}

// written is the text of an operation.
func written(doc *ast.QueryDocument) string {
	var b strings.Builder
	formatter.NewFormatter(&b, formatter.WithIndent(" ")).FormatQueryDocument(doc)
	return strings.TrimSpace(b.String())
}

// result reads an answer. Errors in it are an error of the call; of a mutation that was made nevertheless it says so.
func (c *caller) result(answer web.Answer) (catalog.Result, error) {
	whole, _ := answer.Data.(map[string]any)
	data, _ := whole["data"].(map[string]any)
	value, has := data[c.field.Name]
	failed, _ := whole["errors"].([]any)
	switch {
	case len(failed) > 0 && c.operation == ast.Mutation && value != nil:
		return catalog.Result{}, fmt.Errorf("the mutation was made, but a part of its answer failed: %s; do not repeat it",
			told(failed))
	case len(failed) > 0 && value != nil:
		return catalog.Result{}, fmt.Errorf("%s; %s without what failed gives the rest", told(failed), c.argument)
	case len(failed) > 0:
		return catalog.Result{}, errors.New(told(failed))
	case !has:
		return catalog.Result{}, fmt.Errorf("the server's answer has no data for %s", c.field.Name)
	}
	result := catalog.Result{Data: value, Note: answer.Note}
	if page, ok := value.(map[string]any); ok && c.pages() {
		info, _ := page[pageAlias].(map[string]any)
		delete(page, pageAlias)
		if cursor, _ := info["endCursor"].(string); info["hasNextPage"] == true && cursor != "" {
			result.Next = map[string]any{"after": cursor}
		}
	}
	return result, nil
}

// maxTold is how many errors of an answer are told.
const maxTold = 3

// told is the errors of an answer with the places in the result that they are about: "not found (order.lines.2)".
func told(failed []any) string {
	var all []string
	for _, one := range failed[:min(maxTold, len(failed))] {
		e, _ := one.(map[string]any)
		message, _ := e["message"].(string)
		if message == "" {
			message = "the server failed without saying why"
		}
		s := line(message, 300)
		if path, _ := e["path"].([]any); len(path) > 0 {
			var parts []string
			for _, p := range path {
				parts = append(parts, fmt.Sprint(p))
			}
			s += " (" + line(strings.Join(parts, "."), 100) + ")"
		}
		all = append(all, s)
	}
	if more := len(failed) - maxTold; more > 0 {
		all = append(all, fmt.Sprintf("%d more", more))
	}
	return strings.Join(all, "; ")
}
