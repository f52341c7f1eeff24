package database

// This file reaches files of SQLite.

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"
	"unicode/utf8"

	"modernc.org/sqlite" // and the driver "sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// A file is a file of SQLite: over one pool it can only be read, over the other it can be written.
type file struct {
	path          string
	reads, writes *sql.DB
}

// errDrop takes a connection out of its pool.
var errDrop = driver.ErrBadConn

func openSQLite(path string) *Database {
	d := &Database{dialect: sqliteDialect(), name: filepath.Base(path), at: filepath.Base(path), file: path,
		timeout: defaultTimeout}
	d.make = func() (server, error) {
		f := &file{path: path}
		var err error
		if f.reads, err = openFile(path, "mode=ro&_pragma=query_only(1)"); err == nil {
			f.writes, err = openFile(path, "mode=rw&_pragma=foreign_keys(1)")
		}
		return f, err
	}
	return d
}

func openFile(path, mode string) (*sql.DB, error) {
	address := url.URL{Scheme: "file", OmitHost: true, Path: filepath.ToSlash(path)}
	db, err := sql.Open("sqlite", address.String()+"?"+mode+"&_pragma=busy_timeout(5000)")
	if err == nil {
		db.SetMaxOpenConns(maxConnections)
	}
	return db, err
}

func (f *file) close() {
	f.reads.Close()
	f.writes.Close()
}

func (f *file) refused(error) bool { return false }

func (f *file) secrets() []string { return nil }

func (f *file) begin(ctx context.Context, writes bool) (transaction, error) {
	info, err := os.Stat(f.path)
	if err != nil {
		return nil, errors.Unwrap(err)
	}
	if !info.Mode().IsRegular() {
		return nil, errors.New("not a regular file")
	}
	pool, start := f.reads, "BEGIN"
	if writes {
		pool, start = f.writes, "BEGIN IMMEDIATE"
	}
	conn, err := pool.Conn(ctx)
	if err != nil {
		return nil, err
	}
	if _, err := conn.ExecContext(ctx, start); err != nil {
		conn.Close()
		return nil, err
	}
	return &plainTx{
		conn: conn, reads: !writes, decode: sqliteValue,
		bracket: func(ctx context.Context, run func(ctx context.Context) error) error { return run(ctx) },
	}, nil
}

// sqliteValue is a value as plain data.
func sqliteValue(_ *sql.ColumnType, v any) any {
	switch v := v.(type) {
	case []byte:
		return hexadecimal(v)
	case string:
		if !utf8.ValidString(v) {
			return hexadecimal([]byte(v))
		}
	case time.Time:
		return v.Format(time.RFC3339Nano)
	}
	return v
}

func (f *file) explained(err error) (string, bool) {
	var told *sqlite.Error
	return err.Error(), errors.As(err, &told) && told.Code()&0xff == sqlite3.SQLITE_BUSY
}

// schema reads the tables of the file in two statements.
func (f *file) schema(ctx context.Context) (*schema, error) {
	tx, err := f.begin(ctx, false)
	if err != nil {
		return nil, err
	}
	defer tx.end(ctx, false)
	s, tables := &schema{}, map[string]*table{}
	rank := map[*column]int64{}
	_, err = tx.run(ctx, `SELECT m.name AS t, m.type AS kind, m.sql AS made, c.name AS name, c.type AS type, c."notnull" AS required,
		c.dflt_value AS preset, c.pk AS pk, c.hidden AS hidden FROM sqlite_schema m, pragma_table_xinfo(m.name) c
		WHERE m.type IN ('table', 'view') AND m.name NOT LIKE 'sqlite\_%' ESCAPE '\' ORDER BY m.name, c.cid`, nil,
		func(r row) error {
			name := textOf(r["t"])
			t := tables[name]
			if t == nil {
				view := r["kind"] == "view"
				t = &table{path: []string{name}, view: view, inserts: !view, updates: !view, deletes: !view}
				tables[name], s.tables = t, append(s.tables, t)
			}
			hidden, _ := r["hidden"].(int64)
			if hidden == 1 { // of a virtual table
				return nil
			}
			c := sqliteColumn(textOf(r["name"]), textOf(r["type"]))
			c.nullable, c.optional, c.generated = r["required"] != int64(1), r["preset"] != nil, hidden > 1
			t.columns = append(t.columns, c)
			if pk, _ := r["pk"].(int64); pk > 0 {
				rank[c] = pk
				t.key = append(t.key, c)
			}
			return nil
		})
	if err != nil {
		return nil, err
	}
	for _, t := range s.tables {
		ordered := make([]*column, len(t.key))
		for _, c := range t.key {
			ordered[rank[c]-1] = c
			c.optional = c.optional || len(t.key) == 1 && strings.EqualFold(c.typ, "integer")
			c.nullable = false
		}
		if len(ordered) > 0 {
			t.key = ordered
		}
	}
	// Keys name tables and columns in either case.
	_, err = tx.run(ctx, `SELECT m.name AS t, f.id AS id, f."from" AS "from", f.on_delete AS cascade,
		coalesce((SELECT o.name FROM sqlite_schema o WHERE o.type = 'table' AND o.name = f."table" COLLATE NOCASE), f."table") AS other,
		coalesce((SELECT c.name FROM pragma_table_xinfo(f."table") c WHERE c.name = f."to" COLLATE NOCASE), f."to") AS "to"
		FROM sqlite_schema m, pragma_foreign_key_list(m.name) f WHERE m.type = 'table' ORDER BY m.name, f.id, f.seq`, nil,
		foreignRows(tables))
	return s, err
}

// sqliteColumn tells the kind of a column by the name of its type, as SQLite does.
func sqliteColumn(name, typ string) *column {
	c := &column{name: name, typ: strings.ToLower(typ)}
	has := func(words ...string) bool {
		for _, word := range words {
			if strings.Contains(c.typ, word) {
				return true
			}
		}
		return false
	}
	switch {
	case c.typ == "":
		c.kind = loose
	case has("bool"):
		c.kind, c.flag = boolean, true
	case has("json"):
		c.kind, c.parse = document, true
	case has("int"):
		c.kind = integer
	case has("char", "clob", "text", "date", "time", "uuid"):
		c.kind = textual
	case has("blob", "binary"):
		c.kind = blob
	case has("real", "floa", "doub"):
		c.kind = float
	default:
		c.kind = loose // a number where it looks like one
	}
	return c
}

// foreignRows collects foreign keys, of which each row has one column: t, id, other, from, to, cascade.
func foreignRows(tables map[string]*table) func(row) error {
	last := ""
	return func(r row) error {
		t := tables[textOf(r["t"])]
		if t == nil {
			return nil
		}
		if id := fmt.Sprint(r["t"], "\x00", r["id"]); id != last {
			last = id
			t.foreign = append(t.foreign, foreign{to: []string{textOf(r["other"])},
				cascade: strings.ToLower(textOf(r["cascade"]))})
		}
		key := &t.foreign[len(t.foreign)-1]
		key.columns = append(key.columns, textOf(r["from"]))
		if to := textOf(r["to"]); to != "" {
			key.refs = append(key.refs, to)
		} else if other := tables[key.to[0]]; other != nil && len(other.key) >= len(key.columns) {
			key.refs = append(key.refs, other.key[len(key.columns)-1].name)
		}
		return nil
	}
}

func textOf(v any) string {
	s, _ := v.(string)
	return s
}
