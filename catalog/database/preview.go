package database

// This file says what a change would do, as the rows are now, and changes nothing.

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

func shown(v any) string { return lua.Literal(v, lua.Options{Tight: true, Limit: mostShown}) }

func (t *table) line(b *strings.Builder, name, value string) {
	fmt.Fprintf(b, "  %s: %s\n", text.SanitizeLine(name), value)
}

func (t *table) previewInsert(_ context.Context, call catalog.Call) (string, error) {
	if _, err := t.insertion(call.Args); err != nil {
		return "", err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "a new row of %s\n", t.full())
	for _, c := range t.columns {
		if v, given := call.Args[c.name]; given {
			t.line(&b, c.name, shown(v))
		}
	}
	return b.String(), nil
}

func (t *table) previewUpdate(ctx context.Context, call catalog.Call) (string, error) {
	set := tableOf(call.Args["set"])
	return t.previewRow(ctx, call, func(_ transaction, b *strings.Builder, now row) error {
		for _, name := range slices.Sorted(maps.Keys(set)) {
			if _, err := t.writable(name); err != nil {
				return err
			}
			t.line(b, name, shown(now[name])+" -> "+shown(set[name]))
		}
		return nil
	})
}

func (t *table) previewRemove(ctx context.Context, call catalog.Call) (string, error) {
	return t.previewRow(ctx, call, func(tx transaction, b *strings.Builder, now row) error {
		for _, c := range t.columns {
			t.line(b, c.name, shown(now[c.name]))
		}
		for _, in := range t.inbound {
			if err := t.follows(ctx, tx, b, in, now); err != nil {
				return err
			}
		}
		return nil
	})
}

// previewRow names the row of the call and tells what becomes of it. A row that is not there is an error.
func (t *table) previewRow(
	ctx context.Context, call catalog.Call, tell func(tx transaction, b *strings.Builder, now row) error,
) (string, error) {
	var b strings.Builder
	err := t.db.within(ctx, false, func(tx transaction) error {
		now, err := t.one(ctx, tx, call.Args, nil)
		if err == nil && now == nil {
			err = t.absent(call.Args)
		}
		if err != nil {
			return err
		}
		fmt.Fprintf(&b, "1 row of %s, %s\n", t.full(), t.shownKey(call.Args))
		return tell(tx, &b, now)
	})
	return b.String(), err
}

// follows tells how many rows of another table go with the row, or lose what leads to it.
func (t *table) follows(ctx context.Context, tx transaction, b *strings.Builder, in *inbound, now row) error {
	what := map[string]string{"cascade": "deletes", "set null": "sets to null", "set default": "sets to the default"}
	does := what[in.key.cascade]
	if does == "" || len(in.key.refs) != len(in.key.columns) {
		return nil
	}
	c := in.from.clause("SELECT count(*) AS n FROM %s", in.from.quoted())
	conditions := map[string]any{}
	for i, name := range in.key.columns {
		conditions[name] = now[in.key.refs[i]]
	}
	if err := c.where(conditions); err != nil {
		return nil // of a kind that cannot be compared
	}
	list, _, err := t.db.rows(ctx, tx, c.String(), c.args, 1)
	if err != nil {
		return err
	}
	if n, _ := list[0].(row)["n"].(int64); n > 0 {
		fmt.Fprintf(b, "it also %s %s of %s (%s), and what depends on these\n", does, text.Count(int(n), "row"),
			in.from.full(), strings.Join(in.key.columns, ", "))
	}
	return nil
}
