package database

// This file runs the same calls against every database; without a server only against SQLite. See peers_test.go.

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"almanac/catalog"
	"almanac/internal/golden"
)

// shop is a file of SQLite with the tables of the tests.
func shop(t *testing.T) *Database { return openedFile(t, "sqlite") }

// openedFile is a file of SQLite in which the statements of a file have been run.
func openedFile(t *testing.T, statements string) *Database {
	t.Helper()
	path := filepath.Join(t.TempDir(), "shop.db")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	return opened(t, path, statements)
}

// opened is the database at an address, in which the statements of a file have been run.
func opened(t *testing.T, address, kind string) *Database {
	t.Helper()
	d, err := Open(address, Options{})
	if err != nil {
		t.Fatal(err)
	}
	d.name = "shop"
	t.Cleanup(func() { d.Close() })
	text, err := os.ReadFile("testdata/" + kind + ".sql")
	if err != nil {
		t.Fatal(err)
	}
	if err := d.within(t.Context(), true, func(tx transaction) error {
		for statement := range strings.SplitSeq(string(text), ";\n") {
			if strings.TrimSpace(statement) == "" {
				continue
			}
			if _, err := tx.run(t.Context(), statement, nil, nil); err != nil {
				return fmt.Errorf("%s: %w", statement, err)
			}
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return d
}

// actions are those of a database, by their ids without what all begin with.
func actions(t *testing.T, d *Database) (map[string]*catalog.Entry, catalog.Batch) {
	t.Helper()
	batch, err := d.load(t.Context(), "db.")
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]*catalog.Entry{}
	for i := range batch.Entries {
		e := &batch.Entries[i]
		if err := e.Input.Usable(); err != nil {
			t.Errorf("%s: input: %v", e.ID, err)
		}
		if err := e.Output.Usable(); err != nil {
			t.Errorf("%s: output: %v", e.ID, err)
		}
		all[strings.TrimPrefix(strings.TrimPrefix(e.ID, "db."), "public.")] = e
	}
	return all, batch
}

func called(ctx context.Context, e *catalog.Entry, preview bool, args map[string]any) string {
	if e == nil {
		return "no such action"
	}
	checked, err := e.Input.Check(args)
	if err != nil {
		return "error: " + err.Error()
	}
	call := catalog.Call{ID: e.ID, Args: checked}
	if preview {
		text, err := e.Preview(ctx, call)
		if err != nil {
			return "error: " + err.Error()
		}
		return strings.TrimSuffix(text, "\n")
	}
	result, err := e.Action(ctx, call)
	if err != nil {
		return "error: " + err.Error()
	}
	var b bytes.Buffer
	if list, is := result.Data.([]any); is && len(list) > 0 {
		for _, item := range list {
			line, _ := json.Marshal(item)
			b.Write(append(line, '\n'))
		}
	} else {
		line, _ := json.Marshal(result.Data)
		b.Write(append(line, '\n'))
	}
	if misfit := e.Output.Misfit(result.Data); misfit != "" {
		b.WriteString("misfit: " + misfit + "\n")
	}
	if result.Note != "" || result.Next != nil {
		fmt.Fprintf(&b, "note: %s %v\n", result.Note, result.Next)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// cases calls all of the files and compares the answers with those of a kind of database.
func cases(t *testing.T, d *Database, kind string) {
	all, batch := actions(t, d)
	var b strings.Builder
	for i := range batch.Entries {
		e := &batch.Entries[i]
		fmt.Fprintf(&b, "%s %s %s %v\n", e.ID, catalog.OperationOf(e), catalog.RiskOf(e), e.Entities)
		for _, s := range e.Supplies {
			fmt.Fprintf(&b, "  %s of %s = result%s\n", s.Argument, s.ID, s.Field)
		}
	}
	for _, k := range append(batch.Skipped, batch.Renamed...) {
		fmt.Fprintf(&b, "%s: %s\n", k.ID, k.Reason)
	}
	for _, id := range []string{"orders.list", "orders.insert", "customers.update"} {
		if e := all[id]; e != nil {
			fmt.Fprintf(&b, "\n%s\n%s\n%s\n%s\n", e.Description, e.Target, e.Input.JSON(), e.Output.JSON())
		}
	}
	for _, file := range []string{"cases.txt", "own_" + kind + ".txt"} {
		text, err := os.ReadFile("testdata/" + file)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			if line = strings.TrimSpace(line); strings.HasPrefix(line, "#") {
				continue
			}
			id, rest, _ := strings.Cut(line, " ")
			args := map[string]any{}
			if rest != "" {
				v, err := catalog.ParseJSON([]byte(rest))
				if err != nil {
					t.Fatalf("%s: %v", line, err)
				}
				args = v.(map[string]any)
			}
			id, preview := strings.CutPrefix(id, "?")
			fmt.Fprintf(&b, "\n> %s\n%s\n", line, called(t.Context(), all[id], preview, args))
		}
	}
	golden.Equal(t, "testdata/"+kind+".golden", strings.ReplaceAll(b.String(), d.at, "AT"))
}

func TestSQLite(t *testing.T) { cases(t, shop(t), "sqlite") }
