package ui

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"almanac/repl/event"
	"almanac/repl/show"
	"almanac/session/trace"
)

// This file holds the overlays: panes that are drawn on the alternate screen in one frame and one way, so that the
// transcript is as it was when they close. What each shows is in the file of its own.

// A pane is one thing to look at. It belongs to the loop, like all of the model; what takes time runs beside the loop
// and comes back as a paneMsg.
type pane interface {
	// head is the title, and a note for the right end of the frame's upper edge.
	head() (title, note string)
	// rows draws at most height rows of at most width columns.
	rows(width, height int) []string
	// key does what a key means here. Keys that every overlay has do not get here.
	key(name, text string) tea.Cmd
	// hints tells the keys for the last row.
	hints() []string
	// escape takes back what Esc should before it closes the pane; false when there is nothing.
	escape() bool
	// typing tells that the title ends with text that is being typed.
	typing() bool
}

// A paneMsg brings what was worked out beside the loop: calling it puts it into its pane.
type paneMsg func() tea.Cmd

// A drawnPane is a pane as it was drawn last, good until its version, its place or its size is another.
type drawnPane struct {
	of                     pane
	version, width, height int
	title, note            string
	rows                   []string
}

// drawPane draws a pane of so many columns and rows, or takes the drawing that is kept where nothing has changed that a
// pane shows: not for a tick, for text that streams in, or for what is typed into the input.
func (m *model) drawPane(kept *drawnPane, p pane, width, height int) (title, note string, rows []string) {
	if kept.of != p || kept.version != m.version || kept.width != width || kept.height != height {
		*kept = drawnPane{of: p, version: m.version, width: width, height: height}
		kept.rows = p.rows(width, height)
		kept.title, kept.note = p.head() // which may tell how much of it there is room for
	}
	return kept.title, kept.note, kept.rows
}

// toPane gives a pane a key.
func (m *model) toPane(p pane, name, text string) tea.Cmd {
	m.version++
	return p.key(name, text)
}

// overlay is the pane on the screen, nil when there is none. A question to the person goes before those that were open
// when it came, and behind those that were opened to look at it.
func (m *model) overlay() pane {
	if len(m.panes) <= m.belowQuestion() || m.leaving {
		return nil
	}
	return m.panes[len(m.panes)-1]
}

// belowQuestion is how many panes are below the question on the screen.
func (m *model) belowQuestion() int {
	if len(m.asks) == 0 {
		return 0
	}
	return min(m.asks[0].base, len(m.panes))
}

// closePanes closes those that are over the question, or all.
func (m *model) closePanes() { m.panes = m.panes[:m.belowQuestion()] }

// paneHasKeys tells whether keys go to a pane, over the window or in the workspace: Esc leaves it then, and stops
// nothing.
func (m *model) paneHasKeys() bool {
	return m.overlay() != nil || m.spacious() && m.space.focus > 0
}

// show opens a pane in the place of those that are open.
func (m *model) show(p pane) {
	m.menu, m.search, m.rewind, m.help = nil, nil, nil, nil
	m.closePanes()
	m.push(p)
}

// push opens a pane above the one that is open; Esc comes back to that.
func (m *model) push(p pane) { m.panes = append(m.panes, p) }

// openPane opens the pane of an F-key or a command, or closes it when it is open.
func (m *model) openPane(kind event.Pane) tea.Cmd {
	if m.flat {
		return m.printed(kind)
	}
	p, cmd := m.newPane(kind)
	m.show(p)
	return cmd
}

func (m *model) newPane(kind event.Pane) (pane, tea.Cmd) {
	switch kind {
	case event.CatalogPane:
		return newCatalogPane(m)
	case event.TracePane:
		return &tracePane{m: m}, nil
	case event.PreviewPane:
		return &previewPane{m: m}, nil
	case event.ValuePane:
		return newValuePane(m, nil)
	case event.SessionsPane:
		return newSessionsPane(m, trace.Filter{})
	case event.TranscriptPane:
		return newTranscriptPane(m)
	}
	return &variablesPane{m: m}, nil
}

// paneOf names the pane of an F-key.
func paneOf(name string) (event.Pane, bool) {
	switch name {
	case "f2":
		return event.VariablesPane, true
	case "f3":
		return event.TracePane, true
	case "f4":
		return event.CatalogPane, true
	case "f5":
		return event.PreviewPane, true
	case "f6":
		return event.ValuePane, true
	}
	return 0, false
}

// paneKey gives a key to the open overlay.
func (m *model) paneKey(p pane, name, text string) tea.Cmd {
	if kind, ok := paneOf(name); ok {
		if fresh, _ := m.newPane(kind); sameKind(fresh, p) {
			m.closePanes()
			return nil
		}
		if kind == event.PreviewPane && len(m.asks) == 0 {
			return m.preview()
		}
		return m.openPane(kind)
	}
	switch name {
	case "f10":
		m.closePanes()
		return nil
	case "esc":
		m.version++
		if p.escape() {
			return m.toPane(p, "", "") // to go on without what was taken back
		}
		m.panes = m.panes[:len(m.panes)-1]
		return nil
	case "ctrl+c", "ctrl+d":
		if m.work != nil && !m.work.stopped {
			m.interrupt()
			return nil
		}
		m.closePanes()
		return nil
	case "ctrl+l":
		return repaint
	}
	return m.toPane(p, name, text)
}

// sameKind tells whether two panes are of one kind.
func sameKind(a, b pane) bool {
	switch a.(type) {
	case *catalogPane:
		_, ok := b.(*catalogPane)
		return ok
	case *tracePane:
		_, ok := b.(*tracePane)
		return ok
	case *previewPane:
		_, ok := b.(*previewPane)
		return ok
	case *valuePane:
		_, ok := b.(*valuePane)
		return ok
	case *variablesPane:
		_, ok := b.(*variablesPane)
		return ok
	}
	return false
}

// paneRows draws the overlay over the whole window: a frame, and the keys below it.
func (m *model) paneRows(p pane) (rows []string, cursor *point) {
	t := m.theme
	width, height := max(m.width, 4), max(m.height, 3)
	title, note, body := m.drawPane(&m.drawn, p, width-4, height-3)
	edge, x := t.edge(width, title, note)
	rows = t.framed(edge, body, width, height-1)
	if p.typing() && x < width {
		cursor = &point{x, 0}
	}
	dot := " " + t.glyphs.dot + " "
	// How to leave is said whatever has no room.
	hints, leave := slices.Clone(p.hints()), "Esc back"
	fits := func() bool { return ansi.StringWidth(m.withPolicy(strings.Join(append(hints, leave), dot))) < width-1 }
	for len(hints) > 1 && !fits() {
		hints = hints[:len(hints)-1]
	}
	if !fits() {
		leave = "Esc"
	}
	foot := " " + m.withPolicy(strings.Join(append(hints, leave), dot))
	switch {
	case m.notice != "":
		foot = t.warn.Render(ansi.Truncate(" "+m.withPolicy(m.notice), width-1, t.glyphs.more))
	case m.work != nil:
		left := ansi.Truncate(" "+m.withPolicy(m.doing())+dot, width-1, t.glyphs.more)
		foot = strings.Join(append([]string{"Esc back"}, p.hints()...), dot)
		foot = t.warn.Render(left) + t.dim.Render(ansi.Truncate(foot, width-1-ansi.StringWidth(left), t.glyphs.more))
	default:
		foot = t.dim.Render(ansi.Truncate(foot, width-1, t.glyphs.more))
	}
	return append(rows, foot), cursor
}

// edge is the upper edge of a frame with a title and a note, and the column behind the title.
func (t theme) edge(width int, title, note string) (string, int) {
	g := t.glyphs
	room := max(width-6, 0)
	if note != "" {
		note = " " + note + " "
	}
	if ansi.StringWidth(note) > room/2 {
		note = ""
	}
	title = ansi.Truncate(title, max(room-ansi.StringWidth(note), 0), g.more)
	fill := max(width-5-ansi.StringWidth(title)-ansi.StringWidth(note), 0)
	return t.dim.Render(g.corners[0]) + " " + t.strong.Render(title) + " " +
		t.dim.Render(strings.Repeat(g.rule, fill)) + note + t.dim.Render(g.rule+g.corners[1]), 2 + ansi.StringWidth(title)
}

// framed puts body between edges: height rows in all, each width columns. The rows of body may be styled and of any
// width; those that begin with the cross sign become part of the frame.
func (t theme) framed(edge string, body []string, width, height int) []string {
	g := t.glyphs
	rows := []string{edge}
	bar := t.dim.Render(g.bar)
	for i := range max(height-2, 0) {
		text := ""
		if i < len(body) {
			text = ansi.Truncate(body[i], max(width-4, 0), g.more)
		}
		rows = append(rows, bar+" "+pad(text, width-4)+" "+bar)
	}
	return append(rows, t.dim.Render(g.corners[2]+strings.Repeat(g.rule, max(width-2, 0))+g.corners[3]))
}

// beside puts two columns of rows next to each other, the left one leftWidth columns wide.
func (t theme) beside(left, right []string, leftWidth, height int) []string {
	rows := make([]string, 0, height)
	bar := " " + t.dim.Render(t.glyphs.bar) + " "
	at := func(rows []string, i int) string {
		if i < len(rows) {
			return rows[i]
		}
		return ""
	}
	for i := range height {
		rows = append(rows, pad(ansi.Truncate(at(left, i), leftWidth, t.glyphs.more), leftWidth)+bar+at(right, i))
	}
	return rows
}

// A cursorList is a list with one chosen row and a window onto it.
type cursorList struct{ at, top int }

// move does the moving keys for a list of n rows of which page fit, and reports whether the key was one.
func (l *cursorList) move(name string, n, page int) bool {
	switch name {
	case "up", "k", "ctrl+p":
		l.at--
	case "down", "j", "ctrl+n":
		l.at++
	case "pgup":
		l.at -= max(page, 1)
	case "pgdown":
		l.at += max(page, 1)
	case "home":
		l.at = 0
	case "end":
		l.at = n - 1
	default:
		return false
	}
	l.at = min(max(l.at, 0), max(n-1, 0))
	return true
}

// window is the part of n rows to draw in height rows, with the chosen one inside.
func (l *cursorList) window(n, height int) (from, to int) {
	l.at = min(max(l.at, 0), max(n-1, 0))
	if l.at < l.top {
		l.top = l.at
	}
	if l.at >= l.top+height {
		l.top = l.at - height + 1
	}
	l.top = min(max(l.top, 0), max(n-height, 0))
	return l.top, min(l.top+height, n)
}

// chosen draws a row of a list: marked, and in the prompt's style, when it is the chosen one.
func (t theme) chosen(is bool, text string, width int) string {
	mark, style := "  ", t.plain
	if is {
		mark, style = t.glyphs.prompt+" ", t.prompt
	}
	return t.paint(style, mark+ansi.Truncate(text, max(width-2, 0), t.glyphs.more))
}

// typeInto is what the keys of a one-line text do; it reports whether the text changed.
func typeInto(text *string, name, typed string) bool {
	switch name {
	case "backspace", "ctrl+h":
		if *text == "" {
			return false
		}
		e := editor{text: *text}
		*text = (*text)[:e.prev(len(*text))]
	case "ctrl+u":
		*text = ""
	case "ctrl+w":
		e := editor{text: *text}
		*text = (*text)[:e.spaceLeft(len(*text))]
	default:
		if typed == "" {
			return false
		}
		*text += strings.ReplaceAll(cleanPaste(typed), "\n", " ")
	}
	return true
}

// takeText closes the overlays and puts text into the input at the cursor; the cursor goes back bytes from its end.
func (m *model) takeText(text string, back int) {
	m.closePanes()
	m.space.focus, m.vi.normal = 0, false
	if len(m.asks) > 0 {
		m.notice = "inserted into the input, behind the question"
	}
	m.edit.save(false)
	m.edit.replace(m.edit.pos, m.edit.pos, cleanPaste(text))
	m.edit.move(m.edit.pos - back)
}

// styled draws lines of the shell's for a pane.
func (m *model) styled(lines []show.Line) []string {
	out := make([]string, len(lines))
	for i, l := range lines {
		out[i] = m.theme.line(l)
	}
	return out
}
