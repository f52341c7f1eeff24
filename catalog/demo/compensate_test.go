package demo

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"almanac/catalog"
	"almanac/internal/golden"
)

// TestCompensations makes an example of each action that declares a compensation, makes the compensating call, and
// writes which tables are then other than before.
func TestCompensations(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	all, _ := catalog.New(o.Entries(), catalog.Options{})
	if wrong := all.Uncompensated(); len(wrong) > 0 {
		t.Error(wrong)
	}
	var b strings.Builder
	before := tables(t, o)
	for _, e := range o.Entries() {
		if e.Compensate == nil {
			continue
		}
		_, args, err := parseExample(e.Examples[0])
		if err != nil {
			t.Fatal(err)
		}
		result := mustCall(t, o, e.ID, args)
		undo, err := e.Compensate.For(args, result)
		if err != nil {
			t.Errorf("%s: %v", e.ID, err)
			continue
		}
		if _, err := call(t, o, undo.ID, undo.Args); err != nil {
			t.Errorf("%s: %v", e.ID, err)
		}
		after := tables(t, o)
		var other []string
		for _, table := range slices.Sorted(maps.Keys(after)) {
			if before[table] != after[table] && table != "audit" && table != "counters" {
				other = append(other, table)
			}
		}
		before = after
		fmt.Fprintf(&b, "%s by %s: %s\n", e.ID, undo.ID, strings.Join(other, " "))
	}
	checkBooks(t, o)
	golden.Equal(t, "testdata/compensations.golden", b.String())
}

// tables are the rows of every table, as text.
func tables(t testing.TB, o *Office) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, table := range column(t, o, `SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name`) {
		rows := query(t, o, `SELECT * FROM `+table)
		lines := make([]string, len(rows))
		for i, r := range rows {
			lines[i] = fmt.Sprint(r...)
		}
		slices.Sort(lines)
		all[table] = strings.Join(lines, "\n")
	}
	return all
}
