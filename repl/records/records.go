// Package records holds lists of records as rows and columns: what a grid shows, and what is copied and exported.
//
//	List      records in columns; Added makes a longer one
//	Filter    which rows: words, and column:value; Sort is in which order. Order finds the rows
//	Format    CSV, JSON, JSON lines, Lua, Markdown, text: Write writes rows, WriteValue any value
//	Encoding  how --output writes values: WriteValues; WriteJSON and Finite are for all JSON that leaves the program
//
// A List never changes, so that it can be read beside the loop that makes the next one. Everything here is a pure
// function of its arguments.
package records

import (
	"slices"

	"almanac/catalog/text"
	"almanac/catalog/text/cells"
	"almanac/repl/show"
)

// A Column is one field of the records.
type Column struct {
	// Field is its name in the records.
	Field string
	// Width is how many cells its widest text takes, that of its name included.
	Width int
	// Separated is Width with commas between the thousands of its numbers.
	Separated int
	// Number is true where every value is a number; such a column stands right.
	Number bool
	// filled tells that there is a value.
	filled bool
}

// absent stands in a row for a field that the record does not have.
type absent struct{}

// A List is records in columns. The zero List has none.
type List struct {
	Columns []Column
	// rows hold a value for each column that was known when they came.
	rows [][]any
}

// AreRecords tells whether all items are tables with named fields.
func AreRecords(items []any) bool {
	return len(items) > 0 && !slices.ContainsFunc(items, func(item any) bool {
		r, ok := item.(map[string]any)
		return !ok || len(r) == 0
	})
}

// Len is how many rows there are.
func (l List) Len() int { return len(l.rows) }

// At is a field of a row, absent where the record does not have it.
func (l List) At(row, column int) any {
	if r := l.rows[row]; column < len(r) {
		return r[column]
	}
	return absent{}
}

// record is row as it was, without the fields of columns that are not among the given ones; nil means all.
func (l List) record(row int, columns []int) map[string]any {
	out := map[string]any{}
	for i, c := range l.Columns {
		if v := l.At(row, i); v != any(absent{}) && (columns == nil || slices.Contains(columns, i)) {
			out[c.Field] = v
		}
	}
	return out
}

// Text is a field as a cell shows it; empty where there is none.
func (l List) Text(row, column int) string {
	switch v := l.At(row, column).(type) {
	case absent:
		return ""
	default:
		return show.CellText(v)
	}
}

// Added is the list with more records at its end. fields is the order of the columns that it adds, as far as it is
// known; an item that is no record is one with the field "value".
func (l List) Added(items []any, fields []string) List {
	out := List{Columns: slices.Clone(l.Columns), rows: l.rows}
	at := map[string]int{}
	for i, c := range out.Columns {
		at[c.Field] = i
	}
	maps := make([]map[string]any, len(items))
	for i, item := range items {
		r, ok := item.(map[string]any)
		if !ok {
			r = map[string]any{"value": item}
		}
		maps[i] = r
	}
	for _, name := range show.FieldOrder(maps, fields) {
		if _, known := at[name]; !known {
			at[name] = len(out.Columns)
			out.Columns = append(out.Columns, newColumn(name))
		}
	}
	for _, r := range maps {
		row := make([]any, len(out.Columns))
		for i := range row {
			row[i] = absent{}
		}
		for name, v := range r {
			i := at[name]
			row[i] = v
			out.Columns[i].widen(v)
		}
		out.rows = append(out.rows, row)
	}
	return out
}

func newColumn(field string) Column {
	width := cells.Width(show.FieldText(field))
	return Column{Field: field, Width: width, Separated: width, Number: true}
}

// widen makes room for a value.
func (c *Column) widen(v any) {
	shown := show.CellText(v)
	c.Width = max(c.Width, cells.Width(shown))
	if v == nil {
		return
	}
	c.filled = true
	if c.Number = c.Number && isNumber(v); c.Number {
		c.Separated = max(c.Separated, cells.Width(text.Thousands(shown)))
	}
}

func isNumber(v any) bool {
	switch v.(type) {
	case int64, int, float64:
		return true
	}
	return false
}

// Right tells whether a column stands right.
func (c Column) Right() bool { return c.Number && c.filled }
