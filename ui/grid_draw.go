package ui

import (
	"fmt"
	"strings"

	"almanac/catalog/text"
	"almanac/catalog/text/cells"
	"almanac/repl/records"
	"almanac/repl/show"
)

// This file draws the grid: the head stays, the columns that fit are shown from the left one on, and below the rule is
// the chosen cell in full.

// cellRoom is the widest that a column is drawn, leastRoom the narrowest that a cut one is.
const (
	cellRoom  = 40
	leastRoom = 8
)

// A drawnColumn is a column with its place on the screen.
type drawnColumn struct {
	column int // of the list
	chosen bool
	right  bool
	width  int
}

func (g *grid) head(title string) (string, string) {
	rule := " " + g.m.theme.glyphs.rule + " "
	if row, _, ok := g.chosen(); ok && g.record {
		return title + fmt.Sprintf("[%d]", row+1), fmt.Sprintf("%s of %s", grouped(g.rows.at+1), grouped(len(g.order)))
	}
	if by := g.sort.Column; by > 0 && by <= len(g.list.Columns) {
		title += rule + "by " + show.FieldText(g.list.Columns[by-1].Field)
		if g.sort.Descending {
			title += ", descending"
		}
	}
	if g.typed || g.filter != "" {
		title += rule + "filter: " + g.filter
	}
	if g.typed && g.m.width < 60 {
		title = "filter: " + g.filter // what is typed is what has to be seen
	}
	return title, g.count()
}

// count says how many rows are shown, and of how many.
func (g *grid) count() string {
	there, more := g.list.Len(), g.m.theme.glyphs.more
	narrow := g.m.width < 60
	switch {
	case g.busy && g.wanted > there+lookCount:
		if narrow {
			return grouped(there) + more
		}
		return fmt.Sprintf("fetching: %s of %s%s", grouped(there), grouped(g.size), more)
	case narrow && strings.TrimSpace(g.filter) != "":
		return grouped(len(g.order)) + "/" + grouped(there)
	case strings.TrimSpace(g.filter) != "" && there < g.size:
		return fmt.Sprintf("%s of the first %s rows", grouped(len(g.order)), grouped(there))
	case strings.TrimSpace(g.filter) != "":
		return fmt.Sprintf("%s of %s", grouped(len(g.order)), text.Plural(there, "1 row", grouped(there)+" rows"))
	case there < g.size && narrow:
		return grouped(there) + "/" + grouped(g.size)
	case there < g.size:
		return fmt.Sprintf("%s of %s rows fetched", grouped(there), grouped(g.size))
	}
	return text.Plural(there, "1 row", grouped(there)+" rows")
}

// draw draws the rows of the pane.
func (g *grid) draw(width, height int) []string {
	var below []string
	if g.chooser != nil {
		below = g.chooser.rows(g.m.theme, width)
	}
	row, column, ok := g.chosen()
	if g.record && ok {
		return g.drawRecord(row, width, height, below)
	}
	if below == nil && ok && height > 3 {
		line := show.PathText(g.pathTo(row, column)) + " = " +
			g.list.CellText(row, column, records.Options{Format: records.Lua})
		below = []string{g.m.theme.dim.Render(cells.Clip(text.SanitizeLine(line), width, g.m.theme.glyphs.more))}
	}
	note := ""
	g.page = max(height-1-len(below), 1)
	if len(below) > 0 {
		g.page = max(g.page-1, 1)
	}
	top, end := g.rows.window(len(g.order), g.page)
	cols := g.fit(width - 2)
	out := g.drawTable(cols, g.order[top:end], width)
	if len(g.order) == 0 {
		said := "no rows match the filter"
		if name := records.ParseFilter(g.filter, g.list.Columns).Unknown; name != "" {
			said += ": no column " + text.SanitizeLine(name)
		}
		if g.seeking || g.busy {
			said = "searching" + g.m.theme.glyphs.more
		}
		out = append(out, g.m.theme.dim.Render("  "+said))
	}
	if n := len(g.shown); len(cols) < n {
		note = fmt.Sprintf("columns %d to %d of %d", g.left+1, g.left+len(cols), n)
		if len(cols) == 1 {
			note = fmt.Sprintf("column %d of %d", g.left+1, n)
		}
	}
	return g.m.theme.above(out, below, note, width, height)
}

// above puts rows at the bottom of a pane, below a rule with a note.
func (t theme) above(rows, below []string, note string, width, height int) []string {
	if len(below) == 0 {
		return rows
	}
	room := max(height-1-len(below), 0)
	for len(rows) < room {
		rows = append(rows, "")
	}
	return append(append(rows[:min(room, len(rows))], t.rule(width, "", note)), below...)
}

// fit chooses the columns that are drawn, so that the chosen one is among them.
func (g *grid) fit(room int) []drawnColumn {
	g.left = min(g.left, g.column)
	for {
		cols := g.fitFrom(g.left, room)
		if g.column < g.left+len(cols) || g.left >= g.column {
			return cols
		}
		g.left++
	}
}

// fitFrom is the columns from one on that fit; the last may be cut, and the first is there in any case.
func (g *grid) fitFrom(left, room int) []drawnColumn {
	var cols []drawnColumn
	for i := left; i < len(g.shown); i++ {
		c := g.list.Columns[g.shown[i]]
		d := drawnColumn{column: g.shown[i], chosen: i == g.column, right: c.Right(), width: min(c.Width, cellRoom)}
		if g.separates(d.column) {
			d.width = max(c.Width, c.Separated)
		}
		switch {
		case d.width <= room:
		case len(cols) == 0 || room >= leastRoom && !d.right && !d.chosen:
			d.width = max(room, 1)
		default:
			return cols
		}
		cols = append(cols, d)
		if room -= d.width + 2; room < 1 {
			break
		}
	}
	return cols
}

// drawTable draws the head and some rows.
func (g *grid) drawTable(cols []drawnColumn, rows []int, width int) []string {
	t := g.m.theme
	head := ""
	lines := make([]string, len(rows))
	for i, c := range cols {
		name := cells.Clip(show.FieldText(g.list.Columns[c.column].Field), c.width, t.glyphs.more)
		blank := max(c.width-cells.Width(name), 0)
		mark := " "
		if c.chosen {
			mark = t.glyphs.prompt
		}
		if c.right {
			head += strings.Repeat(" ", blank+1) + mark + name
		} else {
			head += " " + mark + name + strings.Repeat(" ", blank)
		}
		texts := make([]string, len(rows))
		for r, row := range rows {
			texts[r] = g.cell(row, c.column)
		}
		for r, s := range cells.Column(texts, c.width, t.glyphs.more) {
			gap := strings.Repeat(" ", max(c.width-cells.Width(s), 0))
			if g.list.At(rows[r], c.column) == nil && rows[r] != g.at() {
				s = t.dim.Render(s)
			}
			if c.right {
				s = gap + s
			} else {
				s += gap
			}
			if i > 0 {
				s = "  " + s
			}
			lines[r] += s
		}
	}
	out := []string{t.strong.Render(strings.TrimRight(head, " "))}
	for r, row := range rows {
		out = append(out, t.chosen(row == g.at(), strings.TrimRight(lines[r], " "), width))
	}
	return out
}

// cell is a field as the table shows it.
func (g *grid) cell(row, column int) string {
	if g.separates(column) {
		return text.Thousands(g.list.Text(row, column))
	}
	return g.list.Text(row, column)
}

// separates tells whether the digits of a column are separated.
func (g *grid) separates(column int) bool {
	c := g.list.Columns[column]
	return g.m.thousands && c.Right() && show.Counts(c.Field)
}

// at is the stored number of the chosen row; -1 for none.
func (g *grid) at() int {
	if row, _, ok := g.chosen(); ok {
		return row
	}
	return -1
}

// drawRecord draws one record, a field in each row, and the chosen field whole below.
func (g *grid) drawRecord(row, width, height int, below []string) []string {
	t := g.m.theme
	names := 4
	for _, c := range g.list.Columns {
		names = max(names, cells.Width(show.FieldText(c.Field)))
	}
	names = min(names, max(width/3, 8))
	if below == nil && height > 4 {
		below = g.whole(row, g.field.at, width, max(height/3, 1))
	}
	g.page = max(height-len(below), 1)
	if len(below) > 0 {
		g.page = max(g.page-1, 1)
	}
	top, end := g.field.window(len(g.list.Columns), g.page)
	var out []string
	for i, c := range g.list.Columns[top:end] {
		name := cells.Clip(show.FieldText(c.Field), names, t.glyphs.more)
		value := cells.Clip(g.list.Text(row, top+i), max(width-names-4, 1), t.glyphs.more)
		if g.list.At(row, top+i) == nil && top+i != g.field.at {
			value = t.dim.Render(value)
		}
		out = append(out, t.chosen(top+i == g.field.at, pad(name, names)+"  "+value, width))
	}
	return t.above(out, below, "", width, height)
}

// whole is a field with all of its text, in at most so many rows.
func (g *grid) whole(row, column, width, height int) []string {
	value := g.list.Text(row, column)
	switch v := g.list.At(row, column).(type) {
	case string:
		value = v
	case []any, map[string]any:
		value = show.LuaText(v, width)
	}
	var rows []string
	for _, l := range strings.Split(text.Sanitize(value), "\n") {
		for _, piece := range pieces(untab(l), width) {
			rows = append(rows, g.m.theme.dim.Render(piece))
		}
	}
	return rows[:min(len(rows), height)]
}

func (g *grid) hints() []string {
	switch {
	case g.chooser != nil:
		return []string{"Enter choose"}
	case g.typed:
		return []string{"Enter done", "words", "column:value"}
	case g.record:
		return []string{"n next, p previous", "c copy", "o open", "i insert path", "Enter list"}
	}
	return []string{"Enter record", "s sort", "f filter", "c copy", "x hide, X all", "t tree"}
}
