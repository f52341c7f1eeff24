package database

import (
	"context"
	"database/sql"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"almanac/catalog"
)

func TestStatements(t *testing.T) {
	for _, c := range []struct{ text, params, wrong string }{
		{"select :a, ':b', \":c\", [:d], `:e`, 'it''s :f' /* :g */ -- :h\n, :a, :größe", "a größe", ""},
		{"select 1;", "", ""},
		{"select 1; -- no more\n /* nothing */ ;", "", ""},
		{"select 1; select 2", "", "want one statement, got several"},
		{"select ';' ; x", "", "want one statement, got several"},
		{"", "", "the statement is empty"},
		{"-- nothing", "", "the statement is empty"},
		{"select $1", "", "$ is not a parameter"},
		{"select @x", "", "@ is not a parameter"},
		{"select :", "", "must be followed by the name"},
		{"select \"a", "", "does not end"},
		{"select 1\x00; drop", "", "zero byte"},
	} {
		s, err := sqliteDialect().Parse(c.text)
		if err == nil {
			err = s.Named()
		}
		switch {
		case c.wrong == "" && (err != nil || strings.Join(s.Params(), " ") != c.params):
			t.Errorf("%q: got %q, %v", c.text, s.Params(), err)
		case c.wrong != "" && (err == nil || !strings.Contains(err.Error(), c.wrong)):
			t.Errorf("%q: got %v, want %s", c.text, err, c.wrong)
		}
	}
}

// What a scanner of one dialect takes for text another takes for code.
func TestDialects(t *testing.T) {
	for _, c := range []struct {
		d                   dialect
		text, called, wrong string
	}{
		{postgresDialect(), `select $$a;b$$, $x$ $$ ; $x$, 'a\', e'\';', a::int[], b[1:2], /* /* ; */ ; */ "f""x" (1)`, `f"x`, ""},
		{postgresDialect(), `select "pg_Sleep" /* */ (1), now(), -- (
			max(x)`, "pg_sleep now max", ""},
		{postgresDialect(), "select $x$ a", "", "does not end"},
		{postgresDialect(), `select u&"a"`, "", "U& is not allowed"},
		{postgresDialect(), "select 'a\\'; drop table x", "", "want one statement"},
		{mysqlDialect(), "select 'a\\'; drop table x; -- ', \"b\\\";\", `c;` # ; d\n, 1--1", "", ""},
		{mysqlDialect(), "select 1 -- ; x\n;", "", ""},
		{mysqlDialect(), "select 1 --; x", "", "want one statement"},
		{mysqlDialect(), "select 1 /*!50000 , 2 */", "", "executed"},
		{mysqlDialect(), "select 1 /*M! , 2 */", "", "executed"},
		{sqliteDialect(), "select [a;b], `c;`, 'a\\'; drop table x", "", "want one statement"},
		{sqliteDialect(), "select 1 /* /* */; drop table x -- */", "", "want one statement"},
	} {
		s, err := c.d.Parse(c.text)
		if c.wrong == "" && (err != nil || strings.Join(s.called, " ") != c.called) ||
			c.wrong != "" && (err == nil || !strings.Contains(err.Error(), c.wrong)) {
			t.Errorf("%s: %s: got %q, %v, want %q %s", c.d.title, c.text, s.called, err, c.called, c.wrong)
		}
	}
}

func TestLocked(t *testing.T) {
	file := filepath.Join(t.TempDir(), "shop.db")
	open := func(statement string) error {
		db, err := sql.Open("sqlite", "file:"+filepath.ToSlash(file)+"?_pragma=busy_timeout(0)")
		if err != nil {
			return err
		}
		t.Cleanup(func() { db.Close() })
		db.SetMaxOpenConns(1)
		_, err = db.ExecContext(t.Context(), statement)
		return err
	}
	if err := open("create table items (id)"); err != nil {
		t.Fatal(err)
	}
	d := openSQLite(file)
	defer d.Close()
	s, err := d.server()
	if err != nil {
		t.Fatal(err)
	}
	err = d.plain(s, open("select nonsense"))
	if later := (*catalog.Transient)(nil); err == nil || errors.As(err, &later) {
		t.Errorf("a wrong statement: got %v, want an error that no attempt mends", err)
	}
	if err := open("begin exclusive"); err != nil {
		t.Fatal(err)
	}
	err = d.plain(s, open("select * from items"))
	want := "database shop.db: database is locked (5) (SQLITE_BUSY)"
	if later := (*catalog.Transient)(nil); !errors.As(err, &later) || err.Error() != want {
		t.Errorf("a locked file: got %v, want one that is Transient: %s", err, want)
	}
}

// No argument of a table's action becomes SQL: whatever it says, the log is as it was, and an answer has only rows that
// a condition on values could give.
func FuzzWhere(f *testing.F) {
	for _, name := range []string{"id", "name", "nmae", "id; drop table log", `id" or 1=1 --`, "the id", "größe"} {
		f.Add(name, "eq", "1", "name desc", "id")
	}
	f.Add("name", "like", "%' or '1'='1", `name" desc; delete from log`, `*`)
	f.Add("name", "in", "x'), (select 1", "id asc, name", `id", (select message from log) as "x`)
	f.Add("name", "= 1 or 1 =", "\x00", "desc", "name desc")
	path := filepath.Join(f.TempDir(), "shop.db")
	d := openSQLite(path)
	d.name = "shop"
	f.Cleanup(func() { d.Close() })
	made, err := openFile(path, "mode=rwc")
	if err != nil {
		f.Fatal(err)
	}
	if _, err := made.Exec(`create table customers (id integer primary key, name text, "the id" int, "größe" text);
		create table log (message text); insert into log values ('secret'); insert into customers (name) values ('Ann'), ('Bob')`); err != nil {
		f.Fatal(err)
	}
	made.Close()
	batch, err := d.load(context.Background(), "")
	if err != nil {
		f.Fatal(err)
	}
	find := func(id string) *catalog.Entry {
		return &batch.Entries[slices.IndexFunc(batch.Entries, func(e catalog.Entry) bool { return e.ID == id })]
	}
	lists, count := find("customers.list"), find("log.count")
	f.Fuzz(func(t *testing.T, column, operator, value, order, field string) {
		list := []any{value}
		for _, condition := range []any{value, list, map[string]any{operator: value}, map[string]any{operator: list}} {
			result, err := lists.Action(t.Context(), catalog.Call{Args: map[string]any{
				"where": map[string]any{column: condition}, "order": []any{order}, "fields": []any{field},
			}})
			var ours callError
			if err != nil && !errors.As(err, &ours) {
				t.Fatalf("%q %q %q %q %q: the server refused what was made of it: %v", column, operator, value, order, field, err)
			}
			for _, item := range listOf(result.Data) {
				if v, is := item.(row)[field]; !is || len(item.(row)) != 1 || v == "secret" {
					t.Fatalf("%q %q %q %q %q: got %v", column, operator, value, order, field, item)
				}
			}
		}
		result, err := count.Action(t.Context(), catalog.Call{Args: map[string]any{}})
		if err != nil || result.Data != int64(1) {
			t.Fatalf("the log has %v rows, %v", result.Data, err)
		}
	})
}
