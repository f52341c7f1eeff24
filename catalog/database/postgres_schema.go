package database

// This file reads what a PostgreSQL database has, in four statements whatever its size.

import (
	"context"
	"fmt"
	"strings"

	"almanac/catalog"
)

// visible are the namespaces of the user, without those of the server; what belongs to an extension is left out.
const visible = `n.nspname NOT IN ('pg_catalog', 'information_schema') AND n.nspname NOT LIKE 'pg\_%%'
	AND has_schema_privilege(n.oid, 'USAGE') AND ($1::text[] IS NULL OR n.nspname = ANY ($1))
	AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.classid = '%s'::regclass AND d.objid = %s.oid AND d.deptype = 'e')`

var columnsSQL = `SELECT n.nspname AS schema, c.relname AS name, c.relkind IN ('v', 'm') AS view, obj_description(c.oid, 'pg_class') AS comment,
	has_table_privilege(c.oid, 'INSERT') OR has_any_column_privilege(c.oid, 'INSERT') AS inserts,
	has_table_privilege(c.oid, 'UPDATE') OR has_any_column_privilege(c.oid, 'UPDATE') AS updates,
	has_table_privilege(c.oid, 'DELETE') AS deletes, c.relkind IN ('r', 'p', 'f') AS stored,
	a.attname AS "column", format_type(a.atttypid, a.atttypmod) AS type, a.attnotnull AS required,
	a.atthasdef OR a.attidentity <> '' OR t.typdefault IS NOT NULL AS preset, a.attgenerated <> '' OR a.attidentity = 'a' AS generated,
	col_description(c.oid, a.attnum) AS about, ` + typeSQL + `,
	NOT has_column_privilege(c.oid, a.attnum, 'INSERT') AND NOT has_column_privilege(c.oid, a.attnum, 'UPDATE') AS fixed
	FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace JOIN pg_attribute a ON a.attrelid = c.oid
	JOIN pg_type t ON t.oid = a.atttypid LEFT JOIN pg_type b ON b.oid = t.typbasetype
	WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND NOT c.relispartition AND a.attnum > 0 AND NOT a.attisdropped
	AND has_column_privilege(c.oid, a.attnum, 'SELECT') AND ` + fmt.Sprintf(visible, "pg_class", "c") + `
	ORDER BY n.nspname, c.relname, a.attnum`

// typeSQL tells of the type t, and of b where t is a domain over it.
const typeSQL = `COALESCE(b.typname, t.typname) AS base, COALESCE(b.typcategory, t.typcategory) AS category,
	CASE WHEN COALESCE(b.typtype, t.typtype) = 'e' THEN
	ARRAY(SELECT e.enumlabel::text FROM pg_enum e WHERE e.enumtypid = COALESCE(b.oid, t.oid) ORDER BY e.enumsortorder) END AS labels`

var keysSQL = `SELECT n.nspname AS schema, c.relname AS name, k.contype AS kind, k.confdeltype AS cascade,
	ARRAY(SELECT a.attname::text FROM unnest(k.conkey) WITH ORDINALITY u(num, pos)
		JOIN pg_attribute a ON a.attrelid = k.conrelid AND a.attnum = u.num ORDER BY u.pos) AS columns,
	fn.nspname AS to_schema, f.relname AS to_name,
	ARRAY(SELECT a.attname::text FROM unnest(k.confkey) WITH ORDINALITY u(num, pos)
		JOIN pg_attribute a ON a.attrelid = k.confrelid AND a.attnum = u.num ORDER BY u.pos) AS refs
	FROM pg_constraint k JOIN pg_class c ON c.oid = k.conrelid JOIN pg_namespace n ON n.oid = c.relnamespace
	LEFT JOIN pg_class f ON f.oid = k.confrelid LEFT JOIN pg_namespace fn ON fn.oid = f.relnamespace
	WHERE k.contype IN ('p', 'u', 'f') AND k.conparentid = 0 AND ` + fmt.Sprintf(visible, "pg_class", "c") + `
	ORDER BY k.contype = 'u', n.nspname, c.relname, k.conname`

var functionsSQL = `SELECT n.nspname AS schema, p.proname AS name, p.prokind = 'p' AS procedure, p.proretset AS set,
	p.provolatile <> 'v' AS reads, p.provariadic <> 0 AS variadic, p.pronargdefaults AS presets, obj_description(p.oid, 'pg_proc') AS comment,
	p.proargnames AS names, p.proargmodes::text[] AS modes, r.typtype AS result_type, format_type(p.prorettype, NULL) AS type,
	COALESCE(rb.typname, r.typname) AS base, COALESCE(rb.typcategory, r.typcategory) AS category,
	ARRAY(SELECT format_type(u.oid, NULL) FROM unnest(p.proargtypes) WITH ORDINALITY u(oid, pos) ORDER BY u.pos) AS types,
	ARRAY(SELECT COALESCE(b.typname, t.typname)::text FROM unnest(p.proargtypes) WITH ORDINALITY u(oid, pos)
		JOIN pg_type t ON t.oid = u.oid LEFT JOIN pg_type b ON b.oid = t.typbasetype ORDER BY u.pos) AS bases,
	ARRAY(SELECT COALESCE(b.typcategory, t.typcategory)::text FROM unnest(p.proargtypes) WITH ORDINALITY u(oid, pos)
		JOIN pg_type t ON t.oid = u.oid LEFT JOIN pg_type b ON b.oid = t.typbasetype ORDER BY u.pos) AS categories
	FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace JOIN pg_type r ON r.oid = p.prorettype
	LEFT JOIN pg_type rb ON rb.oid = r.typbasetype
	WHERE p.prokind IN ('f', 'p') AND has_function_privilege(p.oid, 'EXECUTE') AND ` + fmt.Sprintf(visible, "pg_proc", "p") + `
	ORDER BY n.nspname, p.proname, p.oid`

const whoSQL = `SELECT current_user AS name, rolsuper AS super, current_setting('server_version') AS version,
	pg_is_in_recovery() OR current_setting('default_transaction_read_only') = 'on' AS replica FROM pg_roles WHERE rolname = current_user`

func (p *postgres) schema(ctx context.Context) (*schema, error) {
	tx, err := p.begin(ctx, false)
	if err != nil {
		return nil, err
	}
	defer tx.end(ctx, false)
	r := &postgresReading{schema: &schema{}, tables: map[string]*table{}}
	var only any
	if p.only != nil {
		list := []any{}
		for _, name := range p.only {
			list = append(list, name)
		}
		only = list
	}
	for _, part := range []struct {
		sql  string
		args []any
		each func(row) error
	}{{whoSQL, nil, r.who}, {columnsSQL, []any{only}, r.column}, {keysSQL, []any{only}, r.key},
		{functionsSQL, []any{only}, r.function}} {
		if _, err := tx.run(ctx, part.sql, part.args, part.each); err != nil {
			return nil, err
		}
	}
	return r.schema, nil
}

// A postgresReading is a schema being read.
type postgresReading struct {
	*schema
	tables map[string]*table
}

func (s *postgresReading) who(r row) error {
	who := fmt.Sprintf("PostgreSQL %v as %v", r["version"], r["name"])
	if r["super"] == true {
		who += ", a superuser: functions of the server (files, other connections) are not bound by a read-only " +
			"transaction; use a role that has the rights it needs"
	}
	if r["replica"] == true {
		who += "; the server is read-only"
	}
	s.remarks = append(s.remarks, who)
	return nil
}

func (s *postgresReading) column(r row) error {
	path := []string{textOf(r["schema"]), textOf(r["name"])}
	t := s.tables[strings.Join(path, "\x00")]
	if t == nil {
		stored := r["stored"] == true
		t = &table{path: path, view: r["view"] == true, comment: textOf(r["comment"]),
			inserts: stored && r["inserts"] == true, updates: stored && r["updates"] == true,
			deletes: stored && r["deletes"] == true}
		s.tables[strings.Join(path, "\x00")], s.schema.tables = t, append(s.schema.tables, t)
	}
	c := postgresColumn(textOf(r["column"]), textOf(r["type"]), textOf(r["base"]), textOf(r["category"]))
	c.nullable, c.optional = r["required"] != true, r["preset"] == true
	c.generated, c.fixed, c.comment = r["generated"] == true, r["fixed"] == true, textOf(r["about"])
	c.values = texts(r["labels"])
	t.columns = append(t.columns, c)
	return nil
}

func texts(v any) (all []string) {
	for _, item := range listOf(v) {
		all = append(all, textOf(item))
	}
	return all
}

// postgresColumn tells the kind of a column by its type, or by the base of its domain.
func postgresColumn(name, typ, base, category string) *column {
	c := &column{name: name, typ: typ}
	switch base {
	case "int2", "int4", "int8", "oid":
		c.kind = integer
	case "float4", "float8":
		c.kind = float
	case "numeric":
		c.kind = decimal
	case "bool":
		c.kind = boolean
	case "json", "jsonb":
		c.kind = document
	case "bytea":
		c.kind = blob
	default:
		if category == "A" {
			c.kind = array
		}
	}
	return c
}

func (s *postgresReading) key(r row) error {
	t := s.tables[textOf(r["schema"])+"\x00"+textOf(r["name"])]
	if t == nil {
		return nil
	}
	names := texts(r["columns"])
	if r["kind"] == "f" {
		t.foreign = append(t.foreign, foreign{columns: names, to: []string{textOf(r["to_schema"]), textOf(r["to_name"])},
			refs: texts(r["refs"]), cascade: map[any]string{"c": "cascade", "n": "set null", "d": "set default"}[r["cascade"]]})
		return nil
	}
	if t.key != nil {
		return nil // the primary key comes first
	}
	var key []*column
	for _, name := range names {
		c := t.column(name)
		if c == nil || c.nullable {
			return nil
		}
		key = append(key, c)
	}
	t.key = key
	return nil
}

func (s *postgresReading) function(r row) error {
	f := &function{path: []string{textOf(r["schema"]), textOf(r["name"])}, procedure: r["procedure"] == true,
		set: r["set"] == true, reads: r["reads"] == true, comment: textOf(r["comment"]), named: true}
	skip := func(reason string) error {
		s.skipped = append(s.skipped, catalog.Skip{ID: strings.Join(f.path, "."), Reason: reason})
		return nil
	}
	result := textOf(r["type"])
	switch {
	case result == "trigger" || result == "event_trigger":
		return nil // nobody calls these
	case r["variadic"] == true:
		return skip("it takes any number of arguments")
	case r["result_type"] == "p" && result != "void" && result != "record":
		return skip("its result depends on its arguments")
	}
	f.result = postgresColumn("", result, textOf(r["base"]), textOf(r["category"]))
	f.result.nullable = true
	names, modes := texts(r["names"]), texts(r["modes"])
	types, bases, categories := texts(r["types"]), texts(r["bases"]), texts(r["categories"])
	f.void = result == "void"
	f.composite = r["result_type"] == "c" || result == "record"
	in := 0
	for i := 0; in < len(types); i++ {
		if i < len(modes) && (modes[i] == "o" || modes[i] == "t") {
			continue
		}
		if categories[in] == "P" {
			return skip("it takes an argument of any type")
		}
		name := ""
		if i < len(names) {
			name = names[i]
		}
		if name == "" {
			f.named, name = false, fmt.Sprintf("arg%d", in+1)
		}
		f.args = append(f.args, postgresColumn(name, types[in], bases[in], categories[in]))
		f.args[in].nullable = true
		in++
	}
	presets, _ := r["presets"].(int64)
	for i := len(f.args) - int(presets); i < len(f.args); i++ {
		f.args[max(i, 0)].optional = true
	}
	s.functions = append(s.functions, f)
	return nil
}
