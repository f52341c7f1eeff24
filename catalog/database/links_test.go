package database

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"almanac/catalog"
	"almanac/internal/golden"
)

// TestForeignKeysAreLinks shows which actions supply what others require, and what answers and plans make of it.
func TestForeignKeysAreLinks(t *testing.T) {
	d := openedFile(t, "links")
	batch, err := d.load(t.Context(), "db.")
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, e := range batch.Entries {
		for _, s := range e.Supplies {
			fmt.Fprintf(&b, "%s %s = %s of %s\n", s.ID, s.Argument, s.Field, e.ID)
		}
	}
	c, report := catalog.New(batch.Entries, catalog.Options{})
	if len(report.Skipped) > 0 {
		t.Fatal(report.Skipped)
	}
	without, err := c.View().Narrow(catalog.Rules{DeniedIDs: []string{"db.people.*"}})
	if err != nil {
		t.Fatal(err)
	}
	step := func(v *catalog.View, words string) catalog.Step {
		found, err := v.Search(words, catalog.SearchOptions{Limit: 1})
		if err != nil {
			t.Fatal(err)
		}
		return found.Pick(catalog.PickOptions{SearchOptions: catalog.SearchOptions{Limit: 1}})
	}
	for _, view := range []struct {
		what string
		*catalog.View
	}{{"all", c.View()}, {"without people", without}} {
		for _, words := range []string{"add a row to employees", "add a row to reviews", "add a row to reviews for person 7",
			"add a row to chapters", "get one row of chapters by its key", "get one row of employees by its key",
			"add a row to nodes"} {
			found, err := view.Search(words, catalog.SearchOptions{Limit: 1})
			if err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(&b, "\n== %s: %s\n%s\n", view.what, words, view.List(found, catalog.ListOptions{}).Text)
		}
		for _, steps := range [][]string{
			{"add a row to employees", "list rows of departments", "list rows of companies", "list rows of people"},
			{"add a row to chapters", "list rows of chapters", "list rows of companies"},
			{"add a row to reviews"},
			{"list rows of nodes", "list rows of companies", "add a row to members"},
		} {
			var all []catalog.Step
			for _, words := range steps {
				all = append(all, step(view.View, words))
			}
			plan, err := view.Plan(slices.Clone(all))
			if err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(&b, "\n== %s: a plan\n%s\n", view.what, view.FormatPlan(plan))
		}
	}
	golden.Equal(t, "testdata/links.golden", b.String())
}
