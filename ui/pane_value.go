package ui

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"almanac/catalog/text"
	"almanac/catalog/text/cells"
	"almanac/repl"
	"almanac/repl/records"
	"almanac/repl/show"
	"almanac/session/vm"
)

// This file holds F6: a value of the session as a tree. What is in a table is fetched when it is opened, one level at a
// time, and no Lua runs for it.

// lookCount is how many entries of a table are fetched at once, lookTime how long that may take.
const (
	lookCount = 500
	lookTime  = 2 * time.Second
)

// A branch is one value in the tree.
type branch struct {
	node   vm.Node
	path   []vm.Step
	depth  int
	open   bool
	loaded bool
	below  []*branch
	text   string // of a long string that is open
	// rest marks the row that stands for what is not fetched.
	rest bool
	of   *branch // the table of a rest row
}

type valuePane struct {
	m      *model
	root   *branch // its own row is not shown
	list   cursorList
	page   int
	filter string
	search string
	mode   byte // '/' while a search is typed, 'f' while a filter is
	sorted order
	err    error
	seek   seeking
	// grid shows a list of records, but where asTree is set.
	grid   *grid
	asTree bool
}

// table is the grid where it is shown, nil where the tree is.
func (p *valuePane) table() *grid {
	if p.asTree {
		return nil
	}
	return p.grid
}

// newValuePane opens the value at path; nil means the last result.
func newValuePane(m *model, path []vm.Step) (*valuePane, tea.Cmd) {
	if path == nil {
		path = []vm.Step{{Name: "_"}}
	}
	p := &valuePane{m: m, root: &branch{path: path, open: true, depth: -1}}
	return p, p.fetch(p.root)
}

// fetch gets the next entries of b beside the loop.
func (p *valuePane) fetch(b *branch) tea.Cmd {
	ctx, shell, from := p.m.ctx, p.m.shell, len(b.below)
	return func() tea.Msg {
		ctx, cancel := context.WithTimeout(ctx, lookTime)
		defer cancel()
		page, err := shell.Look(ctx, b.path, from, lookCount, repl.FindWidth)
		var rows vm.Rows
		if err == nil && b == p.root && from == 0 && hasRecords(page) {
			rows, err = shell.Rows(ctx, b.path, 0, lookCount)
		}
		return paneMsg(func() tea.Cmd {
			p.fetched(b, page, err)
			if rows.List && records.AreRecords(rows.Items) {
				p.grid = newGrid(p.m, b.path, rows)
			}
			return p.reveal()
		})
	}
}

// hasRecords tells whether a value may be a list of records.
func hasRecords(page vm.Page) bool {
	return len(page.Nodes) > 0 && page.Nodes[0].Type == "table" && page.Nodes[0].Step.Numeric
}

func (p *valuePane) fetched(b *branch, page vm.Page, err error) {
	if p.err = err; err != nil {
		return
	}
	b.loaded = true
	if b == p.root {
		b.node = page.Node
	}
	b.text = page.Text
	for _, n := range page.Nodes[max(0, min(len(b.below)-page.From, len(page.Nodes))):] {
		b.below = append(b.below, &branch{node: n, path: append(slices.Clip(b.path), n.Step), depth: b.depth + 1})
	}
}

// visible lists the rows of the tree from above.
func (p *valuePane) visible() []*branch {
	var out []*branch
	words := strings.Fields(strings.ToLower(p.filter))
	var walk func(b *branch)
	walk = func(b *branch) {
		for _, c := range p.inOrder(b.below) {
			if p.fits(c, words) {
				out = append(out, c)
				if c.open {
					walk(c)
				}
			}
		}
		if b.open && b.node.Type == "table" && b.node.Size > len(b.below) && b.loaded {
			out = append(out, &branch{rest: true, of: b, depth: b.depth + 1})
		}
	}
	walk(p.root)
	return out
}

// fits tells whether a row, or an opened one below it, has all words.
func (p *valuePane) fits(b *branch, words []string) bool {
	text := strings.ToLower(show.StepText(b.node) + " " + b.node.Brief)
	if !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(text, w) }) {
		return true
	}
	return b.open && slices.ContainsFunc(b.below, func(c *branch) bool { return p.fits(c, words) })
}

func (p *valuePane) head() (title, note string) {
	rule := " " + p.m.theme.glyphs.rule + " "
	title = "Value" + rule + text.SanitizeLine(show.PathText(p.root.path))
	if g := p.table(); g != nil {
		return g.head(title)
	}
	if p.root.loaded {
		note = show.NodeKind(p.root.node)
	}
	if p.sorted != asStored {
		note += " " + p.sorted.String()
	}
	if p.filter != "" && p.mode != '/' || p.mode == 'f' {
		title += rule + "filter: " + p.filter
	}
	if p.mode == '/' {
		title += rule + "search: " + p.search
	}
	return title, note
}

func (p *valuePane) rows(width, height int) []string {
	t := p.m.theme
	if g := p.table(); g != nil && p.err == nil {
		return g.draw(width, height)
	}
	switch {
	case p.err != nil:
		return []string{t.warn.Render(text.SanitizeLine(p.err.Error())), "", t.dim.Render("r to retry")}
	case !p.root.loaded:
		return nil
	case p.root.node.Type == "nil":
		return []string{t.dim.Render("nil: run something that returns a value, or type a path, then " +
			p.m.keyOr("view", "/view"))}
	case p.root.node.Type != "table":
		return p.textRows(p.root.text, width, height)
	}
	all := p.visible()
	if len(all) == 0 {
		return []string{t.dim.Render("empty")}
	}
	at := min(p.list.at, len(all)-1)
	foot := text.SanitizeLine(p.pathAt(all, at))
	var below []string
	if b := all[at]; b.open && b.text != "" {
		below = p.textRows(b.text, width, max(height/2, 1))
	}
	p.page = max(height-2-len(below), 1)
	top, end := p.list.window(len(all), p.page)
	var out []string
	for i, b := range all[top:end] {
		out = append(out, t.chosen(i+top == p.list.at, p.row(b, width-2), width))
	}
	for len(out) < p.page {
		out = append(out, "")
	}
	out = append(out, below...)
	return append(out, t.dim.Render(strings.Repeat(t.glyphs.rule, width)), t.dim.Render(foot))
}

// textRows draws a value that is no table.
func (p *valuePane) textRows(value string, width, height int) []string {
	var rows []string
	for _, l := range strings.Split(text.Sanitize(value), "\n") {
		rows = append(rows, pieces(untab(l), width)...)
	}
	return rows[:min(len(rows), height)]
}

// row draws an entry in at most width cells; a text that is cut has a sign that opens it.
func (p *valuePane) row(b *branch, width int) string {
	t := p.m.theme
	margin := strings.Repeat("  ", max(b.depth, 0))
	if b.rest {
		return margin + t.dim.Render(fmt.Sprintf("  %s %d more", t.glyphs.more, b.of.node.Size-len(b.of.below)))
	}
	value := text.SanitizeLine(b.node.Brief)
	room := width - cells.Width(margin+"  "+show.StepText(b.node)+" = ")
	sign := "  "
	switch {
	case b.node.Size == 0, b.node.Type != "table" && b.node.Size <= len(b.node.Brief) && cells.Width(value) <= room:
	case b.open:
		sign = "- "
	default:
		sign = "+ "
	}
	line := margin + sign + show.StepText(b.node)
	if b.node.Type == "table" && b.open {
		return line + "  " + t.dim.Render(show.NodeKind(b.node))
	}
	return line + " = " + cells.Clip(value, max(room, 1), t.glyphs.more)
}

func (p *valuePane) pathAt(all []*branch, at int) string {
	if at >= len(all) || all[at].rest {
		return ""
	}
	return show.PathText(all[at].path)
}

func (p *valuePane) key(name, text string) tea.Cmd {
	if g := p.table(); g != nil && (g.typed || g.chooser != nil || name != "t" && name != "r") {
		return g.key(name, text)
	}
	all := p.visible()
	if p.mode != 0 {
		return p.typeKey(name, text, all)
	}
	if p.list.move(name, len(all), p.page) {
		return nil
	}
	switch name {
	case "/", "f":
		p.mode = name[0]
		if name == "/" {
			p.search = ""
		}
		return nil
	case "n":
		return p.next()
	case "s":
		p.sorted = (p.sorted + 1) % orders
		return nil
	case "r":
		p.root, p.list, p.err, p.seek = &branch{path: p.root.path, open: true, depth: -1}, cursorList{}, nil, seeking{}
		p.grid = nil
		return p.fetch(p.root)
	case "t":
		return p.toGrid(all)
	}
	if p.list.at >= len(all) {
		if name == "enter" || name == "kpenter" {
			p.m.takeText(show.PathText(p.root.path), 0)
		}
		return nil
	}
	b := all[p.list.at]
	switch name {
	case "l", "right", "space", " ":
		return p.unfold(b)
	case "h", "left":
		p.fold(b, all)
	case "c":
		if !b.rest && !b.node.Odd {
			return p.m.copyText(show.PathText(b.path))
		}
	case "y":
		if !b.rest {
			return p.copyValue(b)
		}
	case "enter", "kpenter":
		if b.rest {
			return p.unfold(b)
		}
		if !b.node.Odd {
			p.m.takeText(show.PathText(b.path), 0)
		}
	}
	return nil
}

// toGrid switches between tree and grid; where all is no list of records, it opens the chosen table by itself.
func (p *valuePane) toGrid(all []*branch) tea.Cmd {
	switch {
	case p.grid != nil:
		p.asTree = !p.asTree
	case p.list.at < len(all) && !all[p.list.at].rest && !all[p.list.at].node.Odd && all[p.list.at].node.Type == "table":
		inner, cmd := newValuePane(p.m, all[p.list.at].path)
		p.m.push(inner)
		return cmd
	default:
		p.m.notice = "no list of records: it is shown as a tree"
	}
	return nil
}

// copyValue copies a value's text: that of a string whole, of others as it is shown.
func (p *valuePane) copyValue(b *branch) tea.Cmd {
	if b.text != "" {
		return p.m.copyText(b.text)
	}
	return p.m.copyText(b.node.Brief)
}

func (p *valuePane) typeKey(name, text string, all []*branch) tea.Cmd {
	target := &p.filter
	if p.mode == '/' {
		target = &p.search
	}
	switch name {
	case "enter", "kpenter":
		searched := p.mode == '/'
		p.mode = 0
		if searched && p.search != "" {
			return p.look()
		}
	default:
		if !typeInto(target, name, text) {
			p.list.move(name, len(all), p.page)
			return nil
		}
		if p.mode == '/' {
			p.find(all)
		} else {
			p.list = cursorList{}
		}
	}
	return nil
}

// find moves to the first row from the chosen one on that has the searched text, while it is typed: among those that
// are open. Enter looks into the others.
func (p *valuePane) find(all []*branch) {
	want := strings.ToLower(p.search)
	if want == "" {
		return
	}
	for i := range all {
		at := (p.list.at + i) % len(all)
		if b := all[at]; !b.rest && strings.Contains(strings.ToLower(show.NodeText(b.node)), want) {
			p.list.at = at
			return
		}
	}
}

// unfold opens a table or a long string, and fetches what is in it.
func (p *valuePane) unfold(b *branch) tea.Cmd {
	if b.rest {
		return p.fetch(b.of)
	}
	if b.node.Odd || b.node.Size == 0 {
		return nil
	}
	b.open = true
	if !b.loaded {
		return p.fetch(b)
	}
	return nil
}

// fold closes a value, or moves to the one that holds it.
func (p *valuePane) fold(b *branch, all []*branch) {
	if b.open {
		b.open = false
		return
	}
	for i := p.list.at; i >= 0; i-- {
		if all[i].depth < b.depth {
			p.list.at = i
			return
		}
	}
}

func (p *valuePane) hints() []string {
	if g := p.table(); g != nil {
		return g.hints()
	}
	if p.mode != 0 {
		return []string{"Enter done"}
	}
	hints := []string{"h/l fold, j/k move", "Enter insert path", "c copy path", "/ search, n next", "f filter", "s sort"}
	if p.grid != nil {
		hints = append([]string{"t grid"}, hints...)
	}
	return hints
}

func (p *valuePane) typing() bool {
	if g := p.table(); g != nil {
		return g.typed
	}
	return p.mode != 0
}

func (p *valuePane) escape() bool {
	if g := p.table(); g != nil {
		return g.escape()
	}
	was := p.mode != 0 || p.filter != ""
	p.mode, p.filter = 0, ""
	return was
}
