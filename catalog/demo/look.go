package demo

// This file reads the database past the actions, for those who check what calls have done.

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
)

// Select returns the rows of a query. The connection cannot write, so the query cannot either.
func (o *Office) Select(ctx context.Context, query string) ([][]any, error) {
	rows, err := o.read.QueryContext(ctx, query)
	if err != nil {
		return nil, fmt.Errorf("back office: %w", err)
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		return nil, fmt.Errorf("back office: %w", err)
	}
	var all [][]any
	for rows.Next() {
		row, into := make([]any, len(columns)), make([]any, len(columns))
		for i := range row {
			into[i] = &row[i]
		}
		if err := rows.Scan(into...); err != nil {
			return nil, fmt.Errorf("back office: %w", err)
		}
		if all = append(all, row); len(all) > maxRows {
			return nil, fmt.Errorf("back office: more than %d rows", maxRows)
		}
	}
	return all, rows.Err()
}

// maxRows is how many rows Select returns; more is an error, as a query may have no end.
const maxRows = 100_000

// A Difference is how many rows of a table are not in another database's: a row that was changed is both gone and new.
type Difference struct{ New, Gone int }

// Compare returns the tables whose rows differ from those of the back office in another file, with by how much.
func (o *Office) Compare(ctx context.Context, path string) (_ map[string]Difference, err error) {
	tables, err := o.Select(ctx, `SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name`)
	if err != nil {
		return nil, err
	}
	conn, err := o.read.Conn(ctx)
	if err != nil {
		return nil, fmt.Errorf("back office: %w", err)
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	if _, err := conn.ExecContext(ctx, `ATTACH ? AS other`, dsn(path, "mode=ro&immutable=1")); err != nil {
		return nil, fmt.Errorf("back office %s: %w", path, err)
	}
	defer func() {
		_, failed := conn.ExecContext(context.WithoutCancel(ctx), `DETACH other`)
		err = errors.Join(err, failed)
	}()
	differ := map[string]Difference{}
	for _, row := range tables {
		table := row[0].(string)
		var d Difference
		for _, side := range []struct {
			n        *int
			from, to string
		}{{&d.New, "main", "other"}, {&d.Gone, "other", "main"}} {
			if *side.n, err = missing(ctx, conn, table, side.from, side.to); err != nil {
				return nil, err
			}
		}
		if d != (Difference{}) {
			differ[table] = d
		}
	}
	return differ, nil
}

// missing counts the rows of a table that one database has and the other has not.
func missing(ctx context.Context, conn *sql.Conn, table, from, to string) (n int, err error) {
	query := fmt.Sprintf(`SELECT count(*) FROM (SELECT * FROM %s.%s EXCEPT SELECT * FROM %s.%s)`, from, table, to, table)
	if err := conn.QueryRowContext(ctx, query).Scan(&n); err != nil {
		return 0, fmt.Errorf("back office: table %s: %w", table, err)
	}
	return n, nil
}
