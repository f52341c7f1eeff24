package database

// This file has what foreign keys say of actions: which one finds the rows that another one's arguments name.

import (
	"slices"
	"strings"

	"almanac/catalog"
	"almanac/catalog/lua"
)

// A reference is a column of a table that another column leads to.
type reference struct {
	table *table
	name  string
}

// link has the lists of tables supply what actions of others require: the column that a foreign key leads to. entries
// are the actions of the tables, which byPath has, too.
func link(entries []catalog.Entry, tables []*table, byPath map[string]*table) {
	byID := map[string]*catalog.Entry{}
	for i := range entries {
		byID[entries[i].ID] = &entries[i]
	}
	supply := func(from reference, t *table, c *column, verbs ...string) {
		field := lua.Key(from.name)
		if field[0] != '[' {
			field = "." + field
		}
		list := byID[from.table.id+".list"]
		for _, verb := range verbs {
			if e := byID[t.id+"."+verb]; e != nil {
				list.Supplies = append(list.Supplies, catalog.Supply{ID: e.ID, Argument: c.name, Field: "[1]" + field})
			}
		}
	}
	for _, t := range tables {
		leads := t.leads(byPath)
		for _, c := range t.columns {
			to, is := leads[c]
			if !is {
				continue
			}
			if !c.nullable && !c.optional && !c.generated && !c.fixed {
				supply(to, t, c, "insert")
			}
			if slices.Contains(t.key, c) {
				if len(t.key) == 1 { // the rows that there are: not every person is an employee
					to = reference{t, c.name}
				}
				supply(to, t, c, "get", "update", "delete")
			}
		}
	}
}

// leads are the columns that foreign keys lead to from those of the table, if byPath has their tables. Of several keys
// of a column that of most columns counts, whose values have to come from one row; the first of equals.
func (t *table) leads(byPath map[string]*table) map[*column]reference {
	all, width := map[*column]reference{}, map[*column]int{}
	for _, key := range t.foreign {
		to := byPath[strings.Join(key.to, ".")]
		if to == nil || len(key.refs) != len(key.columns) {
			continue
		}
		for i, name := range key.columns {
			c := t.column(name)
			if c != nil && to.column(key.refs[i]) != nil && len(key.columns) > width[c] {
				all[c], width[c] = reference{to, key.refs[i]}, len(key.columns)
			}
		}
	}
	return all
}
