package database

// This file has what a database is read into, and the schemas of actions made from it.

import (
	"encoding/json"
	"slices"
	"strings"

	"almanac/catalog"
	"almanac/catalog/text"
)

// A schema is what a database has and this user may use.
type schema struct {
	tables    []*table
	functions []*function
	// remarks are for the doctor: who is connected, what was left out.
	remarks []string
	skipped []catalog.Skip
}

// A table is a table or a view.
type table struct {
	db      *Database
	id      string   // of its namespace
	path    []string // schema and name, or the name
	view    bool
	comment string
	columns []*column
	key     []*column // the primary key, or a unique one without nulls; nil where there is none
	foreign []foreign
	inbound []*inbound
	// what this user may do beside reading
	inserts, updates, deletes bool
	// numbers is the column that the database gives a number to; nil where there is none, or RETURNING tells.
	numbers *column
}

// A column is one of a table, or an argument of a function.
type column struct {
	name, typ string
	kind      kind
	nullable  bool
	optional  bool // it has a default
	generated bool // it cannot be written
	flag      bool // an integer that is used as a boolean
	parse     bool // the server sends its JSON as text
	zoned     bool // its times have no zone on the server, which takes none
	comment   string
	values    []string // of an enum
	leads     string   // where a foreign key leads to: public.customers.id
	fixed     bool     // this user may not change it
}

// A foreign key leads from columns of a table to those of another.
type foreign struct {
	columns []string
	to      []string // the path of the other table
	refs    []string
	cascade string // what happens to these rows when that one is deleted: cascade, set null
}

// An inbound foreign key is one of another table.
type inbound struct {
	from *table
	key  foreign
}

// A function is a function or a procedure.
type function struct {
	path      []string
	args      []*column
	named     bool // its arguments can be given by name
	procedure bool
	set       bool // it returns rows
	composite bool // a row has columns, and is not one value
	void      bool
	result    *column
	out       string // the mode of an argument that it gives a value to; empty where there is none
	reads     bool   // the database says that it changes nothing
	comment   string
}

func (t *table) column(name string) *column {
	if i := slices.IndexFunc(t.columns, func(c *column) bool { return c.name == name }); i >= 0 {
		return t.columns[i]
	}
	return nil
}

func (t *table) keyNames() (names []string) {
	for _, c := range t.key {
		names = append(names, c.name)
	}
	return names
}

// full is how messages name the table.
func (t *table) full() string { return strings.Join(t.path, ".") }

// A property is one of an object in a JSON Schema.
type property struct {
	name, schema string
	required     bool
}

// object is the JSON Schema of a table with these properties and no others.
func object(properties []property, more string) string {
	var b strings.Builder
	b.WriteString(`{"type":"object"` + more + `,"properties":{`)
	var required []string
	for i, p := range properties {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(literal(p.name) + ":" + p.schema)
		if p.required {
			required = append(required, p.name)
		}
	}
	b.WriteByte('}')
	if required != nil {
		b.WriteString(`,"required":` + literal(required))
	}
	return b.String() + `,"additionalProperties":false}`
}

// literal is a value as JSON.
func literal(v any) string {
	encoded, _ := json.Marshal(v) // texts and lists of them always have a form
	return string(encoded)
}

// types are the JSON types of a value of the column, as it comes or as it may be given; nil for any.
func (c *column) types(given bool) (names []string) {
	switch c.kind {
	case integer:
		names = []string{"integer"}
		if c.flag && given {
			names = append(names, "boolean")
		}
		if strings.Contains(c.typ, "unsigned") {
			names = append(names, "string") // beyond what Lua's integers hold
		}
	case float:
		names = []string{"number"}
	case decimal:
		names = []string{"string"}
		if given {
			names = append(names, "number")
		}
	case boolean:
		names = []string{"boolean"}
	case array:
		names = []string{"array"}
	case document, loose:
		return nil
	default:
		names = []string{"string"}
	}
	if c.nullable {
		names = append(names, "null")
	}
	return names
}

// schema is the JSON Schema of a value. One that is given has a description.
func (c *column) schema(given bool) string {
	var parts []string
	types := c.types(given)
	switch {
	case c.values != nil:
		values := make([]any, 0, len(c.values)+1)
		for _, v := range c.values {
			values = append(values, v)
		}
		if c.nullable {
			values = append(values, nil)
		}
		parts = append(parts, `"enum":`+literal(values))
	case len(types) == 1:
		parts = append(parts, `"type":`+literal(types[0]))
	case types != nil:
		parts = append(parts, `"type":`+literal(types))
	}
	if about := c.about(); given && about != "" {
		parts = append(parts, `"description":`+literal(about))
	}
	return "{" + strings.Join(parts, ",") + "}"
}

// about says in a line what the column holds.
func (c *column) about() string {
	typ := c.typ
	if slices.Contains([]string{"integer", "text", "boolean"}, typ) && c.kind != loose && c.values == nil {
		typ = "" // its JSON type says the same
	}
	parts := []string{typ}
	if c.comment != "" {
		parts = append(parts, text.LineBytes(c.comment, mostComment))
	}
	if c.leads != "" {
		parts = append(parts, "references "+c.leads)
	}
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), "; ")
}

// mostComment is how much of a comment of a column is kept, in bytes.
const mostComment = 300
