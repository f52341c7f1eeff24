package manifest

// This file makes actions of SQL statements.

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"go.yaml.in/yaml/v3"

	"almanac/catalog"
	"almanac/catalog/database"
	"almanac/catalog/tree"
)

// A query is the sql part of a declaration.
type query struct {
	Database  string `yaml:"database"`
	Statement string `yaml:"statement"`
	MaxRows   int    `yaml:"max_rows"`
}

const (
	defaultRows = 1_000
	mostRows    = 100_000
)

// statement makes an action of an SQL statement. Its arguments are bound, never interpolated. Unless declared as a
// mutation it runs in a read-only transaction.
func (r *reading) statement(e *catalog.Entry, n *yaml.Node) error {
	var q query
	if n.Kind == yaml.ScalarNode {
		q.Statement = n.Value
	} else if err := decode(n, "sql", &q); err != nil {
		return err
	}
	db, err := r.database(q.Database)
	if err != nil {
		return tree.FaultAt(n, "sql: %v", err)
	}
	s, err := db.Parse(q.Statement)
	if err == nil {
		err = s.Named()
	}
	if err != nil {
		return tree.FaultAt(n, "sql: %v", err)
	}
	known := argumentNames(e)
	for _, p := range s.Params() {
		if !slices.Contains(known, p) {
			return tree.FaultAt(n, "sql: :%s is not an input of the action%s", p, meant(p, known))
		}
	}
	if q.MaxRows == 0 {
		q.MaxRows = defaultRows
	}
	if q.MaxRows < 1 || q.MaxRows > mostRows {
		return tree.FaultAt(n, "sql: max_rows: want 1 to %d", mostRows)
	}
	a := sqlAction{db: db, text: q.Statement, statement: s, rows: q.MaxRows}
	e.Action = a.read
	if e.Mutates {
		e.Action, e.Preview = a.change, a.preview
		classify(e, s)
	}
	r.outside.use(db, e.ID)
	return nil
}

// classify infers operation and risk from the statement if the manifest does not declare them.
func classify(e *catalog.Entry, s database.Statement) {
	op, risk := s.Effect()
	if e.Operation == "" {
		e.Operation = op
	}
	if e.Risk == "" {
		e.Risk = risk
	}
}

// argumentNames lists the inputs of an action and the arguments that the host fills in.
func argumentNames(e *catalog.Entry) []string {
	var names []string
	for _, f := range e.Input.Fields() {
		names = append(names, f.Name)
	}
	if e.Key != nil && e.Key.Argument != "" {
		names = append(names, e.Key.Argument)
	}
	for _, in := range e.Inject {
		names = append(names, in.Field)
	}
	return names
}

func (r *reading) database(name string) (db *database.Database, err error) {
	var names []string
	for known, one := range r.databases {
		names, db = append(names, known), one
	}
	switch {
	case len(names) == 0:
		return nil, errors.New("the manifest has no databases")
	case name == "" && len(names) == 1:
		return db, nil
	case name == "":
		slices.Sort(names)
		return nil, fmt.Errorf("say which database: %q", names)
	}
	if db, ok := r.databases[name]; ok {
		return db, nil
	}
	return nil, fmt.Errorf("unknown database %s%s", clip(name), meant(name, names))
}

// A sqlAction runs one statement.
type sqlAction struct {
	db        *database.Database
	text      string
	statement database.Statement
	rows      int
}

// read returns the rows. Too many are an error, since nobody should mistake a part for the whole.
func (a sqlAction) read(ctx context.Context, call catalog.Call) (catalog.Result, error) {
	list, more, err := a.db.Rows(ctx, a.statement, call.Args, a.rows)
	if err == nil && more {
		err = fmt.Errorf("more than %d rows: ask for less, or raise max_rows in the manifest", a.rows)
	}
	return catalog.Result{Data: list}, err
}

// change returns the rows of a statement that has some, the first ones where there are too many.
func (a sqlAction) change(ctx context.Context, call catalog.Call) (catalog.Result, error) {
	c, err := a.db.Change(ctx, a.statement, call.Args, a.rows, false)
	return catalog.Result{Data: changed(c), Note: c.Note()}, err
}

func changed(c database.Changed) any {
	if c.Rows != nil {
		return c.Rows
	}
	return map[string]any{"rows_affected": c.Affected}
}

// preview runs the statement in a transaction and rolls it back.
func (a sqlAction) preview(ctx context.Context, call catalog.Call) (string, error) {
	if !a.statement.CanTry() {
		return a.text + "\nnot tried: it cannot be taken back", nil
	}
	c, err := a.db.Change(ctx, a.statement, call.Args, a.rows, true)
	if err != nil {
		return "", err
	}
	text, err := json.MarshalIndent(changed(c), "", " ")
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("tried in %s and rolled back:\n%s", a.db.Name(), text), nil
}
