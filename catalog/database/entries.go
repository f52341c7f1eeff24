package database

// This file makes entries of what a database has.

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"almanac/catalog"
	"almanac/catalog/lua"
	"almanac/catalog/search/spelling"
	"almanac/catalog/text"
	"almanac/catalog/verb"
)

// batch makes the entries of a schema. Their ids begin with prefix.
func (d *Database) batch(s *schema, prefix string) catalog.Batch {
	b := catalog.Batch{Skipped: s.skipped}
	for _, remark := range s.remarks {
		b.Notes = append(b.Notes, catalog.Skip{Source: d.at, Reason: remark})
	}
	b.Entries = append(d.freeEntries(prefix), d.tableEntries(s, prefix, &b)...)
	b.Entries = append(b.Entries, d.functionEntries(s, prefix, &b)...)
	slices.SortStableFunc(b.Entries, func(a, b catalog.Entry) int { return strings.Compare(a.ID, b.ID) })
	for i := range b.Entries {
		b.Entries[i].Timeout = d.timeout
	}
	b.Found = len(b.Entries) + len(b.Skipped)
	return b
}

// segment is a name as one of an id: lower case, with letters and digits of any script.
func segment(name string) string {
	s := strings.Join(strings.FieldsFunc(strings.ToLower(text.Clean(name)), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r)
	}), "_")
	if _, reserved := lua.Keyword(s); reserved {
		s += "_"
	}
	if s != "" && s[0] >= '0' && s[0] <= '9' {
		s = "_" + s
	}
	return text.HeadBytes(s, 100)
}

// ids gives each path an id of its own. Where two would have the same one, those not spelled like it get a mark.
func ids(prefix string, paths [][]string, b *catalog.Batch) []string {
	plain, wanted := make([]string, len(paths)), map[string]int{}
	for i, path := range paths {
		parts := make([]string, len(path))
		for j, name := range path {
			parts[j] = cmp.Or(segment(name), "_")
		}
		plain[i] = prefix + strings.Join(parts, ".")
		wanted[plain[i]]++
	}
	for i, path := range paths {
		name := strings.Join(path, ".")
		if wanted[plain[i]] > 1 && prefix+name != plain[i] || strings.HasSuffix(plain[i], "._") {
			sum := sha256.Sum256([]byte(strings.Join(path, "\x00")))
			b.Renamed = append(b.Renamed, catalog.Skip{ID: plain[i] + "_" + hex.EncodeToString(sum[:3]), Source: name,
				Reason: "another has the id " + plain[i]})
			plain[i] = b.Renamed[len(b.Renamed)-1].ID
		}
	}
	return plain
}

// about is what an action does, with the comment of what it does it to; its first sentence is that of both.
func about(does, comment string) string {
	if comment == "" {
		return does + "."
	}
	return does + ": " + text.ClipBytes(strings.TrimSpace(text.Clean(comment)), 2000)
}

func (d *Database) freeEntries(prefix string) []catalog.Entry {
	sql := property{"sql", `{"type":"string","description":` + literal("One statement of "+d.title+".") + `}`, true}
	own := "? for each"
	if d.numbered {
		own = "$1, $2"
	}
	args := property{"args", `{"type":["array","object"],"description":` +
		literal("Values: a list ("+own+" in the statement), or a table (:name).") + `}`, false}
	limit := property{"limit", fmt.Sprintf(`{"type":"integer","minimum":1,"maximum":%d,"default":%d,"description":"How many rows at most; more says whether there are others."}`,
		mostLimit, defaultRows), false}
	result := func(more property) *catalog.Schema {
		return known(property{"rows", `{"type":"array","items":{"type":"object"}}`, false}, more)
	}
	example := lua.Call(prefix+"query", `{sql = "select 1 as one"}`)
	return []catalog.Entry{{
		ID: prefix + "query", Title: "SQL query", Operation: catalog.Read, Entities: []string{"row"},
		Description: "Runs one SQL statement in a read-only transaction and returns its rows. Tables have actions of their own.",
		Aliases:     []string{"select", "run SQL", d.title}, Input: known(sql, args, limit),
		Output: result(property{"more", `{"type":"boolean"}`, false}), Examples: []string{example},
		Target: "query " + d.at, Action: d.query,
	}, {
		ID: prefix + "execute", Title: "SQL statement", Operation: catalog.Update, Mutates: true, Risk: catalog.High,
		Entities:    []string{"row"},
		Description: "Runs one SQL statement that may change anything, in a transaction of its own.",
		Aliases:     []string{"run SQL", "DDL", "create table"}, Input: known(sql, args),
		Output: result(property{"rows_affected", `{"type":"integer"}`, false}),
		Target: "execute " + d.at, Action: d.execute, Preview: d.previewExecute,
	}}
}

// known is the schema of an argument table.
func known(properties ...property) *catalog.Schema {
	return catalog.KnownSchema([]byte(object(properties, "")))
}

func (d *Database) tableEntries(s *schema, prefix string, b *catalog.Batch) (all []catalog.Entry) {
	byPath := map[string]*table{}
	paths := make([][]string, len(s.tables))
	for i, t := range s.tables {
		t.db, paths[i] = d, t.path
		byPath[t.full()] = t
	}
	for i, id := range ids(prefix, paths, b) {
		s.tables[i].id = id
	}
	for _, t := range s.tables {
		for _, key := range t.foreign {
			for i, name := range key.columns {
				if c := t.column(name); c != nil && i < len(key.refs) {
					c.leads = strings.Join(append(slices.Clone(key.to), key.refs[i]), ".")
				}
			}
			if to := byPath[strings.Join(key.to, ".")]; to != nil {
				to.inbound = append(to.inbound, &inbound{t, key})
			}
		}
	}
	for _, t := range s.tables {
		all = append(all, t.entries()...)
	}
	link(all, s.tables, byPath)
	return all
}

// entity is what a row of the table is, in the singular.
func entity(path []string) string { return spelling.Singular(segment(path[len(path)-1])) }

func (t *table) entries() []catalog.Entry {
	base := catalog.Entry{Entities: []string{entity(t.path)}, Namespace: strings.Split(t.id, "."), Operation: catalog.Read}
	for _, key := range t.foreign {
		if other := entity(key.to); !slices.Contains(base.Entities, other) {
			base.Entities = append(base.Entities, other)
		}
	}
	var row, where, keys, given, set []property
	for _, c := range t.columns {
		row = append(row, property{c.name, c.schema(false), false})
		about := cmp.Or(c.about(), c.typ) + c.compares()
		where = append(where, property{c.name, `{"description":` + literal(about) + `}`, false})
		if !c.generated && !c.fixed {
			given = append(given, property{c.name, c.schema(true), !c.nullable && !c.optional})
			set = append(set, property{c.name, c.schema(true), false})
		}
	}
	for _, c := range t.key {
		keys = append(keys, property{c.name, c.notNull().schema(true), true})
	}
	one := object(row, "")
	conditions := property{"where", object(where, `,"description":`+literal(whereText)), false}
	fields := property{"fields", `{"type":"array","items":{"type":"string"},"description":"Which columns; all without it."}`, false}
	order := property{"order", `{"type":"array","items":{"type":"string"},"description":"Columns, with \" desc\" behind them for the other way round."}`, false}
	page := []property{
		{"limit", fmt.Sprintf(`{"type":"integer","minimum":1,"maximum":%d,"default":%d}`, mostLimit, defaultLimit), false},
		{"offset", `{"type":"integer","minimum":0}`, false},
	}
	name, what := t.full(), "table"
	if t.view {
		what = "view"
	}
	var all []catalog.Entry
	add := func(verb, does string, o catalog.Operation, input []property, output string,
		run catalog.Action) *catalog.Entry {
		e := base
		e.ID, e.Description, e.Operation = t.id+"."+verb, about(does, t.comment), o
		e.Input, e.Output = known(input...), catalog.KnownSchema([]byte(output))
		e.Target, e.Action = verb+" "+name+" at "+t.db.at, run
		all = append(all, e)
		return &all[len(all)-1]
	}
	change := func(e *catalog.Entry, risk catalog.Risk, preview func(context.Context, catalog.Call) (string, error)) {
		e.Mutates, e.Risk, e.Preview = true, risk, preview
	}
	add("list", "Lists rows of the "+what+" "+name, catalog.Read, append([]property{conditions, order, fields}, page...),
		`{"type":"array","items":`+one+`}`, t.list).Paged = true
	if len(t.columns) > 1 {
		c := t.columns[1]
		args := fmt.Sprintf("{where = {%s = {is_null = false}}, order = %s, limit = 10}", lua.Key(c.name),
			lua.Quote(t.columns[0].name+" desc"))
		all[0].Examples = []string{lua.Call(t.id+".list", args)}
	}
	add("count", "Counts rows of the "+what+" "+name, catalog.Read, []property{conditions}, `{"type":"integer"}`, t.count)
	if t.key != nil {
		add("get", "Gets one row of the "+what+" "+name+" by its key", catalog.Read, append(slices.Clone(keys), fields),
			strings.Replace(one, `"object"`, `["object","null"]`, 1), t.get)
	}
	if t.inserts {
		change(add("insert", "Adds a row to "+name, catalog.Create, given, one, t.insert), catalog.Medium, t.previewInsert)
	}
	if t.key != nil && t.updates && set != nil {
		change(add("update", "Changes columns of a row of "+name+" by its key", catalog.Update,
			append(slices.Clone(keys), property{"set", object(set, ""), true}), one, t.update), catalog.Medium, t.previewUpdate)
	}
	if t.key != nil && t.deletes {
		change(add("delete", "Deletes a row of "+name+" by its key and returns what it was",
			catalog.Delete, keys, one, t.remove), catalog.High, t.previewRemove)
	}
	return all
}

// whereText says what conditions are. A column of lists says of itself what else there is.
var whereText = "Conditions by column, all of which must hold: a value, a list of values, or a table of operators (" +
	operatorNames(&column{}) + "), such as {total = {gte = 10}}."

// compares says what a list means in a condition on a column of lists.
func (c *column) compares() string {
	if c.kind != array {
		return ""
	}
	return "; a list is the whole value, {contains = {...}} wants these items in it"
}

// notNull is the column as an argument that must be there.
func (c *column) notNull() *column {
	own := *c
	own.nullable = false
	return &own
}

func (d *Database) functionEntries(s *schema, prefix string, b *catalog.Batch) (all []catalog.Entry) {
	paths := make([][]string, len(s.functions))
	for i, f := range s.functions {
		paths[i] = f.path
	}
	names := ids(prefix, paths, b)
	for i, f := range s.functions {
		var input []property
		for _, c := range f.args {
			input = append(input, property{c.name, c.schema(true), !c.optional})
		}
		name := strings.Join(f.path, ".")
		e := catalog.Entry{
			ID: names[i], Description: about("Calls the function "+name, f.comment), Input: known(input...),
			Operation: catalog.Read, Target: "call " + name + " at " + d.at,
			Action: func(ctx context.Context, call catalog.Call) (catalog.Result, error) { return d.call(ctx, f, call) },
		}
		if f.procedure {
			e.Description = about("Calls the procedure "+name, f.comment)
		}
		if f.result != nil && !f.void && !f.composite {
			e.Output = catalog.KnownSchema([]byte(f.result.schema(false)))
			if f.set {
				e.Output = catalog.KnownSchema([]byte(`{"type":"array","items":` + f.result.schema(false) + `}`))
			}
		}
		if !f.reads {
			effect := verb.Infer(verb.Hints{Names: []string{f.path[len(f.path)-1]}, Text: f.comment})
			e.Mutates, e.Operation, e.Risk = true, effect.Operation, effect.Risk
			if !effect.Mutates {
				e.Operation, e.Risk = catalog.Update, catalog.Medium
			}
		}
		all = append(all, e)
	}
	return all
}

// call calls a function, or a procedure.
func (d *Database) call(ctx context.Context, f *function, call catalog.Call) (result catalog.Result, err error) {
	c := &clause{table: &table{db: d}}
	c.WriteString("SELECT * FROM ")
	switch {
	case f.procedure:
		c.Reset()
		c.WriteString("CALL ")
	case !d.dollars:
		c.Reset()
		c.WriteString("SELECT ")
	}
	c.WriteString(d.quoted(f.path...) + "(")
	first := true
	for _, arg := range f.args {
		v, given := call.Args[arg.name]
		if !given && arg.optional {
			if f.named {
				continue
			}
			break // those behind it have defaults, too
		}
		if !first {
			c.WriteString(", ")
		}
		first = false
		if v, err = arg.value(v); err != nil {
			return result, err
		}
		if f.named {
			c.WriteString(d.quoted(arg.name) + " => ")
		}
		c.WriteString(c.parameter(v))
	}
	c.WriteString(")")
	if !f.procedure {
		c.WriteString(" AS result")
	}
	err = d.within(ctx, !f.reads, func(tx transaction) error {
		list, more, err := d.rows(ctx, tx, c.String(), c.args, mostLimit)
		if err == nil && more {
			err = wrong("more than %s", text.Count(mostLimit, "row"))
		}
		if err == nil {
			result.Data = f.data(list)
		}
		return err
	})
	return result, err
}

// data is what a function returned: a value, a row, or a list of either.
func (f *function) data(list []any) any {
	if !f.composite {
		for i, item := range list {
			for _, v := range item.(row) {
				list[i] = v
			}
		}
	}
	switch {
	case f.set || f.procedure:
		return list
	case f.void || len(list) == 0:
		return nil
	}
	return list[0]
}
