package ui

import (
	"fmt"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"almanac/catalog/text"
	"almanac/repl/event"
	"almanac/repl/show"
)

// This file draws the box of a question. The risk and the warnings stand in front and stay there; what has no room
// below them is scrolled, and printed above the box.

// printCut prints what the box says above it where the box has no room for all of it: nobody should approve arguments
// that cannot be read. A window in which nothing can be approved gets nothing: that would be in its scrollback for
// good.
func (m *model) printCut() {
	if len(m.asks) == 0 {
		return
	}
	a := m.asks[0]
	if m.View(); !a.cut || a.cramped || a.printed >= a.depth() {
		return
	}
	a.printed = a.depth()
	m.scroll.append(m.theme.line(a.question.Title(m.render().Marks())))
	front, rest := m.askBody(a, nil, false)
	m.scroll.append(append(front, rest...)...)
	m.stale = true
}

// depth is how much the box says: 2 with the details.
func (a *asking) depth() int {
	if a.details {
		return 2
	}
	return 1
}

// readable tells whether all that the box says can be read, in it or above it.
func (m *model) readable(a *asking) bool {
	return !a.cramped && (!a.cut || a.printed >= a.depth() && (m.spacious() || !m.scroll.pending()))
}

// askTheme is what a box is drawn with: heavy lines where the risk is high.
func (m *model) askTheme(q show.Question) theme {
	t := m.theme
	switch {
	case q.High() && m.ascii:
		t.glyphs.rule, t.glyphs.bar = "=", "#"
	case q.High():
		t.glyphs.rule, t.glyphs.bar = "━", "┃"
	}
	return t
}

// askRows draws the box in at most room rows. The cursor is in its input, or at its head when it has none.
func (m *model) askRows(a *asking, room int) (rows []string, cursor point) {
	q := a.question
	t := m.askTheme(q)
	// What the head has no room for stands below it.
	title, risk := q.Verb()+" "+q.ID, q.RiskText(m.render().Marks())
	var below []show.Line
	fits := func(words ...string) bool { return ansi.StringWidth(strings.Join(words, "")) <= m.width-10 }
	if !fits(title, risk) {
		title = q.Verb()
		below = append(below, show.ID.Line(q.ID))
	}
	if !fits(title, risk) {
		below = append(below, show.Mutates.Line(risk))
		risk = ""
	}
	note := ""
	if risk != "" {
		note = t.warn.Render(risk)
	}
	head := t.rule(m.width-1, t.warn.Render(q.Verb())+t.strong.Render(strings.TrimPrefix(title, q.Verb())), note)
	var input []string
	switch a.stage {
	case changing:
		input, cursor = m.editRows(&a.edit, t.prompt.Render("args "+t.glyphs.prompt+" "), nil, max(room-4, 1))
	case filling:
		input, cursor = m.editRows(&a.edit, t.prompt.Render(a.form.Prompt()+" "+t.glyphs.prompt+" "), nil, max(room-4, 1))
	case refusing:
		input, cursor = m.editRows(&a.edit, t.prompt.Render("why "+t.glyphs.prompt+" "), nil, max(room-4, 1))
	}
	front, body := m.askBody(a, below, true)
	choices := m.scopeRows(a, q, room-2-len(front)-len(body))
	fixed := 2 + len(input) + len(choices)
	spare := max(room-fixed, 0)
	if a.cramped = room < fixed+len(m.barred(q, below)); a.cramped && a.stage == deciding {
		a.cut = true
		return m.crampedRows(a, room), point{}
	}
	a.cut, a.page = len(front)+len(body) > spare, len(body)
	if a.cut {
		if len(front) > spare { // all of it scrolls but the id and the risk
			pinned := min(len(m.barred(q, below)), spare)
			a.pick.shift(len(front) - pinned)
			front, body = front[:pinned], append(front[pinned:len(front):len(front)], body...)
		}
		a.page = max(spare-len(front)-1, 0)
		over := len(body)
		body = m.scrolled(a, body)
		over -= a.page
		if len(front) < spare {
			more := fmt.Sprintf("%s %s %d more", t.glyphs.bar, t.glyphs.more, over)
			keys := m.fitting(more+" rows, printed above; PgUp PgDn", more+", printed above; PgUp PgDn")
			if a.batch != nil {
				keys = more + " rows; PgUp PgDn"
			}
			body = append(body, ansi.Truncate(keys, m.width-1, ""))
		}
	} else {
		a.top = 0
	}
	rows = append(append(append([]string{head}, front...), body...), choices...)
	rows = append(rows, t.rule(m.width-1, m.askFoot(a, q), ""))
	if len(input) > 0 {
		cursor.y += len(rows)
	}
	return append(rows, input...), cursor
}

// scopeRows draws the choices of a grant, in room rows if that can be done by leaving out what is said around them.
func (m *model) scopeRows(a *asking, q show.Question, room int) (rows []string) {
	if a.stage != granting {
		return nil
	}
	lines := q.ScopeLines(a.marked)
	last := len(lines) - 1
	for _, some := range [][]show.Line{lines, lines[:last], lines[1:last]} {
		if rows = m.barred(q, some); len(rows) <= room {
			break
		}
	}
	return rows
}

// crampedRows stand for a box that has no room.
func (m *model) crampedRows(a *asking, room int) []string {
	words := "window too small: enlarge it, or n"
	if a.held == "n" {
		words = "n denies; a key takes back"
	}
	rows := strings.Split(ansi.Wrap(words, max(m.width-1, 1), ""), "\n")
	if len(rows) > room {
		rows = []string{ansi.Truncate("too small", max(m.width-1, 1), "")}
	}
	for i := range rows {
		rows[i] = m.theme.warn.Render(rows[i])
	}
	return rows
}

// askFoot tells the keys, or what becomes of the one that was pressed.
func (m *model) askFoot(a *asking, q show.Question) string {
	t := m.theme
	warn := func(words ...string) string { return t.warn.Render(m.fitting(words...)) }
	dot := " " + t.glyphs.dot + " "
	yes := "allows once"
	if a.batch != nil {
		yes, _ = a.batch.Yes()
	}
	joined := func(words ...string) string { return strings.Join(words, dot) }
	switch {
	case a.stage == filling && a.cramped:
		return warn("window too small: enlarge it, or Esc declines", "too small: Esc declines")
	case a.stage == filling:
		return m.fitting(joined("Enter goes on", "Up goes back", "Esc declines"), joined("Enter", "Up", "Esc declines"))
	case (a.stage == changing || a.stage == granting) && a.cramped:
		return warn("window too small: enlarge it, or Esc", "too small: Esc")
	case a.stage == changing && a.batch != nil:
		return m.fitting(
			joined(fmt.Sprintf("Enter puts them into the list as %d", a.batch.At()+1), "Ctrl+J newline", "Esc back"),
			joined("Enter takes them", "Esc back"))
	case a.stage == changing:
		return m.fitting(joined("Enter allows once with these arguments", "Ctrl+J newline", "Esc back"),
			joined("Enter allows once", "Esc back"))
	case a.stage == refusing:
		return m.fitting(joined("Enter denies with this reason", "Esc denies without"), joined("Enter denies", "Esc without"))
	case a.stage == granting && a.marked > 0 && q.Wide(q.Scopes()[a.marked-1]):
		return warn("HIGH RISK: Enter allows every "+q.ID+" this session; Esc back",
			"HIGH RISK: Enter allows all this session", "HIGH RISK: Enter allows all")
	case a.stage == granting && a.marked > 0:
		return warn(fmt.Sprintf("Enter grants %d for this session%sEsc back", a.marked, dot),
			fmt.Sprintf("Enter grants %d", a.marked))
	case a.stage == granting && a.bare:
		return warn("Enter grants what is marked: a number or an arrow marks it first", "mark one first, then Enter",
			"mark one")
	case a.stage == granting && !a.ignored:
		return m.fitting(joined("a number or Up Down marks, Enter grants", "Esc back"),
			joined("number, then Enter", "Esc back"))
	case a.held != "" && q.Over != nil:
		does := map[string]string{"y": "goes on", "n": "ends the run"}[a.held]
		return warn(a.held+" "+does+", at once with Enter; another key takes it back", a.held+" "+does+"; a key takes back")
	case a.held != "" && q.Inquiry != nil:
		does := map[string]string{"y": "is to " + q.InquiryYes(), "e": "fills in", "n": "declines"}[a.held]
		return warn(a.held+" "+does+", at once with Enter; another key takes it back", a.held+" "+does+"; a key takes back")
	case a.held != "":
		does := map[string]string{"y": yes, "a": "asks what to allow", "e": "edits", "n": "denies"}[a.held]
		return warn(a.held+" "+does+", at once with Enter; another key takes it back", a.held+" "+does+"; a key takes back")
	case a.bare:
		return warn(m.keysFoot(a, yes, func(words ...string) string { return "press a letter first: " + joined(words...) }),
			"a letter first, then Enter", "a letter first")
	case a.ignored:
		return warn("that is no answer: keys are ignored until you pause for 0.7 s", "no answer: pause for 0.7 s")
	}
	return m.keysFoot(a, yes, joined)
}

// keysFoot is the keys that answer, where none was pressed: yes says what y does.
func (m *model) keysFoot(a *asking, yes string, joined func(...string) string) string {
	q := a.question
	if q.Over != nil {
		return m.fitting(joined("y go on", "n end the run", "v script"), joined("y go on", "n end", "v"))
	}
	if q.Inquiry != nil {
		fill := "e fill in"
		if q.Inquiry.Form == nil {
			fill = "v script"
		}
		return m.fitting(joined("y "+q.InquiryYes(), fill, "n or Esc declines"), joined("y", fill, "n declines"))
	}
	if a.batch != nil {
		return m.listFoot(a, yes, joined)
	}
	return m.fitting(
		joined("y once", "a for this session", "e edit", "n deny", "v script", "? details"),
		joined("y once", "a session", "e edit", "n deny", "v script", "?"),
		joined("y once", "n deny", "a", "e", "v", "?"))
}

// fitting is the first of words that a box has room for, else the last.
func (m *model) fitting(words ...string) string {
	for _, w := range words {
		if ansi.StringWidth(w) <= m.width-7 {
			return w
		}
	}
	return words[len(words)-1]
}

// askBody is what the box says between its lines: what stays in front, behind what the head had no room for, and the
// rest.
func (m *model) askBody(a *asking, below []show.Line, cursor bool) (front, rest []string) {
	q := a.question
	var lines []show.Line
	switch {
	case a.stage == filling:
		lines = append(q.InquiryWords(), a.form.Lines()...)
	case a.batch == nil:
		lines = q.Body(m.width-4, a.stage == changing)
	default:
		rest = m.listRows(a, cursor)
		lines = append(lines, show.Dim.Line(q.Asked))
	}
	if a.details {
		lines = append(lines, event.AskDetails(q, m.width-4, m.render())...)
	}
	front = m.barred(q, append(below, q.WarningLines()...))
	if a.trouble != "" {
		front = append(front,
			m.barred(q, []show.Line{show.Warning.Line(text.SanitizeLine(a.trouble))})...)
	}
	return front, append(rest, m.barred(q, lines)...)
}

// barred draws lines behind the bar of the box, broken where they are too wide.
func (m *model) barred(q show.Question, lines []show.Line) []string {
	t := m.askTheme(q)
	bar := t.dim.Render(t.glyphs.bar) + " "
	var rows []string
	for _, l := range lines {
		for _, piece := range restyled(ansi.Wrap(untab(t.line(l)), max(m.width-3, 1), "")) {
			rows = append(rows, bar+piece)
		}
	}
	return rows
}
