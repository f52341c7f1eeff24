package database

// This file is what MySQL and SQLite have in common: both are reached by database/sql.

import (
	"context"
	"database/sql"
)

// A plainTx is a transaction on a connection of its own.
type plainTx struct {
	conn  *sql.Conn
	reads bool
	// bracket runs a statement, so that it ends on the server when ctx does.
	bracket func(ctx context.Context, run func(ctx context.Context) error) error
	// decode is a value as plain data.
	decode func(column *sql.ColumnType, v any) any
}

func (t *plainTx) run(ctx context.Context, statement string, args []any, each func(row) error) (d done, err error) {
	err = t.bracket(ctx, func(ctx context.Context) error {
		if each == nil {
			result, err := t.conn.ExecContext(ctx, statement, args...)
			if err != nil {
				return err
			}
			d.affected, _ = result.RowsAffected()
			d.lastID, _ = result.LastInsertId()
			return nil
		}
		return t.rows(ctx, statement, args, each)
	})
	return d, err
}

func (t *plainTx) rows(ctx context.Context, statement string, args []any, each func(row) error) error {
	reading, stop := context.WithCancel(ctx)
	defer stop()
	rows, err := t.conn.QueryContext(reading, statement, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	types, err := rows.ColumnTypes()
	if err != nil {
		return err
	}
	names := make([]string, len(types))
	values, targets := make([]any, len(types)), make([]any, len(types))
	for i, column := range types {
		names[i], targets[i] = column.Name(), &values[i]
	}
	names = unique(names)
	for rows.Next() {
		if err := rows.Scan(targets...); err != nil {
			return err
		}
		r := make(row, len(names))
		for i, name := range names {
			r[name] = t.decode(types[i], values[i])
		}
		if err := each(r); err != nil {
			if t.reads {
				stop() // nobody wants the other rows
			}
			return err
		}
	}
	return rows.Err()
}

func (t *plainTx) end(ctx context.Context, commit bool) error {
	if !commit {
		limited, cancel := context.WithTimeout(context.WithoutCancel(ctx), cancelTime)
		defer cancel()
		ctx = limited
	}
	statement := "ROLLBACK"
	if commit {
		statement = "COMMIT"
	}
	_, err := t.conn.ExecContext(ctx, statement)
	if err != nil {
		_ = t.conn.Raw(func(any) error { return errDrop })
	}
	t.conn.Close()
	return err
}
