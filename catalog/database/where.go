package database

// This file makes SQL of the arguments where, order and fields. Names are looked up among the columns of the table and
// quoted; values become parameters. Nothing else of an argument gets into the text.

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"almanac/catalog/search/spelling"
	"almanac/catalog/text"
)

// A clause is SQL in the making, with the values of its parameters.
type clause struct {
	*table
	strings.Builder
	args []any
}

// mostValues is how many values a list in a condition may have.
const mostValues = 1000

// operators are those of a condition, with their SQL.
var operators = map[string]string{
	"eq": "=", "ne": "<>", "lt": "<", "lte": "<=", "gt": ">", "gte": ">=", "like": "LIKE", "ilike": "ILIKE", "in": "IN",
	"not_in": "NOT IN", "is_null": "IS NULL",
	"contains": "@>",
}

// named is the column of an argument.
func (t *table) named(name string) (*column, error) {
	if c := t.column(name); c != nil {
		return c, nil
	}
	names := make([]string, len(t.columns))
	for i, c := range t.columns {
		names[i] = c.name
	}
	hint := ""
	if near := spelling.Nearest(name, names); near != "" {
		hint = ": did you mean " + text.LineBytes(near, 80) + "?"
	}
	return nil, wrong("%s has no column %s%s", t.full(), text.LineBytes(name, 80), hint)
}

// quoted is the name of a column in SQL.
func (c *clause) quoted(col *column) string { return c.db.quoted(col.name) }

// where appends " WHERE " and the conditions, which all have to hold; nothing where there are none.
func (c *clause) where(conditions map[string]any) error {
	word := " WHERE "
	for _, name := range slices.Sorted(maps.Keys(conditions)) {
		col, err := c.named(name)
		if err != nil {
			return err
		}
		condition := conditions[name]
		operations, table := condition.(map[string]any)
		if !table {
			operations = map[string]any{"eq": condition}
			if _, list := condition.([]any); list && col.kind != array {
				operations = map[string]any{"in": condition}
			}
		}
		if len(operations) == 0 {
			return wrong("%s: a condition is a value, a list of values, or operators: %s", name, operatorNames(col))
		}
		for _, operator := range slices.Sorted(maps.Keys(operations)) {
			c.WriteString(word)
			word = " AND "
			if err := c.condition(col, operator, operations[operator]); err != nil {
				return err
			}
		}
	}
	return nil
}

// operatorNames are the operators that there are for a column.
func operatorNames(col *column) string {
	names := slices.Sorted(maps.Keys(operators))
	return strings.Join(slices.DeleteFunc(names, func(name string) bool {
		return name == "contains" && col.kind != array
	}), ", ")
}

func (c *clause) condition(col *column, operator string, v any) error {
	sql, known := operators[operator]
	list, isList := v.([]any)
	name := c.quoted(col)
	switch {
	case !known:
		return wrong("%s: unknown operator %s: want %s", col.name, text.LineBytes(operator, 80), operatorNames(col))
	case operator == "is_null":
		is, ok := v.(bool)
		if !ok {
			return wrong("%s: is_null: want true or false", col.name)
		}
		c.null(name, is)
		return nil
	case operator == "contains" && (col.kind != array || !isList):
		return wrong("%s: contains: want a list, of a column of lists", col.name)
	case col.kind == document:
		if v == nil && (operator == "eq" || operator == "ne") {
			c.null(name, operator == "eq")
			return nil
		}
		return wrong("%s holds JSON: only is_null is possible, or a query", col.name)
	case sql == "IN" || sql == "NOT IN":
		if !isList || len(list) > mostValues {
			return wrong("%s: %s: want a list of at most %d values", col.name, operator, mostValues)
		}
		return c.among(col, name, sql, list)
	case v == nil && (operator == "eq" || operator == "ne"):
		c.null(name, operator == "eq")
		return nil
	case v == nil:
		return wrong("%s: %s: want a value, got null", col.name, operator)
	case sql == "LIKE" || sql == "ILIKE":
		pattern, is := v.(string)
		if !is || col.kind != textual && col.kind != loose || col.values != nil {
			return wrong("%s: %s: want a text, of a column of texts", col.name, operator)
		}
		if sql == "ILIKE" && !c.db.dollars {
			sql = "LIKE" // ignores case anyway, as far as its collation does
		}
		if c.db.dollars && !col.like() {
			name += "::text"
		}
		fmt.Fprintf(c, "%s %s %s", name, sql, c.parameter(pattern))
		return nil
	}
	value, err := col.value(v)
	if err != nil {
		return err
	}
	fmt.Fprintf(c, "%s %s %s", name, sql, c.compared(col, value))
	return nil
}

// like reports whether PostgreSQL compares the column with patterns as it is.
func (c *column) like() bool {
	return c.typ == "text" || strings.HasPrefix(c.typ, "character varying") || c.typ == "citext"
}

func (c *clause) null(name string, is bool) {
	c.WriteString(name + map[bool]string{true: " IS NULL", false: " IS NOT NULL"}[is])
}

// among writes a list of values. An empty one has none: that is no row, or with NOT every row.
func (c *clause) among(col *column, name, sql string, list []any) error {
	if len(list) == 0 {
		c.WriteString(map[string]string{"IN": "1 = 0", "NOT IN": "1 = 1"}[sql])
		return nil
	}
	c.WriteString(name + " " + sql + " (")
	for i, v := range list {
		if v == nil {
			return wrong("%s: a list cannot hold null: use is_null", col.name)
		}
		value, err := col.value(v)
		if err != nil {
			return err
		}
		if i > 0 {
			c.WriteString(", ")
		}
		c.WriteString(c.compared(col, value))
	}
	c.WriteString(")")
	return nil
}

// parameter adds a value and is how it is written.
func (c *clause) parameter(v any) string {
	if m, is := v.(moment); is {
		c.args = append(c.args, string(m))
		return "CONVERT_TZ(" + c.db.parameter(len(c.args)) + ", '+00:00', @@session.time_zone)"
	}
	c.args = append(c.args, v)
	return c.db.parameter(len(c.args))
}

// compared is parameter for a comparison with the column. MySQL compares a text with a decimal number as floats.
func (c *clause) compared(col *column, v any) string {
	p := c.parameter(v)
	if c.db.escapes && col.kind == decimal {
		return "CAST(" + p + " AS DECIMAL(65, 30))"
	}
	return p
}

// order appends " ORDER BY" for names of columns, with " desc" behind them or not; without any by the key.
func (c *clause) order(given []any) error {
	var parts []string
	for _, v := range given {
		s, _ := v.(string)
		fields, way := strings.Fields(s), ""
		if n := len(fields); n > 1 && c.column(s) == nil {
			switch way = strings.ToUpper(fields[n-1]); way {
			case "ASC", "DESC":
				s, way = strings.TrimSpace(strings.TrimSpace(s)[:len(strings.TrimSpace(s))-len(way)]), " "+way
			default:
				return wrong(`order: want names of columns, such as "created_at desc", got %s`, text.LineBytes(s, 80))
			}
		}
		col, err := c.named(s)
		if err != nil {
			return err
		}
		parts = append(parts, c.quoted(col)+way)
	}
	for _, col := range c.key {
		if name := c.quoted(col); !slices.ContainsFunc(parts, func(p string) bool {
			return p == name || strings.HasPrefix(p, name+" ")
		}) {
			parts = append(parts, name) // so that pages do not overlap
		}
	}
	if parts != nil {
		c.WriteString(" ORDER BY " + strings.Join(parts, ", "))
	}
	return nil
}

// selected appends the columns that are asked for, or all.
func (c *clause) selected(fields []any) error {
	columns := c.columns
	if len(fields) > 0 {
		columns = nil
		for _, v := range fields {
			s, _ := v.(string)
			col, err := c.named(s)
			if err != nil {
				return err
			}
			columns = append(columns, col)
		}
	}
	for i, col := range columns {
		if i > 0 {
			c.WriteString(", ")
		}
		name := c.quoted(col)
		if col.kind == textual && !c.db.dollars && !c.db.escapes {
			c.WriteString("+" + name + " AS ") // SQLite's driver would read times out of texts
		}
		c.WriteString(name)
	}
	return nil
}

// byKey appends the condition that selects one row.
func (c *clause) byKey(args map[string]any) error {
	key := map[string]any{}
	for _, col := range c.key {
		if args[col.name] == nil {
			return wrong("%s: want a value: it is part of the key", col.name)
		}
		key[col.name] = map[string]any{"eq": args[col.name]}
	}
	return c.where(key)
}
