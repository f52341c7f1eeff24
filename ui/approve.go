package ui

import (
	"fmt"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"almanac/catalog/text"
	"almanac/repl/event"
	"almanac/repl/show"
	"almanac/session"
)

// This file holds the keys of the question before a mutation, and the answer; its box is in approve_box.go, the list of
// a whole run in approve_list.go, what is typed into it in approve_input.go. Nothing but
// an explicit key says yes: not one typed before the box could be read, not one of a word, not pasted text.

const (
	// deafTime is how long a new box ignores keys at least.
	deafTime = 300 * time.Millisecond
	// quietTime is how long nothing may be pressed before a key is an answer, and after one before it counts: what is
	// typed faster is a word.
	quietTime = 700 * time.Millisecond
)

// An askStage says what the person is doing about a question.
type askStage int

const (
	deciding askStage = iota
	changing          // the arguments are in the input
	filling           // a field of a server's form is in the input
	refusing          // the reason is in the input
	granting          // which calls a grant covers is being chosen
)

// An asking is one question on the screen.
type asking struct {
	request  session.Request
	question show.Question
	answer   chan<- session.Approval
	// quiet is how long nothing was pressed, counted by the ticks, so that keys which wait while the program stands still
	// are heard before their silence is over; counted is when it was counted last.
	quiet   time.Duration
	counted time.Time
	// ignored is true when keys were pressed that are no answer, until the silence behind them is over.
	ignored bool
	// bare is true after an Enter that had nothing to take.
	bare bool
	// held is the answer that waits for the silence behind it, or for Enter.
	held  string
	stage askStage
	// marked is the scope that Enter grants, from 1; 0 for none. numbered is true after a number, until the silence behind
	// it is over: another one makes a word of both.
	marked   int
	numbered bool
	// staged is when the stage began.
	staged  time.Time
	details bool
	edit    editor
	form    *show.Form // of a server, while it is filled in
	// trouble says why edited arguments were not taken.
	trouble string
	// cut is true when the box was drawn without all that it says; printed is the depth to which that was printed above
	// it.
	cut     bool
	printed int
	// cramped is true when the window has no room for the id and the risk: then nothing but a refusal is an answer.
	cramped bool
	// top is the first row below the warnings that is shown, page how many are.
	top, page int
	// batch is the list of a question about a whole run, as it stands; nil for one call.
	batch *show.Batch
	pick  picking
	// base is how many panes are below the question; those above were opened to look at it.
	base int
}

// newAsking is a question at now, with the last key at typed.
func newAsking(e event.Event, o event.RenderOptions, now, typed time.Time) *asking {
	asked := &asking{request: e.Ask.Request, answer: e.Ask.Answer, question: e.Question(o), pick: picking{follow: true}}
	asked.batch = asked.question.Batch
	asked.rise(now, typed)
	return asked
}

// rise puts the question on the screen, or into another place there: what was pressed before is no answer.
func (a *asking) rise(now, typed time.Time) {
	a.quiet = min(max(now.Sub(typed), 0), quietTime-deafTime)
	a.counted, a.held = now, ""
}

// disturb makes the box deaf until nothing was pressed for quietTime.
func (a *asking) disturb() { a.quiet, a.held = 0, "" }

// stray is what a key does that is no answer, and pasted text: the box is deaf until the silence behind it.
func (a *asking) stray() {
	a.disturb()
	a.ignored = true
	a.unpick()
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

// typing tells that the box has an input.
func (a *asking) typing() bool {
	return a.stage == changing || a.stage == refusing || a.stage == filling
}

// paste takes pasted text where the box has an input; while a decision is due it is no answer.
func (a *asking) paste(text string) {
	switch a.stage {
	case deciding, granting:
		a.stray()
		a.marked = 0
	case changing:
		a.edit.insert(text)
	case refusing, filling:
		a.edit.insert(strings.ReplaceAll(text, "\n", " "))
	}
}

// askKey gives a key to the question on the screen; quick tells that it came as fast as nobody types.
func (m *model) askKey(name, text string, quick bool) tea.Cmd {
	a := m.asks[0]
	if name == "ctrl+c" {
		m.interrupt()
		return nil
	}
	if cmd, ok := m.inspect(a, m.keys.meantName(name)); ok {
		return cmd
	}
	a.bare = false
	switch a.stage {
	case deciding:
		return m.decide(a, name, text, quick)
	case changing:
		m.change(a, name, text, quick)
	case filling:
		m.fill(a, name, text, quick)
	case refusing:
		m.reason(a, name, text, quick)
	case granting:
		m.choose(a, name, text, quick)
	}
	return nil
}

// decide takes a key while a decision is due.
func (m *model) decide(a *asking, name, text string, quick bool) tea.Cmd {
	quiet, held := a.quiet, a.held
	enter := name == "enter" || name == "kpenter"
	switch {
	case quick && (enter || text != ""): // with the key before it a paste
		a.stray()
		return nil
	case a.batch != nil && a.picks(name, text):
		return nil
	case held != "" && enter:
		m.commit(a)
		return nil
	case held == "" && quiet >= quietTime && text == "" && name != "esc":
		a.bare = enter
		return nil
	}
	a.disturb()
	if held != "" || quiet < quietTime {
		if text != "" {
			a.stray()
		}
		return nil
	}
	over, inquiry := a.request.Over != nil, a.request.Inquiry
	switch {
	case over && (name == "e" || name == "?"), (over || a.batch != nil || inquiry != nil) && name == "a",
		inquiry != nil && (name == "?" || name == "e" && inquiry.Form == nil):
		a.stray()
		return nil
	case (over || inquiry != nil) && name == "esc":
		name = "n"
	}
	a.pick.number = ""
	switch name {
	case "y", "a":
		if m.readable(a) {
			a.held = name
		}
	case "e":
		if !a.cramped {
			a.held = name
		}
	case "n":
		a.held = name
	case "esc":
		m.stand(a, refusing)
	case "?":
		a.details = !a.details
	case "v":
		return m.lookAt(a, true)
	default:
		a.stray()
	}
	return nil
}

// countSilence counts the silence at the box, and takes the answer that was waiting for it.
func (m *model) countSilence() {
	if len(m.asks) == 0 {
		return
	}
	a, now := m.asks[0], m.now()
	since := min(max(now.Sub(a.counted), 0), 2*frameTime)
	a.counted = now
	if m.overlay() != nil || m.help != nil || m.spacious() && m.space.focus > 0 {
		a.disturb()
		return
	}
	if a.quiet = min(a.quiet+since, quietTime); a.quiet < quietTime {
		return
	}
	a.ignored, a.numbered, a.pick.before = false, false, nil
	if a.held != "" {
		m.commit(a)
	}
}

// commit does what the held answer means.
func (m *model) commit(a *asking) {
	held := a.held
	a.disturb()
	if (held == "y" || held == "e") && !m.readable(a) {
		m.notice = held + " was not taken: the window is too small for the question"
		return
	}
	if over := a.request.Over; over != nil {
		switch {
		case held == "n":
			m.settle(a, session.Approval{}, "ended the run")
		default:
			m.settle(a, session.Approval{Verdict: session.Once}, fmt.Sprintf("went on, %d more %s", over.More, over.Name))
		}
		return
	}
	switch {
	case a.request.Inquiry == nil:
	case held == "e":
		m.stand(a, filling)
		a.form = a.question.NewForm()
		return
	case held == "n":
		m.settle(a, session.Approval{}, "declined")
		return
	default:
		if err := a.question.Unready(); err != nil {
			a.trouble = "fill it in with e: " + err.Error()
			return
		}
		yes := session.Approval{Verdict: session.Once}
		if a.form != nil {
			yes.Args = a.request.Args
		}
		m.settle(a, yes, "answered")
		return
	}
	switch held {
	case "y":
		if a.batch != nil {
			m.settleBatch(a)
			return
		}
		m.settle(a, session.Approval{Verdict: session.Once}, "allowed once")
	case "a":
		m.stand(a, granting)
	case "e":
		m.openArgs(a)
	case "n":
		m.stand(a, refusing)
	}
}

// stand begins a stage with an empty input.
func (m *model) stand(a *asking, stage askStage) {
	a.stage, a.staged, a.marked, a.numbered, a.edit, a.trouble = stage, m.now(), 0, false, editor{}, ""
	a.disturb()
}

// inspect does the keys that look at what is asked for: none answers, and none loses the question.
func (m *model) inspect(a *asking, key string) (tea.Cmd, bool) {
	kind, isPane := paneOf(key)
	var cmd tea.Cmd
	switch {
	case isPane && m.flat:
		cmd = m.printed(kind)
	case isPane:
		var p pane
		p, cmd = m.newPane(kind)
		m.show(p)
	case key == "f1":
		m.openHelp(false)
	case key == "ctrl+o":
		cmd = m.lookAt(a, false)
	case key == "ctrl+l":
		cmd = repaint
	case key == "pgup":
		a.pick.follow = false
		a.top = max(a.top-max(a.page-1, 1), 0)
	case key == "pgdown":
		a.pick.follow = false
		a.top += max(a.page-1, 1)
	default:
		return nil, false
	}
	a.disturb()
	return cmd, true
}

// lookAt shows the script that asks, or all that is known of the question.
func (m *model) lookAt(a *asking, script bool) tea.Cmd {
	p := &questionPane{m: m, asked: a, script: script}
	if m.flat {
		m.scroll.append(p.lines(m.width - 1)...)
		return nil
	}
	m.push(p)
	return nil
}

// settle answers the question, tells the transcript, and shows the next one.
func (m *model) settle(a *asking, v session.Approval, told string) {
	a.give(v)
	m.asks = m.asks[1:]
	if len(m.asks) > 0 {
		m.asks[0].rise(m.now(), m.typed)
		m.asks[0].base = len(m.panes)
	}
	dot := m.theme.glyphs.dot
	line := fmt.Sprintf("  %s you: %s", dot, told)
	if v.Verdict == session.Refuse || a.batch == nil { // else it says so itself
		line += " " + dot + " " + a.question.ID
	}
	if v.Verdict != session.Refuse && a.request.Over == nil && a.batch == nil {
		what := show.ArgsText(a.request.Entry, a.request.Args, 0)
		if q := a.request.Inquiry; q != nil && q.URL != "" {
			what = q.URL // which has to stay where it can be copied
		}
		line += " " + what
	}
	for _, row := range show.WrapText(text.SanitizeLine(line), m.lineWidth()) {
		m.scroll.append(m.theme.dim.Render(row))
	}
}
