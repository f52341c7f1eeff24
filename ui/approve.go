package ui

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"almanac/catalog"
	"almanac/catalog/text"
	"almanac/repl"
	"almanac/repl/show"
	"almanac/session"
)

// This file holds the question before a mutation: its box, its keys, and the answer. Nothing but an explicit key says
// yes, and keys that were typed before the person could read the box say nothing.

// A new box ignores all keys but Ctrl+C for deafTime, and goes on ignoring them until nothing was typed for pauseTime:
// whoever was typing when it opened did not mean it.
const (
	deafTime  = 300 * time.Millisecond
	pauseTime = 500 * time.Millisecond
)

// An askStage says what the person is doing about a question.
type askStage int

const (
	deciding askStage = iota
	changing          // the arguments are in the input
	refusing          // the reason is in the input
)

// An asking is one question on the screen.
type asking struct {
	request session.Request
	answer  chan<- session.Approval
	since   time.Time
	awake   bool // keys count
	stage   askStage
	details bool
	edit    editor
	// trouble says why edited arguments were not taken.
	trouble string
	// cut is true when the box was drawn without all that it says; printed is the depth to which that was printed above it.
	cut     bool
	printed int
}

func newAsking(a *repl.Ask, now time.Time) *asking {
	return &asking{request: a.Request, answer: a.Answer, since: now}
}

// give answers; only the first answer counts.
func (a *asking) give(v session.Approval) {
	if a.answer != nil {
		a.answer <- v
		a.answer = nil
	}
}

func (a *asking) refuse(reason string) {
	a.give(session.Approval{Verdict: session.Refuse, Reason: reason})
}

// paste takes pasted text where the box has an input, and ignores it while a decision is due.
func (a *asking) paste(text string) {
	switch a.stage {
	case changing:
		a.edit.insert(text)
	case refusing:
		a.edit.insert(strings.ReplaceAll(text, "\n", " "))
	}
}

// askKey gives a key to the question on the screen; typed is when the key before it came.
func (m *model) askKey(name, text string, typed time.Time) {
	a := m.asks[0]
	if name == "ctrl+c" {
		m.interrupt()
		return
	}
	if now := m.now(); !a.awake {
		if now.Sub(a.since) < deafTime || now.Sub(typed) < pauseTime {
			return
		}
		a.awake = true
	}
	if key := m.keys.meantName(name); opens(key) {
		m.notice = map[askStage]string{
			deciding: "answer first: y, a, e or n",
			changing: "answer first: Enter allows, Esc goes back to the question",
			refusing: "answer first: Enter or Esc denies",
		}[a.stage]
		return
	}
	switch a.stage {
	case deciding:
		m.decide(a, name)
	case changing:
		m.change(a, name, text)
	case refusing:
		m.reason(a, name, text)
	}
}

// opens tells whether a key opens the help or a pane, where no question is in the way.
func opens(key string) bool {
	_, pane := paneOf(key)
	return pane || key == "f1"
}

func (m *model) decide(a *asking, name string) {
	if (name == "y" || name == "a") && !m.readable(a) {
		return
	}
	switch name {
	case "y":
		m.letter, m.decided = name, m.now()
		m.settle(a, session.Approval{Verdict: session.Once}, "allowed once")
	case "a":
		m.letter, m.decided = name, m.now()
		m.settle(a, session.Approval{Verdict: session.ForSession}, "allowed for this session")
	case "n", "esc":
		a.stage = refusing
		a.edit = editor{}
	case "e":
		m.openArgs(a)
	case "?":
		a.details = !a.details
	}
}

// printCut prints what the box says above it where the box has no room for all of it: nobody should approve arguments that
// cannot be read.
func (m *model) printCut() {
	if len(m.asks) == 0 {
		return
	}
	a := m.asks[0]
	if m.View(); !a.cut || a.printed >= a.depth() {
		return
	}
	a.printed = a.depth()
	m.scroll.Append(m.theme.warn.Render("approve? ") + m.theme.strong.Render(text.SanitizeLine(a.request.Entry.ID)))
	m.scroll.Append(m.askBody(a)...)
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
	return !a.cut || a.printed >= a.depth() && (m.spacious() || !m.scroll.Pending())
}

// stray tells whether a key is one more answer to a question that is no more, as of somebody who answers several in a row:
// it is no text for the input.
func (m *model) stray(name string) bool {
	now := m.now()
	if m.letter == "" || name != m.letter || now.Sub(m.decided) >= pauseTime {
		m.letter = ""
		return false
	}
	m.decided = now
	return true
}

// openArgs puts the arguments into the input, unless reading them back would give others.
func (m *model) openArgs(a *asking) {
	text := show.ArgsText(a.request.Entry, a.request.Args, max(m.width-promptWidth-3, 1))
	if back, err := repl.ParseArgs(text); err != nil || !sameData(back, a.request.Args) {
		a.trouble = "these arguments hold what the editor cannot write"
		return
	}
	a.stage, a.trouble, a.edit = changing, "", editor{}
	a.edit.insert(text)
}

// change edits the arguments: Enter allows the call once with what is written.
func (m *model) change(a *asking, name, text string) {
	switch name {
	case "esc":
		a.stage, a.trouble = deciding, ""
	case "enter", "kpenter":
		args, err := repl.ParseArgs(a.edit.text)
		if err == nil {
			_, err = a.request.Entry.Input.Check(args)
		}
		if err != nil {
			a.trouble = err.Error()
			return
		}
		a.request.Args = args
		m.settle(a, session.Approval{Verdict: session.Once, Args: args}, "allowed once, edited")
	default:
		a.trouble = ""
		editKey(&a.edit, name, text)
	}
}

// reason reads why the call is refused: Enter sends it, Esc refuses without one.
func (m *model) reason(a *asking, name, text string) {
	switch name {
	case "esc":
		m.settle(a, session.Approval{Verdict: session.Refuse}, "denied")
	case "enter", "kpenter":
		reason := strings.TrimSpace(a.edit.text)
		told := "denied"
		if reason != "" {
			told += ": " + reason
		}
		m.settle(a, session.Approval{Verdict: session.Refuse, Reason: reason}, told)
	default:
		editKey(&a.edit, name, text)
	}
}

// editKey is what keys do in the input of a question.
func editKey(e *editor, name, text string) {
	switch name {
	case "ctrl+j", "alt+enter", "shift+enter":
		e.insert("\n")
	case "up":
		e.vertical(-1)
	case "down":
		e.vertical(1)
	default:
		if !e.key(name) && text != "" {
			e.insert(cleanPaste(text))
		}
	}
}

// settle answers the question, tells the transcript, and shows the next one.
func (m *model) settle(a *asking, v session.Approval, told string) {
	a.give(v)
	m.asks = m.asks[1:]
	if len(m.asks) > 0 {
		m.asks[0].since, m.asks[0].awake = m.now(), false
	}
	line := fmt.Sprintf("  %s you: %s %s %s", m.theme.glyphs.dot, told, m.theme.glyphs.dot, a.request.Entry.ID)
	if v.Verdict != session.Refuse {
		line += " " + show.ArgsText(a.request.Entry, a.request.Args, 0)
	}
	for _, row := range show.WrapText(text.SanitizeLine(line), m.lineWidth()) {
		m.scroll.Append(m.theme.dim.Render(row))
	}
}

// askRows draws the box in at most room rows. The cursor is in its input, or at its head when it has none.
func (m *model) askRows(a *asking, room int) (rows []string, cursor point) {
	t, e := m.theme, a.request.Entry
	effect := "READS"
	if e.Mutates {
		effect = "MUTATES"
	}
	risk := e.Risk
	if risk == "" {
		risk = catalog.Medium
	}
	head := t.rule(m.width-1, t.warn.Render("approve? ")+t.strong.Render(text.SanitizeLine(e.ID)),
		t.warn.Render(fmt.Sprintf("%s %s risk %s", effect, t.glyphs.dot, risk)))
	var keys string
	var input []string
	dot := " " + t.glyphs.dot + " "
	switch a.stage {
	case deciding:
		keys = strings.Join([]string{"y once", "a this action this session", "e edit", "n deny", "? details"}, dot)
	case changing:
		keys = "Enter allows once with these arguments" + dot + "Ctrl+J newline" + dot + "Esc back"
		input, cursor = m.editRows(&a.edit, t.prompt.Render("args "+t.glyphs.prompt+" "), nil, max(room-4, 1))
	case refusing:
		keys = "Enter denies with this reason" + dot + "Esc denies without"
		input, cursor = m.editRows(&a.edit, t.prompt.Render("why "+t.glyphs.prompt+" "), nil, max(room-4, 1))
	}
	if ansi.StringWidth(keys) > m.width-7 {
		keys = strings.NewReplacer(" this action this session", " session", " details", "").Replace(keys)
	}
	foot := t.rule(m.width-1, keys, "")
	body := m.askBody(a)
	a.cut = ansi.StringWidth("approve? "+e.ID)+4 > m.width
	if spare := max(room-2-len(input), 0); len(body) > spare {
		a.cut = true
		over := len(body) - spare + 1
		body = body[:spare]
		if spare > 0 {
			body[spare-1] = ansi.Truncate(fmt.Sprintf("%s %s %d more rows, printed above", t.glyphs.bar, t.glyphs.more, over), m.width-1, "")
		}
	}
	rows = append(append([]string{head}, body...), foot)
	if len(input) > 0 {
		cursor.y += len(rows)
	}
	return append(rows, input...), cursor
}

// askBody is what the box says between its lines.
func (m *model) askBody(a *asking) []string {
	t := m.theme
	q := show.QuestionOf(a.request, m.render().Marks())
	lines := append(q.WarningLines(), q.Body(m.width-4, a.stage == changing)...)
	if a.details {
		lines = append(lines, repl.AskDetails(a.request, m.width-4, m.render())...)
	}
	if a.trouble != "" {
		lines = append(lines, show.Warning.Line("not possible: "+text.Sanitize(a.trouble)))
	}
	var rows []string
	for _, l := range lines {
		for _, piece := range strings.Split(ansi.Wrap(untab(t.line(l)), max(m.width-3, 1), ""), "\n") {
			rows = append(rows, t.dim.Render(t.glyphs.bar)+" "+piece)
		}
	}
	return rows
}

// sameData reports whether a and b are the same data as Lua knows it: whole numbers are equal whatever their type, and
// an empty list is an empty table.
func sameData(a, b any) bool {
	switch a := a.(type) {
	case map[string]any:
		if l, ok := b.([]any); ok {
			return len(a) == 0 && len(l) == 0
		}
		b, ok := b.(map[string]any)
		if !ok || len(a) != len(b) {
			return false
		}
		for k, v := range a {
			if w, ok := b[k]; !ok || !sameData(v, w) {
				return false
			}
		}
		return true
	case []any:
		if m, ok := b.(map[string]any); ok {
			return len(a) == 0 && len(m) == 0
		}
		b, ok := b.([]any)
		return ok && slices.EqualFunc(a, b, sameData)
	case int64, int, float64:
		switch b.(type) {
		case int64, int, float64:
			return fmt.Sprint(a) == fmt.Sprint(b)
		}
		return false
	}
	return a == b
}
