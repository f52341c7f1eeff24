package graphql

// This file makes a schema of its definitions. Schemas of servers break the rules of the language in small ways that no
// server minds, so what cannot be used is left out and told, and the rest stays.

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/validator"
)

// An assembly makes one schema.
type assembly struct {
	schema *ast.Schema
	left   []string // what was left out, and why
}

// assemble makes a schema of definitions, those of the language itself among them, and says what was left out. It fails
// where no type for queries is left.
func assemble(doc *ast.SchemaDocument) (*ast.Schema, []string, error) {
	doc.Merge(validator.PreludeDocument())
	a := assembly{schema: &ast.Schema{
		Types: map[string]*ast.Definition{}, Directives: map[string]*ast.DirectiveDefinition{},
		PossibleTypes: map[string][]*ast.Definition{}, Implements: map[string][]*ast.Definition{},
	}}
	for _, d := range doc.Directives {
		if d.Position != nil && d.Position.Src != nil && d.Position.Src.BuiltIn {
			a.schema.Directives[d.Name] = d
		}
	}
	a.types(doc)
	for _, def := range a.schema.Types {
		a.mend(def)
	}
	for _, def := range a.schema.Types {
		a.relate(def)
	}
	err := a.roots(doc)
	slices.Sort(a.left)
	return a.schema, a.left, err
}

func (a *assembly) leave(format string, args ...any) {
	a.left = append(a.left, line(fmt.Sprintf(format, args...), 200))
}

// types puts the definitions with their extensions under their names. Those of the language itself win.
func (a *assembly) types(doc *ast.SchemaDocument) {
	for _, d := range doc.Definitions {
		other := a.schema.Types[d.Name]
		if other != nil && !d.BuiltIn {
			if !other.BuiltIn {
				a.leave("type %s: defined twice", d.Name)
			}
			continue
		}
		a.schema.Types[d.Name] = d
	}
	for _, more := range doc.Extensions {
		def := a.schema.Types[more.Name]
		if def == nil {
			a.schema.Types[more.Name] = more
			continue
		}
		def.Interfaces = append(def.Interfaces, more.Interfaces...)
		def.Fields = append(def.Fields, more.Fields...)
		def.Types = append(def.Types, more.Types...)
		def.EnumValues = append(def.EnumValues, more.EnumValues...)
		def.Directives = append(def.Directives, more.Directives...)
	}
}

// mend leaves out what is there twice and what refers to types that are not.
func (a *assembly) mend(def *ast.Definition) {
	def.Directives = known(def.Directives)
	seen := map[string]bool{}
	def.Fields = slices.DeleteFunc(def.Fields, func(f *ast.FieldDefinition) bool {
		f.Directives = known(f.Directives)
		twice := seen[f.Name]
		seen[f.Name] = true
		if twice {
			a.leave("%s.%s: defined twice", def.Name, f.Name)
			return true
		}
		return !a.usable(def.Name+"."+f.Name, f.Type, def.Kind == ast.InputObject) || !a.takes(def, f)
	})
	a.names(def.Name, &def.Interfaces, ast.Interface)
	a.names(def.Name, &def.Types, ast.Object)
	values := map[string]bool{}
	def.EnumValues = slices.DeleteFunc(def.EnumValues, func(v *ast.EnumValueDefinition) bool {
		twice := values[v.Name]
		values[v.Name] = true
		return twice
	})
}

// takes mends the arguments of a field; it reports false where one that is required cannot be sent.
func (a *assembly) takes(def *ast.Definition, f *ast.FieldDefinition) bool {
	seen, whole := map[string]bool{}, true
	f.Arguments = slices.DeleteFunc(f.Arguments, func(arg *ast.ArgumentDefinition) bool {
		if seen[arg.Name] {
			return true
		}
		seen[arg.Name] = true
		if a.usable(fmt.Sprintf("%s.%s(%s)", def.Name, f.Name, arg.Name), arg.Type, true) {
			return false
		}
		whole = whole && (!arg.Type.NonNull || arg.DefaultValue != nil)
		return true
	})
	return whole
}

// usable reports whether a type is there, and is of the side where it stands: arguments or results.
func (a *assembly) usable(where string, t *ast.Type, input bool) bool {
	def := a.schema.Types[t.Name()]
	switch {
	case def == nil:
		a.leave("%s: there is no type %s", where, t.Name())
	case input && !def.IsInputType():
		a.leave("%s: %s is no type of arguments", where, t.Name())
	case !input && def.Kind == ast.InputObject:
		a.leave("%s: %s is a type of arguments", where, t.Name())
	default:
		return true
	}
	return false
}

// names leaves out the names of types that are not there, are of another kind, or stand there twice.
func (a *assembly) names(of string, list *[]string, kind ast.DefinitionKind) {
	seen := map[string]bool{}
	*list = slices.DeleteFunc(*list, func(name string) bool {
		def := a.schema.Types[name]
		if def == nil || def.Kind != kind {
			a.leave("%s: there is no %s %s", of, strings.ToLower(string(kind)), name)
		}
		twice := seen[name]
		seen[name] = true
		return twice || def == nil || def.Kind != kind
	})
}

// known are the directives that mean something here.
func known(all ast.DirectiveList) ast.DirectiveList {
	return slices.DeleteFunc(all, func(d *ast.Directive) bool { return d.Name != "deprecated" && d.Name != "oneOf" })
}

// relate notes which types stand for which.
func (a *assembly) relate(def *ast.Definition) {
	for _, name := range slices.Concat(def.Interfaces, def.Types) {
		whole, part := name, def.Name
		if def.Kind == ast.Union {
			whole, part = def.Name, name
		}
		a.schema.AddPossibleType(whole, a.schema.Types[part])
		a.schema.AddImplements(part, a.schema.Types[whole])
	}
	if def.Kind == ast.Object || def.Kind == ast.InputObject {
		a.schema.AddPossibleType(def.Name, def)
	}
}

// roots finds the types of the operations: those that the schema names, else those of the usual names.
func (a *assembly) roots(doc *ast.SchemaDocument) error {
	named := map[ast.Operation]string{ast.Query: "Query", ast.Mutation: "Mutation", ast.Subscription: "Subscription"}
	if len(doc.Schema) > 0 {
		clear(named)
	}
	for _, s := range slices.Concat(doc.Schema, doc.SchemaExtension) {
		for _, t := range s.OperationTypes {
			named[t.Operation] = t.Type
		}
	}
	root := func(operation ast.Operation) *ast.Definition {
		if def := a.schema.Types[named[operation]]; def != nil && def.Kind == ast.Object {
			return def
		}
		return nil
	}
	a.schema.Query, a.schema.Mutation, a.schema.Subscription = root(ast.Query), root(ast.Mutation), root(ast.Subscription)
	if a.schema.Query == nil {
		return errors.New("the schema has no type for its queries")
	}
	return nil
}
