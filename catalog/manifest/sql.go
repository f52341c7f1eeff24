package manifest

// This file makes actions of SQL statements against a SQLite file.

import (
	"context"
	"database/sql"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
	"modernc.org/sqlite" // and the driver "sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"almanac/catalog"
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
// mutation it gets a read-only connection.
func (r *reading) statement(e *catalog.Entry, n *yaml.Node) error {
	var q query
	if n.Kind == yaml.ScalarNode {
		q.Statement = n.Value
	} else if err := decode(n, "sql", &q); err != nil {
		return err
	}
	path, err := r.database(q.Database)
	if err != nil {
		return tree.FaultAt(n, "sql: %v", err)
	}
	s, err := parseStatement(q.Statement)
	if err == nil {
		err = s.check()
	}
	if err != nil {
		return tree.FaultAt(n, "sql: %v", err)
	}
	known := argumentNames(e)
	for _, p := range s.params {
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
	a := sqlAction{outside: r.outside, path: path, text: q.Statement, statement: s, rows: q.MaxRows, writes: e.Mutates}
	e.Action = a.run
	if e.Mutates {
		e.Preview = a.preview
		classify(e, s)
	}
	return nil
}

// classify infers operation and risk from the statement if the manifest does not declare them.
func classify(e *catalog.Entry, s statement) {
	op, risk := s.effect()
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

func (r *reading) database(name string) (path string, err error) {
	var names []string
	for known, at := range r.paths {
		names, path = append(names, known), at
	}
	switch {
	case len(names) == 0:
		return "", errors.New("the manifest has no databases")
	case name == "" && len(names) == 1:
		return path, nil
	case name == "":
		slices.Sort(names)
		return "", fmt.Errorf("say which database: %q", names)
	}
	if path, ok := r.paths[name]; ok {
		return path, nil
	}
	return "", fmt.Errorf("unknown database %s%s", clip(name), meant(name, names))
}

// A sqlAction runs one statement.
type sqlAction struct {
	outside   *outside
	path      string
	text      string
	statement statement
	rows      int
	writes    bool
}

func (a sqlAction) run(ctx context.Context, call catalog.Call) (catalog.Result, error) {
	db, err := a.outside.get(a.path, a.writes)
	if err != nil {
		return catalog.Result{}, err
	}
	data, note, err := a.execute(ctx, db, call)
	return catalog.Result{Data: data, Note: note}, err
}

// preview runs the statement in a transaction and rolls it back.
func (a sqlAction) preview(ctx context.Context, call catalog.Call) (string, error) {
	db, err := a.outside.get(a.path, true)
	if err != nil {
		return "", err
	}
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return "", a.plain(err)
	}
	defer tx.Rollback()
	data, _, err := a.execute(ctx, tx, call)
	if err != nil {
		return "", err
	}
	text, err := json.MarshalIndent(data, "", " ")
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("tried in %s and rolled back:\n%s", filepath.Base(a.path), text), nil
}

type executor interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
}

func (a sqlAction) execute(ctx context.Context, db executor, call catalog.Call) (data any, note string, err error) {
	args := make([]any, 0, len(a.statement.params))
	for _, p := range a.statement.params {
		value, err := bound(call.Args[p])
		if err != nil {
			return nil, "", fmt.Errorf("argument %s: %w", p, err)
		}
		args = append(args, sql.Named(p, value))
	}
	if a.writes && !a.statement.rows() {
		result, err := db.ExecContext(ctx, a.text, args...)
		if err != nil {
			return nil, "", a.plain(err)
		}
		n, err := result.RowsAffected()
		return map[string]any{"rows_affected": n}, "", err
	}
	rows, err := db.QueryContext(ctx, a.text, args...)
	if err != nil {
		return nil, "", a.plain(err)
	}
	defer rows.Close()
	return a.collect(rows)
}

// collect reads the rows. Too many rows are an error, since nobody should mistake a part for the whole; but a statement
// that has changed data returns the first ones.
func (a sqlAction) collect(rows *sql.Rows) (data any, note string, err error) {
	columns, err := rows.Columns()
	if err != nil {
		return nil, "", a.plain(err)
	}
	list := []any{}
	for rows.Next() {
		if len(list) == a.rows {
			if a.writes {
				return list, fmt.Sprintf("the first %d rows", a.rows), nil
			}
			return nil, "", fmt.Errorf("more than %d rows: ask for less, or raise max_rows in the manifest", a.rows)
		}
		values := make([]any, len(columns))
		targets := make([]any, len(columns))
		for i := range values {
			targets[i] = &values[i]
		}
		if err := rows.Scan(targets...); err != nil {
			return nil, "", a.plain(err)
		}
		row := make(map[string]any, len(columns))
		for i, name := range columns {
			row[name] = plainColumn(values[i])
		}
		list = append(list, row)
	}
	return list, "", a.plain(rows.Err())
}

// plain is an error of the database without the path of its file. That another program has it locked is Transient.
func (a sqlAction) plain(err error) error {
	if err == nil {
		return nil
	}
	err = fmt.Errorf("database %s: %w", filepath.Base(a.path), err)
	if e := (*sqlite.Error)(nil); errors.As(err, &e) && e.Code()&0xff == sqlite3.SQLITE_BUSY {
		return &catalog.Transient{Err: err}
	}
	return err
}

// bound is an argument for the database: lists and tables become JSON text.
func bound(v any) (any, error) {
	switch v := v.(type) {
	case []any, map[string]any:
		text, err := json.Marshal(v)
		return string(text), err
	}
	return v, nil
}

// plainColumn is a value of the database as plain data. Binary values become base64.
func plainColumn(v any) any {
	switch v := v.(type) {
	case []byte:
		if utf8.Valid(v) {
			return string(v)
		}
		return base64.StdEncoding.EncodeToString(v)
	case time.Time:
		return v.Format(time.RFC3339Nano)
	}
	return v
}

// An outside is what the actions of a manifest can reach: its open SQLite files and its credentials. The zero value has
// none.
type outside struct {
	vault  *web.Vault
	mu     sync.Mutex
	open   map[string]*sql.DB
	closed bool
}

// get opens an existing file for reading or writing.
func (d *outside) get(path string, writes bool) (*sql.DB, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return nil, errors.New("the source is closed")
	}
	if _, err := os.Stat(path); err != nil {
		return nil, fmt.Errorf("database %s: %w", filepath.Base(path), errors.Unwrap(err))
	}
	mode := "mode=ro&_pragma=query_only(1)"
	if writes {
		mode = "mode=rw&_pragma=foreign_keys(1)&_txlock=immediate"
	}
	address := url.URL{Scheme: "file", OmitHost: true, Path: filepath.ToSlash(path)}
	name := address.String() + "?" + mode + "&_pragma=busy_timeout(5000)"
	if db := d.open[name]; db != nil {
		return db, nil
	}
	db, err := sql.Open("sqlite", name)
	if err != nil {
		return nil, fmt.Errorf("database %s: %w", filepath.Base(path), err)
	}
	db.SetMaxOpenConns(4)
	if d.open == nil {
		d.open = map[string]*sql.DB{}
	}
	d.open[name] = db
	return db, nil
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
