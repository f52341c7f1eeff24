package demo

import (
	"database/sql"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"
)

// A change is one block of testdata/changes.txt.
type change struct {
	id      string
	args    [][2]string // name and expression
	holds   []string
	refused string
}

func readChanges(t *testing.T) []change {
	t.Helper()
	text, err := os.ReadFile("testdata/changes.txt")
	if err != nil {
		t.Fatal(err)
	}
	var all []change
	for line := range strings.Lines(string(text)) {
		body := strings.TrimSpace(line)
		switch {
		case body == "" || body[0] == '#':
		case line[0] != ' ':
			all = append(all, change{id: body})
		case body[0] == '?':
			last := &all[len(all)-1]
			last.holds = append(last.holds, strings.TrimSpace(body[1:]))
		case body[0] == '!':
			all[len(all)-1].refused = strings.TrimSpace(body[1:])
		default:
			name, expression, ok := strings.Cut(body, " = ")
			if !ok {
				t.Fatalf("changes.txt: %s", line)
			}
			last := &all[len(all)-1]
			last.args = append(last.args, [2]string{name, expression})
		}
	}
	return all
}

func TestChanges(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	audited := int64(0)
	for _, c := range readChanges(t) {
		if len(c.holds) == 0 && c.refused == "" {
			t.Errorf("%s: nothing is checked", c.id)
		}
		args, bound := map[string]any{}, []any{}
		for _, a := range c.args {
			var v any
			if err := o.read.QueryRowContext(t.Context(), `SELECT `+a[1]).Scan(&v); err != nil {
				t.Fatalf("%s: %s: %v", c.id, a[0], err)
			}
			bound = append(bound, sql.Named(a[0], v))
			args[a[0]] = argument(t, c.id, a[0], v)
		}
		before := ""
		if c.refused != "" {
			before = o.fingerprint(t)
		}
		data, err := call(t, o, c.id, args)
		if c.refused != "" {
			if err == nil || !strings.Contains(err.Error(), c.refused) {
				t.Errorf("%s: error %v, want %s", c.id, err, c.refused)
			}
			if o.fingerprint(t) != before {
				t.Errorf("%s was refused and left traces", c.id)
			}
			continue
		}
		if err != nil {
			t.Errorf("%v", err)
			continue
		}
		audited++
		checkAudit(t, o, entryOf(t, o, c.id), args)
		answer, err := json.Marshal(data)
		if err != nil {
			t.Fatal(err)
		}
		bound = append(bound, sql.Named("answer", string(answer)))
		for _, condition := range c.holds {
			named := slices.Clone(bound)
			named = slices.DeleteFunc(named, func(v any) bool {
				return !slices.Contains(params(condition), v.(sql.NamedArg).Name)
			})
			if number(t, o, `SELECT `+condition, named...) != 1 {
				t.Errorf("%s: does not hold: %s\nanswer %s", c.id, condition, answer)
			}
		}
	}
	if n := number(t, o, `SELECT count(*) FROM audit`); n != audited {
		t.Errorf("%d audit rows after %d changes", n, audited)
	}
	checkBooks(t, o)
}

// argument turns an SQL value into what a script would have passed.
func argument(t *testing.T, id, name string, v any) any {
	t.Helper()
	if text, ok := v.(string); ok && strings.HasPrefix(text, "[") {
		list, err := fieldValue(field{kind: "list<object>"}, text)
		if err != nil {
			t.Fatal(err)
		}
		return list
	}
	if name == "internal" {
		return v == int64(1)
	}
	return v
}

// fingerprint changes whenever anything is written to the file.
func (o *Office) fingerprint(t *testing.T) string {
	t.Helper()
	return strings.Join(column(t, o, `SELECT (SELECT count(*) FROM audit) || ' ' || (SELECT sum(n) FROM counters) || ' ' ||
		(SELECT sum(on_hand) || ' ' || sum(reserved) FROM inventory) || ' ' || (SELECT count(*)
		FROM ledger) || ' ' || (SELECT count(*) FROM order_lines)`), "")
}
