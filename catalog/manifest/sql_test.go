package manifest

// This file tests actions that are SQL.

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"almanac/catalog"
)

func TestSQL(t *testing.T) {
	actions := shop(t, `
  find: {input: {name: str, ids: list}, sql: {database: main, statement: "select id, name from items where name = :name or id in (select value from json_each(:ids)) order by id"}}
  all: {sql: {database: main, statement: "select name, price, sold, at, raw from items order by id"}}
  two: {sql: {database: main, max_rows: 2, statement: "select id from items"}}
  sneak: {sql: {database: main, statement: "delete from items"}}
  drop: {mutates: true, input: {id: int}, sql: {database: main, statement: "delete from items where id = :id"}}
  add: {mutates: true, input: {name: str}, sql: {database: main, statement: "insert into items (name) values (:name) returning id, name"}}
  gone: {sql: {database: gone, statement: "select 1"}}
  wrong: {sql: {database: main, statement: "select nonsense from items"}}
`)
	for _, c := range []struct {
		id, want string
		args     map[string]any
	}{
		{"find", "[map[id:3 name:o'brien]]", map[string]any{"name": "o'brien"}},
		{"find", "[]", map[string]any{"name": "x' or '1'='1"}},
		{"find", "[map[id:1 name:pen] map[id:2 name:cup]]", map[string]any{"ids": []any{int64(1), int64(2)}}},
		{"all",
			"[map[at:2024-05-06T07:08:09Z name:pen price:1.5 raw:\\xff00 sold:1] map[at:<nil> name:cup price:4 raw:text sold:0] map[at:<nil> name:o'brien price:<nil> raw:<nil> sold:<nil>]]", nil},
		{"two", "error: more than 2 rows: ask for less, or raise max_rows in the manifest", nil},
		{"sneak", "error: database shop?.db: attempt to write a readonly database (8)", nil},
		{"gone", "error: database gone.db: no such file or directory", nil},
		{"wrong", "error: database shop?.db: SQL logic error: no such column: nonsense (1)", nil},
		{"drop", "map[rows_affected:1]", map[string]any{"id": int64(2)}},
		{"drop", "map[rows_affected:0]", map[string]any{"id": int64(2)}},
		{"add", "[map[id:4 name:new]]", map[string]any{"name": "new"}},
		{"find", "[map[id:4 name:new]]", map[string]any{"name": "new"}},
	} {
		if got := called(t, actions[c.id], c.args); got != c.want {
			t.Errorf("%s %v:\ngot  %s\nwant %s", c.id, c.args, got, c.want)
		}
	}
}

// No statement reaches a file that the manifest does not name: what would is no action at all.
func TestStatementsOfOtherFiles(t *testing.T) {
	dir := t.TempDir()
	for _, statement := range []string{
		"attach database '" + dir + "/evil.db' as e", "attach database :f as e", "/* a */ -- b\n ATTACH :f as e", "detach e",
		"vacuum into '" + dir + "/copy.db'", "vacuum", "pragma query_only = 0", "pragma temp_store_directory = '" + dir + "'",
		"begin", "commit", "savepoint x", "\ufeffattach :f as e",
	} {
		for _, mutates := range []string{"false", "true"} {
			text := fmt.Sprintf("almanac: 1\ndatabases: {main: x.db}\nactions:\n  a: {mutates: %s, input: {f: str}, sql: %q}\n",
				mutates, statement)
			batch, err := readManifest([]byte(text), "m.yaml", "", &outside{})
			if err != nil || len(batch.Entries) > 0 || len(batch.Skipped) != 1 {
				t.Errorf("%s: %v, %d entries, skipped %v", statement, err, len(batch.Entries), batch.Skipped)
			}
		}
	}
}

// What a manifest does not say of an action that mutates is told from its statement and its name.
func TestEffects(t *testing.T) {
	for _, c := range []struct{ id, rest, want string }{
		{"item.drop", `sql: "delete from items"`, "delete high"},
		{"item.zap", `sql: "DELETE from items"`, "delete high"},
		{"item.zap", `sql: "with old as (select 1) delete from items"`, "delete high"},
		{"item.zap", `sql: "drop table items"`, "delete high"},
		{"item.zap", `sql: "alter table items drop column name"`, "update high"},
		{"item.put", `sql: "update items set a = 1"`, "update medium"},
		{"item.remove", `sql: "update items set gone = 1"`, "update high"},
		{"item.add", `sql: "insert into items values (1)"`, "create medium"},
		{"item.drop", `risk: low, operation: update, sql: "delete from items"`, "update low"},
		{"item.purge_all", `lua: "return 1"`, "delete high"},
		{"item.deleteAll", `lua: "return 1"`, "delete high"},
		{"order.refund", `lua: "return 1"`, "update high"},
		{"item.remove", `http: {method: POST, url: "https://x.example/a"}`, "create high"},
	} {
		text := fmt.Sprintf("almanac: 1\ndatabases: {main: x.db}\nactions:\n  %s: {mutates: true, %s}\n", c.id, c.rest)
		batch, err := readManifest([]byte(text), "m.yaml", "", &outside{})
		if err != nil || len(batch.Entries) != 1 {
			t.Errorf("%s: %v, skipped %v", text, err, batch.Skipped)
			continue
		}
		e := &batch.Entries[0]
		if got := fmt.Sprint(catalog.OperationOf(e), " ", catalog.RiskOf(e)); got != c.want {
			t.Errorf("%s {%s}: got %s, want %s", c.id, c.rest, got, c.want)
		}
	}
}

// A preview of a statement that changes data tells what it would change, and changes nothing.
func TestSQLPreview(t *testing.T) {
	actions := shop(t, `
  clear: {mutates: true, sql: {database: main, statement: "delete from items"}}
  all: {sql: {database: main, statement: "select count(*) as n from items"}}
`)
	text, err := actions["clear"].Preview(t.Context(), catalog.Call{})
	if err != nil || !strings.Contains(text, `"rows_affected": 3`) {
		t.Errorf("got %q, %v", text, err)
	}
	if got := called(t, actions["all"], nil); got != "[map[n:3]]" {
		t.Errorf("the preview changed something: %s", got)
	}
}

func TestSQLInterrupted(t *testing.T) {
	actions := shop(t, `
  slow: {sql: {database: main, statement: "with recursive n(i) as (select 1 union all select i + 1 from n) select count(*) from n"}}
`)
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := actions["slow"].Action(ctx, catalog.Call{}); err == nil {
		t.Error("an endless statement ended well")
	}
}

// A database that cannot be reached is told when the manifest is read, for its own actions, and without its password.
func TestUnreachable(t *testing.T) {
	out := &outside{}
	batch, err := readManifest([]byte(`almanac: 1
databases: {main: 'postgres://shop:hunter22@127.0.0.1:1/shop?sslmode=disable', wrong: 'mysql://shop:hunter22@127.0.0.1:1'}
actions:
  a: {sql: {database: main, statement: "select 1::int where :x = 1"}, input: {x: int}}
  b: {data: 1}
`), "m.yaml", "", out)
	if err == nil || strings.Contains(err.Error(), "hunter22") ||
		!strings.Contains(err.Error(), "wrong: the address names no database") {
		t.Errorf("an address without a database: got %v", err)
	}
	batch, err = readManifest([]byte(`almanac: 1
databases: {main: 'postgres://shop:hunter22@127.0.0.1:1/shop?sslmode=disable'}
actions:
  a: {sql: {database: main, statement: "select 1::int where :x = 1"}, input: {x: int}}
  b: {data: 1}
`), "m.yaml", "", out)
	if err != nil || len(batch.Skipped) > 0 {
		t.Fatalf("%v, skipped %v", err, batch.Skipped)
	}
	defer out.close()
	out.check(t.Context(), len(batch.Entries), map[string]bool{"a": true, "b": true})
	const want = "1 of 2 actions unavailable: database main: failed to connect to"
	down := out.health()
	if down == nil || !strings.HasPrefix(down.Error(), want) || strings.Contains(down.Error(), "hunter22") {
		t.Errorf("got %v, want %s", down, want)
	}
	_, err = batch.Entries[0].Action(t.Context(), catalog.Call{Args: map[string]any{"x": int64(1)}})
	if later := (*catalog.Transient)(nil); !errors.As(err, &later) {
		t.Errorf("a call: got %v, want one that may be tried again", err)
	}
	if !slices.Contains(out.secrets(), "hunter22") {
		t.Error("the password in the address is no secret")
	}
}
