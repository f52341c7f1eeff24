package ui

import (
	"context"
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"almanac/catalog"
	"almanac/catalog/text"
	"almanac/repl"
)

// This file holds F4: the actions, found while one types. Every search runs beside the loop, one at a time: what was
// typed meanwhile is searched for when it ends.

// A catalogPart is what has the keys.
type catalogPart int

const (
	filterPart catalogPart = iota
	hitsPart
	treePart
	catalogParts
)

type catalogPane struct {
	m      *model
	filter repl.Filter
	part   catalogPart
	found  repl.Browsing
	shown  repl.Filter // what found answers
	cancel context.CancelFunc
	busy   bool
	hits   cursorList
	tree   []treeNode
	nodes  cursorList
	spec   string // of the action specOf
	specOf string
	why    string // why the chosen action may be called or not, when that was asked
	page   int
	// count is how many actions there were when the tree was fetched.
	count int
}

// A treeNode is one row of the tree of domains.
type treeNode struct {
	path  string
	depth int
	count int
	open  bool
}

func newCatalogPane(m *model) (*catalogPane, tea.Cmd) {
	p := &catalogPane{m: m, count: m.status.Actions}
	return p, tea.Batch(p.search(), p.grow("", 0), p.countUsage())
}

// countUsage counts the calls of earlier sessions beside the loop, and shows them once they are known.
func (p *catalogPane) countUsage() tea.Cmd {
	shell := p.m.shell
	return func() tea.Msg {
		if !shell.CountUsage() {
			return nil
		}
		return paneMsg(p.search)
	}
}

// renew looks again when the catalog has changed: it may still be read while the pane is open.
func (p *catalogPane) renew() tea.Cmd {
	if p.count == p.m.status.Actions {
		return nil
	}
	p.count, p.tree, p.nodes, p.specOf = p.m.status.Actions, nil, cursorList{}, ""
	p.shown = repl.Filter{Words: "\x00"} // what is shown answers nothing any more
	return tea.Batch(p.search(), p.grow("", 0))
}

// grow fetches what is below a node and puts it behind number at.
func (p *catalogPane) grow(path string, at int) tea.Cmd {
	shell := p.m.shell
	return func() tea.Msg {
		children := shell.Below(path)
		return paneMsg(func() tea.Cmd {
			p.grown(path, at, children)
			return nil
		})
	}
}

func (p *catalogPane) grown(path string, at int, children []catalog.Child) {
	if path != "" && (at >= len(p.tree) || p.tree[at].path != path || p.tree[at].open) {
		return
	}
	depth := 0
	var fresh []treeNode
	if path != "" {
		p.tree[at].open = true
		depth, at = p.tree[at].depth+1, at+1
		path += "."
	}
	for _, c := range children {
		if c.ID == "" || c.Count > 1 {
			fresh = append(fresh, treeNode{path: path + c.Name, depth: depth, count: c.Count})
		}
	}
	p.tree = slices.Insert(p.tree, at, fresh...)
}

// search looks for what the filter says, beside the loop.
func (p *catalogPane) search() tea.Cmd {
	if p.cancel != nil {
		p.cancel()
	}
	if p.busy {
		return nil // what runs ends soon, and then this is looked for
	}
	p.busy = true
	ctx, cancel := context.WithCancel(p.m.ctx)
	p.cancel = cancel
	shell, filter := p.m.shell, p.filter
	return func() tea.Msg {
		defer cancel()
		found := shell.Browse(ctx, filter)
		return paneMsg(func() tea.Cmd {
			p.busy = false
			if filter != p.filter || p.count != p.m.status.Actions {
				p.count = p.m.status.Actions
				return p.search()
			}
			if filter != p.shown {
				p.hits, p.why = cursorList{}, ""
			}
			p.found, p.shown = found, filter
			return nil
		})
	}
}

func (p *catalogPane) head() (title, note string) {
	rule := " " + p.m.theme.glyphs.rule + " "
	title = "Catalog" + rule + grouped(p.m.status.Actions) + " actions"
	if p.filter.Below != "" {
		title += rule + text.SanitizeLine(p.filter.Below)
	}
	switch p.filter.Effect {
	case repl.ReadsOnly:
		title += rule + "reads only"
	case repl.MutatesOnly:
		title += rule + "writes only"
	}
	title += rule + "filter: " + p.filter.Words
	note = grouped(p.found.Total) + " hits"
	if p.found.Total == 1 {
		note = "1 hit"
	}
	return title, note
}

// treeWidth is how wide the tree is, and from which width of the pane on it is shown.
const (
	treeWidth = 18
	treeFrom  = 66
)

func (p *catalogPane) rows(width, height int) []string {
	switch {
	case width < treeFrom && p.part == treePart:
		return p.treeRows(width, height)
	case width < treeFrom:
		return p.right(width, height)
	}
	return p.m.theme.beside(p.treeRows(treeWidth, height), p.right(width-treeWidth-3, height), treeWidth, height)
}

func (p *catalogPane) treeRows(width, height int) []string {
	t := p.m.theme
	var rows []string
	top, end := p.nodes.window(len(p.tree), height)
	for i, w := range p.tree[top:end] {
		name := strings.Repeat("  ", w.depth) + text.SanitizeLine(w.path[strings.LastIndexByte(w.path, '.')+1:])
		text := t.sides(width-2, name, " "+grouped(w.count))
		rows = append(rows, t.chosen(i+top == p.nodes.at && (p.part == treePart || p.filter.Below == w.path), text, width))
	}
	return rows
}

// right draws the hits above and the spec of the chosen one below, or why it may be called.
func (p *catalogPane) right(width, height int) []string {
	t := p.m.theme
	listed := min(max(len(p.found.Hits), 1), max((height-1)/2, 1))
	p.page = listed
	var rows []string
	if len(p.found.Hits) == 0 {
		note := "no actions match"
		if p.found.Hidden != "" {
			note = text.SanitizeLine(p.found.Hidden)
		}
		if p.shown != p.filter || p.busy {
			note = "searching" + t.glyphs.more
		}
		rows = append(rows, t.dim.Render(ansi.Truncate(note, width, t.glyphs.more)))
	}
	top, end := p.hits.window(len(p.found.Hits), listed)
	for i, h := range p.found.Hits[top:end] {
		rows = append(rows, p.hitRow(h, i+top == p.hits.at, width))
	}
	rows = append(rows, t.dim.Render(strings.Repeat(t.glyphs.rule, width)))
	for _, l := range strings.Split(p.about(), "\n") {
		rows = append(rows, restyled(ansi.Wrap(untab(l), width, ""))...)
	}
	if facets := p.facets(width); facets != "" && len(rows) < height {
		rows = append(rows, t.dim.Render(facets))
	}
	return rows[:min(len(rows), height)]
}

func (p *catalogPane) hitRow(h repl.Sighting, chosen bool, width int) string {
	t := p.m.theme
	tag, notes := effectText(h.Tag), h.Policy
	if h.Used > 0 {
		notes = strings.TrimSpace(notes + fmt.Sprintf(" used %dx", h.Used))
	}
	right := tag + " " + pad(notes, 12)
	if width < 44 {
		right = tag
	}
	return t.chosen(chosen, t.sides(width-2, text.SanitizeLine(h.ID), " "+right), width)
}

// about is the text of the chosen action, worked out once.
func (p *catalogPane) about() string {
	h, ok := p.choice()
	if !ok {
		return ""
	}
	if p.why != "" {
		return p.why
	}
	if p.specOf != h.ID {
		p.spec, p.specOf = text.Sanitize(p.m.shell.Spec(h.ID)), h.ID
	}
	return p.spec
}

// facets tells in one row what the hits are.
func (p *catalogPane) facets(width int) string {
	f := p.found.Facets
	if f.Total == 0 {
		return ""
	}
	parts := []string{fmt.Sprintf("%d of %d are writes", f.Mutating, f.Total)}
	for _, kind := range []struct {
		name   string
		counts []catalog.FacetCount
	}{{"domains", f.Domains}, {"entities", f.Entities}} {
		var names []string
		for _, c := range kind.counts[:min(len(kind.counts), 3)] {
			names = append(names, fmt.Sprintf("%s %d", c.Name, c.Count))
		}
		if len(names) > 0 {
			parts = append(parts, kind.name+" "+strings.Join(names, ", "))
		}
	}
	return ansi.Truncate(text.SanitizeLine(strings.Join(parts, " "+p.m.theme.glyphs.dot+" ")), width,
		p.m.theme.glyphs.more)
}

func (p *catalogPane) choice() (repl.Sighting, bool) {
	if p.hits.at < len(p.found.Hits) {
		return p.found.Hits[p.hits.at], true
	}
	return repl.Sighting{}, false
}

func (p *catalogPane) key(name, text string) tea.Cmd {
	switch name {
	case "tab":
		p.part = (p.part + 1) % catalogParts
		return nil
	case "shift+tab":
		p.part = (p.part + catalogParts - 1) % catalogParts
		return nil
	}
	switch p.part {
	case filterPart:
		return p.filterKey(name, text)
	case treePart:
		return p.treeKey(name)
	}
	return p.hitsKey(name)
}

func (p *catalogPane) filterKey(name, text string) tea.Cmd {
	switch name {
	case "enter", "kpenter":
		return p.insert()
	case "up", "down", "pgup", "pgdown", "ctrl+p", "ctrl+n":
		p.hits.move(name, len(p.found.Hits), p.page)
		p.why = ""
		return nil
	}
	if !typeInto(&p.filter.Words, name, text) {
		return nil
	}
	return p.search()
}

func (p *catalogPane) hitsKey(name string) tea.Cmd {
	if p.hits.move(name, len(p.found.Hits), p.page) {
		p.why = ""
		return nil
	}
	h, ok := p.choice()
	switch name {
	case "/":
		p.part = filterPart
	case "e":
		p.filter.Effect = (p.filter.Effect + 1) % (repl.MutatesOnly + 1)
		return p.search()
	case "enter", "kpenter":
		return p.insert()
	case "p":
		if ok {
			return p.m.previewOf(p.m.shell.Example(h.ID))
		}
	case "y":
		if ok {
			return p.m.copyText(h.ID)
		}
	case "w":
		if ok && p.why == "" {
			p.why, _ = p.m.shell.Why(h.ID)
		} else {
			p.why = ""
		}
	}
	return nil
}

func (p *catalogPane) treeKey(name string) tea.Cmd {
	if p.nodes.move(name, len(p.tree), p.page) {
		return nil
	}
	if name == "/" {
		p.part = filterPart
		return nil
	}
	if p.nodes.at >= len(p.tree) {
		return nil
	}
	w := &p.tree[p.nodes.at]
	switch name {
	case "l", "right":
		return p.grow(w.path, p.nodes.at)
	case "h", "left":
		p.prune(p.nodes.at)
	case "enter", "kpenter", "space", " ":
		if p.filter.Below == w.path {
			p.filter.Below = ""
		} else {
			p.filter.Below = w.path
		}
		if !w.open {
			return tea.Batch(p.search(), p.grow(w.path, p.nodes.at))
		}
		return p.search()
	}
	return nil
}

// prune takes away what is below a node, or goes to the one that it hangs on.
func (p *catalogPane) prune(at int) {
	if p.tree[at].open {
		end := at + 1
		for end < len(p.tree) && p.tree[end].depth > p.tree[at].depth {
			end++
		}
		p.tree[at].open = false
		p.tree = slices.Delete(p.tree, at+1, end)
		return
	}
	for i := at; i >= 0; i-- {
		if p.tree[i].depth < p.tree[at].depth {
			p.nodes.at = i
			return
		}
	}
}

// insert puts a call of the chosen action into the input, the cursor where the first argument goes.
func (p *catalogPane) insert() tea.Cmd {
	h, ok := p.choice()
	if !ok {
		return nil
	}
	p.m.insertCall(h.ID)
	return nil
}

func (p *catalogPane) hints() []string {
	switch p.part {
	case hitsPart:
		return []string{"Enter insert", "p preview", "y copy id", "w why", "e effect", "Tab pane", "/ filter"}
	case treePart:
		return []string{"Enter opens", "h/l fold, j/k move", "Tab pane", "/ filter"}
	}
	return []string{"Enter insert", "Up Down", "Tab pane, namespaces"}
}

func (p *catalogPane) typing() bool { return p.part == filterPart }

func (p *catalogPane) escape() bool { return false }
