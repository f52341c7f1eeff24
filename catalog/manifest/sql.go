package manifest

// This file makes actions of SQL statements.

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"go.yaml.in/yaml/v3"

	"almanac/catalog"
	"almanac/catalog/database"
	"almanac/catalog/source"
	"almanac/catalog/tree"
	"almanac/catalog/web"
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

// An outside is what the actions of a manifest can reach: its databases and its credentials. The zero value has none.
type outside struct {
	vault  *web.Vault
	access web.Access
	mu     sync.Mutex
	open   map[string]*database.Database // by their addresses
	users  map[*database.Database][]string
	all    int // how many actions there are
	closed bool
}

// get returns the database at an address; name is what the manifest calls it.
func (d *outside) get(name, address string) (*database.Database, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if db := d.open[address]; db != nil {
		return db, nil
	}
	db, err := database.Open(address, database.Options{Name: name, Vault: d.vault})
	if err != nil {
		return nil, err
	}
	if d.closed {
		db.Close()
	}
	if d.open == nil {
		d.open = map[string]*database.Database{}
	}
	d.open[address] = db
	return db, nil
}

// use notes that the action id needs the database.
func (d *outside) use(db *database.Database, id string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.users == nil {
		d.users = map[*database.Database][]string{}
	}
	d.users[db] = append(d.users[db], id)
}

// checkTime bounds the look at the databases of a manifest when it is read: nothing else is shown before it has been.
const checkTime = 2 * time.Second

// check tries to reach the databases that are used, all at once; health tells what came of it.
func (d *outside) check(ctx context.Context, entries []catalog.Entry) {
	ctx, cancel := context.WithTimeout(ctx, checkTime)
	defer cancel()
	d.mu.Lock()
	used := map[string]bool{}
	for i := range entries {
		used[entries[i].ID] = true
	}
	d.all = len(entries)
	var tries sync.WaitGroup
	for db, ids := range d.users {
		ids = slices.DeleteFunc(ids, func(id string) bool { return !used[id] })
		slices.Sort(ids)
		d.users[db] = slices.Compact(ids)
		if len(ids) > 0 {
			tries.Go(func() { _ = db.Check(ctx) }) // health tells
		}
	}
	d.mu.Unlock()
	tries.Wait()
}

// health says which actions cannot reach their database.
func (d *outside) health() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	var down *source.PartlyError
	for db, ids := range d.users {
		err := db.Health()
		if err == nil || len(ids) == 0 {
			continue
		}
		if down == nil {
			down = &source.PartlyError{All: d.all, Err: err}
		}
		down.Blocked = append(down.Blocked, ids...)
	}
	if down == nil {
		return nil
	}
	slices.Sort(down.Blocked)
	if len(down.Blocked) == down.All {
		return down.Err
	}
	return down
}

// secrets are values that must never be shown.
func (d *outside) secrets() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	all := d.vault.Secrets()
	for _, db := range d.open {
		all = append(all, db.Secrets()...)
	}
	return all
}

func (d *outside) close() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.closed = true
	var errs []error
	for _, db := range d.open {
		errs = append(errs, db.Close())
	}
	return errors.Join(errs...)
}
