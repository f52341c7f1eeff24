package ui

import (
	"context"
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"almanac/catalog/text"
	"almanac/repl/records"
	"almanac/repl/show"
	"almanac/session/vm"
)

// This file holds the grid: a list of records in the value pane. Its rows are fetched as they are wanted, from the live
// session and without running Lua; what is fetched is sorted and filtered beside the loop. grid_draw.go draws it,
// grid_copy.go copies from it.

// gridRows is how many rows of a list are fetched at most, gridFetch how many at once where all are wanted.
const (
	gridRows  = 100_000
	gridFetch = 2000
)

// A grid is a list of records.
type grid struct {
	m      *model
	path   []vm.Step
	list   records.List
	fields []string // in the order of the action that returned the records
	size   int      // of the list in the session
	limit  int      // rows to fetch at most
	wanted int      // rows to fetch
	busy   bool     // rows are being fetched

	shown   []int // columns, without the hidden ones
	column  int   // the chosen one, an index of shown
	left    int   // the first one drawn, an index of shown
	rows    cursorList
	page    int
	toEnd   bool // End waits for rows
	record  bool // the chosen record has the pane for itself
	field   cursorList
	chooser *chooser

	sort   records.Sort
	filter string
	typed  bool
	// order is the rows that pass, as of sought; seeking tells that another is being worked out.
	order   []int
	sought  arrangement
	seeking bool
	// then is what waits for all rows.
	then func() tea.Cmd
}

// An arrangement is what an order of rows depends on.
type arrangement struct {
	sort   records.Sort
	filter string
	rows   int
}

// newGrid shows the list at path, of which the first rows are there.
func newGrid(m *model, path []vm.Step, first vm.Rows) *grid {
	g := &grid{m: m, path: path, size: first.Size, limit: gridRows, fields: first.Fields}
	g.add(g.list.Added(first.Items, first.Fields))
	g.wanted = g.list.Len()
	g.arrange()
	return g
}

// add takes a longer list.
func (g *grid) add(l records.List) {
	for i := len(g.list.Columns); i < len(l.Columns); i++ {
		g.shown = append(g.shown, i)
	}
	g.list = l
}

// most is how many rows can be there.
func (g *grid) most() int { return min(g.size, g.limit) }

// fetch gets rows beside the loop until all that are wanted are there.
func (g *grid) fetch() tea.Cmd {
	if g.busy || g.list.Len() >= min(g.wanted, g.most()) {
		return nil
	}
	g.busy = true
	ctx, shell, path, list, fields := g.m.ctx, g.m.shell, g.path, g.list, g.fields
	limit := min(g.wanted, g.most()) - list.Len()
	return func() tea.Msg {
		ctx, cancel := context.WithTimeout(ctx, lookTime)
		defer cancel()
		page, err := shell.Rows(ctx, path, list.Len(), min(limit, gridFetch))
		if err == nil && !page.List {
			err = fmt.Errorf("%s has changed", show.PathText(path))
		}
		if err == nil {
			list = list.Added(page.Items, fields)
		}
		return paneMsg(func() tea.Cmd {
			g.busy = false
			if err != nil {
				g.wanted, g.then = g.list.Len(), nil
				g.m.notice = text.SanitizeLine(err.Error())
			} else if g.size = page.Size; len(page.Items) == 0 {
				g.size = list.Len() // it has become shorter
			}
			g.add(list)
			return g.settle()
		})
	}
}

// settle goes on with whatever is not done yet: rows, their order, and what waits for them.
func (g *grid) settle() tea.Cmd {
	if cmd := g.fetch(); cmd != nil || g.busy {
		return cmd
	}
	if cmd := g.arrange(); cmd != nil || g.seeking {
		return cmd
	}
	if g.toEnd {
		g.toEnd, g.rows.at = false, len(g.order)-1
	}
	if then := g.then; then != nil {
		g.then = nil
		return then()
	}
	return nil
}

// wantAll has all rows fetched, as far as there is room for them.
func (g *grid) wantAll() { g.wanted = g.limit }

// arrange brings the order up to what is asked for. Rows as they are stored need no work; others are worked out beside
// the loop, once all rows are there.
func (g *grid) arrange() tea.Cmd {
	want := arrangement{g.sort, g.filter, g.list.Len()}
	if g.sought == want || g.seeking {
		return nil
	}
	if g.sort == (records.Sort{}) && strings.TrimSpace(g.filter) == "" {
		if g.sought.sort != want.sort || g.sought.filter != want.filter {
			g.order = nil
		}
		for i := len(g.order); i < want.rows; i++ {
			g.order = append(g.order, i)
		}
		g.sought = want
		return nil
	}
	if g.list.Len() < min(g.wanted, g.most()) {
		return nil
	}
	g.seeking = true
	ctx, list := g.m.ctx, g.list
	return func() tea.Msg {
		order := list.Order(ctx, want.sort, records.ParseFilter(want.filter, list.Columns))
		return paneMsg(func() tea.Cmd {
			g.seeking, g.order, g.sought = false, order, want
			g.rows.top = 0
			return g.settle()
		})
	}
}

// rearrange begins another order at its top.
func (g *grid) rearrange() tea.Cmd {
	g.rows = cursorList{}
	if g.sort != (records.Sort{}) || g.filter != "" {
		g.wantAll()
	}
	return g.settle()
}

// chosen is the stored number of the chosen row, from 0, and the number of the chosen column.
func (g *grid) chosen() (row, column int, ok bool) {
	if g.rows.at >= len(g.order) || g.column >= len(g.shown) {
		return 0, 0, false
	}
	return g.order[g.rows.at], g.shown[g.column], true
}

// pathTo leads to a field of a row.
func (g *grid) pathTo(row, column int) []vm.Step {
	return append(slices.Clip(g.path), vm.Step{Index: float64(row + 1), Numeric: true},
		vm.Step{Name: g.list.Columns[column].Field})
}

func (g *grid) key(name, typed string) tea.Cmd {
	switch {
	case g.chooser != nil:
		return g.chooserKey(name)
	case g.typed:
		return g.typeKey(name, typed)
	case g.record:
		return g.recordKey(name)
	case g.rows.move(gridMove(name), len(g.order), g.page):
		if g.rows.at >= len(g.order)-g.page && g.list.Len() < g.most() {
			g.wanted = max(g.wanted, g.list.Len()+lookCount)
		}
		if name == "end" || name == "G" {
			g.wantAll()
			g.toEnd = true
		}
		return g.settle()
	}
	row, column, ok := g.chosen()
	switch name {
	case "":
		return g.settle() // a filter was taken back
	case "left", "h":
		g.column = max(g.column-1, 0)
	case "right", "l":
		g.column = min(g.column+1, max(len(g.shown)-1, 0))
	case "0", "^":
		g.column = 0
	case "$":
		g.column = max(len(g.shown)-1, 0)
	case "s":
		return g.sortBy()
	case "/", "f":
		g.typed = true
	case "x":
		g.hide()
	case "X":
		g.showAll()
	case "enter", "kpenter":
		g.record, g.field = ok, cursorList{at: column}
	case "c":
		if ok {
			g.chooser = g.copyWhat()
		}
	case "i":
		if ok {
			g.m.takeText(show.PathText(g.pathTo(row, column)), 0)
		}
	case "o":
		return g.lookInto(row, column, ok)
	}
	return nil
}

// gridMove names the keys that move by rows in a list.
func gridMove(name string) string {
	switch name {
	case "g":
		return "home"
	case "G":
		return "end"
	case "space", " ":
		return "pgdown"
	case "b":
		return "pgup"
	}
	return name
}

func (g *grid) typeKey(name, typed string) tea.Cmd {
	switch name {
	case "enter", "kpenter":
		g.typed = false
	default:
		if typeInto(&g.filter, name, typed) {
			return g.rearrange()
		}
		g.rows.move(name, len(g.order), g.page)
	}
	return nil
}

// sortBy sorts by the chosen column: upwards, then downwards, then not at all.
func (g *grid) sortBy() tea.Cmd {
	if g.column >= len(g.shown) {
		return nil
	}
	by := g.shown[g.column] + 1
	switch {
	case g.sort.Column != by:
		g.sort = records.Sort{Column: by}
	case !g.sort.Descending:
		g.sort.Descending = true
	default:
		g.sort = records.Sort{}
	}
	return g.rearrange()
}

// hide leaves the chosen column out; the last one stays.
func (g *grid) hide() {
	if len(g.shown) < 2 {
		g.m.notice = "the last column stays"
		return
	}
	g.shown = slices.Delete(slices.Clone(g.shown), g.column, g.column+1)
	g.column = min(g.column, len(g.shown)-1)
	g.m.notice = fmt.Sprintf("%d hidden: X shows all", len(g.list.Columns)-len(g.shown))
}

func (g *grid) showAll() {
	at := 0
	if g.column < len(g.shown) {
		at = g.shown[g.column]
	}
	g.shown, g.column = g.shown[:0:0], at
	for i := range g.list.Columns {
		g.shown = append(g.shown, i)
	}
}

// lookInto opens what a cell holds as a pane of its own.
func (g *grid) lookInto(row, column int, ok bool) tea.Cmd {
	if !ok {
		return nil
	}
	switch g.list.At(row, column).(type) {
	case []any, map[string]any:
		p, cmd := newValuePane(g.m, g.pathTo(row, column))
		g.m.push(p)
		return cmd
	}
	g.m.notice = g.list.Columns[column].Field + " holds no table"
	return nil
}

// recordKey does the keys of one record.
func (g *grid) recordKey(name string) tea.Cmd {
	row, _, ok := g.chosen()
	if !ok {
		g.record = false
		return nil
	}
	switch name {
	case "n", "right":
		return g.another("down")
	case "p", "left":
		return g.another("up")
	case "enter", "kpenter", "backspace":
		g.record = false
	case "c":
		g.chooser = g.copyWhat()
	case "i":
		g.m.takeText(show.PathText(g.pathTo(row, g.field.at)), 0)
	case "o", "l":
		return g.lookInto(row, g.field.at, true)
	default:
		g.field.move(gridMove(name), len(g.list.Columns), g.page)
	}
	return nil
}

// another moves to the record before or behind.
func (g *grid) another(name string) tea.Cmd {
	g.record = false
	defer func() { g.record = true }()
	return g.key(name, "")
}

// escape closes what is open within the grid, or else takes the filter back; false when there is nothing.
func (g *grid) escape() bool {
	switch {
	case g.chooser != nil:
		g.chooser = nil
	case g.record:
		g.record = false
	case g.typed || g.filter != "":
		g.typed, g.filter = false, ""
	default:
		return false
	}
	return true
}
