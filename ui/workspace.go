package ui

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"almanac/catalog/text"
	"almanac/repl/event"
)

// This file holds the workspace: with Options.Fullscreen, in a window that is large enough, the transcript stands
// beside the panes of F2, F3 and F5, and the region with the input below both. Whatever is smaller is drawn inline. The
// lines of the transcript still wait for the scrollback: they are printed when the workspace closes.

// The window from which on there is a workspace, how wide its column is, and how many lines of the transcript it keeps.
const (
	workspaceWidth  = 120
	workspaceHeight = 30
	columnWidth     = 38
	domainsFrom     = 160 // columns from which on the domains stand at the left, too
	transcriptLines = 5000
)

// A workspace is what the full screen shows beside the region.
type workspace struct {
	on     bool // asked for; see model.spacious
	hidden bool // the column
	// panes are those of the column from above; focus is the number of the one that has the keys, from 1, or 0.
	panes [3]pane
	drawn [3]drawnPane
	focus int
	// domains are the rows of the tree at the left, as of a catalog of so many actions.
	domains []string
	actions int
	// lines is the transcript, back how many of its last lines are below what is shown.
	lines []string
	back  int
}

// keep remembers finished lines of the transcript.
func (w *workspace) keep(lines []string) {
	if !w.on {
		return
	}
	w.lines = append(w.lines, lines...)
	if over := len(w.lines) - transcriptLines; over > transcriptLines/5 {
		w.lines = append(w.lines[:0:0], w.lines[over:]...)
	}
	if w.back > 0 {
		w.back = min(w.back+len(lines), len(w.lines))
	}
}

// spacious tells whether the workspace is drawn.
func (m *model) spacious() bool {
	return m.space.on && m.width >= workspaceWidth && m.height >= workspaceHeight && !m.leaving && m.help == nil
}

// workspaceRows draws the whole window.
func (m *model) workspaceRows() (rows []string, cursor point) {
	region, cursor := m.region()
	height := m.height - len(region)
	t, g := m.theme, m.theme.glyphs
	left := m.width - 2
	if !m.space.hidden {
		left = m.width - columnWidth - 3
	}
	tree := m.domainWidth()
	left -= tree
	text := m.transcriptRows(left-2, height-2)
	note := ""
	if m.space.back > 0 {
		note = fmt.Sprintf(" %d below ", m.space.back)
	}
	bar := t.dim.Render(g.bar)
	domains := m.domainRows(tree)
	at := 0
	row := func(s string) string {
		side := ""
		if tree > 0 {
			if at < len(domains) {
				side = domains[at]
			}
			side = bar + " " + pad(side, tree-3) + " "
			at++
		}
		return side + bar + " " + pad(s, left-2) + " "
	}
	line := func(title, note string, width int) string {
		title = ansi.Truncate(" "+title+" ", width, g.more)
		fill := max(width-ansi.StringWidth(title)-ansi.StringWidth(note), 0)
		return t.strong.Render(title) + t.dim.Render(strings.Repeat(g.rule, fill)) + note
	}
	head := t.dim.Render(g.corners[0]) + line("Transcript", note, left)
	foot := t.dim.Render(g.corners[2] + strings.Repeat(g.rule, left))
	if tree > 0 {
		head = t.dim.Render(g.corners[0]) + line(strings.TrimSpace(m.keys.shown(0, "catalog")+" Catalog"), "",
			tree-1) + t.dim.Render(g.joints[2]) + line("Transcript", note, left)
		foot = t.dim.Render(g.corners[2] + strings.Repeat(g.rule, tree-1) + g.joints[3] + strings.Repeat(g.rule, left))
	}
	if m.space.hidden {
		rows = append(rows, head+t.dim.Render(g.corners[1]))
		for _, s := range text {
			rows = append(rows, row(s)+bar)
		}
		rows = append(rows, foot+t.dim.Render(g.corners[3]))
	} else {
		column := m.columnRows(height-1, line)
		rows = append(rows, head+t.dim.Render(g.joints[2])+column[0]+t.dim.Render(g.corners[1]))
		for i, s := range text {
			edge, end := bar, bar
			if strings.HasPrefix(column[i+1], edgeMark) {
				edge, end = t.dim.Render(g.joints[0]), t.dim.Render(g.joints[1])
			}
			rows = append(rows, row(s)+edge+strings.TrimPrefix(column[i+1], edgeMark)+end)
		}
		rows = append(rows, foot+t.dim.Render(g.joints[3]+strings.Repeat(g.rule, columnWidth)+g.corners[3]))
	}
	cursor.y += len(rows)
	return append(rows, region...), cursor
}

// domainWidth is how many columns the tree at the left takes, with its frame.
func (m *model) domainWidth() int {
	if m.width < domainsFrom || m.space.hidden {
		return 0
	}
	return treeWidth + 3
}

// domainRows are the domains with their counts, worked out anew when the catalog has changed.
func (m *model) domainRows(width int) []string {
	s := &m.space
	if width == 0 || s.actions == m.status.Actions {
		return s.domains
	}
	s.actions, s.domains = m.status.Actions, nil
	for _, c := range m.shell.Below("") {
		s.domains = append(s.domains, m.theme.sides(width-3, text.SanitizeLine(c.Name), " "+grouped(max(c.Count, 1))))
	}
	return s.domains
}

// edgeMark heads the rows of the column that are the upper edge of a pane.
const edgeMark = "\x00"

// columnRows draws the panes of the column, each below an edge, in height rows.
func (m *model) columnRows(height int, edge func(title, note string, width int) string) []string {
	var rows []string
	keys := [3]string{m.keys.shown(0, "variables"), m.keys.shown(0, "trace"), m.keys.shown(0, "preview")}
	for i, p := range m.space.panes {
		depth := height / 3
		if i == 2 {
			depth = height - 2*(height/3)
		}
		title, note, body := m.drawPane(&m.space.drawn[i], p, columnWidth-2, depth-1)
		if m.space.focus == i+1 {
			title = m.theme.glyphs.prompt + " " + title
		}
		if note != "" {
			note = " " + ansi.Truncate(note, columnWidth/2, m.theme.glyphs.more) + " "
		}
		head := edge(strings.TrimSpace(keys[i]+" "+title), note, columnWidth)
		if i > 0 {
			head = edgeMark + head
		}
		rows = append(rows, head)
		for n := range depth - 1 {
			text := ""
			if n < len(body) {
				text = ansi.Truncate(body[n], columnWidth-2, m.theme.glyphs.more)
			}
			rows = append(rows, " "+pad(text, columnWidth-2)+" ")
		}
	}
	return rows
}

// transcriptRows are the rows of the transcript that are seen, exactly height.
func (m *model) transcriptRows(width, height int) []string {
	s := &m.space
	s.back = min(s.back, max(len(s.lines)-1, 0))
	var rows []string
	for i := len(s.lines) - s.back - 1; i >= 0 && len(rows) < height; i-- {
		rows = append(pieces(s.lines[i], width), rows...)
	}
	rows = rows[max(len(rows)-height, 0):]
	for len(rows) < height {
		rows = append(rows, "")
	}
	return rows
}

// workspaceKey does the keys of the workspace and reports whether it was one.
func (m *model) workspaceKey(name, text string) (tea.Cmd, bool) {
	s := &m.space
	switch name {
	case "ctrl+up":
		s.focus = (s.focus + len(s.panes)) % (len(s.panes) + 1)
	case "ctrl+down":
		s.focus = (s.focus + 1) % (len(s.panes) + 1)
	case "f9":
		s.hidden = !s.hidden
	case "f2":
		m.turnTo(1)
	case "f3":
		m.turnTo(2)
	case "f5":
		if s.focus == 3 {
			s.focus = 0
			return nil, true
		}
		s.hidden = false
		if len(m.asks) > 0 { // nothing new is run while a question waits
			s.focus = 3
			return nil, true
		}
		return m.previewHere(), true
	case "f10":
		if s.focus > 0 {
			m.push(s.panes[s.focus-1])
		}
	case "pgup":
		if s.focus > 0 {
			return m.toPane(s.panes[s.focus-1], name, text), true
		}
		s.back += m.height / 2
	case "pgdown":
		if s.focus > 0 {
			return m.toPane(s.panes[s.focus-1], name, text), true
		}
		s.back = max(s.back-m.height/2, 0)
	default:
		if s.focus == 0 || s.hidden {
			return nil, false
		}
		p := s.panes[s.focus-1]
		switch name {
		case "esc":
			m.version++
			if !p.escape() {
				s.focus = 0
			}
		case "ctrl+c", "ctrl+d", "f1", "f4", "f6":
			return nil, false
		default:
			return m.toPane(p, name, text), true
		}
	}
	if s.hidden {
		s.focus = 0
	}
	return nil, true
}

// turnTo gives the keys to a pane of the column, or back to the input.
func (m *model) turnTo(number int) {
	s := &m.space
	if s.focus == number {
		number = 0
	}
	s.focus, s.hidden = number, false
}

// previewHere runs the input as a preview for the pane of the column.
func (m *model) previewHere() tea.Cmd {
	m.previewed = nil
	run := m.submit(strings.TrimSpace("/preview " + m.full()))
	if run != nil {
		m.work.previewing = true
	}
	return run
}

// printed lists what a pane would show, where there is no alternate screen to show it on.
func (m *model) printed(kind event.Pane) tea.Cmd {
	command := map[event.Pane]string{
		event.CatalogPane: "/catalog", event.VariablesPane: "/vars", event.TracePane: "/trace", event.ValuePane: "/view",
		event.PreviewPane: strings.TrimSpace("/preview " + m.full()),
	}[kind]
	if len(m.asks) > 0 {
		if _, ok := m.shell.Aside(m.ctx, command); ok {
			return m.pull()
		}
	}
	return m.submit(command)
}
