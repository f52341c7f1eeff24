package repl

// This file shows values: lists of flat records as aligned tables, all else as near-Lua text.

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"almanac/session/vm"
)

// valueLines shows one value. cell is where /expand finds the rest.
func valueLines(v vm.Value, cell, width int, o RenderOptions) []Line {
	if records, ok := flatRecords(v.Data); ok && v.Whole && o.MaxRows >= 0 {
		return tableLines(records, cell, width, o)
	}
	text := v.Repr
	if room := o.rows() * max(width, 80); o.rows() > 0 && len(text) > room && !strings.Contains(text[:room], "\n") {
		// One long line would fill the screen as well as many do.
		text = cutText(text, room, "") + "\n" + fmt.Sprintf("%s %s more", o.Marks().Cut, bytesText(int64(len(v.Repr)-room)))
	}
	lines := textLines(RoleResult, "", text)
	if most := o.rows(); most > 0 && len(lines) > most {
		left := len(lines) - most
		lines = append(lines[:most:most], moreLine(fmt.Sprintf("%d more lines", left), cell, o))
	}
	return lines
}

func moreLine(what string, cell int, o RenderOptions) Line {
	m := o.Marks()
	text := m.Cut + " " + what
	if cell > 0 {
		text += fmt.Sprintf(" %s /expand %d", m.Dot, cell)
	}
	return Line{{RoleDim, text}}
}

// flatRecords tells whether data is a list of records whose fields are plain: what reads best as a table.
func flatRecords(data any) ([]map[string]any, bool) {
	list, ok := data.([]any)
	if !ok || len(list) == 0 {
		return nil, false
	}
	records := make([]map[string]any, len(list))
	for i, item := range list {
		r, ok := item.(map[string]any)
		if !ok || len(r) == 0 {
			return nil, false
		}
		for _, field := range r {
			switch field.(type) {
			case nil, bool, int64, int, float64, string:
			default:
				return nil, false
			}
		}
		records[i] = r
	}
	return records, true
}

// A column is one field of all records.
type column struct {
	name  string
	cells []string
	// number is true when every value is a number; such a column stands right and is never cut.
	number bool
	width  int
}

// maxColumns is how many fields a table may have before it reads better as Lua.
const maxColumns = 40

func tableLines(records []map[string]any, cell, width int, o RenderOptions) []Line {
	shown := records
	if most := o.rows(); most > 0 && len(records) > most {
		shown = records[:most]
	}
	m := o.Marks()
	cols, left := fit(makeColumns(shown), width, m)
	lines := []Line{rowLine(cols, -1, RoleHeader, m)}
	for r := range shown {
		lines = append(lines, rowLine(cols, r, RoleResult, m))
	}
	if len(left) > 0 {
		lines = append(lines, Line{{RoleDim, cutText(m.Cut+" not shown: "+strings.Join(left, ", "), width, m.Cut)}})
	}
	if n := len(records) - len(shown); n > 0 {
		lines = append(lines, moreLine(fmt.Sprintf("%d more", n), cell, o))
	}
	return lines
}

func makeColumns(records []map[string]any) []column {
	names := map[string]bool{}
	for _, r := range records {
		for k := range r {
			names[k] = true
		}
	}
	order := slices.Collect(maps.Keys(names))
	slices.SortFunc(order, func(a, b string) int {
		if d := columnRank(a) - columnRank(b); d != 0 {
			return d
		}
		return strings.Compare(a, b)
	})
	cols := make([]column, len(order))
	for i, name := range order {
		c := column{name: SanitizeLine(name), number: true}
		c.width = textWidth(c.name)
		for _, r := range records {
			text := ""
			switch v := r[name].(type) {
			case nil:
			case string:
				c.number = false
				text = SanitizeLine(v)
			case bool:
				c.number = false
				text = luaFlat(v)
			default:
				text = luaFlat(v)
			}
			c.cells = append(c.cells, text)
			c.width = max(c.width, textWidth(text))
		}
		cols[i] = c
	}
	return cols
}

// columnRank puts what names a record first.
func columnRank(name string) int {
	switch {
	case name == "id":
		return 0
	case name == "name" || name == "title":
		return 1
	case strings.HasSuffix(name, "_id"):
		return 2
	}
	return 3
}

// narrowest is how far a text column may shrink.
const narrowest = 8

// fit shrinks the widest text columns until the table has width cells, and then leaves columns out from the right.
// It returns the columns to show and the names of the others.
func fit(cols []column, width int, m Marks) (shown []column, left []string) {
	if len(cols) > maxColumns {
		for _, c := range cols[maxColumns:] {
			left = append(left, c.name)
		}
		cols = cols[:maxColumns]
	}
	if width <= 0 {
		return cols, left
	}
	total := -2
	for _, c := range cols {
		total += c.width + 2
	}
	for total > width {
		widest := -1
		for i, c := range cols {
			if !c.number && c.width > narrowest && (widest < 0 || c.width > cols[widest].width) {
				widest = i
			}
		}
		if widest < 0 {
			break
		}
		cols[widest].width--
		total--
	}
	for total > width && len(cols) > 1 {
		last := cols[len(cols)-1]
		total -= last.width + 2
		cols = cols[:len(cols)-1]
		left = append([]string{last.name}, left...)
	}
	return cols, left
}

// rowLine writes row r, or the head for r < 0. Numbers stand right.
func rowLine(cols []column, r int, role Role, m Marks) Line {
	var b strings.Builder
	for i, c := range cols {
		text := c.name
		if r >= 0 {
			text = c.cells[r]
		}
		if !c.number || r < 0 {
			text = cutText(text, c.width, m.Cut)
		}
		pad := strings.Repeat(" ", max(0, c.width-textWidth(text)))
		if i > 0 {
			b.WriteString("  ")
		}
		if c.number {
			b.WriteString(pad + text)
		} else {
			b.WriteString(text + pad)
		}
	}
	return Line{{role, strings.TrimRight(b.String(), " ")}}
}
