package database

// This file has what the actions of a table do.

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"almanac/catalog"
	"almanac/catalog/lua"
	"almanac/catalog/text"
)

const (
	defaultLimit = 100
	mostLimit    = 10_000
	// mostBytes is how much one call returns.
	mostBytes = 6 << 20
)

// errEnough ends a reading.
var errEnough = wrong("enough rows")

// rows collects rows up to limit; more tells that there is another.
func (d *Database) rows(ctx context.Context, tx transaction, sql string, args []any, limit int) (list []any, more bool,
	err error) {
	list, size := []any{}, 0
	_, err = tx.run(ctx, sql, args, func(r row) error {
		if more = len(list) == limit; more {
			return errEnough
		}
		if size += sizeOf(r); size > mostBytes {
			return wrong("more than %s in %s: ask for fewer rows or columns", text.Bytes(mostBytes),
				text.Count(len(list)+1, "row"))
		}
		list = append(list, r)
		return nil
	})
	if more {
		err = nil
	}
	return list, more, err
}

// sizeOf is about how many bytes a value has.
func sizeOf(v any) int {
	switch v := v.(type) {
	case string:
		return len(v)
	case []any:
		n := 8
		for _, item := range v {
			n += sizeOf(item)
		}
		return n
	case map[string]any:
		n := 8
		for name, item := range v {
			n += len(name) + sizeOf(item)
		}
		return n
	}
	return 8
}

func (t *table) clause(format string, args ...any) *clause {
	c := &clause{table: t}
	fmt.Fprintf(c, format, args...)
	return c
}

func (t *table) quoted() string { return t.db.quoted(t.path...) }

func listOf(v any) []any {
	list, _ := v.([]any)
	return list
}

func tableOf(v any) map[string]any {
	table, _ := v.(map[string]any)
	return table
}

func whole(v any, otherwise int64) int64 {
	if n, is := v.(int64); is {
		return n
	}
	return otherwise
}

func (t *table) list(ctx context.Context, call catalog.Call) (result catalog.Result, err error) {
	limit, offset := whole(call.Args["limit"], defaultLimit), whole(call.Args["offset"], 0)
	c := t.clause("SELECT ")
	if err := c.selected(listOf(call.Args["fields"])); err != nil {
		return result, err
	}
	c.WriteString(" FROM " + t.quoted())
	if err := c.where(tableOf(call.Args["where"])); err != nil {
		return result, err
	}
	if err := c.order(listOf(call.Args["order"])); err != nil {
		return result, err
	}
	fmt.Fprintf(c, " LIMIT %d", limit+1)
	if offset > 0 {
		fmt.Fprintf(c, " OFFSET %d", offset)
	}
	err = t.db.within(ctx, false, func(tx transaction) error {
		list, more, err := t.db.rows(ctx, tx, c.String(), c.args, int(limit))
		if more {
			result.Next = map[string]any{"offset": offset + limit}
			result.Note = fmt.Sprintf("the first %s", text.Count(int(limit), "row"))
		}
		if result.Data = t.shaped(list); len(list) == 0 {
			result.Note = t.wholeLists(tableOf(call.Args["where"]))
		}
		return err
	})
	return result, err
}

// wholeLists says of a list for a column of lists that it stood for the whole value; empty where there is none.
func (t *table) wholeLists(where map[string]any) string {
	for _, c := range t.columns {
		if _, is := where[c.name].([]any); is && c.kind == array {
			return fmt.Sprintf("no row has this whole list as %s; {contains = {...}} finds items in it", text.LineBytes(c.name, 80))
		}
	}
	return ""
}

// shaped turns what the server has no types for into data.
func (t *table) shaped(list []any) []any {
	for _, c := range t.columns {
		if !c.parse && !c.flag || c.flag && c.kind != boolean {
			continue
		}
		for _, item := range list {
			r := item.(row)
			switch v := r[c.name].(type) {
			case string:
				if c.parse {
					r[c.name] = parsed(v)
				}
			case int64:
				if c.flag && v>>1 == 0 {
					r[c.name] = v == 1
				}
			}
		}
	}
	return list
}

// one reads the row with the key in args; nil if there is none. what tells which columns are wanted.
func (t *table) one(ctx context.Context, tx transaction, args map[string]any, fields []any) (row, error) {
	c := t.clause("SELECT ")
	if err := c.selected(fields); err != nil {
		return nil, err
	}
	c.WriteString(" FROM " + t.quoted())
	if err := c.byKey(args); err != nil {
		return nil, err
	}
	list, more, err := t.db.rows(ctx, tx, c.String(), c.args, 1)
	switch {
	case err != nil || len(list) == 0:
		return nil, err
	case more:
		return nil, wrong("%s: several rows have this key", t.full())
	}
	return t.shaped(list)[0].(row), nil
}

func (t *table) get(ctx context.Context, call catalog.Call) (result catalog.Result, err error) {
	err = t.db.within(ctx, false, func(tx transaction) error {
		r, err := t.one(ctx, tx, call.Args, listOf(call.Args["fields"]))
		if r != nil {
			result.Data = r
		} else {
			result.Note = "not found"
		}
		return err
	})
	return result, err
}

func (t *table) count(ctx context.Context, call catalog.Call) (result catalog.Result, err error) {
	c := t.clause("SELECT count(*) AS n FROM %s", t.quoted())
	if err := c.where(tableOf(call.Args["where"])); err != nil {
		return result, err
	}
	err = t.db.within(ctx, false, func(tx transaction) error {
		list, _, err := t.db.rows(ctx, tx, c.String(), c.args, 1)
		if err == nil {
			result.Data = list[0].(row)["n"]
		}
		return err
	})
	return result, err
}

// insertion is the statement that adds a row.
func (t *table) insertion(args map[string]any) (*clause, error) {
	c := t.clause("INSERT INTO %s ", t.quoted())
	var names, values []string
	for _, name := range slices.Sorted(maps.Keys(args)) {
		col, err := t.writable(name)
		if err != nil {
			return nil, err
		}
		v, err := col.value(args[name])
		if err != nil {
			return nil, err
		}
		names, values = append(names, c.quoted(col)), append(values, c.parameter(v))
	}
	switch {
	case names != nil:
		fmt.Fprintf(c, "(%s) VALUES (%s)", strings.Join(names, ", "), strings.Join(values, ", "))
	case t.db.escapes:
		c.WriteString("() VALUES ()")
	default:
		c.WriteString("DEFAULT VALUES")
	}
	return c, nil
}

func (t *table) writable(name string) (*column, error) {
	col, err := t.named(name)
	if err == nil && (col.generated || col.fixed) {
		err = wrong("%s cannot be written", name)
	}
	return col, err
}

// changed runs a statement that must change one row, and returns the row as it is then, read by args, where the
// statement itself cannot return it.
func (t *table) changed(ctx context.Context, tx transaction, c *clause, args map[string]any) (row, error) {
	if t.db.returning {
		c.WriteString(" RETURNING ")
		if err := c.selected(nil); err != nil {
			return nil, err
		}
		list, more, err := t.db.rows(ctx, tx, c.String(), c.args, 1)
		if err == nil && more {
			err = wrong("%s: several rows have this key", t.full())
		}
		if err != nil || len(list) == 0 {
			return nil, err
		}
		return t.shaped(list)[0].(row), nil
	}
	did, err := tx.run(ctx, c.String(), c.args, nil)
	if err != nil || did.affected == 0 {
		return nil, err
	}
	if did.affected > 1 {
		return nil, wrong("%s: several rows have this key", t.full())
	}
	args = maps.Clone(args)
	if t.numbers != nil && args[t.numbers.name] == nil {
		args[t.numbers.name] = did.lastID
	}
	if t.key == nil || slices.ContainsFunc(t.key, func(k *column) bool { return args[k.name] == nil }) {
		return args, nil
	}
	return t.one(ctx, tx, args, nil)
}

func (t *table) insert(ctx context.Context, call catalog.Call) (result catalog.Result, err error) {
	c, err := t.insertion(call.Args)
	if err != nil {
		return result, err
	}
	err = t.db.within(ctx, true, func(tx transaction) error {
		r, err := t.changed(ctx, tx, c, call.Args)
		if r != nil {
			result.Data = r
		}
		return err
	})
	return result, err
}

// absent is the error for a key that no row has.
func (t *table) absent(args map[string]any) error {
	return &catalog.CallError{Message: fmt.Sprintf("%s has no row %s", t.full(), t.shownKey(args)), Code: "not_found"}
}

// shownKey is the key in args: {id = 5}.
func (t *table) shownKey(args map[string]any) string {
	key := map[string]any{}
	for _, c := range t.key {
		key[c.name] = args[c.name]
	}
	return lua.Literal(key, lua.Options{First: t.keyNames(), Tight: true, Limit: mostShown})
}

// mostShown is how much of a value messages and previews show, in bytes.
const mostShown = 300

func (t *table) update(ctx context.Context, call catalog.Call) (result catalog.Result, err error) {
	set := tableOf(call.Args["set"])
	if len(set) == 0 {
		return result, wrong("set: want at least one column")
	}
	c := t.clause("UPDATE %s SET ", t.quoted())
	var documents []change
	for i, name := range slices.Sorted(maps.Keys(set)) {
		col, err := t.writable(name)
		if err != nil {
			return result, err
		}
		v, err := col.value(set[name])
		if err != nil {
			return result, err
		}
		if i > 0 {
			c.WriteString(", ")
		}
		fmt.Fprintf(c, "%s = %s", c.quoted(col), c.parameter(v))
		if col.kind == document && v != nil {
			documents = append(documents, change{col, i, set[name]})
		}
	}
	if err := c.byKey(call.Args); err != nil {
		return result, err
	}
	after := maps.Clone(call.Args)
	for _, k := range t.key {
		if v, is := set[k.name]; is {
			after[k.name] = v
		}
	}
	err = t.db.within(ctx, true, func(tx transaction) error {
		if err := t.keepDigits(ctx, tx, call.Args, documents, c.args); err != nil {
			return err
		}
		r, err := t.changed(ctx, tx, c, after)
		if err == nil && r == nil {
			err = t.absent(call.Args)
		}
		result.Data = r
		return err
	})
	return result, err
}

// remove deletes a row and returns what it was.
func (t *table) remove(ctx context.Context, call catalog.Call) (result catalog.Result, err error) {
	c := t.clause("DELETE FROM %s", t.quoted())
	if err := c.byKey(call.Args); err != nil {
		return result, err
	}
	err = t.db.within(ctx, true, func(tx transaction) error {
		var r row
		var err error
		if t.db.returning {
			r, err = t.changed(ctx, tx, c, nil)
		} else if r, err = t.one(ctx, tx, call.Args, nil); err == nil && r != nil {
			_, err = tx.run(ctx, c.String(), c.args, nil)
		}
		if err == nil && r == nil {
			err = t.absent(call.Args)
		}
		result.Data = r
		return err
	})
	return result, err
}
