package ui

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"almanac/catalog/text"
	"almanac/repl/event"
	"almanac/repl/records"
	"almanac/repl/show"
)

// This file copies from the grid: first what, then as what.

// A chooser is a short list at the bottom of the grid; a letter or Enter takes a line of it.
type chooser struct {
	title string
	items []choice
	list  cursorList
}

// A choice is a line of a chooser; its letter is the first of key.
type choice struct {
	key, text string
	take      func() tea.Cmd
}

func (c *chooser) rows(t theme, width int) []string {
	rows := []string{t.strong.Render(c.title)}
	for i, item := range c.items {
		rows = append(rows, t.chosen(i == c.list.at, item.key+"  "+item.text, width))
	}
	return rows
}

func (g *grid) chooserKey(name string) tea.Cmd {
	c := g.chooser
	if name == "enter" || name == "kpenter" {
		name = c.items[c.list.at].key
	}
	for _, item := range c.items {
		if item.key == name {
			g.chooser = nil
			return item.take()
		}
	}
	if !c.list.move(name, len(c.items), len(c.items)) && len(name) == 1 {
		g.m.notice = "press one of the letters, or Esc"
	}
	return nil
}

// A copying is what is copied: a cell, a row, or all rows that are shown.
type copying struct {
	what        byte
	row, column int
	// columns are those of a row or of all; nil means every one.
	columns []int
}

// copyWhat asks what to copy.
func (g *grid) copyWhat() *chooser {
	c := copying{columns: g.shown}
	c.row, c.column, _ = g.chosen()
	all := g.most()
	if strings.TrimSpace(g.filter) != "" {
		all = len(g.order)
	}
	rows := "all " + grouped(all) + " rows"
	if all == 1 {
		rows = "all: 1 row"
	}
	if g.record {
		c.column, c.columns = g.field.at, nil // which shows the hidden ones, too
	}
	as := func(what byte, title string) func() tea.Cmd {
		return func() tea.Cmd {
			c.what = what
			g.chooser = g.copyAs(c, title)
			return nil
		}
	}
	return &chooser{title: "copy", items: []choice{
		{"c", "this cell: " + show.FieldText(g.list.Columns[c.column].Field), as('c', "copy the cell as")},
		{"r", "this row", as('r', "copy the row as")},
		{"a", rows, as('a', "copy all rows as")},
	}}
}

// copyAs asks for the form. What is copied is made beside the loop, once all rows are there that belong to it.
func (g *grid) copyAs(c copying, title string) *chooser {
	to := &chooser{title: title}
	add := func(key, name string, f records.Format) {
		to.items = append(to.items, choice{key, name, func() tea.Cmd {
			if c.what == 'a' {
				g.wantAll()
			}
			g.then = func() tea.Cmd { return g.copy(c, f) }
			return g.settle()
		}})
	}
	add("c", "CSV", records.CSV)
	add("m", "Markdown", records.Markdown)
	add("j", "JSON", records.JSON)
	add("l", "Lua", records.Lua)
	add("t", "plain text", records.Text)
	return to
}

func (g *grid) copy(c copying, f records.Format) tea.Cmd {
	m, shell, list, order, size := g.m, g.m.shell, g.list, g.order, g.size
	return func() tea.Msg {
		// What is pasted may go to a terminal.
		e := event.Event{Kind: event.Copied, Text: text.Sanitize(c.text(list, order, f))}
		e.Tool, e.Err = shell.CopyOut(e.Text)
		return paneMsg(func() tea.Cmd {
			cmd := m.copied(e)
			if c.what == 'a' && list.Len() < size {
				m.notice += fmt.Sprintf("; only of the first %s rows", grouped(list.Len()))
			}
			return cmd
		})
	}
}

// text is what is copied, of a list and its rows in order.
func (c copying) text(l records.List, order []int, f records.Format) string {
	o := records.Options{Format: f, Columns: c.columns, Rows: order}
	switch c.what {
	case 'c':
		return l.CellText(c.row, c.column, o)
	case 'r':
		return l.RowText(c.row, o)
	}
	var b strings.Builder
	_ = l.Write(&b, o) // a Builder takes all
	return strings.TrimPrefix(b.String(), "return ")
}
