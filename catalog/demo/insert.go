package demo

// This file inserts many rows quickly, in batches per table.

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
)

// batchRows is how many rows one statement inserts. More than about twenty gain little.
const batchRows = 40

// An inserter collects rows. After the first error it does nothing; flush returns that error.
type inserter struct {
	ctx    context.Context
	tx     *sql.Tx
	tables []*batch
	err    error
}

type batch struct {
	table string
	width int
	full  *sql.Stmt
	args  []any
}

// put adds a row to a table. All rows of a table have the same number of values.
func (in *inserter) put(table string, values ...any) {
	if in.err != nil {
		return
	}
	var b *batch
	for _, t := range in.tables {
		if t.table == table {
			b = t
		}
	}
	if b == nil {
		b = &batch{table: table, width: len(values)}
		if b.full, in.err = in.tx.PrepareContext(in.ctx, insertSQL(table, b.width, batchRows)); in.err != nil {
			return
		}
		in.tables = append(in.tables, b)
	}
	b.args = append(b.args, values...)
	if len(b.args) == b.width*batchRows {
		if _, err := b.full.ExecContext(in.ctx, b.args...); err != nil {
			in.err = fmt.Errorf("table %s: %w", table, err)
		}
		b.args = b.args[:0]
	}
}

// flush writes what is left.
func (in *inserter) flush() error {
	for _, b := range in.tables {
		if in.err != nil || len(b.args) == 0 {
			continue
		}
		if _, err := in.tx.ExecContext(in.ctx, insertSQL(b.table, b.width, len(b.args)/b.width), b.args...); err != nil {
			in.err = fmt.Errorf("table %s: %w", b.table, err)
		}
	}
	return in.err
}

func insertSQL(table string, width, rows int) string {
	row := "(" + strings.TrimSuffix(strings.Repeat("?,", width), ",") + ")"
	return "INSERT INTO " + table + " VALUES " + strings.TrimSuffix(strings.Repeat(row+",", rows), ",")
}
