package database

// This file reads what a MySQL or MariaDB database has.

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"almanac/catalog"
)

const (
	mysqlColumnsSQL = `SELECT t.table_name AS t, t.table_type AS kind, t.table_comment AS remark, c.column_name AS name,
	c.data_type AS base, c.column_type AS type, c.is_nullable AS nullable, c.column_default AS preset, c.extra AS extra, c.column_comment AS comment
	FROM information_schema.tables t JOIN information_schema.columns c ON c.table_schema = t.table_schema AND c.table_name = t.table_name
	WHERE t.table_schema = ? ORDER BY t.table_name, c.ordinal_position`
	mysqlKeysSQL = `SELECT table_name AS t, index_name AS k, column_name AS name FROM information_schema.statistics
	WHERE table_schema = ? AND non_unique = 0 ORDER BY table_name, index_name <> 'PRIMARY', index_name, seq_in_index`
	mysqlForeignSQL = `SELECT k.table_name AS t, k.constraint_name AS id, k.referenced_table_name AS other, k.column_name AS "from",
	k.referenced_column_name AS "to", r.delete_rule AS cascade FROM information_schema.key_column_usage k
	JOIN information_schema.referential_constraints r ON r.constraint_schema = k.constraint_schema AND r.constraint_name = k.constraint_name
	AND r.table_name = k.table_name
	WHERE k.table_schema = ? AND k.referenced_table_schema = k.table_schema ORDER BY k.table_name, k.constraint_name, k.ordinal_position`
	mysqlRoutinesSQL = `SELECT r.routine_name AS name, r.routine_type AS kind, r.data_type AS result, r.sql_data_access AS access,
	r.routine_comment AS comment, p.parameter_name AS arg, p.data_type AS base, p.dtd_identifier AS type, p.parameter_mode AS mode
	FROM information_schema.routines r LEFT JOIN information_schema.parameters p ON p.specific_schema = r.routine_schema
	AND p.specific_name = r.specific_name AND p.routine_type = r.routine_type AND p.ordinal_position > 0
	WHERE r.routine_schema = ? ORDER BY r.routine_name, r.routine_type, p.ordinal_position`
	// MariaDB has JSON as texts that are checked.
	mariaJSONSQL = `SELECT table_name AS t, check_clause AS clause FROM information_schema.check_constraints
	WHERE constraint_schema = ? AND check_clause LIKE 'json_valid(%'`
)

func (s *mysqlServer) schema(ctx context.Context) (*schema, error) {
	tx, err := s.begin(ctx, false)
	if err != nil {
		return nil, err
	}
	defer tx.end(ctx, false)
	r := &mysqlReading{schema: &schema{}, tables: map[string]*table{}}
	if _, err := tx.run(ctx, "SELECT CURRENT_USER() AS name, VERSION() AS version", nil, r.who); err != nil {
		return nil, err
	}
	parts := []struct {
		sql  string
		each func(row) error
	}{{mysqlColumnsSQL, r.column}, {mysqlKeysSQL, r.key}, {mysqlForeignSQL, foreignRows(r.tables)},
		{mysqlRoutinesSQL, r.routine}}
	if r.maria {
		parts = append(parts, struct {
			sql  string
			each func(row) error
		}{mariaJSONSQL, r.json})
	}
	for _, part := range parts {
		sql := strings.NewReplacer(`"from"`, "`from`", `"to"`, "`to`", "AS cascade", "AS `cascade`").Replace(part.sql)
		if _, err := tx.run(ctx, sql, []any{s.database}, part.each); err != nil {
			return nil, err
		}
	}
	for _, t := range r.schema.tables {
		r.finish(t)
	}
	r.functions = slices.DeleteFunc(r.functions, func(f *function) bool {
		if f.out != "" {
			r.skipped = append(r.skipped, catalog.Skip{ID: f.path[0], Reason: "it has an argument of mode " + f.out})
		}
		return f.out != ""
	})
	return r.schema, nil
}

// A mysqlReading is a schema being read.
type mysqlReading struct {
	*schema
	maria  bool
	tables map[string]*table
	unique map[*table][][]string // the columns of each unique index, the primary key first
	last   string                // table and index, or routine
}

func (s *mysqlReading) who(r row) error {
	version := textOf(r["version"])
	s.maria = strings.Contains(version, "MariaDB")
	s.remarks = append(s.remarks, fmt.Sprintf("%s as %s",
		map[bool]string{true: "MariaDB ", false: "MySQL "}[s.maria]+version, textOf(r["name"])))
	return nil
}

func (s *mysqlReading) column(r row) error {
	name := textOf(r["t"])
	t := s.tables[name]
	if t == nil {
		view := textOf(r["kind"]) != "BASE TABLE"
		t = &table{path: []string{name}, view: view, inserts: !view, updates: !view, deletes: !view}
		if !view {
			t.comment = textOf(r["remark"])
		}
		s.tables[name], s.schema.tables = t, append(s.schema.tables, t)
	}
	extra := strings.ToLower(textOf(r["extra"]))
	c := mysqlColumn(textOf(r["name"]), textOf(r["base"]), textOf(r["type"]))
	c.nullable = textOf(r["nullable"]) == "YES"
	says := func(word string) bool { return strings.Contains(extra, word) }
	c.optional = r["preset"] != nil || says("auto_increment") || says("default_generated")
	c.generated = says(" generated") || says("persistent") || says("virtual")
	c.comment = textOf(r["comment"])
	if says("auto_increment") {
		t.numbers = c
	}
	t.columns = append(t.columns, c)
	return nil
}

func mysqlColumn(name, base, typ string) *column {
	c := &column{name: name, typ: strings.ToLower(typ)}
	switch base = strings.ToLower(base); base {
	case "tinyint", "smallint", "mediumint", "int", "bigint", "year", "bit":
		c.kind, c.flag = integer, c.typ == "tinyint(1)"
	case "decimal":
		c.kind = decimal
	case "float", "double":
		c.kind = float
	case "json":
		c.kind = document
	case "datetime", "timestamp":
		c.zoned = true
	case "enum":
		c.typ = "enum"
		c.values = mysqlLabels(typ)
	case "binary", "varbinary", "tinyblob", "blob", "mediumblob", "longblob", "geometry", "point":
		c.kind = blob
	}
	return c
}

// mysqlLabels are the values of enum('a','it”s').
func mysqlLabels(typ string) (all []string) {
	_, rest, _ := strings.Cut(typ, "(")
	for strings.HasPrefix(rest, "'") {
		n, err := quotedLength(rest, '\'', false)
		if err != nil {
			return nil
		}
		all = append(all, strings.ReplaceAll(rest[1:n-1], "''", "'"))
		rest = strings.TrimPrefix(rest[n:], ",")
	}
	return all
}

func (s *mysqlReading) key(r row) error {
	t := s.tables[textOf(r["t"])]
	if t == nil {
		return nil
	}
	if s.unique == nil {
		s.unique = map[*table][][]string{}
	}
	if id := textOf(r["t"]) + "\x00" + textOf(r["k"]); id != s.last {
		s.last = id
		s.unique[t] = append(s.unique[t], nil)
	}
	list := s.unique[t]
	list[len(list)-1] = append(list[len(list)-1], textOf(r["name"]))
	return nil
}

// finish gives a table its key: the first unique index without a column that may be null.
func (s *mysqlReading) finish(t *table) {
	for _, names := range s.unique[t] {
		var key []*column
		for _, name := range names {
			if c := t.column(name); c != nil && !c.nullable {
				key = append(key, c)
			}
		}
		if len(key) == len(names) && t.key == nil {
			t.key = key
		}
	}
}

func (s *mysqlReading) json(r row) error {
	t := s.tables[textOf(r["t"])]
	name, _, _ := strings.Cut(strings.TrimPrefix(textOf(r["clause"]), "json_valid(`"), "`)")
	if t == nil {
		return nil
	}
	if c := t.column(name); c != nil && c.typ == "longtext" {
		c.kind, c.typ, c.parse = document, "json", true
	}
	return nil
}

func (s *mysqlReading) routine(r row) error {
	name := textOf(r["name"])
	if id := textOf(r["kind"]) + "\x00" + name; id != s.last || len(s.functions) == 0 {
		s.last = id
		f := &function{path: []string{name}, procedure: textOf(r["kind"]) == "PROCEDURE", comment: textOf(r["comment"]),
			reads: slices.Contains([]string{"READS SQL DATA", "NO SQL"}, textOf(r["access"]))}
		f.composite = f.procedure
		f.result = mysqlColumn("", textOf(r["result"]), textOf(r["result"]))
		f.result.nullable, f.result.values = true, nil
		s.functions = append(s.functions, f)
	}
	if r["arg"] == nil {
		return nil
	}
	f := s.functions[len(s.functions)-1]
	if mode := textOf(r["mode"]); mode == "OUT" || mode == "INOUT" {
		f.out = mode
		return nil
	}
	c := mysqlColumn(textOf(r["arg"]), textOf(r["base"]), textOf(r["type"]))
	c.nullable = true
	f.args = append(f.args, c)
	return nil
}
