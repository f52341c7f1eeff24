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
	if _, table := v.Data.(map[string]any); v.Whole && o.MaxRows >= 0 && (table || isList(v.Data)) && deeper(v.Data, shownDepth) {
		text = luaText(cutDeep(v.Data, shownDepth, o.Marks()), max(width, 40), "")
	}
	if room := o.rows() * max(width, 80); o.rows() > 0 && len(text) > room && !strings.Contains(text[:room], "\n") {
		// One long line would fill the screen as well as many do.
		text = cutText(text, room, "") + "\n" + fmt.Sprintf("%s %s more", o.Marks().Cut, bytesText(int64(len(v.Repr)-room)))
	}
	lines := textLines(RoleResult, "", text)
	if v.Prose {
		lines = wrapLines(lines, width)
	}
	if most := o.rows(); most > 0 && len(lines) > most {
		left := len(lines) - most
		lines = append(lines[:most:most], moreLine(fmt.Sprintf("%d more lines", left), cell, o))
	}
	return lines
}

// shownDepth is how many levels of a value are shown.
const shownDepth = 3

// A raw text stands for a value that is not shown.
type raw string

func isList(v any) bool { _, ok := v.([]any); return ok }

// deeper tells whether data has tables below depth levels.
func deeper(v any, depth int) bool {
	switch v := v.(type) {
	case []any:
		return len(v) > 0 && (depth == 0 || slices.ContainsFunc(v, func(item any) bool { return deeper(item, depth-1) }))
	case map[string]any:
		if depth == 0 {
			return len(v) > 0
		}
		for _, field := range v {
			if deeper(field, depth-1) {
				return true
			}
		}
	}
	return false
}

// cutDeep is data with a mark in the place of each table below depth levels.
func cutDeep(v any, depth int, m Marks) any {
	switch v := v.(type) {
	case []any:
		if depth == 0 && len(v) > 0 {
			return raw(fmt.Sprintf("{%s%d}", m.Cut, len(v)))
		}
		out := make([]any, len(v))
		for i, item := range v {
			out[i] = cutDeep(item, depth-1, m)
		}
		return out
	case map[string]any:
		if depth == 0 && len(v) > 0 {
			return raw(fmt.Sprintf("{%s%d}", m.Cut, len(v)))
		}
		out := make(map[string]any, len(v))
		for k, field := range v {
			out[k] = cutDeep(field, depth-1, m)
		}
		return out
	}
	return v
}

func moreLine(what string, cell int, o RenderOptions) Line {
	m := o.Marks()
	text := m.Cut + " " + what
	if cell > 0 {
		text += fmt.Sprintf(" %s /expand %d", m.Dot, cell)
		if !o.model {
			text += fmt.Sprintf(" %s /view %d", m.Dot, cell)
		}
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
	// nulls says which cells hold nothing but a null.
	nulls []bool
	// dull is true when all values are the same: such a column is the first to go.
	dull  bool
	width int
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
			text, null := "", false
			switch v := r[name].(type) {
			case nil:
				if _, null = r[name]; null {
					text = "null"
				}
			case string:
				c.number = false
				text = SanitizeLine(v)
			case bool:
				c.number = false
				text = luaFlat(v)
			default:
				text = luaFlat(v)
			}
			c.cells, c.nulls = append(c.cells, text), append(c.nulls, null)
			c.width = max(c.width, textWidth(text))
		}
		c.dull = len(c.cells) > 1 && !slices.ContainsFunc(c.cells, func(text string) bool { return text != c.cells[0] })
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

// How far a column of text may shrink: to easy where there is room, to narrowest where there is not. What names a record
// is cut only beyond longestID.
const (
	easy      = 16
	narrowest = 10
	longestID = 24
)

// floor is how narrow a column may become.
func (c column) floor(text int) int {
	switch {
	case c.number:
		return c.width
	case columnRank(c.name) == 0:
		return min(c.width, longestID)
	}
	return min(c.width, text)
}

// fit leaves columns out until the rest can be shrunk to width cells: those whose values are all the same, then from the
// right. Then it shrinks the widest. It returns the columns to show and the names of the others.
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
	need := func(text int) int {
		total := -2
		for _, c := range cols {
			total += 2 + c.floor(text)
		}
		return total
	}
	leave := func(at int) {
		left = append([]string{cols[at].name}, left...)
		cols = slices.Delete(cols, at, at+1)
	}
	for i := len(cols) - 1; i > 0 && need(easy) > width; i-- {
		if cols[i].dull {
			leave(i)
		}
	}
	for len(cols) > 1 && need(narrowest) > width {
		leave(len(cols) - 1)
	}
	total := -2
	for _, c := range cols {
		total += c.width + 2
	}
	for total > width {
		widest := -1
		for i, c := range cols {
			if c.width > c.floor(narrowest) && (widest < 0 || c.width > cols[widest].width) {
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
				as = RoleDim
			}
		}
		if !c.number || r < 0 {
			text = cutText(text, c.width, m.Cut)
		}
		pad := strings.Repeat(" ", max(0, c.width-textWidth(text)))
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
