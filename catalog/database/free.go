package database

// This file runs statements that somebody wrote: those of query and execute, and of manifests.

import (
	"context"
	"fmt"

	"almanac/catalog"
	"almanac/catalog/text"
)

// statement reads the arguments sql and args of a call.
func (d *Database) statement(call catalog.Call) (sql string, values []any, s Statement, err error) {
	text, _ := call.Args["sql"].(string)
	if s, err = d.Parse(text); err != nil {
		return "", nil, s, wrong("sql: %v", err)
	}
	switch args := call.Args["args"].(type) {
	case map[string]any:
		if len(args) == 0 {
			return text, nil, s, nil
		}
		for _, name := range s.Params() {
			if _, given := args[name]; !given {
				return "", nil, s, wrong("args: :%s is missing", name)
			}
		}
		sql, values, err = s.values(args)
		return sql, values, s, err
	case []any:
		for i, v := range args {
			v, err = s.bound(v)
			if err != nil {
				return "", nil, s, fmt.Errorf("args[%d]: %w", i+1, err)
			}
			values = append(values, v)
		}
	}
	return text, values, s, nil
}

// values replaces the :name parameters, and lists their values.
func (s Statement) values(args map[string]any) (sql string, values []any, err error) {
	sql, values = s.bind(args)
	for i, v := range values {
		if values[i], err = s.bound(v); err != nil {
			return "", nil, err
		}
	}
	return sql, values, nil
}

// bound is an argument as the server takes it. PostgreSQL tells whether a list is to be an array or JSON.
func (s Statement) bound(v any) (any, error) {
	if s.numbered {
		return v, nil
	}
	return bound(v)
}

func (d *Database) query(ctx context.Context, call catalog.Call) (result catalog.Result, err error) {
	sql, values, s, err := d.statement(call)
	if err == nil {
		if err = s.Reads(); err != nil {
			err = wrong("sql: %v: use execute", err)
		}
	}
	if err != nil {
		return result, err
	}
	limit := int(whole(call.Args["limit"], defaultRows))
	err = d.within(ctx, false, func(tx transaction) error {
		list, more, err := d.rows(ctx, tx, sql, values, limit)
		result.Data = map[string]any{"rows": list, "more": more}
		if more {
			result.Note = fmt.Sprintf("the first %s; there are more", text.Count(limit, "row"))
		}
		return err
	})
	return result, err
}

// defaultRows is how many rows a query returns unless it asks for more.
const defaultRows = 1000

func (d *Database) execute(ctx context.Context, call catalog.Call) (result catalog.Result, err error) {
	sql, values, s, err := d.statement(call)
	if err != nil {
		return result, err
	}
	c, err := d.change(ctx, s, sql, values, defaultRows, false)
	return catalog.Result{Data: c.data(), Note: c.Note()}, err
}

// Rows runs a statement that reads, with the values of its :name parameters, and returns at most limit rows; more tells
// that there are others.
func (d *Database) Rows(ctx context.Context, s Statement, args map[string]any, limit int) (list []any, more bool,
	err error) {
	sql, values, err := s.values(args)
	if err != nil {
		return nil, false, err
	}
	err = d.within(ctx, false, func(tx transaction) error {
		list, more, err = d.rows(ctx, tx, sql, values, limit)
		return err
	})
	return list, more, err
}

// A Changed is what a statement did.
type Changed struct {
	Affected int64
	// Rows are those that it returned, at most so many as were asked for; nil where it returns none.
	Rows []any
}

// Change runs a statement that may change data in a transaction of its own, which is rolled back if it is only tried.
func (d *Database) Change(ctx context.Context, s Statement, args map[string]any, limit int, try bool) (c Changed,
	err error) {
	sql, values, err := s.values(args)
	if err != nil {
		return c, err
	}
	return d.change(ctx, s, sql, values, limit, try)
}

func (d *Database) change(ctx context.Context, s Statement, sql string, values []any, limit int, try bool) (c Changed,
	err error) {
	err = d.within(ctx, true, func(tx transaction) error {
		if c, err = collected(ctx, tx, s, sql, values, limit); err == nil && try {
			return errEnough
		}
		return err
	})
	if try && err == errEnough {
		err = nil
	}
	return c, err
}

// collected runs a statement, all of it, and keeps the first rows.
func collected(ctx context.Context, tx transaction, s Statement, sql string, values []any, limit int) (c Changed,
	err error) {
	if !s.rows() {
		did, err := tx.run(ctx, sql, values, nil)
		return Changed{Affected: did.affected}, err
	}
	size := 0
	c.Rows = []any{}
	_, err = tx.run(ctx, sql, values, func(r row) error {
		c.Affected++
		if size += sizeOf(r); len(c.Rows) < limit && size <= mostBytes {
			c.Rows = append(c.Rows, r)
		}
		return nil
	})
	return c, err
}

// Note says what of the rows was left out; empty where nothing was.
func (c Changed) Note() string {
	if c.Rows == nil || int(c.Affected) == len(c.Rows) {
		return ""
	}
	return fmt.Sprintf("the first %s of %d", text.Count(len(c.Rows), "row"), c.Affected)
}

func (c Changed) data() map[string]any {
	data := map[string]any{"rows_affected": c.Affected}
	if c.Rows != nil {
		data["rows"] = c.Rows
	}
	return data
}

// previewExecute runs a statement and takes it back, where the database can.
func (d *Database) previewExecute(ctx context.Context, call catalog.Call) (string, error) {
	sql, values, s, err := d.statement(call)
	if err != nil {
		return "", err
	}
	if !s.CanTry() {
		return sql + "\nnot tried: it cannot be taken back\n", nil
	}
	c, err := d.change(ctx, s, sql, values, mostTried, true)
	return fmt.Sprintf("tried in %s and rolled back: %s\n", d.name, shown(c.data())), err
}

// mostTried is how many rows a preview shows.
const mostTried = 20
