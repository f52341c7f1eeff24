package demo

// This file has the steps of actions. SQL has named parameters:
//
//	:customer_id       an argument, or what an earlier step set; NULL when it was not given
//	:query_words       the words of the text argument query, lower case, as a JSON list
//	:caller            who calls, as the host says
//	:today, :now       the office's day and moment
//	{AND x = :x}       kept only when every parameter in it was given
//
// Values are always bound, never interpolated.

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// list returns all rows of a query.
func list(query string) step {
	return func(ctx context.Context, w *work) (any, error) {
		return w.records(ctx, w.out, query)
	}
}

// one returns the only row of a query.
func one(query string) step {
	return func(ctx context.Context, w *work) (any, error) {
		rows, err := w.records(ctx, w.out, query)
		if err != nil {
			return nil, err
		}
		if len(rows) == 0 {
			return nil, errors.New("no such record")
		}
		return rows[0], nil
	}
}

// exec runs a statement that writes.
func exec(statement string) step {
	return func(ctx context.Context, w *work) (any, error) {
		return nil, w.exec(ctx, statement)
	}
}

// refuse ends the call with the text that a query returns; no row or NULL lets it continue.
func refuse(query string) step {
	return func(ctx context.Context, w *work) (any, error) {
		v, err := w.scalar(ctx, query)
		if err != nil || v == nil {
			return nil, err
		}
		return nil, errors.New(fmt.Sprint(v))
	}
}

// let sets a parameter for later steps to the one value of a query; no row sets NULL.
func let(name, query string) step {
	return func(ctx context.Context, w *work) (any, error) {
		v, err := w.scalar(ctx, query)
		w.vars[name] = v
		return nil, err
	}
}

// fresh sets :new_id to an unused id, such as inv_05001 for the prefix inv.
func fresh(prefix string) step {
	return func(ctx context.Context, w *work) (any, error) {
		var id string
		err := w.tx.QueryRowContext(ctx, `UPDATE counters SET n = n + 1 WHERE prefix = ?
			RETURNING printf('%s_%0*d', prefix, width, n)`, prefix).Scan(&id)
		if err != nil {
			return nil, fmt.Errorf("new %s id: %w", prefix, err)
		}
		w.vars["new_id"] = id
		return nil, nil
	}
}

// someOf refuses a call with none of these arguments, which would change nothing.
func someOf(names ...string) step {
	return func(_ context.Context, w *work) (any, error) {
		for _, name := range names {
			if w.vars[name] != nil {
				return nil, nil
			}
		}
		return nil, fmt.Errorf("nothing to do: give at least one of %s", strings.Join(names, ", "))
	}
}

// each runs steps once for every record of a list argument, with its fields and :line (from 1) as parameters.
func each(arg, shapeName string, steps ...step) step {
	return func(ctx context.Context, w *work) (any, error) {
		items, ok := w.vars[arg].([]any)
		if !ok || len(items) == 0 {
			return nil, fmt.Errorf("argument %s: want at least one line", arg)
		}
		for i, item := range items {
			if err := w.line(ctx, w.all[shapeName], item, int64(i+1), steps); err != nil {
				return nil, fmt.Errorf("argument %s: line %d: %w", arg, i+1, err)
			}
		}
		return nil, nil
	}
}

func (w *work) line(ctx context.Context, sh *shape, item any, n int64, steps []step) error {
	record, ok := item.(map[string]any)
	if !ok {
		return errors.New("want a table")
	}
	w.vars["line"] = n
	for _, f := range sh.fields {
		v := record[f.name]
		if v == nil && f.def != "" {
			if err := json.Unmarshal([]byte(f.def), &v); err != nil {
				return err
			}
		}
		w.vars[f.name] = v
	}
	if err := w.checkIDs(ctx, sh.fields); err != nil {
		return err
	}
	for _, s := range steps {
		if _, err := s(ctx, w); err != nil {
			return err
		}
	}
	return nil
}

// gone returns a record of the deletion of the record named by an argument.
func gone(arg string) step {
	return func(_ context.Context, w *work) (any, error) {
		return map[string]any{"id": w.vars[arg], "deleted": true}, nil
	}
}

func (w *work) records(ctx context.Context, sh *shape, query string) ([]any, error) {
	text, args, err := w.bind(query)
	if err != nil {
		return nil, err
	}
	rows, err := w.tx.QueryContext(ctx, text, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		return nil, err
	}
	values, into := make([]any, len(columns)), make([]any, len(columns))
	for i := range values {
		into[i] = &values[i]
	}
	out := []any{}
	for rows.Next() {
		if err := rows.Scan(into...); err != nil {
			return nil, err
		}
		record, err := w.all.record(sh, columns, values)
		if err != nil {
			return nil, err
		}
		out = append(out, record)
	}
	return out, rows.Err()
}

func (w *work) scalar(ctx context.Context, query string) (any, error) {
	text, args, err := w.bind(query)
	if err != nil {
		return nil, err
	}
	var v any
	err = w.tx.QueryRowContext(ctx, text, args...).Scan(&v)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	return v, err
}

func (w *work) exec(ctx context.Context, statement string) error {
	text, args, err := w.bind(statement)
	if err != nil {
		return err
	}
	_, err = w.tx.ExecContext(ctx, text, args...)
	return err
}

// bind resolves the optional parts of a query and collects the values of its parameters.
func (w *work) bind(query string) (string, []any, error) {
	query = strings.ReplaceAll(query, ":today", "(SELECT today FROM books)")
	query = strings.ReplaceAll(query, ":now", "(SELECT now FROM books)")
	var b strings.Builder
	for {
		before, rest, ok := strings.Cut(query, "{")
		b.WriteString(before)
		if !ok {
			break
		}
		part, after, _ := strings.Cut(rest, "}")
		if w.given(part) {
			b.WriteString(part)
		}
		query = after
	}
	text := b.String()
	var args []any
	for _, name := range params(text) {
		v, err := w.param(name)
		if err != nil {
			return "", nil, err
		}
		args = append(args, sql.Named(name, v))
	}
	return text, args, nil
}

func (w *work) given(part string) bool {
	for _, name := range params(part) {
		if v, err := w.param(name); err != nil || v == nil {
			return false
		}
	}
	return true
}

func (w *work) param(name string) (any, error) {
	v, ok := w.vars[name]
	if arg, cut := strings.CutSuffix(name, "_words"); cut && !ok {
		s, given := w.vars[arg].(string)
		if !given {
			return nil, nil
		}
		text, err := json.Marshal(strings.Fields(strings.ToLower(s)))
		return string(text), err
	}
	if !ok {
		return nil, fmt.Errorf("parameter %s: unknown", name)
	}
	switch v := v.(type) {
	case bool:
		if v {
			return int64(1), nil
		}
		return int64(0), nil
	case []any, map[string]any:
		text, err := json.Marshal(v)
		return string(text), err
	}
	return v, nil
}

// params lists the names of the parameters of a query, without duplicates.
func params(query string) []string {
	var names []string
	quoted := false
	for i := 0; i < len(query); i++ {
		if query[i] == '\'' {
			quoted = !quoted
		}
		if quoted || query[i] != ':' {
			continue
		}
		j := i + 1
		for j < len(query) && (query[j] == '_' || query[j] >= 'a' && query[j] <= 'z') {
			j++
		}
		if name := query[i+1 : j]; name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
		i = j - 1
	}
	return names
}
