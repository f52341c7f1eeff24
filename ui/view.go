package ui

import (
	"fmt"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"almanac/catalog/text"
	"almanac/repl"
	"almanac/repl/input"
	"almanac/repl/show"
	"almanac/session/policy"
)

// This file draws the live region. From the top: what runs (its state and its unfinished text), the input or a
// question in its place, the menu, and the status line. It is always at least one row shorter than the window.

// promptWidth is how many columns the prompt of the input takes: "lua ❯ ".
const promptWidth = 6

// smallHeight is the height below which the region shrinks to the input and the status line.
const smallHeight = 10

// A point is a place in the frame, from 0.
type point struct{ x, y int }

// A frame is one drawn live region.
type frame struct {
	view tea.View
	rows int
}

// View returns the frame, drawn anew only when something changed.
func (m *model) View() tea.View {
	if m.stale || m.frame.rows == 0 {
		m.stale = false
		m.draw()
	}
	return m.frame.view
}

func (m *model) draw() {
	var f frame
	if m.menu != nil {
		m.menu.shown = false
	}
	switch {
	case m.width == 0:
		f.view = tea.NewView("")
	case m.help != nil:
		rows, cursor := m.helpRows()
		f.view = tea.NewView(strings.Join(rows, "\n"))
		f.view.Cursor = tea.NewCursor(cursor.x, cursor.y)
		f.view.AltScreen = true
	case m.overlay() != nil:
		rows, cursor := m.paneRows(m.overlay())
		f.view = tea.NewView(strings.Join(rows, "\n"))
		f.view.AltScreen = true
		if cursor != nil {
			f.view.Cursor = tea.NewCursor(cursor.x, cursor.y)
		}
	case m.spacious():
		rows, cursor := m.workspaceRows()
		f.view = tea.NewView(strings.Join(rows, "\n"))
		f.view.AltScreen = true
		f.view.Cursor = tea.NewCursor(cursor.x, cursor.y)
	default:
		var rows []string
		var cursor point
		if !m.leaving {
			rows, cursor = m.region()
		}
		f.view = tea.NewView(strings.Join(rows, "\n"))
		if len(m.asks) == 0 || m.asks[0].typing() {
			f.view.Cursor = tea.NewCursor(cursor.x, cursor.y)
		}
		f.rows = len(rows)
	}
	m.frame = f
}

// region draws the rows and says where the cursor is.
func (m *model) region() (rows []string, cursor point) {
	limit := max(m.height-1, 1)
	small := m.height < smallHeight
	if !small && m.work != nil {
		rows = m.runningRows()
	}
	if len(m.asks) > 0 {
		box, at := m.askRows(m.asks[0], max(limit-len(rows)-1, 1))
		at.y += len(rows)
		rows, cursor = append(rows, box...), at
	} else {
		if !small {
			rows = append(rows, m.theme.rule(m.ruleWidth(), "", ""))
		}
		spare := max(limit-len(rows)-1, 1)
		room := min(spare, max(m.height/2-2, 1))
		if small && m.menu == nil {
			room = spare // nothing else wants the rows
		}
		input, at := m.inputRows(room)
		at.y += len(rows)
		rows, cursor = append(rows, input...), at
		if spare -= len(input); spare > 0 && (!small || m.menu != nil) {
			below := m.menuRows(min(spare, menuDepth+1))
			if m.menu == nil && !m.listing() {
				below = m.signatureRows()
			}
			rows = append(rows, below...)
		}
	}
	if limit > 1 {
		rows = append(rows, m.statusRow(small))
	}
	if over := len(rows) - limit; over > 0 {
		rows = rows[over:]
		cursor.y = max(cursor.y-over, 0)
	}
	return rows, cursor
}

// spokenRule is how long the rules above and below an answer are while it comes in: they are written anew with each
// print, in three bytes a column.
const spokenRule = 12

func (m *model) ruleWidth() int {
	if m.work != nil && m.work.speaking {
		return min(m.width-1, spokenRule)
	}
	return m.width - 1
}

// quickTime is how long an input may run before the region tells of it: most end sooner, and the input should not jump.
const quickTime = 200 * time.Millisecond

// runningRows draws what runs, in at most half of the window.
func (m *model) runningRows() []string {
	var text []string
	for _, e := range m.calls.Waiting() {
		for _, line := range m.lines(e) {
			text = append(text, ansi.Truncate(line, m.width-1, m.theme.glyphs.more))
		}
	}
	room := m.liveRoom()
	text = append(text, m.thinkingRows(room)...)
	text = append(text, m.live.tail(m, room)...)
	text = text[max(len(text)-room, 0):]
	quick := m.now().Sub(m.work.started) < quickTime
	if quick && len(text) == 0 && len(m.queue) == 0 && len(m.asks) == 0 && m.work.tallest == 0 {
		return nil
	}
	tall := len(text)
	if m.work.speaking {
		tall = (tall + growRows - 1) / growRows * growRows
	}
	m.work.tallest = min(max(m.work.tallest, tall, 1), room)
	rows := append([]string{m.theme.rule(m.ruleWidth(), "", ""), m.runningRow()}, text...)
	if len(m.asks) > 0 {
		return rows
	}
	for len(rows) < m.work.tallest+2 {
		rows = append(rows, "")
	}
	return rows
}

// growRows is by how many rows the region grows for an answer: each time all that is below is written anew.
const growRows = 4

// liveRoom is how many rows unfinished text may take.
func (m *model) liveRoom() int { return max(m.height/2-2, 1) }

// runningRow says what runs, for how long, and how to stop it.
func (m *model) runningRow() string {
	left := m.theme.warn.Render(m.doing())
	right := ""
	if len(m.queue) > 0 {
		right = fmt.Sprintf("queued: %d", len(m.queue))
		if key := m.keys.shown(0, "edit_queued"); key != "" && m.width >= 60 {
			right += " (" + key + ")"
		}
	}
	if right == "" {
		return ansi.Truncate(left, m.width-1, m.theme.glyphs.more)
	}
	return m.theme.sides(m.width-1, left, right)
}

// signatureRows tells under the input which arguments the call at the cursor takes; nothing outside of one.
func (m *model) signatureRows() []string {
	s := &m.signed
	if s.version != m.edit.version || s.pos != m.edit.pos {
		*s = signature{version: m.edit.version, pos: m.edit.pos}
		if text := m.full(); len(text) <= paintLimit {
			s.line, s.ok = m.shell.Signature(text, len(m.folds.open(m.edit.text[:m.edit.pos])))
		}
	}
	if !s.ok {
		return nil
	}
	row := strings.Repeat(" ", promptWidth) + m.theme.line(s.line)
	return []string{ansi.Truncate(row, m.width-1, m.theme.glyphs.more)}
}

// A signature is the line about the call at the cursor, kept until text or cursor change.
type signature struct {
	version, pos int
	line         show.Line
	ok           bool
}

// doing is the progress line: what runs, for how long, its usage and how to stop it. A small window drops the usage.
func (m *model) doing() string {
	t := m.theme.glyphs
	w := m.work
	word, stop, room := "running", "Esc", m.width-14
	if m.paneHasKeys() {
		stop = "Ctrl+C" // Esc belongs to the pane, and the foot has "Esc back" behind it
		room = min(room, m.width-12-ansi.StringWidth(m.withPolicy("")))
	}
	id, calls := m.feed.UnderWay()
	switch {
	case w.stopped:
		word = "stopping"
	case len(m.asks) > 0:
		word, stop = "waiting for you", "Ctrl+C" // Esc belongs to the question
	case calls > 0:
		word = "calling " + text.SanitizeLine(id)
		if calls > 1 {
			word += fmt.Sprintf(" and %d more", calls-1)
		}
	case m.thinks():
		word = "thinking"
	case w.speaking:
		word = "writing"
	case m.status.Mode == input.AskMode:
		word = "working"
	}
	since, received := m.now().Sub(w.started), w.received
	parts := []string{fmt.Sprintf("%s%s %.1f s", word, t.more, since.Seconds())}
	if at := m.live.shownAt; w.speaking && !at.IsZero() {
		// Every drawing costs more than the word that came: the row changes with the text.
		step := time.Second
		switch since := at.Sub(w.started); {
		case since >= 30*time.Second:
			step = 5 * time.Second
		case since >= 10*time.Second:
			step = 2 * time.Second
		}
		received = w.receivedAt(at.Sub(w.started).Truncate(step))
		parts[0] = fmt.Sprintf("%s%s %.0f s", word, t.more, w.second.Seconds())
	}
	if text, ok := m.feed.Retrying(); ok && !w.stopped {
		parts[0] = text
	}
	if s := m.status; w.called > 0 {
		parts = append(parts, fmt.Sprintf("calls %d/%d", s.Calls, s.CallLimit))
		if s.Mutations > 0 {
			parts = append(parts, fmt.Sprintf("writes %d/%d", s.Mutations, s.MutationLimit))
		}
	}
	if received >= 1024 {
		parts = append(parts, fmt.Sprintf("%.1f KiB", float64(received)/1024))
	}
	end := stop + " stops"
	sep := " " + t.dot + " "
	for len(parts) > 1 && ansi.StringWidth(strings.Join(parts, sep)+sep+end) > room {
		parts = parts[:len(parts)-1]
	}
	return strings.Join(append(parts, end), sep)
}

// inputRows draws the input, or the search or the prompts in its place, in at most limit rows.
func (m *model) inputRows(limit int) ([]string, point) {
	switch {
	case m.search != nil:
		return m.searchRows(limit)
	case m.rewind != nil:
		return m.rewindRows(limit)
	}
	prompt := m.theme.prompt.Render(pad(m.status.Mode.String()+" "+m.theme.glyphs.prompt+" ", promptWidth))
	rows, at := m.editRows(&m.edit, prompt, m.paint(), limit)
	rows[at.y] = m.ghostRow(rows[at.y], at)
	return rows, at
}

// editRows draws an editor behind a prompt; styles says how to paint each byte, nil paints nothing. When the text has
// more rows than limit, those around the cursor are shown.
func (m *model) editRows(e *editor, prompt string, styles []span, limit int) ([]string, point) {
	wide := ansi.StringWidth(prompt)
	rows := e.rows(m.width - 1 - wide)
	y, x := e.cursor(rows)
	from := min(max(y-limit+1, 0), max(len(rows)-limit, 0))
	to := min(from+limit, len(rows))
	var out []string
	for i, r := range rows[from:to] {
		lead := strings.Repeat(" ", wide)
		switch {
		case i+from == 0:
			lead = prompt
		case r.first:
			lead = m.theme.dim.Render(strings.Repeat(" ", wide-3) + ".. ")
		}
		out = append(out, ansi.Truncate(lead+paintRow(e, r, styles), m.width-1, ""))
	}
	return out, point{min(wide+x, m.width-1), y - from}
}

// statusRow is the last row. Under 60 columns its fields drop from the right.
func (m *model) statusRow(small bool) string {
	width := m.width - 1
	told := m.notice
	if told == "" && small && m.work != nil {
		told = m.doing()
	}
	if told != "" {
		return m.theme.warn.Render(ansi.Truncate(m.withPolicy(told), width, m.theme.glyphs.more))
	}
	const help = "? help"
	fields := m.statusFields()
	dot := " " + m.theme.glyphs.dot + " "
	right := help
	if width+1 < 60 {
		right = ""
	}
	fit := func() {
		for len(fields) > 1 && ansi.StringWidth(strings.Join(fields, dot))+ansi.StringWidth(right)+2 > width {
			fields = fields[:len(fields)-1]
		}
	}
	fit()
	if n := m.status.Unread; n > 0 && !slices.Contains(fields, m.status.Team) {
		fields = slices.Insert(fields, 1, fmt.Sprintf("%d unread", n)) // what waits is told, if not where
		fit()
	}
	return m.theme.dim.Render(m.theme.sides(width, strings.Join(fields, dot), right))
}

// withPolicy puts in front of a notice that nothing may be changed: that is said whatever else is.
func (m *model) withPolicy(text string) string {
	if m.status.Policy == policy.ReadOnly {
		return m.status.Writes + " " + m.theme.glyphs.dot + " " + text
	}
	return text
}

// statusFields are the facts of the status line, the most important first.
func (m *model) statusFields() []string {
	s := m.status
	var fields []string
	if word := m.viWord(); word != "" {
		fields = append(fields, word)
	}
	if m.verbose {
		fields = append(fields, "verbose")
	}
	fields = append(fields, s.Writes)
	if s.Role != "" {
		fields = append(fields, "role "+s.Role)
	}
	if s.Turn != "" {
		fields = append(fields, "this turn: "+text.SanitizeLine(strings.TrimPrefix(s.Turn, "/catalog view ")))
	}
	if s.Loading {
		fields = append(fields, m.loadingText())
	}
	if s.Model != "" {
		fields = append(fields, text.SanitizeLine(s.Model))
		if c := s.Context; c.Window > 0 {
			about := ""
			if c.Estimated {
				about = "~"
			}
			fields = append(fields, fmt.Sprintf("ctx %s%s/%s", about, thousands(c.Used), thousands(c.Window)))
		}
	} else {
		fields = append(fields, "no model")
	}
	if s.Team != "" {
		fields = append(fields, s.Team)
	}
	fields = append(fields, fmt.Sprintf("calls %d/%d", s.Calls, s.CallLimit),
		fmt.Sprintf("writes %d/%d", s.Mutations, s.MutationLimit))
	if !s.Loading {
		fields = append(fields, grouped(s.Actions)+" actions")
	}
	if u := s.Usage; u.Completions > 0 {
		about := ""
		if u.Estimated > 0 {
			about = "~"
		}
		fields = append(fields, fmt.Sprintf("%s%s in %s%s out", about, thousands(u.Input), about, thousands(u.Output)))
		if cost := repl.CostText(u); cost != "" {
			fields = append(fields, "cost "+cost)
		}
	}
	return fields
}

// thousands writes a token count shortly: 950, 12k.
func thousands(n int) string {
	if n < 1000 {
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%dk", n/1000)
}

// grouped writes n with a comma between thousands.
func grouped(n int) string {
	return text.Thousands(fmt.Sprint(n))
}

// pad fills s with blanks up to width columns.
func pad(s string, width int) string {
	return s + strings.Repeat(" ", max(width-ansi.StringWidth(s), 0))
}

// loadingText says how far loading the catalog is.
func (m *model) loadingText() string {
	p := m.status.Progress
	if p.Doing != "" {
		return text.SanitizeLine(p.Doing)
	}
	return fmt.Sprintf("catalog %d/%d%s", p.Answered, p.Sources, m.theme.glyphs.more)
}
