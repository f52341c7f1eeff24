package show

// This file shows lists of records as tables: which columns, in what order, and how wide.

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"almanac/catalog/text"
	"almanac/catalog/text/cells"
	"almanac/session/vm"
)

// maxColumns is how many fields a table may have; what is beyond is not shown.
const maxColumns = 40

// tableRecords tells whether a value reads best as a table: a list of records with plain fields, or one whose records
// mostly have the same fields and that is too long to be read as Lua.
func tableRecords(v vm.Value, width int) ([]map[string]any, bool) {
	list, ok := v.Data.([]any)
	if !ok || len(list) == 0 {
		return nil, false
	}
	records := make([]map[string]any, len(list))
	names, filled, nested := map[string]bool{}, 0, 0
	for i, item := range list {
		r, ok := item.(map[string]any)
		if !ok || len(r) == 0 {
			return nil, false
		}
		for name, field := range r {
			names[name] = true
			if isNested(field) {
				nested++
			}
		}
		filled += len(r)
		records[i] = r
	}
	switch {
	case nested == 0:
		return records, true
	case nested == filled, 2*filled < len(names)*len(list):
		return nil, false
	}
	return records, len(v.Repr) > max(width, 80)
}

func isNested(v any) bool {
	switch v.(type) {
	case []any, map[string]any:
		return true
	}
	return false
}

// longestNested is how wide a table in a cell may be to be shown as it is.
const longestNested = 24

// FieldText is a field's name as a head shows it.
func FieldText(name string) string { return text.SanitizeLine(name) }

// FieldOrder names the fields of records in the order of a table's columns: what names a record first, then in the
// order of the given fields.
func FieldOrder(records []map[string]any, fields []string) []string {
	var names []string
	for _, c := range makeColumns(records, fields) {
		names = append(names, c.field)
	}
	return names
}

// CellText is a field as a cell shows it: of a long table its kind and size.
func CellText(v any) string {
	kind, size := "list", 0
	switch v := v.(type) {
	case string:
		return text.SanitizeLine(v)
	case []any:
		size = len(v)
	case map[string]any:
		kind, size = "table", len(v)
	default:
		return LuaText(v, 0)
	}
	if size <= 4 {
		if text := LuaText(v, 0); cells.Width(text) <= longestNested {
			return text
		}
	}
	return fmt.Sprintf("%s[%d]", kind, size)
}

// A column is one field of all records.
type column struct {
	field string // as the records have it
	name  string // as it is shown
	cells []string
	// number is true when every value is a number; such a column stands right and is never cut.
	number bool
	// nulls says which cells hold nothing but a null.
	nulls []bool
	// place is where it stands among the others.
	place place
	// worth is what the column tells: the ones that tell least are the first to go.
	worth worth
	width int
}

// A worth is what a column tells about its records.
type worth int

const (
	empty   worth = iota // nothing but nulls and empty texts
	allSame              // the same in each record
	uniform              // the same in most records, or missing in most
	varied
)

// A place is where a column stands.
type place int

const (
	naming    place = iota // the id
	titling                // a name or title
	standing               // a status
	counting               // an amount: with the others where their order is declared
	telling                // any other
	unfolding              // long texts, and tables
	pointing               // the id of something else
	locating               // an address
)

// placeOf reads the place off a field's name.
func placeOf(name string) place {
	words := strings.Split(strings.ToLower(name), "_")
	last := words[len(words)-1]
	switch name {
	case "id":
		return naming
	case "name", "title", "subject":
		return titling
	case "status", "state":
		return standing
	}
	switch last {
	case "id", "ids", "uuid":
		return pointing
	case "url", "uri", "href":
		return locating
	}
	if slices.Contains(words, "amount") || slices.Contains(words, "total") || slices.Contains(words, "price") {
		return counting
	}
	return telling
}

// Table shows all records as a table, in a width above 0 what fits; no lines where no record has a field. fields is the
// order of the columns as far as it is known.
func Table(records []any, fields []string, width int) []Line {
	rows := make([]map[string]any, len(records))
	for i, r := range records {
		row, ok := r.(map[string]any)
		if !ok {
			row = map[string]any{"value": r}
		}
		rows[i] = row
	}
	return tableLines(rows, fields, "", width, Options{MaxRows: -1})
}

func tableLines(records []map[string]any, fields []string, rest string, width int, o Options) []Line {
	shown := records
	if most := o.rows(); most > 0 && len(records) > most {
		shown = records[:most]
	}
	m := o.Marks()
	made := makeColumns(shown, fields)
	if len(made) == 0 {
		return nil
	}
	if o.Thousands {
		for i := range made {
			made[i].separate()
		}
	}
	cols, left := fit(made, width)
	for i, c := range cols {
		if !c.number {
			cols[i].cells = cells.Column(c.cells, c.width, m.Cut)
		}
	}
	lines := []Line{rowLine(cols, -1, Header, m)}
	for r := range shown {
		lines = append(lines, rowLine(cols, r, Result, m))
	}
	if n := len(left); n > 0 {
		text := fmt.Sprintf("%s %d not shown: %s", m.Cut, n, strings.Join(left, ", "))
		lines = append(lines, Line{{Dim, cells.Clip(text, width, m.Cut)}})
	}
	if n := len(records) - len(shown); n > 0 {
		lines = append(lines, moreLine("more", n, rest, m))
	}
	return lines
}

// makeColumns makes a column of each field: what names a record comes first, then fields in the order of the given
// ones, those that are not among them by their names.
func makeColumns(records []map[string]any, fields []string) []column {
	known := map[string]int{}
	var cols []column
	for _, r := range records {
		for name := range r {
			if _, ok := known[name]; !ok {
				known[name] = 0
				cols = append(cols, makeColumn(records, name))
			}
		}
	}
	for i, name := range fields {
		known[name] = i - len(fields)
	}
	slices.SortFunc(cols, func(a, b column) int {
		at, bt := a.place, b.place
		if len(fields) > 0 && at == counting {
			at = telling
		}
		if len(fields) > 0 && bt == counting {
			bt = telling
		}
		return cmp.Or(cmp.Compare(at, bt), cmp.Compare(known[a.field], known[b.field]), strings.Compare(a.field, b.field))
	})
	return cols
}

// longText is from what width on a column is for reading, in cells.
const longText = 40

func makeColumn(records []map[string]any, field string) column {
	c := column{field: field, name: FieldText(field), number: true, place: placeOf(field)}
	c.width = cells.Width(c.name)
	counts := map[string]int{}
	for _, r := range records {
		v, there := r[field]
		text, null := "", there && v == nil
		switch v.(type) {
		case nil:
			if null {
				text = "null"
			}
		case int64, int, float64:
			text = CellText(v)
		default:
			c.number = false
			text = CellText(v)
		}
		if isNested(v) {
			c.place = max(c.place, unfolding)
		}
		c.cells, c.nulls = append(c.cells, text), append(c.nulls, null)
		c.width = max(c.width, cells.Width(text))
		if null {
			text = ""
		}
		counts[text]++
	}
	if c.width > longText && c.place == telling {
		c.place = unfolding
	}
	c.worth = c.worthOf(counts)
	return c
}

// separate puts commas into the numbers of a column that counts something.
func (c *column) separate() {
	if !c.number || !Counts(c.field) {
		return
	}
	for i, s := range c.cells {
		c.cells[i] = text.Thousands(s)
		c.width = max(c.width, cells.Width(c.cells[i]))
	}
}

// Counts tells whether the numbers of a field count something, rather than name it.
func Counts(field string) bool {
	place := placeOf(field)
	return place != naming && place != pointing && !strings.HasSuffix(strings.ToLower(field), "year")
}

// worthOf tells what a column says, from how often it has each text; "" stands for nothing.
func (c column) worthOf(counts map[string]int) worth {
	most := 0
	for _, n := range counts {
		most = max(most, n)
	}
	switch n := len(c.cells); {
	case counts[""] == n:
		return empty
	case n == 1 || c.place <= standing:
		return varied
	case most == n:
		return allSame
	case 4*most >= 3*n && c.place != counting:
		return uniform
	}
	return varied
}

// How far a column of text may shrink: to easy where there is room, to narrowest where there is not. What names a
// record is cut only beyond longestID or longestName.
const (
	easy        = 16
	narrowest   = 10
	longestID   = 24
	longestName = 18
)

// minWidth is how narrow a column may become.
func (c column) minWidth(text int) int {
	switch {
	case c.number:
		return c.width
	case c.place == naming:
		return min(c.width, longestID)
	case c.place == titling || strings.HasSuffix(c.field, "_name"):
		return min(c.width, longestName)
	}
	return min(c.width, text)
}

// fit leaves columns out until the rest can be shrunk to width cells: those that tell least, then from the right. Then
// it shrinks the widest. It returns the columns to show and the names of the others, in their order.
func fit(cols []column, width int) (shown []column, left []string) {
	if len(cols) > maxColumns {
		for _, c := range cols[maxColumns:] {
			left = append(left, c.name)
		}
		cols = cols[:maxColumns]
	}
	if width <= 0 {
		return cols, left
	}
	need := func(text int) int {
		total := -2
		for _, c := range cols {
			total += 2 + c.minWidth(text)
		}
		return total
	}
	order := map[string]int{}
	for i, c := range cols {
		order[c.name] = i
	}
	var gone []string
	leave := func(at int) {
		gone = append(gone, cols[at].name)
		cols = slices.Delete(cols, at, at+1)
	}
	for least := empty; least < varied; least++ {
		for i := len(cols) - 1; i > 0 && need(easy) > width; i-- {
			if cols[i].worth == least {
				leave(i)
			}
		}
	}
	for len(cols) > 1 && need(narrowest) > width {
		leave(len(cols) - 1)
	}
	slices.SortFunc(gone, func(a, b string) int { return cmp.Compare(order[a], order[b]) })
	left = append(gone, left...)
	total := -2
	for _, c := range cols {
		total += c.width + 2
	}
	for total > width {
		widest := -1
		for i, c := range cols {
			if c.width > c.minWidth(narrowest) && (widest < 0 || c.width > cols[widest].width) {
				widest = i
			}
		}
		if widest < 0 {
			break
		}
		cols[widest].width--
		total--
	}
	return cols, left
}

// rowLine writes row r, or the head for r < 0. Numbers stand right, nulls are dim.
func rowLine(cols []column, r int, role Role, m Marks) Line {
	var line Line
	add := func(role Role, text string) {
		if n := len(line); n > 0 && line[n-1].Role == role {
			line[n-1].Text += text
			return
		}
		line = append(line, Span{role, text})
	}
	for i, c := range cols {
		text, as := c.name, role
		if r >= 0 {
			text = c.cells[r]
			if c.nulls[r] {
				as = Dim
			}
		}
		if !c.number || r < 0 {
			text = cells.Clip(text, c.width, m.Cut)
		}
		pad := strings.Repeat(" ", max(0, c.width-cells.Width(text)))
		if i > 0 {
			add(role, "  ")
		}
		if c.number {
			add(role, pad)
			add(as, text)
			continue
		}
		add(as, text)
		if i < len(cols)-1 {
			add(role, pad)
		}
	}
	line[len(line)-1].Text = strings.TrimRight(line[len(line)-1].Text, " ")
	return line
}
